//! An estimate beside the bounds: expectiminimax to a depth, with a guess at every leaf.
//!
//! Terminal states count for what they pay and states without steps left for nothing, so the
//! deeper the look, the less is guessed. *Quiescence*: where chance is about to move, or nobody has
//! a choice, a leaf is looked through until somebody chooses: a guess between a move and its toss
//! would be worth nothing.
//!
//! Always: nothing here writes into the table of bounds, and the bounds never see an estimate; the
//! estimate is moved to the nearer bound where it lies outside of what is proven. Estimates are
//! whole numbers in units of 2^-32 ([`Guess`]), so that the same question, depth and seed give the
//! same estimate on every machine. No windows and one thread: a look costs more than one at bounds
//! of the same depth, so under a time limit it gets at most half of the time and may be less deep.

mod evaluate;

use std::time::Instant;

use exact::Ratio;
use rustc_hash::FxHashMap;
use verdict::Estimate;

use super::deepen::Looked;
use super::node::Shared;
use super::opened::{Opened, Opener};
use super::stepper::Outcome;
use super::table::Position;
use super::together::Ahead;
use crate::backend::Trouble;
use crate::first_moves::{FirstMoves, PairValue, root_bounds};
use crate::game::Game;
use crate::limits::WHOLE;
use evaluate::Leaves;

/// A value in units of 2^-32.
type Guess = u64;
/// The guess that stands for 1.
const ONE: Guess = 1 << 32;
/// Steps beyond the depth that are looked through at most.
const QUIET_STEPS: i64 = 64;
/// Bytes of an entry beside its key words.
const ENTRY_BYTES: u64 = 80;
/// Share of the time that estimates may take; and seconds that they may take in any case.
const TIME_SHARE: f64 = 0.5;
const LEAST_SECONDS: f64 = 0.05;

/// How a leaf is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluator {
    /// By the asked role's goal value that holds there, over 100; one half without a single one.
    Goal,
    /// By the asked role's share of the legal moves, its own and its opponents'.
    Mobility,
    /// By what random plays from there pay in the mean.
    Rollout,
}

impl Evaluator {
    /// The name under which it is chosen.
    pub fn text(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Mobility => "mobility",
            Self::Rollout => "rollout",
        }
    }
}

/// Estimates under way.
pub(super) struct Estimator<'a> {
    game: &'a Game,
    evaluator: Evaluator,
    horizon: Option<u32>,
    leaves: Leaves,
    opener: Opener<'a>,
    /// Values of the look under way, by position and steps left to look ahead.
    table: FxHashMap<(Position, i64), Guess>,
    bytes: u64,
    /// Depth of the last look that was finished, and the values of the root's pairs.
    depth: u32,
    pairs: Vec<PairValue>,
    found: Option<Estimate>,
    seconds: f64,
}

/// What a look under way is bound by.
struct Budget<'a> {
    shared: &'a Shared<'a>,
    started: Instant,
    seconds: Option<f64>,
}

impl Budget<'_> {
    fn over(&self, bytes: u64) -> bool {
        let spent = self.started.elapsed().as_secs_f64();
        let held = self.shared.bytes() + bytes;
        self.seconds.is_some_and(|seconds| spent > seconds)
            || self.shared.limits.met(self.shared.watch, held, WHOLE).is_some()
    }
}

impl<'a> Estimator<'a> {
    /// Nothing is estimated yet.
    pub(super) fn new(
        game: &'a Game,
        horizon: Option<u32>,
        (evaluator, seed): (Evaluator, u64),
        opener: Opener<'a>,
    ) -> Self {
        Self {
            game,
            evaluator,
            horizon,
            leaves: Leaves::new(evaluator, game, seed),
            opener,
            table: FxHashMap::default(),
            bytes: 0,
            depth: 0,
            pairs: Vec::new(),
            found: None,
            seconds: 0.0,
        }
    }

    /// The estimate so far.
    pub(super) fn found(self) -> Option<Estimate> {
        self.found
    }

