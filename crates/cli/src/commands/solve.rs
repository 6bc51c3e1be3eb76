//! `oddsmith solve`: a sheet and a question in, the exact value and every first move out.
//!
//! With `--roles` the roles are asked in turn, each with the whole time limit of its own; one that
//! halts does not keep the next from being answered, and the status is the worst of all. The sheet is
//! read under the same limits; where one is met before its end, all that is known is that the value is
//! a probability.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use gdl::{Diagnostic, Source};
use verdict::{HaltReason, Question};

use super::{print_notes, write_object};
use crate::args::{PlayersArg, SolveArgs};
use crate::asking::{Patience, ask};
use crate::failure::{Failure, Status};
use crate::kept::Making;
use crate::quantity::counted;
use crate::report::answer::{Answer, Asked, Ended};
use crate::report::json::{AnswerObject, RolesObject};
use crate::report::{human, trouble};
use crate::{lineup, memory, question, reading, sheet, state};

/// Answers.
pub(crate) fn run(
    args: &SolveArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    memory::check_limit(args.limits.memory)?;
    lineup::check(args)?;
    if args.players == PlayersArg::Each {
        return super::players::run(args, started, out);
    }
    let owned = args.clone();
    let posed = match reading::within(&patience(args, started), move || pose(&owned)) {
        Err(Failure::Unread(reason)) => return unread(args, reason, started, out),
        read => read?,
    };
    warn(args, &posed);
    let mut answers = Vec::new();
    for (place, question) in posed.questions.iter().enumerate() {
        let begun = if place == 0 { started } else { Instant::now() };
        let answer = answer(args, question, &posed.source, begun)?;
        if !args.json {
            show(out, args, &answer, place > 0)?;
        }
        answers.push(answer);
    }
    if args.json {
        write_json(out, args, &answers)?;
    } else if args.explain {
        super::explain::write(out, args, &posed.questions[0], &posed.source)?;
    }
    if !args.json && !args.quiet {
        print_notes(&slips(args, &posed.source));
    }
    // Taking a huge rulebook apart takes seconds, and the process ends here anyway.
    std::mem::forget(posed);
    let halted = answers.iter().any(|answer| fell_short(&answer.ended));
    let lost = answers.iter().filter_map(|answer| Some(answer.lost.as_ref()?.status));
    Ok(lost.fold(if halted { Status::Halted } else { Status::Answered }, Status::max))
}

/// The answer to one question, audited where that is asked for.
fn answer(
    args: &SolveArgs,
    question: &Question,
    source: &Source,
    begun: Instant,
) -> Result<Answer, Failure> {
    let patience = patience(args, begun);
    // Before the audit: whatever ends this, the file that is only a step on the way goes.
    let making = Making::new(&args.disk);
    let (engine, audited, used) = lineup::choose(args, begun, &making)?;
    let ended = ask(&*engine, question, source, &patience)?;
    let (time, peak_bytes) = (begun.elapsed(), store::peak_bytes());
    let mut asked = Asked::new(&source.name, question, args.engine.name().text());
    asked.backend = used.backend().or(asked.backend);
    let audit =
        if args.audit { Some(audited.rows(args, question, source, &patience)?) } else { None };
    let (table, lost) = match ended {
        Ended::Exact(_) => match making.finish(question, &patience) {
            Ok(table) => (table, None),
            Err(lost) => (None, Some(lost)),
        },
        Ended::Halted(_) => (None, None),
    };
    let none = || "profile   none: the processor answered\n".to_owned();
    let profile = args.profile.then(|| used.profile().unwrap_or_else(none));
    Ok(Answer { asked, ended, time, peak_bytes, audit, table, lost, profile })
}

/// Whether less is known than was asked for: bounds that were asked for are an answer.
fn fell_short(ended: &Ended) -> bool {
    matches!(ended, Ended::Halted(halt) if halt.reason != HaltReason::Approximate)
}

/// Longer sheets are not read again for advice.
const LONGEST_READ_AGAIN: usize = 1 << 18;
/// Advice that bears on the value.
const BEARING: &[&str] =
    &["never-true", "never-played", "never-matched", "never-applies", "function-arity"];

/// The limits of one question.
pub(super) fn patience(args: &SolveArgs, started: Instant) -> Patience {
    let shown = !args.json && !args.quiet;
    Patience { started, time: args.limits.time, memory: args.limits.memory, shown }
}

/// The answer to a question whose sheet was not read within the limits.
fn unread(
    args: &SolveArgs,
    reason: HaltReason,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let answer = Answer {
        asked: Asked::unread(&sheet::name(&args.game.game), args),
        ended: Ended::Halted(reading::halt(reason)),
        time: started.elapsed(),
        peak_bytes: store::peak_bytes(),
        audit: None,
        table: None,
        lost: None,
        profile: None,
    };
    if args.json {
        write_json(out, args, &[answer])?;
    } else {
        show(out, args, &answer, false)?;
    }
    Ok(Status::Halted)
}

/// A sheet and what is asked about it.
pub(super) struct Posed {
    pub(super) source: Source,
    warnings: Vec<Diagnostic>,
    pub(super) questions: Vec<Question>,
}

/// Prints the warnings of the sheet.
pub(super) fn warn(args: &SolveArgs, posed: &Posed) {
    if !args.json && !args.quiet {
        let text = trouble::rendered(&posed.warnings, &posed.source, trouble::colored());
        std::io::stderr().write_all(text.as_bytes()).ok();
    }
}

/// That conditions of the sheet can never hold, if some cannot: a slip of the pen there changes the
/// value without a fault. What they are is for `check` to tell.
fn slips(args: &SolveArgs, source: &Source) -> Vec<String> {
    if source.text.len() > LONGEST_READ_AGAIN {
        return Vec::new();
    }
    let reading = sheet::interpret(source, &args.sheet, false, true);
    let found = reading.diagnostics.iter().filter(|held| BEARING.contains(&held.code)).count();
    if found == 0 {
        return Vec::new();
    }
    let (name, warnings) = (&source.name, counted(found as u64, "warning"));
    let name = if &**name == "<stdin>" { "-" } else { name };
    vec![format!(
        "{warnings} about conditions that nothing makes true: `oddsmith check {name}` shows them"
    )]
}

/// The sheet and the questions that the flags put to it.
pub(super) fn pose(args: &SolveArgs) -> Result<Posed, Failure> {
    let sheet = sheet::read_open(&args.game.game, &args.sheet)?;
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
    Ok(Posed { source: sheet.source, warnings: sheet.warnings, questions })
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
    if let Some(profile) = &answer.profile {
        write!(out, "{profile}")?;
    }
    // An answer is seen before the next question is worked on, and before its notes.
    out.flush()?;
    if !args.quiet {
        print_notes(&human::notes(answer));
    }
    if let Some(lost) = &answer.lost {
        print_notes(&[lost.text()]);
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
