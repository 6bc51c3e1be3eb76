//! How wide each part of a form would be on one line, and where its parentheses end.
//!
//! Widths are in characters and saturate: [`NEVER`] is the width of what cannot stand on one line,
//! because it holds a comment or a word that must end its line, because it is a rule with a body,
//! which is written a literal a line, or because an `and` or `or` stands directly in another one. Nesting is followed on a stack of our own. Cost:
//! linear, two passes.

use super::pieces::{Kind, Piece};
use crate::names::fold;

/// Wider than any line.
pub(super) const NEVER: u32 = u32::MAX;

/// A form (or a word outside all forms) with what its layout needs to know; by piece.
#[derive(Default)]
pub(super) struct Measured {
    /// Width of the word or of the whole list that begins here; 0 for the rest.
    pub(super) widths: Vec<u32>,
    /// Where the list that begins here ends; the piece itself for words and comments.
    pub(super) mates: Vec<u32>,
    /// Closing parentheses from the piece on, without anything between them.
    pub(super) closers: Vec<u32>,
    open: Vec<Open>,
}

/// A list that is being measured.
struct Open {
    at: usize,
    width: u32,
    elements: u32,
    is_rule: bool,
    /// Whether it is an `and` or an `or`.
    is_junction: bool,
}

impl Measured {
    /// Measures a form, whose parentheses match.
    pub(super) fn measure(&mut self, text: &str, pieces: &[Piece]) {
        self.widths.clear();
        self.widths.resize(pieces.len(), 0);
        self.mates.clear();
        self.mates.extend(0..pieces.len() as u32);
        for (at, piece) in pieces.iter().enumerate() {
            match piece.kind {
                Kind::Open => self.enter(text, pieces, at),
                Kind::Close => self.leave(at),
                Kind::Comment => self.forbid_line(),
                Kind::Word | Kind::OpenWord | Kind::OpenQuote => {
                    let word = piece.span.of(text);
                    self.widths[at] = u32::try_from(word.chars().count()).unwrap_or(NEVER);
                    self.element(self.widths[at]);
                    if piece.kind != Kind::Word {
                        self.forbid_line();
                    }
                }
            }
        }
        assert!(self.open.is_empty(), "a form closes all it opens");
        self.count_closers(pieces);
    }

    /// Width of the list or word at a piece together with the parentheses that close behind it.
    pub(super) fn width_with_closers(&self, at: usize) -> u32 {
        let behind = self.mates[at] as usize + 1;
        let closers = self.closers.get(behind).copied().unwrap_or(0);
        self.widths[at].saturating_add(closers)
    }

    fn enter(&mut self, text: &str, pieces: &[Piece], at: usize) {
        let name = pieces.get(at + 1).map_or("", |first| first.span.of(text));
        let is_rule = self.open.is_empty() && name == "<=";
        let is_junction = name.len() <= 3 && matches!(fold(name).as_ref(), "and" | "or");
        self.open.push(Open { at, width: 2, elements: 0, is_rule, is_junction });
    }

    fn leave(&mut self, at: usize) {
        let list = self.open.pop().expect("a form opens all it closes");
        let has_body = list.is_rule && list.elements > 2;
        let width = if has_body { NEVER } else { list.width };
        self.widths[list.at] = width;
        self.mates[list.at] = at as u32;
        debug_assert!(list.at < at);
        self.element(width);
        if list.is_junction && self.open.last().is_some_and(|outer| outer.is_junction) {
            self.forbid_line();
        }
    }

    fn element(&mut self, width: u32) {
        if let Some(list) = self.open.last_mut() {
            let space = u32::from(list.elements > 0);
            list.width = list.width.saturating_add(width).saturating_add(space);
            list.elements += 1;
        }
    }

    fn forbid_line(&mut self) {
        if let Some(list) = self.open.last_mut() {
            list.width = NEVER;
        }
    }

    fn count_closers(&mut self, pieces: &[Piece]) {
        self.closers.clear();
        self.closers.resize(pieces.len(), 0);
        let mut behind = 0;
        for (at, piece) in pieces.iter().enumerate().rev() {
            behind = if piece.kind == Kind::Close { behind + 1 } else { 0 };
            self.closers[at] = behind;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces::Pieces;
    use super::*;

    fn measured(text: &str) -> Measured {
        let pieces: Vec<Piece> = Pieces::new(text).collect();
        let mut measured = Measured::default();
        measured.measure(text, &pieces);
        measured
    }

    #[test]
    fn a_list_is_as_wide_as_it_prints_on_one_line() {
        let held = measured("(a  (bé c)\n() d)");
        assert_eq!(held.widths[0] as usize, "(a (bé c) () d)".chars().count());
        assert_eq!((held.widths[2], held.mates[2]), (6, 5));
        assert_eq!(measured("(a (b (c)))").width_with_closers(4), 5);
    }

    #[test]
    fn what_holds_a_comment_a_rule_or_an_open_word_has_no_line() {
        for text in ["(a ; x\n)", "(or a (AND b))", "(a (b ;\n))", "(<= a b)", "(a |b\n)"] {
            assert_eq!(measured(text).widths[0], NEVER, "{text}");
        }
        assert_eq!(measured("(<= a)").widths[0], 6);
        assert_eq!(measured("(a (<= b c))").widths[0], 12);
    }
}
