//! What `xssat` and `sqasp` share: a formula to its probability, and the report of it.
//!
//! The report is text with the probability first, or one object (`--json`; the schema is
//! crates/cli/schema/formula.schema.json). What came before solving (reading, grounding, making
//! clauses) is timed apart from it. A limit ends in bounds and exit status 1.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use exact::Ratio;
use index::Id;
use qcnf::text::Dialect;
use qcnf::{Kind, Lit, Qcnf};
use serde::Serialize;
use verdict::{HaltReason, Watch};
use xssat::{Options, Solver, Stats};

use super::{write_object, write_text};
use crate::args::ReportArgs;
use crate::audit::Row;
use crate::failure::{Failure, Status};
use crate::quantity::show_duration;
use crate::report::answer::reason;
use crate::report::number::{DECIMAL_DIGITS, decimal, fraction};
use crate::report::visible::visible;

/// Bounds on a value, and the limit that was met where they are not equal.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) bounds: (Ratio, Ratio),
    pub(crate) reason: Option<HaltReason>,
}

impl Outcome {
    /// Nothing is known but that it is a probability.
    pub(crate) fn unknown(reason: HaltReason) -> Self {
        Self { bounds: (Ratio::zero(), Ratio::one()), reason: Some(reason) }
    }

    /// The exact value.
    pub(crate) fn value(&self) -> Option<&Ratio> {
        self.reason.is_none().then_some(&self.bounds.0)
    }

    fn text(&self) -> String {
        let (lower, upper) = &self.bounds;
        match self.value() {
            Some(value) => fraction(value),
            None => format!("{} to {}", fraction(lower), fraction(upper)),
        }
    }
}

/// A value of a variable of an outermost exists.
struct Choice {
    /// The variable by name or number, `not` before it where it is false.
    text: String,
    outcome: Outcome,
    /// Whether it is part of one assignment that achieves the probability.
    best: bool,
}

/// A formula, how it ended and what it cost.
pub(crate) struct Answer {
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
    witness: Option<Vec<Choice>>,
    stats: Stats,
    /// Time before solving.
    translation: Duration,
    /// Time of solving.
    solving: Duration,
    pub(crate) audit: Vec<Row>,
}

impl Answer {
    /// The end of a command that met a limit before there was a formula.
    pub(crate) fn unread(name: &str, reason: HaltReason, translation: Duration) -> Self {
        Self {
            name: name.to_owned(),
            outcome: Outcome::unknown(reason),
            witness: None,
            stats: Stats::default(),
            translation,
            solving: Duration::ZERO,
            audit: Vec::new(),
        }
    }

    /// Solves a formula; what came before took `translation`.
    pub(crate) fn find(
        name: &str,
        formula: &Qcnf,
        witness: bool,
        translation: Duration,
        watch: &Watch<'_>,
    ) -> Self {
        let begun = Instant::now();
        let mut solver = Solver::new(formula, &Options::default());
        let outcome = solve(&mut solver, &[], watch);
        let mut ask = |given: &[Lit]| solve(&mut solver, given, watch);
        let witness = witness.then(|| choices(formula, outcome.value(), &mut ask));
        Self {
            name: name.to_owned(),
            outcome,
            witness,
            stats: solver.stats().clone(),
            translation,
            solving: begun.elapsed(),
            audit: Vec::new(),
        }
    }

    /// Writes the report; how the command ends.
    pub(crate) fn write(&self, out: &mut dyn Write, args: &ReportArgs) -> Result<Status, Failure> {
        if args.json {
            write_object(out, &self.object(args))?
        } else {
            self.write_text(out, args)?
        }
        Ok(if self.limit().is_some() { Status::Halted } else { Status::Answered })
    }

    /// The limit that was met, by the value or by that of a first choice.
    fn limit(&self) -> Option<&HaltReason> {
        let choices = self.witness.iter().flatten().map(|choice| &choice.outcome);
        std::iter::once(&self.outcome).chain(choices).find_map(|outcome| outcome.reason.as_ref())
    }

