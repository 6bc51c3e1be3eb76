//! Failures, for people (standard error, with source lines and carets) and for programs (an
//! `error` object on standard output).
//!
//! Both say the same: a stable code, what is wrong, where, the states that show it, what to do.

use std::fmt::Write as _;
use std::io::IsTerminal;

use gdl::{Diagnostic, Label, Severity, Source};
use serde::Serialize;
use verdict::Fault;

use super::answer::reason;
use super::place::{Place, place};
use super::visible::visible;
use crate::failure::{Failure, SheetFault};

/// Longest path of states that is printed whole; of a longer one the middle is left out.
const SHOWN_STATES: usize = 12;

/// Whether messages on standard error may be coloured.
pub(crate) fn colored() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}

/// A failure as text; empty where there is nobody to read it.
pub(crate) fn text(failure: &Failure, color: bool) -> String {
    match failure {
        Failure::Sheet(fault) => sheet_text(fault, color),
        Failure::Game(fault, source) => game_text(fault, source.as_ref(), color),
        Failure::Input(complaint) => plain(&complaint.message, &complaint.notes),
        Failure::Environment(message) => plain(message, &[]),
        Failure::Unread(limit) => plain(&unread(limit), &[]),
        Failure::ClosedPipe => String::new(),
    }
}

fn plain(message: &str, notes: &[String]) -> String {
    let mut text = format!("error: {}\n", visible(message));
    for note in notes {
        text += &format!("  = {}\n", visible(note));
    }
    text
}

fn unread(limit: &verdict::HaltReason) -> String {
    format!("{} before there was anything to write", reason(limit).1)
}

/// Diagnostics with their places, under a name that is safe to show.
pub(crate) fn rendered(diagnostics: &[Diagnostic], source: &Source, color: bool) -> String {
    let name = visible(&source.name).into();
    gdl::render(diagnostics, &Source { name, text: source.text.clone() }, color)
}

fn sheet_text(fault: &SheetFault, color: bool) -> String {
    let mut text = rendered(&fault.diagnostics, &fault.source, color);
    text += &summary(&fault.source.name, &fault.diagnostics);
    text.push('\n');
    text
}

/// `games/x.gdl: 2 errors, 1 warning`.
pub(crate) fn summary(name: &str, diagnostics: &[Diagnostic]) -> String {
    let count = |severity| diagnostics.iter().filter(|held| held.severity == severity).count();
    let plural = |count: usize, word: &str| match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    };
    let kinds = [Severity::Error, Severity::Warning, Severity::Note];
    let counted: Vec<String> = kinds
        .into_iter()
        .filter(|severity| count(*severity) > 0)
        .map(|severity| plural(count(severity), severity_name(severity)))
        .collect();
    let name = visible(name);
    match counted.as_slice() {
        [] => format!("{name}: no faults"),
        _ => format!("{name}: {}", counted.join(", ")),
    }
}

fn game_text(fault: &Fault, source: Option<&Source>, color: bool) -> String {
    let diagnostics = [diagnostic(fault)];
    let mut text = match (source, fault.span) {
        (Some(source), Some(_)) => rendered(&diagnostics, source, color),
        _ => plain(&fault.message, &fault.notes),
    };
    write_states(&mut text, &fault.states);
    if let Some(source) = source {
        text += &summary(&source.name, &diagnostics);
        text.push('\n');
    }
    text
}

/// A fault of the rules as a diagnostic of the sheet.
pub(crate) fn diagnostic(fault: &Fault) -> Diagnostic {
    let labels = fault.span.map(|span| Label { span, text: String::new() });
    Diagnostic {
        severity: Severity::Error,
        code: fault.code,
        message: fault.message.clone(),
        labels: labels.into_iter().collect(),
        notes: fault.notes.clone(),
    }
}

/// The path of states, numbered where there are several.
fn write_states(text: &mut String, states: &[String]) {
    match states {
        [] => {}
        [state] => *text += &format!("  state: {state}\n"),
        _ => {
            let skipped = states.len().saturating_sub(SHOWN_STATES);
            let front = (states.len() - skipped).div_ceil(2);
            *text += "  path:\n";
            for (place, state) in states.iter().enumerate() {
                if place == front && skipped > 0 {
                    *text += &format!("    ... {skipped} more ...\n");
                }
                if place < front || place >= front + skipped {
                    // Writing to a string cannot fail.
                    writeln!(text, "    {:>3}. {state}", place + 1).ok();
                }
            }
        }
    }
}

/// `{ "error": ... }`.
#[derive(Serialize)]
pub(crate) struct ErrorObject {
    error: ErrorBody,
}

