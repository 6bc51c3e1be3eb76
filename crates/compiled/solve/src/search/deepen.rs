//! Looks of growing depth, to the end, to the depth asked for, or until a limit is met.
//!
//! Always: the bounds kept are the intersection of those of all looks, so they only get tighter.
//! The first look goes one step deep and is finished whatever the limits, so that every first move
//! is known; a later one that a limit cuts short still adds what it found. No look goes deeper than
//! the longest play that is followed.
//!
//! Where no limit is set and no estimate is asked for, nobody reads what a look of some depth
//! shows: after the first few, one goes to the end of all plays.
//!
//! Depths grow by one while a look costs more than all before it together, as where choices
//! multiply; where it costs less, as in long plays with few choices, the step doubles, so that a
//! play of thousands of steps does not take thousands of looks.

use std::sync::atomic::{AtomicUsize, Ordering};

use exact::Ratio;
use kernel::Expander;
use rayon::prelude::*;
use verdict::{Estimate, HaltReason};

use super::Run;
use super::estimate::Estimator;
use super::node::{Shared, Walker, Window};
use super::opened::{Opened, Opener};
use super::stepper::{Outcome, Pair};
use super::table::{Interval, Position};
use super::together::Ahead;
use crate::backend::Trouble;
use crate::first_moves::{PairValue, root_bounds};
use crate::game::top_payment;
use crate::limits::LONGEST_PLAY;

/// Nodes after which a game that comes back is given up where no limit was set.
const RETURNING_NODES: u64 = 1_000;

/// How a search ended.
pub(super) struct Found {
    pub(super) looked: Looked,
    /// Why the bounds are not equal; none where they are.
    pub(super) reason: Option<HaltReason>,
    pub(super) estimate: Option<Estimate>,
}

/// Bounds of the root and of its pairs of moves.
pub(super) struct Looked {
    pub(super) interval: Interval,
    pub(super) pairs: Vec<PairValue>,
}

impl Looked {
    /// Of pairs that are bounded.
    fn of(pairs: Vec<PairValue>) -> Self {
        let (lower, upper) = root_bounds(&pairs);
        Self { interval: Interval { lower, upper }, pairs }
    }

    /// Whether everything that is shown is known.
    fn is_exact(&self) -> bool {
        self.interval.is_exact() && self.pairs.iter().all(|pair| pair.lower == pair.upper)
    }

    /// Both looks together.
    fn meet(&mut self, other: &Self) {
        assert_eq!(self.pairs.len(), other.pairs.len(), "looks at one root");
        for (pair, new) in self.pairs.iter_mut().zip(&other.pairs) {
            let mut interval = Interval { lower: pair.lower.clone(), upper: pair.upper.clone() };
            interval.meet(&Interval { lower: new.lower.clone(), upper: new.upper.clone() });
            (pair.lower, pair.upper) = (interval.lower, interval.upper);
        }
        self.interval.meet(&other.interval);
        self.interval.meet(&Self::of(self.pairs.clone()).interval);
    }
}

/// A search under way.
pub(super) struct Deepening<'a> {
    run: &'a Run<'a>,
    shared: &'a Shared<'a>,
    /// The root; none where it is terminal or no step is left.
    root: Option<Opened>,
    /// What the root is worth where nobody moves in it.
    settled: Interval,
    /// Steps that are looked ahead at most.
    most: u32,
    walkers: Vec<Walker<'a>>,
    estimator: Option<Estimator<'a>>,
}

