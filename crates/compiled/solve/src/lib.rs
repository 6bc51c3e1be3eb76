//! Kernel to verdict: the compiled engines.
//!
//! [`Sweep`] values every reachable state; [`Search`] looks for the root's value depth first.
//! Both compile the rulebook themselves and check every guess they rely on. Nothing here opens a
//! device (who does hands one in, as a [`Device`]), files go through `store`, and nothing here is rounded except outward.
#![forbid(unsafe_code)]

mod apart;
mod backend;
mod crew;
mod first_moves;
mod game;
mod limits;
mod options;
mod players;
mod search;
mod storage;
mod sweep;
#[cfg(test)]
mod testing;

pub use apart::{Split, Wanted, part_question, split};
pub use backend::{Leaf, PlyCounts, RootEdge, Scale, SweepBackend, Trouble};
pub use game::{Game, Guesses, TakenBack};
pub use limits::{BACKWARD_SHARE, FORWARD_SHARE, Limits};
pub use options::{Options, Tier};
pub use players::each;
pub use search::{Evaluator, Opening, Outcome, Pair, Search, Stepped, Stepper};
pub use storage::{Storage, StorageFault};
pub use sweep::{
    Device, LevelChunk, Perft, PerftPly, Plan, Sweep, SymmetryChoice, TierChoice, clock_choice,
    perft, shares, symmetry_choice, tier_choice,
};
