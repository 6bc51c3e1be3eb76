//! Places in the text, and what is said about them.

use std::sync::Arc;

/// A half-open range of bytes of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A sheet's name, as the user gave it, and its text.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path or `<stdin>`.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something that may well be meant so.
    Note,
    /// The sheet is used, but something in it looks wrong.
    Warning,
    /// The sheet is refused.
    Error,
}

/// A place with a word on it; the first label of a diagnostic is the main one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is said beside the caret; may be empty.
    pub text: String,
}

/// One fault or oddity of a sheet: what, where, what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Warning or error.
    pub severity: Severity,
    /// A stable short name, such as `unsafe-variable`.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where.
    pub labels: Vec<Label>,
    /// What would be right and what to do.
    pub notes: Vec<String>,
}

/// Longest sheet that is read, in bytes: spans are 32 bits wide.
pub const SHEET_LIMIT_BYTES: usize = (u32::MAX / 2) as usize;

impl Span {
    /// The range from `start` up to `end`, in bytes.
    ///
    /// # Panics
    /// When the range is reversed or does not fit in 32 bits.
    pub fn new(start: usize, end: usize) -> Self {
        assert!(start <= end && end <= u32::MAX as usize, "a span that is no range");
        Self { start: start as u32, end: end as u32 }
    }

    /// The least span that holds both.
    pub fn cover(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The text of the span; empty where the span lies outside.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

impl Source {
    /// A sheet of this name from text that is already known to be text.
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// A sheet from the bytes of a file. A byte order mark is kept, so that spans are places in
    /// the file.
    ///
    /// # Errors
    /// A diagnostic without a label when the bytes are not UTF-8 text, hold a control character
    /// or are too many; it names the byte at fault.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, Diagnostic> {
        if bytes.len() > SHEET_LIMIT_BYTES {
            return Err(too_long(name, bytes.len()));
        }
        let text = std::str::from_utf8(bytes).map_err(|fault| not_utf8(name, bytes, &fault))?;
        match control_character(text) {
            Some(at) => Err(control_fault(name, at, text.as_bytes()[at])),
            None => Ok(Self::new(name, text)),
        }
    }
}

/// Where the text first holds a control character that is not white space.
pub(crate) fn control_character(text: &str) -> Option<usize> {
    text.bytes().position(|byte| byte == 0x7f || (byte < 0x20 && !(9..=13).contains(&byte)))
}

fn too_long(name: &str, len: usize) -> Diagnostic {
    Diagnostic::error("too-long", format!("`{name}` is too long: {len} bytes"))
        .note(format!("a sheet may have at most {SHEET_LIMIT_BYTES} bytes"))
}

fn not_utf8(name: &str, bytes: &[u8], fault: &std::str::Utf8Error) -> Diagnostic {
    let at = fault.valid_up_to();
    let byte = bytes.get(at).copied().unwrap_or(0);
    let message = format!("`{name}` is not text: byte {at} (0x{byte:02x}) is not UTF-8");
    let hint = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        "the file looks like UTF-16; save it as UTF-8"
    } else {
        "what is wanted is a text file in UTF-8"
    };
    Diagnostic::error("not-text", message).note(hint)
}

fn control_fault(name: &str, at: usize, byte: u8) -> Diagnostic {
    let message = format!("`{name}` is not text: byte {at} is the control character 0x{byte:02x}");
    Diagnostic::error("not-text", message).note("what is wanted is a text file in UTF-8")
}

impl Diagnostic {
    /// An error that says what is wrong; labels and notes are added to it.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::of_severity(Severity::Error, code, message.into())
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::of_severity(Severity::Warning, code, message.into())
    }

    pub(crate) fn of_severity(severity: Severity, code: &'static str, message: String) -> Self {
        debug_assert!(!message.is_empty() && !code.contains(' '));
        Self { severity, code, message, labels: Vec::new(), notes: Vec::new() }
    }

    /// The same with one more place; the first one is the main one.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        debug_assert!(span.start <= span.end);
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// The same with one more note: what would be right, what to do.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Whether the sheet is refused because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_position() {
        let zero = Source::from_bytes("z", b"(role a)\0").unwrap_err();
        assert_eq!(zero.code, "not-text");
        assert!(zero.message.contains("byte 8 "), "{}", zero.message);
        let junk = Source::from_bytes("j", &[b'(', 0xc3, 0x28]).unwrap_err();
        assert!(junk.message.contains("byte 1 (0xc3)"), "{}", junk.message);
        let wide = Source::from_bytes("w", &[0xff, 0xfe, b'(', 0]).unwrap_err();
        assert!(wide.notes[0].contains("UTF-16"));
    }

    #[test]
    fn white_space_marks_and_letters_of_any_script_are_text() {
        let source = Source::from_bytes("s", "\u{feff}(role é)\t\r\n\x0b\x0c".as_bytes()).unwrap();
        assert_eq!(source.text.len(), 17);
        assert_eq!(Span::new(3, 8).of(&source.text), "(role");
    }
}
