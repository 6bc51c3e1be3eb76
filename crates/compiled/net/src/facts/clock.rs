//! The clock of a game: what goes on whatever is played, such as a step counter or whose turn it is.
//!
//! Computed: the largest set of propositions whose successors read no move and nothing outside of
//! the set, so that it runs through one sequence of states from the start on; and which steps of
//! that sequence are of one *class*, in which view and update are the same functions of all that is
//! not clock. Always: this is proven, not guessed. In each step the network is specialised for what
//! the clock holds, by the folding constructors of one arena; two steps are of one class only if
//! all outputs are the same gates there.
//!
//! Why gate by gate and not a rebuild a step: a counter of ten thousand steps changes two
//! propositions at a time, and only what they reach is looked at. A conjunction with a false operand
//! listens to that operand alone (and a disjunction to a true one), as a clause watches two of its
//! literals, so that a proposition that feeds ten thousand gates and flips in each step costs the few
//! of them that it matters to. Source: watched literals, M. Moskewicz et al., "Chaff: engineering an
//! efficient SAT solver", DAC 2001.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use gdl::RoleId;
use ground::BaseId;
use index::{Id, IdSet, IndexVec};
use rustc_hash::FxHashMap;

use crate::gates::{Gate, GateId, Gates, Net};

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
    folded: Folded,
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

/// The network specialised for what the clock holds.
#[derive(Debug)]
struct Folded {
    gates: Gates,
    /// By gate of the network: the gate that it is now.
    made: Vec<GateId>,
    /// Whether a gate reads the clock at all.
    ticks: Vec<bool>,
    /// By gate: those that listen to it, and some that did.
    readers: Vec<Vec<GateId>>,
    /// By gate: to which of its operands it listens, and in whose list it is.
    listens: Vec<[bool; 2]>,
    listed: Vec<[bool; 2]>,
    open: BinaryHeap<Reverse<GateId>>,
    /// Gates that became others.
    changed: Vec<GateId>,
}

impl Folded {
    fn new(net: &Net, leaves: &IndexVec<BaseId, Option<GateId>>) -> Self {
        let count = net.gates.len();
        let mut ticks = vec![false; count];
        for (id, gate) in net.gates.iter() {
            ticks[id.index()] = match gate {
                Gate::Base(base) => leaves[base].is_some(),
                gate => gate.operands().any(|operand| ticks[operand.index()]),
            };
        }
        Self {
            gates: net.gates.clone(),
            made: (0..count).map(GateId::from_index).collect(),
            ticks,
            readers: vec![Vec::new(); count],
            listens: vec![[false; 2]; count],
            listed: vec![[false; 2]; count],
            open: BinaryHeap::new(),
            changed: Vec::new(),
        }
    }

    /// What a gate is now, from its operands; it listens from now on to those that decide that.
    fn make(&mut self, id: GateId, gate: Gate) -> GateId {
        let made = |operand: GateId| self.made[operand.index()];
        match gate {
            Gate::Const(_) | Gate::Base(_) | Gate::Does(_) => made(id),
            Gate::Not(operand) => {
                let made = made(operand);
                self.listen(id, [operand, operand], [true, false]);
                self.gates.not(made)
            }
            Gate::And(low, high) => {
                let pair = [made(low), made(high)];
                self.listen(id, [low, high], self.needed(id, pair, Gates::FALSE));
                self.gates.and(pair[0], pair[1])
            }
            Gate::Or(low, high) => {
                let pair = [made(low), made(high)];
                self.listen(id, [low, high], self.needed(id, pair, Gates::TRUE));
                self.gates.or(pair[0], pair[1])
            }
        }
    }

    /// Which operands decide: one that settles the result by itself, the one listened to already where
    /// both do; else both.
    fn needed(&self, id: GateId, pair: [GateId; 2], settles: GateId) -> [bool; 2] {
        let listens = self.listens[id.index()];
        match [pair[0] == settles, pair[1] == settles] {
            [false, false] => [true, true],
            [true, true] if listens == [true, false] => listens,
            [_, true] => [false, true],
            [true, false] => [true, false],
        }
    }

