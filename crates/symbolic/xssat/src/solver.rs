//! The solver: a formula, prepared once, walked once a call.

use std::fmt;

use exact::Ratio;
use index::Id;
use qcnf::trace::Node;
use qcnf::{Kind, Lit, Qcnf, Var};
use verdict::{HaltReason, Watch};

use crate::clock::Clock;
use crate::learned::{Learned, formula_of};
use crate::options::Options;
use crate::parts::{Parts, Setting, Value};
use crate::prepare::{Fate, Matrix, number, simplify};
use crate::problem::Problem;
use crate::scales::Scales;
use crate::stats::Stats;
use crate::turns::Turns;
use crate::walk::{Caches, Propagator, Recorder, Walk, Walked};

/// A limit was met: the value lies between the bounds, both included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halted {
    /// The value is at least the first and at most the second.
    pub bounds: (Ratio, Ratio),
    /// Which limit.
    pub reason: HaltReason,
}

impl fmt::Display for Halted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "halted between {} and {}", self.bounds.0, self.bounds.1)
    }
}

impl std::error::Error for Halted {}

/// Finds the exact value of one formula, under any assumptions of its first choices.
pub struct Solver {
    options: Options,
    stats: Stats,
    /// Variables that a call may assume.
    assumable: Vec<bool>,
    stage: Stage,
}

/// How far the formula has come.
enum Stage {
    Raw(Box<Matrix>),
    Zero,
    Ready(Box<Ready>),
}

struct Ready {
    problem: Problem,
    /// What the walk in order needs; none where the formula cannot be walked so.
    in_order: Option<InOrder>,
    /// The walk over parts, once it is needed.
    parts: Option<Box<Parts>>,
    fates: Vec<Fate>,
}

struct InOrder {
    propagator: Propagator,
    caches: Caches,
}

impl Solver {
    /// Takes a formula in; it is prepared in the first call of [`Solver::solve`].
    ///
    /// # Panics
    /// When the formula has a flaw ([`Qcnf::flaw`]).
    pub fn new(formula: &Qcnf, options: &Options) -> Self {
        assert_eq!(formula.flaw(), None, "a formula that is well-formed");
        let mut assumable = vec![false; formula.variables()];
        if let Some(block) = formula.blocks().next().filter(|block| block.kind == Kind::Exists) {
            let variables = block.scopes.iter().flat_map(|scope| &scope.variables);
            variables.for_each(|var| assumable[var.index()] = true);
        }
        let stats = Stats {
            variables: formula.variables() as u64,
            clauses: formula.clauses.len() as u64,
            ..Stats::default()
        };
        let stage = Stage::Raw(Box::new(Matrix::new(formula)));
        Self { options: options.clone(), stats, assumable, stage }
    }

    /// The value under assumptions: literals over variables of the outermost block, which must
    /// be bound by exists. Calls share what they learn.
    ///
    /// # Errors
    /// The limit that was met, with bounds on the value; a later call goes on.
    ///
    /// # Panics
    /// When a variable that is assumed is not bound by an outermost exists.
    pub fn solve(&mut self, assumptions: &[Lit], watch: &Watch<'_>) -> Result<Ratio, Halted> {
        for lit in assumptions {
            let fits = self.assumable.get(lit.var().index()).copied().unwrap_or_default();
            assert!(fits, "{lit} is not bound by an outermost exists");
        }
        let mut clock = Clock::new(watch);
        self.prepare(&mut clock)
            .map_err(|reason| Halted { bounds: (Ratio::zero(), Ratio::one()), reason })?;
        let Stage::Ready(ready) = &mut self.stage else { return Ok(Ratio::zero()) };
        let Some(assumptions) = ready.translate(assumptions) else { return Ok(Ratio::zero()) };
        let Self { options, stats, .. } = self;
        ready.walk(&mut Call { assumptions: &assumptions, options, stats, clock: &mut clock })
    }

