//! Games that come back: values of a graph of states with cycles, and no horizon.
//!
//! The value is the limit of the n-step values, the least fixed point of the one-step equations:
//! endless play is worth nothing. Strongly connected parts are worked on children first
//! ([`components`]). Where all parts are small and fractions stay short, each part's value is
//! exact, by improving policies over linear equations ([`policies`]); else, or where a width is
//! asked for, each is bracketed by certified bounds ([`iterate`]). No answer rests on iteration
//! that merely stopped moving.
//!
//! Costs 8 bytes an edge and about 16 a state beside the graph, then 16 a state for bounds or a
//! fraction a state.

mod chain;
mod choices;
mod components;
mod iterate;
mod policies;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use exact::Ratio;
use verdict::{HaltReason, Watch};

pub(super) use choices::Choices;

use crate::Options;
use crate::backend::Trouble;
use crate::limits::Limits;
use components::Components;
use iterate::{Brackets, ONE};
use policies::Solver;

/// States of a strongly connected part up to which it is solved exactly.
const EXACT_STATES: usize = 200;
/// Bits of a denominator up to which fractions are computed.
const EXACT_BITS: usize = 1 << 16;
/// Rounds of iteration from which policies start.
const ESTIMATE_ROUNDS: u32 = 64;
/// Share of the time limit for values; the rest is for what a limit leaves to do.
const VALUES_SHARE: f64 = 0.95;
/// Time in which bounds are carried to the root after an interrupt.
const GRACE: Duration = Duration::from_millis(200);
/// States that are bounded between two looks at the clock.
const STATES_BETWEEN_CHECKS: usize = 1 << 14;
/// The width where none is asked for, in units of 2^-63: about 1e-9.
const DEFAULT_WIDTH: u64 = ONE / 1_000_000_000;

/// Values of all states.
pub(super) enum Values {
    /// Fractions.
    Exact(Vec<Ratio>),
    /// Brackets in units of 2^-63, and why they are not fractions.
    Bounds(Vec<(u64, u64)>, HaltReason),
}

impl Values {
    /// The bounds of a state's value.
    pub(super) fn of(&self, state: u32) -> (Ratio, Ratio) {
        match self {
            Self::Exact(values) => (values[state as usize].clone(), values[state as usize].clone()),
            Self::Bounds(brackets, _) => {
                let (lower, upper) = brackets[state as usize];
                (Ratio::new(lower, ONE), Ratio::new(upper, ONE))
            }
        }
    }
}

/// What a solve is bound by.
pub(super) struct Frame<'a> {
    /// The largest payment: what a value of 1 is.
    pub(super) top: u32,
    pub(super) options: &'a Options,
    pub(super) limits: Limits,
    pub(super) watch: &'a Watch<'a>,
    /// Bytes that the graph holds.
    pub(super) held: u64,
}

/// The values of all states: fractions, or bounds.
pub(super) fn values(choices: &Choices, frame: &Frame<'_>) -> Values {
    let held = 24 * choices.states() as u64;
    let components = match Components::new(choices, &mut || proceed(frame, held)) {
        Ok(components) => components,
        Err(Trouble::Limit(reason)) => {
            let nothing = vec![(0, ONE); choices.states()];
            return Values::Bounds(nothing, reason);
        }
        Err(other) => unreachable!("only a limit stops the pass: {other:?}"),
    };
    let asked = frame.options.width.is_some() || frame.options.approximate;
    let small = components.largest() <= EXACT_STATES;
    if small
        && !asked
        && let Some(values) = exact(choices, &components, frame)
    {
        return values;
    }
    bounds(choices, &components, frame)
}

/// Whether a limit is met.
fn proceed(frame: &Frame<'_>, extra: u64) -> Result<(), Trouble> {
    frame.limits.check(frame.watch, frame.held + extra, VALUES_SHARE)
}

/// Whether a state can return to itself.
fn returns(choices: &Choices, part: &[u32]) -> bool {
    part.len() > 1
        || choices.payoff(part[0]).is_none() && choices.children(part[0]).contains(&part[0])
}

