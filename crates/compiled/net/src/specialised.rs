//! The network specialised for what some of its leaves hold, kept up as they change.
//!
//! Always: each gate is what the folding constructors of one arena make of its operands, so that equal
//! functions of the other leaves that fold alike are equal gates.
//!
//! Why gate by gate and not a rebuild a change: a counter of ten thousand steps changes two
//! propositions at a time, and only what they reach is looked at. A conjunction with a false operand
//! listens to that operand alone (and a disjunction to a true one), as a clause watches two of its
//! literals, so that a proposition that feeds ten thousand gates and flips in each step costs the few
//! of them that it matters to. Source: watched literals, M. Moskewicz et al., "Chaff: engineering an
//! efficient SAT solver", DAC 2001.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use index::Id;

use crate::gates::{Gate, GateId, Gates, Net};

/// A network some of whose leaves are constants for now.
#[derive(Debug)]
pub struct Specialised {
    net: Arc<Net>,
    gates: Gates,
    /// By gate of the network: the gate that it is now.
    made: Vec<GateId>,
    /// Whether a gate reads a leaf that may be set.
    varies: Vec<bool>,
    /// By gate: those that listen to it, and some that did.
    readers: Vec<Vec<GateId>>,
    /// By gate: to which of its operands it listens, and in whose list it is.
    listens: Vec<[bool; 2]>,
    listed: Vec<[bool; 2]>,
    open: BinaryHeap<Reverse<GateId>>,
    /// Gates that became others.
    changed: Vec<GateId>,
}

impl Specialised {
    /// Specialises a network; `leaf` says which propositions and moves may be set, and what they hold
    /// at first.
    pub fn new(net: Arc<Net>, mut leaf: impl FnMut(Gate) -> Option<bool>) -> Self {
        let count = net.gates.len();
        let mut this = Self {
            gates: net.gates.clone(),
            made: (0..count).map(GateId::from_index).collect(),
            varies: vec![false; count],
            readers: vec![Vec::new(); count],
            listens: vec![[false; 2]; count],
            listed: vec![[false; 2]; count],
            open: BinaryHeap::new(),
            changed: Vec::new(),
            net,
        };
        let net = Arc::clone(&this.net);
        for (id, gate) in net.gates.iter() {
            let held = match gate {
                Gate::Base(_) | Gate::Does(_) => leaf(gate),
                _ => None,
            };
            let varies = gate.operands().any(|operand| this.varies[operand.index()]);
            this.varies[id.index()] = varies || held.is_some();
            if let Some(held) = held {
                this.made[id.index()] = net.gates.constant(held);
            } else if varies {
                this.made[id.index()] = this.make(id, gate);
            }
        }
        this
    }

    /// The gate that a gate of the network is now.
    ///
    /// # Panics
    /// When the network has no such gate.
    pub fn made(&self, gate: GateId) -> GateId {
        self.made[gate.index()]
    }

    /// Whether a gate reads a leaf that may be set.
    ///
    /// # Panics
    /// When the network has no such gate.
    pub fn varies(&self, gate: GateId) -> bool {
        self.varies[gate.index()]
    }

    /// Gates of the arena, those of the network included.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Never: an arena holds the constants.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Gates that became others since this was asked last, each maybe several times.
    pub fn take_changed(&mut self, into: &mut Vec<GateId>) {
        into.clear();
        std::mem::swap(&mut self.changed, into);
    }

    /// Sets a leaf; [`Specialised::settle`] follows.
    ///
    /// # Panics
    /// When it is none of those that may be set.
    pub fn set(&mut self, leaf: GateId, held: bool) {
        assert!(self.varies[leaf.index()] && self.net.gates.gate(leaf).is_leaf(), "a leaf to set");
        let made = self.net.gates.constant(held);
        self.become_gate(leaf, made);
    }

    /// Makes all that listens to what was set, operands first.
    pub fn settle(&mut self) {
        let mut last = None;
        while let Some(Reverse(id)) = self.open.pop() {
            if last.replace(id) != Some(id) {
                let made = self.make(id, self.net.gates.gate(id));
                self.become_gate(id, made);
            }
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
            if fresh && self.varies[operands[at].index()] {
                self.listed[id.index()][at] = true;
                self.readers[operands[at].index()].push(id);
            }
        }
    }

    /// A gate is another from now on.
    fn become_gate(&mut self, id: GateId, made: GateId) {
        if std::mem::replace(&mut self.made[id.index()], made) == made {
            return;
        }
        self.changed.push(id);
        let mut readers = std::mem::take(&mut self.readers[id.index()]);
        readers.retain(|reader| {
            let first = self.net.gates.gate(*reader).operands().next();
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
}
