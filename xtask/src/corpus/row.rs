//! What one run of `oddsmith inspect --json` said.
//!
//! The object is flat and printed one field a line, so that it is read without a library: a field
//! is a quoted name, a colon, and a number, a text or `null`.

use std::collections::BTreeMap;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The compiled game and the rules showed the same.
    Agrees,
    /// They did not: a fault of ours.
    Differs,
    /// The sheet is no well-formed game.
    Refused,
    /// A limit was met.
    Halted,
    /// The run did not end by itself, or not with a report: a fault of ours.
    Broken,
}

/// One sheet.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Its name, relative to the folder.
    pub(super) sheet: String,
    pub(super) outcome: Outcome,
    fields: BTreeMap<String, String>,
}

impl Row {
    /// The row of a run by what it printed.
    pub(super) fn of_report(sheet: &str, report: &str) -> Self {
        let fields = fields(report);
        let outcome = match fields.get("result").map(String::as_str) {
            Some("agrees") => Outcome::Agrees,
            Some("differs") => Outcome::Differs,
            Some("refused") => Outcome::Refused,
            // What was compiled only ran out of time before a first state was compared.
            Some("halted" | "compiled") => Outcome::Halted,
            _ => return Self::broken(sheet, "it ended without a report"),
        };
        Self { sheet: sheet.to_owned(), outcome, fields }
    }

    /// The row of a run that has no report.
    pub(super) fn broken(sheet: &str, why: &str) -> Self {
        let fields = BTreeMap::from([("reason".to_owned(), why.to_owned())]);
        Self { sheet: sheet.to_owned(), outcome: Outcome::Broken, fields }
    }

    /// A field; none where it is null or missing.
    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str)
    }

    pub(super) fn count(&self, field: &str) -> Option<u64> {
        self.text(field)?.parse().ok()
    }

    pub(super) fn seconds(&self, stage: &str) -> Option<f64> {
        self.text(&format!("{stage}_seconds"))?.parse().ok()
    }

    /// Time from text to kernel, where the kernel was built.
    pub(super) fn to_kernel(&self) -> Option<f64> {
        super::report::STAGES.iter().map(|stage| self.seconds(stage)).sum()
    }

    /// Whether this shows a fault of the program and not of the sheet.
    pub(super) fn is_our_fault(&self) -> bool {
        matches!(self.outcome, Outcome::Differs | Outcome::Broken)
    }

    pub(super) fn result(&self) -> &'static str {
        match self.outcome {
            Outcome::Agrees => "agrees",
            Outcome::Differs => "DIFFERS",
            Outcome::Refused => "refused",
            Outcome::Halted => "halted",
            Outcome::Broken => "BROKEN",
        }
    }

    /// The row in a line.
    pub(super) fn line(&self) -> String {
        let reason = self.text("reason").map_or(String::new(), |reason| format!(": {reason}"));
        format!("{} {}{reason}", self.sheet, self.result())
    }
}

/// The fields of a flat object that stands one field a line.
fn fields(report: &str) -> BTreeMap<String, String> {
    report.lines().filter_map(field).collect()
}

fn field(line: &str) -> Option<(String, String)> {
    let line = line.trim().strip_prefix('"')?;
    let (name, value) = line.split_once("\": ")?;
    let value = value.strip_suffix(',').unwrap_or(value);
    if value == "null" {
        return None;
    }
    let text = match value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(quoted) => unescaped(quoted),
        None => value.to_owned(),
    };
    Some((name.to_owned(), text))
}

fn unescaped(quoted: &str) -> String {
    let mut text = String::new();
    let mut rest = quoted.chars();
    while let Some(next) = rest.next() {
        text.push(match next {
            '\\' => match rest.next() {
                Some('n' | 't' | 'r') => ' ',
                Some('u') => hexadecimal(rest.by_ref().take(4)),
                Some(other) => other,
                None => '\\',
            },
            plain => plain,
        });
    }
    text
}

fn hexadecimal(digits: impl Iterator<Item = char>) -> char {
    let code = digits.fold(0, |code, digit| 16 * code + digit.to_digit(16).unwrap_or(0));
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "{\n  \"game\": \"a\",\n  \"result\": \"halted\",\n  \"code\": \"time\",\n  \
                          \"reason\": \"a \\\"b\\\"\\u0041\\n\",\n  \"gates\": null,\n  \
                          \"read_seconds\": 0.25,\n  \"moves\": 12\n}\n";

    #[test]
    fn a_report_becomes_a_row() {
        let row = Row::of_report("a.gdl", REPORT);
        assert_eq!((row.outcome.clone(), row.is_our_fault()), (Outcome::Halted, false));
        assert_eq!(row.text("reason"), Some("a \"b\"A "));
        assert_eq!((row.count("moves"), row.count("gates")), (Some(12), None));
        assert_eq!((row.seconds("read"), row.to_kernel()), (Some(0.25), None));
    }

    #[test]
    fn what_is_no_report_is_a_fault_of_ours() {
        for text in ["", "killed", "{\n  \"result\": \"elsewise\"\n}"] {
            assert!(Row::of_report("a.gdl", text).is_our_fault());
        }
    }
}
