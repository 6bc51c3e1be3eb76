//! Text to formula, or all its faults.
//!
//! A line at a time goes through [`Reader`]: comments, then the header, then the prefix, then
//! clauses. After a fault reading goes on as if what was meant had been written, so that one fault
//! is reported once: a variable without a quantifier counts as quantified from then on, numbers
//! past the count are left out. What is not text at all ends the reading.

use std::fmt;
use std::io::{self, BufRead, Read};

use index::{Id, IdSet};

use super::fault::{Fault, Faults, Place};
use super::header::{self, Header};
use super::names;
use super::numbers::{Line, Number, shown};
use crate::{Kind, Lit, Qcnf, Var};

/// Variables of a text, at most.
pub const VARIABLES_LIMIT: u64 = 1 << 26;
/// Bytes of a line, at most.
const LINE_LIMIT_BYTES: u64 = 1 << 30;
/// Literals of a text, at most: places of clauses are 32 bits wide.
pub(super) const LITERALS_LIMIT: usize = u32::MAX as usize - (1 << 30);

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Exists, forall and chance.
    Sdimacs,
    /// Exists and forall alone.
    Qdimacs,
}

/// A formula as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The formula; well-formed.
    pub formula: Qcnf,
    /// By whether there is a line of chance.
    pub format: Format,
}

/// Why a stream gave no formula.
#[derive(Debug)]
pub enum ReadError {
    /// The stream could not be read.
    Io(io::Error),
    /// The text has faults.
    Faults(Faults),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Faults(faults) => faults.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a text that is in memory.
///
/// # Errors
/// Its faults.
pub fn parse(text: &[u8]) -> Result<Reading, Faults> {
    let mut reader = Reader::default();
    let whole = text.strip_suffix(b"\n").unwrap_or(text);
    for line in whole.split(|byte| *byte == b'\n') {
        if !reader.line(line) {
            break;
        }
    }
    reader.finish()
}

/// Reads a text as it streams by.
///
/// # Errors
/// Where the stream cannot be read, and on the faults of the text.
pub fn read(mut input: impl BufRead) -> Result<Reading, ReadError> {
    let (mut reader, mut line) = (Reader::default(), Vec::new());
    loop {
        line.clear();
        let mut limited = input.by_ref().take(LINE_LIMIT_BYTES);
        let length = limited.read_until(b'\n', &mut line).map_err(ReadError::Io)?;
        if length as u64 == LINE_LIMIT_BYTES && line.last() != Some(&b'\n') {
            reader.refuse_long_line(&line);
            break;
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if length == 0 || !reader.line(text) {
            break;
        }
    }
    reader.finish().map_err(ReadError::Faults)
}

/// How far a text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Nothing but comments.
    #[default]
    Start,
    /// The header.
    Prefix,
    /// A clause.
    Matrix,
    /// A line `%`, or bytes that are no text: the rest is not read.
    End,
}

/// The state of reading a text.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) faults: Faults,
    pub(super) stage: Stage,
    pub(super) header: Option<Header>,
    pub(super) formula: Qcnf,
    /// Variables that are quantified, or were reported as not quantified.
    pub(super) bound: IdSet<Var>,
    /// For each line of the prefix, its line in the text.
    pub(super) scope_lines: Vec<u64>,
    line: u64,
    /// The literals of a clause that is not closed yet, and whether it is.
    clause: Vec<Lit>,
    open: bool,
    /// The first line on which a clause went on that a line before began.
    continued: Option<u64>,
    clauses: u64,
    names: Vec<(u32, String)>,
    /// The last line that is not blank, and its number.
    last: (u64, Vec<u8>),
}

impl Reader {
    /// Reads one line; false where nothing after it matters.
    fn line(&mut self, text: &[u8]) -> bool {
        self.line += 1;
        let mark = self.line == 1 && text.starts_with(b"\xef\xbb\xbf");
        let mut line = Line { number: self.line, text, at: if mark { 3 } else { 0 } };
        if !line.skip_space() {
            return true;
        }
        match text[line.at] {
            b'-' | b'0'..=b'9' => self.matrix_line(line),
            b'c' => self.comment(&text[line.at + 1..]),
            b'p' => self.header_line(line),
            b'e' | b'a' | b'r' => self.prefix_line(line),
            b'%' if self.stage == Stage::Matrix => self.stage = Stage::End,
            _ => self.refuse_line(line),
        }
        self.stage != Stage::End
    }

    pub(super) fn fault(
        &mut self,
        code: &'static str,
        place: Place<'_>,
        message: impl FnOnce() -> String,
        hint: impl FnOnce() -> String,
    ) {
        self.faults.add(|| Fault::new(code, place, message(), hint()));
    }

