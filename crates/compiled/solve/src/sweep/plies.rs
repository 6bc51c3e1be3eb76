//! The sweep by plies: the driver over a [`SweepBackend`].
//!
//! Forward until a ply is empty or the horizon is reached; then values backward. A limit that is
//! met on the way ends in bounds: the deepest ply from which a backward pass still fits in what
//! is left of the limit is taken as leaves, once worth nothing and once worth everything, so that
//! terminal states above it are counted for what they are.
//!
//! Always: `lower <= value <= upper`; an exact answer comes only from a complete pass.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use kernel::Expander;
use verdict::{Counts, Halt, HaltReason, Progress, Stop, Verdict, Watch};

use super::estimate::{self, Estimate};
use super::scale::Scales;
use super::{Ended, end};
use crate::Options;
use crate::backend::{Leaf, PlyCounts, SweepBackend, Trouble};
use crate::first_moves::{FirstMoves, PairValue, root_bounds};
use crate::game::{Game, top_payment};

/// Seconds that bounds may take after an interrupt, or where the time is up.
const GRACE: f64 = 0.4;

/// Seconds for bounds where no time is asked for.
const MOST_SECONDS: f64 = 1e6;

/// States and edges a second that any machine manages.
const LEAST_SPEED: u64 = 500_000;

/// How much faster a backward pass is than a forward one, at least.
const BACKWARD_SPEED: f64 = 3.0;

/// One run of the sweep by plies.
pub(super) struct Run {
    /// Reads keys; a fork of the backend's expander.
    pub(super) reader: Box<dyn Expander>,
    pub(super) backend: Box<dyn SweepBackend>,
    /// Whether plies are disjoint, because states determine them.
    pub(super) disjoint: bool,
    pub(super) horizon: Option<u32>,
}

/// What the forward pass came to.
struct Forward {
    /// One a ply that was expanded, then the newest ply's where it was inspected.
    counts: Vec<PlyCounts>,
    /// Whether the horizon ended it.
    at_horizon: bool,
    limit: Option<HaltReason>,
}

impl Run {
    /// Visits every state without valuing any.
    pub(super) fn visit(mut self, game: &mut Game, watch: &Watch<'_>) -> Result<Counts, Ended> {
        match self.forward(watch) {
            Ok(Forward { limit: Some(reason), .. }) => {
                Err(end(game, &*self.reader, Trouble::Limit(reason)))
            }
            Ok(forward) => Ok(self.counts(&forward)),
            Err(trouble) => Err(end(game, &*self.reader, trouble)),
        }
    }

    /// Answers, or halts with bounds, or ends.
    pub(super) fn solve(
        mut self,
        game: &mut Game,
        options: &Options,
        watch: &Watch<'_>,
    ) -> Result<Verdict, Ended> {
        let forward = match self.forward(watch) {
            Ok(forward) => forward,
            Err(trouble) => return Err(end(game, &*self.reader, trouble)),
        };
        if let Some(reason) = forward.limit.clone() {
            return Err(self.halt(game, &forward, reason, watch));
        }
        let last = self.backend.plies() - 1;
        let top = top_payment(&game.casting);
        let exact = Scales::exact(&forward.counts, last, top).filter(|_| !options.approximate);
        let approximate = exact.is_none();
        let scales = exact.unwrap_or_else(|| Scales::bounds(last, top));
        self.backend.keep_values(true);
        let backward = self.backward(&scales, last, Leaf::Worthless, watch);
        self.backend.keep_values(false);
        match backward {
            Ok((lower, upper, pairs)) => {
                if approximate {
                    let reason = HaltReason::Approximate;
                    let ended = self.halted(game, &forward, reason, (lower, upper), &pairs);
                    return Err(if options.approximate { ended } else { too_wide(ended) });
                }
                self.verdict(game, &forward, lower, &pairs, watch)
            }
            Err(Trouble::Limit(reason)) => Err(self.halt(game, &forward, reason, watch)),
            Err(trouble) => Err(end(game, &*self.reader, trouble)),
        }
    }

