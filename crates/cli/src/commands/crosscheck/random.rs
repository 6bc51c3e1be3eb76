//! `crosscheck --random`: engines compared on games from seeds, solvers on formulas and programs.
//!
//! Every tenth game may come back to its states; the others end. One player of each game is asked about,
//! drawn by the seed. The sweep is asked as users meet it, by tables alone, with states that wait
//! for chance kept, and on a graphics device with `--gpu` or where there is hardware. The three kinds of things take turns, so that a run that is ended early has some of
//! each. Status 0 says that all was done and no
//! two differed, 1 that some did or that it was ended early. The log is written before anything is
//! compared, every few seconds, and at the end; where it cannot be, what was counted is printed.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crosscheck::features::features;
use crosscheck::{Agreement, Dice, agree, generate};
use gdl::{ReadOptions, Rulebook, Source};
use serde::Serialize;
use store::{HeldFile, HoldError};
use verdict::{Engine, Stop};

use super::log::{Disagreement, Ends, Log, Section};
use super::{formulas, programs, pursue};
use crate::args::{CrosscheckArgs, RandomArgs};
use crate::asking::Patience;
use crate::commands::write_object;
use crate::failure::{Failure, Status};
use crate::report::answer::Asked;
use crate::report::{human, trouble};
use crate::{interrupt, lineup};

/// Time of one engine for one question, where the user says nothing.
const ASK_TIME: Duration = Duration::from_secs(10);
/// How often the log is written.
const SAVE_PACE: Duration = Duration::from_secs(5);
/// States of a game of which the features are read off its plays.
const FEATURE_STATES: usize = 5_000;
/// One game of so many may come back.
const RECURRENT_SHARE: u64 = 10;
/// Formulas, and programs, that are compared between two games.
const BATCH: u64 = 5;

/// Compares, and prints what was counted.
pub(super) fn run(args: &CrosscheckArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let path = args.random.log.as_deref();
    let _held = path.map(hold).transpose()?.flatten();
    let mut keeper =
        Keeper { log: Log::open(path, args.random.seed)?, path, saved: Instant::now() };
    check_seeds(args, &keeper.log)?;
    let engines = lineup::variants(args)?;
    keeper.save()?;
    let done = compare_all(args, &engines, &mut keeper);
    let saved = keeper.save();
    let log = keeper.log;
    let is_whole = matches!(done, Ok(true));
    if args.json {
        write_object(out, &Told { log: &log, whole: is_whole })?;
    } else {
        log.show(out)?;
        if !is_whole {
            writeln!(out, "ended early")?;
        }
    }
    // What hours have counted is told before what ended them.
    if let Some(failure) = done.err().or(saved.err()) {
        out.flush()?;
        let text = trouble::text(&failure, trouble::colored());
        std::io::stderr().write_all(text.as_bytes()).ok();
        return Ok(failure.status());
    }
    Ok(if is_whole && log.is_clean() { Status::Answered } else { Status::Halted })
}

/// `crosscheck --random --json`.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    log: &'a Log,
    /// Whether all that was asked for is counted; else the run was ended early.
    whole: bool,
}

/// Keeps other runs off a log, since each would write over what the other counted.
fn hold(path: &Path) -> Result<Option<HeldFile>, Failure> {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if std::fs::metadata(&real).is_ok_and(|held| !held.is_file()) {
        return Ok(None);
    }
    match HeldFile::take(&real) {
        Ok(held) => Ok(Some(held)),
        Err(HoldError::Held) => Err(Failure::Environment(format!(
            "another run counts in {}: wait for its end, or name another file",
            path.display()
        ))),
        // What is wrong with the file is told when it is read or written.
        Err(HoldError::System(_)) => Ok(None),
    }
}

/// Refuses more things than there are seeds from the first one on.
fn check_seeds(args: &CrosscheckArgs, log: &Log) -> Result<(), Failure> {
    let RandomArgs { random, formulas, programs, .. } = &args.random;
    let most = random.max(formulas).max(programs).unwrap_or(0);
    if log.seed.checked_add(most).is_some() {
        return Ok(());
    }
    let message = format!("there are no {most} seeds from {} on", log.seed);
    Err(Failure::input("usage", message).note(format!("`--seed` is at most {}", u64::MAX - most)))
}

/// The log with the time it was last written.
struct Keeper<'a> {
    log: Log,
    path: Option<&'a Path>,
    saved: Instant,
}

