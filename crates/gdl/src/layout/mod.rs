//! The canonical layout of a sheet: the same tokens and the same comments in other lines.
//!
//! Always: what is read from the page is what is read from the sheet, token by token in the
//! spelling of the author, and comment by comment, each behind the same token and at the end of
//! its line or on a line of its own; this is asserted before a page is handed out. The layout of a
//! page is that page. It takes every sheet whose parentheses and quotations match, whatever its
//! rules say: an author lays out to see what is wrong. White space at line ends, the byte order
//! mark, tabs and CR go; of several empty lines one stays. Cost: linear in the text, one form in
//! memory at a time beside text and page.

mod measure;
mod page;
mod pieces;

use measure::Measured;
use page::Page;
use pieces::{Kind, Piece, Pieces};

use crate::read::unreadable;
use crate::span::SHEET_LIMIT_BYTES;
use crate::{Diagnostic, tree};

/// Lays a sheet out: a rule has a line for its head and for each literal, a fact stands on one
/// line, and no line is longer than 100 characters where words and comments allow.
///
/// # Errors
/// Every parenthesis and quotation without its other half, with its place; a text with control
/// characters, or one whose page would be longer than a sheet may be.
///
/// # Panics
/// Never, unless this module is wrong: it then prefers to end over losing a word.
pub fn layout(text: &str) -> Result<String, Vec<Diagnostic>> {
    if let Some(fault) = unreadable(text) {
        return Err(vec![fault]);
    }
    let page = write(text)?;
    assert!(is_same_sheet(text, &page), "a layout that changes a token or a comment");
    Ok(page)
}

fn write(text: &str) -> Result<String, Vec<Diagnostic>> {
    let mut page = Page::new(text);
    let mut measured = Measured::default();
    let mut unit: Vec<Piece> = Vec::new();
    let mut depth = 0_usize;
    for piece in Pieces::new(text) {
        depth = match piece.kind {
            Kind::Open => depth + 1,
            Kind::Close => depth.checked_sub(1).ok_or_else(|| unmatched(text))?,
            Kind::OpenQuote => return Err(unmatched(text)),
            _ => depth,
        };
        unit.push(piece);
        if depth == 0 {
            measured.measure(text, &unit);
            page.write(&unit, &measured);
            unit.clear();
            if page.out.len() > SHEET_LIMIT_BYTES {
                return Err(vec![too_long()]);
            }
        }
    }
    if depth > 0 { Err(unmatched(text)) } else { Ok(page.finish()) }
}

/// What the reader says about parentheses and quotations that do not match.
fn unmatched(text: &str) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    tree::grow(text, &mut faults);
    faults.retain(|fault| fault.code != "too-deep");
    assert!(!faults.is_empty(), "the reader sees what does not match");
    faults
}

fn too_long() -> Diagnostic {
    let message = format!("the sheet would be longer than {SHEET_LIMIT_BYTES} bytes once laid out");
    Diagnostic::error("too-long", message).note("its parentheses nest too deeply to be indented")
}

/// Whether two texts hold the same tokens and comments, and the same comments begin lines.
fn is_same_sheet(one: &str, other: &str) -> bool {
    fn shape(text: &str) -> impl Iterator<Item = (Kind, &str, bool)> {
        Pieces::new(text).map(move |piece| {
            let own_line = piece.kind == Kind::Comment && piece.begins_line();
            (piece.kind, piece.span.of(text), own_line)
        })
    }
    shape(one).eq(shape(other))
}

#[cfg(test)]
mod tests;