    fn comment(&mut self, text: &[u8]) {
        if let Some(named) = names::of_comment(text) {
            self.names.push(named);
        }
    }

    fn matrix_line(&mut self, mut line: Line<'_>) {
        if self.stage < Stage::Matrix {
            self.need_header(line);
            self.stage = Stage::Matrix;
        }
        if self.open && self.continued.is_none() {
            self.continued = Some(line.number);
        }
        while let Some(number) = line.number() {
            match number {
                Ok(Number { size: 0, .. }) => self.close_clause(line),
                Ok(number) => self.literal(number, line),
                Err(place) => self.fault(
                    "not-a-number",
                    place,
                    || format!("`{}` is not a literal", shown(place)),
                    || "a clause is whole numbers, closed by 0".into(),
                ),
            }
        }
        self.remember(line);
    }

    /// Keeps the line of an unclosed clause, for a fault at the end of the text.
    fn remember(&mut self, line: Line<'_>) {
        if self.open {
            self.last.0 = line.number;
            self.last.1.clear();
            let kept = line.text.len().saturating_sub(200);
            self.last.1.extend_from_slice(&line.text[kept..]);
        }
    }

    #[inline]
    fn literal(&mut self, number: Number, line: Line<'_>) {
        self.open = true;
        let limit = self.header.as_ref().map_or(VARIABLES_LIMIT, |header| header.variables);
        if number.size > limit {
            return self.past_count(line.since(number.start));
        }
        let var = Var::from_index(number.size as usize - 1);
        if !self.bound.contains(var) {
            self.never_quantified(var, line.since(number.start));
        }
        self.clause.push(Lit::new(var, !number.negative));
    }

    fn never_quantified(&mut self, var: Var, place: Place<'_>) {
        self.bound.insert(var);
        let number = var.index() + 1;
        let hint = if self.formula.prefix.is_empty() {
            "a formula without a prefix says nothing of its variables; for plain satisfiability \
             write a line `e 1 2 .. 0` with all of them under the header"
                .to_owned()
        } else {
            format!(
                "write a line `e {number} 0`, `a {number} 0` or `r 1/2 {number} 0` in the prefix"
            )
        };
        self.fault(
            "never-quantified",
            place,
            || format!("variable {number} is never quantified"),
            || hint,
        );
    }

    pub(super) fn past_count(&mut self, place: Place<'_>) {
        let limit = self.header.as_ref().map_or(VARIABLES_LIMIT, |header| header.variables);
        self.fault(
            "past-count",
            place,
            || format!("`{}` is past the count of variables, {limit}", shown(place)),
            || {
                format!(
                    "variables are 1 to {limit}; the header `p cnf VARIABLES CLAUSES` says how many"
                )
            },
        );
    }

    fn close_clause(&mut self, line: Line<'_>) {
        self.clauses += 1;
        self.open = false;
        if self.formula.clauses.literals() + self.clause.len() > LITERALS_LIMIT {
            let hint = "split the formula".to_owned();
            self.fault("too-large", line.end(), || "there are too many literals".into(), || hint);
            self.stage = Stage::End;
            return;
        }
        self.formula.clauses.push(&self.clause);
        self.clause.clear();
        let announced = self.header.as_ref().map(|header| header.clauses);
        if let Some(announced) = announced.filter(|count| self.clauses == count + 1) {
            self.fault(
                "clause-count",
                line.since(line.at - 1),
                || {
                    format!(
                        "this is one clause more than the {announced} that the header announces"
                    )
                },
                || "the second number of `p cnf VARIABLES CLAUSES` counts the clauses".into(),
            );
        }
    }

    /// Whether there is a header; a fault where not, once.
    pub(super) fn need_header(&mut self, line: Line<'_>) {
        if self.stage == Stage::Start && self.header.is_none() {
            self.fault(
                "no-header",
                line.since(line.at),
                || "the header is missing".into(),
                || "before the prefix stands `p cnf VARIABLES CLAUSES`".into(),
            );
        }
    }

    fn header_line(&mut self, mut line: Line<'_>) {
        let start = line.at;
        if self.stage != Stage::Start {
            line.at = line.end().end;
            let hint = "one header stands before the prefix".to_owned();
            let message = "here is a header after the header".to_owned();
            return self.fault("second-header", line.since(start), || message, || hint);
        }
        self.stage = Stage::Prefix;
        match header::parse(line) {
            Ok(header) => {
                self.formula = Qcnf::new(header.variables as usize);
                self.header = Some(header);
            }
            Err(fault) => self.faults.add(|| fault),
        }
    }