/// Fractions, unless they get long or a limit is met.
fn exact(choices: &Choices, components: &Components, frame: &Frame<'_>) -> Option<Values> {
    let mut brackets = Brackets::new(choices);
    let mut solver = Solver::new(choices);
    let fixed = 64 * choices.states() as u64;
    let mut long = 0u64;
    for part in components.iter() {
        let extra = fixed + long / 4;
        proceed(frame, extra).ok()?;
        if returns(choices, part) {
            let mut proceed = || proceed(frame, extra);
            brackets.raise_for(part, ESTIMATE_ROUNDS, &mut proceed).ok()?;
            solver.part(part, brackets.lower(), &mut proceed).ok()?;
        } else {
            solver.single(part[0], frame.top);
        }
        for &state in part {
            let value = &solver.values()[state as usize];
            let bits = exact::limbs(value.denominator()) * 64;
            if bits > EXACT_BITS {
                return None;
            }
            long += bits as u64;
            brackets.know(state, value);
        }
    }
    Some(Values::Exact(solver.values().to_vec()))
}

/// Bounds, as narrow as asked for or as a limit lets them get.
fn bounds(choices: &Choices, components: &Components, frame: &Frame<'_>) -> Values {
    let asked = frame.options.width.unwrap_or(DEFAULT_WIDTH);
    let mut width = (asked / 4 / depth(choices, components).max(1)).max(1);
    let extra = 32 * choices.states() as u64;
    let (mut limit, mut late) = (None, None);
    let mut before = vec![(0, ONE); choices.states()];
    loop {
        let mut brackets = Brackets::new(choices);
        for part in components.iter() {
            if limit.is_none() {
                limit = proceed(frame, extra).err().map(limit_of);
            }
            if limit.is_none() && returns(choices, part) {
                match brackets.part(part, width, &mut || proceed(frame, extra)) {
                    Ok(()) => continue,
                    Err(trouble) => limit = Some(limit_of(trouble)),
                }
            }
            // What follows a limit is carried to the root as long as there is time, and where there
            // is none stays at what is always true.
            let late = limit.is_some().then(|| *late.get_or_insert_with(|| deadline(frame)));
            for states in part.chunks(STATES_BETWEEN_CHECKS) {
                if late.is_some_and(|late| Instant::now() > late) {
                    break;
                }
                states.iter().for_each(|&state| brackets.single(state, frame.top));
            }
        }
        for (known, state) in before.iter_mut().zip(0..) {
            let (lower, upper) = brackets.of(state);
            *known = (known.0.max(lower), known.1.min(upper));
            assert!(known.0 <= known.1, "sound bounds of one value meet");
        }
        let (lower, upper) = before[0];
        // Widths add up over the parts of a play; where they add up to more than was foreseen,
        // each part gets less.
        let narrow = upper - lower <= asked;
        if narrow || width == 1 || limit.is_some() {
            return Values::Bounds(before, reason(frame.options, narrow, limit));
        }
        width = (width / 16).max(1);
    }
}

/// The limit that stopped some work.
fn limit_of(trouble: Trouble) -> HaltReason {
    match trouble {
        Trouble::Limit(reason) => reason,
        other => unreachable!("only a limit stops iteration: {other:?}"),
    }
}

/// Until when bounds are carried to the root after a limit.
fn deadline(frame: &Frame<'_>) -> Instant {
    let whole = frame.watch.time.map(|time| frame.watch.started + time);
    let grace = Instant::now() + GRACE;
    whole.filter(|_| !frame.watch.interrupted()).map_or(grace, |whole| whole.max(Instant::now()))
}

/// Why there are bounds and no fraction.
fn reason(options: &Options, narrow: bool, limit: Option<HaltReason>) -> HaltReason {
    let asked = options.width.is_some() || options.approximate;
    match limit {
        Some(limit) => limit,
        None if !asked => HaltReason::LongFraction,
        None if narrow => HaltReason::Approximate,
        None => HaltReason::Precision,
    }
}

/// The largest number of parts that return on one play.
fn depth(choices: &Choices, components: &Components) -> u64 {
    let mut depths = vec![0u32; choices.states()];
    let mut deepest = 0;
    for part in components.iter() {
        let children = part.iter().flat_map(|&state| match choices.payoff(state) {
            Some(_) => &[],
            None => choices.children(state),
        });
        let below = children.map(|&child| depths[child as usize]).max().unwrap_or(0);
        let depth = below + u32::from(returns(choices, part));
        part.iter().for_each(|&state| depths[state as usize] = depth);
        deepest = deepest.max(depth);
    }
    deepest.into()
}
