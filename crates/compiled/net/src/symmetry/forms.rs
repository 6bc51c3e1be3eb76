//! Networks in a normal form that does not depend on the order in which they were written.
//!
//! Computed: each gate as a conjunction of literals, a literal being a node or its negation, with
//! conjunctions inside conjunctions flattened to sets. A disjunction is the negation of a
//! conjunction. So the trees in which `and` and `or` of many come, and which depend on the order of
//! ids, leave no trace. Always: equal nodes have one id, members of a node have smaller ids, and a
//! node is equal to the gates that it stands for; nodes that no output needs are not there.
//!
//! Why this form: an automorphism renames leaves, and is proven by looking up, from the leaves on,
//! each renamed node among the others ([`Forms::image`]). What folds differently in the two places
//! (a law applied to one tree and not to its mirror image) is then refused although it is equal; a
//! complete test would be as hard as satisfiability. Cost: linear in the gates but for flattening,
//! on which there is a limit.

use gdl::RoleId;
use index::Id;
use rustc_hash::FxHashMap;

use super::Automorphism;
use crate::gates::{Gate, Net};

/// Members that a conjunction may have to be flattened into another.
const LIMIT_FLATTENED: usize = 4096;
/// Members of all conjunctions together, beyond so many for each gate.
const LIMIT_MEMBERS: usize = 1 << 16;
const MEMBERS_PER_GATE: usize = 16;

/// A node or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Literal(u32);

impl Literal {
    fn new(node: usize, negated: bool) -> Self {
        assert!(node < 1 << 31, "fewer nodes than literals");
        Self((node as u32) << 1 | u32::from(negated))
    }

    /// The node.
    pub(super) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the node is negated.
    pub(super) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn negation(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// The literal of another node with the same sign.
    fn of(self, node: usize) -> Self {
        Self::new(node, self.is_negated())
    }
}

/// What tells an output from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fixed {
    /// The end of the game.
    Terminal,
    /// A goal value of the asked role.
    Goal(u8),
}

/// A game in normal form. Nodes are numbered: propositions, moves, the constant true, conjunctions.
pub(super) struct Forms {
    pub(super) bases: usize,
    pub(super) inputs: usize,
    /// By node: the members of a conjunction, ascending; none of a leaf.
    members: Vec<Box<[Literal]>>,
    ids: FxHashMap<Box<[Literal]>, u32>,
    /// By proposition: its value in the next state.
    pub(super) next: Vec<Literal>,
    /// By move: its legality.
    pub(super) legal: Vec<Literal>,
    /// Outputs that an automorphism leaves as they are.
    pub(super) fixed: Vec<(Fixed, Literal)>,
    /// By proposition: whether it is seen at once that it never changes.
    pub(super) idle: Vec<bool>,
}

impl Forms {
    /// The normal form of what a sweep for the asked role reads; none where it would be too large.
    pub(super) fn new(net: &Net, asked: RoleId) -> Option<Self> {
        let mut made = Maker::new(net);
        let limit = LIMIT_MEMBERS + MEMBERS_PER_GATE * net.gates.len();
        for (_, gate) in net.gates.iter() {
            let literal = made.literal(gate);
            made.of_gate.push(literal);
            if made.total > limit {
                return None;
            }
        }
        let of = |gate: crate::GateId| made.of_gate[gate.index()];
        let goals = &net.roles[asked].goals;
        let goals = goals.iter().map(|&(value, gate)| (Fixed::Goal(value), of(gate)));
        let idle = |(base, gate): (ground::BaseId, &crate::GateId)| {
            let (next, holds) = (of(*gate), net.init.binary_search(&base).is_ok());
            let still = if holds { made.always } else { made.always.negation() };
            next == still || next == Literal::new(base.index(), false)
        };
        let forms = Self {
            idle: net.next.enumerate().map(idle).collect(),
            bases: net.bases.len(),
            inputs: net.inputs.len(),
            next: net.next.iter().map(|gate| of(*gate)).collect(),
            legal: net.legal.iter().map(|gate| of(*gate)).collect(),
            fixed: goals.chain([(Fixed::Terminal, of(net.terminal))]).collect(),
            members: made.members,
            ids: FxHashMap::default(),
        };
        Some(forms.pruned())
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// The members of a conjunction; none of a leaf.
    pub(super) fn members(&self, node: usize) -> &[Literal] {
        &self.members[node]
    }

    /// All outputs.
    fn outputs(&self) -> impl Iterator<Item = Literal> + '_ {
        let fixed = self.fixed.iter().map(|(_, literal)| *literal);
        self.next.iter().chain(&self.legal).copied().chain(fixed)
    }