    fn forward(&mut self, watch: &Watch<'_>) -> Result<Forward, Trouble> {
        let resumed = self.backend.resumed().to_vec();
        let mut done: u32 = resumed.iter().map(|ply| ply.steps).sum();
        let mut forward = Forward { counts: resumed, at_horizon: false, limit: None };
        let mut estimate = Estimate::new();
        loop {
            let newest = self.backend.plies() - 1;
            if self.backend.states(newest) == 0 {
                break;
            }
            let left = self.horizon.map_or(u32::MAX, |steps| steps - done);
            forward.at_horizon = left == 0;
            let before: u64 = forward.counts.iter().map(|ply| ply.states + ply.folded).sum();
            let show = |inner: &Progress| {
                let (phase, ply) = ("forward", newest as u32);
                let (states, left) = (before + inner.states, estimate.left());
                (watch.progress)(&Progress { phase, ply, states, left, ..inner.clone() });
            };
            let told = Watch { progress: &show, ..*watch };
            let step = if forward.at_horizon {
                self.backend.inspect(&told)
            } else {
                self.backend.advance(left, &told)
            };
            match step {
                Ok(counts) => {
                    assert!(counts.steps <= left, "a sweep stops at its horizon");
                    done += counts.steps;
                    estimate.expanded(&counts, self.backend.states(self.backend.plies() - 1));
                    forward.counts.push(counts);
                }
                Err(Trouble::Limit(reason)) => forward.limit = Some(reason),
                Err(trouble) => return Err(trouble),
            }
            self.report(watch, "forward", (newest, None), &forward.counts, estimate.left());
            if forward.at_horizon || forward.limit.is_some() {
                break;
            }
        }
        self.backend.settle()?;
        Ok(forward)
    }

    fn report(
        &self,
        watch: &Watch<'_>,
        phase: &'static str,
        (ply, plies): (usize, Option<usize>),
        counts: &[PlyCounts],
        left: Option<Duration>,
    ) {
        (watch.progress)(&Progress {
            phase,
            ply: ply as u32,
            plies: plies.map(|plies| plies as u32),
            states: counts.iter().map(|ply| ply.states + ply.folded).sum(),
            bytes: self.backend.bytes(),
            disk: self.backend.disk_bytes(),
            left,
        });
    }

    /// Backs up all plies from `last`; the root's bounds and those of its pairs of moves.
    fn backward(
        &mut self,
        scales: &Scales,
        last: usize,
        leaf: Leaf,
        watch: &Watch<'_>,
    ) -> Result<(exact::Ratio, exact::Ratio, Vec<PairValue>), Trouble> {
        let mut pairs = Vec::new();
        let done = self.backend.valued().unwrap_or(last + 1);
        let states: Vec<u64> = (0..done).map(|ply| self.backend.states(ply)).collect();
        let (begun, all) = (Instant::now(), states.iter().sum::<u64>());
        for ply in (0..=last).rev().filter(|ply| *ply < done) {
            let leaf = if ply == last { leaf } else { Leaf::Expanded };
            if ply == 0 && last > 0 {
                pairs = self.root_pairs(scales)?;
            }
            self.backend.back_up(ply, leaf, &scales.plies[ply], watch)?;
            let rest = states[..ply].iter().sum();
            let left = estimate::scaled(begun.elapsed(), all - rest, rest);
            self.report(watch, "backward", (last - ply, Some(last)), &[], left);
        }
        let root = self.backend.root_value().expect("ply 0 was backed up last");
        let (lower, upper) = scales.ratios(0, &root);
        if !pairs.is_empty() && !scales.plies[0].bounds {
            assert_eq!(root_bounds(&pairs).0, lower, "the root is the best of its moves");
        }
        Ok((lower, upper, pairs))
    }

    /// Values of the root's pairs of moves, from those of ply 1.
    fn root_pairs(&mut self, scales: &Scales) -> Result<Vec<PairValue>, Trouble> {
        let mut pairs: Vec<PairValue> = Vec::new();
        for edge in self.backend.root_edges()? {
            let (lower, upper) = scales.ratios(1, &edge.value);
            let share = exact::Ratio::new(u64::from(edge.weight), u64::from(edge.total));
            let (lower, upper) = (&share * &lower, &share * &upper);
            match pairs.last_mut() {
                Some(pair) if (pair.asked, pair.opponents) == (edge.asked, edge.opponents) => {
                    pair.lower = &pair.lower + &lower;
                    pair.upper = &pair.upper + &upper;
                }
                _ => pairs.push(PairValue {
                    asked: edge.asked,
                    opponents: edge.opponents,
                    lower,
                    upper,
                }),
            }
        }
        Ok(pairs)
    }

