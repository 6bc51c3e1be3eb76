//! A formula: prefix, matrix, and names for people.
//!
//! Well-formed ([`Qcnf::flaw`] finds nothing): each variable below [`Qcnf::variables`] is quantified
//! at most once, each variable of a clause is quantified, each probability lies in 0 to 1. A variable that is
//! neither quantified nor in a clause is allowed and means nothing.

use exact::Ratio;
use index::{Id, IndexVec};

use crate::{ClauseId, Clauses, Lit, Var};

/// How a variable is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// The value is the larger of both.
    Exists,
    /// The value is the smaller of both.
    Forall,
    /// True with this probability: the value is the weighted mean.
    Chance(Ratio),
}

/// A quantifier without its probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The value is the larger of both.
    Exists,
    /// The value is the smaller of both.
    Forall,
    /// The value is the weighted mean of both.
    Chance,
}

impl Quantifier {
    /// The quantifier without its probability.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Exists => Kind::Exists,
            Self::Forall => Kind::Forall,
            Self::Chance(_) => Kind::Chance,
        }
    }
}

/// One line of the prefix: variables that one quantifier binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// How they are bound.
    pub quantifier: Quantifier,
    /// The variables, in the order of the text.
    pub variables: Vec<Var>,
}

/// Adjacent lines of one kind: their variables commute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// The kind of all lines.
    pub kind: Kind,
    /// The lines; at least one.
    pub scopes: &'a [Scope],
}

/// What keeps a formula from being well-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A line of the prefix or a clause names a variable past the count.
    PastCount(Var),
    /// A variable is quantified twice.
    Twice(Var),
    /// A variable of this clause is never quantified.
    Never(Var, ClauseId),
    /// A probability of this variable lies outside 0 to 1.
    NoProbability(Var),
}

/// A prenex formula in conjunctive normal form with exact probabilities.
#[derive(Clone, Debug, Default)]
pub struct Qcnf {
    variables: u32,
    /// The prefix, outermost line first.
    pub prefix: Vec<Scope>,
    /// The matrix.
    pub clauses: Clauses,
    /// Names of variables, for people; variables past the end have none.
    pub names: IndexVec<Var, Option<Box<str>>>,
}

impl Qcnf {
    /// A formula of so many variables, with an empty prefix and matrix.
    ///
    /// # Panics
    /// When there are more than 2^31 variables.
    pub fn new(variables: usize) -> Self {
        assert!(variables <= 1 << 31, "more than 2^31 variables");
        Self { variables: variables as u32, ..Self::default() }
    }

    /// How many variables there are, unused ones included.
    pub fn variables(&self) -> usize {
        self.variables as usize
    }

    /// One more variable, not yet quantified.
    pub fn add_variable(&mut self) -> Var {
        let var = Var::from_index(self.variables as usize);
        assert!(self.variables < 1 << 31, "more than 2^31 variables");
        self.variables += 1;
        var
    }

    /// Appends a line to the prefix, inside of all others.
    pub fn quantify(&mut self, quantifier: Quantifier, variables: Vec<Var>) {
        self.prefix.push(Scope { quantifier, variables });
    }

    /// Adds a clause.
    pub fn add_clause(&mut self, clause: &[Lit]) -> ClauseId {
        self.clauses.push(clause)
    }

    /// The name of a variable, where it has one.
    pub fn name(&self, var: Var) -> Option<&str> {
        self.names.get(var).and_then(|name| name.as_deref())
    }