    /// Looks deeper, to `depth` at most, as long as there is time. A look that is not finished is
    /// gone on with the next time.
    ///
    /// # Errors
    /// On a flaw of a state.
    pub(super) fn deepen(
        &mut self,
        root: &Opened,
        depth: u32,
        shared: &Shared<'_>,
    ) -> Result<(), Trouble> {
        while self.depth < depth {
            let target = match shared.watch.time {
                Some(_) => (self.depth + 1 + self.depth / 4).min(depth),
                None => depth,
            };
            let started = Instant::now();
            let budget = Budget { shared, started, seconds: self.allowed(shared) };
            let pairs = self.look(root, target, &budget);
            self.seconds += started.elapsed().as_secs_f64();
            let pairs = match pairs {
                // The look at bounds meets it too, and tells.
                Err(Trouble::Limit(_)) => None,
                pairs => pairs?,
            };
            let Some(pairs) = pairs else { return Ok(()) };
            (self.depth, self.pairs) = (target, pairs);
            self.table.clear();
            self.bytes = 0;
        }
        Ok(())
    }

    /// Seconds that the next look may take.
    fn allowed(&self, shared: &Shared<'_>) -> Option<f64> {
        shared.watch.time?;
        let elapsed = shared.watch.started.elapsed().as_secs_f64();
        Some((elapsed * TIME_SHARE - self.seconds).max(LEAST_SECONDS))
    }

    /// Puts what was estimated last into words, inside the bounds.
    pub(super) fn fit(&mut self, looked: &Looked) {
        if self.pairs.is_empty() {
            return;
        }
        let inside = |(pair, bounds): (&PairValue, &PairValue)| {
            let value = pair.lower.clone().clamp(bounds.lower.clone(), bounds.upper.clone());
            PairValue { lower: value.clone(), upper: value, ..pair.clone() }
        };
        assert_eq!(self.pairs.len(), looked.pairs.len(), "estimates and bounds of one root");
        let pairs: Vec<PairValue> = self.pairs.iter().zip(&looked.pairs).map(inside).collect();
        let (lower, upper) = &(looked.interval.lower.clone(), looked.interval.upper.clone());
        let value = root_bounds(&pairs).0.clamp(lower.clone(), upper.clone());
        let moves = FirstMoves::new(self.game, self.opener.reader(), &pairs).exact();
        let evaluator = self.evaluator.text();
        self.found = Some(Estimate { evaluator, depth: self.depth, value, moves });
    }

    /// Estimates of the root's pairs; none where the budget did not last.
    fn look(
        &mut self,
        root: &Opened,
        depth: u32,
        budget: &Budget<'_>,
    ) -> Result<Option<Vec<PairValue>>, Trouble> {
        let left = self.horizon.map(|left| left - 1);
        let mut pairs = Vec::with_capacity(root.pairs.len());
        for pair in &*root.pairs {
            let below = Below { node: root, left, depth: i64::from(depth) - 1 };
            let Some(mean) = self.mean(&below, &pair.outcomes, budget)? else { return Ok(None) };
            let value = Ratio::new(mean, ONE);
            pairs.push(PairValue {
                asked: pair.asked,
                opponents: pair.opponents,
                lower: value.clone(),
                upper: value,
            });
        }
        Ok(Some(pairs))
    }

    /// The estimate of a position that is not terminal and has steps left.
    fn value(
        &mut self,
        position: Position,
        depth: i64,
        budget: &Budget<'_>,
    ) -> Result<Option<Guess>, Trouble> {
        let entry = (position, depth);
        if let Some(&held) = self.table.get(&entry) {
            return Ok(Some(held));
        }
        if budget.over(self.bytes) {
            return Ok(None);
        }
        let ahead = Ahead::steps(u32::try_from(depth).unwrap_or(0).max(1));
        let node = self.opener.open(&entry.0.key, &ahead)?;
        let guessed = depth <= 0 && (!node.is_quiet() || depth <= -QUIET_STEPS);
        let value = if guessed {
            Some(self.leaves.value(&mut self.opener, &entry.0)?)
        } else {
            let left = entry.0.left.map(|left| left - 1);
            self.fold(&Below { node: &node, left, depth: depth - 1 }, budget)?
        };
        let Some(value) = value else { return Ok(None) };
        assert!(value <= ONE, "an estimate of a value in [0, 1]");
        self.bytes += ENTRY_BYTES + 8 * entry.0.key.len() as u64;
        self.table.insert(entry, value);
        Ok(Some(value))
    }

