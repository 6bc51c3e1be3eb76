//! One position, depth first: maximum over the asked role's moves, minimum over the opponents',
//! mean over chance, with windows.
//!
//! Each node returns sound bounds; they are equal where the value lies inside the window and no
//! depth limit was met. Bounds that a window left looser than the depth allows are told from whole
//! ones ([`Found`]), in the table too. A position beyond the depth limit is worth anything in [0, 1]. Alpha-beta
//! stops a maximum at `lower >= beta` and a minimum at `upper <= alpha`. At chance a node stops
//! once no value of the remaining outcomes (each in [0, 1]) can bring the mean into the window, and
//! each outcome's window is what the others leave of it. Only the first of the two classic tests at
//! chance nodes is used: probing outcomes twice costs more table traffic than it saves here.
//!
//! A node's children are looked at together before any of them is entered: one block tells which
//! have ended and what they pay, so the last step of a look costs two expansions a node and not
//! one a child.
//!
//! Source: the *-minimax procedures (Star1) of B. W. Ballard, "The *-minimax search procedure for
//! trees containing chance nodes", Artificial Intelligence 21, 1983.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use exact::Ratio;
use kernel::Expander;
use rustc_hash::FxHashSet;
use verdict::{HaltReason, Progress, Watch};

use super::opened::{Opened, Opener};
use super::stepper::Outcome;
use super::table::{EVERY_STEP, Entry, Interval, MOST_BITS, Position, Transpositions};
use super::together::{Ahead, Together};
use crate::backend::Trouble;
use crate::limits::{LONGEST_PLAY, Limits, WHOLE};

/// Bytes of a level of a play that is followed: what it holds, and the stack.
const LEVEL_BYTES: u64 = 3 << 10;
/// Nodes after which progress is told.
const TOLD_NODES: u64 = 1 << 13;

/// What all threads of a search share.
pub(crate) struct Shared<'a> {
    pub(crate) table: Transpositions,
    /// Who takes states apart instead of the processor.
    pub(super) together: Option<Together>,
    pub(crate) watch: &'a Watch<'a>,
    pub(crate) limits: Limits,
    /// Whether limits count: not before something is known of every first move.
    pub(crate) hurried: AtomicBool,
    /// Set when a limit is met: every node then returns what it knows.
    pub(crate) stopped: AtomicBool,
    /// A limit that a device met, which says nothing more.
    ended: OnceLock<HaltReason>,
    /// Whether a state was unfinished at the horizon.
    pub(crate) cut: AtomicBool,
    /// Whether in some state both sides had a choice.
    pub(crate) simultaneous: AtomicBool,
    /// Whether a play came back to a state.
    pub(crate) returned: AtomicBool,
    /// Whether the search stops where a play comes back, since it looks to the end of all plays.
    pub(crate) to_the_end: AtomicBool,
    /// Nodes entered.
    pub(crate) nodes: AtomicU64,
    /// Depth of the look under way.
    pub(crate) depth: AtomicU32,
    /// Levels of the longest plays that were followed, of all walkers together: a stack that grew
    /// does not shrink.
    levels: AtomicU64,
}

impl<'a> Shared<'a> {
    /// Nothing is known.
    pub(super) fn new(watch: &'a Watch<'a>, together: Option<Together>) -> Self {
        Self {
            table: Transpositions::new(),
            together,
            watch,
            limits: Limits::new(),
            hurried: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            ended: OnceLock::new(),
            cut: AtomicBool::new(false),
            simultaneous: AtomicBool::new(false),
            returned: AtomicBool::new(false),
            to_the_end: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            depth: AtomicU32::new(0),
            levels: AtomicU64::new(0),
        }
    }

    /// The limit that is met, if one is.
    pub(crate) fn limit(&self) -> Option<HaltReason> {
        if let Some(reason) = self.ended.get() {
            return Some(reason.clone());
        }
        if !self.hurried.load(Ordering::Relaxed) {
            return None;
        }
        self.limits.met(self.watch, self.bytes(), WHOLE)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        let together = self.together.as_ref().map_or(0, Together::bytes);
        self.table.bytes() + together + LEVEL_BYTES * self.levels.load(Ordering::Relaxed)
    }

    /// Whether the search is over; looks at the limits.
    fn pause(&self) -> bool {
        let nodes = self.nodes.fetch_add(1, Ordering::Relaxed);
        if nodes % TOLD_NODES == TOLD_NODES - 1 {
            self.tell();
        }
        if self.limit().is_some() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
    }

