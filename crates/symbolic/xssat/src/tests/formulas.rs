//! Small formulas from a seed: plain random ones, and layered ones that look like games.
//!
//! Plain random formulas rarely repeat a state, so they show faults of propagation and of
//! simplification but not of caching. Layered ones have a state of a few bits that each step
//! changes by gates over the old state and the step's choices, so caches hit, and a goal that may
//! hold early, so there are good literals.

use exact::Ratio;
use index::Id;
use qcnf::{Lit, Qcnf, Quantifier, Var};

/// A deterministic source of numbers.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    /// A number below `sides`.
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % sides as u64) as usize
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    fn quantifier(&mut self) -> Quantifier {
        match self.roll(3) {
            0 => Quantifier::Exists,
            1 => Quantifier::Forall,
            _ => Quantifier::Chance(self.odds()),
        }
    }

    fn odds(&mut self) -> Ratio {
        let whole = 2 + self.roll(6);
        let part = if self.one_in(20) { self.roll(2) * whole } else { 1 + self.roll(whole - 1) };
        Ratio::new(part, whole)
    }

    fn literal(&mut self, variables: &[Var]) -> Lit {
        Lit::new(variables[self.roll(variables.len())], self.one_in(2))
    }
}

/// A random formula of at most `most` variables: any prefix, clauses of one to four literals.
pub(super) fn plain(dice: &mut Dice, most: usize) -> Qcnf {
    let count = 1 + dice.roll(most);
    let mut formula = Qcnf::new(count);
    let mut order: Vec<Var> = (0..count).map(Var::from_index).collect();
    for at in (1..count).rev() {
        order.swap(at, dice.roll(at + 1));
    }
    let mut rest = &order[..];
    while !rest.is_empty() {
        let (line, below) = rest.split_at(1 + dice.roll(rest.len().min(4)));
        formula.quantify(dice.quantifier(), line.to_vec());
        rest = below;
    }
    for _ in 0..dice.roll(3 * count + 2) {
        let len = [1, 2, 2, 2, 3, 3, 3, 4, 4][dice.roll(9)];
        let clause: Vec<Lit> = (0..len).map(|_| dice.literal(&order)).collect();
        formula.add_clause(&clause);
    }
    formula
}

/// Where the variables that gates define stand in the prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// All innermost.
    Innermost,
    /// Each after the choices that it depends on.
    Dependency,
}

/// A layered formula: `steps` steps over a state of `bits` bits.
pub(super) fn layered(dice: &mut Dice, steps: usize, bits: usize, placement: Placement) -> Qcnf {
    let mut layers = Layers { formula: Qcnf::new(0), innermost: Vec::new(), placement };
    let mut state: Vec<Lit> = Vec::new();
    for _ in 0..bits {
        let quantifier = dice.quantifier();
        let var = layers.choose(quantifier);
        state.push(Lit::positive(var));
    }
    for _ in 0..steps {
        state = layers.step(dice, &state);
    }
    let goal = if dice.one_in(2) { vec![state[0]] } else { state.clone() };
    layers.formula.add_clause(&goal);
    let Layers { mut formula, innermost, .. } = layers;
    formula.quantify(Quantifier::Exists, innermost);
    formula
}

struct Layers {
    formula: Qcnf,
    innermost: Vec<Var>,
    placement: Placement,
}

impl Layers {
    fn choose(&mut self, quantifier: Quantifier) -> Var {
        let var = self.formula.add_variable();
        self.formula.quantify(quantifier, vec![var]);
        var
    }

    fn step(&mut self, dice: &mut Dice, state: &[Lit]) -> Vec<Lit> {
        let choices: Vec<Lit> = (0..1 + dice.roll(2))
            .map(|_| {
                let quantifier = dice.quantifier();
                Lit::positive(self.choose(quantifier))
            })
            .collect();
        let inputs: Vec<Lit> = state.iter().chain(&choices).copied().collect();
        if dice.one_in(3) {
            let clause = [pick(dice, &inputs), pick(dice, &inputs), pick(dice, &choices)];
            self.formula.add_clause(&clause);
        }
        let outputs: Vec<Var> = state.iter().map(|_| self.formula.add_variable()).collect();
        for (at, &output) in outputs.iter().enumerate() {
            self.define(dice, Lit::positive(output), at, state, &inputs);
        }
        match self.placement {
            Placement::Innermost => self.innermost.extend(&outputs),
            Placement::Dependency => self.formula.quantify(Quantifier::Exists, outputs.clone()),
        }
        outputs.into_iter().map(Lit::positive).collect()
    }

    /// Defines a bit of the next state; the first stays true once it is, often.
    fn define(&mut self, dice: &mut Dice, output: Lit, at: usize, state: &[Lit], inputs: &[Lit]) {
        let (a, b) = (pick(dice, inputs), pick(dice, inputs));
        match dice.roll(if at == 0 { 6 } else { 4 }) {
            0 => self.exclusive(output, a, b),
            1 => self.conjunction(output, &[a, b]),
            2 => self.conjunction(!output, &[a, b]),
            3 => self.conjunction(output, &[a]),
            // Stays true: the disjunction of the old bit and a conjunction would need a variable
            // more, so one literal has to do.
            _ => self.conjunction(!output, &[!state[0], a]),
        }
    }

    fn conjunction(&mut self, output: Lit, inputs: &[Lit]) {
        let mut long = vec![output];
        for &input in inputs {
            self.formula.add_clause(&[!output, input]);
            long.push(!input);
        }
        self.formula.add_clause(&long);
    }

    fn exclusive(&mut self, output: Lit, a: Lit, b: Lit) {
        for (a, b, output) in [(a, b, !output), (!a, !b, !output), (a, !b, output), (!a, b, output)]
        {
            self.formula.add_clause(&[a, b, output]);
        }
    }
}

fn pick(dice: &mut Dice, literals: &[Lit]) -> Lit {
    let lit = literals[dice.roll(literals.len())];
    if dice.one_in(2) { lit } else { !lit }
}

/// Two halves of clauses of three literals that hang together by a few outer variables only, so
/// that they fall apart below, and conflicts in one are learned from in the other.
pub(super) fn halves(dice: &mut Dice, size: usize) -> Qcnf {
    let shared: Vec<Var> = (0..3).map(Var::from_index).collect();
    let half = |at: usize| (0..size).map(move |v| Var::from_index(3 + at * size + v));
    let mut formula = Qcnf::new(3 + 2 * size);
    shared.iter().for_each(|&var| formula.quantify(dice.quantifier(), vec![var]));
    for v in 0..size {
        for var in [3 + v, 3 + size + v].map(Var::from_index) {
            let quantifier = dice.quantifier();
            let mild = matches!(quantifier, Quantifier::Forall) && !dice.one_in(4);
            formula.quantify(if mild { Quantifier::Exists } else { quantifier }, vec![var]);
        }
    }
    for at in [0, 1] {
        let inner: Vec<Var> = half(at).collect();
        let both: Vec<Var> = shared.iter().copied().chain(half(at)).collect();
        for _ in 0..3 * size {
            let clause = [dice.literal(&inner), dice.literal(&inner), dice.literal(&both)];
            formula.add_clause(&clause);
        }
    }
    formula
}