impl Keeper<'_> {
    /// Counts the time since the last call, and writes the log.
    fn save(&mut self) -> Result<(), Failure> {
        self.log.seconds += self.saved.elapsed().as_secs_f64();
        self.saved = Instant::now();
        self.path.map_or(Ok(()), |path| self.log.save(path))
    }

    /// Writes the log now and then; whether the run is to go on.
    fn goes_on(&mut self) -> Result<bool, Failure> {
        if self.saved.elapsed() > SAVE_PACE {
            self.save()?;
        }
        Ok(!interrupt::flag().load(Ordering::Relaxed))
    }
}

/// Compares what is not compared yet; whether that is everything.
fn compare_all(
    args: &CrosscheckArgs,
    engines: &[Box<dyn Engine>],
    keeper: &mut Keeper<'_>,
) -> Result<bool, Failure> {
    let engines: Vec<&dyn Engine> = engines.iter().map(|engine| &**engine).collect();
    let wanted = |count: Option<u64>| count.unwrap_or(0);
    let (games, formulas) = (wanted(args.random.random), wanted(args.random.formulas));
    let programs = wanted(args.random.programs);
    loop {
        let Log { seed, games: section, .. } = &mut keeper.log;
        let mut is_whole = section.done >= games;
        if section.done < games {
            compare_game(*seed + section.done, &engines, args, section)?;
        }
        for _ in 0..BATCH {
            let Log { seed, formulas: section, .. } = &mut keeper.log;
            if section.done < formulas {
                is_whole = false;
                let seed = *seed + section.done;
                let folder = args.shrink.as_deref();
                patience(args).watch(|watch| formulas::formula(seed, watch, section, folder))?;
            }
            let Log { seed, programs: section, .. } = &mut keeper.log;
            if section.done < programs {
                is_whole = false;
                let seed = *seed + section.done;
                let folder = args.shrink.as_deref();
                patience(args).watch(|watch| programs::program(seed, watch, section, folder))?;
            }
        }
        if is_whole || !keeper.goes_on()? {
            return Ok(is_whole);
        }
    }
}

fn patience(args: &CrosscheckArgs) -> Patience {
    let time = Some(args.limits.time.unwrap_or(ASK_TIME));
    Patience { started: Instant::now(), time, memory: args.limits.memory, shown: false }
}

/// The game of a seed.
fn game(seed: u64) -> (String, Arc<Rulebook>) {
    let (name, text) = match seed.is_multiple_of(RECURRENT_SHARE) {
        true => (format!("recurrent-{seed}"), generate::recurrent(seed)),
        false => (format!("game-{seed}"), generate::game(seed)),
    };
    let reading = gdl::read(Source::new(&name, &text), &ReadOptions::default());
    (name, Arc::new(reading.rulebook.expect("random games are well-formed")))
}

/// Compares the engines on one game, for one of its players.
fn compare_game(
    seed: u64,
    engines: &[&dyn Engine],
    args: &CrosscheckArgs,
    section: &mut Section,
) -> Result<(), Failure> {
    let (name, rulebook) = game(seed);
    let mut questions = generate::questions(seed, &rulebook);
    let drawn = Dice::new(seed).below(questions.len());
    let question = questions.swap_remove(drawn);
    let agreement = patience(args).watch(|watch| agree(&question, engines, watch));
    if interrupt::flag().load(Ordering::Relaxed) {
        // What an interrupt cut short is not counted: the seed comes again.
        return Ok(());
    }
    let found = features(&rulebook, FEATURE_STATES)
        .map_err(|fault| Failure::Game(Box::new(fault), None))?;
    let mut disagreement = None;
    if let Some(difference) = &agreement.disagreement {
        let pursued = pursue::pursue(&name, &question, difference, engines, args)?;
        let mut told = Vec::new();
        pursued.show(&mut told)?;
        let asked = human::question(&Asked::new(&name, &question, "all"));
        let text = format!("{name}, {asked}: {difference}\n{}", String::from_utf8_lossy(&told));
        disagreement = Some(Disagreement { seed, text, shrunk: pursued.path.clone() });
    }
    // All of it or nothing: a seed that failed on the way comes again, and is not counted twice.
    count(&agreement, section);
    section.disagreements.extend(disagreement);
    section.add_thing(found.into_iter().map(|one| one.text()));
    Ok(())
}

/// Counts how each engine ended, and whether two and more answered alike.
fn count(agreement: &Agreement, section: &mut Section) {
    section.asked += 1;
    for row in &agreement.rows {
        let Ends { exact, halted, faulty, absent } = section.engine(&row.engine);
        *match &row.result {
            Ok(_) => exact,
            Err(Stop::Halted(_)) => halted,
            Err(Stop::Faulty(_)) => faulty,
            Err(Stop::Environment(_)) => absent,
        } += 1;
    }
    let exact = agreement.rows.iter().filter(|row| row.result.is_ok()).count();
    section.agreed += u64::from(exact > 1 && agreement.disagreement.is_none());
}
