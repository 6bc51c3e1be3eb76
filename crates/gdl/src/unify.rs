//! Unification, and the application of its result to rules.
//!
//! Bindings are triangular: a bound variable's term may hold bound variables. Both the depth and
//! the number of steps are bounded, because a few short equations can describe a term of
//! exponential size; what exceeds the bounds is refused by the caller, never cut.

use index::{Id, IndexVec};

use crate::formula::TERM_DEPTH_LIMIT;
use crate::{Atom, Literal, Term, VarId};

/// Steps that one unification or substitution may take.
const STEP_LIMIT: usize = 100_000;

/// A term grew beyond what is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Terms for some of a rule's variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Substitution {
    bindings: IndexVec<VarId, Option<Term>>,
    steps: usize,
}

impl Substitution {
    /// Nothing is bound yet, of `variables` variables.
    pub(crate) fn new(variables: usize) -> Self {
        Self { bindings: IndexVec::filled(None, variables), steps: 0 }
    }

    fn step(&mut self, depth: usize) -> Result<(), TooLarge> {
        self.steps += 1;
        // Chains of variables deepen the walk, never the term.
        let deepest = TERM_DEPTH_LIMIT + 1;
        if self.steps > STEP_LIMIT || depth > deepest { Err(TooLarge) } else { Ok(()) }
    }

    /// The term itself, or what its variable is bound to in the end.
    fn walk<'t>(&'t self, mut term: &'t Term) -> &'t Term {
        while let Term::Variable(variable) = term {
            match &self.bindings[*variable] {
                Some(bound) => term = bound,
                None => break,
            }
        }
        term
    }

    /// Makes both terms equal, if that can be.
    pub(crate) fn unify(&mut self, left: &Term, right: &Term) -> Result<bool, TooLarge> {
        self.steps = 0;
        self.unify_at(left, right, 1)
    }

    fn unify_at(&mut self, left: &Term, right: &Term, depth: usize) -> Result<bool, TooLarge> {
        self.step(depth)?;
        let (left, right) = (self.walk(left).clone(), self.walk(right).clone());
        match (left, right) {
            (Term::Variable(one), Term::Variable(other)) if one == other => Ok(true),
            (Term::Variable(variable), term) | (term, Term::Variable(variable)) => {
                self.bind(variable, term, depth)
            }
            (Term::Constant(one), Term::Constant(other)) => Ok(one == other),
            (Term::Compound(one, mine), Term::Compound(other, theirs)) => {
                if one != other || mine.len() != theirs.len() {
                    return Ok(false);
                }
                for (mine, theirs) in mine.iter().zip(theirs.iter()) {
                    if !self.unify_at(mine, theirs, depth + 1)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn bind(&mut self, variable: VarId, term: Term, depth: usize) -> Result<bool, TooLarge> {
        debug_assert!(self.bindings[variable].is_none(), "{variable} is bound twice");
        if self.occurs(variable, &term, depth)? {
            return Ok(false);
        }
        self.bindings[variable] = Some(term);
        Ok(true)
    }

    fn occurs(&mut self, variable: VarId, term: &Term, depth: usize) -> Result<bool, TooLarge> {
        self.step(depth)?;
        match self.walk(term).clone() {
            Term::Variable(other) => Ok(variable == other),
            Term::Constant(_) => Ok(false),
            Term::Compound(_, args) => {
                for arg in &args {
                    if self.occurs(variable, arg, depth + 1)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// The term with every bound variable replaced.
    pub(crate) fn term(&mut self, term: &Term) -> Result<Term, TooLarge> {
        self.steps = 0;
        self.term_at(term, 1)
    }

    fn term_at(&mut self, term: &Term, depth: usize) -> Result<Term, TooLarge> {
        self.step(depth)?;
        if depth > TERM_DEPTH_LIMIT {
            return Err(TooLarge);
        }
        Ok(match self.walk(term).clone() {
            Term::Compound(function, args) => {
                let args: Result<_, _> =
                    args.iter().map(|arg| self.term_at(arg, depth + 1)).collect();
                Term::Compound(function, args?)
            }
            simple => simple,
        })
    }

    /// The atom with every bound variable replaced.
    pub(crate) fn atom(&mut self, atom: &Atom) -> Result<Atom, TooLarge> {
        let args: Result<_, _> = atom.args.iter().map(|arg| self.term(arg)).collect();
        Ok(Atom { args: args?, ..*atom })
    }

    /// The literal with every bound variable replaced.
    pub(crate) fn literal(&mut self, literal: &Literal) -> Result<Literal, TooLarge> {
        Ok(match literal {
            Literal::Positive(atom) => Literal::Positive(self.atom(atom)?),
            Literal::Negative(atom) => Literal::Negative(self.atom(atom)?),
            Literal::Distinct(left, right, span) => {
                Literal::Distinct(self.term(left)?, self.term(right)?, *span)
            }
        })
    }
}

/// Whether two terms with the variables of one rule can be made equal.
pub(crate) fn unifiable(left: &Term, right: &Term, variables: usize) -> Result<bool, TooLarge> {
    Substitution::new(variables).unify(left, right)
}

/// The term with every variable's number raised by `offset`.
pub(crate) fn raised(term: &Term, offset: usize) -> Term {
    match term {
        Term::Variable(variable) => Term::Variable(VarId::from_index(variable.index() + offset)),
        Term::Constant(name) => Term::Constant(*name),
        Term::Compound(function, args) => {
            Term::Compound(*function, args.iter().map(|arg| raised(arg, offset)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyword;

    fn variable(index: usize) -> Term {
        Term::Variable(VarId::from_index(index))
    }

    fn pair(left: Term, right: Term) -> Term {
        Term::Compound(keyword::TRUE, [left, right].into())
    }

    #[test]
    fn equations_bind_through_chains() {
        let mut found = Substitution::new(3);
        assert_eq!(found.unify(&variable(0), &variable(1)), Ok(true));
        assert_eq!(found.unify(&variable(1), &variable(2)), Ok(true));
        assert_eq!(found.unify(&variable(0), &Term::Constant(keyword::ROLE)), Ok(true));
        assert_eq!(found.term(&variable(2)), Ok(Term::Constant(keyword::ROLE)));
        assert_eq!(found.unify(&variable(1), &Term::Constant(keyword::GOAL)), Ok(false));
    }

    #[test]
    fn a_variable_never_equals_a_term_that_holds_it() {
        let mut found = Substitution::new(2);
        assert_eq!(found.unify(&variable(0), &variable(1)), Ok(true));
        let around = pair(variable(1), Term::Constant(keyword::ROLE));
        assert_eq!(found.unify(&variable(0), &around), Ok(false));
    }

    #[test]
    fn exponential_terms_are_refused() {
        let mut found = Substitution::new(40);
        let mut outcome = Ok(true);
        for index in 0..39 {
            let twice = pair(variable(index + 1), variable(index + 1));
            outcome = outcome.and_then(|_| found.unify(&variable(index), &twice));
        }
        let size = outcome.and_then(|_| found.term(&variable(0)).map(|_| true));
        assert_eq!(size, Err(TooLarge));
    }
}
