//! Text to pieces: the reader's tokens with the comments between them, each with the number of
//! line ends before it.
//!
//! The tokens are those of `tree`, so that no second opinion on what a word is can arise; what
//! lies between two of them is white space and comments, and nothing else. A comment is kept
//! without the white space at its end. Cost: linear, no allocation.

use crate::Span;
use crate::tree::{Token, TokenKind, Tokens};

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Open,
    Close,
    Word,
    /// A word that would grow into a quotation if more of its line were to follow it.
    OpenWord,
    /// A quotation that its line does not close: the reader refuses it.
    OpenQuote,
    Comment,
}

/// A token or a comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// Line ends between the piece before and this one, counted up to 2.
    pub(super) line_ends: u8,
}

impl Piece {
    /// Whether it begins a line.
    pub(super) fn begins_line(&self) -> bool {
        self.line_ends > 0
    }

    /// Whether an empty line stands before it.
    pub(super) fn after_blank(&self) -> bool {
        self.line_ends > 1
    }
}

/// The pieces of a text in order. The first one counts as beginning a line.
pub(super) struct Pieces<'t> {
    text: &'t str,
    tokens: Tokens<'t>,
    /// The token after the gap that is being read; none at the end of the text.
    next: Option<Token>,
    at: usize,
}

impl<'t> Pieces<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut tokens = Tokens::new(text);
        let next = tokens.next();
        Self { text, tokens, next, at: 0 }
    }

    fn comment(&mut self, start: usize, gap_end: usize, line_ends: u8) -> Piece {
        let gap = &self.text[start..gap_end];
        let length = gap.find(['\n', '\r']).unwrap_or(gap.len());
        self.at = start + length;
        let end = start + gap[..length].trim_end().len();
        debug_assert!(end > start, "a comment has its semicolon");
        Piece { kind: Kind::Comment, span: Span::new(start, end), line_ends }
    }

    fn token(&mut self, line_ends: u8) -> Option<Piece> {
        let Token { kind, span } = self.next?;
        self.at = span.end as usize;
        self.next = self.tokens.next();
        let kind = match kind {
            TokenKind::Open => Kind::Open,
            TokenKind::Close => Kind::Close,
            TokenKind::OpenQuote => Kind::OpenQuote,
            TokenKind::Word if is_open(span.of(self.text)) => Kind::OpenWord,
            TokenKind::Word => Kind::Word,
        };
        Some(Piece { kind, span, line_ends })
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let gap_end = self.next.map_or(self.text.len(), |token| token.span.start as usize);
        let gap = &self.text[self.at..gap_end];
        let comment = gap.find(';');
        let blank = &gap[..comment.unwrap_or(gap.len())];
        let line_ends = count_line_ends(blank) + u8::from(self.at == 0);
        match comment {
            Some(length) => Some(self.comment(self.at + length, gap_end, line_ends)),
            None => self.token(line_ends),
        }
    }
}

/// Whether a word begins a quotation with `|` that its line does not close.
fn is_open(word: &str) -> bool {
    word.starts_with('|') && !(word.len() > 1 && word.ends_with('|'))
}

/// LF, CR and CR LF are one line end each.
fn count_line_ends(blank: &str) -> u8 {
    let mut before = 0;
    let mut count = 0;
    for byte in blank.bytes() {
        let ends = byte == b'\r' || (byte == b'\n' && before != b'\r');
        count += usize::from(ends && count < 2);
        before = byte;
    }
    debug_assert!(count <= 2);
    count as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<(u8, &str)> {
        Pieces::new(text).map(|piece| (piece.line_ends, piece.span.of(text))).collect()
    }

    #[test]
    fn comments_stand_between_tokens_with_the_lines_before_them() {
        let text = "\u{feff}; a \r\n\r\n(b ;c\r;;d\n\n\n e) ; f";
        let expected =
            [(1, "; a"), (2, "("), (0, "b"), (0, ";c"), (1, ";;d"), (2, "e"), (0, ")"), (0, "; f")];
        assert_eq!(show(text), expected);
        assert_eq!(show(" \n"), []);
    }

    #[test]
    fn a_semicolon_in_a_quotation_is_no_comment() {
        let kinds: Vec<Kind> = Pieces::new("\"a;b\" |c;d| |e f |").map(|held| held.kind).collect();
        assert_eq!(kinds, [Kind::Word; 3]);
        let kinds: Vec<Kind> = Pieces::new("|a\n| \"").map(|held| held.kind).collect();
        assert_eq!(kinds, [Kind::OpenWord, Kind::OpenWord, Kind::OpenQuote]);
    }
}
