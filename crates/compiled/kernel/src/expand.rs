//! Expansion of a block of states: the interface between kernels and the engines above.
//!
//! A block is up to [`BLOCK_LANES`] packed states. Expanding it tells which lanes are terminal
//! and what they pay, and lists the joint moves of the others: asked role outermost, then the
//! opponents' joint move, then chance innermost, so that a reader can fold
//! `max (min (mean ...))` as it walks the list.

use gdl::RoleId;
use net::InputId;

/// Words of 64 lanes in a full block.
pub const BLOCK_WORDS: usize = 16;
/// States in a full block.
pub const BLOCK_LANES: usize = 64 * BLOCK_WORDS;

/// One bit a lane of the block.
pub type Mask = [u64; BLOCK_WORDS];

/// Who plays which part, and what a terminal state pays.
#[derive(Clone, Debug)]
pub struct Casting {
    /// The role that maximises.
    pub asked: RoleId,
    /// Roles that minimise together.
    pub opponents: Vec<RoleId>,
    /// Roles that play uniformly at random.
    pub chance: Vec<RoleId>,
    /// Payment of each goal value (index 0..=100) to the asked role, as a whole number.
    pub payoffs: [u32; 101],
    /// Whether a terminal state without a goal value of the asked role pays 0 (objective win) or
    /// is a flaw (objective goal).
    pub goal_optional: bool,
}

/// The edges of one joint move (with all chance moves of equal effect merged into it).
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// Lanes in which it is legal; never empty.
    pub mask: Mask,
    /// The asked role's move.
    pub asked: InputId,
    /// Ordinal of the opponents' joint move, dense from 0 over the moves of the game; see
    /// [`Expander::opponents_moves`].
    pub opponents: u32,
    /// How many of the `total` equally likely chance outcomes lead here. The same for all lanes
    /// of the mask; `weight / total` is not reduced.
    pub weight: u32,
    /// Number of joint chance moves in these lanes; at least 1.
    pub total: u32,
    /// Whether this is the last chance outcome of this pair of moves in these lanes.
    pub last_of_pair: bool,
    /// Whether this is the last entry of the asked role's move within the profile (implies
    /// `last_of_pair`). Its mask need not hold every lane of the move: lanes may differ in which
    /// of the opponents' joint moves are legal.
    pub last_of_asked: bool,
    /// Where its children start in [`Expansion::children`], counted in keys; one child a set bit
    /// of the mask, in lane order. Without meaning where children were not asked for.
    pub first_child: usize,
}

/// Bits of a key of up to four words.
pub type Delta = [u64; 4];

/// What an expansion found; reused from block to block.
///
/// Lanes with the same set of legal chance moves form a *profile*. Entries come profile by
/// profile; inside one, `asked` is the outer loop, `opponents` the middle, chance the inner.
/// The entries of one pair of moves within a profile are contiguous and have the same mask; those
/// of one `asked` move differ in their masks only through `opponents` (legality of roles is
/// independent). For one state the order of its entries does not depend on the block's others.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// Lanes whose state is terminal.
    pub terminal: Mask,
    /// Payment of terminal lanes ([`Casting::payoffs`]), by lane; other lanes hold anything.
    pub payoff: Vec<u32>,
    /// Lanes that are not terminal and wait for chance alone: every role but chance has exactly
    /// one legal move and chance has more than one joint move (before merging).
    pub waiting: Mask,
    /// Whether in some lane both the asked role and an opponent have several legal moves.
    pub simultaneous: bool,
    /// Joint moves in the order described above.
    pub joints: Vec<Joint>,
    /// Packed children, `words` words each.
    pub children: Vec<u64>,
    /// For each joint move, where children were asked for: the bits in which every child of these
    /// lanes differs from its parent, if they are the same in all lanes and that was found out.
    pub deltas: Vec<Option<Delta>>,
}

/// What is wrong with a state that was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// Not terminal, and this role has no legal move.
    NoLegalMove(RoleId),
    /// Terminal, with several goal values of the asked role.
    SeveralGoals(Vec<u8>),
    /// Terminal, with no goal value of the asked role, under objective goal.
    NoGoal,
    /// A guess about the game (such as "exactly one of these holds") breaks in a child of this
    /// state: the solve must start again without it. Names the group.
    GuessBroken(usize),
}

/// A flawed state of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Which lane.
    pub lane: usize,
    /// What is wrong.
    pub kind: FlawKind,
}

/// A kernel that expands blocks of packed states.
///
/// Keys are `words()` 64-bit words each, laid out one state after the other. Two states are equal
/// exactly when their keys are.
pub trait Expander: Send {
    /// Words of a key; at least 1.
    fn words(&self) -> usize;
    /// Packs a state given by its true propositions (ascending). None where it cannot be packed
    /// (it breaks a guess).
    fn pack(&self, state: &[net::BaseId]) -> Option<Vec<u64>>;
    /// The true propositions of a packed state, ascending.
    fn unpack(&self, key: &[u64]) -> Vec<net::BaseId>;
    /// The bit ranges of a key that stand for disjoint sets of propositions, ascending: what a
    /// state holds true is the union of what each range holds true by itself. A range is one bit
    /// for a raw proposition or a member of a group with one member dropped, several for a coded
    /// group or a digit. (Sums over true propositions become sums of table look-ups.)
    fn fields(&self) -> Vec<std::ops::Range<usize>>;
    /// For each of [`Expander::fields`], the codes that states have there, ascending, each with the
    /// proposition that it holds true, if it holds one.
    fn codes(&self) -> Vec<Vec<(u64, Option<net::BaseId>)>>;
    /// The moves behind an ordinal of the opponents' joint moves, one for each opponent.
    fn opponents_moves(&self, ordinal: u32) -> Vec<InputId>;
    /// Expands `keys.len() / words()` states (1..=[`BLOCK_LANES`]). With `children` false,
    /// everything but the children is filled in, in the same order and with the same masks.
    ///
    /// # Errors
    /// The first flaw met; `out` then holds nothing of use.
    fn expand(&mut self, keys: &[u64], children: bool, out: &mut Expansion) -> Result<(), Flaw>;
    /// Short name of the tier for `--explain` and logs, such as `planes` or `digits`.
    fn tier(&self) -> &'static str;
    /// A fresh expander for the same game, for another thread.
    fn fork(&self) -> Box<dyn Expander>;
}
