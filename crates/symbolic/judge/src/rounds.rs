//! The horizons that a question goes through.
//!
//! With a horizon there is one round, and its value is exact. Without, the steps double: in each
//! round a play that has not ended counts as nothing for the lower bound and as the best end for
//! the upper. The limit of the n-step values lies between, so the answer is exact once the bounds
//! of every first move meet, at the latest when no play is unfinished. Bounds only tighten.
//!
//! Most games end, and their bounds meet in the round in which they do. So below
//! [`ASKING_STEPS`] a round first asks whether some play is unfinished, and where one is, the next
//! round follows at once, without values; only where much of the time limit is spent are they
//! found after all, since a halt needs bounds.

use exact::Ratio;
use sqasp::{
    Completion, Domains, GroundProgram, Grounder, Opening, Placement, Prefix, Queries, Query,
    Unfinished, complete_within, game_program,
};
use verdict::{HaltReason, Progress, Question, Watch};
use xssat::{Options, Solver};

use crate::audience::{Audience, Made};
use crate::clock::Clock;
use crate::game::{Bounds, Formula};
use crate::symbolic::Ended;

/// The first round without a horizon.
const FIRST_STEPS: u32 = 8;
/// Below this a round in which some play is unfinished has no values.
const ASKING_STEPS: u32 = 128;
/// One in so many parts of the time limit: spent before a round, it has values whatever is
/// unfinished; spent on asking whether something is, it counts as unfinished.
const ASKING_SHARE: u32 = 8;
/// Rounds end here: a game that is longer has a horizon of its own.
const STEPS_LIMIT: u32 = 1 << 14;

/// What is known so far.
pub(crate) struct Known {
    pub(crate) value: Bounds,
    pub(crate) choosers: Vec<String>,
    pub(crate) minimise: bool,
    pub(crate) lines: Vec<(String, Bounds)>,
    pub(crate) cut: bool,
    pub(crate) simultaneous: bool,
    pub(crate) stored: u64,
}

impl Default for Known {
    fn default() -> Self {
        let value = (Ratio::zero(), Ratio::one());
        let (choosers, lines) = (Vec::new(), Vec::new());
        let (minimise, cut, simultaneous) = (false, false, false);
        Self { value, choosers, minimise, lines, cut, simultaneous, stored: 0 }
    }
}

/// What all rounds share.
pub(crate) struct Table<'a> {
    pub(crate) grounder: &'a dyn Grounder,
    pub(crate) placement: Placement,
    pub(crate) question: &'a Question,
    pub(crate) domains: &'a Domains,
    pub(crate) watch: &'a Watch<'a>,
    pub(crate) audience: &'a dyn Audience,
    pub(crate) translation: &'a Clock,
}

/// A program of so many steps, and what it is ground.
struct Round {
    steps: u32,
    upper: bool,
    program: String,
    ground: GroundProgram,
}

impl Round {
    fn made<'a>(&'a self, formula: &'a Formula) -> Made<'a> {
        Made {
            steps: self.steps,
            upper: self.upper,
            program: &self.program,
            ground: &self.ground,
            prefix: &formula.prefix,
            completion: &formula.completion,
        }
    }
}

