//! Places in the text, and what is said about them.

use std::sync::Arc;

/// A half-open range of bytes of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
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
