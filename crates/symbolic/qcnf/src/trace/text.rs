//! Trace to text and back: the formula, a line `trace`, then a line an item.
//!
//! `factor P`, `boundaries N ..`, then the nodes in order: `0`, `1`, `b LIT FIRST [SECOND]`,
//! `p LIT NEXT`, `f LIT NEXT`, `l NEXT` (a level ends), `k NODE` (known). Nodes are numbered from
//! 0, literals are as in the formula.

use std::fmt;
use std::io::{self, Write};

use exact::Ratio;
use index::Id;

use super::{Node, NodeId, Trace};
use crate::text::{self, Dialect};
use crate::{Lit, Var};

/// What keeps a text from being a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceFormatFault {
    /// No line `trace`.
    NoTrace,
    /// The text before that line is no formula.
    Formula(String),
    /// A line that is not understood; counted from 1 behind the line `trace`.
    Line(usize),
}

impl fmt::Display for TraceFormatFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTrace => write!(f, "there is no line `trace`: this is no trace"),
            Self::Formula(faults) => write!(f, "the formula of the trace: {faults}"),
            Self::Line(line) => write!(f, "line {line} behind `trace` is not understood"),
        }
    }
}

impl std::error::Error for TraceFormatFault {}

impl Trace {
    /// Writes it.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        text::write(&self.formula, Dialect::Exact, out)?;
        writeln!(out, "trace\nfactor {}", self.factor)?;
        write!(out, "boundaries")?;
        self.boundaries.iter().try_for_each(|end| write!(out, " {end}"))?;
        writeln!(out)?;
        self.nodes.iter().try_for_each(|node| write_node(node, out))
    }

    /// Reads one.
    ///
    /// # Errors
    /// What keeps the text from being a trace.
    pub fn parse(text: &str) -> Result<Self, TraceFormatFault> {
        let (before, after) = text.split_once("\ntrace\n").ok_or(TraceFormatFault::NoTrace)?;
        let formula = text::parse(format!("{before}\n").as_bytes())
            .map_err(|faults| TraceFormatFault::Formula(faults.to_string()))?
            .formula;
        let mut lines = after.lines();
        let factor = lines.next().and_then(|line| line.strip_prefix("factor "));
        let factor = factor.and_then(probability).ok_or(TraceFormatFault::Line(1))?;
        let ends = lines.next().and_then(|line| line.strip_prefix("boundaries"));
        let ends = ends.and_then(|ends| {
            ends.split_whitespace().map(|end| end.parse().ok()).collect::<Option<Vec<u32>>>()
        });
        let boundaries = ends.ok_or(TraceFormatFault::Line(2))?;
        let nodes = lines
            .enumerate()
            .map(|(at, line)| read_node(line, &formula).ok_or(TraceFormatFault::Line(at + 3)));
        let nodes = nodes.collect::<Result<Vec<Node>, _>>()?;
        Ok(Self { formula, boundaries, factor, nodes })
    }
}

fn probability(text: &str) -> Option<Ratio> {
    text.parse().ok().filter(Ratio::is_probability)
}

fn write_node(node: &Node, out: &mut impl Write) -> io::Result<()> {
    match *node {
        Node::Zero => writeln!(out, "0"),
        Node::One => writeln!(out, "1"),
        Node::Branch { lit, first, second } => {
            write!(out, "b {} {}", lit.to_dimacs(), first.index())?;
            second.map_or(Ok(()), |second| write!(out, " {}", second.index()))?;
            writeln!(out)
        }
        Node::Pure { lit, next } => writeln!(out, "p {} {}", lit.to_dimacs(), next.index()),
        Node::Free { lit, next } => writeln!(out, "f {} {}", lit.to_dimacs(), next.index()),
        Node::Boundary { next } => writeln!(out, "l {}", next.index()),
        Node::Known { node } => writeln!(out, "k {}", node.index()),
    }
}

fn read_node(line: &str, formula: &crate::Qcnf) -> Option<Node> {
    let words: Vec<&str> = line.split(' ').collect();
    let lit = |at: usize| {
        let number: i64 = words.get(at)?.parse().ok()?;
        let var = usize::try_from(number.unsigned_abs()).ok()?.checked_sub(1)?;
        (var < formula.variables()).then(|| Lit::new(Var::from_index(var), number > 0))
    };
    let node = |at: usize| {
        let index: u32 = words.get(at)?.parse().ok()?;
        (index < u32::MAX).then(|| NodeId::from_index(index as usize))
    };
    let (found, len) = match *words.first()? {
        "0" => (Node::Zero, 1),
        "1" => (Node::One, 1),
        "b" if words.len() == 3 => {
            (Node::Branch { lit: lit(1)?, first: node(2)?, second: None }, 3)
        }
        "b" => {
            let (first, second) = (node(2)?, Some(node(3)?));
            (Node::Branch { lit: lit(1)?, first, second }, 4)
        }
        "p" => (Node::Pure { lit: lit(1)?, next: node(2)? }, 3),
        "f" => (Node::Free { lit: lit(1)?, next: node(2)? }, 3),
        "l" => (Node::Boundary { next: node(1)? }, 2),
        "k" => (Node::Known { node: node(1)? }, 2),
        _ => return None,
    };
    (words.len() == len).then_some(found)
}
