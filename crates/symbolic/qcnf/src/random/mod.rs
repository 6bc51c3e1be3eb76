//! Random formulas from a seed, to hold solvers to the definition.
//!
//! Three kinds, since each shows faults that the others hide:
//!
//! - [`plain`]: any prefix, clauses over all variables, and the oddities of real files: unit and
//!   empty clauses, clauses that always hold, repeated literals, lines without variables,
//!   variables that nobody quantifies, probabilities 0 and 1.
//! - [`gated`]: most inner variables are defined by gates of outer ones, as a translated program
//!   has them, so that inferences on definitions are met.
//! - [`layered`]: a chain of layers as in a game. Layers share a few defined variables (the
//!   state), many choices lead to the same state, and values lie between 0 and 1, so that what a
//!   cache keeps is used again in another context. Faults of caching and of bounds that plain
//!   formulas miss even in tens of thousands show here in dozens.
//!
//! The same seed and shape give the same formula everywhere. All are well-formed, and small enough
//! for [`crate::meaning`] up to about 16 variables, layered ones up to 30.

mod dice;
mod features;
mod gated;
mod layered;
mod plain;
#[cfg(test)]
mod planted;
#[cfg(test)]
mod tests;

use exact::Ratio;

use crate::{Kind, Qcnf, Quantifier};

pub use dice::Dice;
pub use features::features;
pub use gated::gated;
pub use layered::layered;
pub use plain::plain;

/// What a random formula is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many variables are quantified.
    pub variables: usize,
    /// How many clauses there are beside definitions.
    pub clauses: usize,
    /// Lines of the prefix, at most.
    pub lines: usize,
    /// Literals of a clause, at most; at least 1.
    pub width: usize,
    /// The kinds of quantifiers that are drawn; at least one, repeated to be drawn more often.
    pub kinds: Vec<Kind>,
    /// The probabilities that are drawn; at least one where chance is drawn.
    pub probabilities: Vec<Ratio>,
    /// Of a hundred clauses and lines, how many are odd.
    pub oddities: u8,
}

impl Default for Shape {
    fn default() -> Self {
        let ratio = |part: u8, whole: u8| Ratio::new(part, whole);
        Self {
            variables: 10,
            clauses: 16,
            lines: 6,
            width: 4,
            kinds: vec![Kind::Exists, Kind::Forall, Kind::Chance],
            probabilities: vec![ratio(1, 2), ratio(1, 3), ratio(3, 4), ratio(2, 7), ratio(9, 10)],
            oddities: 10,
        }
    }
}

impl Shape {
    /// A shape of its own for each seed: up to `variables` variables, all mixes of quantifiers.
    ///
    /// # Panics
    /// When `variables` is 0.
    pub fn drawn(seed: u64, variables: usize) -> Self {
        let dice = &mut Dice::new(seed ^ 0x5EED);
        let variables = dice.between(1, variables);
        let mut shape = Self {
            variables,
            clauses: dice.below(variables * 3 + 2),
            lines: dice.between(1, variables + 1),
            width: dice.between(1, 5),
            oddities: *dice.pick(&[0, 5, 25]),
            ..Self::default()
        };
        let alone = dice.below(8);
        if alone < 6 {
            let (kept, other) = (shape.kinds[alone % 3], shape.kinds[(alone + 1) % 3]);
            shape.kinds = if alone < 3 { vec![kept, other] } else { vec![kept, kept, other] };
        }
        if dice.percent(5) {
            shape.kinds.truncate(1);
        }
        if dice.percent(20) {
            shape.probabilities.extend([Ratio::zero(), Ratio::one()]);
        }
        shape
    }

    fn quantifier(&self, dice: &mut Dice) -> Quantifier {
        match dice.pick(&self.kinds) {
            Kind::Exists => Quantifier::Exists,
            Kind::Forall => Quantifier::Forall,
            Kind::Chance => Quantifier::Chance(dice.pick(&self.probabilities).clone()),
        }
    }
}

/// One of all kinds of formulas, of up to so many variables beside defined ones, with a shape of
/// its own: what a test loops over.
///
/// # Panics
/// When `variables` is 0.
pub fn any(seed: u64, variables: usize) -> Qcnf {
    let shape = Shape::drawn(seed, variables);
    match seed % 4 {
        0 | 1 => plain(seed, &shape),
        2 => gated(seed, &shape),
        _ => layered(seed, &Shape { variables: variables.min(12), ..shape }),
    }
}
