//! Exact values of one strongly connected part, by improving policies.
//!
//! The asked role's policy is improved only where another move is strictly better, against a best
//! response of its opponents; the response is improved only where another reply is strictly
//! smaller, or where they can keep the play in the part for ever, which is worth nothing to the
//! asked role. Under two policies the part is a Markov chain, whose equations are solved exactly
//! ([`chain`]).
//!
//! The values at the end are the game's: what a policy of the asked role achieves is a lower
//! bound, and where no move is better it is a fixed point of the one-step equations, of which the
//! game's value is the least. Improvements never lower a value: in a class of states that the new
//! chain never leaves no state can have been improved. A set in which opponents can stay without
//! loss is sought after each response ([`Solver::trap`]); without that the equations have
//! solutions above the value. Sources: Hoffman and Karp, *On nonterminating stochastic games*
//! (1966); Condon, *The complexity of stochastic games* (1992).
//!
//! Each improvement costs a chain of the part's size; few are needed, since policies start from
//! values that were iterated in fixed point.

use exact::Ratio;

use super::chain::{self, Row};
use super::choices::Choices;
use crate::backend::Trouble;

/// A state outside of the part.
const OUTSIDE: u32 = u32::MAX;

/// Works on one part after the other.
pub(super) struct Solver<'a> {
    choices: &'a Choices,
    /// Values of all states; those of parts that are done are exact.
    values: Vec<Ratio>,
    /// Each state's place in the part in work.
    places: Vec<u32>,
}

/// The policies on a part, by place.
struct Policies {
    /// The asked role's moves.
    moves: Vec<u32>,
    /// The opponents' replies to them.
    replies: Vec<u32>,
}

impl<'a> Solver<'a> {
    /// A solver that knows no value yet.
    pub(super) fn new(choices: &'a Choices) -> Self {
        let states = choices.states();
        Self { choices, values: vec![Ratio::zero(); states], places: vec![OUTSIDE; states] }
    }

    /// The values so far.
    pub(super) fn values(&self) -> &[Ratio] {
        &self.values
    }

    /// Values a state that is terminal or cannot return to itself.
    pub(super) fn single(&mut self, state: u32, top: u32) {
        self.values[state as usize] = match self.choices.payoff(state) {
            Some(payoff) => Ratio::new(payoff, top),
            None => self.choices.fold(state, |reply| self.mean(reply)),
        };
    }

    /// Values a part whose children's values stand, starting from an estimate of all values.
    ///
    /// # Errors
    /// What `proceed` returns; it is asked before each chain.
    pub(super) fn part(
        &mut self,
        part: &[u32],
        estimate: &[u64],
        proceed: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        for (place, &state) in part.iter().enumerate() {
            debug_assert!(self.choices.payoff(state).is_none(), "a part has no terminal state");
            self.places[state as usize] = place as u32;
        }
        let mut policies = self.start(part, estimate);
        loop {
            self.respond(part, &mut policies, proceed)?;
            if !self.improve(part, &mut policies) {
                break;
            }
        }
        part.iter().for_each(|&state| self.places[state as usize] = OUTSIDE);
        Ok(())
    }

    /// Policies that are best for the estimate.
    fn start(&self, part: &[u32], estimate: &[u64]) -> Policies {
        let mean = |reply: u32| -> u128 {
            let outcomes = self.choices.outcomes(reply);
            let parts = outcomes.iter();
            let sum: u128 = parts
                .map(|(child, weight)| u128::from(weight) * u128::from(estimate[child as usize]))
                .sum();
            sum / u128::from(outcomes.total)
        };
        let smallest = |choice: u32| {
            let replies = self.choices.replies(choice).map(|reply| (mean(reply), reply));
            replies.min().expect("a reply")
        };
        let best = |&state: &u32| {
            let moves = self.choices.moves(state).map(|choice| (smallest(choice), choice));
            let ((_, reply), choice) = moves.max_by_key(|(low, _)| low.0).expect("a move");
            (choice, reply)
        };
        let (moves, replies) = part.iter().map(best).unzip();
        Policies { moves, replies }
    }

    /// The mean behind a reply.
    fn mean(&self, reply: u32) -> Ratio {
        let outcomes = self.choices.outcomes(reply);
        let parts = outcomes
            .iter()
            .map(|(child, weight)| self.values[child as usize].times(u64::from(weight)));
        let sum = parts.fold(Ratio::zero(), |sum, part| sum + part);
        sum / Ratio::new(outcomes.total, 1u8)
    }

    /// The smallest reply to a move, with its mean.
    fn smallest(&self, choice: u32) -> (Ratio, u32) {
        let replies = self.choices.replies(choice).map(|reply| (self.mean(reply), reply));
        replies.min().expect("a reply")
    }

