//! `oddsmith crosscheck`: one question to every engine, the answers side by side.
//!
//! Status 0 says that every engine answered exactly and all agree; 1 that they differ or that one
//! halted (then the bounds were compared); 2 that the game is at fault, as all of them found: then
//! the fault is told in full below the table. Where two differ, `pursue` follows them to the state
//! where they part, and cuts the game down; `random` does the same for games from seeds.

mod formulas;
mod log;
mod programs;
mod pursue;
mod random;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crosscheck::{Agreement, Row, agree};
use gdl::Source;
use serde::Serialize;
use verdict::{Engine, Question, Stop};

use pursue::{PartedObject, Pursued};

use super::write_object;
use crate::args::{CrosscheckArgs, LimitArgs};
use crate::asking::{self, Patience};
use crate::failure::{Failure, Status};
use crate::quantity::show_count;
use crate::report::answer::Asked;
use crate::report::human;
use crate::report::visible::visible;
use crate::{child, lineup, memory, question, reading, sheet};

/// Least width of the names in the table.
const NAME_WIDTH: usize = 10;
/// Widest result in the table; the whole fraction is in `--json`.
const RESULT_WIDTH: usize = 40;
const _: () = assert!(RESULT_WIDTH > 1, "room for a letter and the mark of what is left out");

/// `crosscheck --json`.
#[derive(Serialize)]
struct CrosscheckObject {
    questions: Vec<ComparedObject>,
}

/// One question with every engine's answer.
#[derive(Serialize)]
struct ComparedObject {
    game: String,
    role: Option<String>,
    objective: &'static str,
    horizon: Option<u32>,
    agree: bool,
    disagreement: Option<String>,
    engines: Vec<RowObject>,
    parted: Option<PartedObject>,
    shrunk: Option<String>,
}

/// One engine's answer.
#[derive(Serialize)]
struct RowObject {
    engine: String,
    result: String,
    value: Option<String>,
    states: Option<u64>,
    seconds: f64,
}

/// Compares the engines on every sheet.
pub(crate) fn run(args: &CrosscheckArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    memory::check_limit(args.limits.memory)?;
    if args.symbolic {
        child::check()?;
    }
    pursue::check(args)?;
    if args.random.is_asked_for() {
        return random::run(args, out);
    }
    let engines = lineup::roster(args)?;
    let engines: Vec<&dyn Engine> = engines.iter().map(|engine| &**engine).collect();
    let (mut worst, mut objects) = (Status::Answered, Vec::new());
    for path in &args.games {
        let (owned, named) = (args.clone(), path.clone());
        let (source, questions) = reading::within(&patience(args), move || pose(&named, &owned))?;
        for question in questions {
            let agreement = compare(&question, &engines, args);
            let asked = Asked::new(&source.name, &question, "all");
            let status = status(&agreement, &source);
            let pursued = agreement.disagreement.as_ref().map(|difference| {
                pursue::pursue(&source.name, &question, difference, &engines, args)
            });
            let pursued = pursued.transpose()?;
            if args.json {
                objects.push(object(&asked, &agreement, pursued.as_ref()));
            } else {
                show(out, &asked, &agreement, status.is_err())?;
                pursued.map_or(Ok(()), |pursued| pursued.show(out))?;
            }
            worst = worst.max(status?);
        }
    }
    if args.json {
        write_object(out, &CrosscheckObject { questions: objects })?;
    }
    Ok(worst)
}

fn pose(path: &Path, args: &CrosscheckArgs) -> Result<(Source, Vec<Question>), Failure> {
    let held = sheet::read_open(path, &args.sheet)?;
    let rulebook = Arc::new(held.rulebook);
    let questions = if args.roles {
        question::every(&rulebook, &args.question, None)?
    } else {
        vec![question::one(&rulebook, &args.question, None)?]
    };
    Ok((held.source, questions))
}

fn compare(question: &Question, engines: &[&dyn Engine], args: &CrosscheckArgs) -> Agreement {
    let agreement = patience(args).watch(|watch| agree(question, engines, watch));
    assert_eq!(agreement.rows.len(), engines.len(), "each engine answers");
    agreement
}

/// The limits, with a clock that starts now.
fn patience(args: &CrosscheckArgs) -> Patience {
    let LimitArgs { time, memory } = args.limits;
    Patience { started: Instant::now(), time, memory, shown: !args.json }
}

