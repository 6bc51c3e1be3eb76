//! Certified bounds of one strongly connected part, by iteration in fixed point.
//!
//! Values are whole numbers over 2^63. From below: starting from 0 and rounding down, every round
//! stays under the game's value, which is the least fixed point of the one-step equations. From
//! above: any values that one round, rounded up, does not raise anywhere are upper bounds, since
//! the least fixed point lies under each such pre-fixed point. Such values are *guessed*, a little
//! above the lower ones, and believed only when a round has shown them to be a pre-fixed point;
//! where both sides can pass for ever, states that only support each other then stand at the
//! guess, close to the lower bound, instead of at 1. So nothing rests on a stopping rule: a bad
//! guess costs rounds, never soundness. Sources: Park (1969) for the induction; Hartmanns and
//! Kaminski, *Optimistic value iteration* (2020), for guessing; Eisentraut, Křetínský and
//! others, *Stopping criteria for value iteration* (2018-2022), for end components.
//!
//! Rounds are in place, so that each goes at least as far as one from a copy; the argument for a
//! pre-fixed point holds in place too, because a state that was lowered later only lowers the
//! means that earlier states took.

use super::choices::{Choices, Outcomes};
use crate::backend::Trouble;

/// The fixed-point number that stands for 1.
pub(super) const ONE: u64 = 1 << 63;

/// States of a round between two looks at the limits: a round of a large part takes seconds.
const STATES_BETWEEN_CHECKS: usize = 1 << 14;

/// Rounds for which a guess is tried at least before the lower values are brought closer.
const TRIED_ROUNDS: u64 = 40;

/// Lower and upper values of all states.
pub(super) struct Brackets<'a> {
    choices: &'a Choices,
    lower: Vec<u64>,
    upper: Vec<u64>,
}

impl<'a> Brackets<'a> {
    /// Nothing is known of any state.
    pub(super) fn new(choices: &'a Choices) -> Self {
        let states = choices.states();
        Self { choices, lower: vec![0; states], upper: vec![ONE; states] }
    }

    /// Lower values.
    pub(super) fn lower(&self) -> &[u64] {
        &self.lower
    }

    /// The bracket of a state.
    pub(super) fn of(&self, state: u32) -> (u64, u64) {
        (self.lower[state as usize], self.upper[state as usize])
    }

    /// Brackets a state that is terminal or cannot return to itself, or narrows any state's.
    pub(super) fn single(&mut self, state: u32, top: u32) {
        let at = state as usize;
        (self.lower[at], self.upper[at]) = match self.choices.payoff(state) {
            Some(payoff) => exact::Bounds::fraction(payoff.into(), top.into()).raw(),
            None => (
                self.lower[at].max(self.choices.fold(state, |reply| self.floor(reply))),
                self.upper[at].min(self.choices.fold(state, |reply| self.ceiling(reply))),
            ),
        };
        assert!(self.lower[at] <= self.upper[at], "bounds in order");
    }

    /// Takes over what is known exactly.
    pub(super) fn know(&mut self, state: u32, value: &exact::Ratio) {
        let (lower, upper) = exact::Bounds::exact(value).raw();
        let at = state as usize;
        assert!(self.lower[at] <= lower && upper <= self.upper[at], "a value inside its bracket");
        (self.lower[at], self.upper[at]) = (lower, upper);
    }

    fn floor(&self, reply: u32) -> u64 {
        let outcomes = self.choices.outcomes(reply);
        (weighted(&outcomes, &self.lower) / u128::from(outcomes.total)) as u64
    }

    fn ceiling(&self, reply: u32) -> u64 {
        let outcomes = self.choices.outcomes(reply);
        weighted(&outcomes, &self.upper).div_ceil(u128::from(outcomes.total)) as u64
    }

