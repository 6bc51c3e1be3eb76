//! `oddsmith perft`: distinct states, terminal states and move paths, ply by ply.
//!
//! A count that meets a limit prints the plies that it finished, with status 1.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use gdl::Rulebook;
use index::Id;
use serde::Serialize;
use solve::{Perft, PerftPly};
use verdict::{HaltReason, Objective, Question};

use super::{print_notes, write_object};
use crate::args::{EngineArgs, PerftArgs};
use crate::asking::{Patience, failure};
use crate::failure::{Failure, Status};
use crate::quantity::{group_thousands, show_count, show_duration};
use crate::{lineup, memory, reading, sheet};

/// `perft --json`; described by `schema/perft.schema.json`.
#[derive(Serialize)]
struct PerftObject {
    game: String,
    depth: Option<u32>,
    /// Why the count ended before all plies asked for; null where it did not.
    halted: Option<String>,
    plies: Vec<PlyObject>,
    total_states: u64,
    total_terminal: u64,
    seconds: f64,
    peak_bytes: Option<u64>,
}

/// One ply. Paths are text: they may exceed 64 bits.
#[derive(Serialize)]
struct PlyObject {
    ply: usize,
    states: u64,
    terminal: u64,
    paths: String,
}

/// Counts and prints.
pub(crate) fn run(
    args: &PerftArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    memory::check_limit(args.limits.memory)?;
    let patience =
        Patience { started, time: args.limits.time, memory: args.limits.memory, shown: !args.json };
    let (path, flags) = (args.game.game.clone(), args.sheet.clone());
    let held = reading::within(&patience, move || sheet::read(&path, &flags))?;
    let question = question(Arc::new(held.rulebook));
    let options = lineup::options(&EngineArgs::default(), &args.sheet);
    let counted = patience.watch(|watch| solve::perft(&question, args.depth, &options, watch));
    let Perft { plies, halted } = counted.map_err(|stop| failure(stop, &held.source))?;
    let halted = halted.map(|reason| ended_by(&reason, plies.len()));
    let status = if halted.is_some() { Status::Halted } else { Status::Answered };
    if args.json {
        let object = object(&held.source.name, args, started, &plies);
        write_object(out, &PerftObject { halted, ..object })?;
    } else {
        write_table(out, started, &plies)?;
        if let Some(limit) = halted {
            out.flush()?;
            print_notes(&[limit]);
        }
    }
    Ok(status)
}

/// What a count that was ended says.
fn ended_by(reason: &HaltReason, plies: usize) -> String {
    let limit = match reason {
        HaltReason::Time => "the time limit ended the count".to_owned(),
        HaltReason::Memory { needed } => {
            format!("the count needs more than {}", crate::quantity::show_size(*needed))
        }
        _ => "the count was interrupted".to_owned(),
    };
    match plies.checked_sub(1) {
        None => format!("{limit} before it began"),
        Some(last) => format!("{limit}; all shown is whole, as with `--depth {last}`"),
    }
}

/// Any question will do: who is asked about changes no count.
fn question(rulebook: Arc<Rulebook>) -> Question {
    Question::new(Arc::clone(&rulebook)).unwrap_or_else(|| Question {
        rulebook,
        role: gdl::RoleId::from_index(0),
        objective: Objective::Win,
        horizon: None,
        chance: Default::default(),
        from: None,
    })
}

fn totals(plies: &[PerftPly]) -> (u64, u64) {
    (plies.iter().map(|ply| ply.states).sum(), plies.iter().map(|ply| ply.terminal).sum())
}

fn object(name: &str, args: &PerftArgs, started: Instant, plies: &[PerftPly]) -> PerftObject {
    let (total_states, total_terminal) = totals(plies);
    let ply = |(ply, held): (usize, &PerftPly)| {
        assert!(held.terminal <= held.states, "terminal states are states");
        let paths = held.paths.to_string();
        PlyObject { ply, states: held.states, terminal: held.terminal, paths }
    };
    PerftObject {
        game: name.to_owned(),
        depth: args.depth,
        halted: None,
        plies: plies.iter().enumerate().map(ply).collect(),
        total_states,
        total_terminal,
        seconds: started.elapsed().as_secs_f64(),
        peak_bytes: store::peak_bytes(),
    }
}

fn write_table(out: &mut dyn Write, started: Instant, plies: &[PerftPly]) -> Result<(), Failure> {
    let (states, terminal) = totals(plies);
    let mut rows = vec![["ply", "states", "terminal", "paths"].map(str::to_owned)];
    rows.extend(plies.iter().enumerate().map(|(ply, held)| {
        let paths = group_thousands(&held.paths.to_string());
        [ply.to_string(), show_count(held.states), show_count(held.terminal), paths]
    }));
    rows.push(["sum".to_owned(), show_count(states), show_count(terminal), String::new()]);
    assert!(rows.len() >= 2, "a heading and a sum");
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: [usize; 4] = std::array::from_fn(width);
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    Ok(writeln!(out, "time {}", show_duration(started.elapsed()))?)
}
