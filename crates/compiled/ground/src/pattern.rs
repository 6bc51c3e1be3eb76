//! Patterns: terms with variables, matched against ground terms and filled in to ground terms.
//!
//! Matching a canonical pattern (variables numbered in the order of first occurrence) against a
//! tuple yields the values of its variables; the tuple is determined by them. So a set of tuples
//! seen through a pattern is a table of plain values, and joins never look inside a term.

use gdl::{SymbolId, VarId};
use index::Id;

use crate::TermId;
use crate::terms::TermTable;

/// A term that may hold variables; parts without variables are interned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    Variable(u32),
    Ground(TermId),
    Compound(SymbolId, Box<[Pattern]>),
}

impl Pattern {
    /// The pattern of a term of the rulebook.
    pub(crate) fn of_term(term: &gdl::Term, table: &mut TermTable) -> Self {
        match term {
            gdl::Term::Variable(variable) => Self::Variable(VarId::index(*variable) as u32),
            gdl::Term::Constant(symbol) => Self::Ground(table.constant(*symbol)),
            gdl::Term::Compound(symbol, args) => {
                let args: Vec<_> = args.iter().map(|arg| Self::of_term(arg, table)).collect();
                match all_ground(&args) {
                    Some(ground) => Self::Ground(table.intern(*symbol, &ground)),
                    None => Self::Compound(*symbol, args.into()),
                }
            }
        }
    }

    /// Calls `visit` with each variable, from the left, repeated ones again.
    pub(crate) fn variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Ground(_) => {}
            Self::Compound(_, args) => args.iter().for_each(|arg| arg.variables(visit)),
        }
    }

    /// The same pattern with variables renumbered.
    pub(crate) fn rename(&self, name: &mut impl FnMut(u32) -> u32) -> Self {
        match self {
            Self::Variable(variable) => Self::Variable(name(*variable)),
            Self::Ground(term) => Self::Ground(*term),
            Self::Compound(symbol, args) => {
                Self::Compound(*symbol, args.iter().map(|arg| arg.rename(name)).collect())
            }
        }
    }

    /// Matches a canonical pattern; values of new variables are appended to `values`.
    pub(crate) fn matches(
        &self,
        term: TermId,
        table: &TermTable,
        values: &mut Vec<TermId>,
    ) -> bool {
        match self {
            Self::Ground(held) => *held == term,
            Self::Variable(variable) => match values.get(*variable as usize) {
                Some(&value) => value == term,
                None => {
                    debug_assert_eq!(*variable as usize, values.len(), "pattern not canonical");
                    values.push(term);
                    true
                }
            },
            Self::Compound(symbol, args) => {
                let (held, terms) = table.node(term);
                held == *symbol
                    && terms.len() == args.len()
                    && args.iter().zip(terms).all(|(arg, &term)| arg.matches(term, table, values))
            }
        }
    }

    /// The ground term under a binding of all variables.
    pub(crate) fn fill(&self, binding: &[TermId], table: &mut TermTable) -> TermId {
        match self {
            Self::Variable(variable) => binding[*variable as usize],
            Self::Ground(term) => *term,
            Self::Compound(symbol, args) => {
                let args: Vec<_> = args.iter().map(|arg| arg.fill(binding, table)).collect();
                table.intern(*symbol, &args)
            }
        }
    }

    /// Whether the filled pattern would be this term; nothing is interned.
    fn is_term(&self, term: TermId, binding: &[TermId], table: &TermTable) -> bool {
        match self {
            Self::Variable(variable) => binding[*variable as usize] == term,
            Self::Ground(held) => *held == term,
            Self::Compound(symbol, args) => {
                let (held, terms) = table.node(term);
                held == *symbol
                    && terms.len() == args.len()
                    && args.iter().zip(terms).all(|(arg, &term)| arg.is_term(term, binding, table))
            }
        }
    }

    /// Whether two filled patterns would be the same term; nothing is interned.
    pub(crate) fn equals(&self, other: &Self, binding: &[TermId], table: &TermTable) -> bool {
        match (self, other) {
            (Self::Variable(variable), _) => {
                other.is_term(binding[*variable as usize], binding, table)
            }
            (Self::Ground(term), _) => other.is_term(*term, binding, table),
            (_, Self::Variable(_) | Self::Ground(_)) => other.equals(self, binding, table),
            (Self::Compound(a, left), Self::Compound(b, right)) => {
                a == b
                    && left.len() == right.len()
                    && left.iter().zip(right).all(|(x, y)| x.equals(y, binding, table))
            }
        }
    }
}

/// The terms, where every pattern is ground.
pub(crate) fn all_ground(patterns: &[Pattern]) -> Option<Vec<TermId>> {
    let ground = |pattern: &Pattern| match pattern {
        Pattern::Ground(term) => Some(*term),
        _ => None,
    };
    patterns.iter().map(ground).collect()
}

/// The distinct variables of patterns, in the order of first occurrence.
pub(crate) fn distinct_variables(patterns: &[Pattern]) -> Vec<u32> {
    let mut found = Vec::new();
    for pattern in patterns {
        pattern.variables(&mut |variable| {
            if !found.contains(&variable) {
                found.push(variable);
            }
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl::Symbols;

    fn pair(a: Pattern, b: Pattern, name: SymbolId) -> Pattern {
        Pattern::Compound(name, [a, b].into())
    }

    #[test]
    fn a_repeated_variable_matches_equal_parts_only() {
        let (mut table, mut symbols) = (TermTable::default(), Symbols::new());
        let (name, one, two) = (symbols.intern("p"), symbols.intern("1"), symbols.intern("2"));
        let (one, two) = (table.constant(one), table.constant(two));
        let pattern = pair(Pattern::Variable(0), Pattern::Variable(0), name);
        let (same, other) = (table.intern(name, &[one, one]), table.intern(name, &[one, two]));
        let mut values = Vec::new();
        assert!(pattern.matches(same, &table, &mut values));
        assert_eq!(values, [one]);
        values.clear();
        assert!(!pattern.matches(other, &table, &mut values));
        assert_eq!(pattern.fill(&[two], &mut table), table.intern(name, &[two, two]));
    }

    #[test]
    fn equality_sees_through_terms_that_were_never_interned() {
        let (mut table, mut symbols) = (TermTable::default(), Symbols::new());
        let (name, one) = (symbols.intern("p"), symbols.intern("1"));
        let one = table.constant(one);
        let left = pair(Pattern::Variable(0), Pattern::Ground(one), name);
        let right = pair(Pattern::Ground(one), Pattern::Variable(1), name);
        assert!(left.equals(&right, &[one, one], &table));
        let two = symbols.intern("2");
        let two = table.constant(two);
        assert!(!left.equals(&right, &[two, one], &table));
        assert!(!left.equals(&Pattern::Variable(1), &[one, one], &table));
        // A variable that stands for a term that is there, of this name and number of parts or not.
        let (other, one_more) = (symbols.intern("q"), table.intern(name, &[one, one, one]));
        for (held, is_same) in [
            (table.intern(name, &[one, one]), true),
            (table.intern(name, &[one, two]), false),
            (table.intern(name, &[one]), false),
            (one_more, false),
            (table.intern(other, &[one, one]), false),
        ] {
            assert_eq!(left.equals(&Pattern::Variable(1), &[one, held], &table), is_same);
        }
    }
}
