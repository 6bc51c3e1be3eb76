//! The table of a solve: where the sweep writes it, and what is left of it where only one side's
//! policy is asked for.
//!
//! Always: what is wrong with a table is told beside the answer, which stands without it; the file that
//! is only a step on the way is gone when the question ends, however.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crosscheck::certify::{self, Refusal};
use table::{Side, Table};
use verdict::Question;

use crate::args::DiskArgs;
use crate::asking::Patience;
use crate::commands::verify;
use crate::failure::{Failure, Status};
use crate::interrupt;
use crate::report::answer::{Kept, Lost, reason};
use crate::report::trouble;

/// Refuses a table that no file can become.
pub(crate) fn check(disk: &DiskArgs) -> Result<(), Failure> {
    match &disk.table {
        Some(path) if path.is_dir() => {
            let message = format!("--table {} is a folder", path.display());
            Err(Failure::input("usage", message).note("name a file for the table"))
        }
        _ => Ok(()),
    }
}

/// A table in the making, if one is asked for.
pub(crate) struct Making {
    path: Option<PathBuf>,
    /// The whole table beside it, and whose part becomes the table.
    aside: Option<(PathBuf, Side)>,
    unwritten: Arc<Mutex<Option<String>>>,
}

impl Making {
    /// What the flags ask for.
    pub(crate) fn new(disk: &DiskArgs) -> Self {
        let path = disk.table.clone();
        let aside = path.as_ref().zip(disk.policy).map(|(path, side)| {
            let mut name = std::ffi::OsString::from(".");
            name.push(path.file_name().unwrap_or_default());
            name.push(format!(".{}.whole", std::process::id()));
            (path.with_file_name(name), side.into())
        });
        interrupt::set_aside(aside.as_ref().map(|(whole, _)| whole.clone()));
        Self { path, aside, unwritten: Arc::default() }
    }

    /// Where the sweep writes: beside the table, where a part of it becomes the table.
    pub(crate) fn whole(&self) -> Option<PathBuf> {
        let aside = self.aside.as_ref().map(|(whole, _)| whole.clone());
        aside.or_else(|| self.path.clone())
    }

    /// Where the sweep tells why it could not.
    pub(crate) fn unwritten(&self) -> Arc<Mutex<Option<String>>> {
        Arc::clone(&self.unwritten)
    }

    /// The table that an exact answer left, made what was asked for.
    pub(crate) fn finish(
        &self,
        question: &Question,
        patience: &Patience,
    ) -> Result<Option<Kept>, Lost> {
        let Some(path) = &self.path else { return Ok(None) };
        let unwritten = self.unwritten.lock().ok().and_then(|mut held| held.take());
        if let Some(message) = unwritten {
            return Err(lost(&Failure::Environment(message)));
        }
        if let Some((whole, side)) = &self.aside {
            reduce((whole, path), *side, question, patience)?;
        }
        let table = verify::open(path).map_err(|failure| lost(&failure))?;
        let (entries, bytes) = (table.entries(), table.bytes());
        Ok(Some(Kept { file: path.display().to_string(), entries, bytes }))
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        if let Some((whole, _)) = &self.aside {
            // Where the sweep did not come so far there is none.
            std::fs::remove_file(whole).ok();
            interrupt::set_aside(None);
        }
    }
}

fn lost(failure: &Failure) -> Lost {
    let (code, message) = trouble::first(failure);
    Lost { code, message, status: failure.status() }
}

fn reduce(
    (whole, path): (&Path, &Path),
    side: Side,
    question: &Question,
    patience: &Patience,
) -> Result<(), Lost> {
    let table: Table = verify::open(whole).map_err(|failure| lost(&failure))?;
    let pair = (&table, question);
    let reduced = patience.watch(|watch| certify::reduce(pair, side, path, watch));
    reduced.map(drop).map_err(|refusal| match refusal {
        Refusal::Halted(limit, _) => {
            let (code, message) = reason(&limit);
            Lost { code: code.to_owned(), message, status: Status::Halted }
        }
        Refusal::Objection(why) => {
            Lost { code: why.code.to_owned(), message: why.message, status: Status::Input }
        }
        refusal => lost(&verify::failure(refusal, path, None)),
    })
}