    fn refuse_line(&mut self, mut line: Line<'_>) {
        let (word, start) = line.word().expect("the line has a word");
        let place = line.since(start);
        if let Some(at) = place.text.iter().position(|byte| is_no_text(*byte)) {
            let place = Place { start: at, end: at + 1, ..place };
            self.stage = Stage::End;
            return self.faults.add(|| not_text(place, self.line));
        }
        let hint = match word {
            b"d" => {
                "a `d` line gives a variable its own dependencies (DQDIMACS), which a prefix of lines cannot say"
            }
            b"x" => "an `x` line is an exclusive or, which is written as clauses here",
            b"w" => "weights are written as chance here: `r PROBABILITY VARIABLES 0`",
            _ => "a line begins with `c`, `p cnf`, `e`, `a`, `r`, or the numbers of a clause",
        };
        let message = || format!("a line cannot begin with `{}`", shown(place));
        self.faults.add(|| Fault::new("unknown-line", place, message(), hint));
        if self.stage == Stage::Start && self.line == 1 {
            // Hardly a formula at all: one fault says more than twenty.
            self.stage = Stage::End;
        }
    }

    fn refuse_long_line(&mut self, text: &[u8]) {
        let place = Place { line: self.line + 1, text: &text[..200], start: 0, end: 1 };
        let message = || format!("this line has over {LINE_LIMIT_BYTES} bytes");
        let hint = || "break it into several lines".to_owned();
        self.fault("too-large", place, message, hint);
        self.stage = Stage::End;
    }

    fn finish(mut self) -> Result<Reading, Faults> {
        if self.faults.is_empty() || self.stage != Stage::End {
            self.check_end();
        }
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        self.give_names();
        let chance =
            self.formula.prefix.iter().any(|scope| scope.quantifier.kind() == Kind::Chance);
        let format = if chance { Format::Sdimacs } else { Format::Qdimacs };
        debug_assert_eq!(self.formula.flaw(), None);
        Ok(Reading { formula: self.formula, format })
    }

    /// The faults that only the end shows.
    fn check_end(&mut self) {
        if self.open {
            let (line, text) = std::mem::take(&mut self.last);
            let place = Line::new(line, &text).end();
            let message = || "the text ends inside a clause".into();
            let hint = || "a clause is closed by 0; the file may have been cut off".into();
            return self.fault("truncated", place, message, hint);
        }
        let Some(header) = self.header.take() else {
            if self.stage == Stage::Start {
                let place = Place { line: self.line.max(1), text: b"", start: 0, end: 0 };
                let hint = || "a formula begins with `p cnf VARIABLES CLAUSES`".into();
                self.fault("no-header", place, || "there is no header".into(), hint);
            }
            return;
        };
        if self.clauses < header.clauses {
            self.too_few_clauses(&header);
        }
    }

    fn too_few_clauses(&mut self, header: &Header) {
        let (found, continued) = (self.clauses, self.continued);
        let place = Place {
            line: header.line,
            text: &header.text,
            start: header.count.0,
            end: header.count.1,
        };
        self.fault(
            "clause-count",
            place,
            || format!("the header announces {} clauses, and {found} are there", header.clauses),
            || match continued {
                Some(line) => {
                    format!("a clause goes on into line {line}: is a 0 missing before it?")
                }
                None => "the file may have been cut off".into(),
            },
        );
    }

    fn give_names(&mut self) {
        for (number, name) in std::mem::take(&mut self.names) {
            if (number as usize) <= self.formula.variables() {
                self.formula.set_name(Var::from_index(number as usize - 1), &name);
            }
        }
    }
}

fn is_no_text(byte: u8) -> bool {
    byte == 0x7f || (byte < 0x20 && !(9..=13).contains(&byte))
}

fn not_text(place: Place<'_>, line: u64) -> Fault {
    let byte = place.text[place.start];
    let starts = |magic: &[u8]| line == 1 && place.text.starts_with(magic);
    let hint = if starts(&[0x1f, 0x8b]) {
        "the file is compressed: unpack it with `gunzip` first"
    } else if starts(&[0xfd, b'7', b'z']) {
        "the file is compressed: unpack it with `unxz` first"
    } else if starts(&[0xff, 0xfe]) || starts(&[0xfe, 0xff]) {
        "the file looks like UTF-16; save it as UTF-8"
    } else {
        "a formula is a text file"
    };
    Fault::new("not-text", place, format!("byte 0x{byte:02x} does not occur in text"), hint)
}
