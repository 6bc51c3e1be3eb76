//! Lines and columns of a place in a sheet, for programs that show it in an editor.
//!
//! Both count from 1; a column counts characters. A line ends at `\n`, `\r\n` or a lone `\r`, as
//! the reader of sheets takes them.

use gdl::{Source, Span};
use serde::Serialize;

/// A place in a sheet.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Place {
    /// The sheet's name.
    pub(crate) file: String,
    /// Line, from 1.
    pub(crate) line: usize,
    /// Column in characters, from 1.
    pub(crate) column: usize,
}

/// Where a span begins.
pub(crate) fn place(source: &Source, span: Span) -> Place {
    let start = (span.start as usize).min(source.text.len());
    debug_assert!(source.text.is_char_boundary(start), "a span begins at a character");
    let before = &source.text[..start];
    let ends = |(at, end): (usize, char)| {
        end == '\n' || (end == '\r' && !source.text[at + 1..].starts_with('\n'))
    };
    let line = before.char_indices().filter(|held| ends(*held)).count() + 1;
    let begin = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    Place { file: source.name.to_string(), line, column: before[begin..].chars().count() + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_line_ends_count() {
        let source = Source { name: "s".into(), text: "a\nb\r\nc\rdé x".into() };
        let at = |byte: u32| {
            let held = place(&source, Span { start: byte, end: byte });
            (held.line, held.column)
        };
        assert_eq!([at(0), at(2), at(5), at(7)], [(1, 1), (2, 1), (3, 1), (4, 1)]);
        assert_eq!(at(11), (4, 4));
        assert_eq!(at(99), (4, 5));
    }
}
