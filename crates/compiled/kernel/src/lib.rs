//! Network to kernels: straight-line programs over bit planes, packed keys, and the expansion of
//! whole blocks of states.
//!
//! Nothing here knows a value or a ply: only states, their joint moves and their children.
#![deny(unsafe_op_in_unsafe_fn)]

mod check;
mod codec;
mod constants;
mod delta;
pub mod dense;
mod expand;
mod frame;
mod isa;
mod machine;
mod moves;
mod orbits;
mod planes;
mod playout;
mod program;
mod recode;
mod rollout;
#[cfg(test)]
mod sample;
mod seats;
mod select;
mod stream;
mod survey;
mod tables;
mod tape;
#[cfg(test)]
mod tests;
mod transpose;
mod update;
mod view;
mod wgsl;

pub use check::check_expansion;
pub use expand::{
    BLOCK_LANES, BLOCK_WORDS, Casting, Delta, Expander, Expansion, Flaw, FlawKind, Joint, Mask,
};
pub use isa::Isa;
pub use machine::Machine;
pub use orbits::Orbits;
pub use planes::{CodeSizes, PlaneKernel};
pub use playout::{PlayoutStats, Playouts, playouts};
pub use rollout::{RolloutEnds, Rollouts};
pub use seats::KernelFault;
pub use survey::{Example, Flawed, RoleSurvey, Survey, SurveyPlan, survey};
pub use tables::Tables;
pub use tape::Tape;
pub use wgsl::{Calls, Shaders};