impl Table<'_> {
    /// Goes through the rounds until the value is exact.
    pub(crate) fn rounds(&self, known: &mut Known) -> Result<(), Ended> {
        if let Some(steps) = self.question.horizon {
            let round = self.ground(steps, Unfinished::Nothing)?;
            self.values(&round, known, true)?;
            known.cut = self.is_unfinished(&round, self.watch).map_err(Ended::Limit)?;
            return Ok(());
        }
        let mut steps = FIRST_STEPS;
        loop {
            let round = self.ground(steps, Unfinished::Nothing)?;
            if !self.may_be_unfinished(&round)? {
                return self.values(&round, known, true);
            }
            if steps >= ASKING_STEPS || self.is_late() {
                self.values(&round, known, false)?;
                drop(round);
                let round = self.ground(steps, Unfinished::Everything)?;
                self.values(&round, known, false)?;
                let exact = known.lines.iter().all(|(_, bounds)| bounds.0 == bounds.1);
                if exact && known.value.0 == known.value.1 {
                    return Ok(());
                }
            }
            steps *= 2;
            if steps > STEPS_LIMIT {
                return Err(Ended::Limit(HaltReason::Depth));
            }
        }
    }

    fn ground(&self, steps: u32, unfinished: Unfinished) -> Result<Round, Ended> {
        let progress = Progress {
            phase: "grounding",
            ply: steps,
            plies: self.question.horizon,
            states: 0,
            bytes: 0,
            ..Progress::default()
        };
        (self.watch.progress)(&progress);
        self.translation.time(|| {
            let program = game_program(self.question, self.domains, steps, unfinished);
            let ground = self.grounder.ground(&program, self.watch)?;
            Ok(Round { steps, upper: unfinished == Unfinished::Everything, program, ground })
        })
    }

    /// Whether so much time is spent that there should be bounds.
    fn is_late(&self) -> bool {
        let spent = self.watch.started.elapsed();
        self.watch.time.is_some_and(|limit| spent > limit / ASKING_SHARE)
    }

    /// Whether some play is unfinished after all steps, as far as its share of the time shows it.
    fn may_be_unfinished(&self, round: &Round) -> Result<bool, Ended> {
        let Some(limit) = self.watch.time else {
            return self.is_unfinished(round, self.watch).map_err(Ended::Limit);
        };
        let until = (self.watch.started.elapsed() + limit / ASKING_SHARE).min(limit);
        let share = Watch { time: Some(until), ..*self.watch };
        match self.is_unfinished(round, &share) {
            Err(HaltReason::Time) if until < limit => Ok(true),
            asked => asked.map_err(Ended::Limit),
        }
    }

    fn is_unfinished(&self, round: &Round, watch: &Watch<'_>) -> Result<bool, HaltReason> {
        let queries = Queries::new(self.question, &round.ground, round.steps);
        self.ask(queries.is_unfinished(), &round.ground, watch)
    }

    /// The answer to a question about the plays of a ground game.
    fn ask(
        &self,
        query: Query,
        ground: &GroundProgram,
        watch: &Watch<'_>,
    ) -> Result<bool, HaltReason> {
        let program = match query {
            Query::Known(answer) => return Ok(answer),
            Query::Open(program) => program,
        };
        let completion = self.translation.time(|| {
            let mut prefix = Prefix::read(ground).unwrap_or_default();
            prefix.at_random();
            complete_within(&program, &prefix, Placement::Dependency, watch)
        })?;
        let mut solver = Solver::new(&completion.formula, &Options::default());
        let solved = solver.solve(&[], watch);
        solved.map(|value| !value.is_zero()).map_err(|halted| halted.reason)
    }

    /// Values all first moves in one formula; where all is exact its value is both bounds, else
    /// the one that the formula is for.
    fn values(&self, round: &Round, known: &mut Known, exact: bool) -> Result<(), Ended> {
        let (mut formula, opening) = self.translation.time(|| self.formula(round))?;
        self.audience.formula(&round.made(&formula)).map_err(Ended::Stop)?;
        meet(self.question, &opening, known);
        let value = self.solve(&mut formula, &opening, known, |bounds, new| {
            if exact || !round.upper {
                bounds.0 = new.0.max(bounds.0.clone());
            }
            if exact || round.upper {
                bounds.1 = new.1.min(bounds.1.clone());
            }
        })?;
        self.audience.solved(&round.made(&formula), &value).map_err(Ended::Stop)?;
        drop(formula);
        if !known.simultaneous && !round.upper {
            let queries = Queries::new(self.question, &round.ground, round.steps);
            let query = queries.is_simultaneous();
            known.simultaneous =
                self.ask(query, &round.ground, self.watch).map_err(Ended::Limit)?;
        }
        Ok(())
    }

    fn formula(&self, round: &Round) -> Result<(Formula, Opening), Ended> {
        let opening_of = |completion: &Completion| match round.steps {
            0 => Opening { choosers: vec![], minimise: false, lines: vec![], atoms: vec![] },
            _ => Opening::read(self.question, self.domains, &round.ground, &completion.values),
        };
        Formula::new(&round.ground, opening_of, self.placement, self.watch)
    }

    /// Values all lines, tightening what is known; the value of the formula, which is that of its best
    /// line, since whatever fixes a line is bound by exists, outermost.
    fn solve(
        &self,
        formula: &mut Formula,
        opening: &Opening,
        known: &mut Known,
        tighten: impl Fn(&mut Bounds, Bounds),
    ) -> Result<Ratio, Ended> {
        assert_eq!(opening.lines.len(), known.lines.len(), "one opening in all rounds");
        let limit =
            |reason: Option<HaltReason>| reason.map_or(Ok(()), |why| Err(Ended::Limit(why)));
        if opening.lines.is_empty() {
            let (new, reason) = formula.value(None, self.watch);
            let value = new.0.clone();
            tighten(&mut known.value, new);
            return limit(reason).map(|()| value);
        }
        let mut best = Ratio::zero();
        for (at, line) in opening.lines.iter().enumerate() {
            let (new, reason) = formula.value(Some(line), self.watch);
            best = best.max(new.0.clone());
            tighten(&mut known.lines[at].1, new);
            known.value = root(known);
            known.stored = known.stored.max(formula.stored());
            limit(reason)?;
        }
        Ok(best)
    }
}

/// Puts down who chooses among what, in the first round.
fn meet(question: &Question, opening: &Opening, known: &mut Known) {
    if known.lines.is_empty() {
        let name = |role: &gdl::RoleId| question.rulebook.role_name(*role).to_owned();
        known.choosers = opening.choosers.iter().map(name).collect();
        known.minimise = opening.minimise;
        let open = || (Ratio::zero(), Ratio::one());
        known.lines = opening.lines.iter().map(|line| (line.text.clone(), open())).collect();
    }
}

/// The value from those of the first moves.
fn root(known: &Known) -> Bounds {
    let lowers = known.lines.iter().map(|(_, bounds)| bounds.0.clone());
    let uppers = known.lines.iter().map(|(_, bounds)| bounds.1.clone());
    let bounds =
        if known.minimise { (lowers.min(), uppers.min()) } else { (lowers.max(), uppers.max()) };
    let root = (bounds.0.expect("a first move"), bounds.1.expect("a first move"));
    debug_assert!(root.0 <= root.1, "bounds in order");
    root
}