    /// What was counted so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The clauses learned so far under option `trace`, with derivations.
    pub fn learned(&self) -> Option<Learned> {
        let Stage::Ready(ready) = &self.stage else { return None };
        let parts = ready.parts.as_ref().filter(|_| self.options.trace > 0)?;
        let (steps, clauses) = parts.derivations();
        Some(Learned { formula: formula_of(&ready.problem.formula), steps, clauses })
    }

    /// Goes on with the walk over parts for so many steps.
    #[cfg(test)]
    pub(crate) fn solve_steps(&mut self, steps: u64, watch: &Watch<'_>) -> Result<Ratio, Halted> {
        let mut clock = Clock::new(watch);
        self.prepare(&mut clock).expect("there is no limit");
        let Stage::Ready(ready) = &mut self.stage else { return Ok(Ratio::zero()) };
        clock.slice(steps);
        let Self { options, stats, .. } = self;
        ready.by_parts(&mut Call { assumptions: &[], options, stats, clock: &mut clock })
    }

    /// The nodes of a trace, over the prepared formula; none where that is worth 0.
    pub(crate) fn walk_recorded(
        &mut self,
        watch: &Watch<'_>,
    ) -> Result<Option<(&Problem, Vec<Node>)>, Halted> {
        let mut clock = Clock::new(watch);
        self.prepare(&mut clock)
            .map_err(|reason| Halted { bounds: (Ratio::zero(), Ratio::one()), reason })?;
        let Stage::Ready(ready) = &mut self.stage else { return Ok(None) };
        let Ready { problem, in_order, .. } = &mut **ready;
        let Some(InOrder { propagator, caches }) = in_order else {
            let reason = HaltReason::Memory { needed: Scales::bytes(&problem.formula.odds) };
            return Err(Halted { bounds: (Ratio::zero(), Ratio::one()), reason });
        };
        let mut recorder = Recorder::default();
        let walk = Walk::new(problem, &self.options, propagator, caches, &mut self.stats);
        match walk.record(&mut recorder).run(&[], &mut clock) {
            Walked::Value(_) => Ok(Some((problem, recorder.finish()))),
            Walked::Halted(lower, upper, reason) => Err(Halted { bounds: (lower, upper), reason }),
        }
    }

    /// Prepares the formula, as the first call would.
    #[cfg(test)]
    pub(crate) fn prepare_now(&mut self, watch: &Watch<'_>) -> Result<(), HaltReason> {
        self.prepare(&mut Clock::new(watch))
    }

    /// How many learned clauses are kept, and how many may be.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> Option<(usize, usize)> {
        let Stage::Ready(ready) = &self.stage else { return None };
        ready.parts.as_ref().map(|parts| parts.reasoner.kept())
    }

    /// Prepares the formula until the watch was asked so many times.
    #[cfg(test)]
    pub(crate) fn prepare_looks(
        &mut self,
        watch: &Watch<'_>,
        looks: u64,
    ) -> Result<(), HaltReason> {
        self.prepare(&mut Clock::of_looks(watch, looks))
    }

    fn prepare(&mut self, clock: &mut Clock<'_>) -> Result<(), HaltReason> {
        let Stage::Raw(matrix) = &mut self.stage else { return Ok(()) };
        simplify(matrix, &self.options, &mut self.stats, clock)?;
        if matrix.is_zero {
            self.stage = Stage::Zero;
            return Ok(());
        }
        clock.look(true)?;
        let formula = number(matrix);
        let factor = matrix.factor.clone();
        let fates = std::mem::take(&mut matrix.prefix.fate);
        let problem = Problem::new(formula, factor, &self.options, &mut self.stats);
        let in_order = problem.has_scales.then(|| InOrder {
            propagator: Propagator::new(&problem, &self.options),
            caches: Caches::new(&problem, &self.options),
        });
        self.stage = Stage::Ready(Box::new(Ready { problem, in_order, parts: None, fates }));
        Ok(())
    }
}

