//! One file a command. Each takes its flags and a writer, and returns a status or a failure.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod crosscheck;
pub(crate) mod devices;
mod explain;
pub(crate) mod fmt;
mod formula;
pub(crate) mod generate;
pub(crate) mod inspect;
pub(crate) mod perft;
pub(crate) mod play;
mod players;
pub(crate) mod query;
pub(crate) mod solve;
pub(crate) mod sqasp;
mod trace;
pub(crate) mod translate;
pub(crate) mod verify;
pub(crate) mod xssat;

use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::failure::Failure;

/// Writes an object and a line end.
fn write_object(out: &mut dyn Write, object: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, object).map_err(std::io::Error::from)?;
    Ok(writeln!(out)?)
}

/// Writes a text to the named file, or to standard output.
fn write_text(out: &mut dyn Write, target: Option<&Path>, text: &str) -> Result<(), Failure> {
    let Some(path) = target else { return Ok(out.write_all(text.as_bytes())?) };
    store::write_file(path, text.as_bytes())
        .map_err(|error| Failure::Environment(format!("cannot write {}: {error}", path.display())))
}

/// Refuses a file to write to where nothing is asked for that could be written to it: an answer goes
/// to standard output.
fn refuse_output(target: Option<&Path>, is_written: bool) -> Result<(), Failure> {
    match target {
        Some(path) if !is_written => {
            let message = format!(
                "--output {} is for a form to write: say which with --to, or put `> {0}` behind the \
                 command for the answer",
                path.display()
            );
            Err(Failure::input("usage", message))
        }
        _ => Ok(()),
    }
}

/// Refuses flags that only `--to sdimacs` heeds, where another form is asked for.
fn refuse_of_sdimacs(is_sdimacs: bool, flags: &[(&str, bool)]) -> Result<(), Failure> {
    match flags.iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) if !is_sdimacs => {
            Err(Failure::input("usage", format!("{flag} is for `--to sdimacs`")))
        }
        _ => Ok(()),
    }
}

/// Prints lines of advice on standard error; a closed one is nobody's loss.
fn print_notes(notes: &[String]) {
    let mut out = std::io::stderr().lock();
    for note in notes {
        writeln!(out, "note: {note}").ok();
    }
}
