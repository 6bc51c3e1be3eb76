//! The value of a formula without chance, by z3's own quantifiers; and what that shows of values
//! with chance.
//!
//! Where each toss can fall both ways, a value is above 0 exactly where the formula with chance
//! read as exists is true, and is 1 exactly where the one with chance read as forall is. A toss
//! that can only fall one way is exists with a clause of its own.

use exact::Ratio;
use index::Id;
use qcnf::{Kind, Lit, Qcnf, Quantifier, Var};
use z3::ast::{Ast, Bool, exists_const, forall_const};
use z3::{Solver, Tactic};

use crate::limits::{Limits, answer};

/// Whether a formula without chance is true.
///
/// # Errors
/// Why the question stays open.
///
/// # Panics
/// When the formula is not well-formed, or has a line of chance.
pub fn qbf_value(formula: &Qcnf, limits: Limits) -> Result<bool, String> {
    assert_eq!(formula.flaw(), None, "the formula is not well-formed");
    let symbols: Vec<Bool> = (0..formula.variables()).map(|_| Bool::fresh_const("v")).collect();
    let symbol = |lit: &Lit| {
        let symbol = &symbols[lit.var().index()];
        if lit.is_positive() { symbol.clone() } else { symbol.not() }
    };
    let clauses: Vec<Bool> = formula
        .clauses
        .iter()
        .map(|clause| Bool::or(&clause.iter().map(symbol).collect::<Vec<_>>()))
        .collect();
    let mut closed = Bool::and(&clauses);
    for scope in formula.prefix.iter().rev() {
        let bound = |var: &Var| -> &dyn Ast { &symbols[var.index()] };
        let vars: Vec<&dyn Ast> = scope.variables.iter().map(bound).collect();
        closed = match scope.quantifier.kind() {
            Kind::Exists => exists_const(&vars, &[], &closed),
            Kind::Forall => forall_const(&vars, &[], &closed),
            Kind::Chance => panic!("z3 knows no chance"),
        };
    }
    let solver: Solver = Tactic::new("qsat").solver();
    limits.set(&solver);
    solver.assert(&closed);
    answer(&solver, solver.check())
}

/// Whether the value of a formula is above 0.
///
/// # Errors
/// Why the question stays open.
pub fn value_is_positive(formula: &Qcnf, limits: Limits) -> Result<bool, String> {
    qbf_value(&without_chance(formula, &Quantifier::Exists), limits)
}

/// Whether the value of a formula is 1.
///
/// # Errors
/// Why the question stays open.
pub fn value_is_one(formula: &Qcnf, limits: Limits) -> Result<bool, String> {
    qbf_value(&without_chance(formula, &Quantifier::Forall), limits)
}

/// The formula with another quantifier in the place of chance.
fn without_chance(formula: &Qcnf, instead: &Quantifier) -> Qcnf {
    let mut made = Qcnf::new(formula.variables());
    formula.clauses.iter().for_each(|clause| {
        made.add_clause(clause);
    });
    for scope in &formula.prefix {
        let quantifier = match &scope.quantifier {
            Quantifier::Chance(p) if p.is_zero() || *p == Ratio::one() => {
                for var in &scope.variables {
                    made.add_clause(&[Lit::new(*var, !p.is_zero())]);
                }
                Quantifier::Exists
            }
            Quantifier::Chance(_) => instead.clone(),
            other => other.clone(),
        };
        made.quantify(quantifier, scope.variables.clone());
    }
    made
}

#[cfg(test)]
mod tests {
    use qcnf::meaning;
    use qcnf::random::{Shape, any, gated, plain};

    use super::*;

    #[test]
    fn values_agree_with_the_definition() {
        let mut counts = [0; 2];
        for seed in 0..200 {
            let drawn = Shape::drawn(seed, 9);
            let shape = Shape { kinds: vec![Kind::Exists, Kind::Forall], ..drawn };
            let formula = if seed % 2 == 0 { plain(seed, &shape) } else { gated(seed, &shape) };
            let value = qbf_value(&formula, Limits::default()).expect("small formulas are decided");
            assert_eq!(meaning::value(&formula) == Ratio::one(), value, "seed {seed}");
            counts[usize::from(value)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
    }

    #[test]
    fn what_is_possible_and_what_is_certain_agree_with_the_definition() {
        let mut counts = [0; 3];
        for seed in 0..300 {
            let formula = any(seed, 6);
            if formula.variables() > 12 {
                continue;
            }
            let value = meaning::value(&formula);
            let positive = value_is_positive(&formula, Limits::default()).expect("decided");
            let one = value_is_one(&formula, Limits::default()).expect("decided");
            assert_eq!(positive, !value.is_zero(), "seed {seed}");
            assert_eq!(one, value == Ratio::one(), "seed {seed}");
            counts[usize::from(positive) + usize::from(one)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
    }
}
