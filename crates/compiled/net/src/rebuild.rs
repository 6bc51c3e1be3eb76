//! Rebuilding outputs with some leaves replaced: cofactors, renamings, copies.
//!
//! Computed: for each output of a source arena, the gate of a target arena that is equal to it
//! after every leaf is replaced as the caller says. Always: each gate of the outputs' cone is
//! visited once a call, and everything is rebuilt through the folding constructors, so the target
//! stays well-formed. Why a stamp a gate and not a map: the memory is reused from call to call, so
//! a small cone costs its own size however large the arena is. The walk keeps its own stack: nets
//! may be deeper than a thread's. Cost: linear in the cone.

use ground::{BaseId, InputId};
use index::Id;

use crate::gates::{Gate, GateId, Gates};

/// Rebuilds outputs of one arena in another, or in the same; holds only memory for reuse.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    round: u32,
    /// By source gate: the round in which it was done, and the gate that it became.
    memo: Vec<(u32, GateId)>,
    stack: Vec<GateId>,
}

/// What a leaf is replaced by: a gate of the target, or none to keep the leaf.
pub type LeafMap<'a> = dyn FnMut(Gate) -> Option<GateId> + 'a;

impl Substitution {
    /// No memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Copies `outputs` of `source` into `target`. `leaf` is asked once for each proposition and
    /// each move in their cone; the gates it answers with are gates of `target`.
    pub fn rebuild(
        &mut self,
        source: &Gates,
        outputs: &[GateId],
        target: &mut Gates,
        leaf: &mut LeafMap<'_>,
    ) -> Vec<GateId> {
        self.walk(Some(source), outputs, target, leaf)
    }

    /// The same inside one arena: the results are gates of `gates`, old ones where nothing changes.
    pub fn rebuild_within(
        &mut self,
        gates: &mut Gates,
        outputs: &[GateId],
        leaf: &mut LeafMap<'_>,
    ) -> Vec<GateId> {
        self.walk(None, outputs, gates, leaf)
    }

    /// Copies `outputs` of `source` into `target`, gate by gate: as no law applies to a gate of a
    /// well-formed arena, none would apply to its copy.
    pub(crate) fn copy(
        &mut self,
        source: &Gates,
        outputs: &[GateId],
        target: &mut Gates,
    ) -> Vec<GateId> {
        self.begin(source.len());
        for &output in outputs {
            self.stack.push(output);
            while let Some(&id) = self.stack.last() {
                let gate = source.gate(id);
                if self.is_done(id) {
                    self.stack.pop();
                } else if self.is_ready(gate) {
                    self.stack.pop();
                    let copy = target.intern(self.renamed(gate));
                    self.memo[id.index()] = (self.round, copy);
                }
            }
        }
        outputs.iter().map(|output| self.done(*output)).collect()
    }

    /// The gate over the copies of its operands.
    fn renamed(&self, gate: Gate) -> Gate {
        let pair = |low, high| {
            let (low, high) = (self.done(low), self.done(high));
            (low.min(high), low.max(high))
        };
        match gate {
            Gate::Const(_) | Gate::Base(_) | Gate::Does(_) => gate,
            Gate::Not(operand) => Gate::Not(self.done(operand)),
            Gate::And(low, high) => {
                let (low, high) = pair(low, high);
                Gate::And(low, high)
            }
            Gate::Or(low, high) => {
                let (low, high) = pair(low, high);
                Gate::Or(low, high)
            }
        }
    }

    fn walk(
        &mut self,
        source: Option<&Gates>,
        outputs: &[GateId],
        target: &mut Gates,
        leaf: &mut LeafMap<'_>,
    ) -> Vec<GateId> {
        self.begin(source.map_or(target.len(), Gates::len));
        for &output in outputs {
            self.stack.push(output);
            while let Some(&id) = self.stack.last() {
                let gate = source.unwrap_or(target).gate(id);
                if self.is_done(id) || self.is_ready(gate) {
                    self.stack.pop();
                    self.settle(id, gate, target, leaf);
                }
            }
        }
        outputs.iter().map(|output| self.done(*output)).collect()
    }

    /// Starts a call: everything done before is forgotten.
    fn begin(&mut self, gates: usize) {
        if self.round == u32::MAX {
            self.memo.clear();
            self.round = 0;
        }
        self.round += 1;
        if self.memo.len() < gates {
            self.memo.resize(gates, (0, Gates::FALSE));
        }
        debug_assert!(self.stack.is_empty());
    }

    fn is_done(&self, id: GateId) -> bool {
        self.memo[id.index()].0 == self.round
    }

    fn done(&self, id: GateId) -> GateId {
        debug_assert!(self.is_done(id), "operands are rebuilt first");
        self.memo[id.index()].1
    }

