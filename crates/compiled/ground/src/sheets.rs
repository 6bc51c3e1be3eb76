//! Sheets for tests: text to a rulebook that must be well formed.

use gdl::{ReadOptions, Rulebook, Source, read};

/// Reads a sheet that has no fault.
pub(crate) fn rulebook(text: &str) -> Rulebook {
    let reading = read(Source::new("<test>", text), &ReadOptions::default());
    reading.rulebook.unwrap_or_else(|| panic!("refused: {:?}", reading.diagnostics))
}
