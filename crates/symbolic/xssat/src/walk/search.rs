//! Search: steps down to a known value, and climbs back with it.

use std::cmp::Ordering;

use exact::{Ratio, scaled};
use index::Id;
use qcnf::{Kind, Lit, Var};
use verdict::HaltReason;

use super::cache::{Caches, Found};
use super::decide::{Choice, decide};
use super::propagate::{Conflict, Propagator};
use super::record::Recorder;
use super::stack::{Frame, Stack};
use super::window::Window;
use crate::clock::Clock;
use crate::faults::Fault;
use crate::options::Options;
use crate::problem::Problem;
use crate::scales::Weight;
use crate::stats::Stats;

/// Decisions before windows must show cut-offs.
const WINDOWS_TRIED: u64 = 4096;

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
    /// Where that value matters.
    window: Window,
    /// The least and the most that the other value of a chance variable adds.
    rest: Window,
    /// Where the trace goes, if anybody wants it.
    recorder: Option<&'a mut Recorder>,
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
        Self {
            problem,
            options,
            propagator,
            caches,
            stats,
            stack: Stack::new(width),
            place: 0,
            level: 0,
            value: vec![0; width],
            window: Window { alpha: vec![0; width], beta: problem.scales.one(0).to_vec() },
            rest: Window { alpha: vec![0; width], beta: vec![0; width] },
            recorder: None,
        }
    }

    /// Records a trace. The walk must be without windows and good literals: a trace has no nodes
    /// for bounds.
    pub(crate) fn record(mut self, recorder: &'a mut Recorder) -> Self {
        debug_assert_eq!((self.options.bounds, self.options.good_literals), (0, 0));
        self.recorder = Some(recorder);
        self
    }

    fn note(&mut self, take: impl FnOnce(&mut Recorder)) {
        if let Some(recorder) = &mut self.recorder {
            take(recorder);
        }
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
        self.propagator.undo(0);
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
        let end = formula.ends.get(self.level).map_or(self.place, |&end| end as usize);
        while self.place < end && self.is_settled(Var::from_index(self.place)) {
            self.place += 1;
        }
        if self.place == end {
            return self.cross();
        }
        let var = Var::from_index(self.place);
        let chance = formula.kind(var) == Kind::Chance;
        if !self.propagator.is_open(var) {
            debug_assert!(chance, "others are passed by without a weight");
            self.pass(Weight::of(self.propagator.value(var)));
            self.place += 1;
            return false;
        }
        let outcome = match decide(self.problem, self.propagator, var, self.options) {
            Choice::Free => {
                self.stats.frees += 1;
                self.push_settled(Lit::negative(var), true);
                if chance {
                    self.pass(Weight::Whole);
                }
                self.propagator.assume(self.problem, Lit::negative(var))
            }
            Choice::Pure(lit) => {
                self.stats.pures += 1;
                self.push_settled(lit, false);
                self.propagator.assume(self.problem, lit)
            }
            Choice::Branch(lit) => self.branch(lit),
        };
        self.place += 1;
        self.settle(outcome)
    }

    /// Whether a variable has its value, and no weight to count.
    #[inline]
    fn is_settled(&self, var: Var) -> bool {
        !self.propagator.is_open(var) && self.problem.formula.kind(var) != Kind::Chance
    }

    /// Notes a variable that is settled without a branch; only a trace wants to know.
    fn push_settled(&mut self, lit: Lit, is_free: bool) {
        if self.recorder.is_some() {
            self.stack.push(Frame::Settled { lit, is_free }, &self.window);
        }
    }

    /// Whether a conflict made the value known.
    fn settle(&mut self, outcome: Result<(), Conflict>) -> bool {
        if outcome.is_err() {
            self.stats.conflicts += 1;
            self.value.fill(0);
            self.note(|recorder| recorder.leaf(false));
        }
        outcome.is_err()
    }

    /// Multiplies by the weights of chance variables that have a value but were not passed, and
    /// divides by their sums.
    fn weigh_unpassed(&mut self) {
        for place in self.place..self.problem.formula.variables() {
            let var = Var::from_index(place);
            let is_chance = self.problem.formula.kind(var) == Kind::Chance;
            if is_chance && !self.propagator.is_open(var) && self.propagator.value(var) {
                self.value.iter_mut().for_each(|limb| *limb /= 2);
            }
        }
    }

    fn chance_at(&self, place: usize) -> usize {
        self.problem.chances_before[place] as usize
    }

    fn pass(&mut self, weight: Weight) {
        let chance = self.chance_at(self.place) as u32;
        self.stack.push(Frame::Pass { chance, weight }, &self.window);
        self.rest.alpha.fill(0);
        self.rest.beta.fill(0);
        self.narrow_term(chance as usize, weight);
    }

    fn branch(&mut self, lit: Lit) -> Result<(), Conflict> {
        self.stats.decisions += 1;
        let mark = self.propagator.mark();
        self.stack.push(Frame::Branch { lit, mark, second: false }, &self.window);
        if self.problem.formula.kind(lit.var()) == Kind::Chance {
            let chance = self.chance_at(self.place);
            if self.narrows() {
                self.rest.open(self.problem.scales.one(chance + 1));
                let other = Weight::of(!lit.is_positive());
                self.problem.scales.multiply(&mut self.rest.beta, chance, other);
            }
            self.narrow_term(chance, Weight::of(lit.is_positive()));
        }
        self.propagator.assume(self.problem, lit)
    }

    /// Whether windows are worth their cost: where caches want exact values they hardly ever are.
    fn narrows(&self) -> bool {
        let tried = self.stats.decisions;
        self.options.bounds > 0 && (tried < WINDOWS_TRIED || 256 * self.stats.cutoffs > tried)
    }

    /// Narrows the window to that of one value of a chance variable; `rest` holds the least and
    /// the most that the other value adds.
    fn narrow_term(&mut self, chance: usize, weight: Weight) {
        let one = self.problem.scales.one(chance + 1);
        match self.problem.scales.small(chance, weight).filter(|_| self.narrows()) {
            Some(weight) => self.window.of_term(weight, &self.rest.alpha, &self.rest.beta, one),
            None => self.window.open(one),
        }
    }

    /// Crosses the boundary behind a level; whether the value is known.
    fn cross(&mut self) -> bool {
        if self.level + 1 >= self.problem.formula.levels() || self.is_won() {
            let chances = self.chance_at(self.place);
            self.value.copy_from_slice(self.problem.scales.one(chances));
            self.note(|recorder| recorder.leaf(true));
            return true;
        }
        let found = self.caches.look_up(self.problem, self.propagator, self.level, self.stats);
        let entry = match found {
            Found::Value(entry) => {
                self.caches.load(self.level, entry, &mut self.value);
                let level = self.level;
                self.note(|recorder| recorder.recall(level, entry));
                if self.options.plants(Fault::WeightOfUnpassed) {
                    self.weigh_unpassed();
                }
                return true;
            }
            Found::Missing(entry) => Some(entry),
            Found::Off => None,
        };
        self.stack.push(Frame::Boundary { entry }, &self.window);
        let keeps = entry.is_some() && !self.options.plants(Fault::BoundKeptAsExact);
        if keeps || !self.narrows() {
            let chances = self.chance_at(self.place);
            self.window.open(self.problem.scales.one(chances));
        }
        self.level += 1;
        self.propagator.advance();
        let outcome = self.propagator.propagate(self.problem);
        self.settle(outcome)
    }

    fn is_won(&mut self) -> bool {
        let good = self.problem.good.get(self.level);
        let mut won = good.iter().any(|&lit| self.propagator.is_true(lit));
        if self.options.plants(Fault::WonWithoutCrossing) {
            won |= !self.is_crossed();
        }
        self.stats.wins += u64::from(won);
        won
    }

    /// Whether an open clause holds variables on both sides of the boundary.
    fn is_crossed(&self) -> bool {
        let formula = &self.problem.formula;
        (0..formula.clauses.len()).map(|id| formula.clauses.get(id)).any(|clause| {
            let beyond = clause.iter().filter(|lit| formula.level(lit.var()) > self.level).count();
            let open = !clause.iter().any(|&lit| self.propagator.is_true(lit));
            open && beyond > 0 && beyond < clause.len()
        })
    }

    /// Climbs with a value to the next branch that is open; false where there is none.
    fn climb(&mut self) -> bool {
        while let Some(frame) = self.stack.top() {
            self.stack.restore(&mut self.window);
            match frame {
                Frame::Pass { chance, weight } => {
                    self.problem.scales.multiply(&mut self.value, chance as usize, weight);
                }
                Frame::Boundary { entry } => {
                    self.propagator.retreat();
                    self.level -= 1;
                    let level = self.level;
                    self.note(|recorder| recorder.boundary(level, entry));
                    if let Some(entry) = entry {
                        self.caches.store(self.level, entry, &self.value);
                    }
                }
                Frame::Settled { lit, is_free } => {
                    self.note(|recorder| recorder.settled(lit, is_free));
                }
                Frame::Branch { lit, mark, second } => {
                    self.combine(lit, second);
                    if !second && !self.is_decided(lit) {
                        self.note(Recorder::turn);
                        if self.turn(lit, mark) {
                            return true;
                        }
                        continue;
                    }
                    self.value.copy_from_slice(self.stack.value());
                    let first = if second { !lit } else { lit };
                    self.note(|recorder| recorder.branch(first, second));
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

    /// Whether the first value of a branch decides it, as far as it matters.
    fn is_decided(&mut self, lit: Lit) -> bool {
        let chances = self.chance_at(lit.var().index());
        let one = self.problem.scales.one(chances);
        let kind = self.problem.formula.kind(lit.var());
        if !self.narrows() {
            self.window.open(one);
        }
        let so_far = self.stack.value();
        let (certain, cut) = match kind {
            Kind::Exists => (so_far == one, self.window.is_high(so_far)),
            Kind::Forall => (scaled::is_zero(so_far), self.window.is_low(so_far)),
            Kind::Chance => (false, self.window.is_high(so_far) || self.is_hopeless(lit)),
        };
        self.stats.cutoffs += u64::from(cut && !certain);
        certain || cut
    }

    /// Whether a chance variable is worth too little whatever its other value is; then the most
    /// that it can be worth is its value.
    fn is_hopeless(&mut self, lit: Lit) -> bool {
        if scaled::is_zero(&self.window.alpha) {
            return false;
        }
        let chance = self.chance_at(lit.var().index());
        let mut most = self.stack.value().to_vec();
        let other = Weight::of(!lit.is_positive());
        self.problem.scales.add(&mut most, self.problem.scales.one(chance + 1), chance, other);
        let hopeless = self.window.is_low(&most);
        if hopeless {
            self.stack.value().copy_from_slice(&most);
        }
        hopeless
    }

    /// Takes the second value of the top branch; false on a conflict, with the value 0.
    fn turn(&mut self, lit: Lit, mark: usize) -> bool {
        self.stack.turn();
        self.propagator.undo(mark);
        self.place = lit.var().index() + 1;
        self.stats.decisions += 1;
        self.narrow_second(lit);
        let outcome = self.propagator.assume(self.problem, !lit);
        !self.settle(outcome)
    }

    /// Narrows the window to that of the second value of a branch.
    fn narrow_second(&mut self, first: Lit) {
        let so_far = self.stack.value();
        match self.problem.formula.kind(first.var()) {
            Kind::Exists => self.window.raise(so_far),
            Kind::Forall => self.window.lower(so_far),
            Kind::Chance => {
                self.rest.alpha.copy_from_slice(so_far);
                self.rest.beta.copy_from_slice(so_far);
                let chance = self.chance_at(first.var().index());
                self.narrow_term(chance, Weight::of(!first.is_positive()));
            }
        }
        if !self.narrows() {
            let chances = self.chance_at(first.var().index() + 1);
            self.window.open(self.problem.scales.one(chances));
        }
    }

    /// Bounds on the value of the whole, where what lies below the walk is unknown.
    fn bounds(&mut self) -> (Vec<u64>, Vec<u64>) {
        let mut lower = vec![0; self.value.len()];
        let mut upper = self.problem.scales.one(self.chance_at(self.place)).to_vec();
        while let Some(frame) = self.stack.top() {
            match frame {
                Frame::Boundary { .. } | Frame::Settled { .. } => {}
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
