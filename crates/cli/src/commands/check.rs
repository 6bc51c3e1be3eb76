//! `oddsmith check`: everything that is wrong with a sheet, at once, without visiting a state.
//!
//! Reading finds the faults of the text; grounding, which follows only where reading found none,
//! finds domains that grow and goals out of range; the network is built as well, so that a sheet
//! that passes can be solved as far as its rules go. A file that cannot be read counts as a fault
//! of that file and does not keep the others from being checked.

use std::io::Write;
use std::path::Path;

use gdl::{Diagnostic, Severity, Source};
use serde::Serialize;

use super::write_object;
use crate::args::CheckArgs;
use crate::failure::{Failure, Status};
use crate::report::trouble::{self, DiagnosticObject, ErrorObject};
use crate::sheet;

/// `check --json`.
#[derive(Serialize)]
struct CheckObject {
    sheets: Vec<SheetObject>,
}

/// One sheet of `check --json`.
#[derive(Serialize)]
struct SheetObject {
    game: String,
    passed: bool,
    diagnostics: Vec<DiagnosticObject>,
    #[serde(flatten)]
    unreadable: Option<ErrorObject>,
}

/// Checks all sheets.
pub(crate) fn run(args: &CheckArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut sheets = Vec::new();
    for path in &args.games.games {
        let (object, text) = check(path, args);
        if !args.json {
            out.write_all(text.as_bytes())?;
        }
        sheets.push(object);
    }
    let passed = sheets.iter().all(|sheet| sheet.passed);
    if args.json {
        write_object(out, &CheckObject { sheets })?;
    }
    Ok(if passed { Status::Answered } else { Status::Input })
}

/// One sheet, as an object and as text.
fn check(path: &Path, args: &CheckArgs) -> (SheetObject, String) {
    let source = match sheet::open(path) {
        Ok(source) => source,
        Err(failure) => return unreadable(path, &failure),
    };
    let diagnostics = diagnose(&source, args);
    let worst = if args.strict { Severity::Warning } else { Severity::Error };
    let passed = diagnostics.iter().all(|held| held.severity < worst);
    debug_assert!(passed || !diagnostics.is_empty(), "a sheet fails for a reason");
    // The diagnostics are this command's answer: they go to standard output, without colours.
    let mut text = trouble::rendered(&diagnostics, &source, false);
    text += &trouble::summary(&source.name, &diagnostics);
    text.push('\n');
    let game = source.name.to_string();
    let diagnostics = trouble::objects(&source, &diagnostics);
    (SheetObject { game, passed, diagnostics, unreadable: None }, text)
}

fn unreadable(path: &Path, failure: &Failure) -> (SheetObject, String) {
    let object = SheetObject {
        game: path.display().to_string(),
        passed: false,
        diagnostics: Vec::new(),
        unreadable: Some(trouble::object(failure)),
    };
    (object, trouble::text(failure, false))
}

/// What reading, grounding and building the network say.
fn diagnose(source: &Source, args: &CheckArgs) -> Vec<Diagnostic> {
    let reading = sheet::interpret(source, &args.sheet, args.strict);
    let mut diagnostics = reading.diagnostics;
    if let Some(rulebook) = reading.rulebook
        && let Err(fault) = super::translate::network(&rulebook, &args.sheet)
    {
        diagnostics.push(trouble::diagnostic(&fault));
    }
    diagnostics
}
