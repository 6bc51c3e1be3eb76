//! Settle units: a literal that must hold holds everywhere.
//!
//! A unit bound by forall makes the formula worth 0: its other branch is. A unit bound by chance
//! multiplies the whole value by the literal's weight, once, and then it holds.

use exact::Ratio;
use qcnf::{Kind, Lit};

use super::matrix::{Matrix, VarIndex};
use super::prefix::Fate;

/// Settles all units that wait, and those that follow.
pub(crate) fn settle(matrix: &mut Matrix) {
    while let Some(unit) = matrix.units.pop() {
        if matrix.is_zero {
            return;
        }
        let lit = matrix.follow(unit);
        match matrix.prefix.fate[lit.var_index()] {
            Fate::Open => fix(matrix, lit),
            Fate::Fixed(value) if value != lit.is_positive() => matrix.is_zero = true,
            Fate::Fixed(_) => {}
            Fate::Gone | Fate::Equal(_) => unreachable!("a unit of a variable that is gone"),
        }
    }
}

fn fix(matrix: &mut Matrix, lit: Lit) {
    match matrix.prefix.kind(lit.var()) {
        Kind::Forall => {
            matrix.is_zero = true;
            return;
        }
        Kind::Chance => weigh(matrix, lit),
        Kind::Exists => {}
    }
    assume(matrix, lit);
}

fn weigh(matrix: &mut Matrix, lit: Lit) {
    let odds = matrix.prefix.odds(lit.var());
    let weight = if lit.is_positive() { odds.clone() } else { &Ratio::one() - odds };
    debug_assert!(!weight.is_zero(), "odds of 0 and 1 were settled at the start");
    matrix.factor = &matrix.factor * &weight;
}

/// Makes a literal true in all clauses.
pub(crate) fn assume(matrix: &mut Matrix, lit: Lit) {
    debug_assert!(matrix.prefix.is_open(lit.var()));
    matrix.prefix.fate[lit.var_index()] = Fate::Fixed(lit.is_positive());
    for at in 0..matrix.occurs.get(lit).len() {
        matrix.kill(matrix.occurs.get(lit)[at]);
    }
    let falsified: Vec<u32> = matrix.occurs.get(!lit).to_vec();
    matrix.occurs.retain(!lit, |_| false);
    for id in falsified {
        if matrix.get(id).contains(&!lit) {
            matrix.strengthen(id, !lit);
        }
    }
}
