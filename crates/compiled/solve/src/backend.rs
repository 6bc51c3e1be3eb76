//! Where plies live and are worked on: the interface of the sweep to a processor or a device.
//!
//! A backend holds the plies of one game, from the state asked about on. The driver advances it
//! ply by ply, then lets it back up values ply by ply; only counts cross between the two, so that
//! a device can keep everything in its own memory.
//!
//! Values are whole numbers over a denominator of the ply's own ([`Scale`]), little-endian words.

use net::InputId;
use verdict::{HaltReason, Stop, Watch};

use kernel::{Flaw, FlawKind};

use crate::storage::StorageFault;

/// What one ply held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlyCounts {
    /// Steps from this ply to the next one: 2 where states that wait for chance lie between.
    pub steps: u32,
    /// Distinct states between this ply and the next one, passed through without being kept.
    pub folded: u64,
    /// Distinct states.
    pub states: u64,
    /// Terminal ones.
    pub terminal: u64,
    /// Non-terminal ones that do not wait for chance alone.
    pub decisions: u64,
    /// Edges to the next ply, chance moves of equal effect merged.
    pub edges: u64,
    /// The totals of chance (in lowest terms against their weights) that occurred, ascending.
    pub totals: Vec<u32>,
    /// Whether the asked role and an opponent both had a choice in some state.
    pub simultaneous: bool,
}

/// Why a backend could not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A limit was met; what was finished before stands.
    Limit(HaltReason),
    /// A state (packed) breaks a rule of the language.
    Flaw {
        /// The state.
        key: Vec<u64>,
        /// What is wrong with it.
        kind: FlawKind,
    },
    /// What is kept on disk cannot be written or read.
    Storage(StorageFault),
    /// The solve ends as this says: a device failed, or does not do games of this kind.
    Stopped(Box<Stop>),
    /// The guess that a state determines its ply is wrong.
    LevelBroken,
    /// A play returns to a state, without a horizon.
    Cycle {
        /// The states (packed), first to last; the first follows the last.
        keys: Vec<Vec<u64>>,
    },
}

impl Trouble {
    /// A flaw of one of the states that were expanded together, `width` words each.
    pub(crate) fn flaw(keys: &[u64], width: usize, flaw: Flaw) -> Self {
        let key = keys[flaw.lane * width..(flaw.lane + 1) * width].to_vec();
        Self::Flaw { key, kind: flaw.kind }
    }
}

impl From<StorageFault> for Trouble {
    fn from(fault: StorageFault) -> Self {
        Self::Storage(fault)
    }
}

/// The denominator of one ply and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Words of a value.
    pub limbs: usize,
    /// The ply's denominator over that of the next ply; a multiple of each total.
    pub step: u128,
    /// What a payment of 1 is over this denominator, `limbs` words.
    pub unit: Vec<u64>,
    /// The largest payment.
    pub top: u32,
    /// Whether values are certified bounds (two words in units of 2^-63) instead.
    pub bounds: bool,
}

/// What a state without expanded children counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// The ply's children were expanded.
    Expanded,
    /// States that are not terminal are worth nothing.
    Worthless,
    /// States that are not terminal are worth everything.
    Won,
}

/// One edge of the state asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootEdge {
    /// The asked role's move.
    pub asked: InputId,
    /// Ordinal of the opponents' joint move.
    pub opponents: u32,
    /// Weight of the outcome.
    pub weight: u32,
    /// Total of the weights of this pair of moves.
    pub total: u32,
    /// Value of the child over the denominator of ply 1; empty before ply 1 was backed up.
    pub value: Vec<u64>,
}

/// A processor or device that holds and works on plies.
pub trait SweepBackend {
    /// The name under which it is chosen, such as `cpu`.
    fn name(&self) -> &'static str;
    /// Short name of the tier of its kernel.
    fn tier(&self) -> &'static str;
    /// Number of plies held; at least 1 (the state asked about).
    fn plies(&self) -> usize;
    /// Number of states of a ply.
    fn states(&self, ply: usize) -> u64;
    /// Bytes held.
    fn bytes(&self) -> u64;
    /// Whether values may be certified bounds ([`Scale::bounds`]).
    fn has_bounds(&self) -> bool {
        true
    }
    /// Bytes kept on disk.
    fn disk_bytes(&self) -> u64 {
        0
    }
    /// What the plies that an earlier process finished held, one a ply.
    fn resumed(&self) -> &[PlyCounts] {
        &[]
    }
    /// The ply that an earlier process backed up last on its way to an exact answer, where values
    /// are kept.
    fn valued(&self) -> Option<usize> {
        None
    }
    /// Whether the values computed from here on are those of an exact answer, and so worth being
    /// kept for a later process.
    fn keep_values(&mut self, _keep: bool) {}
    /// Makes what is finished durable, where plies are kept for a later process.
    ///
    /// # Errors
    /// When the system refuses.
    fn settle(&mut self) -> Result<(), Trouble> {
        Ok(())
    }
    /// What a user can do after a halt for this reason, where that is other than usual.
    fn advice(&self, _reason: &HaltReason) -> Option<String> {
        None
    }
    /// Expands the newest ply into a new one (which may be empty), one step further or, where
    /// chance can be folded in, two, but not more than `most_steps`; checks all states met.
    ///
    /// # Errors
    /// On an error no new ply is held, and the newest ply can still be backed up as a leaf.
    fn advance(&mut self, most_steps: u32, watch: &Watch<'_>) -> Result<PlyCounts, Trouble>;
    /// Checks and counts the newest ply without expanding it.
    ///
    /// # Errors
    /// As [`SweepBackend::advance`].
    fn inspect(&mut self, watch: &Watch<'_>) -> Result<PlyCounts, Trouble>;
    /// Computes the values of `ply`, which must be the newest ply with `leaf` not `Expanded`, or
    /// the ply before the one backed up last.
    ///
    /// # Errors
    /// On a limit.
    fn back_up(
        &mut self,
        ply: usize,
        leaf: Leaf,
        scale: &Scale,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble>;
    /// The edges of the state asked about, with the children's values if ply 1 was backed up last.
    ///
    /// # Errors
    /// On a flaw of that state.
    fn root_edges(&mut self) -> Result<Vec<RootEdge>, Trouble>;
    /// The value of the state asked about, if ply 0 was backed up last.
    fn root_value(&self) -> Option<Vec<u64>>;
    /// Numbers of distinct states and distinct decision states over all plies, where the same
    /// state may occur at several.
    ///
    /// # Errors
    /// On a limit.
    fn distinct_states(&mut self, watch: &Watch<'_>) -> Result<(u64, u64), Trouble>;
}