    /// The same without the nodes that only stood on the way to others.
    fn pruned(mut self) -> Self {
        let leaves = self.bases + self.inputs + 1;
        let mut needed = vec![false; self.len()];
        needed[..leaves].fill(true);
        self.outputs().for_each(|literal| needed[literal.node()] = true);
        for node in (leaves..self.len()).rev() {
            if needed[node] {
                self.members[node].iter().for_each(|member| needed[member.node()] = true);
            }
        }
        let mut renumbered = vec![u32::MAX; self.len()];
        let mut members: Vec<Box<[Literal]>> = Vec::new();
        for (node, held) in std::mem::take(&mut self.members).into_iter().enumerate() {
            if needed[node] {
                let renamed = |literal: &Literal| literal.of(renumbered[literal.node()] as usize);
                let held: Box<[Literal]> = held.iter().map(renamed).collect();
                debug_assert!(held.is_sorted(), "numbers keep their order");
                renumbered[node] = members.len() as u32;
                members.push(held);
            }
        }
        let renamed = |literal: &mut Literal| {
            *literal = literal.of(renumbered[literal.node()] as usize);
        };
        self.next.iter_mut().chain(&mut self.legal).for_each(renamed);
        self.fixed.iter_mut().for_each(|(_, literal)| renamed(literal));
        let numbered = members.iter().enumerate().skip(leaves);
        self.ids = numbered.map(|(node, held)| (held.clone(), node as u32)).collect();
        self.members = members;
        self
    }

    /// By node, the node that it becomes where leaves are renamed; the node for which there is none
    /// is the error.
    fn image(&self, renaming: &Automorphism) -> Result<Vec<u32>, usize> {
        let leaves = self.bases + self.inputs + 1;
        let moved = |index: usize| (self.bases + index) as u32;
        let mut image: Vec<u32> = renaming.bases.iter().map(|base| base.index() as u32).collect();
        image.extend(renaming.inputs.iter().map(|input| moved(input.index())));
        image.push(leaves as u32 - 1);
        let mut wanted = Vec::new();
        for node in leaves..self.len() {
            wanted.clear();
            let held = self.members[node].iter();
            wanted.extend(held.map(|member| member.of(image[member.node()] as usize)));
            wanted.sort_unstable();
            image.push(*self.ids.get(wanted.as_slice()).ok_or(node)?);
        }
        Ok(image)
    }

    /// Whether a renaming of leaves maps each output to the output of the renamed leaf.
    pub(super) fn are_kept_by(&self, renaming: &Automorphism) -> Result<(), String> {
        let image = self.image(renaming).map_err(|node| {
            format!("a conjunction of {} has no image", self.members[node].len())
        })?;
        let moved = |literal: Literal| literal.of(image[literal.node()] as usize);
        for (base, to) in renaming.bases.enumerate() {
            if moved(self.next[base.index()]) != self.next[to.index()] {
                return Err(format!("the successor of {base} does not become that of {to}"));
            }
        }
        for (input, to) in renaming.inputs.enumerate() {
            if moved(self.legal[input.index()]) != self.legal[to.index()] {
                return Err(format!("the legality of {input} does not become that of {to}"));
            }
        }
        match self.fixed.iter().find(|(_, literal)| moved(*literal) != *literal) {
            Some((Fixed::Terminal, _)) => Err("the end of the game changes".to_owned()),
            Some((Fixed::Goal(value), _)) => Err(format!("the goal {value} changes")),
            None => Ok(()),
        }
    }
}

/// Forms under construction.
struct Maker {
    inputs_from: usize,
    members: Vec<Box<[Literal]>>,
    ids: FxHashMap<Box<[Literal]>, u32>,
    of_gate: Vec<Literal>,
    always: Literal,
    /// Members of all conjunctions.
    total: usize,
}

impl Maker {
    fn new(net: &Net) -> Self {
        let leaves = net.bases.len() + net.inputs.len() + 1;
        Self {
            inputs_from: net.bases.len(),
            members: vec![Box::default(); leaves],
            ids: FxHashMap::default(),
            of_gate: Vec::with_capacity(net.gates.len()),
            always: Literal::new(leaves - 1, false),
            total: 0,
        }
    }

    fn literal(&mut self, gate: Gate) -> Literal {
        let of = |gate: crate::GateId| self.of_gate[gate.index()];
        match gate {
            Gate::Const(true) => self.always,
            Gate::Const(false) => self.always.negation(),
            Gate::Base(base) => Literal::new(base.index(), false),
            Gate::Does(input) => Literal::new(self.inputs_from + input.index(), false),
            Gate::Not(operand) => of(operand).negation(),
            Gate::And(low, high) => self.conjunction([of(low), of(high)]),
            Gate::Or(low, high) => {
                self.conjunction([of(low).negation(), of(high).negation()]).negation()
            }
        }
    }

    fn conjunction(&mut self, operands: [Literal; 2]) -> Literal {
        let mut all = Vec::new();
        for literal in operands {
            let inner = &self.members[literal.node()];
            let flat = !literal.is_negated() && (1..=LIMIT_FLATTENED).contains(&inner.len());
            if flat {
                all.extend_from_slice(inner);
            } else {
                all.push(literal);
            }
        }
        all.sort_unstable();
        all.dedup();
        all.retain(|literal| *literal != self.always);
        let clash = all.windows(2).any(|pair| pair[0].negation() == pair[1]);
        if clash || all.contains(&self.always.negation()) {
            return self.always.negation();
        }
        match all[..] {
            [] => self.always,
            [only] => only,
            _ => self.intern(all.into_boxed_slice()),
        }
    }

    fn intern(&mut self, members: Box<[Literal]>) -> Literal {
        if let Some(&node) = self.ids.get(&members) {
            return Literal::new(node as usize, false);
        }
        let node = self.members.len();
        self.total += members.len();
        self.ids.insert(members.clone(), node as u32);
        self.members.push(members);
        Literal::new(node, false)
    }
}
