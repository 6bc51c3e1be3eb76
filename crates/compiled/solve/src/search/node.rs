//! One position, depth first: maximum over the asked role's moves, minimum over the opponents',
//! mean over chance, with windows.
//!
//! Each node returns sound bounds; they are equal where the value lies inside the window and no
//! depth limit was met. Alpha-beta stops a maximum at `lower >= beta` and a minimum at
//! `upper <= alpha`. At chance a node stops once no value of the remaining outcomes (each in
//! [0, 1]) can bring the mean into the window, and each outcome's window is what the others leave
//! of it. Only the first of the two classic tests at chance nodes is used: probing outcomes twice
//! costs more table traffic than it saves here.
//!
//! Source: the *-minimax procedures (Star1) of B. W. Ballard, "The *-minimax search procedure for
//! trees containing chance nodes", Artificial Intelligence 21, 1983.

use std::sync::atomic::{AtomicBool, Ordering};

use exact::Ratio;
use kernel::{Expander, Expansion};
use rustc_hash::FxHashSet;
use verdict::{HaltReason, Watch};

use super::table::{Entry, Interval, Position, Transpositions};
use crate::backend::Trouble;
use crate::limits::Limits;

/// Longest play that is followed.
const LONGEST_PLAY: usize = 200_000;

/// What all threads of a search share.
pub(crate) struct Shared<'a> {
    pub(crate) table: Transpositions,
    pub(crate) watch: &'a Watch<'a>,
    pub(crate) limits: Limits,
    pub(crate) top: u32,
    /// Set when a limit is met: every node then returns what it knows.
    pub(crate) stopped: AtomicBool,
    /// Share of the time limit at which it is met.
    pub(crate) share: f64,
    /// Whether a state was unfinished at the horizon.
    pub(crate) cut: AtomicBool,
    /// Whether in some state both sides had a choice.
    pub(crate) simultaneous: AtomicBool,
}

impl Shared<'_> {
    /// The limit that is met, if one is.
    pub(crate) fn limit(&self) -> Option<HaltReason> {
        self.limits.met(self.watch, self.table.bytes(), self.share)
    }
}

/// One outcome of a pair of moves.
struct Outcome {
    weight: Ratio,
    child: Box<[u64]>,
}

/// The outcomes of each pair of moves, by move of the asked role.
type Moves = Vec<Vec<Vec<Outcome>>>;

/// A depth-first walker; one a thread.
pub(crate) struct Walker<'a> {
    pub(crate) expander: Box<dyn Expander>,
    shared: &'a Shared<'a>,
    expansion: Expansion,
    path: Vec<Box<[u64]>>,
    on_path: FxHashSet<Box<[u64]>>,
    nodes: u64,
}

/// The value matters only inside (alpha, beta).
#[derive(Clone)]
pub(crate) struct Window {
    pub(crate) alpha: Ratio,
    pub(crate) beta: Ratio,
}

impl Window {
    /// The whole range: below 0 to above 1, so that no bound is met by a value.
    pub(crate) fn full() -> Self {
        let beyond = Ratio::new(2_u64, 1_u64);
        Self { alpha: &Ratio::zero() - &Ratio::one(), beta: beyond }
    }

    fn decides(&self, interval: &Interval) -> bool {
        interval.lower >= self.beta || interval.upper <= self.alpha
    }
}

impl<'a> Walker<'a> {
    /// A walker with an expander of its own.
    pub(crate) fn new(expander: Box<dyn Expander>, shared: &'a Shared<'a>) -> Self {
        Self {
            expander,
            shared,
            expansion: Expansion::default(),
            path: Vec::new(),
            on_path: FxHashSet::default(),
            nodes: 0,
        }
    }

    /// Starts below a path of ancestors, which must not be met again.
    pub(crate) fn below(mut self, ancestors: &[Box<[u64]>]) -> Self {
        self.path = ancestors.to_vec();
        self.on_path = ancestors.iter().cloned().collect();
        self
    }

