//! Stochastic quantified answer-set programs: the language, games as programs, programs as clauses.
//!
//! An SQASP program is a logic program in clingo's syntax with facts `_exists(L,A)`,
//! `_forall(L,A)` and `_chance(L,P,Q,A)`: atom A is quantified at level L, smaller levels first,
//! by chance with probability P/Q of being true. Its probability is 1 or 0 where nothing is
//! quantified, as it has a stable model or none; exists takes the larger, forall the smaller and
//! chance the weighted mean over the program with the outermost atom required to hold and
//! required not to. Atoms without a fact are innermost exists.
//!
//! Three steps, each a function: [`game_program`] writes a game and a question as such a program;
//! a [`Grounder`] makes it ground; [`complete`] makes clauses of it. Grounding needs the feature
//! `clingo`; the other steps do not. Nothing here solves a formula, and nothing here uses the
//! grounder of the compiled path.
//! Source: He and Thielscher, *An ASP-based approach to solving general stochastic two-player
//! games* (2026).
#![deny(unsafe_code)]

mod complete;
mod game;
mod ground;
pub mod meaning;
mod places;
mod prefix;
pub mod random;
pub mod shrink;

pub use complete::{Completion, Placement, Value, complete, complete_under, complete_within};
pub use game::{
    DomainFault, Domains, Line, Move, Opening, Queries, Query, Unfinished, game_program,
    relaxed_program,
};
#[cfg(feature = "clingo")]
pub use ground::Clingo;
pub use ground::{
    AspifError, AtomId, GroundError, GroundLit, GroundProgram, Grounder, Message, Rule, RuleBody,
    Sample, Samples, Sampling, read_aspif,
};
pub use prefix::{Level, Prefix};
