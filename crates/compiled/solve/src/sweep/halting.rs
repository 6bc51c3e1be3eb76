//! Bounds from the plies that are held when a limit is met.
//!
//! The states of a ply are taken as leaves, once worth nothing and once worth everything, so that
//! terminal states above it are counted for what they are. The first bounds are of a ply so near
//! that they are certain to be there in time; they tell how fast passes are, and so the deepest ply
//! for which there is time, and so on until there is none.
//!
//! Always: bounds of several passes are met, so that a deeper one only tightens them.
//!
//! An interrupt that comes while bounds are made breaks off the pass in work: what is known by then
//! is told, and first bounds are made once more within a moment.
//!
//! Refused: valuing leaves by what a backward pass that was broken off knew. It holds the values of
//! one deep ply only, and the plies from there to the root are those that there was no time for.

#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use verdict::{HaltReason, Watch};

use super::plies::{Forward, GRACE, Passed, Run};
use super::scale::Scales;
use super::{Ended, end};
use crate::backend::{Leaf, PlyCounts, Trouble};
use crate::first_moves::PairValue;
use crate::game::{Game, top_payment};
use crate::storage::StorageFault;

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

/// An interrupt that never comes.
static CALM: AtomicBool = AtomicBool::new(false);

/// Bounds with the ply whose states were their leaves, and the time that they took.
struct Known {
    passed: Passed,
    last: usize,
    took: Duration,
}

/// What bounds are made from, and what they may take.
struct Room<'a> {
    forward: &'a Forward,
    /// The largest payment.
    top: u32,
    /// The limits of the solve, whose interrupt breaks passes off.
    watch: Watch<'a>,
    until: Instant,
}

impl<'a> Room<'a> {
    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// The limits of one pass that begins now.
    fn pass(&self, time: Duration) -> Watch<'a> {
        Watch { started: Instant::now(), time: Some(time), ..self.watch }
    }
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
        let interrupted = watch.interrupted();
        let time = Duration::from_secs_f64(if interrupted { GRACE } else { seconds(watch) });
        // What has been interrupted already is not to be broken off again.
        let interrupt = if interrupted { &CALM } else { watch.interrupt };
        let mut room = Room {
            forward,
            top: top_payment(&game.casting),
            watch: Watch { interrupt, ..*watch },
            until: Instant::now() + time,
        };
        let first = self.first_bounds(&mut room);
        match first.and_then(|known| self.deepened(known, &room)) {
            Err(trouble) => end(game, &*self.reader, trouble),
            Ok(passed) => self.halted(game, forward, reason, passed),
        }
    }

    /// The first bounds: from a ply near enough, or from an ever nearer one.
    fn first_bounds(&mut self, room: &mut Room<'_>) -> Result<Known, Trouble> {
        let speed = self.certain_speed(room.forward, &room.watch) * FIRST_PART;
        let mut last = self.leaf_ply(room.forward, speed * room.left().as_secs_f64());
        let mut seconds = room.left().as_secs_f64() / 2.0;
        loop {
            let begun = Instant::now();
            let mut limits = room.pass(Duration::from_secs_f64(seconds));
            if last == 0 {
                // Bounds with the root itself as the leaf are there whatever it takes.
                limits = Watch { time: None, memory: None, interrupt: &CALM, ..limits };
            }
            match self.bounds(last, room, &limits) {
                Ok(passed) => return Ok(Known { passed, last, took: begun.elapsed() }),
                Err(trouble) if last == 0 => return Err(trouble),
                Err(Trouble::Limit(HaltReason::Interrupt)) => {
                    room.watch.interrupt = &CALM;
                    room.until = Instant::now() + Duration::from_secs_f64(GRACE);
                    last = self.leaf_ply(room.forward, speed * GRACE).min(last - 1);
                    seconds = GRACE / 2.0;
                }
                // A nearer ply takes less memory and no disk; time is not what was lacking.
                Err(
                    Trouble::Limit(HaltReason::Memory { .. })
                    | Trouble::Storage(StorageFault::System(_)),
                ) => {
                    last -= last.div_ceil(4);
                    let most = room.left().as_secs_f64() / 2.0;
                    seconds = seconds.min(most).max(GRACE / 2.0);
                }
                Err(Trouble::Limit(_)) => {
                    last -= last.div_ceil(4);
                    seconds = (seconds / 2.0).min(GRACE / 2.0);
                }
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// Bounds from deeper and deeper plies, as long as the last pass says that there is time.
    fn deepened(&mut self, mut known: Known, room: &Room<'_>) -> Result<Passed, Trouble> {
        loop {
            let left = room.left();
            let done: u64 = room.forward.counts.iter().take(known.last).map(work).sum();
            let speed = done as f64 / known.took.as_secs_f64().max(1e-6);
            let last = self.leaf_ply(room.forward, speed * left.as_secs_f64() * DEEPER_PART);
            if last <= known.last {
                return Ok(known.passed);
            }
            let begun = Instant::now();
            match self.bounds(last, room, &room.pass(left)) {
                Ok(mut passed) => {
                    passed.meet(&known.passed);
                    known = Known { passed, last, took: begun.elapsed() };
                }
                // A full disk takes nothing from what is known.
                Err(Trouble::Limit(_) | Trouble::Storage(StorageFault::System(_))) => {
                    return Ok(known.passed);
                }
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// Bounds of the root and its pairs of moves, with the states of a ply as leaves.
    fn bounds(
        &mut self,
        last: usize,
        room: &Room<'_>,
        limits: &Watch<'_>,
    ) -> Result<Passed, Trouble> {
        let scales = Scales::exact(&room.forward.counts, last, room.top)
            .unwrap_or_else(|| Scales::bounds(last, room.top));
        let low = self.backward(&scales, last, Leaf::Worthless, limits)?;
        let high = self.backward(&scales, last, Leaf::Won, limits)?;
        assert_eq!(low.pairs.len(), high.pairs.len(), "passes over one root");
        let pairs = low.pairs.into_iter().zip(high.pairs);
        let pairs = pairs.map(|(low, high)| PairValue { upper: high.upper, ..low }).collect();
        Ok(Passed { lower: low.lower, upper: high.upper, pairs })
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

/// Seconds that bounds may take where nobody has interrupted.
fn seconds(watch: &Watch<'_>) -> f64 {
    let elapsed = watch.started.elapsed().as_secs_f64();
    let left = watch.time.map_or(f64::MAX, |limit| limit.as_secs_f64() - elapsed);
    left.clamp(GRACE, MOST_SECONDS)
}

/// What valuing a ply costs, in states and edges.
fn work(ply: &PlyCounts) -> u64 {
    ply.states + ply.folded + ply.edges
}
