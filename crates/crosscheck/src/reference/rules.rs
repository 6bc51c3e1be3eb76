//! A rule as a plan: its literals in an order in which each finds its variables bound.
//!
//! Always: a negative literal or a `distinct` stands after the literals that bind its variables,
//! which a safe rule has; so an order exists and the result does not depend on the order chosen.
//! The order is greedy: whatever can only filter goes first, then the literal with the most
//! arguments known.

use gdl::{Atom, Literal, Rule, Span, Term};
use index::Id;

use super::strata::{RelationId, Relations};
use super::terms::{Pattern, Terms};

/// One literal of a plan.
pub(super) enum Step {
    /// Goes through the facts of a relation that fit; where `probe` names an argument, only
    /// through those with that argument.
    Match { relation: RelationId, args: Box<[Pattern]>, probe: Option<usize> },
    /// Goes on where the fact holds, or does not.
    Test { relation: RelationId, args: Box<[Pattern]>, holds: bool },
    /// Goes on where the terms differ.
    Differ(Pattern, Pattern),
}

/// A rule made ready for evaluation.
pub(super) struct Plan {
    /// Where set, the first step goes through the newest facts of this relation only.
    pub(super) seed: Option<RelationId>,
    /// The body.
    pub(super) steps: Vec<Step>,
    /// After so many steps every variable of the head has its value.
    pub(super) head_known: usize,
    /// What is concluded.
    pub(super) head: RelationId,
    /// Its arguments.
    pub(super) args: Box<[Pattern]>,
    /// Number of variables.
    pub(super) variables: usize,
    /// Where the rule stands.
    pub(super) span: Span,
}

/// Plans a rule; a `seed` is the index of the positive literal to begin with.
pub(super) fn plan(
    rule: &Rule,
    seed: Option<usize>,
    relations: &Relations,
    terms: &mut Terms,
) -> Plan {
    let mut planner =
        Planner { relations, terms, bound: vec![false; rule.variables.len()], steps: Vec::new() };
    let mut rest: Vec<&Literal> = rule.body.iter().collect();
    let seed = seed.map(|index| planner.seed(rest.remove(index)));
    let mut head_known = planner.head_known(&rule.head);
    while !rest.is_empty() {
        let next = planner.choose(&rest);
        planner.add(rest.remove(next));
        head_known = head_known.or(planner.head_known(&rule.head));
    }
    let args = rule.head.args.iter().map(|arg| planner.known(arg)).collect();
    Plan {
        seed,
        head_known: head_known.expect("a safe rule binds the variables of its head"),
        steps: planner.steps,
        head: relations.id(&rule.head),
        args,
        variables: rule.variables.len(),
        span: rule.span,
    }
}

struct Planner<'a> {
    relations: &'a Relations,
    terms: &'a mut Terms,
    bound: Vec<bool>,
    steps: Vec<Step>,
}

impl Planner<'_> {
    /// The literal to take next; the first of the best.
    fn choose(&self, rest: &[&Literal]) -> usize {
        let score = |literal: &Literal| match literal {
            Literal::Positive(atom) => {
                let known = atom.args.iter().filter(|arg| self.is_known(arg)).count();
                Some((known == atom.args.len(), known))
            }
            Literal::Negative(atom) => {
                atom.args.iter().all(|arg| self.is_known(arg)).then_some((true, usize::MAX))
            }
            Literal::Distinct(left, right, _) => {
                (self.is_known(left) && self.is_known(right)).then_some((true, usize::MAX))
            }
        };
        let ready = rest.iter().enumerate().filter_map(|(at, literal)| Some((score(literal)?, at)));
        let best = ready.max_by_key(|(score, at)| (*score, std::cmp::Reverse(*at)));
        best.expect("a safe rule binds the variables of its negative literals").1
    }

    fn add(&mut self, literal: &Literal) {
        let step = match literal {
            Literal::Distinct(left, right, _) => Step::Differ(self.known(left), self.known(right)),
            Literal::Negative(atom) => self.test(atom, false),
            Literal::Positive(atom) if atom.args.iter().all(|arg| self.is_known(arg)) => {
                self.test(atom, true)
            }
            Literal::Positive(atom) => {
                let probe = atom.args.iter().position(|arg| self.is_known(arg));
                self.go_through(atom, probe)
            }
        };
        self.steps.push(step);
    }

    fn test(&mut self, atom: &Atom, holds: bool) -> Step {
        let args = atom.args.iter().map(|arg| self.known(arg)).collect();
        Step::Test { relation: self.relations.id(atom), args, holds }
    }

    fn go_through(&mut self, atom: &Atom, probe: Option<usize>) -> Step {
        let args = atom.args.iter().map(|arg| self.terms.pattern(arg, &mut self.bound)).collect();
        Step::Match { relation: self.relations.id(atom), args, probe }
    }

    fn seed(&mut self, literal: &Literal) -> RelationId {
        let Literal::Positive(atom) = literal else { unreachable!("a seed is positive") };
        let step = self.go_through(atom, None);
        self.steps.push(step);
        self.relations.id(atom)
    }

    /// The number of steps so far, where they bind all of the head.
    fn head_known(&self, head: &Atom) -> Option<usize> {
        head.args.iter().all(|arg| self.is_known(arg)).then_some(self.steps.len())
    }

    fn known(&mut self, term: &Term) -> Pattern {
        assert!(self.is_known(term), "a term is used before its variables are bound");
        self.terms.pattern(term, &mut self.bound)
    }

    fn is_known(&self, term: &Term) -> bool {
        match term {
            Term::Variable(variable) => self.bound[variable.index()],
            Term::Constant(_) => true,
            Term::Compound(_, args) => args.iter().all(|arg| self.is_known(arg)),
        }
    }
}
