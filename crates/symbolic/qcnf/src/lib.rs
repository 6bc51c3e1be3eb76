//! Quantified clauses with chance: a prefix of exists, forall and chance over a conjunction of
//! clauses (the *matrix*).
//!
//! The value of a formula is a probability: with an empty prefix it is 1 where the matrix holds
//! and 0 where not; exists takes the larger, forall the smaller, and chance the weighted mean of
//! the values under both assignments of its variable, outermost variable first. Variables of one
//! block commute. Without chance this is a quantified Boolean formula; with chance alone it is
//! weighted model counting. Source: Littman, Majercik and Pitassi, *Stochastic Boolean
//! Satisfiability* (2001); there only exists and chance, here forall as well.
//!
//! Nothing here solves anything, and nothing here knows a role or a move, only variables; a
//! variable may carry a name, which is for people and tools that read a witness.
#![forbid(unsafe_code)]

mod clauses;
mod define;
pub mod derivation;
pub mod families;
mod formula;
mod literal;
pub mod meaning;
pub mod random;
pub mod shrink;
pub mod text;
pub mod trace;

pub use clauses::{ClauseId, Clauses};
pub use formula::{Block, Flaw, Kind, Qcnf, Quantifier, Scope};
pub use literal::{Lit, Var};
