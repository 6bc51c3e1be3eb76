//! Loops over dense blocks: 1024 lanes that stand for states by their place, not by stored keys.
//!
//! A block has rows of equally many lanes; the lane says one digit of the state, the row another,
//! and the block the rest. So planes of propositions are constants of the block ([`DenseView`]), a
//! move is a shift of lanes ([`Shift`], [`spread`]), and children of a row lie side by side
//! ([`Fold`]). Nothing here knows what a digit or a number means.

mod fold;
mod lane;
mod planes;
mod runs;
mod shift;
#[cfg(test)]
mod tests;

pub use fold::{Band, Child, Choice, Fold, Run, Segment, Values, fold};
pub use lane::Lane;
pub use planes::DenseView;
pub use shift::{Shift, Spread, count, moved, push, spread};