    /// Raises lower values until a round moves none by more than `still`.
    ///
    /// # Errors
    /// What `proceed` returns; it is asked many times a round. The values stay sound.
    fn raise(
        &mut self,
        part: &[u32],
        still: u64,
        proceed: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<u64, Trouble> {
        let mut rounds = 1;
        while self.raise_once(part, proceed)? > still {
            rounds += 1;
        }
        Ok(rounds)
    }

    /// Raises lower values for so many rounds at most.
    ///
    /// # Errors
    /// What `proceed` returns.
    pub(super) fn raise_for(
        &mut self,
        part: &[u32],
        rounds: u32,
        proceed: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        for _ in 0..rounds {
            if self.raise_once(part, proceed)? == 0 {
                break;
            }
        }
        Ok(())
    }

    fn raise_once(
        &mut self,
        part: &[u32],
        proceed: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<u64, Trouble> {
        let mut moved = 0;
        for states in part.chunks(STATES_BETWEEN_CHECKS) {
            proceed()?;
            for &state in states {
                let value = self.choices.fold(state, |reply| self.floor(reply));
                let old = std::mem::replace(&mut self.lower[state as usize], value);
                assert!(old <= value && value <= ONE, "rounds from below only rise");
                moved = moved.max(value - old);
            }
        }
        Ok(moved)
    }

    /// Brackets a part whose children are bracketed, to about `width` more than they are wide.
    ///
    /// # Errors
    /// What `proceed` returns; the bracket is sound then too.
    pub(super) fn part(
        &mut self,
        part: &[u32],
        width: u64,
        proceed: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let mut still = width / 2;
        let mut gap = self.entry_width(part).saturating_add(width).max(4);
        let mut rounds = 0;
        loop {
            rounds += self.raise(part, still, proceed)?;
            // A slow part needs as many rounds from above as it needed from below.
            if self.certify(part, gap, rounds.max(TRIED_ROUNDS), proceed)? {
                return self.sink(part, still.min(width / 4), proceed);
            }
            if still == 0 {
                gap = gap.saturating_mul(2);
            }
            still /= 8;
        }
    }

    /// The widest bracket among states outside of the part that it leads to.
    fn entry_width(&self, part: &[u32]) -> u64 {
        let children = part.iter().flat_map(|&state| self.choices.children(state));
        let known = children.map(|&child| self.of(child)).filter(|of| *of != (0, ONE));
        known.map(|(lower, upper)| upper - lower).max().unwrap_or(0)
    }

    /// Guesses upper values `gap` above the lower ones and tries to show that they are a pre-fixed
    /// point; on failure nothing is known from above.
    fn certify(
        &mut self,
        part: &[u32],
        gap: u64,
        rounds: u64,
        proceed: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<bool, Trouble> {
        for &state in part {
            let guess = self.lower[state as usize].saturating_add(gap).min(ONE);
            self.upper[state as usize] = guess;
        }
        let mut shown = Ok(false);
        for _ in 0..rounds {
            shown = self.lower_once(part, proceed).map(|(sank, _)| sank);
            if shown != Ok(false) {
                break;
            }
        }
        if shown != Ok(true) {
            part.iter().for_each(|&state| self.upper[state as usize] = ONE);
        }
        shown
    }

    /// Lowers shown upper values until a round moves none by more than `still`.
    fn sink(
        &mut self,
        part: &[u32],
        still: u64,
        proceed: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        loop {
            let (sank, moved) = self.lower_once(part, proceed)?;
            assert!(sank, "a pre-fixed point stays one");
            if moved <= still {
                break;
            }
        }
        let ordered = |&state: &u32| self.lower[state as usize] <= self.upper[state as usize];
        assert!(part.iter().all(ordered), "bounds in order");
        Ok(())
    }

    /// One round from above, sound where it is left early after a round that sank: whether it raised
    /// nothing, and how far it moved values.
    fn lower_once(
        &mut self,
        part: &[u32],
        proceed: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<(bool, u64), Trouble> {
        let (mut sank, mut moved) = (true, 0);
        for states in part.chunks(STATES_BETWEEN_CHECKS) {
            proceed()?;
            for &state in states {
                let value = self.choices.fold(state, |reply| self.ceiling(reply)).min(ONE);
                let old = std::mem::replace(&mut self.upper[state as usize], value);
                sank &= value <= old;
                moved = moved.max(old.abs_diff(value));
            }
        }
        Ok((sank, moved))
    }
}

#[inline]
fn weighted(outcomes: &Outcomes<'_>, values: &[u64]) -> u128 {
    let parts = outcomes.iter();
    parts.map(|(child, weight)| u128::from(weight) * u128::from(values[child as usize])).sum()
}
