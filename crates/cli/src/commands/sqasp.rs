//! `oddsmith sqasp`: a logic program with quantified atoms in, its probability or its clauses out.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use sqasp::{Completion, GroundError, GroundProgram, Grounder, Message, complete};
use verdict::{HaltReason, Watch};

use super::write_text;
use super::xssat::{Outcome, show, value};
use crate::args::{LimitArgs, ProgramForm, SqaspArgs};
use crate::asking::Patience;
use crate::child::Clingo;
use crate::failure::{Complaint, Failure, Status};
use crate::sheet;

/// Answers, or writes the form asked for.
pub(crate) fn run(
    args: &SqaspArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let text = sheet::open_as("program", &args.file)?.text;
    let name = sheet::name(&args.file);
    let output = args.target.output.as_deref();
    patience(&args.limits, started).watch(|watch| {
        let ground = match ground(&text, &name, watch)? {
            Ok(ground) => ground,
            Err(reason) => return show(out, &Outcome::unknown(reason)),
        };
        if args.to == Some(ProgramForm::Aspif) {
            return written(out, output, &ground.to_string());
        }
        let completion = clauses(&ground, args.placement.into(), &name)?;
        if args.to == Some(ProgramForm::Sdimacs) {
            return written(out, output, &qcnf::text::print(&completion.formula));
        }
        let (outcome, _) = value(&completion.formula, watch);
        show(out, &outcome)
    })
}

/// The limits of one command.
pub(crate) fn patience(args: &LimitArgs, started: Instant) -> Patience {
    Patience { started, time: args.time, memory: args.memory, shown: true }
}

/// Grounds a program; inside, the limit that was met.
pub(crate) fn ground(
    text: &str,
    name: &str,
    watch: &Watch<'_>,
) -> Result<Result<GroundProgram, HaltReason>, Failure> {
    match Clingo.ground(text, watch) {
        Ok(ground) => Ok(Ok(ground)),
        Err(GroundError::Stopped(reason)) => Ok(Err(reason)),
        Err(GroundError::Environment(lack)) => Err(Failure::Environment(lack)),
        Err(GroundError::Program(messages)) => Err(refused(name, &messages)),
    }
}

/// The clauses of a ground program.
pub(crate) fn clauses(
    ground: &GroundProgram,
    placement: sqasp::Placement,
    name: &str,
) -> Result<Completion, Failure> {
    complete(ground, placement).map_err(|messages| refused(name, &messages))
}

fn refused(name: &str, messages: &[Message]) -> Failure {
    let line = |message: &Message| match message.place {
        Some((line, column)) => format!("{name}:{line}:{column}: {}", message.text),
        None => format!("{name}: {}", message.text),
    };
    let mut lines = messages.iter().map(line);
    let message = lines.next().unwrap_or_else(|| format!("{name}: clingo gave no reason"));
    Failure::Input(Complaint { code: "program", message, notes: lines.collect() })
}

pub(crate) fn written(
    out: &mut dyn Write,
    output: Option<&Path>,
    text: &str,
) -> Result<Status, Failure> {
    write_text(out, output, text)?;
    Ok(Status::Answered)
}
