//! Audits by z3, a solver from outside: claims of this project's engines put to a program that
//! shares nothing with them.
//!
//! - [`Matrix`]: is a clause implied by a formula's clauses; which models have these literals; does
//!   each choice extend to exactly one model; are the models these.
//! - [`nets_are_equal`] and [`net_follows_rules`]: is a network what another one, or the ground
//!   rules, say, in every state and for every joint move.
//! - [`samples_agree`]: have the clauses of a program its stable models, as clingo finds them.
//! - [`qbf_value`]: the value of a formula without chance, by quantifiers of z3; with chance,
//!   whether it is above 0 ([`value_is_positive`]) and whether it is 1 ([`value_is_one`]).
//!
//! Always: a claim is either proven, or refuted by a witness that was checked here by evaluation,
//! or open ([`Outcome::Open`]), which is never taken for a yes. A call costs about a millisecond,
//! so audits stand beside solvers, not inside their loops.
//!
//! Without its feature `z3` this crate is empty and needs no library. It is the only home of `z3`.
#![cfg(feature = "z3")]
#![forbid(unsafe_code)]

mod definitions;
mod limits;
mod matrix;
mod miter;
mod models;
mod nets;
mod outcome;
mod programs;
mod qbf;
mod rules;

pub use limits::Limits;
pub use matrix::{Implications, Matrix, clauses_are_implied};
pub use miter::Difference;
pub use models::{ExtensionFault, ModelsFault};
pub use nets::nets_are_equal;
pub use outcome::Outcome;
pub use programs::{
    Claim, Difference as ModelDifference, SampleFault, SampleReport, samples_agree,
};
pub use qbf::{qbf_value, value_is_one, value_is_positive};
pub use rules::net_follows_rules;