    fn write_text(&self, out: &mut dyn Write, args: &ReportArgs) -> Result<(), Failure> {
        match &self.outcome.reason {
            None => {
                let value = &self.outcome.bounds.0;
                writeln!(out, "probability {} {}", fraction(value), decimal(value))?;
            }
            Some(limit) => {
                let ((lower, upper), why) = (&self.outcome.bounds, reason(limit).1);
                writeln!(
                    out,
                    "halted: {why}; the probability is at least {} and at most {}",
                    fraction(lower),
                    fraction(upper)
                )?;
            }
        }
        match &self.witness {
            Some(choices) if choices.is_empty() => {
                writeln!(out, "no outermost exists: there is no first choice")?;
            }
            choices => {
                for choice in choices.iter().flatten() {
                    let mark = if choice.best { '*' } else { ' ' };
                    writeln!(out, "{mark} {}: {}", visible(&choice.text), choice.outcome.text())?;
                }
                if let (None, Some(limit)) = (&self.outcome.reason, self.limit()) {
                    let why = reason(limit).1;
                    writeln!(
                        out,
                        "halted: {why}; not every first choice has its value or its mark"
                    )?;
                }
            }
        }
        if args.stats {
            for (name, count, meaning) in self.stats.rows() {
                writeln!(out, "{count:>12}  {name:<16} {meaning}")?;
            }
            let times = [("translation", self.translation), ("solving", self.solving)];
            for (name, time) in times {
                writeln!(out, "{:>12}  {name}", show_duration(time))?;
            }
        }
        for row in &self.audit {
            writeln!(out, "audit  {}", row.text())?;
        }
        Ok(())
    }

    fn object(&self, args: &ReportArgs) -> AnswerObject<'_> {
        let (lower, upper) = &self.outcome.bounds;
        let value = self.outcome.value();
        let stats = || {
            let rows = self.stats.rows().into_iter();
            rows.map(|(name, count, _)| (name.to_owned(), count.into())).collect()
        };
        let choice = |choice: &Choice| ChoiceObject {
            literal: choice.text.clone(),
            value: choice.outcome.value().map(ToString::to_string),
            lower: choice.outcome.bounds.0.to_string(),
            upper: choice.outcome.bounds.1.to_string(),
            best: choice.best,
        };
        AnswerObject {
            file: &self.name,
            probability: value.map(ToString::to_string),
            decimal: value.and_then(|value| value.decimal(DECIMAL_DIGITS + 5).parse().ok()),
            lower: lower.to_string(),
            upper: upper.to_string(),
            witness: self.witness.as_ref().map(|all| all.iter().map(choice).collect()),
            stats: args.stats.then(stats),
            translation_seconds: self.translation.as_secs_f64(),
            solving_seconds: self.solving.as_secs_f64(),
            peak_bytes: store::peak_bytes(),
            audit: args.audit.then_some(&self.audit),
            halt: self.limit().map(|limit| {
                let (reason, message) = reason(limit);
                HaltObject { reason, message }
            }),
        }
    }
}

/// The answer of `xssat --json` and `sqasp --json`.
#[derive(Serialize)]
struct AnswerObject<'a> {
    file: &'a str,
    probability: Option<String>,
    decimal: Option<f64>,
    lower: String,
    upper: String,
    witness: Option<Vec<ChoiceObject>>,
    stats: Option<serde_json::Map<String, serde_json::Value>>,
    translation_seconds: f64,
    solving_seconds: f64,
    peak_bytes: Option<u64>,
    audit: Option<&'a Vec<Row>>,
    halt: Option<HaltObject>,
}

#[derive(Serialize)]
struct ChoiceObject {
    literal: String,
    value: Option<String>,
    lower: String,
    upper: String,
    best: bool,
}

#[derive(Serialize)]
struct HaltObject {
    reason: &'static str,
    message: String,
}

