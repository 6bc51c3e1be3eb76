//! Propositions that never change: a state proposition whose next value is its initial value
//! whatever is played, as long as the other such propositions keep theirs.
//!
//! Computed as a greatest fixpoint over three values (false, true, varies): all propositions
//! start as constants with their initial values and moves as varying; a proposition whose next
//! gate is not its own constant varies from then on. Values only ever rise to "varies", so each
//! gate is looked at a constant number of times and the whole costs time linear in the network.
//! This is sound induction: initially all hold, and each step keeps them.

use index::IndexVec;
use net::{BaseId, Gate, GateId, Net};

/// The value of each proposition that never changes.
pub(crate) fn constants(net: &Net) -> IndexVec<BaseId, Option<bool>> {
    let mut initial = IndexVec::<BaseId, Option<bool>>::filled(Some(false), net.bases.len());
    net.init.iter().for_each(|&base| initial[base] = Some(true));
    let mut lattice = Lattice::new(net, initial);
    let mut changed: Vec<BaseId> = net.bases.ids().filter(|&base| lattice.breaks(base)).collect();
    while let Some(base) = changed.pop() {
        if lattice.state[base].take().is_some() {
            changed.extend(lattice.raise(base));
        }
    }
    debug_assert!(net.bases.ids().all(|base| !lattice.breaks(base)), "a fixpoint");
    lattice.state
}

/// Values of propositions and gates; `None` varies.
struct Lattice<'a> {
    net: &'a Net,
    state: IndexVec<BaseId, Option<bool>>,
    gates: IndexVec<GateId, Option<bool>>,
    readers: IndexVec<GateId, Vec<GateId>>,
    leaf_of: IndexVec<BaseId, Option<GateId>>,
    nexts_of: IndexVec<GateId, Vec<BaseId>>,
}

impl<'a> Lattice<'a> {
    fn new(net: &'a Net, state: IndexVec<BaseId, Option<bool>>) -> Self {
        let count = net.gates.len();
        let mut lattice = Self {
            net,
            gates: IndexVec::filled(None, count),
            readers: IndexVec::filled(Vec::new(), count),
            leaf_of: IndexVec::filled(None, state.len()),
            nexts_of: IndexVec::filled(Vec::new(), count),
            state,
        };
        for (id, gate) in net.gates.iter() {
            lattice.gates[id] = lattice.value_of(gate);
            gate.operands().for_each(|operand| lattice.readers[operand].push(id));
            if let Gate::Base(base) = gate {
                lattice.leaf_of[base] = Some(id);
            }
        }
        net.next.enumerate().for_each(|(base, &gate)| lattice.nexts_of[gate].push(base));
        lattice
    }

    fn value_of(&self, gate: Gate) -> Option<bool> {
        match gate {
            Gate::Const(value) => Some(value),
            Gate::Base(base) => self.state[base],
            Gate::Does(_) => None,
            Gate::Not(a) => self.gates[a].map(|value| !value),
            Gate::And(a, b) => match (self.gates[a], self.gates[b]) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Gate::Or(a, b) => match (self.gates[a], self.gates[b]) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        }
    }

    /// Whether a proposition is held constant though its next gate is not that constant.
    fn breaks(&self, base: BaseId) -> bool {
        self.state[base].is_some() && self.gates[self.net.next[base]] != self.state[base]
    }

    /// Lets the leaf of a proposition vary; the propositions that break by it.
    fn raise(&mut self, base: BaseId) -> Vec<BaseId> {
        let mut broken = Vec::new();
        let mut stack: Vec<GateId> = self.leaf_of[base].into_iter().collect();
        while let Some(id) = stack.pop() {
            let value = self.value_of(self.net.gates.gate(id));
            if value.is_some() || self.gates[id].is_none() {
                debug_assert_eq!(value, self.gates[id], "values only rise");
                continue;
            }
            self.gates[id] = None;
            broken.extend(self.nexts_of[id].iter().filter(|&&next| self.breaks(next)));
            stack.extend(self.readers[id].iter().copied());
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Option<bool>> {
        constants(&net::parse_net(text).expect("a network")).iter().copied().collect()
    }

    #[test]
    fn latches_that_hold_each_other_are_constant() {
        // b0 and b1 keep each other true, b2 stays false as long as they hold; b3 toggles.
        let text = "role \"r\"\ni0 \"go\"\nb0 \"x\" init\nb1 \"y\" init\nb2 \"z\"\nb3 \"t\"\n\
                    next b0 = b1\nnext b1 = b0\ng7 = not b1\nnext b2 = g7\ng8 = not b3\n\
                    next b3 = g8\nlegal i0 = true\nterminal = false\n";
        assert_eq!(of(text), [Some(true), Some(true), Some(false), None]);
    }

    #[test]
    fn what_a_move_can_change_varies_with_all_that_follows() {
        let text = "role \"r\"\ni0 \"go\"\ni1 \"stay\"\nb0 \"x\"\nb1 \"y\"\nb2 \"z\"\n\
                    next b0 = i0\nnext b1 = b0\nnext b2 = b2\nlegal i0 = true\nlegal i1 = true\n\
                    terminal = false\n";
        assert_eq!(of(text), [None, None, Some(false)]);
    }
}