    /// The largest over the asked role's moves of the smallest over replies.
    fn fold(&mut self, below: &Below<'_>, budget: &Budget<'_>) -> Result<Option<Guess>, Trouble> {
        let mut best = 0;
        for (_, pairs) in below.node.moves() {
            let mut least = ONE;
            for pair in pairs {
                let outcomes = &below.node.pairs[pair].outcomes;
                let Some(mean) = self.mean(below, outcomes, budget)? else { return Ok(None) };
                least = least.min(mean);
            }
            best = best.max(least);
        }
        Ok(Some(best))
    }

    fn mean(
        &mut self,
        below: &Below<'_>,
        outcomes: &[Outcome],
        budget: &Budget<'_>,
    ) -> Result<Option<Guess>, Trouble> {
        let mut sum = 0u128;
        for outcome in outcomes {
            let child = &below.node.children[outcome.child];
            let value = match (&child.ended, below.left) {
                (Some(worth), _) => Some(guess(worth)),
                (None, Some(0)) => Some(0),
                (None, left) => {
                    self.value(Position { key: child.key.clone(), left }, below.depth, budget)?
                }
            };
            let Some(value) = value else { return Ok(None) };
            sum += u128::from(outcome.weight) * u128::from(value);
        }
        Ok(Some((sum / u128::from(outcomes[0].total)) as Guess))
    }
}

/// What the moves of a node lead to.
struct Below<'n> {
    node: &'n Opened,
    left: Option<u32>,
    /// Steps to look ahead from there; below 0 those that were looked through.
    depth: i64,
}

/// A value as a guess, rounded down.
fn guess(value: &Ratio) -> Guess {
    exact::Bounds::exact(value).raw().0 >> 31
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use verdict::HaltReason;

    use super::*;
    use crate::search::table::{Entry, Interval};
    use crate::testing::{self, under};

    /// What a search holds and what an estimate holds both count.
    #[test]
    fn a_look_is_over_where_memory_is_to_the_byte() {
        let tight = |bytes: u64| testing::Limits { memory: Some(bytes), ..Default::default() };
        let (limits, base) = under(tight(0), |watch| {
            let shared = Shared::new(watch, None);
            match shared.limits.met(watch, 0, WHOLE) {
                Some(HaltReason::Memory { needed }) => (shared.limits, needed),
                other => panic!("{other:?}"),
            }
        });
        under(tight(base + 10_000), |watch| {
            let mut shared = Shared::new(watch, None);
            shared.limits = limits;
            for known in 0..3 {
                let held = shared.bytes();
                assert_eq!(held > 0, known > 0, "each position takes room");
                let (started, left) = (Instant::now(), 10_000 - held);
                let budget = Budget { shared: &shared, started, seconds: None };
                assert!(!budget.over(0) && !budget.over(left), "{known}");
                assert!(budget.over(left + 1), "{known}");
                let position = Position { key: Box::from([known]), left: None };
                let interval = Interval { lower: Ratio::zero(), upper: Ratio::one() };
                shared.table.put(position, Entry { interval, depth: 1 });
            }
        });
    }

    #[test]
    fn a_look_is_over_where_its_own_time_is() {
        under(testing::Limits::default(), |watch| {
            let shared = Shared::new(watch, None);
            let started = Instant::now() - Duration::from_secs(10);
            for (seconds, is_over) in [(None, false), (Some(9.0), true), (Some(1000.0), false)] {
                let budget = Budget { shared: &shared, started, seconds };
                assert_eq!(budget.over(0), is_over, "{seconds:?}");
            }
        });
    }
}
