//! Formula to text.
//!
//! The law is kept by [`Dialect::Exact`] alone. The other dialects are for tools that read less:
//! adjacent lines of one quantifier become one line, lines without variables are left out, and
//! what cannot be said is said nearly ([`Loss`]) or not at all ([`NotInDialect`]), never silently.

use std::fmt;
use std::io::{self, Write};

use exact::Ratio;
use index::Id;

use super::{names, probability};
use crate::{Kind, Qcnf, Quantifier, Scope, Var};

/// Significant digits of a decimal that is not exact: more than a double holds.
const DIGITS: usize = 20;

/// What the reader of a text understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Fractions, empty lines of the prefix, and adjacent lines of one quantifier: what is read
    /// here. A fraction is written as a decimal where that is exact.
    #[default]
    Exact,
    /// Probabilities as decimals only, rounded where a fraction has none.
    Decimal,
    /// No chance.
    Qdimacs,
}

/// A probability that was rounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The probability of the formula.
    pub probability: Ratio,
    /// What was written for it.
    pub written: String,
    /// How many variables have it.
    pub variables: usize,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { probability, written, variables } = self;
        write!(
            f,
            "the probability {probability} of {variables} variable{} has no decimal and is written \
             {written}: the value of the written formula is not exactly that of the formula",
            if *variables == 1 { "" } else { "s" }
        )
    }
}

/// Why a formula cannot be written in a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotInDialect {
    /// A variable of chance.
    pub chance: Var,
}

impl fmt::Display for NotInDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.chance.index() + 1;
        write!(f, "variable {number} is bound by chance, which QDIMACS cannot say; write SDIMACS")
    }
}

impl std::error::Error for NotInDialect {}

impl Dialect {
    /// What is lost by writing a formula in this dialect.
    ///
    /// # Errors
    /// Where it cannot be written at all.
    pub fn losses(self, formula: &Qcnf) -> Result<Vec<Loss>, NotInDialect> {
        let mut losses: Vec<Loss> = Vec::new();
        for scope in &formula.prefix {
            let Quantifier::Chance(p) = &scope.quantifier else { continue };
            match (self, scope.variables.first()) {
                (Self::Qdimacs, Some(&chance)) => return Err(NotInDialect { chance }),
                (Self::Decimal, Some(_)) => note_loss(p, scope.variables.len(), &mut losses),
                _ => {}
            }
        }
        Ok(losses)
    }
}

fn note_loss(p: &Ratio, variables: usize, losses: &mut Vec<Loss>) {
    if let Some(loss) = losses.iter_mut().find(|loss| loss.probability == *p) {
        loss.variables += variables;
    } else if probability::exact_decimal(p).is_none() {
        let written = probability::nearest_decimal(p, DIGITS);
        losses.push(Loss { probability: p.clone(), written, variables });
    }
}

/// The text of a formula in the exact dialect.
pub fn print(formula: &Qcnf) -> String {
    let mut text = Vec::new();
    write(formula, Dialect::Exact, &mut text).expect("memory takes what is written");
    String::from_utf8(text).expect("a formula is written in UTF-8")
}

/// Writes a formula; [`Dialect::losses`] says before what is lost.
///
/// # Errors
/// Where `out` cannot be written, and on a formula that is not in the dialect.
pub fn write(formula: &Qcnf, dialect: Dialect, out: &mut impl Write) -> io::Result<()> {
    dialect.losses(formula).map_err(io::Error::other)?;
    for (var, name) in formula.named() {
        writeln!(out, "c v {} {}", var.index() + 1, names::escape(name))?;
    }
    writeln!(out, "p cnf {} {}", formula.variables(), formula.clauses.len())?;
    if dialect == Dialect::Exact {
        formula.prefix.iter().try_for_each(|scope| write_lines(&[scope], dialect, out))?;
    } else {
        let scopes: Vec<&Scope> =
            formula.prefix.iter().filter(|scope| !scope.variables.is_empty()).collect();
        let mut lines = scopes.chunk_by(|left, right| left.quantifier == right.quantifier);
        lines.try_for_each(|line| write_lines(line, dialect, out))?;
    }
    write_clauses(formula, out)
}

/// One line of the prefix for scopes of one quantifier.
fn write_lines(scopes: &[&Scope], dialect: Dialect, out: &mut impl Write) -> io::Result<()> {
    let quantifier = &scopes[0].quantifier;
    let letter = match quantifier.kind() {
        Kind::Exists => 'e',
        Kind::Forall => 'a',
        Kind::Chance => 'r',
    };
    write!(out, "{letter}")?;
    if let Quantifier::Chance(p) = quantifier {
        let inexact = || match dialect {
            Dialect::Decimal => probability::nearest_decimal(p, DIGITS),
            Dialect::Exact | Dialect::Qdimacs => p.to_string(),
        };
        write!(out, " {}", probability::exact_decimal(p).unwrap_or_else(inexact))?;
    }
    for var in scopes.iter().flat_map(|scope| &scope.variables) {
        write!(out, " {}", var.index() + 1)?;
    }
    writeln!(out, " 0")
}

fn write_clauses(formula: &Qcnf, out: &mut impl Write) -> io::Result<()> {
    // Formatting machinery would take most of the time of a large formula.
    let mut line = Vec::with_capacity(64);
    for clause in formula.clauses.iter() {
        line.clear();
        for literal in clause {
            push_number(literal.to_dimacs(), &mut line);
            line.push(b' ');
        }
        line.extend_from_slice(b"0\n");
        out.write_all(&line)?;
    }
    Ok(())
}

fn push_number(number: i64, line: &mut Vec<u8>) {
    if number < 0 {
        line.push(b'-');
    }
    let (mut rest, start) = (number.unsigned_abs(), line.len());
    loop {
        line.push(b'0' + (rest % 10) as u8);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    line[start..].reverse();
}