    /// Ends the search where a device met a limit.
    fn end(&self, reason: HaltReason) {
        self.ended.get_or_init(|| reason);
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Tells how far the search has come.
    pub(crate) fn tell(&self) {
        (self.watch.progress)(&Progress {
            phase: "search",
            ply: self.depth.load(Ordering::Relaxed),
            states: self.table.len() as u64,
            bytes: self.bytes(),
            ..Progress::default()
        });
    }

    /// The bounds of a child without entering it, where they are settled.
    pub(crate) fn settled(&self, ended: Option<&Ratio>, left: Option<u32>) -> Option<Interval> {
        if let Some(value) = ended {
            return Some(Interval::exact(value.clone()));
        }
        let unfinished = left == Some(0);
        if unfinished {
            self.cut.store(true, Ordering::Relaxed);
        }
        unfinished.then(|| Interval::exact(Ratio::zero()))
    }
}

/// A depth-first walker; one a thread.
pub(crate) struct Walker<'a> {
    pub(super) opener: Opener<'a>,
    shared: &'a Shared<'a>,
    path: Vec<Box<[u64]>>,
    /// Positions of the longest path so far.
    longest: usize,
    on_path: FxHashSet<Box<[u64]>>,
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

/// What a look found of a position.
pub(crate) struct Found {
    pub(crate) interval: Interval,
    /// Whether the bounds are as tight as a look of this depth without a window makes them.
    whole: bool,
}

impl Found {
    fn whole(interval: Interval) -> Self {
        Self { interval, whole: true }
    }
}

/// What the moves of a node lead to.
struct Below<'n> {
    node: &'n Opened,
    /// Steps left of the horizon, behind the node's moves.
    left: Option<u32>,
    /// Steps to look ahead from there.
    depth: u32,
}

impl<'a> Walker<'a> {
    /// A walker with an expander of its own; payments are out of `top`.
    pub(super) fn new(expander: Box<dyn Expander>, top: u32, shared: &'a Shared<'a>) -> Self {
        Self {
            opener: Opener::new(expander, top, shared.together.as_ref(), shared.watch),
            shared,
            path: Vec::new(),
            longest: 0,
            on_path: FxHashSet::default(),
        }
    }

    /// Starts below the root, which is noticed when a play comes back to it.
    pub(crate) fn start_below(&mut self, root: &[u64]) {
        self.path.clear();
        self.on_path.clear();
        self.path.push(root.into());
        self.on_path.insert(root.into());
    }

    /// Bounds on the value of a position that is not terminal and has steps left, `depth` steps
    /// deep at most.
    pub(crate) fn value(
        &mut self,
        position: Position,
        depth: u32,
        window: &Window,
    ) -> Result<Found, Trouble> {
        debug_assert!(position.left != Some(0), "steps are left");
        let held = self.shared.table.get(&position);
        if let Some(entry) = &held {
            let whole = entry.depth >= depth || entry.interval.is_exact();
            if whole || window.decides(&entry.interval) {
                return Ok(Found { interval: entry.interval.clone(), whole });
            }
        }
        let known = held.map_or_else(Interval::unknown, |entry| entry.interval);
        if depth == 0 {
            return Ok(Found::whole(known));
        }
        if self.shared.pause() {
            return Ok(Found { interval: known, whole: false });
        }
        let (path, table) = (self.path.as_slice(), Some(&self.shared.table));
        let ahead = Ahead { path, depth, left: position.left, table };
        let node = match self.opener.open(&position.key, &ahead) {
            Err(Trouble::Limit(reason)) => {
                self.shared.end(reason);
                return Ok(Found { interval: known, whole: false });
            }
            opened => opened?,
        };
        if node.simultaneous {
            self.shared.simultaneous.store(true, Ordering::Relaxed);
        }
        self.enter(&position);
        let below =
            Below { node: &node, left: position.left.map(|left| left - 1), depth: depth - 1 };
        let found = self.best(&below, window);
        self.leave(&position);
        let mut found = found?;
        found.interval.meet(&known);
        // What was found before a limit was met is sound, but less deep than it was to be.
        found.whole &= !self.shared.stopped.load(Ordering::Relaxed);
        found.whole |= found.interval.is_exact();
        if self.shared.returned.load(Ordering::Relaxed) {
            found.interval.shorten();
        }
        self.keep(position, &found, depth);
        Ok(found)
    }

    fn keep(&self, position: Position, found: &Found, depth: u32) {
        let interval = found.interval.clone();
        let depth = match (interval.is_exact(), found.whole) {
            (true, _) => EVERY_STEP,
            (false, true) => depth,
            (false, false) => 0,
        };
        self.shared.table.put(position, Entry { interval, depth });
    }