fn solve(solver: &mut Solver, given: &[Lit], watch: &Watch<'_>) -> Outcome {
    match solver.solve(given, watch) {
        Ok(value) => Outcome { bounds: (value.clone(), value), reason: None },
        Err(halted) => Outcome { bounds: halted.bounds, reason: Some(halted.reason) },
    }
}

/// Both values of each variable of an outermost exists; those of one best assignment are marked, as
/// far as it is known: nothing is marked once a limit is met.
fn choices(
    formula: &Qcnf,
    mut value: Option<&Ratio>,
    ask: &mut dyn FnMut(&[Lit]) -> Outcome,
) -> Vec<Choice> {
    let Some(block) = formula.blocks().next().filter(|block| block.kind == Kind::Exists) else {
        return Vec::new();
    };
    let (mut found, mut taken) = (Vec::new(), Vec::new());
    for var in block.scopes.iter().flat_map(|scope| &scope.variables) {
        let name = formula.name(*var).map_or_else(|| (var.index() + 1).to_string(), str::to_owned);
        if let Some(best) = value {
            taken.push(Lit::positive(*var));
            let kept = ask(&taken);
            match kept.value() {
                Some(kept) if kept == best => {}
                Some(_) => *taken.last_mut().expect("one was pushed") = Lit::negative(*var),
                None => {
                    taken.pop();
                    value = None;
                }
            }
        }
        for (positive, sign) in [(true, ""), (false, "not ")] {
            let lit = Lit::new(*var, positive);
            let outcome = ask(&[lit]);
            let best = value.is_some() && taken.last() == Some(&lit);
            found.push(Choice { text: format!("{sign}{name}"), outcome, best });
        }
    }
    found
}

/// Writes a formula in a dialect; what the dialect cannot say exactly is told on standard error.
pub(crate) fn export(
    formula: &Qcnf,
    dialect: Dialect,
    out: &mut dyn Write,
    output: Option<&Path>,
) -> Result<Status, Failure> {
    let losses = dialect.losses(formula).map_err(|cannot| {
        Failure::input("dialect", format!("the formula cannot be written so: {cannot}"))
    })?;
    let mut errors = std::io::stderr().lock();
    for loss in losses {
        // A closed standard error is nobody's loss.
        writeln!(errors, "warning: {loss}").ok();
    }
    drop(errors);
    let mut text = Vec::new();
    qcnf::text::write(formula, dialect, &mut text)?;
    let text = String::from_utf8(text)
        .map_err(|_| Failure::Environment("a formula was written that is no text".to_owned()))?;
    write_text(out, output, &text)?;
    Ok(Status::Answered)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A limit that is met while first choices are valued leaves no mark that is not shown.
    #[test]
    fn nothing_is_marked_once_a_limit_is_met() {
        let text = b"p cnf 4 1\ne 1 2 3 0\nr 1/2 4 0\n1 2 3 4 0\n";
        let formula = qcnf::text::parse(text).expect("a formula").formula;
        let (one, half) = (Ratio::one(), Ratio::new(1u8, 2u8));
        let exact =
            |value: &Ratio| Outcome { bounds: (value.clone(), value.clone()), reason: None };
        for answers in 0..9usize {
            let mut left = answers;
            let mut ask = |given: &[Lit]| {
                if left == 0 {
                    return Outcome::unknown(HaltReason::Time);
                }
                left -= 1;
                // The second variable has to be true: a solver that is asked says so.
                let kept = given.iter().all(|lit| lit.is_positive() || lit.var().index() != 1);
                exact(if kept { &one } else { &half })
            };
            let found = choices(&formula, Some(&one), &mut ask);
            assert_eq!(found.len(), 6);
            let marked = found.iter().filter(|choice| choice.best).count();
            // A variable is marked when it is fixed, before its own two values are known.
            assert_eq!(marked, answers.div_ceil(3), "{answers} answers");
            let wrong = |choice: &Choice| choice.best && choice.outcome.value() == Some(&half);
            assert!(!found.iter().any(wrong), "{answers} answers");
        }
    }
}
