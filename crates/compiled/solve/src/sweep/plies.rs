//! The sweep by plies: the driver over a [`SweepBackend`].
//!
//! Forward until a ply is empty or the horizon is reached; then values backward. A backward pass
//! that will be done by the end of the time, as far as it tells of itself, may take all of it. A
//! limit that is met on the way ends in bounds ([`super::halting`]).
//!
//! Always: `lower <= value <= upper`; an exact answer comes only from a complete pass.

use std::time::{Duration, Instant};

use exact::Ratio;
use kernel::Expander;
use verdict::{Counts, Halt, HaltReason, Progress, Stop, Verdict, Watch};

use super::estimate::{self, Estimate};
use super::scale::Scales;
use super::{Ended, end, plan};
use crate::Options;
use crate::backend::{Leaf, PlyCounts, SweepBackend, Trouble};
use crate::first_moves::{FirstMoves, PairValue, root_bounds};
use crate::game::{Game, top_payment};
use crate::limits::BACKWARD_SHARE;

/// Seconds that bounds may take after an interrupt, or where the time is up.
pub(super) const GRACE: f64 = 0.4;

/// One run of the sweep by plies.
pub(super) struct Run {
    /// Reads keys; a fork of the backend's expander.
    pub(super) reader: Box<dyn Expander>,
    pub(super) backend: Box<dyn SweepBackend>,
    /// Whether plies are disjoint, because states determine them.
    pub(super) disjoint: bool,
    pub(super) horizon: Option<u32>,
}

/// What a backward pass found: bounds of the root and of its pairs of moves.
pub(super) struct Passed {
    pub(super) lower: Ratio,
    pub(super) upper: Ratio,
    pub(super) pairs: Vec<PairValue>,
}

impl Passed {
    /// What both know.
    pub(super) fn meet(&mut self, other: &Self) {
        fn tighten(low: &mut Ratio, high: &mut Ratio, other: (&Ratio, &Ratio)) {
            if other.0 > low {
                *low = other.0.clone();
            }
            if other.1 < high {
                *high = other.1.clone();
            }
            assert!(low <= high, "sound bounds of one value meet");
        }
        tighten(&mut self.lower, &mut self.upper, (&other.lower, &other.upper));
        // The root of a pass that does not go beyond it has no pairs.
        for (pair, other) in self.pairs.iter_mut().zip(&other.pairs) {
            assert!((pair.asked, pair.opponents) == (other.asked, other.opponents), "one root");
            tighten(&mut pair.lower, &mut pair.upper, (&other.lower, &other.upper));
        }
    }
}

/// Limits under which the whole time may be taken, if a pass that takes so long from here is done
/// by its end: nothing needs to follow then.
pub(super) fn whole_time<'a>(watch: &Watch<'a>, left: Option<Duration>) -> Option<Watch<'a>> {
    let (left, time) = left.zip(watch.time)?;
    let in_time = watch.started.elapsed() + left <= time;
    let longer = Duration::try_from_secs_f64(time.as_secs_f64() / BACKWARD_SHARE);
    in_time.then(|| Watch { time: Some(longer.unwrap_or(Duration::MAX)), ..*watch })
}

