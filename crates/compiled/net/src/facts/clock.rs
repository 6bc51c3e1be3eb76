//! The clock of a game: what goes on whatever is played, such as a step counter or whose turn it is.
//!
//! Computed: the largest set of propositions whose successors read no move and nothing outside of
//! the set, so that it runs through one sequence of states from the start on; and which steps of
//! that sequence are of one *class*, in which view and update are the same functions of all that is
//! not clock. Always: this is proven, not guessed. In each step the network is specialised for what
//! the clock holds, by the folding constructors of one arena; two steps are of one class only if
//! all outputs are the same gates there.

use std::sync::Arc;

use gdl::RoleId;
use ground::BaseId;
use index::{Id, IdSet, IndexVec};
use rustc_hash::FxHashMap;

use crate::gates::{Gate, GateId, Gates, Net};
use crate::specialised::Specialised;

/// Gates that specialising may add to the arena, for each gate of the network and at least.
const GROWTH: usize = 4;
const LEAST_GROWTH: usize = 1 << 20;

/// The propositions of the clock: none of them is changed by a move, or reads one that is.
pub fn clock_bases(net: &Net) -> IdSet<BaseId> {
    let mut readers: Vec<Vec<GateId>> = vec![Vec::new(); net.gates.len()];
    let mut moved = vec![false; net.gates.len()];
    let mut open = Vec::new();
    let mut leaves: FxHashMap<BaseId, GateId> = FxHashMap::default();
    for (id, gate) in net.gates.iter() {
        gate.operands().for_each(|operand| readers[operand.index()].push(id));
        match gate {
            Gate::Does(_) => open.push(id),
            Gate::Base(base) => {
                leaves.insert(base, id);
            }
            _ => {}
        }
    }
    let mut successors: FxHashMap<GateId, Vec<BaseId>> = FxHashMap::default();
    net.next.enumerate().for_each(|(base, gate)| successors.entry(*gate).or_default().push(base));
    let mut clock: IdSet<BaseId> = net.bases.ids().collect();
    while let Some(gate) = open.pop() {
        if std::mem::replace(&mut moved[gate.index()], true) {
            continue;
        }
        open.extend_from_slice(&readers[gate.index()]);
        for base in successors.get(&gate).into_iter().flatten() {
            clock.remove(*base);
            open.extend(leaves.get(base));
        }
    }
    clock
}

/// A clock at one of its steps.
#[derive(Debug)]
pub struct Clock {
    net: Arc<Net>,
    /// What holds of the clock, ascending.
    holds: Vec<BaseId>,
    /// By proposition: its leaf, if anything reads it and it is of the clock.
    leaves: IndexVec<BaseId, Option<GateId>>,
    /// By gate: the propositions of the clock that it is the successor of.
    successors: FxHashMap<GateId, Vec<BaseId>>,
    folded: Specialised,
    /// Gates that became others in the last step.
    changed: Vec<GateId>,
    /// Propositions that may change in the next step: what held, or what leads to them, is new.
    candidates: Vec<BaseId>,
    /// Outputs that the clock can change, each once.
    outputs: Vec<GateId>,
    classes: FxHashMap<Vec<GateId>, usize>,
    class: usize,
    states: FxHashMap<Vec<BaseId>, usize>,
    state: usize,
    most_gates: usize,
}

