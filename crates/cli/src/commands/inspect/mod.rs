//! `oddsmith inspect`: a game compiled stage by stage, then played beside its rules.
//!
//! Two parts, each under limits of its own: compiling, which `--time` and `--memory` end, and the
//! comparison of random plays, which `--play-time` ends. What is known when a limit is met is
//! reported: the stage that was under way, and what the stages before it made.

mod record;
mod steps;

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crosscheck::walk::{self, Trouble};
use gdl::Rulebook;
use kernel::{Isa, Machine};
use net::Net;

use super::write_object;
use crate::args::InspectArgs;
use crate::asking::Patience;
use crate::failure::{Failure, Status};
use crate::report::{answer, trouble};
use crate::sheet::Sheet;
use crate::{memory, reading, sheet};
use record::{Record, Stage};
use steps::Stepped;

/// Lanes of the compiled game, in words of 64: plays take the lanes in turn.
const WORDS: usize = 1;
/// The comparison is given up in the middle of a state after this many times its limit.
const GRACE: u32 = 3;

/// What is known so far; the work writes it, whoever watches the limits reads it.
type Known = Arc<Mutex<Record>>;

/// Compiles, compares and prints.
pub(crate) fn run(
    args: &InspectArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    memory::check_limit(args.limits.memory)?;
    let known = Arc::new(Mutex::new(Record::new(&sheet::name(&args.game.game))));
    let ended = inspect(args, started, &known);
    let mut record = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let status = settle(ended, &mut record, args.json)?;
    if args.json {
        write_object(out, &record)?;
    } else if record.result != record::REFUSED {
        out.write_all(record.text().as_bytes())?;
    }
    Ok(status)
}

/// How the inspection ended, written into the record; a refusal as text is told like any other.
fn settle(ended: Result<(), Failure>, record: &mut Record, json: bool) -> Result<Status, Failure> {
    match ended {
        Ok(()) if record.result == record::DIFFERS => Ok(Status::Halted),
        Ok(()) => Ok(Status::Answered),
        Err(Failure::Unread(limit)) => {
            let (code, _) = answer::reason(&limit);
            record.halt(code);
            Ok(Status::Halted)
        }
        Err(failure) if failure.status() == Status::Input && json => {
            let (code, message) = trouble::first(&failure);
            record.refuse(&code, &message);
            Ok(Status::Input)
        }
        Err(failure) => Err(failure),
    }
}

fn inspect(args: &InspectArgs, started: Instant, known: &Known) -> Result<(), Failure> {
    let patience =
        |started, time| Patience { started, time, memory: args.limits.memory, shown: false };
    let (work, shared) = (args.clone(), Arc::clone(known));
    let compiled = move || compile(&work, &shared);
    let (held, net, machine) = reading::within(&patience(started, args.limits.time), compiled)?;
    let limits = walk::Limits {
        plays: args.plays as usize,
        steps: args.steps as usize,
        seed: args.seed,
        deadline: Some(Instant::now() + args.play_time),
    };
    let hard = args.play_time.saturating_mul(GRACE) + Duration::from_secs(1);
    let shared = Arc::clone(known);
    let compared = move || compare(held, Stepped::new(net, machine), &limits, &shared);
    match reading::within(&patience(Instant::now(), Some(hard)), compared) {
        // The compiled game stands, and what was compared agreed: the rules take long for a state.
        Err(Failure::Unread(_)) => {
            note(known, Record::give_up_comparing);
            Ok(())
        }
        ended => ended,
    }
}

/// Writes into the record.
fn note<T>(known: &Known, write: impl FnOnce(&mut Record) -> T) -> T {
    write(&mut known.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Runs a stage and notes the time it took: that of one core, where the system tells it.
fn timed<T>(known: &Known, stage: Stage, work: impl FnOnce() -> T) -> T {
    note(known, |record| record.begin(stage));
    let (begun, ran) = (Instant::now(), store::thread_time());
    let result = work();
    let ran = ran.zip(store::thread_time()).map(|(before, after)| after.saturating_sub(before));
    note(known, |record| record.end(stage, ran.unwrap_or_else(|| begun.elapsed())));
    result
}

/// From text to kernel.
fn compile(args: &InspectArgs, known: &Known) -> Result<(Sheet, Arc<Net>, Machine), Failure> {
    let held = timed(known, Stage::Read, || sheet::read(&args.game.game, &args.sheet))?;
    note(known, |record| record.see_sheet(&held.rulebook));
    let faulty = |fault| Failure::Game(fault, Some(held.source.clone()));
    let rules =
        timed(known, Stage::Ground, || super::translate::ground_rules(&held.rulebook, &args.sheet))
            .map_err(faulty)?;
    note(known, |record| record.see_rules(&rules));
    let net = timed(known, Stage::Network, || super::translate::lower(&rules)).map_err(faulty)?;
    note(known, |record| record.gates = Some(net.gates.len() as u64));
    let net = Arc::new(net);
    let machine =
        timed(known, Stage::Kernel, || Machine::new(Arc::clone(&net), Isa::detect(), WORDS));
    note(known, |record| record.peak_bytes = store::peak_bytes());
    Ok((held, net, machine))
}

/// Plays the compiled game beside the rules.
fn compare(
    held: Sheet,
    mut stepped: Stepped,
    limits: &walk::Limits,
    known: &Known,
) -> Result<(), Failure> {
    let Sheet { source, rulebook, .. } = held;
    let rulebook: Arc<Rulebook> = Arc::new(rulebook);
    let mut hear = |compared: &walk::Compared| note(known, |record| record.compared(compared));
    let walked =
        timed(known, Stage::Compare, || walk::walk(&rulebook, &mut stepped, limits, &mut hear));
    match walked {
        Ok(compared) => {
            note(known, |record| record.agree(&compared));
            Ok(())
        }
        Err(Trouble::Differs(how)) => {
            note(known, |record| record.differ(how));
            Ok(())
        }
        Err(Trouble::Rules(fault)) => Err(Failure::Game(fault, Some(source))),
    }
}
