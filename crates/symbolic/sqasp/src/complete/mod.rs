//! A ground program as clauses under its prefix.
//!
//! Each stable model of the program has exactly one model of the clauses, and no other model of
//! the clauses exists; so the value of the formula is the probability of the program.
//!
//! - Every atom becomes a signal of [`gates`]: an input where the program leaves it open (heads of
//!   choices, quantified atoms, atoms in a cycle through negation), else the disjunction of its
//!   rules' bodies (`meaning`; Clark's completion).
//! - Positive recursion: the atoms of a component of k atoms are unfolded in k rounds, each round
//!   deriving from the one before; what the k-th derives is what has a well-founded reason. It is
//!   a level mapping in which an atom's level is the first round that derives it. Rounds are
//!   functions of what is outside of the component, so no stable model is doubled; the cost is
//!   quadratic in a component, which in games is small.
//! - Gates that something needs become variables with their clauses (`write`); a constraint is a
//!   clause over its body.
//!
//! Sources: Clark, *Negation as failure* (1978); Janhunen, *Representing normal programs with
//! clauses* (2004), for level mappings; Tseitin (1968) for gates as clauses.

mod components;
mod counting;
mod gates;
mod meaning;
mod write;

use index::IndexVec;
use qcnf::{Lit, Qcnf, Var};

use crate::ground::{AtomId, GroundProgram, Message};
use crate::prefix::Prefix;

/// Where variables stand that are defined by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// All innermost.
    Baseline,
    /// Each right after the choices it depends on (quantifier shifting).
    Dependency,
}

/// What an atom became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The same in every stable model.
    Constant(bool),
    /// The value of a literal.
    Literal(Lit),
    /// Nothing: it is defined, and no other part of the formula needs it.
    Unneeded,
}

/// A formula and what became of the atoms.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The formula.
    pub formula: Qcnf,
    /// By atom.
    pub values: IndexVec<AtomId, Value>,
    /// The variables of open atoms: all others are functions of these.
    pub choices: Vec<Var>,
}

/// The formula of a ground program.
///
/// # Errors
/// Faults of the prefix, each by name.
pub fn complete(program: &GroundProgram, placement: Placement) -> Result<Completion, Vec<Message>> {
    Ok(complete_under(program, &Prefix::read(program)?, placement))
}

/// The formula of a ground program under another prefix than its own.
///
/// # Panics
/// When an atom of the prefix is none of the program.
pub fn complete_under(
    program: &GroundProgram,
    prefix: &Prefix,
    placement: Placement,
) -> Completion {
    let meaning = meaning::Meaning::of(program, prefix);
    write::write(program, prefix, &meaning, placement)
}
