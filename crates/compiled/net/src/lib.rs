//! Ground rules to a network of gates, split in view (legal, terminal, goal: of the state alone)
//! and update (next: of state and moves).
//!
//! Nothing here knows a lane or a key.
#![forbid(unsafe_code)]

mod gates;

pub use gates::{Gate, GateId, Gates, Net, NetRole};
pub use ground::{BaseId, InputId};
