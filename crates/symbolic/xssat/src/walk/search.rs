//! Search: steps down to a known value, and climbs back with it.

use std::cmp::Ordering;

use exact::{Ratio, scaled};
use index::Id;
use qcnf::{Kind, Lit, Var};
use verdict::HaltReason;

use super::cache::{Caches, Found};
use super::decide::{Choice, decide};
use super::propagate::{Conflict, Propagator};
use super::stack::{Frame, Stack};
use crate::clock::Clock;
use crate::options::Options;
use crate::problem::Problem;
use crate::scales::Weight;
use crate::stats::Stats;

/// How a walk ended.
pub(crate) enum Walked {
    /// The value.
    Value(Ratio),
    /// A limit was met; the value lies between these.
    Halted(Ratio, Ratio, HaltReason),
}

/// One walk under some assumptions.
pub(crate) struct Walk<'a> {
    problem: &'a Problem,
    options: &'a Options,
    propagator: &'a mut Propagator,
    caches: &'a mut Caches,
    stats: &'a mut Stats,
    stack: Stack,
    /// The variable that is next.
    place: usize,
    level: usize,
    /// The value of what lies below, once it is known.
    value: Vec<u64>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        problem: &'a Problem,
        options: &'a Options,
        propagator: &'a mut Propagator,
        caches: &'a mut Caches,
        stats: &'a mut Stats,
    ) -> Self {
        let width = problem.scales.width();
        let (stack, value) = (Stack::new(width), vec![0; width]);
        Self { problem, options, propagator, caches, stats, stack, place: 0, level: 0, value }
    }

    /// The value under assumptions of variables that the outermost level binds by exists.
    pub(crate) fn run(mut self, assumptions: &[Lit], clock: &mut Clock<'_>) -> Walked {
        self.propagator.start(self.options.lookahead as usize);
        let outcome = match self.assume_all(assumptions) {
            Ok(()) => self.walk(clock),
            Err(Conflict) => {
                self.value.fill(0);
                Ok(())
            }
        };
        let walked = match outcome {
            Ok(()) => Walked::Value(self.problem.value(&self.value)),
            Err(reason) => {
                let (lower, upper) = self.bounds();
                Walked::Halted(self.problem.value(&lower), self.problem.value(&upper), reason)
            }
        };
        self.propagator.undo(self.problem, 0);
        self.stats.propagations += std::mem::take(&mut self.propagator.drawn);
        walked
    }

    fn assume_all(&mut self, assumptions: &[Lit]) -> Result<(), Conflict> {
        for &lit in assumptions {
            if self.propagator.is_true(!lit) {
                return Err(Conflict);
            }
            if !self.propagator.is_true(lit) {
                self.propagator.assume(self.problem, lit)?;
            }
        }
        Ok(())
    }

    fn walk(&mut self, clock: &mut Clock<'_>) -> Result<(), HaltReason> {
        loop {
            clock.tick()?;
            if self.descend() && !self.climb() {
                return Ok(());
            }
        }
    }

    /// One step down; whether the value of what lies below is known.
    fn descend(&mut self) -> bool {
        let formula = &self.problem.formula;
        if formula.ends.get(self.level).is_none_or(|&end| end as usize == self.place) {
            return self.cross();
        }
        let var = Var::from_index(self.place);
        let chance = formula.kind(var) == Kind::Chance;
        if !self.propagator.is_open(var) {
            if chance {
                self.pass(Weight::of(self.propagator.value(var)));
            }
            self.place += 1;
            return false;
        }
        let outcome = match decide(self.problem, self.propagator, var, self.options.pure > 0) {
            Choice::Free => {
                self.stats.frees += 1;
                if chance {
                    self.pass(Weight::Whole);
                }
                self.propagator.assume(self.problem, Lit::negative(var))
            }
            Choice::Pure(lit) => {
                self.stats.pures += 1;
                self.propagator.assume(self.problem, lit)
            }
            Choice::Branch(lit) => self.branch(lit),
        };
        self.place += 1;
        self.settle(outcome)
    }

    /// Whether a conflict made the value known.
    fn settle(&mut self, outcome: Result<(), Conflict>) -> bool {
        if outcome.is_err() {
            self.stats.conflicts += 1;
            self.value.fill(0);
        }
        outcome.is_err()
    }

    fn chance_at(&self, place: usize) -> usize {
        self.problem.chances_before[place] as usize
    }

    fn pass(&mut self, weight: Weight) {
        let chance = self.chance_at(self.place) as u32;
        self.stack.push(Frame::Pass { chance, weight });
    }

    fn branch(&mut self, lit: Lit) -> Result<(), Conflict> {
        self.stats.decisions += 1;
        let mark = self.propagator.mark();
        self.stack.push(Frame::Branch { lit, mark, second: false });
        self.propagator.assume(self.problem, lit)
    }

    /// Crosses the boundary behind a level; whether the value is known.
    fn cross(&mut self) -> bool {
        if self.level + 1 >= self.problem.formula.levels() || self.is_won() {
            let chances = self.chance_at(self.place);
            self.value.copy_from_slice(self.problem.scales.one(chances));
            return true;
        }
        let found = self.caches.look_up(self.problem, self.propagator, self.level, self.stats);
        let entry = match found {
            Found::Value(entry) => {
                self.caches.load(self.level, entry, &mut self.value);
                return true;
            }
            Found::Missing(entry) => Some(entry),
            Found::Off => None,
        };
        self.stack.push(Frame::Boundary { entry });
        self.level += 1;
        self.propagator.advance();
        let outcome = self.propagator.propagate(self.problem);
        self.settle(outcome)
    }

    fn is_won(&mut self) -> bool {
        let good = self.problem.good.get(self.level);
        let won = good.iter().any(|&lit| self.propagator.is_true(lit));
        self.stats.wins += u64::from(won);
        won
    }

    /// Climbs with a value to the next branch that is open; false where there is none.
    fn climb(&mut self) -> bool {
        while let Some(frame) = self.stack.top() {
            match frame {
                Frame::Pass { chance, weight } => {
                    self.problem.scales.multiply(&mut self.value, chance as usize, weight);
                }
                Frame::Boundary { entry } => {
                    self.propagator.retreat();
                    self.level -= 1;
                    if let Some(entry) = entry {
                        self.caches.store(self.level, entry, &self.value);
                    }
                }
                Frame::Branch { lit, mark, second } => {
                    self.combine(lit, second);
                    if !second && !self.is_decided(lit) {
                        if self.turn(lit, mark) {
                            return true;
                        }
                        continue;
                    }
                    self.value.copy_from_slice(self.stack.value());
                }
            }
            self.stack.pop();
        }
        false
    }

    /// Takes the value of one branch into the frame.
    fn combine(&mut self, lit: Lit, second: bool) {
        let so_far = self.stack.value();
        let better = match self.problem.formula.kind(lit.var()) {
            Kind::Chance => {
                let chance = self.problem.chances_before[lit.var().index()] as usize;
                let weight = Weight::of(lit.is_positive());
                return self.problem.scales.add(so_far, &self.value, chance, weight);
            }
            Kind::Exists => Ordering::Greater,
            Kind::Forall => Ordering::Less,
        };
        if !second || scaled::compare(&self.value, so_far) == better {
            so_far.copy_from_slice(&self.value);
        }
    }

    /// Whether the first value of a branch decides it.
    fn is_decided(&mut self, lit: Lit) -> bool {
        let so_far = self.stack.value();
        match self.problem.formula.kind(lit.var()) {
            Kind::Exists => {
                let chances = self.problem.chances_before[lit.var().index()] as usize;
                so_far == self.problem.scales.one(chances)
            }
            Kind::Forall => scaled::is_zero(so_far),
            Kind::Chance => false,
        }
    }

    /// Takes the second value of the top branch; false on a conflict, with the value 0.
    fn turn(&mut self, lit: Lit, mark: usize) -> bool {
        self.stack.turn();
        self.propagator.undo(self.problem, mark);
        self.place = lit.var().index() + 1;
        self.stats.decisions += 1;
        let outcome = self.propagator.assume(self.problem, !lit);
        !self.settle(outcome)
    }

    /// Bounds on the value of the whole, where what lies below the walk is unknown.
    fn bounds(&mut self) -> (Vec<u64>, Vec<u64>) {
        let mut lower = vec![0; self.value.len()];
        let mut upper = self.problem.scales.one(self.chance_at(self.place)).to_vec();
        while let Some(frame) = self.stack.top() {
            match frame {
                Frame::Boundary { .. } => {}
                Frame::Pass { chance, weight } => {
                    self.problem.scales.multiply(&mut lower, chance as usize, weight);
                    self.problem.scales.multiply(&mut upper, chance as usize, weight);
                }
                Frame::Branch { lit, second, .. } => {
                    lower = self.bound(lit, second, lower, 0);
                    upper = self.bound(lit, second, upper, 1);
                }
            }
            self.stack.pop();
        }
        debug_assert!(scaled::compare(&lower, &upper) != Ordering::Greater);
        (lower, upper)
    }

    /// One bound of the top branch from that of the value at hand; `unknown` is the bound of what
    /// was not tried, 0 or 1.
    fn bound(&mut self, lit: Lit, second: bool, value: Vec<u64>, unknown: u8) -> Vec<u64> {
        let other = if second {
            self.stack.value().to_vec()
        } else if unknown == 0 {
            vec![0; value.len()]
        } else {
            self.problem.scales.one(self.chance_at(lit.var().index() + 1)).to_vec()
        };
        match self.problem.formula.kind(lit.var()) {
            Kind::Exists if scaled::compare(&value, &other) == Ordering::Less => other,
            Kind::Forall if scaled::compare(&value, &other) == Ordering::Greater => other,
            Kind::Exists | Kind::Forall => value,
            Kind::Chance => {
                let chance = self.chance_at(lit.var().index());
                let mut sum = if second { other } else { self.weighed(&other, chance, !lit) };
                self.problem.scales.add(&mut sum, &value, chance, Weight::of(lit.is_positive()));
                sum
            }
        }
    }

    fn weighed(&self, value: &[u64], chance: usize, lit: Lit) -> Vec<u64> {
        let mut product = value.to_vec();
        self.problem.scales.multiply(&mut product, chance, Weight::of(lit.is_positive()));
        product
    }
}
