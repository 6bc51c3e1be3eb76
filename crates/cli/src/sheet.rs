//! Opening what the user names: the bytes of a sheet, and the rulebook they mean.
//!
//! A sheet comes from a file or, as `-`, from standard input. What cannot be opened, is a folder
//! or is not text is refused in one line; everything else about a sheet is `gdl`'s to
//! say, with places. Warnings are printed here, once, and do not stop anything.

use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use gdl::{Diagnostic, ReadOptions, Reading, Rulebook, Severity, Source};

use crate::args::SheetArgs;
use crate::failure::{Failure, SheetFault};

/// Larger sheets are refused unread: no rulesheet is near it, and spans are 32 bits wide.
const MAX_SHEET_BYTES: u64 = 256 << 20;
/// The name under which `-` is reported.
const STDIN_NAME: &str = "<stdin>";

/// A sheet that was read without error.
pub(crate) struct Sheet {
    /// Its name and text.
    pub(crate) source: Source,
    /// What it means.
    pub(crate) rulebook: Rulebook,
    /// Warnings.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Opens and reads a sheet.
pub(crate) fn read(path: &Path, args: &SheetArgs) -> Result<Sheet, Failure> {
    let source = open(path)?;
    let Reading { rulebook, diagnostics, .. } = interpret(&source, args, false, false);
    match rulebook {
        Some(rulebook) => Ok(Sheet { source, rulebook, warnings: diagnostics }),
        None => {
            let is_error = |held: &Diagnostic| held.severity == Severity::Error;
            debug_assert!(diagnostics.iter().any(is_error), "a refused sheet has an error");
            Err(Failure::Sheet(Box::new(SheetFault { source, diagnostics })))
        }
    }
}

/// Opens and reads a sheet whose value is to be found: every role must see all that is done, or
/// the user must say that it is to be taken so.
pub(crate) fn read_open(path: &Path, args: &SheetArgs) -> Result<Sheet, Failure> {
    let sheet = read(path, args)?;
    if args.perfect_information || gdl::complete_information(&sheet.rulebook) {
        return Ok(sheet);
    }
    let name = &sheet.source.name;
    Err(Failure::input(
        "hidden-information",
        format!("{name} has `sees` rules that do not show every role every move"),
    )
    .note("a value with hidden information is another question, which is not answered here")
    .note("--perfect-information takes the game as if everything were seen"))
}

/// What a sheet means, and everything that is to be said about it.
pub(crate) fn interpret(source: &Source, args: &SheetArgs, strict: bool, advice: bool) -> Reading {
    let options = ReadOptions { case_sensitive: args.case_sensitive, strict, advice };
    gdl::read(source.clone(), &options)
}

/// The text of a sheet.
pub(crate) fn open(path: &Path) -> Result<Source, Failure> {
    open_as("sheet", path)
}

/// The text of a file; `kind` says what it should have been where it is none.
pub(crate) fn open_as(kind: &str, path: &Path) -> Result<Source, Failure> {
    decode(&name(path), &bytes_of(kind, path)?)
}

/// The bytes of a file; `kind` says what it should have been where it is a folder.
pub(crate) fn bytes_of(kind: &str, path: &Path) -> Result<Vec<u8>, Failure> {
    let name = name(path);
    match path == Path::new("-") {
        true => read_stdin(&name),
        false => read_file(kind, path, &name),
    }
}

/// What a sheet is called in reports.
pub(crate) fn name(path: &Path) -> String {
    if path == Path::new("-") { STDIN_NAME.to_owned() } else { path.display().to_string() }
}

/// Standard input can be read to its end once; a second `-` would find it empty.
fn read_stdin(name: &str) -> Result<Vec<u8>, Failure> {
    static IS_READ: AtomicBool = AtomicBool::new(false);
    if IS_READ.swap(true, Ordering::Relaxed) {
        let failure = Failure::input("stdin-read-twice", "standard input was already read");
        return Err(failure.note("`-` can be named once; give the other one as a file"));
    }
    read_bounded(std::io::stdin().lock(), name)
}

fn read_file(kind: &str, path: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    let file = std::fs::File::open(path).map_err(|error| unreadable(name, &error))?;
    let is_folder = file.metadata().is_ok_and(|data| data.is_dir());
    if is_folder {
        return Err(Failure::input("unreadable-file", format!("{name} is a folder, not a {kind}")));
    }
    read_bounded(file, name)
}

fn read_bounded(reader: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut bounded = reader.take(MAX_SHEET_BYTES + 1);
    bounded.read_to_end(&mut bytes).map_err(|error| unreadable(name, &error))?;
    if bytes.len() as u64 > MAX_SHEET_BYTES {
        let limit = crate::quantity::show_size(MAX_SHEET_BYTES);
        return Err(Failure::input("too-large", format!("{name} holds more than {limit}")));
    }
    Ok(bytes)
}

fn unreadable(name: &str, error: &std::io::Error) -> Failure {
    let (code, why) = match error.kind() {
        std::io::ErrorKind::NotFound => ("missing-file", "there is no such file".to_owned()),
        std::io::ErrorKind::PermissionDenied => {
            ("unreadable-file", "permission to read it is denied".to_owned())
        }
        std::io::ErrorKind::IsADirectory => ("unreadable-file", "it is a folder".to_owned()),
        _ => ("unreadable-file", error.to_string()),
    };
    Failure::input(code, format!("cannot read {name}: {why}"))
}

/// Bytes that are text.
fn decode(name: &str, bytes: &[u8]) -> Result<Source, Failure> {
    Source::from_bytes(name, bytes).map_err(|fault| {
        let failure = Failure::input(fault.code, fault.message);
        fault.notes.into_iter().fold(failure, Failure::note)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(result: Result<Source, Failure>) -> &'static str {
        match result {
            Err(Failure::Input(complaint)) => complaint.code,
            other => panic!("a complaint, not {other:?}"),
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(code(decode("f", &[0x7f, b'E', 0xff, 0xfe])), "not-text");
        assert_eq!(code(decode("f", &[b'(', 0, b')'])), "not-text");
    }

    #[test]
    fn a_missing_file_and_a_folder_are_told_apart() {
        assert_eq!(code(open(Path::new("/no/such/file"))), "missing-file");
        assert_eq!(code(open(&std::env::temp_dir())), "unreadable-file");
    }
}
