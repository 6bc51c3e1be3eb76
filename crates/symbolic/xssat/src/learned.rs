//! Learned: the clauses that a solver learned, with derivations that others can check.
//!
//! They are about the prepared formula, whose variables are numbered in the order of its prefix.
//! All are resolvents, so the clauses of that formula imply them.

use index::Id;
use qcnf::derivation::{Step, StepId};
use qcnf::{Kind, Qcnf, Quantifier, Var};

use crate::prepare::Leveled;

/// Learned clauses and how they follow.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The formula as it was when the search began.
    pub formula: Qcnf,
    /// Steps for [`qcnf::derivation::derive`], the formula's own clauses first.
    pub steps: Vec<Step>,
    /// The step that derives each learned clause, in the order in which they were learned.
    pub clauses: Vec<StepId>,
}

/// The prepared formula as others see it.
pub(crate) fn formula_of(leveled: &Leveled) -> Qcnf {
    let mut formula = Qcnf::new(leveled.variables());
    let mut odds = leveled.odds.iter();
    for var in (0..leveled.variables()).map(Var::from_index) {
        let quantifier = match leveled.kind(var) {
            Kind::Exists => Quantifier::Exists,
            Kind::Forall => Quantifier::Forall,
            Kind::Chance => {
                Quantifier::Chance(odds.next().expect("each chance variable has odds").clone())
            }
        };
        formula.quantify(quantifier, vec![var]);
    }
    for id in 0..leveled.clauses.len() {
        formula.add_clause(leveled.clauses.get(id));
    }
    formula
}
