//! Pieces to lines: where a line ends, and how far the next one is indented.
//!
//! What decides is only the sequence of pieces, which comments begin a line, and where an empty
//! line stands; all three are the same in the page, so that laying out a page gives that page. A
//! list stands on one line where it fits. Else its arguments stand under each other, behind its
//! name: each on a line of its own in a rule and under `and`, `or`, `not`, as many as fit in
//! a term. Indentation is bounded, so that the page of a deeply nested text grows with the text.

use super::measure::{Measured, NEVER};
use super::pieces::{Kind, Piece};
use crate::Span;
use crate::names::fold;

/// Widest line, in characters; only a word or a comment that is longer itself goes beyond.
pub(super) const LINE_COLUMNS: usize = 100;
/// Deepest indentation.
const INDENT_COLUMNS: usize = 60;
/// Arguments stand behind a name of up to this length; behind a longer one they are indented by
/// [`SHORT_INDENT_COLUMNS`].
const NAME_COLUMNS: usize = 20;
const SHORT_INDENT_COLUMNS: usize = 4;

/// What the page ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    OpenParenthesis,
    /// What the line cannot go on after: a comment, or a word that would swallow the rest.
    EndOfLine,
    Other,
}

/// A list that is broken over lines.
struct Frame {
    /// Column of its parenthesis.
    column: usize,
    /// Column of its arguments.
    indent: usize,
    /// How many elements stand on its first line at least.
    first_line: usize,
    /// Whether each further element has a line of its own.
    line_each: bool,
    /// Elements so far.
    elements: usize,
}

/// The page so far.
pub(super) struct Page<'t> {
    text: &'t str,
    pub(super) out: String,
    column: usize,
    last: Last,
    frames: Vec<Frame>,
    /// The relation of the fact that the page ends with, if its line may go on.
    fact: Option<Span>,
}

