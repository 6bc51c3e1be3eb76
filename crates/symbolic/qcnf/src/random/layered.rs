//! Formulas in layers, as games have them.

use index::Id;

use super::gated::random_gate;
use super::plain::literal;
use super::{Dice, Shape};
use crate::{Kind, Lit, Qcnf, Quantifier, Var, define};

/// Choices of a layer.
const CHOICES: usize = 2;
/// Variables that carry the state from layer to layer.
const STATE: usize = 3;

/// A chain of layers with as many choices in all as the shape has variables. In each layer come
/// two choices, one after the other, then the next state: gates of the state before and the
/// choices. Some layers forbid a choice in a state; the end is worth something in some states.
/// Where `shape.lines` is odd all gates are bound innermost, else each layer's behind its choices.
/// The clauses and the width of the shape are not used.
///
/// # Panics
/// As [`super::plain`].
pub fn layered(seed: u64, shape: &Shape) -> Qcnf {
    let dice = &mut Dice::new(seed);
    let mut formula = Qcnf::new(0);
    let mut state: Vec<Var> = Vec::new();
    let mut gates: Vec<Var> = Vec::new();
    for _ in 0..shape.variables.div_ceil(CHOICES).max(1) {
        let choices = choose(shape, dice, &mut formula);
        let seen = [choices.as_slice(), &state].concat();
        if dice.percent(30) && !state.is_empty() {
            forbid(&choices, &state, dice, &mut formula);
        }
        let step = |_| {
            if state.is_empty() || dice.percent(20) {
                random_gate(&seen, dice, &mut formula).0
            } else {
                successor(&choices, &state, dice, &mut formula)
            }
        };
        let layer: Vec<Var> = (0..STATE).map(step).collect();
        state.clone_from(&layer);
        if shape.lines.is_multiple_of(2) {
            formula.quantify(Quantifier::Exists, layer);
        } else {
            // Bound for now behind the choices, so that inputs of gates are quantified.
            gates.extend(&layer);
            formula.quantify(Quantifier::Exists, layer);
        }
    }
    if !gates.is_empty() {
        formula.prefix.retain(|scope| !scope.variables.iter().any(|var| gates.contains(var)));
        formula.quantify(Quantifier::Exists, gates);
    }
    end(&state, dice, &mut formula);
    debug_assert_eq!(formula.flaw(), None);
    formula
}

/// The choices of a layer, each in a line of its own; the last is often chance, as after a move.
fn choose(shape: &Shape, dice: &mut Dice, formula: &mut Qcnf) -> Vec<Var> {
    let mut quantifiers: Vec<Quantifier> =
        (0..CHOICES * 2).map(|_| shape.quantifier(dice)).collect();
    quantifiers[CHOICES - 1..].sort_by_key(|quantifier| quantifier.kind() != Kind::Chance);
    let choose = |quantifier| {
        let choice = formula.add_variable();
        formula.quantify(quantifier, vec![choice]);
        choice
    };
    quantifiers.into_iter().take(CHOICES).map(choose).collect()
}

/// A variable of the next state that follows from a choice and the state before, so that all of
/// the state stays of consequence.
fn successor(choices: &[Var], state: &[Var], dice: &mut Dice, formula: &mut Qcnf) -> Var {
    let next = formula.add_variable();
    let (choice, kept) = (literal(choices, dice), literal(state, dice));
    let output = Lit::positive(next);
    if dice.percent(30) {
        define::xor(formula, output, [choice, kept]);
    } else {
        let branches = [kept, literal(state, dice)];
        define::if_then_else(formula, output, choice, branches);
    }
    next
}

/// In some states a choice of one who exists may not be made: the other then loses nothing, since
/// only a literal of an exists-variable is asked for.
fn forbid(choices: &[Var], state: &[Var], dice: &mut Dice, formula: &mut Qcnf) {
    let is_chosen = |formula: &Qcnf, var: Var| {
        let mine = |scope: &crate::Scope| {
            scope.quantifier == Quantifier::Exists && scope.variables.contains(&var)
        };
        formula.prefix.iter().any(mine)
    };
    if let Some(&choice) = choices.iter().find(|var| is_chosen(formula, **var)) {
        let clause =
            [Lit::new(choice, dice.percent(50)), literal(state, dice), literal(state, dice)];
        formula.add_clause(&clause);
    }
}

/// The end holds in some of the last states.
fn end(state: &[Var], dice: &mut Dice, formula: &mut Qcnf) {
    let goal = formula.add_variable();
    let output = Lit::positive(goal);
    let inputs: Vec<Lit> = state.iter().map(|var| Lit::new(*var, dice.percent(50))).collect();
    match dice.below(3) {
        0 => define::or(formula, output, &inputs[..2]),
        1 => define::and(formula, output, &inputs[..2]),
        _ => define::xor(formula, output, [inputs[0], inputs[1]]),
    }
    formula.quantify(Quantifier::Exists, vec![goal]);
    formula.add_clause(&[output]);
    debug_assert!(goal.index() + 1 == formula.variables());
}
