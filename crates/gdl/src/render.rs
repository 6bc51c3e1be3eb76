//! Diagnostics as text: file, line, column, the line itself, a caret.
//!
//! Drawing is left to `codespan-reporting`; this file tells it where lines begin (LF, CRLF and CR
//! all end one), clips a label to its first line, and cuts a very long line to a window around
//! its first label, so that a sheet on one line stays readable. Errors come before warnings only
//! where there are too many to show; the order is by place.

use std::collections::BTreeMap;
use std::ops::Range;

use codespan_reporting::diagnostic as drawn;
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::termcolor::Ansi;
use codespan_reporting::term::{self, Config};

use crate::{Diagnostic, Severity, Source, Span};

/// Diagnostics that are shown, at most.
const SHOWN_LIMIT: usize = 50;
/// Lines longer than this many bytes are cut.
const LINE_LIMIT_BYTES: usize = 200;
/// What is kept of a long line before its first label.
const BEFORE_BYTES: usize = 60;

/// All diagnostics as text for people, in the order of the sheet; the first 50 with the number of
/// the rest. With `color`, ANSI codes are in it.
pub fn render(diagnostics: &[Diagnostic], source: &Source, color: bool) -> String {
    let chosen = choose(diagnostics);
    let lines = Lines::of(&source.text);
    let mut text = String::new();
    for diagnostic in &chosen {
        text.push_str(&draw(diagnostic, source, &lines, color));
    }
    let more = diagnostics.len() - chosen.len();
    if more > 0 {
        text.push_str(&format!("and {more} more\n"));
    }
    text
}

/// What is shown, by place; errors are chosen first.
fn choose(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut order: Vec<usize> = (0..diagnostics.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(diagnostics[index].severity));
    order.truncate(SHOWN_LIMIT);
    let start = |index: usize| diagnostics[index].labels.first().map_or(0, |l| l.span.start);
    order.sort_by_key(|&index| (start(index), index));
    debug_assert!(order.len() <= SHOWN_LIMIT);
    order.into_iter().map(|index| &diagnostics[index]).collect()
}

/// Where the lines of a text begin.
struct Lines {
    starts: Vec<usize>,
    len: usize,
}

impl Lines {
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = (0..bytes.len()).filter(|&at| match bytes[at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let starts = std::iter::once(0).chain(ends.map(|at| at + 1)).collect();
        Self { starts, len: bytes.len() }
    }

    fn index(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).max(1) - 1
    }

    fn range(&self, line: usize) -> Range<usize> {
        debug_assert!(line < self.starts.len(), "there is no line {line}");
        self.starts[line]..self.starts.get(line + 1).copied().unwrap_or(self.len)
    }
}

/// A piece of a line, and where it comes from.
struct Piece {
    /// Where the piece begins in the shown text.
    start: usize,
    /// The line, from 0.
    line: usize,
    /// Characters of the line before the piece.
    skipped: usize,
}

/// The text that is shown for one diagnostic: the whole sheet, or pieces of some lines.
struct View<'a> {
    name: &'a str,
    text: String,
    pieces: Vec<Piece>,
}

impl<'a> Files<'a> for View<'_> {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(self.name)
    }

    fn source(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(&self.text)
    }

    fn line_index(&'a self, (): (), byte: usize) -> Result<usize, Error> {
        Ok(self.pieces.partition_point(|piece| piece.start <= byte).max(1) - 1)
    }

    fn line_number(&'a self, (): (), index: usize) -> Result<usize, Error> {
        Ok(self.pieces.get(index).map_or(index, |piece| piece.line) + 1)
    }

    fn column_number(&'a self, (): (), index: usize, byte: usize) -> Result<usize, Error> {
        let piece = self.pieces.get(index).ok_or(Error::FileMissing)?;
        let before = self.text.get(piece.start..byte).unwrap_or("");
        Ok(piece.skipped + before.chars().count() + 1)
    }

    fn line_range(&'a self, (): (), index: usize) -> Result<Range<usize>, Error> {
        let piece = self.pieces.get(index).ok_or(Error::FileMissing)?;
        let end = self.pieces.get(index + 1).map_or(self.text.len(), |next| next.start);
        Ok(piece.start..end)
    }
}