    fn counts(&self, forward: &Forward) -> Counts {
        let sum = |each: fn(&PlyCounts) -> u64| forward.counts.iter().map(each).sum::<u64>();
        let stored = (0..self.backend.plies()).map(|ply| self.backend.states(ply)).sum();
        let plies: u32 = forward.counts.iter().map(|ply| ply.steps).sum();
        // The newest ply is empty, or was inspected at the horizon, or is the leaf of a halt.
        let trailing = u32::from(!forward.at_horizon && forward.limit.is_none());
        Counts {
            states: self.disjoint.then(|| sum(|ply| ply.states + ply.folded)),
            decision_states: self.disjoint.then(|| sum(|ply| ply.decisions)),
            stored,
            plies: Some(plies.saturating_sub(trailing)),
            translation: None,
        }
    }

    fn verdict(
        &mut self,
        game: &mut Game,
        forward: &Forward,
        value: exact::Ratio,
        pairs: &[PairValue],
        watch: &Watch<'_>,
    ) -> Result<Verdict, Ended> {
        let mut counts = self.counts(forward);
        if !self.disjoint {
            match self.backend.distinct_states(watch) {
                Ok((states, decisions)) => {
                    (counts.states, counts.decision_states) = (Some(states), Some(decisions));
                }
                Err(Trouble::Limit(_)) => {}
                Err(trouble) => return Err(end(game, &*self.reader, trouble)),
            }
        }
        let first = self.first_moves(game, pairs);
        let unfinished = |ply: &PlyCounts| ply.states > ply.terminal;
        Ok(Verdict {
            value,
            choosers: first.choosers.clone(),
            moves: first.exact(),
            cut: forward.at_horizon && forward.counts.last().is_some_and(unfinished),
            simultaneous: forward.counts.iter().any(|ply| ply.simultaneous),
            checked: true,
            counts,
        })
    }

    fn first_moves(&self, game: &Game, pairs: &[PairValue]) -> FirstMoves {
        if pairs.is_empty() {
            return FirstMoves::none();
        }
        FirstMoves::new(game, &*self.reader, pairs)
    }

    /// Bounds from the plies held, with the leaves as deep as the time allows.
    fn halt(
        &mut self,
        game: &mut Game,
        forward: &Forward,
        reason: HaltReason,
        watch: &Watch<'_>,
    ) -> Ended {
        if let Err(trouble) = self.backend.settle() {
            return end(game, &*self.reader, trouble);
        }
        let (mut last, top) = (self.leaf_ply(forward, watch), top_payment(&game.casting));
        let (calm, mut seconds) = (AtomicBool::new(false), self.seconds(watch));
        loop {
            let quiet = Watch {
                started: Instant::now(),
                time: (last > 0).then(|| Duration::from_secs_f64(seconds)),
                memory: watch.memory.filter(|_| last > 0),
                interrupt: &calm,
                progress: watch.progress,
            };
            match self.bounds(forward, last, top, &quiet) {
                Ok((bounds, pairs)) => return self.halted(game, forward, reason, bounds, &pairs),
                // Too much was expected of what is left: fewer plies are enough for bounds.
                Err(Trouble::Limit(_)) if last > 0 => last -= last.div_ceil(4),
                Err(trouble) => return end(game, &*self.reader, trouble),
            }
            seconds = (seconds / 2.0).min(GRACE / 2.0);
        }
    }