    fn listen(&mut self, id: GateId, operands: [GateId; 2], needed: [bool; 2]) {
        self.listens[id.index()] = needed;
        for at in 0..2 {
            let fresh = needed[at] && !self.listed[id.index()][at];
            if fresh && self.ticks[operands[at].index()] {
                self.listed[id.index()][at] = true;
                self.readers[operands[at].index()].push(id);
            }
        }
    }

    /// A gate is another from now on.
    fn set(&mut self, net: &Net, id: GateId, made: GateId) {
        if std::mem::replace(&mut self.made[id.index()], made) == made {
            return;
        }
        self.changed.push(id);
        let mut readers = std::mem::take(&mut self.readers[id.index()]);
        readers.retain(|reader| {
            let first = net.gates.gate(*reader).operands().next();
            let at = usize::from(first != Some(id));
            let listens = self.listens[reader.index()][at];
            if listens {
                self.open.push(Reverse(*reader));
            } else {
                self.listed[reader.index()][at] = false;
            }
            listens
        });
        self.readers[id.index()] = readers;
    }

    /// Makes all that listens to what was set, operands first.
    fn settle(&mut self, net: &Net) {
        let mut last = None;
        while let Some(Reverse(id)) = self.open.pop() {
            if last.replace(id) != Some(id) {
                let made = self.make(id, net.gates.gate(id));
                self.set(net, id, made);
            }
        }
    }
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
        let mut folded = Folded::new(&net, &leaves);
        let holds: Vec<BaseId> =
            net.init.iter().copied().filter(|base| bases.contains(*base)).collect();
        for (base, leaf) in leaves.enumerate() {
            if let Some(leaf) = leaf {
                let held = holds.binary_search(&base).is_ok();
                folded.made[leaf.index()] = net.gates.constant(held);
            }
        }
        for (id, gate) in net.gates.iter() {
            if folded.ticks[id.index()] {
                folded.made[id.index()] = folded.make(id, gate);
            }
        }
        let mut outputs = vec![net.terminal];
        outputs.extend(net.roles[asked].goals.iter().map(|(_, gate)| *gate));
        outputs.extend(net.legal.iter().copied());
        outputs.extend(outside.iter().map(|base| net.next[base]));
        outputs.retain(|gate| folded.ticks[gate.index()]);
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
                let next = folded.made[net.next[base].index()];
                assert!(
                    next == Gates::TRUE || next == Gates::FALSE,
                    "a clock's successor is known"
                );
                let (old, new) = (holds.binary_search(&base).is_ok(), next == Gates::TRUE);
                (old != new).then_some((base, new))
            })
            .collect();
        self.candidates.clear();
        folded.changed.clear();
        for &(base, new) in &changes {
            match self.holds.binary_search(&base) {
                Ok(at) => {
                    self.holds.remove(at);
                }
                Err(at) => self.holds.insert(at, base),
            }
            self.candidates.push(base);
            if let Some(leaf) = self.leaves[base] {
                folded.set(net, leaf, net.gates.constant(new));
            }
        }
        folded.settle(net);
        let mut shown = false;
        for gate in &folded.changed {
            shown |= self.outputs.binary_search(gate).is_ok();
            self.candidates.extend(self.successors.get(gate).into_iter().flatten());
        }
        if shown {
            self.classify();
        }
        if !changes.is_empty() {
            self.number();
        }
        self.folded.gates.len() <= self.most_gates
    }

    fn classify(&mut self) {
        let made: Vec<GateId> =
            self.outputs.iter().map(|gate| self.folded.made[gate.index()]).collect();
        let fresh = self.classes.len();
        self.class = *self.classes.entry(made).or_insert(fresh);
    }

    fn number(&mut self) {
        let fresh = self.states.len();
        self.state = *self.states.entry(self.holds.clone()).or_insert(fresh);
    }
}
