//! `oddsmith solve`: a sheet and a question in, the exact value and every first move out.
//!
//! With `--roles` the roles are asked in turn, each with the whole time limit of its own; one that
//! halts does not keep the next from being answered, and the status is the worst of all.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use gdl::Source;
use verdict::Question;

use super::{print_notes, write_object};
use crate::args::SolveArgs;
use crate::asking::{Patience, ask};
use crate::failure::{Failure, Status};
use crate::report::answer::{Answer, Asked, Ended};
use crate::report::json::{AnswerObject, RolesObject};
use crate::report::{human, trouble};
use crate::{lineup, memory, question, sheet, state};

/// Answers.
pub(crate) fn run(
    args: &SolveArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    memory::check_limit(args.limits.memory)?;
    let engine = lineup::choose(&args.engine, &args.sheet)?;
    let (source, questions) = pose(args)?;
    let mut answers = Vec::new();
    for (place, question) in questions.iter().enumerate() {
        let begun = if place == 0 { started } else { Instant::now() };
        let patience = Patience {
            started: begun,
            time: args.limits.time,
            memory: args.limits.memory,
            shown: !args.json && !args.quiet,
        };
        let answer = Answer {
            asked: Asked::new(&source.name, question, args.engine.engine.text()),
            ended: ask(&*engine, question, &source, &patience)?,
            time: begun.elapsed(),
            peak_bytes: store::peak_bytes(),
        };
        if !args.json {
            show(out, args, &answer, place > 0)?;
        }
        answers.push(answer);
    }
    if args.json {
        write_json(out, args, &answers)?;
    } else if args.explain {
        super::explain::write(out, args, &questions[0], &source)?;
    }
    let halted = answers.iter().any(|answer| matches!(answer.ended, Ended::Halted(_)));
    Ok(if halted { Status::Halted } else { Status::Answered })
}

/// The sheet and the questions that the flags put to it.
fn pose(args: &SolveArgs) -> Result<(Source, Vec<Question>), Failure> {
    let sheet = sheet::read_open(&args.game.game, &args.sheet)?;
    if !args.json && !args.quiet {
        let text = gdl::render(&sheet.warnings, &sheet.source, trouble::colored());
        std::io::stderr().write_all(text.as_bytes()).ok();
    }
    let from = match &args.from {
        Some(text) => Some(state::parse(text, &sheet.rulebook)?),
        None => None,
    };
    let rulebook = Arc::new(sheet.rulebook);
    let questions = if args.roles {
        question::every(&rulebook, &args.question, from)?
    } else {
        vec![question::one(&rulebook, &args.question, from)?]
    };
    debug_assert!(!questions.is_empty(), "some role is asked about");
    Ok((sheet.source, questions))
}

/// One answer as text, its notes on standard error.
fn show(
    out: &mut dyn Write,
    args: &SolveArgs,
    answer: &Answer,
    apart: bool,
) -> Result<(), Failure> {
    if apart {
        writeln!(out)?;
    }
    human::write(out, answer)?;
    // An answer is seen before the next question is worked on, and before its notes.
    out.flush()?;
    if !args.quiet {
        print_notes(&human::notes(answer));
    }
    Ok(())
}

fn write_json(out: &mut dyn Write, args: &SolveArgs, answers: &[Answer]) -> Result<(), Failure> {
    let mut objects: Vec<AnswerObject> = answers.iter().map(AnswerObject::from).collect();
    match (args.roles, objects.pop()) {
        (false, Some(object)) => write_object(out, &object),
        (_, last) => {
            objects.extend(last);
            let game = answers.first().map_or(String::new(), |answer| answer.asked.game.clone());
            write_object(out, &RolesObject { game, answers: objects })
        }
    }
}