impl<'t> Page<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let out = String::with_capacity(text.len() + text.len() / 8);
        Self { text, out, column: 0, last: Last::Nothing, frames: Vec::new(), fact: None }
    }

    /// Writes a comment, or a form or word that stands outside all forms.
    pub(super) fn write(&mut self, pieces: &[Piece], measured: &Measured) {
        assert!(self.frames.is_empty(), "a form ends before the next begins");
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            match piece.kind {
                Kind::Comment => self.comment(piece),
                Kind::Close => self.close(),
                _ if self.frames.is_empty() => at = self.outermost(pieces, measured),
                _ => at = self.element(pieces, measured, at),
            }
            at += 1;
        }
    }

    /// Ends the last line.
    pub(super) fn finish(mut self) -> String {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    fn comment(&mut self, piece: &Piece) {
        if piece.begins_line() {
            let indent = self.frames.last().map_or(0, |frame| frame.indent);
            self.new_line(indent, piece.after_blank());
        } else if self.last != Last::Nothing {
            self.space();
        }
        self.push(piece.span);
        self.last = Last::EndOfLine;
    }

    fn close(&mut self) {
        let frame = self.frames.pop().expect("a list was opened");
        if self.last == Last::EndOfLine {
            self.new_line(frame.column.min(INDENT_COLUMNS), false);
        }
        self.out.push(')');
        self.column += 1;
        self.last = Last::Other;
    }

    /// Writes the beginning of what stands outside all forms; facts of one relation that share a
    /// line go on sharing it. Returns the last piece that is written.
    fn outermost(&mut self, pieces: &[Piece], measured: &Measured) -> usize {
        let relation = (measured.widths[0] as usize <= LINE_COLUMNS)
            .then(|| pieces.get(1).filter(|name| name.kind == Kind::Word))
            .flatten()
            .map(|name| name.span);
        let same = self.fact.zip(relation).is_some_and(|(a, b)| a.of(self.text) == b.of(self.text));
        let goes_on = self.last == Last::Other && !pieces[0].begins_line() && same;
        if goes_on && self.fits(measured, 0) {
            self.space();
        } else {
            self.new_line(0, pieces[0].after_blank());
        }
        self.fact = relation;
        self.begin(pieces, measured, 0)
    }

    /// Writes the beginning of an element of a list; returns the last piece that is written.
    fn element(&mut self, pieces: &[Piece], measured: &Measured, at: usize) -> usize {
        let frame = self.frames.last_mut().expect("an element stands in a list");
        let (place, indent, line_each) = (frame.elements, frame.indent, frame.line_each);
        frame.elements += 1;
        let inline = place < frame.first_line;
        if self.last == Last::EndOfLine {
            self.new_line(indent, line_each && pieces[at].after_blank());
        } else if place == 0 {
            debug_assert!(self.last == Last::OpenParenthesis);
        } else if inline || (!line_each && self.fits(measured, at)) {
            self.space();
        } else {
            self.new_line(indent, line_each && pieces[at].after_blank());
        }
        self.begin(pieces, measured, at)
    }

    /// Whether a space, the element and what closes behind it fit on the line.
    fn fits(&self, measured: &Measured, at: usize) -> bool {
        self.column + 1 + measured.width_with_closers(at) as usize <= LINE_COLUMNS
    }

    /// Writes a word, a list that fits on the line, or the parenthesis of one that does not.
    fn begin(&mut self, pieces: &[Piece], measured: &Measured, at: usize) -> usize {
        let piece = &pieces[at];
        if piece.kind != Kind::Open {
            self.push(piece.span);
            self.last = if piece.kind == Kind::Word { Last::Other } else { Last::EndOfLine };
            return at;
        }
        let width = measured.width_with_closers(at);
        if width != NEVER && self.column + width as usize <= LINE_COLUMNS {
            return self.flat(pieces, at, measured.mates[at] as usize);
        }
        let frame = self.frame(pieces, measured, at);
        self.frames.push(frame);
        self.out.push('(');
        self.column += 1;
        self.last = Last::OpenParenthesis;
        at
    }

    fn flat(&mut self, pieces: &[Piece], from: usize, to: usize) -> usize {
        let mut glued = true;
        for piece in &pieces[from..=to] {
            debug_assert!(piece.kind != Kind::Comment && piece.kind != Kind::OpenWord);
            if !glued && piece.kind != Kind::Close {
                self.space();
            }
            self.push(piece.span);
            glued = piece.kind == Kind::Open;
        }
        self.last = Last::Other;
        to
    }

    /// How the list at a piece is broken.
    fn frame(&self, pieces: &[Piece], measured: &Measured, at: usize) -> Frame {
        let next = at + 1;
        let is_word = |piece: &&Piece| matches!(piece.kind, Kind::Word | Kind::OpenWord);
        let name = pieces.get(next).filter(is_word);
        let width = name.map(|_| measured.widths[next] as usize);
        let behind = match width {
            Some(width) if width <= NAME_COLUMNS => width + 2,
            Some(_) => SHORT_INDENT_COLUMNS,
            None => 1,
        };
        let aligned = width.is_some_and(|width| behind == width + 2);
        let spelling = name.map_or("", |name| name.span.of(self.text));
        let line_each = matches!(fold(spelling).as_ref(), "<=" | "and" | "or" | "not" | "");
        let whole = self.column + behind <= INDENT_COLUMNS;
        Frame {
            column: self.column,
            indent: (self.column + behind).min(INDENT_COLUMNS),
            first_line: if aligned && whole { 2 } else { 1 },
            line_each,
            elements: 0,
        }
    }

    fn push(&mut self, span: Span) {
        let word = span.of(self.text);
        self.out.push_str(word);
        self.column += word.chars().count();
    }

    fn space(&mut self) {
        self.out.push(' ');
        self.column += 1;
    }

    /// Goes to a new line, behind an empty one if there was one and the line before goes not with
    /// this one.
    fn new_line(&mut self, indent: usize, after_blank: bool) {
        debug_assert!(indent <= INDENT_COLUMNS);
        if self.last == Last::Nothing {
            return;
        }
        let blank = after_blank && self.last != Last::OpenParenthesis;
        self.out.push_str(if blank { "\n\n" } else { "\n" });
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.column = indent;
    }
}
