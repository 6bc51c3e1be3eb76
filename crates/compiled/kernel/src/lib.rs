//! Network to kernels: straight-line programs over bit planes, packed keys, and the expansion of
//! whole blocks of states.
//!
//! Nothing here knows a value or a ply: only states, their joint moves and their children.

mod expand;

pub use expand::{
    BLOCK_LANES, BLOCK_WORDS, Casting, Expander, Expansion, Flaw, FlawKind, Joint, Mask,
};
