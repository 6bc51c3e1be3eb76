//! The table of a solve: where the sweep writes it, and what is left of it where only one side's
//! policy is asked for.

use std::path::{Path, PathBuf};

use crosscheck::certify;
use table::Table;
use verdict::Question;

use crate::args::DiskArgs;
use crate::asking::Patience;
use crate::commands::verify;
use crate::failure::Failure;
use crate::report::answer::Kept;

/// Where the sweep writes: beside the table, where a part of it becomes the table.
pub(crate) fn whole(disk: &DiskArgs) -> Option<PathBuf> {
    let path = disk.table.as_ref()?;
    if disk.policy.is_none() {
        return Some(path.clone());
    }
    let mut aside = std::ffi::OsString::from(".");
    aside.push(path.file_name().unwrap_or_default());
    aside.push(format!(".{}.whole", std::process::id()));
    Some(path.with_file_name(aside))
}

/// The table that an exact answer left, made what was asked for.
pub(crate) fn finish(
    disk: &DiskArgs,
    question: &Question,
    patience: &Patience,
) -> Result<Option<Kept>, Failure> {
    let Some((path, whole)) = disk.table.as_ref().zip(whole(disk)) else { return Ok(None) };
    if disk.policy.is_some() {
        let reduced = reduce(disk, (&whole, path), question, patience);
        // It is only a step on the way; what is wrong with it does not matter any more.
        std::fs::remove_file(&whole).ok();
        reduced?;
    }
    let table = verify::open(path)?;
    let (entries, bytes) = (table.entries(), table.bytes());
    Ok(Some(Kept { file: path.display().to_string(), entries, bytes }))
}

fn reduce(
    disk: &DiskArgs,
    (whole, path): (&Path, &Path),
    question: &Question,
    patience: &Patience,
) -> Result<(), Failure> {
    let Some(side) = disk.policy else { return Ok(()) };
    let table: Table = verify::open(whole)?;
    let (pair, side) = ((&table, question), side.into());
    let reduced = patience.watch(|watch| certify::reduce(pair, side, path, watch));
    reduced.map(drop).map_err(|refusal| verify::failure(refusal, path, None))
}