    /// Bounds of the root and its pairs of moves, with the states of a ply as leaves.
    fn bounds(
        &mut self,
        forward: &Forward,
        last: usize,
        top: u32,
        watch: &Watch<'_>,
    ) -> Result<((exact::Ratio, exact::Ratio), Vec<PairValue>), Trouble> {
        let scales =
            Scales::exact(&forward.counts, last, top).unwrap_or_else(|| Scales::bounds(last, top));
        let (lower, _, low_pairs) = self.backward(&scales, last, Leaf::Worthless, watch)?;
        let (_, upper, high_pairs) = self.backward(&scales, last, Leaf::Won, watch)?;
        let pairs = low_pairs.into_iter().zip(high_pairs);
        let pairs = pairs.map(|(low, high)| PairValue { upper: high.upper, ..low }).collect();
        Ok(((lower, upper), pairs))
    }

    /// Seconds that bounds may take.
    fn seconds(&self, watch: &Watch<'_>) -> f64 {
        let elapsed = watch.started.elapsed().as_secs_f64();
        let left = watch.time.map_or(f64::MAX, |limit| limit.as_secs_f64() - elapsed);
        if watch.interrupted() { GRACE } else { left.clamp(GRACE, MOST_SECONDS) }
    }

    /// The deepest ply from which two backward passes fit in what is left of the time.
    fn leaf_ply(&self, forward: &Forward, watch: &Watch<'_>) -> usize {
        let elapsed = watch.started.elapsed().as_secs_f64();
        let seconds = self.seconds(watch);
        let resumed = self.backend.resumed().len();
        let done: u64 = forward.counts.iter().skip(resumed).map(work).sum();
        // Nothing was measured where all was resumed; little is then taken for granted.
        let done = done.max(LEAST_SPEED * elapsed.ceil() as u64);
        let budget = done as f64 / elapsed.max(1e-3) * BACKWARD_SPEED * seconds / 2.0;
        let mut sum = 0;
        let newest = self.backend.plies() - 1;
        let fits = |ply: &PlyCounts| {
            sum += work(ply);
            sum as f64 <= budget
        };
        forward.counts.iter().take(newest).map(fits).take_while(|&fits| fits).count()
    }

    fn halted(
        &self,
        game: &Game,
        forward: &Forward,
        reason: HaltReason,
        (lower, upper): (exact::Ratio, exact::Ratio),
        pairs: &[PairValue],
    ) -> Ended {
        let first = self.first_moves(game, pairs);
        let mut counts = self.counts(forward);
        if reason != HaltReason::Approximate {
            (counts.states, counts.decision_states) = (None, None);
        }
        Ended::Stop(Stop::Halted(Box::new(Halt {
            advice: advice(&reason),
            reason,
            lower,
            upper,
            choosers: first.choosers.clone(),
            moves: first.bounded(),
            counts,
            estimate: None,
        })))
    }
}

/// What valuing a ply costs, in states and edges.
fn work(ply: &PlyCounts) -> u64 {
    ply.states + ply.folded + ply.edges
}

/// A halt because the chance moves of a ply have no common denominator of 128 bits.
fn too_wide(mut ended: Ended) -> Ended {
    if let Ended::Stop(Stop::Halted(halt)) = &mut ended {
        halt.advice = "states of one ply have so many different numbers of chance moves that \
                       their common denominator exceeds 128 bits; `--engine search` has no such \
                       limit"
            .to_owned();
    }
    ended
}

/// What the user can do for an exact answer.
pub(super) fn advice(reason: &HaltReason) -> String {
    match reason {
        HaltReason::Time => "give more `--time`, or bound the play with `--horizon`".to_owned(),
        HaltReason::Memory { needed } => format!(
            "give `--memory` more than {} MiB, or bound the play with `--horizon`",
            needed.div_ceil(1 << 20)
        ),
        HaltReason::Interrupt => "let it run to the end".to_owned(),
        HaltReason::Recurrence => "use `--engine sweep`, or give a `--horizon`".to_owned(),
        HaltReason::Depth => "a play is too long to be followed; give a `--horizon`".to_owned(),
        HaltReason::Approximate | HaltReason::Precision => {
            "leave `--approximate` and `--width` out for the exact fraction".to_owned()
        }
        HaltReason::LongFraction => {
            "a play can return to a state: `--width 1e-15` narrows the bounds, `--horizon` asks for \
             the odds within so many steps"
                .to_owned()
        }
    }
}
