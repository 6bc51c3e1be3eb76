//! Formulas in which most variables are defined by gates.

use index::Id;

use super::plain::{clause, literal, quantify};
use super::{Dice, Shape};
use crate::{Lit, Qcnf, Quantifier, Var, define};

/// A formula of this shape over choices, and as many gates again that exist in one more line:
/// innermost, or each behind the line that completes its inputs, in equal parts of seeds. Clauses
/// are over gates and choices.
///
/// # Panics
/// As [`super::plain`].
pub fn gated(seed: u64, shape: &Shape) -> Qcnf {
    let dice = &mut Dice::new(seed);
    let choices = (shape.variables / 2).max(1);
    let mut formula = Qcnf::new(choices);
    let mut vars: Vec<Var> = (0..choices).map(Var::from_index).collect();
    dice.shuffle(&mut vars);
    quantify(&vars, shape, dice, &mut formula);
    let innermost = dice.percent(50);
    for _ in choices..shape.variables.max(2) {
        let (gate, line) = random_gate(&vars, dice, &mut formula);
        place(gate, if innermost { formula.prefix.len() - 1 } else { line }, &mut formula);
        vars.push(gate);
    }
    for _ in 0..shape.clauses / 2 {
        formula.add_clause(&clause(&vars, shape, dice));
    }
    let output = Lit::new(*vars.last().expect("there is a gate"), dice.percent(50));
    formula.add_clause(&[output]);
    debug_assert_eq!(formula.flaw(), None);
    formula
}

/// A new variable defined by a gate of some of these, and the line that completes its inputs.
pub(super) fn random_gate(vars: &[Var], dice: &mut Dice, formula: &mut Qcnf) -> (Var, usize) {
    let gate = formula.add_variable();
    let output = Lit::new(gate, dice.percent(70));
    let inputs = [(); 3].map(|()| literal(vars, dice));
    let [a, b, c] = inputs;
    match dice.below(6) {
        0 => define::and(formula, output, &inputs[..dice.between(1, 3)]),
        1 => define::or(formula, output, &inputs[..dice.between(2, 3)]),
        2 => define::or(formula, output, &inputs[..2]),
        3 => define::xor(formula, output, [a, b]),
        4 => define::majority(formula, output, inputs),
        _ => define::if_then_else(formula, output, a, [b, c]),
    }
    let line_of = |lit: Lit| {
        let bound = |scope: &crate::Scope| scope.variables.contains(&lit.var());
        formula.prefix.iter().position(bound).expect("an input is quantified")
    };
    (gate, inputs.map(line_of).into_iter().max().unwrap_or(0))
}

/// Binds a gate in a line of its own behind this one, or in that line or the next where these
/// are of its kind already.
pub(super) fn place(gate: Var, line: usize, formula: &mut Qcnf) {
    let exists = |formula: &Qcnf, at: usize| {
        formula.prefix.get(at).is_some_and(|scope| scope.quantifier == Quantifier::Exists)
    };
    let at = (line..line + 2).find(|at| exists(formula, *at));
    let at = at.unwrap_or_else(|| {
        let scope = crate::Scope { quantifier: Quantifier::Exists, variables: Vec::new() };
        formula.prefix.insert(line + 1, scope);
        line + 1
    });
    formula.prefix[at].variables.push(gate);
}