    /// Gives a variable a name, in place of the one it had.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn set_name(&mut self, var: Var, name: &str) {
        assert!(var.index() < self.variables(), "there is no {var}");
        while self.names.len() <= var.index() {
            self.names.push(None);
        }
        self.names[var] = Some(name.into());
    }

    /// The variables that have names, in order.
    pub fn named(&self) -> impl Iterator<Item = (Var, &str)> {
        self.names.enumerate().filter_map(|(var, name)| Some((var, name.as_deref()?)))
    }

    /// Maximal runs of adjacent lines of one kind that have variables, outermost first.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        self.prefix
            .chunk_by(|left, right| left.quantifier.kind() == right.quantifier.kind())
            .map(|scopes| Block { kind: scopes[0].quantifier.kind(), scopes })
    }

    /// The first thing that keeps it from being well-formed, if anything does.
    pub fn flaw(&self) -> Option<Flaw> {
        let mut bound = vec![false; self.variables()];
        let in_prefix = self.prefix.iter().find_map(|scope| scope_flaw(scope, &mut bound));
        in_prefix.or_else(|| {
            let clauses = self.clauses.iter().enumerate();
            clauses.map(|(at, clause)| (ClauseId::from_index(at), clause)).find_map(
                |(id, clause)| {
                    clause.iter().find_map(|lit| match bound.get(lit.var().index()) {
                        None => Some(Flaw::PastCount(lit.var())),
                        Some(false) => Some(Flaw::Never(lit.var(), id)),
                        Some(true) => None,
                    })
                },
            )
        })
    }
}

/// Equal are formulas of as many variables, with the same prefix, clauses and names.
impl PartialEq for Qcnf {
    fn eq(&self, other: &Self) -> bool {
        self.variables == other.variables
            && self.prefix == other.prefix
            && self.clauses == other.clauses
            && self.named().eq(other.named())
    }
}

impl Eq for Qcnf {}

fn scope_flaw(scope: &Scope, bound: &mut [bool]) -> Option<Flaw> {
    let improper = matches!(&scope.quantifier, Quantifier::Chance(p) if !p.is_probability());
    scope.variables.iter().find_map(|&var| match bound.get_mut(var.index()) {
        None => Some(Flaw::PastCount(var)),
        Some(true) => Some(Flaw::Twice(var)),
        Some(_) if improper => Some(Flaw::NoProbability(var)),
        Some(seen) => {
            *seen = true;
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(index: usize) -> Var {
        Var::from_index(index)
    }

    #[test]
    fn flaws_are_found() {
        let mut formula = Qcnf::new(3);
        formula.quantify(Quantifier::Exists, vec![var(0)]);
        formula.quantify(Quantifier::Chance(Ratio::new(1u8, 2u8)), vec![var(1)]);
        formula.add_clause(&[Lit::positive(var(0)), Lit::negative(var(1))]);
        assert_eq!(formula.flaw(), None);
        let mut never = formula.clone();
        let id = never.add_clause(&[Lit::positive(var(2))]);
        assert_eq!(never.flaw(), Some(Flaw::Never(var(2), id)));
        let mut twice = formula.clone();
        twice.quantify(Quantifier::Forall, vec![var(2), var(1)]);
        assert_eq!(twice.flaw(), Some(Flaw::Twice(var(1))));
        let mut improper = formula.clone();
        improper.quantify(Quantifier::Chance(Ratio::new(3u8, 2u8)), vec![var(2)]);
        assert_eq!(improper.flaw(), Some(Flaw::NoProbability(var(2))));
        formula.quantify(Quantifier::Exists, vec![var(3)]);
        assert_eq!(formula.flaw(), Some(Flaw::PastCount(var(3))));
    }

    #[test]
    fn adjacent_lines_of_one_kind_are_a_block() {
        let mut formula = Qcnf::new(4);
        let chance = |n: u8| Quantifier::Chance(Ratio::new(n, 5u8));
        formula.quantify(chance(1), vec![var(0)]);
        formula.quantify(chance(2), vec![var(1)]);
        formula.quantify(Quantifier::Exists, vec![var(2)]);
        formula.quantify(chance(2), vec![var(3)]);
        let kinds: Vec<(Kind, usize)> =
            formula.blocks().map(|block| (block.kind, block.scopes.len())).collect();
        assert_eq!(kinds, [(Kind::Chance, 2), (Kind::Exists, 1), (Kind::Chance, 1)]);
    }
}
