//! The horizons that a question goes through.
//!
//! With a horizon there is one round, and its value is exact. Without, the steps double: in each
//! round a play that has not ended counts as nothing for the lower bound and as the best end for
//! the upper. The limit of the n-step values lies between, so the answer is exact once the bounds
//! of every first move meet, at the latest when no play is unfinished. Bounds only tighten.

use exact::Ratio;
use sqasp::{
    Completion, Domains, GroundProgram, Grounder, Opening, Placement, Queries, Unfinished,
    game_program,
};
use verdict::{HaltReason, Progress, Question, Stop, Watch};

use crate::game::{Bounds, Formula, ask};
use crate::symbolic::Ended;

/// The first round without a horizon.
const FIRST_STEPS: u32 = 8;
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
struct Table<'a> {
    grounder: &'a dyn Grounder,
    placement: Placement,
    question: &'a Question,
    domains: &'a Domains,
    watch: &'a Watch<'a>,
}

/// Goes through the rounds until the value is exact.
pub(crate) fn rounds(
    grounder: &dyn Grounder,
    placement: Placement,
    question: &Question,
    domains: &Domains,
    watch: &Watch<'_>,
    known: &mut Known,
) -> Result<(), Ended> {
    let table = Table { grounder, placement, question, domains, watch };
    if let Some(steps) = question.horizon {
        known.cut = table.round(steps, known)?;
        return Ok(());
    }
    let mut steps = FIRST_STEPS;
    loop {
        let unfinished = table.round(steps, known)?;
        let exact = known.lines.iter().all(|(_, bounds)| bounds.0 == bounds.1);
        if !unfinished || (exact && known.value.0 == known.value.1) {
            return Ok(());
        }
        steps *= 2;
        if steps > STEPS_LIMIT {
            return Err(Ended::Limit(HaltReason::Depth));
        }
    }
}

impl Table<'_> {
    /// One horizon; whether some play is unfinished there. With a horizon the bounds are equal.
    fn round(&self, steps: u32, known: &mut Known) -> Result<bool, Ended> {
        let (question, watch) = (self.question, self.watch);
        let progress = Progress {
            phase: "grounding",
            ply: steps,
            plies: question.horizon,
            states: 0,
            bytes: 0,
        };
        (watch.progress)(&progress);
        let text = game_program(question, self.domains, steps, Unfinished::Nothing);
        let ground = self.grounder.ground(&text, watch)?;
        let queries = Queries::new(question, &ground, steps);
        let unfinished = ask(queries.is_unfinished(), &ground, watch).map_err(Ended::Limit)?;
        known.simultaneous =
            ask(queries.is_simultaneous(), &ground, watch).map_err(Ended::Limit)?;

        let (mut formula, opening) = self.formula(&ground, steps)?;
        meet(question, &opening, known);
        self.solve(&mut formula, &opening, known, |bounds, new| {
            bounds.0 = new.0.max(bounds.0.clone());
            if question.horizon.is_some() || !unfinished {
                bounds.1 = new.1.min(bounds.1.clone());
            }
        })?;
        if question.horizon.is_some() || !unfinished {
            return Ok(unfinished);
        }
        let text = game_program(question, self.domains, steps, Unfinished::Everything);
        let ground = self.grounder.ground(&text, watch)?;
        let (mut formula, opening) = self.formula(&ground, steps)?;
        self.solve(&mut formula, &opening, known, |bounds, new| {
            bounds.1 = new.1.min(bounds.1.clone());
        })?;
        Ok(true)
    }

    fn formula(&self, ground: &GroundProgram, steps: u32) -> Result<(Formula, Opening), Ended> {
        let opening_of = |completion: &Completion| match steps {
            0 => Opening { choosers: vec![], minimise: false, lines: vec![], atoms: vec![] },
            _ => Opening::read(self.question, self.domains, ground, &completion.values),
        };
        Formula::new(ground, opening_of, self.placement).map_err(broken)
    }

    /// Values all lines, tightening what is known.
    fn solve(
        &self,
        formula: &mut Formula,
        opening: &Opening,
        known: &mut Known,
        tighten: impl Fn(&mut Bounds, Bounds),
    ) -> Result<(), Ended> {
        assert_eq!(opening.lines.len(), known.lines.len(), "one opening in all rounds");
        let limit =
            |reason: Option<HaltReason>| reason.map_or(Ok(()), |why| Err(Ended::Limit(why)));
        if opening.lines.is_empty() {
            let (new, reason) = formula.value(None, self.watch);
            tighten(&mut known.value, new);
            return limit(reason);
        }
        for (at, line) in opening.lines.iter().enumerate() {
            let (new, reason) = formula.value(Some(line), self.watch);
            tighten(&mut known.lines[at].1, new);
            known.value = root(known);
            known.stored = known.stored.max(formula.stored());
            limit(reason)?;
        }
        Ok(())
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

fn broken(text: String) -> Ended {
    Ended::Stop(Stop::Environment(format!("the translation broke: {text}")))
}
