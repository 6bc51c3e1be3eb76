//! `oddsmith verify`: a table and its rules in, a proof or the first entry that is wrong out.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use crosscheck::certify::{self, Objection, Proof, Refusal};
use exact::Ratio;
use gdl::Source;
use serde::Serialize;
use table::{Table, TableFault};
use verdict::{HaltReason, Question};

use super::{print_notes, write_object};
use crate::args::{SheetArgs, VerifyArgs};
use crate::asking::Patience;
use crate::failure::{Complaint, Failure, Status};
use crate::quantity::{group_thousands, show_count, show_duration, show_size};
use crate::report::answer::Asked;
use crate::report::claimed::{ClaimObject, row, value_text};
use crate::report::human;
use crate::{memory, question, reading, sheet};

/// `verify --json`; described by `schema/verify.schema.json`.
#[derive(Serialize)]
struct VerifyObject {
    game: String,
    table: String,
    #[serde(flatten)]
    claim: ClaimObject,
    opponents: Vec<String>,
    /// Null where a limit was met before the end.
    proven: Option<bool>,
    /// Whether it is the value, or a bound: one side's policy proves one, and so does the whole table of
    /// a game in which both sides choose in one step. Null where that is not known.
    bound: Option<&'static str>,
    simultaneous: Option<bool>,
    value: Option<String>,
    entries: u64,
    /// Entries that were derived and stand as they are written; null where one does not.
    derived: Option<u64>,
    layers: usize,
    bytes: u64,
    passed: Option<u64>,
    objection: Option<ObjectionObject>,
    halted: Option<String>,
    threads: usize,
    seconds: f64,
    entries_per_second: Option<f64>,
    peak_bytes: Option<u64>,
}

/// What is wrong.
#[derive(Serialize)]
struct ObjectionObject {
    code: &'static str,
    message: String,
    step: Option<u32>,
    entry: Option<u64>,
    state: Option<String>,
    written: Option<String>,
    derived: Option<String>,
}

/// What is verified.
struct Posed {
    source: Source,
    table: Table,
    question: Question,
}

/// Proves or refuses.
pub(crate) fn run(
    args: &VerifyArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    memory::check_limit(args.limits.memory)?;
    let patience =
        Patience { started, time: args.limits.time, memory: args.limits.memory, shown: !args.json };
    let owned = args.clone();
    let Posed { source, table, question } = reading::within(&patience, move || pose(&owned))?;
    let threads = args.threads.map_or_else(usual_threads, usize::from);
    let begun = Instant::now();
    let ended = patience.watch(|watch| certify::certify(&table, &question, threads, watch));
    let seconds = begun.elapsed().as_secs_f64();
    let asked = Asked::new(&source.name, &question, "reference");
    let claim =
        ClaimObject::of(&table).map_err(|fault| failure(fault.into(), &args.table, None))?;
    let mut object = object(args, &table, claim, started);
    (object.threads, object.opponents) = (threads, asked.opponents);
    match ended {
        Ok(proof) => {
            let rate = proof.entries as f64 / seconds.max(1e-9);
            object.simultaneous = Some(proof.simultaneous);
            let whole = if proof.simultaneous { "at least" } else { "exact" };
            object.bound = Some(object.claim.bound().unwrap_or(whole));
            if args.json {
                object.proven = Some(true);
                object.value = Some(proof.value.to_string());
                (object.derived, object.passed) = (Some(proof.entries), Some(proof.passed));
                object.entries_per_second = Some(rate);
                write_object(out, &object)?;
            } else {
                write_proof(out, &proof, &object, rate)?;
                out.flush()?;
                if proof.simultaneous {
                    print_notes(&[human::simultaneous_note(&table.claim().role)]);
                }
            }
            Ok(Status::Answered)
        }
        Err(Refusal::Halted(reason, done)) => {
            let message = halted(&reason, done, table.entries());
            if args.json {
                (object.derived, object.halted) = (Some(done), Some(message));
                write_object(out, &object)?;
            } else {
                row(out, "question", &object.claim.sentence(&object.opponents))?;
                object.claim.write(out)?;
                row(out, "verified", "not to the end")?;
                out.flush()?;
                print_notes(&[message]);
            }
            Ok(Status::Halted)
        }
        Err(Refusal::Objection(objection)) if args.json => {
            object.proven = Some(false);
            object.objection = Some(ObjectionObject::from(*objection));
            write_object(out, &object)?;
            Ok(Status::Input)
        }
        Err(refusal) => Err(failure(refusal, &args.table, Some(source))),
    }
}

fn usual_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Reads the rules and opens the table.
fn pose(args: &VerifyArgs) -> Result<Posed, Failure> {
    let flags = SheetArgs { case_sensitive: args.case_sensitive, ..SheetArgs::default() };
    let held = sheet::read(&args.game.game, &flags)?;
    let table = open(&args.table)?;
    let rulebook = Arc::new(held.rulebook);
    let question = certify::claimed(&table, &rulebook)
        .map_err(|refusal| failure(refusal, &args.table, None))?;
    refuse_other(args, &question)?;
    Ok(Posed { source: held.source, table, question })
}