/// The status of one comparison; a fault that all engines find is the game's.
fn status(agreement: &Agreement, source: &Source) -> Result<Status, Failure> {
    if agreement.disagreement.is_some() {
        return Ok(Status::Halted);
    }
    let stops = || agreement.rows.iter().filter_map(|row| row.result.as_ref().err());
    // Of one fault told by several engines, that which has a place in the sheet says most.
    let placed = |stop: &&Stop| matches!(stop, Stop::Faulty(fault) if fault.span.is_some());
    let exact = agreement.rows.iter().filter(|row| row.result.is_ok()).count();
    // Where two answers agree, an engine that could not be asked takes nothing away.
    let ended = |stop: &&Stop| match stop {
        Stop::Halted(_) => false,
        Stop::Environment(_) => exact < 2,
        Stop::Faulty(_) => true,
    };
    if let Some(stop) = stops().find(placed).or_else(|| stops().find(ended)) {
        return Err(asking::failure(stop.clone(), source));
    }
    // One exact value alone is compared with nothing but bounds.
    let answered = exact >= 2 || stops().next().is_none();
    Ok(if answered { Status::Answered } else { Status::Halted })
}

fn show(
    out: &mut dyn Write,
    asked: &Asked,
    agreement: &Agreement,
    faulty: bool,
) -> Result<(), Failure> {
    writeln!(out, "{}: {}", visible(&asked.game), human::question(asked))?;
    let names = agreement.rows.iter().map(|row| row.engine.len()).max().unwrap_or(0);
    let names = names.max(NAME_WIDTH);
    for row in &agreement.rows {
        let states =
            row.states().map_or(String::new(), |count| format!("{} states", show_count(count)));
        writeln!(
            out,
            "  {:<names$} {:<RESULT_WIDTH$}  {:>9.3} s  {states}",
            row.engine,
            short(&row.result_text()),
            row.seconds
        )?;
    }
    writeln!(out, "  {}", outcome(agreement, faulty))?;
    if agreement.disagreement.is_some() {
        for row in agreement.rows.iter().filter(|row| matches!(row.result, Err(Stop::Faulty(_)))) {
            writeln!(out, "  {}: {}", row.engine, row.result_text())?;
        }
    }
    Ok(out.flush()?)
}

/// What the rows come to. Bounds that overlap contradict nothing, and show nothing either.
fn outcome(agreement: &Agreement, faulty: bool) -> String {
    if let Some(what) = &agreement.disagreement {
        return what.to_string();
    }
    if faulty {
        return "agree on the fault".to_owned();
    }
    let count = |is: fn(&Row) -> bool| agreement.rows.iter().filter(|row| is(row)).count();
    let exact = count(|row| row.result.is_ok());
    let absent = count(|row| matches!(row.result, Err(Stop::Environment(_))));
    match exact {
        _ if exact == agreement.rows.len() => "agree".to_owned(),
        2.. if exact + absent == agreement.rows.len() => {
            format!("{exact} engines agree, and the rest could not be asked")
        }
        0 => "no engine has the value: nothing was compared but bounds, which overlap".to_owned(),
        1 => "one engine has the value, and it lies within the bounds of the others".to_owned(),
        _ => format!("{exact} engines agree, and the bounds of the others hold their value"),
    }
}

fn short(text: &str) -> String {
    if text.chars().count() <= RESULT_WIDTH {
        return text.to_owned();
    }
    text.chars().take(RESULT_WIDTH - 1).chain(['…']).collect()
}

fn object(asked: &Asked, agreement: &Agreement, pursued: Option<&Pursued>) -> ComparedObject {
    let row = |row: &Row| RowObject {
        engine: row.engine.clone(),
        result: row.result_text(),
        value: row.result.as_ref().ok().map(|verdict| verdict.value.to_string()),
        states: row.states(),
        seconds: row.seconds,
    };
    ComparedObject {
        game: asked.game.clone(),
        role: asked.role.clone(),
        objective: asked.objective_text(),
        horizon: asked.horizon,
        agree: agreement.disagreement.is_none(),
        disagreement: agreement.disagreement.as_ref().map(ToString::to_string),
        engines: agreement.rows.iter().map(row).collect(),
        parted: pursued.and_then(Pursued::parted),
        shrunk: pursued.and_then(|pursued| pursued.path.clone()),
    }
}