    /// Bounds on the value of a position, `depth` steps deep at most.
    pub(crate) fn value(
        &mut self,
        position: Position,
        depth: Option<u32>,
        window: &Window,
    ) -> Result<Interval, Trouble> {
        if self.pause() {
            return Ok(Interval::unknown());
        }
        let held = self.shared.table.get(&position);
        if let Some(entry) = &held {
            let deep = entry.depth.is_none() || (depth.is_some() && entry.depth >= depth);
            let settled = entry.interval.is_exact() || window.decides(&entry.interval);
            if settled || (deep && !entry.cut) {
                return Ok(entry.interval.clone());
            }
        }
        self.expand(&position.key)?;
        if self.expansion.terminal[0] & 1 == 1 {
            let payoff =
                Ratio::new(u64::from(self.expansion.payoff[0]), u64::from(self.shared.top));
            return Ok(self.keep(position, Interval::exact(payoff), None, false));
        }
        if position.left == Some(0) {
            self.shared.cut.store(true, Ordering::Relaxed);
            return Ok(Interval::exact(Ratio::zero()));
        }
        if depth == Some(0) {
            return Ok(Interval::unknown());
        }
        if self.expansion.simultaneous {
            self.shared.simultaneous.store(true, Ordering::Relaxed);
        }
        let moves = self.moves();
        self.enter(&position)?;
        let found = self.best(&moves, &position, depth, window);
        self.leave(&position);
        let mut interval = found?;
        if let Some(entry) = held {
            interval.meet(&entry.interval);
        }
        if self.shared.stopped.load(Ordering::Relaxed) {
            return Ok(interval);
        }
        let cut = window.decides(&interval);
        Ok(self.keep(position, interval, depth, cut))
    }

    /// Whether the search is over; looks at the limits now and then.
    fn pause(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(256) && self.shared.limit().is_some() {
            self.shared.stopped.store(true, Ordering::Relaxed);
        }
        self.shared.stopped.load(Ordering::Relaxed)
    }

    fn keep(
        &self,
        position: Position,
        interval: Interval,
        depth: Option<u32>,
        cut: bool,
    ) -> Interval {
        let depth = if interval.is_exact() { None } else { depth };
        let entry = Entry { interval: interval.clone(), depth, cut };
        self.shared.table.put(position, entry);
        interval
    }

    fn expand(&mut self, key: &[u64]) -> Result<(), Trouble> {
        self.expander
            .expand(key, true, &mut self.expansion)
            .map_err(|flaw| Trouble::Flaw { key: key.to_vec(), kind: flaw.kind })
    }

    /// Copies the joint moves of the state expanded last.
    fn moves(&self) -> Moves {
        let width = self.expander.words();
        let (mut moves, mut pairs, mut outcomes): (Moves, Vec<_>, Vec<_>) =
            (Vec::new(), Vec::new(), Vec::new());
        for joint in &self.expansion.joints {
            let at = joint.first_child * width;
            outcomes.push(Outcome {
                weight: Ratio::new(u64::from(joint.weight), u64::from(joint.total)),
                child: self.expansion.children[at..at + width].into(),
            });
            if joint.last_of_pair {
                pairs.push(std::mem::take(&mut outcomes));
            }
            if joint.last_of_asked {
                moves.push(std::mem::take(&mut pairs));
            }
        }
        assert!(outcomes.is_empty() && pairs.is_empty(), "the last entry ends its move");
        assert!(!moves.is_empty(), "a state that is not terminal has a joint move");
        moves
    }

    /// Puts a position on the path; a play that returns to a state without a horizon is endless.
    fn enter(&mut self, position: &Position) -> Result<(), Trouble> {
        if self.path.len() >= LONGEST_PLAY {
            return Err(Trouble::Limit(HaltReason::Depth));
        }
        if position.left.is_none() {
            self.on_path.insert(position.key.clone());
        }
        self.path.push(position.key.clone());
        Ok(())
    }

