//! Bounds from the plies that are held when a limit is met.
//!
//! The states of a ply are taken as leaves, once worth nothing and once worth everything, so that
//! terminal states above it are counted for what they are. The first bounds are of a ply so near
//! that they are certain to be there in time; they tell how fast passes are, and so the deepest ply
//! for which there is time, and so on until there is none.
//!
//! Always: bounds of several passes are met, so that a deeper one only tightens them.
//!
//! Refused: valuing the leaves of a pass that was broken off by what it knows of deeper plies. Where
//! the forward pass is done, the rest of the time is enough for the backward pass, which takes a
//! third of the time at most; where it is not, nothing deeper is known.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use verdict::{HaltReason, Watch};

use super::plies::{Forward, GRACE, Passed, Run};
use super::scale::Scales;
use super::{Ended, end};
use crate::backend::{Leaf, PlyCounts, Trouble};
use crate::first_moves::PairValue;
use crate::game::{Game, top_payment};

/// Seconds for bounds where no time is asked for.
const MOST_SECONDS: f64 = 1e6;

/// States and edges a second that any machine manages.
const LEAST_SPEED: u64 = 500_000;

/// How much faster a backward pass is than a forward one, at least.
const BACKWARD_SPEED: f64 = 3.0;

/// Part of what is left of the time that the first bounds may take, by the speed that is certain;
/// and what part deeper ones may take by the speed that was measured.
const FIRST_PART: f64 = 0.125;
const DEEPER_PART: f64 = 0.8;

/// Bounds with the ply whose states were their leaves, and the time that they took.
struct Known {
    passed: Passed,
    last: usize,
    took: Duration,
}

impl Run {
    /// Bounds from the plies held, with the leaves as deep as the time allows.
    pub(super) fn halt(
        &mut self,
        game: &mut Game,
        forward: &Forward,
        reason: HaltReason,
        watch: &Watch<'_>,
    ) -> Ended {
        if let Err(trouble) = self.backend.settle() {
            return end(game, &*self.reader, trouble);
        }
        let until = Instant::now() + Duration::from_secs_f64(self.seconds(watch));
        match self.first_bounds(forward, top_payment(&game.casting), until, watch) {
            Err(trouble) => end(game, &*self.reader, trouble),
            Ok(held) => {
                let held = self.deepened(forward, top_payment(&game.casting), (held, until), watch);
                match held {
                    Err(trouble) => end(game, &*self.reader, trouble),
                    Ok(passed) => self.halted(game, forward, reason, passed),
                }
            }
        }
    }

    /// The first bounds: from a ply near enough, or from an ever nearer one.
    fn first_bounds(
        &mut self,
        forward: &Forward,
        top: u32,
        until: Instant,
        watch: &Watch<'_>,
    ) -> Result<Known, Trouble> {
        let left = until.saturating_duration_since(Instant::now()).as_secs_f64();
        let mut last =
            self.leaf_ply(forward, self.certain_speed(forward, watch) * left * FIRST_PART);
        let mut seconds = left / 2.0;
        loop {
            let begun = Instant::now();
            // Bounds that know nothing but the root's moves are there whatever it takes.
            let time = (last > 0).then(|| Duration::from_secs_f64(seconds));
            let memory = watch.memory.filter(|_| last > 0);
            match self.bounds(forward, last, top, &Watch { time, memory, ..*watch }) {
                Ok(passed) => return Ok(Known { passed, last, took: begun.elapsed() }),
                Err(Trouble::Limit(_)) if last > 0 => last -= last.div_ceil(4),
                Err(trouble) => return Err(trouble),
            }
            seconds = (seconds / 2.0).min(GRACE / 2.0);
        }
    }

    /// Bounds from deeper and deeper plies, as long as the last pass says that there is time.
    fn deepened(
        &mut self,
        forward: &Forward,
        top: u32,
        (mut known, until): (Known, Instant),
        watch: &Watch<'_>,
    ) -> Result<Passed, Trouble> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let done: u64 = forward.counts.iter().take(known.last).map(work).sum();
            let speed = done as f64 / known.took.as_secs_f64().max(1e-6);
            let last = self.leaf_ply(forward, speed * left.as_secs_f64() * DEEPER_PART);
            if last <= known.last {
                return Ok(known.passed);
            }
            let begun = Instant::now();
            match self.bounds(forward, last, top, &Watch { time: Some(left), ..*watch }) {
                Ok(mut passed) => {
                    passed.meet(&known.passed);
                    known = Known { passed, last, took: begun.elapsed() };
                }
                Err(Trouble::Limit(_)) => return Ok(known.passed),
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// Bounds of the root and its pairs of moves, with the states of a ply as leaves, from now on
    /// and whatever interrupts.
    fn bounds(
        &mut self,
        forward: &Forward,
        last: usize,
        top: u32,
        watch: &Watch<'_>,
    ) -> Result<Passed, Trouble> {
        let calm = AtomicBool::new(false);
        let watch = &Watch { started: Instant::now(), interrupt: &calm, ..*watch };
        let scales =
            Scales::exact(&forward.counts, last, top).unwrap_or_else(|| Scales::bounds(last, top));
        let low = self.backward(&scales, last, Leaf::Worthless, watch)?;
        let high = self.backward(&scales, last, Leaf::Won, watch)?;
        assert_eq!(low.pairs.len(), high.pairs.len(), "passes over one root");
        let pairs = low.pairs.into_iter().zip(high.pairs);
        let pairs = pairs.map(|(low, high)| PairValue { upper: high.upper, ..low }).collect();
        Ok(Passed { lower: low.lower, upper: high.upper, pairs })
    }

    /// Seconds that bounds may take.
    fn seconds(&self, watch: &Watch<'_>) -> f64 {
        let elapsed = watch.started.elapsed().as_secs_f64();
        let left = watch.time.map_or(f64::MAX, |limit| limit.as_secs_f64() - elapsed);
        if watch.interrupted() { GRACE } else { left.clamp(GRACE, MOST_SECONDS) }
    }

    /// States and edges a second that two backward passes are certain to manage.
    fn certain_speed(&self, forward: &Forward, watch: &Watch<'_>) -> f64 {
        let elapsed = watch.started.elapsed().as_secs_f64();
        let resumed = self.backend.resumed().len();
        let done: u64 = forward.counts.iter().skip(resumed).map(work).sum();
        // Nothing was measured where all was resumed; little is then taken for granted.
        let done = done.max(LEAST_SPEED * elapsed.ceil() as u64);
        done as f64 / elapsed.max(1e-3) * BACKWARD_SPEED / 2.0
    }

    /// The deepest ply above which there is no more work than this, in states and edges.
    fn leaf_ply(&self, forward: &Forward, most: f64) -> usize {
        let mut sum = 0;
        let newest = self.backend.plies() - 1;
        let fits = |ply: &PlyCounts| {
            sum += work(ply);
            sum as f64 <= most
        };
        forward.counts.iter().take(newest).map(fits).take_while(|&fits| fits).count()
    }
}

/// What valuing a ply costs, in states and edges.
fn work(ply: &PlyCounts) -> u64 {
    ply.states + ply.folded + ply.edges
}