impl<'a> Deepening<'a> {
    /// Opens the root, whatever the limits.
    ///
    /// # Errors
    /// On a flaw of the root or of a child.
    pub(super) fn new(
        run: &'a Run<'a>,
        expander: Box<dyn Expander>,
        shared: &'a Shared<'a>,
    ) -> Result<Self, Trouble> {
        let top = top_payment(&run.game.casting);
        let most = run.options.depth.map_or(LONGEST_PLAY, |depth| depth.min(LONGEST_PLAY));
        let threads = (0..rayon::current_num_threads()).map(|_| expander.fork());
        let mut walkers: Vec<Walker<'_>> =
            threads.map(|own| Walker::new(own, top, shared)).collect();
        let opener = &mut walkers[0].opener;
        let ended = opener.ended(&run.root)?;
        let settled = shared.settled(ended.as_ref(), run.question.horizon);
        let root = match settled {
            Some(_) => None,
            None => Some(opener.open(&run.root, &Ahead::steps(1))?),
        };
        if root.as_ref().is_some_and(|root| root.simultaneous) {
            shared.simultaneous.store(true, Ordering::Relaxed);
        }
        let estimator = run.options.evaluate.map(|evaluator| {
            let plan = (evaluator, run.options.seed);
            let together = shared.together.as_ref();
            let opener = Opener::new(expander.fork(), top, together, shared.watch);
            Estimator::new(run.game, run.question.horizon, plan, opener)
        });
        let settled = settled.unwrap_or_else(Interval::unknown);
        Ok(Self { run, shared, root, settled, most, walkers, estimator })
    }

    /// Looks deeper and deeper.
    ///
    /// # Errors
    /// On a flaw of a state.
    pub(super) fn run(mut self) -> Result<Found, Trouble> {
        if self.root.is_none() || self.most == 0 {
            let interval = self.settled.clone();
            let reason = (!interval.is_exact()).then_some(HaltReason::Depth);
            let looked = Looked { interval, pairs: Vec::new() };
            return Ok(Found { looked, reason, estimate: None });
        }
        let mut depths = Depths::new(self.most);
        let mut depth = 1;
        let mut looked = self.look(depth)?;
        self.shared.hurried.store(true, Ordering::Relaxed);
        loop {
            self.shared.tell();
            let reason = self.ended(&looked, depth);
            if reason.is_none() && looked.is_exact() {
                return Ok(Found { looked, reason, estimate: None });
            }
            self.estimate(depth, &looked)?;
            if reason.is_some() {
                let estimate = self.estimator.and_then(|estimator| estimator.found());
                return Ok(Found { looked, reason, estimate });
            }
            depth = depths.after(depth, self.shared.nodes.load(Ordering::Relaxed));
            if self.is_unhurried() {
                self.shared.to_the_end.store(true, Ordering::Relaxed);
                depth = self.most;
            }
            looked.meet(&self.look(depth)?);
        }
    }

    /// Whether only the exact answer will do: then looks of growing depth are work done twice, once
    /// it is plain that the game is no small one.
    fn is_unhurried(&self) -> bool {
        self.is_unlimited() && self.shared.nodes.load(Ordering::Relaxed) >= RETURNING_NODES
    }

    /// Whether nothing but Ctrl-C ends the search, and nothing is shown before. Where the memory
    /// can end it, bounds of growing depth are worth more than those of a look to the end that is
    /// broken off.
    fn is_unlimited(&self) -> bool {
        let (options, watch) = (&self.run.options, self.shared.watch);
        let bounded = watch.time.is_some() || watch.memory.is_some();
        options.evaluate.is_none() && options.depth.is_none() && !bounded
    }

    /// Whether a game that comes back would be searched for ever; it may never take more memory.
    fn is_endless(&self) -> bool {
        self.run.options.depth.is_none() && self.shared.watch.time.is_none()
    }

    /// Why it ends after a look, if it does without an answer.
    fn ended(&self, looked: &Looked, depth: u32) -> Option<HaltReason> {
        if looked.is_exact() {
            return None;
        }
        if let Some(limit) = self.shared.limit() {
            return Some(limit);
        }
        let endless = self.is_endless();
        let long = self.shared.nodes.load(Ordering::Relaxed) >= RETURNING_NODES;
        let returned = self.shared.returned.load(Ordering::Relaxed);
        if endless && long && returned {
            return Some(HaltReason::Recurrence);
        }
        (depth >= self.most).then_some(HaltReason::Depth)
    }

