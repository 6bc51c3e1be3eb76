//! Where diagnostics stand, for editors: line, column and byte of both ends of each place.
//!
//! Lines and columns count from 1, columns in characters; bytes count from 0, and an end is one
//! past the last character. A line ends at `\n`, `\r\n` or a lone `\r`, as the reader of sheets
//! takes them. All places of a sheet are found in one walk over its text.

use std::collections::BTreeMap;

use gdl::{Diagnostic, Source, Span};
use serde::Serialize;

/// A point in a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Position {
    /// Line, from 1.
    line: usize,
    /// Column in characters, from 1.
    column: usize,
    /// Offset in bytes, from 0.
    byte: usize,
}

/// A part of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Range {
    /// The first character.
    start: Position,
    /// One past the last character.
    end: Position,
}

/// The positions of all ends of labels of a sheet's diagnostics.
pub(crate) struct Positions {
    found: BTreeMap<usize, Position>,
    len: usize,
}

impl Positions {
    /// Finds them.
    pub(crate) fn of<'d>(
        source: &Source,
        diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
    ) -> Self {
        let len = source.text.len();
        let mut found = BTreeMap::new();
        for label in diagnostics.into_iter().flat_map(|held| &held.labels) {
            for byte in [label.span.start, label.span.end].map(|byte| (byte as usize).min(len)) {
                found.insert(byte, Position { line: 1, column: 1, byte });
            }
        }
        walk(&source.text, &mut found);
        Self { found, len }
    }

    /// Where a label stands.
    pub(crate) fn range(&self, span: Span) -> Option<Range> {
        let at = |byte: u32| self.found.get(&(byte as usize).min(self.len)).copied();
        let range = Range { start: at(span.start)?, end: at(span.end)? };
        debug_assert!(range.start.byte <= range.end.byte);
        Some(range)
    }
}

/// Puts line and column to each byte asked for.
fn walk(text: &str, found: &mut BTreeMap<usize, Position>) {
    let (mut line, mut column) = (1, 1);
    let mut asked = found.values_mut().peekable();
    let ends = std::iter::once((text.len(), '\0'));
    for (byte, letter) in text.char_indices().chain(ends) {
        while let Some(position) = asked.next_if(|position| position.byte <= byte) {
            (position.line, position.column) = (line, column);
        }
        let ends_line = letter == '\n' || (letter == '\r' && !text[byte + 1..].starts_with('\n'));
        (line, column) = if ends_line { (line + 1, 1) } else { (line, column + 1) };
    }
    assert!(asked.peek().is_none(), "a position beyond the text");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_line_ends_count_and_columns_are_characters() {
        let source = Source::new("s", "a\nb\r\nc\rdé x");
        let mut fault = Diagnostic::error("c", "m");
        for (start, end) in [(0, 1), (2, 3), (5, 6), (7, 11), (12, 99)] {
            fault = fault.label(Span::new(start, end), "");
        }
        let positions = Positions::of(&source, [&fault]);
        let shown: Vec<[usize; 6]> = fault
            .labels
            .iter()
            .filter_map(|label| positions.range(label.span))
            .map(|Range { start: s, end: e }| [s.line, s.column, s.byte, e.line, e.column, e.byte])
            .collect();
        assert_eq!(
            shown,
            [
                [1, 1, 0, 1, 2, 1],
                [2, 1, 2, 2, 2, 3],
                [3, 1, 5, 3, 2, 6],
                [4, 1, 7, 4, 4, 11],
                [4, 5, 12, 4, 5, 12]
            ]
        );
    }
}