    /// Whether the operands are done; pushes those that are not.
    fn is_ready(&mut self, gate: Gate) -> bool {
        let before = self.stack.len();
        for operand in gate.operands() {
            if !self.is_done(operand) {
                self.stack.push(operand);
            }
        }
        self.stack.len() == before
    }

    fn settle(&mut self, id: GateId, gate: Gate, target: &mut Gates, leaf: &mut LeafMap<'_>) {
        if self.is_done(id) {
            return;
        }
        let made = match gate {
            Gate::Const(value) => target.constant(value),
            Gate::Base(base) => leaf(gate).unwrap_or_else(|| target.base(base)),
            Gate::Does(input) => leaf(gate).unwrap_or_else(|| target.does(input)),
            Gate::Not(operand) => target.not(self.done(operand)),
            Gate::And(low, high) => target.and(self.done(low), self.done(high)),
            Gate::Or(low, high) => target.or(self.done(low), self.done(high)),
        };
        debug_assert!(made.index() < target.len(), "a leaf became a gate of another arena");
        self.memo[id.index()] = (self.round, made);
    }
}

/// The gates of the outputs' cone in ascending order: operands before what they feed.
pub fn cone(gates: &Gates, outputs: &[GateId]) -> Vec<GateId> {
    let mut seen = vec![false; gates.len()];
    let mut stack: Vec<GateId> = outputs.to_vec();
    while let Some(id) = stack.pop() {
        if !std::mem::replace(&mut seen[id.index()], true) {
            stack.extend(gates.gate(id).operands());
        }
    }
    (0..seen.len()).filter(|index| seen[*index]).map(GateId::from_index).collect()
}

/// The propositions and the moves that the outputs depend on, each ascending.
pub fn support(gates: &Gates, outputs: &[GateId]) -> (Vec<BaseId>, Vec<InputId>) {
    let (mut bases, mut inputs) = (Vec::new(), Vec::new());
    for id in cone(gates, outputs) {
        match gates.gate(id) {
            Gate::Base(base) => bases.push(base),
            Gate::Does(input) => inputs.push(input),
            _ => {}
        }
    }
    bases.sort_unstable();
    inputs.sort_unstable();
    (bases, inputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(index: usize) -> BaseId {
        BaseId::from_index(index)
    }

    #[test]
    fn a_cofactor_by_a_constant_folds() {
        let mut gates = Gates::new();
        let (x, y, z) = (gates.base(base(0)), gates.base(base(1)), gates.base(base(2)));
        let both = gates.and(x, y);
        let output = gates.or(both, z);
        let mut high = |gate| (gate == Gate::Base(base(0))).then_some(Gates::TRUE);
        let mut substitution = Substitution::new();
        let results = substitution.rebuild_within(&mut gates, &[output, both], &mut high);
        assert_eq!(results, [gates.or(y, z), y]);
        let mut low = |gate| (gate == Gate::Base(base(0))).then_some(Gates::FALSE);
        assert_eq!(
            substitution.rebuild_within(&mut gates, &[output, both], &mut low),
            [z, Gates::FALSE]
        );
    }

    #[test]
    fn nothing_replaced_nothing_changed() {
        let mut gates = Gates::new();
        let (x, y) = (gates.base(base(0)), gates.does(InputId::from_index(0)));
        let output = gates.and(x, y);
        let size = gates.len();
        let same = Substitution::new().rebuild_within(&mut gates, &[output], &mut |_| None);
        assert_eq!((same, gates.len()), (vec![output], size));
    }

    /// A chain of a million gates would overflow the stack of a recursive walk.
    #[test]
    fn deep_nets_are_rebuilt_without_recursion() {
        let mut source = Gates::new();
        let mut chain = source.base(base(0));
        for index in 1..1_000_000 {
            let leaf = source.base(base(index % 50));
            chain = if index % 2 == 0 { source.and(chain, leaf) } else { source.or(chain, leaf) };
        }
        let mut target = Gates::new();
        let copies = Substitution::new().rebuild(&source, &[chain], &mut target, &mut |_| None);
        assert_eq!(target.len(), cone(&source, &[chain]).len() + 2);
        assert!(!target.gate(copies[0]).is_leaf());
    }

    #[test]
    fn support_lists_what_an_output_reads() {
        let mut gates = Gates::new();
        let (x, y) = (gates.base(base(4)), gates.base(base(2)));
        let played = gates.does(InputId::from_index(3));
        let part = gates.and(x, y);
        let output = gates.or(part, played);
        assert_eq!(
            support(&gates, &[output]),
            (vec![base(2), base(4)], vec![InputId::from_index(3)])
        );
        assert_eq!(support(&gates, &[x]), (vec![base(4)], vec![]));
    }
}
