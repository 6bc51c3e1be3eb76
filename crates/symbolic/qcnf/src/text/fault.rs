//! What is wrong with a text: where, what, and what would be right.
//!
//! A fault carries a window of its line, so that it can be shown after the text was streamed by
//! and is gone. Faults are kept in the order of the text, the first [`FAULTS_SHOWN`] of them; the
//! others are counted, and cost neither time nor memory.

use std::fmt;

/// Faults that are kept, at most.
pub const FAULTS_SHOWN: usize = 20;

/// What is kept of a line before and after the first byte at fault.
const BEFORE_BYTES: usize = 50;
const AFTER_BYTES: usize = 80;
/// Carets under a fault, at most.
const CARETS: usize = 60;

/// A line of the text, from 1, and bytes of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) line: u64,
    pub(super) text: &'a [u8],
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A piece of a line with a caret under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text of the line around the fault, without control characters.
    pub text: String,
    /// Characters of the text before the first caret.
    pub indent: usize,
    /// How many carets; at least one.
    pub carets: usize,
}

/// One fault of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A stable short name, such as `never-quantified`.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The line, from 1.
    pub line: u64,
    /// The character of the line, from 1.
    pub column: u64,
    /// The place in its line.
    pub excerpt: Excerpt,
    /// What would be right and what to do; may be empty.
    pub hint: String,
}

impl Fault {
    pub(super) fn new(
        code: &'static str,
        place: Place<'_>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        debug_assert!(place.start <= place.end && place.start <= place.text.len());
        let (message, hint) = (message.into(), hint.into());
        let column = characters(&place.text[..place.start]) as u64 + 1;
        Self { code, message, line: place.line, column, excerpt: excerpt(place), hint }
    }
}

fn characters(bytes: &[u8]) -> usize {
    String::from_utf8_lossy(bytes).chars().count()
}

/// The window of the line; a mark stands where the line goes on.
fn excerpt(place: Place<'_>) -> Excerpt {
    let text = place.text.trim_ascii_end();
    let start = place.start.min(text.len());
    let (from, to) =
        (start.saturating_sub(BEFORE_BYTES), (start + AFTER_BYTES).min(text.len()).max(start));
    let before = if from > 0 { "…" } else { "" };
    let after = if to < text.len() { "…" } else { "" };
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(char::is_control, " ");
    let (left, right) = (shown(&text[from..start]), shown(&text[start..to]));
    let end = place.end.clamp(start, to);
    Excerpt {
        indent: before.chars().count() + left.chars().count(),
        carets: characters(&text[start..end]).clamp(1, CARETS),
        text: format!("{before}{left}{right}{after}"),
    }
}

/// The faults of a text: at least one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The first of them, in the order of the text.
    pub shown: Vec<Fault>,
    /// How many more there are.
    pub more: u64,
}

impl Faults {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Adds one, or counts it where enough are kept; then it is not even made.
    pub(super) fn add(&mut self, fault: impl FnOnce() -> Fault) {
        if self.shown.len() < FAULTS_SHOWN {
            self.shown.push(fault());
        } else {
            self.more += 1;
        }
        debug_assert!(self.more == 0 || self.shown.len() == FAULTS_SHOWN);
    }

    /// Whether one more would only be counted.
    pub(super) fn are_enough(&self) -> bool {
        self.shown.len() == FAULTS_SHOWN
    }

    /// All faults as text for people, each with its line and a caret under the place; `name` is
    /// the file's. With `color`, ANSI codes are in it.
    pub fn render(&self, name: &str, color: bool) -> String {
        let mut text: String = self.shown.iter().map(|fault| fault.render(name, color)).collect();
        if self.more > 0 {
            text.push_str(&format!("and {} more\n", self.more));
        }
        text
    }
}

impl Fault {
    /// This fault as text for people; see [`Faults::render`].
    pub fn render(&self, name: &str, color: bool) -> String {
        let [red, blue, bold, plain] =
            if color { ["\x1b[1;31m", "\x1b[1;34m", "\x1b[1m", "\x1b[0m"] } else { [""; 4] };
        let Self { code, message, line, column, excerpt, hint } = self;
        let gap = " ".repeat(line.to_string().len());
        let (indent, carets) = (" ".repeat(excerpt.indent), "^".repeat(excerpt.carets));
        let mut text = format!(
            "{red}error[{code}]{plain}{bold}: {message}{plain}\n\
             {gap} {blue}┌─{plain} {name}:{line}:{column}\n\
             {gap} {blue}│{plain}\n\
             {blue}{line} │{plain} {}\n\
             {gap} {blue}│{plain} {indent}{red}{carets}{plain}\n",
            excerpt.text
        );
        if !hint.is_empty() {
            text.push_str(&format!("{gap} {blue}={plain} {hint}\n"));
        }
        text.push('\n');
        text
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.shown.iter().enumerate() {
            write!(f, "{}{fault}", if at > 0 { "; " } else { "" })?;
        }
        if self.more > 0 { write!(f, "; and {} more", self.more) } else { Ok(()) }
    }
}

impl std::error::Error for Fault {}
impl std::error::Error for Faults {}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &[u8], start: usize, end: usize) -> Fault {
        Fault::new("sample", Place { line: 12, text, start, end }, "it is wrong", "write 7")
    }

    #[test]
    fn the_caret_stands_under_the_place() {
        let drawn = fault(b"e 1 22 3 0\r\n", 4, 6).render("f.sdimacs", false);
        let right = "error[sample]: it is wrong\n   ┌─ f.sdimacs:12:5\n   │\n12 │ e 1 22 3 0\n   \
                     │     ^^\n   = write 7\n\n";
        assert_eq!(drawn, right);
        assert!(fault(b"e 1", 0, 1).render("f", true).contains("\x1b[1;31m^"));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let line: Vec<u8> = (0..100_000).flat_map(|n: u32| format!("{n} ").into_bytes()).collect();
        let at = line.windows(7).position(|word| word == b" 50000 ").unwrap() + 1;
        let fault = fault(&line, at, at + 5);
        let Excerpt { text, indent, carets } = &fault.excerpt;
        let under: String = text.chars().skip(*indent).take(*carets).collect();
        assert_eq!((under.as_str(), fault.column), ("50000", at as u64 + 1));
        assert!(text.starts_with('…') && text.ends_with('…') && text.chars().count() < 140);
    }

    #[test]
    fn places_past_the_end_and_bytes_that_are_no_text_are_shown() {
        let end = fault(b"1 2", 3, 3);
        assert_eq!((end.column, end.excerpt.indent, end.excerpt.carets), (4, 3, 1));
        let junk = fault(b"\x00\xff\xfe1", 3, 4);
        assert_eq!((junk.column, junk.excerpt.text.as_str()), (4, " \u{fffd}\u{fffd}1"));
    }

    #[test]
    fn faults_past_the_bound_are_counted() {
        let mut faults = Faults::default();
        (0..FAULTS_SHOWN + 3).for_each(|_| faults.add(|| fault(b"x", 0, 1)));
        assert_eq!((faults.shown.len(), faults.more), (FAULTS_SHOWN, 3));
        assert!(faults.render("f", false).ends_with("and 3 more\n"));
        assert!(faults.to_string().ends_with("; and 3 more"));
    }
}
