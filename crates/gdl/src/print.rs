//! The text form of a rulebook and of its parts: canonical KIF, one rule a line.
//!
//! `read(print(x)) == x`: what is printed is in normal form, so reading changes nothing; names of
//! variables are kept. Nullary relations print without parentheses in bodies and heads, and in
//! parentheses as facts, because a word outside parentheses is no fact.

use std::fmt::{self, Display, Formatter};

use index::IndexVec;

use crate::{Atom, Literal, Rule, Rulebook, SymbolId, Symbols, Term, VarId};

/// Canonical text of a ground term: `noop`, `(cell 1 b)`.
///
/// A variable prints as `?v3`.
pub fn term_text(term: &Term, symbols: &Symbols) -> String {
    Shown { what: term, symbols, variables: None }.to_string()
}

/// Canonical text of a rule, as in the printed rulebook.
pub fn rule_text(rule: &Rule, symbols: &Symbols) -> String {
    Shown { what: rule, symbols, variables: Some(&rule.variables) }.to_string()
}

/// Canonical text of an atom of a rule, with the rule's names of variables.
pub(crate) fn atom_text(atom: &Atom, rule: &Rule, symbols: &Symbols) -> String {
    Shown { what: atom, symbols, variables: Some(&rule.variables) }.to_string()
}

/// Canonical text of a term of a rule, with the rule's names of variables.
pub(crate) fn part_text(term: &Term, rule: &Rule, symbols: &Symbols) -> String {
    Shown { what: term, symbols, variables: Some(&rule.variables) }.to_string()
}

/// A part of a rulebook with what it takes to print it.
struct Shown<'a, T> {
    what: &'a T,
    symbols: &'a Symbols,
    variables: Option<&'a IndexVec<VarId, Box<str>>>,
}

impl<T> Shown<'_, T> {
    fn part<'b, U>(&'b self, what: &'b U) -> Shown<'b, U> {
        Shown { what, symbols: self.symbols, variables: self.variables }
    }

    fn form(&self, f: &mut Formatter<'_>, name: SymbolId, args: &[Term]) -> fmt::Result {
        let name = self.symbols.name(name);
        debug_assert!(!name.is_empty(), "a name without a character cannot be read again");
        if args.is_empty() {
            return f.write_str(name);
        }
        write!(f, "({name}")?;
        for arg in args {
            write!(f, " {}", self.part(arg))?;
        }
        f.write_str(")")
    }
}

impl Display for Shown<'_, Term> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.what {
            Term::Variable(id) => match self.variables.and_then(|names| names.get(*id)) {
                Some(name) => write!(f, "?{name}"),
                None => write!(f, "?{id}"),
            },
            Term::Constant(name) => self.form(f, *name, &[]),
            Term::Compound(name, args) => self.form(f, *name, args),
        }
    }
}

impl Display for Shown<'_, Atom> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.form(f, self.what.relation, &self.what.args)
    }
}

impl Display for Shown<'_, Literal> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.what {
            Literal::Positive(atom) => self.part(atom).fmt(f),
            Literal::Negative(atom) => write!(f, "(not {})", self.part(atom)),
            Literal::Distinct(left, right, _) => {
                write!(f, "(distinct {} {})", self.part(left), self.part(right))
            }
        }
    }
}

impl Display for Shown<'_, Rule> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let head = self.part(&self.what.head);
        match (self.what.body.is_empty(), self.what.head.args.is_empty()) {
            (true, true) => write!(f, "({head})"),
            (true, false) => head.fmt(f),
            (false, _) => {
                write!(f, "(<= {head}")?;
                for literal in &self.what.body {
                    write!(f, " {}", self.part(literal))?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Canonical KIF of the normal form, one rule a line.
impl Display for Rulebook {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for rule in &self.rules {
            writeln!(f, "{}", rule_text(rule, &self.symbols))?;
        }
        Ok(())
    }
}

impl Rulebook {
    /// Whether both have the same roles and the same rules in the same order, names of variables
    /// included; places in the text do not count.
    pub fn same_rules(&self, other: &Self) -> bool {
        let names = |book: &Self| -> Vec<String> {
            book.roles.iter().map(|role| book.symbols.name(*role).to_owned()).collect()
        };
        names(self) == names(other) && self.to_string() == other.to_string()
    }
}
