//! What holds the engines to one truth: the rule-level reference, the comparison of engines, the
//! generator of random games, and the families of games that are written by rule.
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
pub mod generate;
pub mod reference;
pub mod walk;

pub use agree::{Agreement, Row, agree};
pub use dice::Dice;
