//! Decide: what an open variable at the place of the walk calls for.
//!
//! Only the formula's own clauses count, never derived ones: those would make a literal look
//! needed that is not, and the reverse is unsound. A variable in no open clause is *free*: any
//! value does, so it gets the same one each time and keys stay equal. One in one sign only is
//! *pure*: what exists takes the sign that helps, forall the other.

use index::Id;
use qcnf::{Kind, Lit, Var};

use super::propagate::Propagator;
use crate::faults::Fault;
use crate::options::Options;
use crate::problem::Problem;

/// What to do with an open variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// No open clause holds it.
    Free,
    /// This value is at least as good as the other for whoever chooses.
    Pure(Lit),
    /// Both values, this one first.
    Branch(Lit),
}

/// Decides for an open variable.
pub(crate) fn decide(
    problem: &Problem,
    propagator: &Propagator,
    var: Var,
    options: &Options,
) -> Choice {
    let lit = Lit::positive(var);
    if options.pure == 0 {
        return Choice::Branch(lit);
    }
    let kind = problem.formula.kind(var);
    let helps = is_needed(problem, propagator, lit)
        && !(options.plants(Fault::PureByFewerClauses) && var.index().is_multiple_of(3));
    if helps && kind == Kind::Chance {
        return Choice::Branch(lit);
    }
    match (helps, is_needed(problem, propagator, !lit), kind) {
        (false, false, _) => Choice::Free,
        (true, true, _) | (_, _, Kind::Chance) => Choice::Branch(lit),
        (true, false, Kind::Exists) | (false, true, Kind::Forall) => Choice::Pure(lit),
        (true, false, Kind::Forall) | (false, true, Kind::Exists) => Choice::Pure(!lit),
    }
}

/// Whether some clause that holds the literal has no true literal.
fn is_needed(problem: &Problem, propagator: &Propagator, lit: Lit) -> bool {
    if problem.implied.get((!lit).code()).iter().any(|other| !propagator.is_true(*other)) {
        return true;
    }
    problem.formula.occurs(lit).iter().any(|&id| {
        let clause = problem.formula.clauses.get(id as usize);
        clause.len() > 2 && !clause.iter().any(|lit| propagator.is_true(*lit))
    })
}
