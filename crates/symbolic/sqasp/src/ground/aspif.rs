//! The text form of ground programs: aspif, the format between clingo's grounder and solver.
//!
//! Written and read: rules (`1`), with plain and with weight bodies, and symbols (`4`), whose
//! condition is one atom or, for a fact, nothing. `read(print(x)) == x`. Everything else that the
//! format can say (optimisation, projection, external atoms, theories, ...) is outside the class
//! and refused by name, with its line. Cost: linear.
//! Source: Gebser, Kaminski, Kaufmann, Ostrowski, Schaub and Wanko, *Theory solving made easy with
//! clingo 5* (2016), appendix.

use std::fmt;

use index::Id;

use super::{AtomId, GroundLit, GroundProgram, Rule, RuleBody};

/// A fault of an aspif text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AspifError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for AspifError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for AspifError {}

impl fmt::Display for GroundProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "asp 1 0 0")?;
        for rule in self.rules() {
            write_rule(f, rule)?;
        }
        for (text, atom) in self.symbols() {
            write!(f, "4 {} {text} ", text.len())?;
            match atom {
                Some(atom) => writeln!(f, "1 {}", atom.index())?,
                None => writeln!(f, "0")?,
            }
        }
        writeln!(f, "0")
    }
}

fn write_rule(f: &mut fmt::Formatter<'_>, rule: Rule<'_>) -> fmt::Result {
    write!(f, "1 {} {}", u8::from(rule.choice), rule.heads.len())?;
    for head in rule.heads {
        write!(f, " {}", head.index())?;
    }
    match rule.body {
        RuleBody::All(literals) => {
            write!(f, " 0 {}", literals.len())?;
            for literal in literals {
                write!(f, " {}", literal.to_aspif())?;
            }
        }
        RuleBody::Sum { bound, literals, weights } => {
            write!(f, " 1 {bound} {}", literals.len())?;
            for (literal, weight) in literals.iter().zip(weights) {
                write!(f, " {} {weight}", literal.to_aspif())?;
            }
        }
    }
    writeln!(f)
}

/// Reads a ground program.
///
/// # Errors
/// The first line that is no aspif, or says what is outside the class.
pub fn read_aspif(text: &str) -> Result<GroundProgram, AspifError> {
    let mut program = GroundProgram::default();
    let mut lines = text.lines().enumerate();
    let faulty = |line: usize, message: String| AspifError { line: line + 1, message };
    match lines.next() {
        Some((_, header)) if header.starts_with("asp 1 ") => {}
        _ => return Err(faulty(0, "not aspif: the first line must be `asp 1 0 0`".into())),
    }
    for (at, line) in lines {
        let mut words = Words { rest: line };
        let kind = words.number().map_err(|message| faulty(at, message))?;
        if kind == 0 {
            return Ok(program);
        }
        statement(&mut program, kind, &mut words).map_err(|message| faulty(at, message))?;
    }
    Err(faulty(text.lines().count(), "the text is truncated: its last line must be `0`".into()))
}

fn statement(program: &mut GroundProgram, kind: i64, words: &mut Words<'_>) -> Result<(), String> {
    match kind {
        1 => read_rule(program, words)?,
        4 => read_symbol(program, words)?,
        10 => return Ok(()),
        _ => return Err(format!("{} is outside the class of programs read here", name(kind))),
    }
    if words.rest.trim().is_empty() { Ok(()) } else { Err("words after the statement".into()) }
}

fn name(kind: i64) -> &'static str {
    match kind {
        2 => "optimisation (`#minimize`)",
        3 => "projection (`#project`)",
        5 => "an external atom (`#external`)",
        6 => "an assumption",
        7 => "a heuristic (`#heuristic`)",
        8 => "acyclicity (`#edge`)",
        9 => "a theory atom",
        _ => "a statement of unknown kind",
    }
}

