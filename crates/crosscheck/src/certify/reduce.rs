//! The part of a table that one side's policy reaches: enough to prove a bound from that side.
//!
//! Where the side chooses, it makes the first of its marked moves; all others may do what they like.
//! Values stay as they are: what the side leaves out is no better for it.

use std::collections::BTreeSet;
use std::path::Path;

use table::{Choice, Claim, MoveName, Side, Table, Writer, Written};
use verdict::{HaltReason, Question, Watch};

use super::entry::Checker;
use super::names::Names;
use super::{Objection, Refusal, Seen};

/// Bytes of blocks that are kept, and of entries that wait to be written.
const BYTES: u64 = 64 << 20;
/// Entries between two looks at the memory.
const LOOK_EVERY: u64 = 256;

/// Writes that part of a table of this question.
///
/// # Errors
/// When the table does not hold what it should, a limit is met, or the system refuses: then there
/// is no file. Where both sides choose in one step, the opponents have no policy of this kind.
pub fn reduce(
    (table, question): (&Table, &Question),
    side: Side,
    path: &Path,
    watch: &Watch<'_>,
) -> Result<Written, Refusal> {
    if table.claim().policy.is_some() {
        return Err(Objection::new("is-policy", "the table is a policy's already").into());
    }
    let (names, seen) = (Names::new(table, question)?, Seen::none(table));
    let look = || keep_watch(watch, 0);
    let mut checker = Checker::new(table, question, &names, BYTES, &seen)?.watched(&look);
    let mut reached: Vec<BTreeSet<Vec<u64>>> = vec![BTreeSet::new(); table.layers().len()];
    reached[0].insert(table.block(0, 0)?.key(0).to_vec());
    let mut done = 0;
    for layer in 0..reached.len() {
        for key in reached[layer].clone() {
            keep_watch(watch, done)?;
            done += 1;
            for (below, child) in checker.followed(layer, &key, side)? {
                reached[below].insert(child);
            }
        }
    }
    let failed = |error: std::io::Error| Refusal::Environment(format!("cannot write: {error}"));
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut writer = Writer::create(path, table.layout().clone(), folder, BYTES).map_err(failed)?;
    for (layer, keys) in reached.iter().enumerate().rev().filter(|(_, keys)| !keys.is_empty()) {
        let held = &table.layers()[layer];
        writer.begin(held.step, held.denominator.clone());
        for key in keys {
            keep_watch(watch, done)?;
            let (numerator, choice) = checker.kept(layer, key, side)?;
            writer.push(key, &numerator, &choice).map_err(failed)?;
        }
        writer.end().map_err(failed)?;
    }
    let unnamed = || MoveName { role: String::new(), text: String::new() };
    let name = |id: u32| table.move_of(id).cloned().unwrap_or_else(unnamed);
    let claim = Claim { policy: Some(side), ..table.claim().clone() };
    writer.finish(&claim, name).map_err(failed)
}

/// Looks at the limits before an entry.
fn keep_watch(watch: &Watch<'_>, done: u64) -> Result<(), Refusal> {
    if watch.interrupted() {
        return Err(Refusal::Halted(HaltReason::Interrupt, done));
    }
    if watch.spent() > 1.0 {
        return Err(Refusal::Halted(HaltReason::Time, done));
    }
    let held = done.is_multiple_of(LOOK_EVERY).then(store::resident_bytes).flatten();
    match watch.memory.zip(held) {
        Some((limit, held)) if held > limit => {
            Err(Refusal::Halted(HaltReason::Memory { needed: held }, done))
        }
        _ => Ok(()),
    }
}

/// The first of the best joint choices, alone; nothing where nobody chooses.
pub(super) fn first(choice: &Choice) -> Choice {
    let moves = choice.each().next().map(<[u32]>::to_vec).unwrap_or_default();
    Choice { choosers: choice.choosers, moves }
}
