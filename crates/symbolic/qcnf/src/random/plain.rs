//! Formulas without structure.

use index::Id;

use super::{Dice, Shape};
use crate::{Lit, Qcnf, Var};

/// A formula of this shape without structure: each clause over any variables, in any polarity.
///
/// # Panics
/// When the shape draws what it does not have: no kind, no probability, a width of 0.
pub fn plain(seed: u64, shape: &Shape) -> Qcnf {
    let dice = &mut Dice::new(seed);
    // A variable that is never quantified and never used is allowed, and must not disturb.
    let unused = if dice.percent(shape.oddities) { dice.between(1, 3) } else { 0 };
    let mut formula = Qcnf::new(shape.variables + unused);
    let mut vars: Vec<Var> = (0..formula.variables()).map(Var::from_index).collect();
    dice.shuffle(&mut vars);
    vars.truncate(shape.variables);
    quantify(&vars, shape, dice, &mut formula);
    for _ in 0..shape.clauses {
        formula.add_clause(&clause(&vars, shape, dice));
    }
    debug_assert_eq!(formula.flaw(), None);
    formula
}

/// Quantifies the variables in their order, in up to as many lines as the shape has.
pub(super) fn quantify(vars: &[Var], shape: &Shape, dice: &mut Dice, formula: &mut Qcnf) {
    let mut rest = vars;
    for line in (0..shape.lines.max(1)).rev() {
        let taken =
            if line == 0 { rest.len() } else { dice.below(rest.len() / (line + 1) * 2 + 2) };
        let (now, later) = rest.split_at(taken.min(rest.len()));
        if !now.is_empty() || dice.percent(shape.oddities) {
            let quantifier = shape.quantifier(dice);
            formula.quantify(quantifier, now.to_vec());
        }
        rest = later;
    }
    debug_assert!(rest.is_empty());
}

/// A clause over some of the variables.
pub(super) fn clause(vars: &[Var], shape: &Shape, dice: &mut Dice) -> Vec<Lit> {
    let odd = dice.percent(shape.oddities);
    let mut width = dice.between(shape.width.min(2), shape.width);
    if odd {
        // One in six of the odd clauses is empty: one alone makes the whole formula false.
        width = if dice.below(6) == 0 { dice.below(2) } else { 1 };
    }
    if vars.is_empty() {
        return Vec::new();
    }
    let mut clause: Vec<Lit> = (0..width).map(|_| literal(vars, dice)).collect();
    if !odd {
        clause.sort_unstable();
        clause.dedup_by_key(|lit| lit.var());
    } else if let Some(&first) = clause.first() {
        // Repeated, or opposed, or left as a unit.
        match dice.below(3) {
            0 => clause.extend([literal(vars, dice), first]),
            1 => clause.extend([literal(vars, dice), !first]),
            _ => {}
        }
    }
    dice.shuffle(&mut clause);
    clause
}

pub(super) fn literal(vars: &[Var], dice: &mut Dice) -> Lit {
    Lit::new(*dice.pick(vars), dice.below(2) == 0)
}