    /// Puts a position on the path.
    fn enter(&mut self, position: &Position) {
        assert!(self.path.len() <= LONGEST_PLAY as usize, "looks end at the longest play");
        if position.left.is_none() && !self.on_path.insert(position.key.clone()) {
            self.shared.returned.store(true, Ordering::Relaxed);
            if self.shared.to_the_end.load(Ordering::Relaxed) {
                self.shared.stopped.store(true, Ordering::Relaxed);
            }
        }
        self.path.push(position.key.clone());
        if self.path.len() > self.longest {
            self.longest = self.path.len();
            self.shared.levels.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn leave(&mut self, position: &Position) {
        let left = self.path.pop();
        debug_assert_eq!(left.as_ref(), Some(&position.key), "positions are left in order");
        // A state that is on the path twice is forgotten early: a return may then go unnoticed
        // once, which costs nothing but time.
        self.on_path.remove(&position.key);
    }

    /// Maximum over the asked role's moves, the promising ones first.
    fn best(&mut self, below: &Below<'_>, window: &Window) -> Result<Found, Trouble> {
        let mut best = Interval { lower: Ratio::zero(), upper: Ratio::zero() };
        // The largest upper bound of lines that a window left loose: they count if it is above what
        // is certain of the best one.
        let mut loose = Ratio::zero();
        let mut inner = window.clone();
        let lines = self.ordered(below);
        for (place, pairs) in lines.iter().enumerate() {
            let Found { interval: line, whole } = self.least(below, pairs, &inner)?;
            if !whole && line.upper > loose {
                loose = line.upper.clone();
            }
            if line.lower > best.lower {
                best.lower = line.lower;
            }
            if line.upper > best.upper {
                best.upper = line.upper;
            }
            if best.lower >= window.beta && place + 1 < lines.len() {
                best.upper = Ratio::one();
                return Ok(Found { interval: best, whole: false });
            }
            if best.lower > inner.alpha {
                inner.alpha = best.lower.clone();
            }
        }
        assert!(!lines.is_empty(), "at least one move");
        let whole = loose <= best.lower;
        Ok(Found { interval: best, whole })
    }

    /// Minimum over the opponents' joint moves.
    fn least(
        &mut self,
        below: &Below<'_>,
        lines: &[usize],
        window: &Window,
    ) -> Result<Found, Trouble> {
        let mut least = Interval::exact(Ratio::one());
        let mut loose = Ratio::one();
        let mut inner = window.clone();
        for (place, &pair) in lines.iter().enumerate() {
            let outcomes = &below.node.pairs[pair].outcomes;
            let Found { interval: line, whole } = self.mean(below, outcomes, &inner)?;
            if !whole && line.lower < loose {
                loose = line.lower.clone();
            }
            if line.lower < least.lower {
                least.lower = line.lower;
            }
            if line.upper < least.upper {
                least.upper = line.upper;
            }
            if least.upper <= window.alpha && place + 1 < lines.len() {
                least.lower = Ratio::zero();
                return Ok(Found { interval: least, whole: false });
            }
            if least.upper < inner.beta {
                inner.beta = least.upper.clone();
            }
        }
        assert!(!lines.is_empty(), "at least one joint move");
        let whole = loose >= least.upper;
        Ok(Found { interval: least, whole })
    }

    /// Mean over the outcomes.
    fn mean(
        &mut self,
        below: &Below<'_>,
        outcomes: &[Outcome],
        window: &Window,
    ) -> Result<Found, Trouble> {
        if let [only] = outcomes {
            return self.child(below, only, window);
        }
        let mut mean = Found::whole(Interval::unknown());
        for (place, outcome) in outcomes.iter().enumerate() {
            let share = outcome.share();
            let inner = share_of(window, &mean.interval, &share);
            let found = self.child(below, outcome, &inner)?;
            let lost = &share * &(&Ratio::one() - &found.interval.upper);
            mean.interval.lower = &mean.interval.lower + &(&share * &found.interval.lower);
            mean.interval.upper = &mean.interval.upper - &lost;
            mean.whole &= found.whole;
            if window.decides(&mean.interval) && place + 1 < outcomes.len() {
                mean.whole = false;
                break;
            }
        }
        Ok(mean)
    }

    fn child(
        &mut self,
        below: &Below<'_>,
        outcome: &Outcome,
        window: &Window,
    ) -> Result<Found, Trouble> {
        let child = &below.node.children[outcome.child];
        if let Some(settled) = self.shared.settled(child.ended.as_ref(), below.left) {
            return Ok(Found::whole(settled));
        }
        let position = Position { key: child.key.clone(), left: below.left };
        self.value(position, below.depth, window)
    }

    /// The node's pairs of moves, by move of the asked role: the moves with the largest expected
    /// value first, the replies with the smallest, as far as earlier looks tell.
    fn ordered(&self, below: &Below<'_>) -> Vec<Vec<usize>> {
        let mut lines: Vec<Vec<usize>> =
            below.node.moves().map(|(_, pairs)| pairs.collect()).collect();
        if below.depth == 0 || below.node.pairs.len() == 1 {
            return lines;
        }
        let pairs = below.node.pairs.iter();
        let expected: Vec<u64> = pairs.map(|pair| self.expected(below, &pair.outcomes)).collect();
        lines.iter_mut().for_each(|line| line.sort_by_key(|&pair| expected[pair]));
        lines.sort_by_key(|line| std::cmp::Reverse(expected[line[0]]));
        lines
    }

    /// The mean of the middles of the outcomes' bounds, in units of 2^-32.
    fn expected(&self, below: &Below<'_>, outcomes: &[Outcome]) -> u64 {
        let middle = |outcome: &Outcome| {
            let child = &below.node.children[outcome.child];
            let settled = self.shared.settled(child.ended.as_ref(), below.left);
            settled.map(|interval| interval.middle()).unwrap_or_else(|| {
                let position = Position { key: child.key.clone(), left: below.left };
                self.shared.table.middle(&position).unwrap_or(1 << 31)
            })
        };
        let sum: u128 = outcomes
            .iter()
            .map(|outcome| u128::from(outcome.weight) * u128::from(middle(outcome)))
            .sum();
        (sum / u128::from(outcomes[0].total)) as u64
    }
}

/// The window of one outcome: what the bounds of the others leave of the mean's window. `mean`
/// counts outcomes not seen yet as [0, 1].
///
/// Ends beyond [0, 1] say nothing and are those of the full window, and ends of very many bits are
/// rounded outward: a play of thousands of steps would else drag ever longer fractions down.
fn share_of(window: &Window, mean: &Interval, weight: &Ratio) -> Window {
    let mut alpha = &(&(&window.alpha - &mean.upper) + weight) / weight;
    let mut beta = &(&window.beta - &mean.lower) / weight;
    debug_assert!(alpha < beta, "a window that is still open");
    let full = Window::full();
    if alpha.is_negative() {
        alpha = full.alpha;
    } else if alpha.denominator_bits() > MOST_BITS {
        alpha = alpha.rounded_down(MOST_BITS);
    }
    if beta > Ratio::one() {
        beta = full.beta;
    } else if beta.denominator_bits() > MOST_BITS {
        beta = beta.rounded_up(MOST_BITS);
    }
    Window { alpha, beta }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window of an outcome holds every value that matters, whatever the length of its ends.
    #[test]
    fn windows_of_outcomes_are_rounded_outward() {
        let half = Ratio::new(1_u8, 2_u8);
        let grain = (0..3 * MOST_BITS).fold(Ratio::one(), |power, _| &power * &half);
        let third = Ratio::new(1_u8, 3_u8);
        let mut open = 0;
        for weight in [half.clone(), third.clone(), &half + &grain] {
            for (lower, upper) in [(Ratio::zero(), Ratio::one()), (grain.clone(), half.clone())] {
                let mean = Interval { lower, upper };
                for (alpha, beta) in [
                    (Ratio::zero(), Ratio::one()),
                    (&half - &grain, &half + &grain),
                    (third.clone(), &third + &grain),
                    (grain.times(7), half.clone()),
                ] {
                    let window = Window { alpha, beta };
                    let alpha = &(&(&window.alpha - &mean.upper) + &weight) / &weight;
                    let beta = &(&window.beta - &mean.lower) / &weight;
                    if alpha >= beta {
                        continue;
                    }
                    open += 1;
                    let inner = share_of(&window, &mean, &weight);
                    let full = Window::full();
                    assert!(inner.alpha <= alpha || alpha.is_negative());
                    assert!(inner.beta >= beta || beta > Ratio::one());
                    for end in [&inner.alpha, &inner.beta] {
                        assert!(end.denominator_bits() <= MOST_BITS + 1, "a short end");
                    }
                    // No more is given away than rounding costs.
                    let near = (0..MOST_BITS - 1).fold(Ratio::one(), |power, _| &power * &half);
                    assert!(inner.alpha == full.alpha || &alpha - &inner.alpha <= near);
                    assert!(inner.beta == full.beta || &inner.beta - &beta <= near);
                }
            }
        }
        assert!(open >= 10, "{open} windows");
    }
}