    /// Brings the estimate to this depth, if it is asked for and as far as there is time.
    fn estimate(&mut self, depth: u32, looked: &Looked) -> Result<(), Trouble> {
        if let Some((estimator, root)) = self.estimator.as_mut().zip(self.root.as_ref()) {
            estimator.deepen(root, depth, self.shared)?;
            estimator.fit(looked);
        }
        Ok(())
    }

    /// Bounds on the pairs of the root, each outcome with a full window: threads take one after
    /// the other. The first that fails stops the others.
    fn look(&mut self, depth: u32) -> Result<Looked, Trouble> {
        self.shared.depth.store(depth, Ordering::Relaxed);
        let root = self.root.as_ref().expect("a root with moves");
        let left = self.run.question.horizon.map(|left| left - 1);
        let next = AtomicUsize::new(0);
        let shares: Vec<Vec<(usize, Interval)>> = self
            .walkers
            .par_iter_mut()
            .map(|walker| {
                let mut share = Vec::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(child) = root.children.get(at) else { return Ok(share) };
                    let found = match self.shared.settled(child.ended.as_ref(), left) {
                        Some(settled) => settled,
                        None => {
                            walker.start_below(&self.run.root);
                            let position = Position { key: child.key.clone(), left };
                            let found = walker.value(position, depth - 1, &Window::full());
                            let failed = |_: &Trouble| {
                                self.shared.stopped.store(true, Ordering::Relaxed);
                            };
                            found.inspect_err(failed)?.interval
                        }
                    };
                    share.push((at, found));
                }
            })
            .collect::<Result<_, Trouble>>()?;
        let mut found = vec![Interval::unknown(); root.children.len()];
        shares.into_iter().flatten().for_each(|(at, interval)| found[at] = interval);
        Ok(Looked::of(pair_values(root, &found)))
    }
}

/// Which depths are looked at.
struct Depths {
    most: u32,
    step: u32,
    /// Nodes of all looks so far.
    nodes: u64,
}

impl Depths {
    fn new(most: u32) -> Self {
        Self { most, step: 1, nodes: 0 }
    }

    /// The depth after a look of `depth`, with which so many nodes were entered in all.
    fn after(&mut self, depth: u32, nodes: u64) -> u32 {
        assert!(depth < self.most, "no look goes beyond the depth");
        let last = nodes - self.nodes;
        self.step = if last < self.nodes { self.step.saturating_mul(2) } else { 1 };
        self.nodes = nodes;
        depth.saturating_add(self.step).min(self.most)
    }
}

/// Means over chance of the bounds behind the root's pairs.
fn pair_values(root: &Opened, found: &[Interval]) -> Vec<PairValue> {
    let value = |pair: &Pair| {
        let mean = |end: fn(&Interval) -> &Ratio| -> Ratio {
            let part = |one: &Outcome| &one.share() * end(&found[one.child]);
            pair.outcomes.iter().map(part).fold(Ratio::zero(), |sum, part| sum + part)
        };
        PairValue {
            asked: pair.asked,
            opponents: pair.opponents,
            lower: mean(|interval| &interval.lower),
            upper: mean(|interval| &interval.upper),
        }
    };
    root.pairs.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_grow_by_one_where_choices_multiply_and_double_where_they_do_not() {
        let mut depths = Depths::new(LONGEST_PLAY);
        let (mut depth, mut nodes, mut cost) = (1, 1, 1);
        for _ in 0..9 {
            depth = depths.after(depth, nodes);
            cost *= 3;
            nodes += cost;
        }
        assert_eq!(depth, 10);
        let mut depths = Depths::new(5000);
        let (mut depth, mut nodes, mut looks) = (1, 1, 1);
        while depth < 5000 {
            depth = depths.after(depth, nodes);
            nodes += 1;
            looks += 1;
        }
        assert!(looks < 20, "{looks} looks");
    }
}
