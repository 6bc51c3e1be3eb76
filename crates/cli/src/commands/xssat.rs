//! `oddsmith xssat`: a formula with exists, forall and chance in, its exact probability out.

use std::io::Write;
use std::time::Instant;

use exact::Ratio;
use qcnf::{Kind, Lit, Qcnf};
use verdict::{HaltReason, Watch};
use xssat::{Options, Solver, Stats};

use super::sqasp::patience;
use crate::args::XssatArgs;
use crate::failure::{Failure, Status};
use crate::report::number::{decimal, fraction};
use crate::sheet;

/// A value, or bounds and the limit that was met.
pub(crate) struct Outcome {
    bounds: (Ratio, Ratio),
    reason: Option<HaltReason>,
}

impl Outcome {
    /// Nothing is known but that it is a probability.
    pub(crate) fn unknown(reason: HaltReason) -> Self {
        Self { bounds: (Ratio::zero(), Ratio::one()), reason: Some(reason) }
    }
}

/// Answers.
pub(crate) fn run(
    args: &XssatArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let text = sheet::open_as("formula", &args.file)?.text;
    let reading = qcnf::text::parse(text.as_bytes()).map_err(|faults| {
        let mut shown =
            faults.shown.iter().map(|fault| format!("{}: {fault}", sheet::name(&args.file)));
        let first = shown.next().unwrap_or_default();
        shown.fold(Failure::input("formula", first), Failure::note)
    })?;
    let formula = &reading.formula;
    patience(&args.limits, started).watch(|watch| {
        let (outcome, stats) = value(formula, watch);
        let status = show(out, &outcome)?;
        if args.witness && status == Status::Answered {
            witness(out, formula, watch)?;
        }
        if args.stats {
            for (name, count, meaning) in stats.rows() {
                writeln!(out, "{count:>12}  {name:<16} {meaning}")?;
            }
        }
        Ok(status)
    })
}

/// The value of a formula within limits, and what was counted.
pub(crate) fn value(formula: &Qcnf, watch: &Watch<'_>) -> (Outcome, Stats) {
    let mut solver = Solver::new(formula, &Options::default());
    let outcome = outcome(&mut solver, &[], watch);
    (outcome, solver.stats().clone())
}

fn outcome(solver: &mut Solver, given: &[Lit], watch: &Watch<'_>) -> Outcome {
    match solver.solve(given, watch) {
        Ok(value) => Outcome { bounds: (value.clone(), value), reason: None },
        Err(halted) => Outcome { bounds: halted.bounds, reason: Some(halted.reason) },
    }
}

/// Prints the value, or the bounds and why.
pub(crate) fn show(out: &mut dyn Write, outcome: &Outcome) -> Result<Status, Failure> {
    let (lower, upper) = &outcome.bounds;
    let Some(reason) = &outcome.reason else {
        writeln!(out, "probability {} {}", fraction(lower), decimal(lower))?;
        return Ok(Status::Answered);
    };
    let limit = match reason {
        HaltReason::Time => "the time limit",
        HaltReason::Memory { .. } => "the memory limit",
        HaltReason::Interrupt => "an interrupt",
        _ => "a limit",
    };
    writeln!(out, "halted at {limit}: between {} and {}", fraction(lower), fraction(upper))?;
    Ok(Status::Halted)
}

/// The value under each value of each variable of an outermost exists.
fn witness(out: &mut dyn Write, formula: &Qcnf, watch: &Watch<'_>) -> Result<(), Failure> {
    let Some(block) = formula.blocks().next().filter(|block| block.kind == Kind::Exists) else {
        return Ok(writeln!(out, "no outermost exists: there is no first choice")?);
    };
    let mut solver = Solver::new(formula, &Options::default());
    for var in block.scopes.iter().flat_map(|scope| &scope.variables) {
        let name = formula.name(*var).map_or_else(|| var.to_string(), str::to_owned);
        for positive in [true, false] {
            let Outcome { bounds: (lower, upper), .. } =
                outcome(&mut solver, &[Lit::new(*var, positive)], watch);
            let sign = if positive { "" } else { "not " };
            let upper =
                if lower == upper { String::new() } else { format!(" to {}", fraction(&upper)) };
            writeln!(out, "  {sign}{name}: {}{upper}", fraction(&lower))?;
        }
    }
    Ok(())
}
