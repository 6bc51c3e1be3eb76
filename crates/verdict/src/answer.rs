//! The answer: an exact fraction, or a halt with sound bounds.

use std::time::Duration;

use exact::Ratio;

/// What an engine counted. `None` where it does not enumerate the thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Distinct reachable GDL states; where subgames were solved apart, the sum of theirs.
    pub states: Option<u64>,
    /// Of those, the non-terminal ones that do not wait for chance alone. A state waits for
    /// chance alone when every role but the chance roles has one legal move and the chance roles
    /// have more than one joint legal move.
    pub decision_states: Option<u64>,
    /// Entries that this engine kept.
    pub stored: u64,
    /// Steps of the longest play that was followed.
    pub plies: Option<u32>,
    /// How many subgames were solved apart; none where the game was solved as one. All other counts
    /// are sums over the subgames then, and say nothing of the states of the whole.
    pub apart: Option<u32>,
    /// Time for putting the question into the language of a solver; none where there is none.
    pub translation: Option<Duration>,
}

/// A first move with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstMove {
    /// The move as GDL text, such as `(drop 3)`; where there are several choosers, their moves
    /// as `(role move)` pairs joined by blanks.
    pub text: String,
    /// The value of the game after this choice.
    pub value: Ratio,
}

/// An exact answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The largest probability (or expected goal over 100), in [0, 1].
    pub value: Ratio,
    /// Names of the roles whose first moves are shown: the asked role; or, where it has one
    /// legal move at the start, the opponents that have several (in the order of the sheet); or,
    /// where nobody chooses, the asked role with its one move. Empty in a terminal state.
    pub choosers: Vec<String>,
    /// Every first move of the choosers, in the order of the game's move table.
    pub moves: Vec<FirstMove>,
    /// Whether some reachable state was unfinished at the horizon. An engine that does not visit
    /// every state (`checked` is false) may not have met one.
    pub cut: bool,
    /// Whether some step had both the asked role and an opponent choose: the value is then a
    /// lower bound for the simultaneous game. Where subgames were solved apart: some step of one of
    /// them, since choices in different ones do not need to see each other.
    pub simultaneous: bool,
    /// Whether every reachable state was checked for well-formedness.
    pub checked: bool,
    /// Counts.
    pub counts: Counts,
}

impl Verdict {
    /// The moves that achieve the value, in order: largest where the asked role chooses; the
    /// smallest where its opponents do is the same number.
    pub fn best(&self) -> impl Iterator<Item = &FirstMove> {
        self.moves.iter().filter(|first| first.value == self.value)
    }
}

/// Which limit was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HaltReason {
    /// The time limit.
    Time,
    /// The memory limit, with the bytes that would have been needed next (a lower bound).
    Memory {
        /// Bytes needed for the next step of the work.
        needed: u64,
    },
    /// The user interrupted.
    Interrupt,
    /// The depth limit of a search.
    Depth,
    /// A play can return to a state, and the engine does not value such games.
    Recurrence,
    /// The answer was asked for as an approximation, and is as narrow as was asked for.
    Approximate,
    /// Bounds of the width that was asked for are beyond the arithmetic of bounds.
    Precision,
    /// The fraction is too long to be computed.
    LongFraction,
}

/// A first move with bounds on its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundedMove {
    /// As in [`FirstMove`].
    pub text: String,
    /// The value is at least this.
    pub lower: Ratio,
    /// The value is at most this.
    pub upper: Ratio,
    /// Whether some other move is certainly better for the chooser.
    pub dominated: bool,
}

/// A guess beside bounds, for positions too large to solve: nothing is proven of it, and no bound
/// is computed from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// How the states at the end of the look ahead were judged: `goal`, `mobility` or `rollout`.
    pub evaluator: &'static str,
    /// Steps that were looked ahead.
    pub depth: u32,
    /// The guess at the value, inside the bounds.
    pub value: Ratio,
    /// The guess at the value after each first move, in the order of the halt's moves.
    pub moves: Vec<FirstMove>,
}

/// A limit was met: sound bounds instead of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halt {
    /// Which limit.
    pub reason: HaltReason,
    /// The value is at least this.
    pub lower: Ratio,
    /// The value is at most this.
    pub upper: Ratio,
    /// As in [`Verdict`].
    pub choosers: Vec<String>,
    /// First moves with bounds, as far as they are known.
    pub moves: Vec<BoundedMove>,
    /// Counts so far; `states` is what was reached.
    pub counts: Counts,
    /// What the user can do for an exact answer.
    pub advice: String,
    /// A guess beside the bounds, where one was asked for and there was time for it.
    pub estimate: Option<Estimate>,
}
