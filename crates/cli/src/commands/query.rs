//! `oddsmith query`: a table and a state in, its value and best moves out. No rules are read.

use std::io::Write;
use std::path::Path;

use exact::Ratio;
use index::Id;
use serde::Serialize;
use table::{Choice, Lookup, PropId, Table, TableFault};

use super::verify::open;
use super::write_object;
use crate::args::QueryArgs;
use crate::failure::{Failure, Status};
use crate::report::claimed::{ClaimObject, facts_text, row, value_text};
use crate::report::visible::visible;
use crate::sheet;

/// Bytes of blocks that are kept: a state is looked up once.
const BLOCK_BYTES: u64 = 1 << 20;

/// `query --json`; described by `schema/query.schema.json`.
#[derive(Serialize)]
struct QueryObject {
    table: String,
    #[serde(flatten)]
    claim: ClaimObject,
    /// What the values are: null where the table holds the whole game.
    bound: Option<&'static str>,
    state: Vec<String>,
    /// The state after each number of steps after which the table has it.
    found: Vec<FoundObject>,
}

/// The state after so many steps.
#[derive(Serialize)]
struct FoundObject {
    step: u32,
    value: String,
    /// Best joint choices of those who choose; empty where nobody does.
    best: Vec<Vec<MoveObject>>,
}

/// Somebody's move.
#[derive(Clone, Serialize)]
struct MoveObject {
    role: String,
    r#move: String,
}

/// Looks up and prints.
pub(crate) fn run(args: &QueryArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let table = open(&args.table)?;
    let state = match &args.state {
        Some(text) => parse(text, &table)?,
        None => table.root().map_err(|fault| damaged(fault, &args.table))?,
    };
    let found = find(args, &table, &state)?;
    if found.is_empty() {
        return Err(not_there(args));
    }
    let object = object(args, &table, &state, found)?;
    if args.json {
        write_object(out, &object)?;
    } else {
        write(out, &object)?;
    }
    Ok(Status::Answered)
}

fn not_there(args: &QueryArgs) -> Failure {
    let after = args.step.map_or(String::new(), |step| format!(" after {step} steps"));
    let message = format!("{} has no such state{after}", args.table.display());
    Failure::input("not-in-table", message)
        .note("no play leads to it, or it waits for chance alone and is passed through")
}

fn damaged(fault: TableFault, path: &Path) -> Failure {
    match fault {
        TableFault::System(error) => {
            Failure::Environment(format!("cannot read {}: {error}", path.display()))
        }
        TableFault::Damaged(what) => {
            Failure::input("damaged-table", format!("{} is damaged: {what}", path.display()))
        }
    }
}

/// The propositions that a text lists.
fn parse(text: &str, table: &Table) -> Result<Vec<PropId>, Failure> {
    let source = match text.strip_prefix('@') {
        Some(path) => sheet::open_as("state file", Path::new(path))?.text.to_string(),
        None => text.to_owned(),
    };
    let facts = table::facts(&source).ok_or_else(|| {
        Failure::input(
            "bad-state",
            "the state is no list of facts: a parenthesis is missing, or they nest too deep",
        )
    })?;
    let layout = table.layout();
    let mut state = Vec::new();
    for fact in facts {
        let prop = layout.named(&fact).or_else(|| layout.named(&fact.to_lowercase()));
        state.push(prop.ok_or_else(|| {
            let message = format!("`{}` holds in no state of the table", visible(&fact));
            let near = gdl::nearest(&fact, layout.names().iter().map(String::as_str));
            let failure = Failure::input("unknown-proposition", message);
            match near {
                Some(near) => failure.note(format!("did you mean `{near}`?")),
                None => failure,
            }
        })?);
    }
    state.sort_unstable();
    state.dedup();
    Ok(state)
}

fn find(args: &QueryArgs, table: &Table, state: &[PropId]) -> Result<Vec<FoundObject>, Failure> {
    let Some(key) = table.layout().key(state) else { return Ok(Vec::new()) };
    let mut lookup = Lookup::new(table, BLOCK_BYTES);
    let mut found = Vec::new();
    let layers = table.layers().iter().enumerate();
    for (at, layer) in layers.filter(|(_, layer)| args.step.is_none_or(|step| step == layer.step)) {
        let entry = lookup.find(at, &key).map_err(|fault| damaged(fault, &args.table))?;
        if let Some(entry) = entry {
            let value = lookup.value(&entry);
            if !value.is_probability() {
                return Err(Failure::input("damaged-table", "a value is no probability"));
            }
            let best = best(table, entry.choice())?;
            found.push(FoundObject { step: layer.step, value: value.to_string(), best });
        }
    }
    Ok(found)
}

fn best(table: &Table, choice: &Choice) -> Result<Vec<Vec<MoveObject>>, Failure> {
    let name = |id: &u32| {
        let held = table.move_of(*id);
        let held = held.ok_or_else(|| Failure::input("damaged-table", "a move has no name"))?;
        Ok(MoveObject { role: held.role.clone(), r#move: held.text.clone() })
    };
    choice.each().map(|joint| joint.iter().map(name).collect()).collect()
}

fn object(
    args: &QueryArgs,
    table: &Table,
    state: &[PropId],
    found: Vec<FoundObject>,
) -> Result<QueryObject, Failure> {
    let claim = ClaimObject::of(table).map_err(|fault| damaged(fault, &args.table))?;
    assert!(state.iter().all(|prop| prop.index() < table.layout().names().len()), "known names");
    Ok(QueryObject {
        table: args.table.display().to_string(),
        bound: claim.bound(),
        claim,
        state: state.iter().map(|prop| table.layout().names()[*prop].clone()).collect(),
        found,
    })
}

fn write(out: &mut dyn Write, object: &QueryObject) -> Result<(), Failure> {
    row(out, "question", &object.claim.sentence(&[]))?;
    object.claim.write(out)?;
    row(out, "state", &facts_text(&object.state))?;
    for found in &object.found {
        row(out, "step", &found.step.to_string())?;
        let value: Ratio = found.value.parse().expect("a fraction was written");
        row(out, "value", &value_text(object.bound, &value))?;
        for (place, joint) in found.best.iter().enumerate() {
            let moves: Vec<String> =
                joint.iter().map(|held| format!("{}: {}", held.role, held.r#move)).collect();
            let label = if place == 0 { "best" } else { "" };
            row(out, label, &visible(&moves.join(", ")))?;
        }
    }
    Ok(())
}