fn read_rule(program: &mut GroundProgram, words: &mut Words<'_>) -> Result<(), String> {
    let choice = words.number()? == 1;
    let heads: Vec<AtomId> = (0..words.count()?).map(|_| words.atom()).collect::<Result<_, _>>()?;
    if !choice && heads.len() > 1 {
        return Err("disjunction is outside the class of programs read here".into());
    }
    let (mut literals, mut weights) = (Vec::new(), Vec::new());
    let body = if words.number()? == 0 {
        for _ in 0..words.count()? {
            literals.push(words.literal()?);
        }
        RuleBody::All(&literals)
    } else {
        let bound = words.number()?;
        for _ in 0..words.count()? {
            literals.push(words.literal()?);
            let weight = u32::try_from(words.number()?).ok().filter(|weight| *weight > 0);
            weights.push(weight.ok_or("a weight must be positive and below 2^32")?);
        }
        RuleBody::Sum { bound, literals: &literals, weights: &weights }
    };
    program.add_rule(Rule { choice, heads: &heads, body });
    Ok(())
}

fn read_symbol(program: &mut GroundProgram, words: &mut Words<'_>) -> Result<(), String> {
    let length = words.count()?;
    let text = words.text(length)?;
    match words.count()? {
        0 => program.add_symbol(text, None),
        1 => {
            let atom = words.atom()?;
            program.add_symbol(text, Some(atom));
        }
        _ => return Err("a symbol that stands for several literals".into()),
    }
    Ok(())
}

/// The rest of a line.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn number(&mut self) -> Result<i64, String> {
        let rest = self.rest.trim_start();
        let (word, after) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
        self.rest = after;
        word.parse().map_err(|_| format!("a number is missing where `{word}` stands"))
    }

    fn count(&mut self) -> Result<usize, String> {
        usize::try_from(self.number()?).map_err(|_| "a count is negative".into())
    }

    fn literal(&mut self) -> Result<GroundLit, String> {
        let number = self.number()?;
        GroundLit::from_aspif(number).ok_or_else(|| format!("{number} is no literal"))
    }

    fn atom(&mut self) -> Result<AtomId, String> {
        let literal = self.literal()?;
        if literal.is_positive() {
            Ok(literal.atom())
        } else {
            Err("an atom's number is negative".into())
        }
    }

    fn text(&mut self, length: usize) -> Result<&'a str, String> {
        let rest = self.rest.strip_prefix(' ').unwrap_or(self.rest);
        let text = rest.get(..length).ok_or("the line is shorter than its text")?;
        self.rest = &rest[length..];
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 1 3 1 2 2 1 1 -2 2\n1 0 0 0 1 -3\n\
                        4 4 a(1) 1 1\n4 3 \"b\" 0\n0\n";

    #[test]
    fn reading_what_was_printed_gives_the_same() {
        let program = read_aspif(TEXT).unwrap();
        assert_eq!(program.to_string(), TEXT);
        assert_eq!(program.len(), 3);
        let RuleBody::Sum { bound, weights, .. } = program.rule(1).body else { panic!() };
        assert_eq!((bound, weights), (2, &[1, 2][..]));
    }

    #[test]
    fn what_is_outside_the_class_is_refused_with_its_line() {
        let refused = |line: &str| read_aspif(&format!("asp 1 0 0\n{line}\n0\n")).unwrap_err();
        assert_eq!(refused("2 0 1 1 1").line, 2);
        assert!(refused("2 0 1 1 1").message.contains("#minimize"));
        assert!(refused("1 0 2 1 2 0 0").message.contains("disjunction"));
        assert!(refused("5 1 2").message.contains("#external"));
        assert!(refused("1 0 1 1 0 1").message.contains("number is missing"));
        assert_eq!(read_aspif("asp 1 0 0\n1 0 0 0 0\n").unwrap_err().line, 3);
        assert_eq!(read_aspif("p cnf 1 1").unwrap_err().line, 1);
    }
}
