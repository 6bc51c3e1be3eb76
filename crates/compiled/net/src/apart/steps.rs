//! The steps of the clock to the end of the game, and what roles may do in each.
//!
//! Always: the clock runs through one sequence of states. A state that comes back before the end
//! comes back for ever; it is noticed by Brent's method, which keeps one state. Cost: the gates of the
//! clock and of what is asked for, once a step; limited.

use gdl::RoleId;
use ground::BaseId;
use index::{Id, IndexVec};
use rustc_hash::FxHashSet;

use super::rails::{Rails, evaluate};
use super::{ClockSet, Refusal};
use crate::gates::{GateId, Net};
use crate::rebuild::cone;

/// Gates that may be looked at.
const WORK: usize = 200_000_000;

/// What roles may do in all steps.
pub(super) enum Checked {
    /// Their moves bear on one part at most; by role, that of the first step.
    Apart(IndexVec<RoleId, Option<usize>>),
    /// They choose between the parts of each set.
    Joined(Vec<Vec<usize>>),
}

/// The clock of a game.
pub(super) struct Steps<'a> {
    net: &'a Net,
    clock: Vec<BaseId>,
    order: Vec<GateId>,
    values: Vec<bool>,
    holds: IndexVec<BaseId, bool>,
    work: usize,
}

impl<'a> Steps<'a> {
    pub(super) fn new(net: &'a Net, clock: &ClockSet) -> Self {
        let clock: Vec<BaseId> = clock.iter().collect();
        let outputs: Vec<GateId> =
            clock.iter().map(|base| net.next[*base]).chain([net.terminal]).collect();
        let (order, values) = (cone(&net.gates, &outputs), vec![false; net.gates.len()]);
        let holds = IndexVec::filled(false, net.bases.len());
        Self { net, clock, order, values, holds, work: 0 }
    }

    /// What the clock holds at the end, ascending.
    pub(super) fn end(&mut self) -> Result<Vec<BaseId>, Refusal> {
        self.begin();
        let (mut kept, mut left, mut span) = (self.now(), 1_u64, 1_u64);
        let mut is_first = true;
        while !self.has_ended() {
            is_first = false;
            self.tick(0)?;
            let now = self.now();
            if now == kept && !self.has_ended() {
                return Err(Refusal::Endless);
            }
            left -= 1;
            if left == 0 {
                span *= 2;
                (kept, left) = (now, span);
            }
        }
        if is_first { Err(Refusal::Ended) } else { Ok(self.now()) }
    }

    /// Checks that in each step the moves of a role bear on one part at most, and that it has one where
    /// they bear on none.
    pub(super) fn check(&mut self, rails: &Rails) -> Result<Checked, Refusal> {
        let outputs: Vec<GateId> = rails.touches.iter().map(|(_, gate)| *gate).collect();
        let outputs: Vec<GateId> = outputs.iter().chain(rails.sure.iter()).copied().collect();
        let order = cone(&rails.gates, &outputs);
        let mut values = vec![false; rails.gates.len()];
        let (mut first, mut joined) = (None, FxHashSet::default());
        self.begin();
        while !self.has_ended() {
            evaluate(&rails.gates, &order, &mut values, &self.holds);
            let value = |gate: GateId| values[gate.index()];
            let mut touched: IndexVec<RoleId, Option<usize>> =
                IndexVec::filled(None, self.net.roles.len());
            for ((role, part), gate) in &rails.touches {
                if value(*gate)
                    && let Some(other) = touched[*role].replace(*part)
                {
                    joined.insert((other, *part));
                }
            }
            for role in self.net.roles.ids() {
                if touched[role].is_none() && !value(rails.sure[role]) {
                    return Err(Refusal::Stuck);
                }
            }
            first.get_or_insert(touched);
            self.tick(order.len())?;
        }
        let sets: Vec<Vec<usize>> = joined.into_iter().map(|pair| vec![pair.0, pair.1]).collect();
        match first {
            None => Err(Refusal::Ended),
            Some(first) if sets.is_empty() => Ok(Checked::Apart(first)),
            Some(_) => Ok(Checked::Joined(sets)),
        }
    }

    fn begin(&mut self) {
        let init = &self.net.init;
        for base in &self.clock {
            self.holds[*base] = init.binary_search(base).is_ok();
        }
        evaluate(&self.net.gates, &self.order, &mut self.values, &self.holds);
    }

    fn has_ended(&self) -> bool {
        self.values[self.net.terminal.index()]
    }

    fn now(&self) -> Vec<BaseId> {
        self.clock.iter().copied().filter(|base| self.holds[*base]).collect()
    }

    /// Goes on by a step in which `more` other gates were looked at.
    fn tick(&mut self, more: usize) -> Result<(), Refusal> {
        self.work += self.order.len() + self.clock.len() + more;
        if self.work > WORK {
            return Err(Refusal::LongClock);
        }
        for base in &self.clock {
            self.holds[*base] = self.values[self.net.next[*base].index()];
        }
        evaluate(&self.net.gates, &self.order, &mut self.values, &self.holds);
        Ok(())
    }
}