/// Refuses a table whose question is not the one that the flags name.
fn refuse_other(args: &VerifyArgs, claimed: &Question) -> Result<(), Failure> {
    let book = &claimed.rulebook;
    let mut flags = args.expected.question();
    let (role, objective) = (flags.role.clone(), flags.objective);
    let (horizon, names_chance) = (flags.horizon, !flags.chance.is_empty());
    flags.role = role.or_else(|| Some(book.role_name(claimed.role).to_owned()));
    let expected = question::one(book, &flags, None)?;
    let names = |roles: &Question| {
        let names: Vec<&str> = roles.chance.iter().map(|role| book.role_name(role)).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(" and ") }
    };
    let steps = |horizon: Option<u32>| horizon.map_or("none".to_owned(), |steps| steps.to_string());
    let pair = [claimed, &expected];
    let [is, expected_is] = if claimed.role != expected.role {
        pair.map(|held| format!("about `{}`", book.role_name(held.role)))
    } else if objective.is_some() && claimed.objective != expected.objective {
        pair.map(|held| format!("with the objective {:?}", held.objective).to_lowercase())
    } else if horizon.is_some() && claimed.horizon != expected.horizon {
        pair.map(|held| format!("with the horizon {}", steps(held.horizon)))
    } else if names_chance && claimed.chance != expected.chance {
        pair.map(|held| format!("with chance roles {}", names(held)))
    } else {
        return Ok(());
    };
    let message = format!("{} is {is}, not {expected_is}", args.table.display());
    Err(Failure::input("other-question", message).note(
        "what `verify` proves is the question in the table; the flags only say what it must be",
    ))
}

/// Opens a table.
pub(crate) fn open(path: &std::path::Path) -> Result<Table, Failure> {
    let name = path.display();
    Table::open(path).map_err(|fault| match fault {
        TableFault::System(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Failure::input("missing-file", format!("cannot read {name}: there is no such file"))
        }
        TableFault::System(error) => Failure::Environment(format!("cannot read {name}: {error}")),
        TableFault::Damaged(what) => {
            Failure::input("damaged-table", format!("{name} is no whole table: {what}"))
                .note("`oddsmith solve GAME --table FILE` writes one")
        }
    })
}

pub(crate) fn failure(refusal: Refusal, path: &std::path::Path, source: Option<Source>) -> Failure {
    let name = path.display();
    match refusal {
        Refusal::Faulty(fault) => Failure::Game(fault, source),
        Refusal::Environment(what) => Failure::Environment(format!("{name}: {what}")),
        Refusal::Halted(reason, _) => Failure::Unread(reason),
        Refusal::Objection(objection) => {
            let Objection { code, message, entry, state, written, derived } = *objection;
            let place = entry.map(|(step, at)| format!("in the layer of step {step}, entry {at}"));
            let notes = [
                place,
                state.map(|state| format!("the state: {state}")),
                written.map(|text| format!("written: {text}")),
                derived.map(|text| format!("derived: {text}")),
            ];
            Failure::Input(Complaint {
                code,
                message: format!("{name} is not proven: {message}"),
                notes: notes.into_iter().flatten().collect(),
            })
        }
    }
}

impl From<Objection> for ObjectionObject {
    fn from(objection: Objection) -> Self {
        let Objection { code, message, entry, state, written, derived } = objection;
        let (step, entry) = entry.unzip();
        Self { code, message, step, entry, state, written, derived }
    }
}

fn object(args: &VerifyArgs, table: &Table, claim: ClaimObject, started: Instant) -> VerifyObject {
    VerifyObject {
        game: sheet::name(&args.game.game),
        table: args.table.display().to_string(),
        bound: claim.bound(),
        claim,
        opponents: Vec::new(),
        proven: None,
        simultaneous: None,
        value: None,
        entries: table.entries(),
        derived: None,
        layers: table.layers().len(),
        bytes: table.bytes(),
        passed: None,
        objection: None,
        halted: None,
        threads: 1,
        seconds: started.elapsed().as_secs_f64(),
        entries_per_second: None,
        peak_bytes: store::peak_bytes(),
    }
}

fn halted(reason: &HaltReason, done: u64, entries: u64) -> String {
    let limit = match reason {
        HaltReason::Time => "the time limit was met".to_owned(),
        HaltReason::Memory { needed } => format!("more than {} are needed", show_size(*needed)),
        _ => "it was interrupted".to_owned(),
    };
    format!(
        "{limit}: {} of {} were derived as they are written",
        show_count(done),
        match entries {
            1 => "1 entry".to_owned(),
            _ => format!("{} entries", show_count(entries)),
        }
    )
}

fn write_proof(
    out: &mut dyn Write,
    proof: &Proof,
    object: &VerifyObject,
    rate: f64,
) -> Result<(), Failure> {
    assert!(proof.value.is_probability(), "a proven value is a probability");
    row(out, "proven", &object.claim.sentence(&object.opponents))?;
    object.claim.write(out)?;
    let bound = object.bound.filter(|bound| *bound != "exact");
    row(out, "value", &value_text(bound, &proof.value))?;
    let passed = match proof.passed {
        0 => String::new(),
        passed => format!("; {} between layers gone through by the rules", show_count(passed)),
    };
    let entries = format!("{} in {} layers", show_count(proof.entries), proof.layers);
    row(out, "entries", &format!("{entries}, each derived from those that follow it{passed}"))?;
    row(out, "table", &size_text(object.bytes, proof.entries))?;
    let time = show_duration(std::time::Duration::from_secs_f64(object.seconds));
    let rate = group_thousands(&format!("{}", rate.round() as u64));
    Ok(row(out, "time", &format!("{time}, {rate} entries/s on {} threads", object.threads))?)
}

/// The size of a table for people.
pub(super) fn size_text(bytes: u64, entries: u64) -> String {
    let each = Ratio::new(bytes, entries.max(1));
    format!("{} bytes, {} an entry", show_count(bytes), each.decimal(2))
}
