//! Facts of a generated sheet, several a line.
//!
//! No line is wider than [`WIDTH`] unless one fact alone is.

use std::fmt::Write as _;

/// Columns of a line of facts.
const WIDTH: usize = 96;

/// `(name first) .. (name last)`, wrapped, each line ended. Empty where `first > last`.
pub(super) fn numbered(name: &str, first: u32, last: u32) -> String {
    wrapped((first..=last).map(|number| format!("({name} {number})")))
}

/// `(succ first first+1) .. (succ last-1 last)`, wrapped, each line ended.
pub(super) fn successors(first: u32, last: u32) -> String {
    wrapped((first..last).map(|number| format!("(succ {number} {})", number + 1)))
}

fn wrapped(facts: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut width = 0;
    for fact in facts {
        if width > 0 && width + 1 + fact.len() > WIDTH {
            text.push('\n');
            width = 0;
        }
        let gap = if width == 0 { "" } else { " " };
        let _ = write!(text, "{gap}{fact}");
        width += gap.len() + fact.len();
    }
    if width > 0 {
        text.push('\n');
    }
    debug_assert!(text.is_empty() || text.ends_with('\n'));
    text
}
