//! The exact probability of a formula with exists, forall and chance quantifiers in any order.
//!
//! A formula is simplified (`prepare`), then walked variable by variable (`walk`): exists takes
//! the larger value, forall the smaller, chance the weighted mean. What makes long games small is
//! the *frontier cache*: behind a level of the prefix the rest of the formula depends only on the
//! few variables that it shares with what was passed (in a game: the state), so its value is kept
//! under theirs. Values are whole numbers over one denominator a place; nothing is rounded, and
//! no float takes part. A limit ends in sound bounds.
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
