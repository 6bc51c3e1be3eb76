//! Solved games as files: states, values and best moves, written once and looked up by blocks.
//!
//! The form is told in docs/table.md. A file holds what is claimed of a question: layers of entries
//! by the number of steps from the state asked about, each entry a state, its value and the best
//! moves of whoever chooses there. Nothing here knows a rule of a game, so nothing here can tell
//! whether a claim is true; only that a file is whole, and that its blocks are packed as a
//! writer packs them. Free are the numbers of moves and the widths and codes of fields.
//!
//! Always: a file under its name was written whole ([`store::FrameWriter`]); a reader refuses what
//! the writer would not write, whatever its checksums say.
#![forbid(unsafe_code)]

mod block;
mod claim;
mod facts;
mod layout;
mod lookup;
mod reader;
mod rows;
#[cfg(test)]
mod tests;
mod writer;

pub use block::{BLOCK, Block, Choice};
pub use claim::{Claim, Side, rules_sum};
pub use facts::facts;
pub use layout::{Field, Layout, PropId};
pub use lookup::{Found, Lookup};
pub use reader::{Layer, Move, Table, TableFault};
pub use writer::{MoveName, Writer, Written};

/// Tags of frames.
mod tag {
    /// What is known of a layer as a whole.
    pub(crate) const LAYER: u32 = 1;
    /// Keys of a block.
    pub(crate) const KEYS: u32 = 2;
    /// Distinct numerators of a block.
    pub(crate) const VALUES: u32 = 3;
    /// Distinct sets of best moves of a block.
    pub(crate) const SETS: u32 = 4;
    /// Which numerator and which set each entry of a block has.
    pub(crate) const PICKS: u32 = 5;
    /// The first key of each block of a layer.
    pub(crate) const INDEX: u32 = 6;
    /// The claim and all names, as text.
    pub(crate) const NAMES: u32 = 7;
}
