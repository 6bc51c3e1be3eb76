//! Ground rules to a network of gates, split in view (legal, terminal, goal: of the state alone)
//! and update (next: of state and moves).
//!
//! Nothing here knows a lane or a key.
#![forbid(unsafe_code)]

pub mod apart;
pub mod facts;
mod fold;
mod gates;
pub mod interpret;
mod lower;
mod prism;
pub mod random;
mod rebuild;
mod recursion;
mod scc;
pub mod script;
mod specialised;
pub mod symmetry;
mod text;
mod verify;

pub use gates::{Gate, GateId, Gates, Net, NetRole};
pub use ground::{BaseId, InputId};
pub use interpret::{State, View};
pub use lower::{LowerFault, LowerLimits, lower};
pub use prism::{Contest, TooLarge, prism};
pub use rebuild::{LeafMap, Substitution, cone, support};
pub use specialised::Specialised;
pub use text::{dot, parse_net};
pub use verify::verify;
