//! Options of the compiled engines.

use crate::search::Evaluator;

/// How the sweep keeps states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tier {
    /// As suits the game.
    #[default]
    Auto,
    /// Packed bits in tables, for every game.
    Table,
    /// Numbers in mixed radix, for games that come apart into digits; others are refused.
    Dense,
    /// Positions, which are states without their clock, for games with a counter of steps or a horizon;
    /// others are refused.
    Clock,
}

/// Options of the compiled engines.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Ground atoms and instances that a game may have.
    pub ground_limit: usize,
    /// Answer with certified bounds of 64-bit fixed-point numbers.
    pub approximate: bool,
    /// Sweep only: pass through states that wait for chance instead of keeping them.
    pub fold: bool,
    /// Sweep only: keep one state of each orbit under the game's symmetries.
    pub symmetry: bool,
    /// Sweep only: solve independent subgames apart, where nothing but the value is asked for.
    pub apart: bool,
    /// Sweep only, for games whose states recur: bounds of this width, in units of 2^-63, instead
    /// of a fraction.
    pub width: Option<u64>,
    /// Sweep only: how it keeps states.
    pub tier: Tier,
    /// Search only: steps that it looks ahead; deeper play counts as anything in [0, 1].
    pub depth: Option<u32>,
    /// Search only: the estimate that is shown beside bounds, if any.
    pub evaluate: Option<Evaluator>,
    /// Search only: seed of the random plays of an estimate.
    pub seed: u64,
    /// Threads; as many as there are processors where no number is given. A sweep's answer does not
    /// depend on them; a search meets positions in the same order, and so ends in the same bounds at
    /// a depth, only with one.
    pub threads: Option<usize>,
    /// Search only: visit every reachable state and check it for well-formedness.
    pub check: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ground_limit: 20_000_000,
            approximate: false,
            fold: true,
            symmetry: true,
            apart: true,
            width: None,
            tier: Tier::Auto,
            depth: None,
            evaluate: None,
            seed: 1,
            threads: None,
            check: false,
        }
    }
}
