//! What holds the engines to one truth: the rule-level reference, the comparison of engines down to
//! the state where two part, the shrinking of games on which they do, the generator of random games
//! with a register of what these have, and the families of games that are written by rule.
//!
//! Engines are known here only as `dyn Engine`, and compiled games only as `dyn Steps`; the reference
//! alone is at home here, and shares nothing with the others but the reader of GDL and the
//! vocabulary of answers.
#![forbid(unsafe_code)]

mod agree;
pub mod certify;
mod dice;
pub mod facts;
pub mod families;
pub mod features;
pub mod generate;
mod parting;
#[cfg(test)]
mod planted;
mod quarrel;
pub mod reference;
mod shrink;
pub mod walk;

pub use agree::{Agreement, Aspect, Difference, PANIC, Row, agree};
pub use dice::Dice;
pub use parting::{Parting, part};
pub use quarrel::quarrel;
pub use shrink::{Case, Effort, Shrunk, shrink};
