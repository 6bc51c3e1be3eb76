//! The symbolic engine: a question to an SQASP program, to clauses, to an exact probability.
//!
//! `symbolic` is the engine, `rounds` the horizons that it goes through, `game` one formula of a
//! game with its first moves, `audience` whoever is told of the formulas, `clock` what translating
//! took. Grounding is behind the trait [`sqasp::Grounder`], so that a product can run it under limits
//! in a process of its own. Nothing here evaluates a rule or searches a formula: it hands things on
//! and reads answers back.
#![forbid(unsafe_code)]

mod audience;
mod clock;
mod game;
mod rounds;
mod symbolic;

pub use audience::{Audience, Made};
pub use symbolic::Symbolic;
