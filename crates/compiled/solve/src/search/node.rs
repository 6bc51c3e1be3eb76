//! One position, depth first: maximum over the asked role's moves, minimum over the opponents',
//! mean over chance, with windows.
//!
//! Each node returns sound bounds; they are equal where the value lies inside the window and no
//! depth limit was met. A position beyond the depth limit is worth anything in [0, 1]. Alpha-beta
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

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use exact::Ratio;
use kernel::Expander;
use rustc_hash::FxHashSet;
use verdict::{HaltReason, Watch};

use super::opened::{Opened, Opener, Outcome};
use super::table::{EVERY_STEP, Entry, Interval, Position, Transpositions};
use crate::backend::Trouble;
use crate::limits::{Limits, WHOLE};

/// Longest play that is followed.
const LONGEST_PLAY: usize = 200_000;

/// What all threads of a search share.
pub(crate) struct Shared<'a> {
    pub(crate) table: Transpositions,
    pub(crate) watch: &'a Watch<'a>,
    pub(crate) limits: Limits,
    /// Whether limits count: not before something is known of every first move.
    pub(crate) hurried: AtomicBool,
    /// Set when a limit is met: every node then returns what it knows.
    pub(crate) stopped: AtomicBool,
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
}

impl<'a> Shared<'a> {
    /// Nothing is known.
    pub(crate) fn new(watch: &'a Watch<'a>) -> Self {
        Self {
            table: Transpositions::new(),
            watch,
            limits: Limits::new(),
            hurried: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            cut: AtomicBool::new(false),
            simultaneous: AtomicBool::new(false),
            returned: AtomicBool::new(false),
            to_the_end: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
        }
    }

    /// The limit that is met, if one is.
    pub(crate) fn limit(&self) -> Option<HaltReason> {
        if !self.hurried.load(Ordering::Relaxed) {
            return None;
        }
        self.limits.met(self.watch, self.table.bytes(), WHOLE)
    }

    /// Whether the search is over; looks at the limits.
    fn pause(&self) -> bool {
        self.nodes.fetch_add(1, Ordering::Relaxed);
        if self.limit().is_some() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.stopped.load(Ordering::Relaxed)
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
    pub(crate) opener: Opener,
    shared: &'a Shared<'a>,
    path: Vec<Box<[u64]>>,
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
    pub(crate) fn new(expander: Box<dyn Expander>, top: u32, shared: &'a Shared<'a>) -> Self {
        Self {
            opener: Opener::new(expander, top),
            shared,
            path: Vec::new(),
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
    ) -> Result<Interval, Trouble> {
        debug_assert!(position.left != Some(0), "steps are left");
        let held = self.shared.table.get(&position);
        if let Some(entry) = &held {
            let deep = entry.depth >= depth && !entry.cut;
            if deep || entry.interval.is_exact() || window.decides(&entry.interval) {
                return Ok(entry.interval.clone());
            }
        }
        let known = held.map_or_else(Interval::unknown, |entry| entry.interval);
        if depth == 0 || self.shared.pause() {
            return Ok(known);
        }
        let node = self.opener.open(&position.key)?;
        if node.simultaneous {
            self.shared.simultaneous.store(true, Ordering::Relaxed);
        }
        self.enter(&position)?;
        let below =
            Below { node: &node, left: position.left.map(|left| left - 1), depth: depth - 1 };
        let found = self.best(&below, window);
        self.leave(&position);
        let mut interval = found?;
        interval.meet(&known);
        // What was found before a limit was met is sound, but less deep than it was to be.
        let cut = window.decides(&interval) || self.shared.stopped.load(Ordering::Relaxed);
        Ok(self.keep(position, interval, depth, cut))
    }

    fn keep(&self, position: Position, interval: Interval, depth: u32, cut: bool) -> Interval {
        let depth = if interval.is_exact() { EVERY_STEP } else { depth };
        let entry = Entry { interval: interval.clone(), depth, cut };
        self.shared.table.put(position, entry);
        interval
    }

    /// Puts a position on the path.
    fn enter(&mut self, position: &Position) -> Result<(), Trouble> {
        if self.path.len() >= LONGEST_PLAY {
            return Err(Trouble::Limit(HaltReason::Depth));
        }
        if position.left.is_none() && !self.on_path.insert(position.key.clone()) {
            self.shared.returned.store(true, Ordering::Relaxed);
            if self.shared.to_the_end.load(Ordering::Relaxed) {
                self.shared.stopped.store(true, Ordering::Relaxed);
            }
        }
        self.path.push(position.key.clone());
        Ok(())
    }

    fn leave(&mut self, position: &Position) {
        let left = self.path.pop();
        debug_assert_eq!(left.as_ref(), Some(&position.key), "positions are left in order");
        // A state that is on the path twice is forgotten early: a return may then go unnoticed
        // once, which costs nothing but time.
        self.on_path.remove(&position.key);
    }

    /// Maximum over the asked role's moves, the promising ones first.
    fn best(&mut self, below: &Below<'_>, window: &Window) -> Result<Interval, Trouble> {
        let mut best: Option<Interval> = None;
        let mut inner = window.clone();
        for lines in self.ordered(below) {
            let line = self.least(below, &lines, &inner)?;
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
        below: &Below<'_>,
        lines: &[usize],
        window: &Window,
    ) -> Result<Interval, Trouble> {
        let mut least: Option<Interval> = None;
        let mut inner = window.clone();
        for &pair in lines {
            let line = self.mean(below, &below.node.pairs[pair].outcomes, &inner)?;
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
        below: &Below<'_>,
        outcomes: &[Outcome],
        window: &Window,
    ) -> Result<Interval, Trouble> {
        if let [only] = outcomes {
            return self.child(below, only, window);
        }
        let mut mean = Interval { lower: Ratio::zero(), upper: Ratio::one() };
        for outcome in outcomes {
            let share = outcome.share();
            let inner = share_of(window, &mean, &share);
            let found = self.child(below, outcome, &inner)?;
            let lost = &share * &(&Ratio::one() - &found.upper);
            mean.lower = &mean.lower + &(&share * &found.lower);
            mean.upper = &mean.upper - &lost;
            if window.decides(&mean) {
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
    ) -> Result<Interval, Trouble> {
        let child = &below.node.children[outcome.child];
        if let Some(settled) = self.shared.settled(child.ended.as_ref(), below.left) {
            return Ok(settled);
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
fn share_of(window: &Window, mean: &Interval, weight: &Ratio) -> Window {
    let alpha = &(&(&window.alpha - &mean.upper) + weight) / weight;
    let beta = &(&window.beta - &mean.lower) / weight;
    debug_assert!(alpha < beta, "a window that is still open");
    Window { alpha, beta }
}