/// What the forward pass came to.
pub(super) struct Forward {
    /// One a ply that was expanded, then the newest ply's where it was inspected.
    pub(super) counts: Vec<PlyCounts>,
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
        if approximate && !self.backend.has_bounds() {
            return Err(Ended::Stop(plan::no_denominator(self.backend.name())));
        }
        let scales = exact.unwrap_or_else(|| Scales::bounds(last, top));
        self.backend.keep_values(true);
        let backward = self.backward(&scales, last, Leaf::Worthless, watch);
        self.backend.keep_values(false);
        match backward {
            Ok(passed) => {
                if approximate {
                    let ended = self.halted(game, &forward, HaltReason::Approximate, passed);
                    return Err(if options.approximate { ended } else { too_wide(ended) });
                }
                self.verdict(game, &forward, passed, watch)
            }
            Err(Trouble::Limit(reason)) => Err(self.halt(game, &forward, reason, watch)),
            Err(trouble) => Err(end(game, &*self.reader, trouble)),
        }
    }

    pub(super) fn forward(&mut self, watch: &Watch<'_>) -> Result<Forward, Trouble> {
        let resumed = self.backend.resumed().to_vec();
        let mut done: u32 = resumed.iter().map(|ply| ply.steps).sum();
        let mut forward = Forward { counts: resumed, at_horizon: false, limit: None };
        let mut estimate = Estimate::new();
        // Games of many thousand plies: nothing is summed over all of them at each.
        let mut before: u64 = forward.counts.iter().map(|ply| ply.states + ply.folded).sum();
        loop {
            let newest = self.backend.plies() - 1;
            if self.backend.states(newest) == 0 {
                break;
            }
            let left = self.horizon.map_or(u32::MAX, |steps| steps - done);
            forward.at_horizon = left == 0;
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
                    let next = self.backend.states(self.backend.plies() - 1);
                    estimate.expanded(self.backend.states(newest), next);
                    before += counts.states + counts.folded;
                    forward.counts.push(counts);
                }
                Err(Trouble::Limit(reason)) => forward.limit = Some(reason),
                Err(trouble) => return Err(trouble),
            }
            self.report(watch, "forward", (newest, None), before, estimate.left());
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
        states: u64,
        left: Option<Duration>,
    ) {
        (watch.progress)(&Progress {
            phase,
            ply: ply as u32,
            plies: plies.map(|plies| plies as u32),
            states,
            bytes: self.backend.bytes(),
            disk: self.backend.disk_bytes(),
            left,
        });
    }

    /// Backs up all plies from `last`; the root's bounds and those of its pairs of moves.
    pub(super) fn backward(
        &mut self,
        scales: &Scales,
        last: usize,
        leaf: Leaf,
        watch: &Watch<'_>,
    ) -> Result<Passed, Trouble> {
        let mut pairs = Vec::new();
        let done = self.backend.valued().unwrap_or(last + 1);
        let states: Vec<u64> = (0..done).map(|ply| self.backend.states(ply)).collect();
        let (begun, all) = (Instant::now(), states.iter().sum::<u64>());
        let mut rest = all;
        for ply in (0..=last).rev().filter(|ply| *ply < done) {
            let leaf = if ply == last { leaf } else { Leaf::Expanded };
            if ply == 0 && last > 0 {
                pairs = self.root_pairs(scales)?;
            }
            let left = estimate::scaled(begun.elapsed(), all - rest, rest);
            let whole = whole_time(watch, left);
            let watch = whole.as_ref().unwrap_or(watch);
            self.backend.back_up(ply, leaf, &scales.plies[ply], watch)?;
            rest -= states[ply];
            let left = estimate::scaled(begun.elapsed(), all - rest, rest);
            self.report(watch, "backward", (last - ply, Some(last)), 0, left);
        }
        let root = self.backend.root_value().expect("ply 0 was backed up last");
        let (lower, upper) = scales.ratios(0, &root);
        if !pairs.is_empty() && !scales.plies[0].bounds {
            assert_eq!(root_bounds(&pairs).0, lower, "the root is the best of its moves");
        }
        Ok(Passed { lower, upper, pairs })
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
            apart: None,
            translation: None,
        }
    }

    fn verdict(
        &mut self,
        game: &mut Game,
        forward: &Forward,
        passed: Passed,
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
        let first = self.first_moves(game, &passed.pairs);
        let unfinished = |ply: &PlyCounts| ply.states > ply.terminal;
        Ok(Verdict {
            value: passed.lower,
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

    pub(super) fn halted(
        &self,
        game: &Game,
        forward: &Forward,
        reason: HaltReason,
        Passed { lower, upper, pairs }: Passed,
    ) -> Ended {
        let first = self.first_moves(game, &pairs);
        let mut counts = self.counts(forward);
        if reason != HaltReason::Approximate {
            (counts.states, counts.decision_states) = (None, None);
        }
        Ended::Stop(Stop::Halted(Box::new(Halt {
            advice: self.backend.advice(&reason).unwrap_or_else(|| advice(&reason)),
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
pub(crate) fn advice(reason: &HaltReason) -> String {
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