impl Clock {
    /// The clock of a game at its start. What `outside` names is compared by its successors, also
    /// where it is of the clock; payments are those of the role asked about.
    ///
    /// # Panics
    /// When `outside` does not hold all that is not of the clock.
    pub fn new(net: Arc<Net>, asked: RoleId, outside: &IdSet<BaseId>) -> Self {
        let bases = clock_bases(&net);
        let mut leaves: IndexVec<BaseId, Option<GateId>> = IndexVec::filled(None, net.bases.len());
        for (id, gate) in net.gates.iter() {
            if let Gate::Base(base) = gate
                && bases.contains(base)
            {
                leaves[base] = Some(id);
            }
        }
        assert!(
            net.bases.ids().all(|base| bases.contains(base) || outside.contains(base)),
            "all is clock or outside of it"
        );
        let holds: Vec<BaseId> =
            net.init.iter().copied().filter(|base| bases.contains(*base)).collect();
        let folded = Specialised::new(Arc::clone(&net), |gate| match gate {
            Gate::Base(base) if bases.contains(base) => Some(holds.binary_search(&base).is_ok()),
            _ => None,
        });
        let mut outputs = vec![net.terminal];
        outputs.extend(net.roles[asked].goals.iter().map(|(_, gate)| *gate));
        outputs.extend(net.legal.iter().copied());
        outputs.extend(outside.iter().map(|base| net.next[base]));
        outputs.retain(|gate| folded.varies(*gate));
        outputs.sort_unstable();
        outputs.dedup();
        let mut successors: FxHashMap<GateId, Vec<BaseId>> = FxHashMap::default();
        bases.iter().for_each(|base| successors.entry(net.next[base]).or_default().push(base));
        let most_gates = net.gates.len() + LEAST_GROWTH.max(GROWTH * net.gates.len());
        let mut clock = Self {
            candidates: bases.iter().collect(),
            net,
            holds,
            leaves,
            successors,
            folded,
            changed: Vec::new(),
            outputs,
            classes: FxHashMap::default(),
            class: 0,
            states: FxHashMap::default(),
            state: 0,
            most_gates,
        };
        clock.classify();
        clock.number();
        clock
    }

    /// What holds of the clock, ascending.
    pub fn holds(&self) -> &[BaseId] {
        &self.holds
    }

    /// The class of this step; numbers are dense from 0 in order of discovery.
    pub fn class(&self) -> usize {
        self.class
    }

    /// The number of what the clock holds, dense from 0 in order of discovery: the same number means
    /// the same propositions.
    pub fn state(&self) -> usize {
        self.state
    }

    /// Goes on by a step. False, and nothing is known any more, where specialising takes too much
    /// room.
    #[must_use]
    pub fn tick(&mut self) -> bool {
        let (net, folded) = (&*self.net, &mut self.folded);
        self.candidates.sort_unstable();
        self.candidates.dedup();
        let holds = &self.holds;
        let changes: Vec<(BaseId, bool)> = self
            .candidates
            .iter()
            .filter_map(|&base| {
                let next = folded.made(net.next[base]);
                assert!(
                    next == Gates::TRUE || next == Gates::FALSE,
                    "a clock's successor is known"
                );
                let (old, new) = (holds.binary_search(&base).is_ok(), next == Gates::TRUE);
                (old != new).then_some((base, new))
            })
            .collect();
        self.candidates.clear();
        for &(base, new) in &changes {
            match self.holds.binary_search(&base) {
                Ok(at) => {
                    self.holds.remove(at);
                }
                Err(at) => self.holds.insert(at, base),
            }
            self.candidates.push(base);
            if let Some(leaf) = self.leaves[base] {
                folded.set(leaf, new);
            }
        }
        folded.settle();
        folded.take_changed(&mut self.changed);
        let mut shown = false;
        for gate in &self.changed {
            shown |= self.outputs.binary_search(gate).is_ok();
            self.candidates.extend(self.successors.get(gate).into_iter().flatten());
        }
        if shown {
            self.classify();
        }
        if !changes.is_empty() {
            self.number();
        }
        self.folded.len() <= self.most_gates
    }

    fn classify(&mut self) {
        let made: Vec<GateId> = self.outputs.iter().map(|gate| self.folded.made(*gate)).collect();
        let fresh = self.classes.len();
        self.class = *self.classes.entry(made).or_insert(fresh);
    }

    fn number(&mut self) {
        let fresh = self.states.len();
        self.state = *self.states.entry(self.holds.clone()).or_insert(fresh);
    }
}
