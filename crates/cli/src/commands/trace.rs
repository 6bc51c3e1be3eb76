//! `xssat --to trace` and `xssat --check`: the value of a formula for those who trust no solver.
//!
//! A trace holds the formula that was walked and what was decided on the way; checking it finds
//! the value again by a propagation of its own (`qcnf::trace`), in far less code than the solver
//! has. How the walked formula follows from the given one is not part of it.

use std::io::Write;
use std::path::Path;

use qcnf::Qcnf;
use qcnf::trace::{Trace, TraceFault};
use verdict::Watch;
use xssat::Options;

use super::write_text;
use crate::asking::Patience;
use crate::failure::{Failure, Status};
use crate::quantity::counted;
use crate::report::answer::reason;
use crate::report::number::{decimal, fraction};
use crate::{reading, sheet};

/// Solves a formula and writes the trace.
pub(crate) fn export(
    formula: &Qcnf,
    watch: &Watch<'_>,
    out: &mut dyn Write,
    output: Option<&Path>,
) -> Result<Status, Failure> {
    let trace = match xssat::trace(formula, &Options::default(), watch) {
        Ok(trace) => trace,
        Err(halted) => {
            let why = reason(&halted.reason).1;
            let mut errors = std::io::stderr().lock();
            // A closed standard error is nobody's loss.
            writeln!(errors, "halted: {why}; there is no trace, nothing was written").ok();
            return Ok(Status::Halted);
        }
    };
    let mut text = Vec::new();
    trace.write(&mut text)?;
    let text = String::from_utf8(text)
        .map_err(|_| Failure::Environment("a trace was written that is no text".to_owned()))?;
    write_text(out, output, &text)?;
    Ok(Status::Answered)
}

/// Finds the value that a trace shows.
pub(crate) fn check(
    path: &Path,
    patience: &Patience,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let file = path.to_owned();
    let bytes = reading::within(patience, move || sheet::bytes_of("trace", &file))?;
    let refuse = |fault: &dyn std::fmt::Display| {
        Failure::input("trace", format!("{}: {fault}", sheet::name(path)))
    };
    let text = String::from_utf8(bytes).map_err(|_| refuse(&"this is no text"))?;
    let trace = Trace::parse(&text).map_err(|fault| refuse(&fault))?;
    let mut limit = None;
    let mut stops = || {
        limit = patience.over();
        limit.is_some()
    };
    let value = trace.value_until(&mut stops);
    if let Some(limit) = limit {
        writeln!(out, "halted: {}; {}", reason(&limit).1, TraceFault::Stopped)?;
        return Ok(Status::Halted);
    }
    let value = value.map_err(|fault| refuse(&fault))?;
    let nodes = trace.nodes.len();
    writeln!(out, "probability {} {}", fraction(&value), decimal(&value))?;
    let s = if nodes == 1 { "" } else { "s" };
    let (variables, clauses) = (trace.formula.variables(), trace.formula.clauses.len());
    writeln!(
        out,
        "shown by {nodes} node{s} for the prepared formula in the trace, of {} and {}",
        counted(variables as u64, "variable"),
        counted(clauses as u64, "clause")
    )?;
    Ok(Status::Answered)
}