fn draw(diagnostic: &Diagnostic, source: &Source, lines: &Lines, color: bool) -> String {
    let (view, labels) = view(diagnostic, source, lines);
    let severity = match diagnostic.severity {
        Severity::Note => drawn::Severity::Note,
        Severity::Warning => drawn::Severity::Warning,
        Severity::Error => drawn::Severity::Error,
    };
    let drawn = drawn::Diagnostic::new(severity)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message)
        .with_labels(labels)
        .with_notes(diagnostic.notes.clone());
    let config = Config { tab_width: 4, ..Config::default() };
    let mut bytes = Vec::new();
    let done = if color {
        let mut writer = Ansi::new(&mut bytes);
        term::emit_to_write_style(&mut writer, &config, &view, &drawn)
    } else {
        term::emit_to_io_write(&mut bytes, &config, &view, &drawn)
    };
    debug_assert!(done.is_ok(), "labels lie in the view");
    match done {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => format!("{}: {}\n", diagnostic.code, diagnostic.message),
    }
}

/// The part of a span that lies in the text and in the line where it begins.
fn clip(span: Span, text: &str, lines: &Lines) -> Range<usize> {
    let start = floor(text, (span.start as usize).min(text.len()));
    let line = lines.range(lines.index(start));
    let content = text[line.clone()].trim_end_matches(['\n', '\r']);
    let end = floor(text, (span.end as usize).min(line.start + content.len()));
    debug_assert!(text.is_char_boundary(start) && text.is_char_boundary(end));
    start..end.max(start)
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

type Drawn = drawn::Label<()>;

fn view<'s>(diagnostic: &Diagnostic, source: &'s Source, lines: &Lines) -> (View<'s>, Vec<Drawn>) {
    let text = &source.text;
    let places: Vec<Range<usize>> =
        diagnostic.labels.iter().map(|label| clip(label.span, text, lines)).collect();
    let long =
        |place: &Range<usize>| lines.range(lines.index(place.start)).len() > LINE_LIMIT_BYTES;
    let view = if places.iter().any(long) {
        cut_view(&places, source, lines)
    } else {
        whole_view(source, lines)
    };
    let mut labels = Vec::new();
    for (index, (place, label)) in places.iter().zip(&diagnostic.labels).enumerate() {
        let Some(shown) = moved(place, &view, text, lines) else { continue };
        let drawn =
            if index == 0 { Drawn::primary((), shown) } else { Drawn::secondary((), shown) };
        labels.push(drawn.with_message(&label.text));
    }
    (view, labels)
}

fn whole_view<'s>(source: &'s Source, lines: &Lines) -> View<'s> {
    let pieces = lines.starts.iter().enumerate();
    let pieces = pieces.map(|(line, &start)| Piece { start, line, skipped: 0 }).collect();
    View { name: &source.name, text: source.text.to_string(), pieces }
}

/// A view of the labelled lines only, long ones cut around their first label.
fn cut_view<'s>(places: &[Range<usize>], source: &'s Source, lines: &Lines) -> View<'s> {
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for place in places {
        first.entry(lines.index(place.start)).or_insert(place.start);
    }
    let mut view = View { name: &source.name, text: String::new(), pieces: Vec::new() };
    for (line, at) in first {
        let range = lines.range(line);
        let (from, to) = window(&source.text, &range, at);
        let skipped = source.text[range.start..from].chars().count();
        view.pieces.push(Piece { start: view.text.len(), line, skipped });
        view.text.push_str(source.text[from..to].trim_end_matches(['\n', '\r']));
        view.text.push('\n');
    }
    view
}

fn window(text: &str, line: &Range<usize>, at: usize) -> (usize, usize) {
    if line.len() <= LINE_LIMIT_BYTES {
        return (line.start, line.end);
    }
    debug_assert!(line.contains(&at) || at == line.end, "a window beside its line");
    let from = floor(text, at.saturating_sub(BEFORE_BYTES).max(line.start));
    (from, floor(text, (from + LINE_LIMIT_BYTES).min(line.end)))
}

/// Where a place of the sheet lies in the view; nothing where it was cut away.
fn moved(place: &Range<usize>, view: &View<'_>, text: &str, lines: &Lines) -> Option<Range<usize>> {
    let line = lines.index(place.start);
    let index = view.pieces.binary_search_by_key(&line, |piece| piece.line).ok()?;
    let piece = &view.pieces[index];
    let end = view.pieces.get(index + 1).map_or(view.text.len(), |next| next.start);
    let line_start = lines.range(line).start;
    let from = text[line_start..]
        .char_indices()
        .nth(piece.skipped)
        .map_or(text.len(), |(at, _)| line_start + at);
    let start = piece.start + place.start.checked_sub(from)?;
    (start <= end).then(|| start..(start + place.len()).min(end))
}
