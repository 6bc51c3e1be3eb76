//! The vocabulary of all engines: what is asked, what is answered, how one asks.
//!
//! Nothing here computes; no engine is known here.
#![forbid(unsafe_code)]

mod answer;
mod engine;
mod players;
mod question;

pub use answer::{BoundedMove, Counts, Estimate, FirstMove, Halt, HaltReason, Verdict};
pub use engine::{Engine, Fault, Progress, Stop, Watch};
pub use players::{SharedMove, Shares};
pub use question::{Objective, Question};