/// What one call asks for, and what it may use.
struct Call<'a, 'w> {
    /// Over variables of the prepared formula.
    assumptions: &'a [Lit],
    options: &'a Options,
    stats: &'a mut Stats,
    clock: &'a mut Clock<'w>,
}

impl Ready {
    /// The value by the walk that the options say.
    fn walk(&mut self, call: &mut Call<'_, '_>) -> Result<Ratio, Halted> {
        if let Some(parts) = &mut self.parts {
            parts.start(call.assumptions);
        }
        match call.options.walk {
            _ if self.in_order.is_none() => self.by_parts(call),
            1 => self.by_frontier(call),
            2 => self.by_parts(call),
            _ => self.by_turns(call),
        }
    }

    /// Both walks in turn, in slices that grow. Each keeps what it cached, so a slice that did not
    /// suffice is not lost.
    fn by_turns(&mut self, call: &mut Call<'_, '_>) -> Result<Ratio, Halted> {
        let mut best = (Ratio::zero(), Ratio::one());
        let mut turns = Turns::new(self.problem.formula.levels());
        loop {
            let (by_parts, steps) = turns.next(call.stats);
            call.stats.slices += 1;
            call.clock.slice(steps);
            let found = match by_parts {
                true => self.by_parts(call),
                false => self.by_frontier(call),
            };
            let Err(halted) = found else { return found };
            best = (best.0.max(halted.bounds.0), best.1.min(halted.bounds.1));
            if !call.clock.is_slice_over() {
                return Err(Halted { bounds: best, reason: halted.reason });
            }
        }
    }

    fn by_frontier(&mut self, call: &mut Call<'_, '_>) -> Result<Ratio, Halted> {
        let Self { problem, in_order, .. } = self;
        let InOrder { propagator, caches } = in_order.as_mut().expect("it can be walked in order");
        let walk = Walk::new(problem, call.options, propagator, caches, call.stats);
        match walk.run(call.assumptions, call.clock) {
            Walked::Value(value) => Ok(value),
            Walked::Halted(lower, upper, reason) => Err(Halted { bounds: (lower, upper), reason }),
        }
    }

    /// Goes on with the walk over parts, or begins it.
    fn by_parts(&mut self, call: &mut Call<'_, '_>) -> Result<Ratio, Halted> {
        let Self { problem, parts, .. } = self;
        let parts = parts.get_or_insert_with(|| {
            let mut parts = Box::new(Parts::new(problem, call.options));
            parts.start(call.assumptions);
            parts
        });
        let mut setting = Setting { problem, options: call.options, stats: call.stats };
        parts
            .run(&mut setting, call.clock)
            .map(|value| &value.to_ratio() * &problem.factor)
            .map_err(|reason| {
                let (lower, upper) = parts.bounds(&setting);
                let scaled = |value: Value| &value.to_ratio() * &problem.factor;
                Halted { bounds: (scaled(lower), scaled(upper)), reason }
            })
    }

    /// Assumptions as literals of the prepared formula; none where one is refuted.
    fn translate(&self, assumptions: &[Lit]) -> Option<Vec<Lit>> {
        let mut translated = Vec::new();
        let mut given: Vec<Lit> = assumptions.iter().map(|&lit| self.follow(lit)).collect();
        given.sort_unstable();
        if given.windows(2).any(|pair| pair[0] == !pair[1]) {
            return None;
        }
        for lit in given {
            match self.fates[lit.var().index()] {
                Fate::Fixed(value) if value != lit.is_positive() => return None,
                Fate::Open => {
                    let number = self.problem.formula.numbers[lit.var().index()];
                    if number != u32::MAX {
                        let var = Var::from_index(number as usize);
                        translated.push(Lit::new(var, lit.is_positive()));
                    }
                }
                _ => {}
            }
        }
        Some(translated)
    }

    fn follow(&self, mut lit: Lit) -> Lit {
        while let Fate::Equal(to) = self.fates[lit.var().index()] {
            lit = if lit.is_positive() { to } else { !to };
        }
        lit
    }
}
