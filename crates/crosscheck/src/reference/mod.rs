//! The reference: a game played by its rules, and plain expectiminimax over all of it.
//!
//! It evaluates the rulebook state by state and shares nothing with the compiled path but `gdl`:
//! no grounding of the whole game, no network, no packed states, no scaled integers. Values are
//! rationals in a map from state and steps left. It is the oracle of the tests, so it is short and
//! plain and makes no attempt at pruning: every reachable state is visited, and so checked.
//!
//! Cost: some ten microseconds a state and as many a joint move; right for games of up to some
//! hundred thousand states.

mod each;
mod expectiminimax;
mod graph;
mod machine;
mod plays;
mod recurrent;
mod rules;
mod states;
mod strata;
mod terms;
#[cfg(test)]
mod tests;

pub use each::{Ties, each};
pub use expectiminimax::Reference;
pub(crate) use plays::{Inner, Node, Plays};
pub use states::{Simulator, State};
pub use terms::TermId;