    /// The opponents' best response to the asked role's policy, and the values under both.
    fn respond(
        &mut self,
        part: &[u32],
        policies: &mut Policies,
        proceed: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        loop {
            proceed()?;
            self.evaluate(part, policies);
            if self.lower(part, policies) {
                continue;
            }
            let trap = self.trap(part, policies);
            if trap.iter().all(Option::is_none) {
                return Ok(());
            }
            for (reply, stay) in policies.replies.iter_mut().zip(&trap) {
                *reply = stay.unwrap_or(*reply);
            }
        }
    }

    /// Changes replies where a strictly smaller one is found.
    fn lower(&self, part: &[u32], policies: &mut Policies) -> bool {
        let mut changed = false;
        for (place, &state) in part.iter().enumerate() {
            let (low, reply) = self.smallest(policies.moves[place]);
            debug_assert!(low <= self.values[state as usize], "the reply in use is one of them");
            if low < self.values[state as usize] {
                policies.replies[place] = reply;
                changed = true;
            }
        }
        changed
    }

    /// Changes moves where a strictly better one is found.
    fn improve(&self, part: &[u32], policies: &mut Policies) -> bool {
        let mut changed = false;
        for (place, &state) in part.iter().enumerate() {
            let moves = self.choices.moves(state).map(|choice| (self.smallest(choice), choice));
            let ((value, reply), choice) = moves.max().expect("a move");
            if value > self.values[state as usize] {
                (policies.moves[place], policies.replies[place]) = (choice, reply);
                changed = true;
            }
        }
        changed
    }

    /// Replies without loss with which the opponents keep the play among states of positive value
    /// for ever, if there are such states: the largest set that is closed under them.
    fn trap(&self, part: &[u32], policies: &Policies) -> Vec<Option<u32>> {
        let tight = |place: usize, state: u32| -> Vec<u32> {
            let value = &self.values[state as usize];
            let replies = self.choices.replies(policies.moves[place]);
            replies.filter(|&reply| self.mean(reply) == *value).collect()
        };
        let candidates: Vec<Vec<u32>> =
            part.iter().enumerate().map(|(place, &state)| tight(place, state)).collect();
        let mut inside: Vec<bool> =
            part.iter().map(|&state| !self.values[state as usize].is_zero()).collect();
        loop {
            let stays = |reply: u32, inside: &[bool]| {
                self.choices.outcomes(reply).children.iter().all(|&child| {
                    let place = self.places[child as usize];
                    place != OUTSIDE && inside[place as usize]
                })
            };
            let keep: Vec<Option<u32>> = candidates
                .iter()
                .enumerate()
                .map(|(place, replies)| {
                    let kept = inside[place].then(|| replies.iter().find(|r| stays(**r, &inside)));
                    kept.flatten().copied()
                })
                .collect();
            let still: Vec<bool> = keep.iter().map(Option::is_some).collect();
            if still == inside {
                return keep;
            }
            inside = still;
        }
    }

    /// Values of the part under both policies: 0 where the chain never leaves it.
    fn evaluate(&mut self, part: &[u32], policies: &Policies) {
        let leaving = self.leaving(policies);
        let mut names = vec![OUTSIDE; part.len()];
        let mut rows = Vec::new();
        for (place, _) in leaving.iter().enumerate().filter(|(_, leaves)| **leaves) {
            names[place] = rows.len() as u32;
            rows.push(place);
        }
        let equations = rows.iter().map(|&place| self.row(policies.replies[place], &names));
        let solved = chain::solve(equations.collect());
        part.iter().for_each(|&state| self.values[state as usize] = Ratio::zero());
        for (place, value) in rows.into_iter().zip(solved) {
            assert!(value.is_probability(), "a mean of probabilities is one");
            self.values[part[place] as usize] = value;
        }
    }

    /// Which places reach the outside of the part under both policies.
    fn leaving(&self, policies: &Policies) -> Vec<bool> {
        let mut parents = vec![Vec::new(); policies.replies.len()];
        let mut leaving = vec![false; policies.replies.len()];
        let mut queue = Vec::new();
        for (place, &reply) in policies.replies.iter().enumerate() {
            for &child in self.choices.outcomes(reply).children {
                match self.places[child as usize] {
                    OUTSIDE => queue.push(place),
                    inside => parents[inside as usize].push(place),
                }
            }
        }
        while let Some(place) = queue.pop() {
            if !std::mem::replace(&mut leaving[place], true) {
                queue.extend(&parents[place]);
            }
        }
        leaving
    }

    /// The equation of a reply over the states that leave the part.
    fn row(&self, reply: u32, names: &[u32]) -> Row {
        let outcomes = self.choices.outcomes(reply);
        let mut row = Row { constant: Ratio::zero(), weights: Default::default() };
        for (child, weight) in outcomes.iter() {
            let share = Ratio::new(weight, outcomes.total);
            let place = self.places[child as usize];
            if place == OUTSIDE {
                row.constant = row.constant + share * &self.values[child as usize];
            } else if names[place as usize] != OUTSIDE {
                let entry =
                    row.weights.entry(names[place as usize] as usize).or_insert_with(Ratio::zero);
                *entry = &*entry + &share;
            }
        }
        row
    }
}
