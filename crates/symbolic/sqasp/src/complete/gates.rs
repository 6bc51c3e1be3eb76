//! Gates: conjunctions over inputs, shared and folded as they are built.
//!
//! Always: the inputs of a conjunction are sorted, distinct, at least two, none constant, no two
//! opposed, and all before it; two conjunctions of equal inputs are one. A disjunction is the
//! negation of a conjunction. So what the rules of a program say twice is one gate, and a count
//! of moves that are legal together folds away. Cost: a look-up a gate.

use index::{Id, IndexVec};
use rustc_hash::FxHashMap;

use crate::ground::AtomId;

index::typed_id!(
    /// A node: constant, input or conjunction.
    pub(crate) struct Node,
    "g"
);

/// A node or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Signal(u32);

impl Signal {
    /// Holds always; node 0.
    pub(crate) const TRUE: Self = Self(0);
    /// Holds never.
    pub(crate) const FALSE: Self = Self(1);

    fn of(node: Node) -> Self {
        Self(u32::try_from(node.index() << 1).expect("at most 2^31 gates"))
    }

    pub(crate) fn node(self) -> Node {
        Node::from_index((self.0 >> 1) as usize)
    }

    pub(crate) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }
}

impl std::ops::Not for Signal {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The constant true.
    True,
    /// The value of an atom that is not defined by others.
    Input(AtomId),
    /// A conjunction, by the place of its inputs.
    And {
        /// Where they begin.
        start: u32,
        /// How many.
        len: u32,
    },
}

/// All nodes.
pub(crate) struct Gates {
    kinds: IndexVec<Node, Kind>,
    inputs: Vec<Signal>,
    /// Conjunctions by their inputs.
    known: FxHashMap<Box<[Signal]>, Node>,
}

impl Gates {
    pub(crate) fn new() -> Self {
        let mut kinds = IndexVec::new();
        kinds.push(Kind::True);
        Self { kinds, inputs: Vec::new(), known: FxHashMap::default() }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn kind(&self, node: Node) -> Kind {
        self.kinds[node]
    }

    /// The inputs of a conjunction; none for other nodes.
    pub(crate) fn inputs(&self, node: Node) -> &[Signal] {
        match self.kinds[node] {
            Kind::And { start, len } => &self.inputs[start as usize..(start + len) as usize],
            Kind::True | Kind::Input(_) => &[],
        }
    }

    /// A new input; called once an atom.
    pub(crate) fn input(&mut self, atom: AtomId) -> Signal {
        Signal::of(self.kinds.push(Kind::Input(atom)))
    }

    /// The conjunction of some signals, in any order.
    pub(crate) fn and(&mut self, mut inputs: Vec<Signal>) -> Signal {
        inputs.sort_unstable();
        inputs.dedup();
        if inputs.first() == Some(&Signal::TRUE) {
            inputs.remove(0);
        }
        let opposed = inputs.windows(2).any(|pair| pair[0] == !pair[1]);
        if opposed || inputs.first() == Some(&Signal::FALSE) {
            return Signal::FALSE;
        }
        match inputs[..] {
            [] => Signal::TRUE,
            [only] => only,
            _ => self.conjunction(inputs),
        }
    }

    fn conjunction(&mut self, inputs: Vec<Signal>) -> Signal {
        debug_assert!(inputs.len() > 1 && inputs.iter().all(|one| one.node().index() < self.len()));
        if let Some(node) = self.known.get(&inputs[..]) {
            return Signal::of(*node);
        }
        let start = u32::try_from(self.inputs.len()).expect("at most 2^32 inputs of gates");
        self.inputs.extend_from_slice(&inputs);
        let len = inputs.len() as u32;
        let node = self.kinds.push(Kind::And { start, len });
        self.known.insert(inputs.into(), node);
        Signal::of(node)
    }

    /// The disjunction of some signals.
    pub(crate) fn or(&mut self, inputs: impl IntoIterator<Item = Signal>) -> Signal {
        !self.and(inputs.into_iter().map(|input| !input).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_shared_and_folded() {
        let mut gates = Gates::new();
        let inputs: Vec<Signal> = (1..4).map(|at| gates.input(AtomId::from_index(at))).collect();
        let [a, b, c] = inputs[..] else { unreachable!() };
        let ab = gates.and(vec![b, a, Signal::TRUE, a]);
        assert_eq!(ab, gates.and(vec![a, b]));
        assert_eq!(gates.and(vec![a, !a, c]), Signal::FALSE);
        assert_eq!(gates.and(vec![a, Signal::FALSE]), Signal::FALSE);
        assert_eq!(gates.or([a, !a]), Signal::TRUE);
        assert_eq!(gates.or([]), Signal::FALSE);
        assert_eq!(gates.or([!a, !b]), !ab);
        assert_eq!(gates.and(vec![c]), c);
        assert_eq!(gates.len(), 5);
    }
}