/// What `error` holds.
#[derive(Serialize)]
struct ErrorBody {
    code: String,
    message: String,
    exit_status: u8,
    place: Option<Place>,
    notes: Vec<String>,
    states: Vec<String>,
    diagnostics: Vec<DiagnosticObject>,
}

/// One diagnostic of a sheet.
#[derive(Serialize)]
pub(crate) struct DiagnosticObject {
    severity: &'static str,
    code: &'static str,
    message: String,
    place: Option<Place>,
    notes: Vec<String>,
}

/// A failure as an object.
pub(crate) fn object(failure: &Failure) -> ErrorObject {
    let status = failure.status() as u8;
    let body = |code: &str, message: &str, notes: &[String]| ErrorBody {
        code: code.to_owned(),
        message: message.to_owned(),
        exit_status: status,
        place: None,
        notes: notes.to_vec(),
        states: Vec::new(),
        diagnostics: Vec::new(),
    };
    let error = match failure {
        Failure::Sheet(fault) => ErrorBody {
            diagnostics: objects(&fault.source, &fault.diagnostics),
            ..body("sheet", &summary(&fault.source.name, &fault.diagnostics), &[])
        },
        Failure::Game(fault, source) => ErrorBody {
            place: source.as_ref().zip(fault.span).map(|(source, span)| place(source, span)),
            states: fault.states.clone(),
            ..body(fault.code, &fault.message, &fault.notes)
        },
        Failure::Input(complaint) => body(complaint.code, &complaint.message, &complaint.notes),
        Failure::Unread(limit) => body("limit", &unread(limit), &[]),
        Failure::Environment(message) => body("environment", message, &[]),
        Failure::ClosedPipe => body("closed-pipe", "the output is closed", &[]),
    };
    ErrorObject { error }
}

/// The first thing that is wrong: its stable name, and what it is with its line where it has one.
pub(crate) fn first(failure: &Failure) -> (String, String) {
    let error = object(failure).error;
    let at_line = |message: String, place: Option<&Place>| match place {
        Some(place) => format!("line {}: {message}", place.line),
        None => message,
    };
    match error.diagnostics.into_iter().find(|held| held.severity == "error") {
        Some(held) => (held.code.to_owned(), at_line(held.message, held.place.as_ref())),
        None => (error.code, at_line(error.message, error.place.as_ref())),
    }
}

/// How bad a diagnostic is, as objects name it.
pub(crate) fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// The diagnostics of a sheet as objects.
pub(crate) fn objects(source: &Source, diagnostics: &[Diagnostic]) -> Vec<DiagnosticObject> {
    let object = |held: &Diagnostic| DiagnosticObject {
        severity: severity_name(held.severity),
        code: held.code,
        message: held.message.clone(),
        place: held.labels.first().map(|label| place(source, label.span)),
        notes: held.notes.clone(),
    };
    diagnostics.iter().map(object).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(states: usize) -> Failure {
        let states = (1..=states).map(|number| format!("(step {number})")).collect();
        let message = "the game does not end".to_owned();
        let fault = Fault { code: "cycle", message, states, span: None, notes: vec!["x".into()] };
        Failure::Game(Box::new(fault), None)
    }

    #[test]
    fn a_path_of_states_is_numbered_and_a_long_one_is_cut_in_the_middle() {
        let short = text(&fault(2), false);
        assert!(short.contains("  1. (step 1)") && short.contains("  2. (step 2)"), "{short}");
        let long = text(&fault(40), false);
        assert!(long.contains("... 28 more ..."), "{long}");
        assert!(long.contains(" 40. (step 40)") && !long.contains("(step 20)"), "{long}");
    }

    #[test]
    fn a_name_cannot_steer_the_terminal_and_a_fault_is_counted_below() {
        let source = Source::new("a\u{1b}[31m.gdl", "(role x)");
        let span = Some(gdl::Span { start: 1, end: 5 });
        let fault =
            Fault { code: "c", message: "m".into(), states: Vec::new(), span, notes: Vec::new() };
        let shown = text(&Failure::Game(Box::new(fault), Some(source)), false);
        assert!(shown.ends_with("a\\u{1b}[31m.gdl: 1 error\n"), "{shown}");
        assert!(shown.contains("a\\u{1b}[31m.gdl:1:2") && !shown.contains('\u{1b}'), "{shown}");
    }

    #[test]
    fn an_error_object_carries_code_status_and_states() {
        let value = serde_json::to_value(object(&fault(1))).unwrap();
        assert_eq!(value["error"]["code"], "cycle");
        assert_eq!(value["error"]["exit_status"], 2);
        assert_eq!(value["error"]["states"][0], "(step 1)");
    }
}