    fn leave(&mut self, position: &Position) {
        let left = self.path.pop();
        debug_assert_eq!(left.as_ref(), Some(&position.key), "positions are left in order");
        self.on_path.remove(&position.key);
    }

    /// Maximum over the asked role's moves.
    fn best(
        &mut self,
        moves: &Moves,
        position: &Position,
        depth: Option<u32>,
        window: &Window,
    ) -> Result<Interval, Trouble> {
        let mut best: Option<Interval> = None;
        let mut inner = window.clone();
        for pairs in moves {
            let line = self.least(pairs, position, depth, &inner)?;
            let best = best.get_or_insert_with(|| line.clone());
            if line.lower > best.lower {
                best.lower = line.lower;
            }
            if line.upper > best.upper {
                best.upper = line.upper;
            }
            if best.lower >= window.beta {
                best.upper = Ratio::one();
                break;
            }
            if best.lower > inner.alpha {
                inner.alpha = best.lower.clone();
            }
        }
        Ok(best.expect("at least one move"))
    }

    /// Minimum over the opponents' joint moves.
    fn least(
        &mut self,
        pairs: &[Vec<Outcome>],
        position: &Position,
        depth: Option<u32>,
        window: &Window,
    ) -> Result<Interval, Trouble> {
        let mut least: Option<Interval> = None;
        let mut inner = window.clone();
        for outcomes in pairs {
            let line = self.mean(outcomes, position, depth, &inner)?;
            let least = least.get_or_insert_with(|| line.clone());
            if line.lower < least.lower {
                least.lower = line.lower;
            }
            if line.upper < least.upper {
                least.upper = line.upper;
            }
            if least.upper <= window.alpha {
                least.lower = Ratio::zero();
                break;
            }
            if least.upper < inner.beta {
                inner.beta = least.upper.clone();
            }
        }
        Ok(least.expect("at least one joint move"))
    }

    /// Mean over the outcomes.
    fn mean(
        &mut self,
        outcomes: &[Outcome],
        position: &Position,
        depth: Option<u32>,
        window: &Window,
    ) -> Result<Interval, Trouble> {
        if let [only] = outcomes {
            return self.child(only, position, depth, window);
        }
        let mut mean = Interval { lower: Ratio::zero(), upper: Ratio::one() };
        for outcome in outcomes {
            let inner = share_of(window, &mean, &outcome.weight);
            let found = self.child(outcome, position, depth, &inner)?;
            let lost = &outcome.weight * &(&Ratio::one() - &found.upper);
            mean.lower = &mean.lower + &(&outcome.weight * &found.lower);
            mean.upper = &mean.upper - &lost;
            if window.decides(&mean) {
                break;
            }
        }
        Ok(mean)
    }

    fn child(
        &mut self,
        outcome: &Outcome,
        position: &Position,
        depth: Option<u32>,
        window: &Window,
    ) -> Result<Interval, Trouble> {
        // A look of some depth ends by itself.
        if depth.is_none() && self.on_path.contains(&outcome.child) {
            return Err(Trouble::Limit(HaltReason::Recurrence));
        }
        let left = position.left.map(|left| left - 1);
        let child = Position { key: outcome.child.clone(), left };
        self.value(child, depth.map(|depth| depth - 1), window)
    }
}

/// The window of one outcome: what the bounds of the others leave of the mean's window. `mean`
/// counts outcomes not seen yet as [0, 1].
fn share_of(window: &Window, mean: &Interval, weight: &Ratio) -> Window {
    let alpha = &(&(&window.alpha - &mean.upper) + weight) / weight;
    let beta = &(&window.beta - &mean.lower) / weight;
    debug_assert!(alpha < beta, "a window that is still open");
    Window { alpha, beta }
}
