//! The network: hash-consed, folded gates in topological order, and the game's outputs on them.
//!
//! Well-formed (what `verify` checks): the operands of a gate have smaller ids than the gate; no
//! two gates are equal; no gate could be folded by the laws that the constructors of [`Gates`]
//! apply; `legal`, `terminal` and goals depend on no `Does` gate.

use gdl::RoleId;
use ground::{BaseId, InputId};
use index::IndexVec;
use rustc_hash::FxHashMap;

index::typed_id!(
    /// A gate.
    pub struct GateId, "g"
);

/// A gate. Operands of `And` and `Or` are in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// A constant.
    Const(bool),
    /// A base proposition of the state.
    Base(BaseId),
    /// A move that is played.
    Does(InputId),
    /// Negation.
    Not(GateId),
    /// Conjunction.
    And(GateId, GateId),
    /// Disjunction.
    Or(GateId, GateId),
}

/// The arena of gates. Gates 0 and 1 are always the constants false and true.
#[derive(Clone, Debug)]
pub struct Gates {
    nodes: IndexVec<GateId, Gate>,
    ids: FxHashMap<Gate, GateId>,
}

/// The two binary kinds of gate, so that each law is written once for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Junction {
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
}

impl Junction {
    /// The constant that changes nothing.
    pub(crate) fn identity(self) -> GateId {
        if self == Self::And { Gates::TRUE } else { Gates::FALSE }
    }

    /// The constant that decides the result.
    pub(crate) fn annihilator(self) -> GateId {
        self.dual().identity()
    }

    /// The other kind.
    pub(crate) fn dual(self) -> Self {
        if self == Self::And { Self::Or } else { Self::And }
    }

    /// The gate of this kind; the operands ascend.
    pub(crate) fn gate(self, low: GateId, high: GateId) -> Gate {
        debug_assert!(low < high, "operands of a junction ascend");
        if self == Self::And { Gate::And(low, high) } else { Gate::Or(low, high) }
    }
}

impl Gate {
    /// The operands: none, one or two.
    pub fn operands(self) -> impl Iterator<Item = GateId> {
        let (first, second) = match self {
            Self::Const(_) | Self::Base(_) | Self::Does(_) => (None, None),
            Self::Not(operand) => (Some(operand), None),
            Self::And(low, high) | Self::Or(low, high) => (Some(low), Some(high)),
        };
        first.into_iter().chain(second)
    }

    /// Whether it is a constant, a proposition or a move.
    pub fn is_leaf(self) -> bool {
        matches!(self, Self::Const(_) | Self::Base(_) | Self::Does(_))
    }
}

impl Gates {
    /// The constant false.
    pub const FALSE: GateId = GateId(0);
    /// The constant true.
    pub const TRUE: GateId = GateId(1);

    /// An arena that holds the two constants.
    pub fn new() -> Self {
        let mut gates = Self { nodes: IndexVec::new(), ids: FxHashMap::default() };
        let low = gates.intern(Gate::Const(false));
        let high = gates.intern(Gate::Const(true));
        assert_eq!((low, high), (Self::FALSE, Self::TRUE));
        gates
    }

    /// Makes room for this many gates more, so that the table of ids is not rehashed on the way.
    pub(crate) fn reserve(&mut self, gates: usize) {
        self.ids.reserve(gates);
    }

    /// The gate of an id.
    ///
    /// # Panics
    /// When the id is of another, larger arena.
    #[inline]
    pub fn gate(&self, id: GateId) -> Gate {
        self.nodes[id]
    }

    /// Number of gates, constants and leaves included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All gates in the order of their ids: operands before what they feed.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (GateId, Gate)> + ExactSizeIterator + '_ {
        self.nodes.enumerate().map(|(id, gate)| (id, *gate))
    }

    /// The id of a gate, which is added where it is new. No law is applied.
    pub(crate) fn intern(&mut self, gate: Gate) -> GateId {
        let next = self.nodes.next_id();
        let id = *self.ids.entry(gate).or_insert(next);
        if id == next {
            debug_assert!(gate.operands().all(|operand| operand < id), "operands come first");
            self.nodes.push(gate);
        }
        id
    }

    /// The kind and operands of a junction.
    pub(crate) fn junction(&self, id: GateId) -> Option<(Junction, GateId, GateId)> {
        match self.gate(id) {
            Gate::And(low, high) => Some((Junction::And, low, high)),
            Gate::Or(low, high) => Some((Junction::Or, low, high)),
            _ => None,
        }
    }
}

impl Default for Gates {
    fn default() -> Self {
        Self::new()
    }
}

/// Arenas are equal when they hold the same gates under the same ids.
impl PartialEq for Gates {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

impl Eq for Gates {}

/// A role of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetRole {
    /// The name.
    pub name: String,
    /// Its moves: a range of input ids.
    pub inputs: std::ops::Range<usize>,
    /// Goal values that can be derived, ascending, with their gates.
    pub goals: Vec<(u8, GateId)>,
}

/// A game as a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// All gates.
    pub gates: Gates,
    /// Base propositions as GDL text.
    pub bases: IndexVec<BaseId, String>,
    /// Moves as GDL text.
    pub inputs: IndexVec<InputId, String>,
    /// Roles.
    pub roles: IndexVec<RoleId, NetRole>,
    /// The initial state.
    pub init: Vec<BaseId>,
    /// View: legality of each move.
    pub legal: IndexVec<InputId, GateId>,
    /// View: whether the game has ended.
    pub terminal: GateId,
    /// Update: each proposition in the next state.
    pub next: IndexVec<BaseId, GateId>,
}
