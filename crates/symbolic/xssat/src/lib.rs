//! The exact probability of a formula with exists, forall and chance quantifiers in any order.
//!
//! A formula is simplified (`prepare`), then walked in two ways, in turns (`turns`), until one knows
//! the value: exists takes the larger value, forall the smaller, chance the weighted mean. One walk
//! takes the variables in order (`walk`). What makes long games small there is the *frontier cache*:
//! behind a level of the prefix the rest of the formula depends only on the few variables that it
//! shares with what was passed (in a game: the state), so its value is kept under theirs. The other
//! (`parts`) splits what is left into parts that share no variable, keeps their values, and learns
//! clauses. Values are whole numbers over one denominator a place in the first, fractions in the
//! second; nothing is rounded, and no float takes part. A limit ends in sound bounds.
//!
//! Everything is deterministic: the same formula under the same options takes the same steps.
#![forbid(unsafe_code)]

mod clock;
mod faults;
mod learned;
mod options;
mod parts;
mod prepare;
mod problem;
mod rows;
mod scales;
mod solver;
mod stats;
#[cfg(test)]
mod tests;
mod traced;
mod turns;
mod walk;

pub use learned::Learned;
pub use options::{OptionRow, Options};
pub use solver::{Halted, Solver};
pub use stats::Stats;
pub use traced::trace;
