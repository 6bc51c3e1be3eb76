//! Walk: the variables in their order, depth first, to the value.
//!
//! Always, between steps: every variable before the place of the walk has a value; everything
//! that follows within the levels of eager propagation has been drawn; the stack holds one frame
//! for each thing still to be done on the way back. The walk keeps its own stack: a formula of a
//! million variables is as deep as the memory is.

mod cache;
mod decide;
mod propagate;
mod record;
mod residual;
mod search;
mod stack;
mod window;

pub(crate) use cache::Caches;
pub(crate) use propagate::{Conflict, Propagator};
pub(crate) use record::Recorder;
pub(crate) use search::{Walk, Walked};
