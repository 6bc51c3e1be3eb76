//! `oddsmith xssat`: a formula with exists, forall and chance in, its exact probability out, or the
//! formula in another dialect.

use std::io::Write;
use std::time::Instant;

use qcnf::Qcnf;
use qcnf::text::Dialect;
use verdict::Watch;

use super::formula::{Answer, export};
use super::sqasp::patience;
use super::{refuse_of_sdimacs, refuse_output, trace};
use crate::args::{FormulaForm, XssatArgs};
use crate::failure::{Failure, Status};
use crate::{audit, memory, reading, sheet};

/// Answers.
pub(crate) fn run(
    args: &XssatArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    memory::check_limit(args.limits.memory)?;
    audit::check(args.report.audit)?;
    refuse_output(args.target.output.as_deref(), args.to.is_some())?;
    let is_sdimacs = args.to == Some(FormulaForm::Sdimacs);
    refuse_of_sdimacs(is_sdimacs, &[("--dialect", args.dialect.is_some())])?;
    let name = sheet::name(&args.file);
    if args.check {
        let patience = patience(&args.limits, &args.report, started);
        return trace::check(&args.file, &patience, out);
    }
    let (path, patience) = (args.file.clone(), patience(&args.limits, &args.report, started));
    let formula = match reading::within(&patience, move || read(&path)) {
        Err(Failure::Unread(reason)) if args.to.is_none() => {
            return Answer::unread(&name, reason, started.elapsed()).write(out, &args.report);
        }
        read => read?,
    };
    let output = args.target.output.as_deref();
    match args.to {
        Some(FormulaForm::Sdimacs) => {
            export(&formula, args.dialect.unwrap_or_default().into(), out, output)
        }
        Some(FormulaForm::Qdimacs) => export(&formula, Dialect::Qdimacs, out, output),
        Some(FormulaForm::Trace) => {
            patience.watch(|watch| trace::export(&formula, watch, out, output))
        }
        None => patience.watch(|watch| {
            let read = started.elapsed();
            let mut answer = Answer::find(&name, &formula, args.witness, read, watch);
            if args.report.audit {
                answer.audit = audited(&formula, &answer, watch)?;
            }
            answer.write(out, &args.report)
        }),
    }
}

/// The formula of a file.
fn read(path: &std::path::Path) -> Result<Qcnf, Failure> {
    let bytes = sheet::bytes_of("formula", path)?;
    let reading = qcnf::text::parse(&bytes).map_err(|faults| {
        let mut shown = faults.shown.iter().map(|fault| format!("{}: {fault}", sheet::name(path)));
        let first = shown.next().unwrap_or_default();
        shown.fold(Failure::input("formula", first), Failure::note)
    })?;
    Ok(reading.formula)
}

#[cfg(feature = "z3")]
pub(crate) fn audited(
    formula: &Qcnf,
    answer: &Answer,
    watch: &Watch<'_>,
) -> Result<Vec<audit::Row>, Failure> {
    audit::formula(formula, answer.outcome.value(), watch)
}

#[cfg(not(feature = "z3"))]
pub(crate) fn audited(_: &Qcnf, _: &Answer, _: &Watch<'_>) -> Result<Vec<audit::Row>, Failure> {
    audit::check(true).map(|()| Vec::new())
}
