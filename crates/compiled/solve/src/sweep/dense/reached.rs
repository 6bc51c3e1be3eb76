//! What was reached, two planes a block, and what it counts.

use kernel::{BLOCK_WORDS, Mask};
use store::HugeVec;

use super::planes::{Ends, any};

/// Words of what is kept of a block: two planes.
pub(super) const KEPT_WORDS: usize = 2 * BLOCK_WORDS;
/// Bytes of it.
pub(super) const PLANE_BYTES: u64 = 8 * KEPT_WORDS as u64;

/// What was reached.
///
/// Two planes a block say it all: lanes of the first alone are live, those of the second alone are
/// paid the only payment that the game has, those of both have ended without one. Where there are
/// several payments, those of the second have ended, and the view tells what is paid.
pub(super) struct Reached {
    pub(super) planes: HugeVec<u64>,
    /// The only payment.
    pub(super) payment: Option<u64>,
    /// By task: blocks with a state, whose values are of 32 bits and of 64.
    pub(super) sizes: Vec<[u32; 2]>,
    pub(super) counts: Counts,
}

/// Numbers of states.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// States that are kept.
    pub(super) kept: u64,
    /// States that were folded into the choices before them.
    pub(super) folded: u64,
    /// Kept states in which somebody decides.
    pub(super) decisions: u64,
    /// Steps of the longest play.
    pub(super) longest: u32,
    /// Blocks with a state.
    pub(super) blocks: usize,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Self) {
        self.kept += other.kept;
        self.folded += other.folded;
        self.decisions += other.decisions;
        self.longest = self.longest.max(other.longest);
        self.blocks += other.blocks;
    }

    /// Counts all states since `before` twice, with so many more blocks.
    pub(super) fn double(&mut self, before: &Self, blocks: usize) {
        self.kept += self.kept - before.kept;
        self.folded += self.folded - before.folded;
        self.decisions += self.decisions - before.decisions;
        self.blocks += blocks;
    }
}
/// One in so many places of the blocks reached is a state, at least, or tables need less memory.
const SPARSE: u64 = 16;
/// Blocks that are never too many.
const FEW_BLOCKS: usize = 256;

/// What is kept of a block.
pub(super) struct Block {
    /// States in which the play goes on.
    pub(super) live: Mask,
    /// States in which it has ended.
    pub(super) terminal: Mask,
    /// Those of them that are paid the only payment; none where there are several.
    paid: Mask,
    payment: Option<u64>,
}

impl Block {
    /// All states.
    pub(super) fn reached(&self) -> Mask {
        std::array::from_fn(|at| self.live[at] | self.terminal[at])
    }

    /// Whether there is a state.
    pub(super) fn is_reached(&self) -> bool {
        any(&self.live) || any(&self.terminal)
    }

    /// The ends, where they were kept.
    pub(super) fn ends(&self) -> Option<Ends> {
        let payment = self.payment?;
        let paid = any(&self.paid).then_some((payment, self.paid));
        Some(Ends { terminal: self.terminal, paid: paid.into_iter().collect() })
    }
}

impl Reached {
    /// Whether so few places of the blocks are states that tables are the better tier.
    pub(super) fn is_sparse(&self) -> bool {
        let places = (self.counts.blocks * kernel::BLOCK_LANES) as u64;
        self.counts.blocks > FEW_BLOCKS && SPARSE * self.counts.kept < places
    }

    /// Bytes of the planes of blocks that were reached.
    pub(super) fn bytes(&self) -> u64 {
        self.counts.blocks as u64 * PLANE_BYTES
    }

    /// What is kept of a block.
    pub(super) fn block(&self, block: usize) -> Block {
        let kept = &self.planes.as_slice()[block * KEPT_WORDS..(block + 1) * KEPT_WORDS];
        let (first, second) = kept.split_at(BLOCK_WORDS);
        Block {
            live: std::array::from_fn(|at| first[at] & !second[at]),
            terminal: std::array::from_fn(|at| second[at]),
            paid: std::array::from_fn(|at| second[at] & !first[at]),
            payment: self.payment,
        }
    }
}

/// Bytes that the planes of all blocks need.
pub(super) fn most_bytes(blocks: usize) -> u64 {
    blocks as u64 * PLANE_BYTES
}
