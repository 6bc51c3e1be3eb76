//! The guess at one state that is not terminal.
//!
//! Always: in [0, 1], a function of the state (and of the seed and the steps left where plays are
//! rolled out), whatever was asked before. Goal values and plays are read off the network directly;
//! the flaws of states that only a rollout meets are faults of the game like all others.

use std::sync::Arc;

use kernel::{Flaw, Isa, Machine, Rollouts};
use net::random::Random;
use rustc_hash::FxHashSet;

use super::super::opened::{Opened, Opener};
use super::super::table::Position;
use super::super::together::Ahead;
use super::{Evaluator, Guess, ONE};
use crate::backend::Trouble;
use crate::game::{Game, top_payment};

/// Words of lanes of rollouts: 64 plays a state.
const ROLLOUT_WORDS: usize = 1;
/// Steps after which a rollout is given up, and counts one half.
const ROLLOUT_STEPS: u32 = 2000;
/// Steps that mobility looks ahead until both sides have chosen.
const MOBILITY_STEPS: usize = 4;
/// States of each of these steps that it looks at.
const MOBILITY_STATES: usize = 64;
/// What is guessed where nothing tells.
const HALF: Guess = ONE / 2;

/// Judges leaves.
pub(super) enum Leaves {
    /// By goal values.
    Goal(Box<GoalLeaves>),
    /// By legal moves.
    Mobility,
    /// By random plays.
    Rollout(Box<RolloutLeaves>),
}

impl Leaves {
    pub(super) fn new(evaluator: Evaluator, game: &Game, seed: u64) -> Self {
        let isa = Isa::detect();
        match evaluator {
            Evaluator::Goal => Self::Goal(Box::new(GoalLeaves {
                machine: Machine::new(Arc::clone(&game.net), isa, 1),
                asked: game.casting.asked,
            })),
            Evaluator::Mobility => Self::Mobility,
            Evaluator::Rollout => Self::Rollout(Box::new(RolloutLeaves {
                rollouts: Rollouts::new(&game.net, isa, ROLLOUT_WORDS),
                asked: game.casting.asked,
                payoffs: game.casting.payoffs,
                top: top_payment(&game.casting),
                seed,
            })),
        }
    }

    /// The guess at a position that is not terminal and has steps left.
    ///
    /// # Errors
    /// On a flaw of a state that is met.
    pub(super) fn value(
        &mut self,
        opener: &mut Opener<'_>,
        position: &Position,
    ) -> Result<Guess, Trouble> {
        let value = match self {
            Self::Goal(leaves) => leaves.value(opener, position),
            Self::Mobility => mobility(opener, position)?,
            Self::Rollout(leaves) => leaves
                .value(opener, position)
                .map_err(|flaw| leaves.trouble(opener, position, flaw))?,
        };
        assert!(value <= ONE, "a guess at a value in [0, 1]");
        Ok(value)
    }
}

/// Reads goal values.
pub(super) struct GoalLeaves {
    machine: Machine,
    asked: gdl::RoleId,
}

impl GoalLeaves {
    fn value(&mut self, opener: &Opener<'_>, position: &Position) -> Guess {
        let state = opener.reader().unpack(&position.key).into_iter().collect();
        self.machine.load_all(&state);
        self.machine.look();
        let goals = self.machine.goals(self.asked);
        let mut held = goals.iter().filter(|(_, mask)| mask[0] & 1 == 1);
        match (held.next(), held.next()) {
            (Some((value, _)), None) => ONE * Guess::from(*value) / 100,
            _ => HALF,
        }
    }
}

/// Plays at random.
pub(super) struct RolloutLeaves {
    rollouts: Rollouts,
    asked: gdl::RoleId,
    payoffs: [u32; 101],
    top: u32,
    seed: u64,
}

impl RolloutLeaves {
    fn value(&mut self, opener: &Opener<'_>, position: &Position) -> Result<Guess, Flaw> {
        let state = opener.reader().unpack(&position.key).into_iter().collect();
        let steps = position.left.unwrap_or(ROLLOUT_STEPS).min(ROLLOUT_STEPS);
        let ends = self.rollouts.play(&state, self.asked, self.seed_of(position), steps)?;
        let paid = |(goal, plays): &(u8, u64)| {
            u128::from(*plays) * u128::from(self.payoffs[usize::from(*goal)])
        };
        let sum: u128 = ends.goals.iter().map(paid).sum();
        let finished = sum * u128::from(ONE) / u128::from(self.top);
        // What a horizon cuts off is worth nothing; what was merely given up may be anything.
        let given_up = position.left.is_none_or(|left| left > steps);
        let open = if given_up { ends.unfinished * HALF } else { 0 };
        Ok(((finished + u128::from(open)) / u128::from(ends.plays)) as Guess)
    }

    /// The flaw of a state that random play met; of one that cannot be packed, because it breaks a
    /// guess, it is told where play came from.
    fn trouble(&self, opener: &Opener<'_>, position: &Position, flaw: Flaw) -> Trouble {
        let state: Vec<_> = self.rollouts.state(flaw.lane).iter().collect();
        let key = opener.reader().pack(&state).unwrap_or_else(|| position.key.to_vec());
        Trouble::Flaw { key, kind: flaw.kind }
    }

    /// A seed of the position's own, so that its guess does not depend on what was asked before.
    fn seed_of(&self, position: &Position) -> u64 {
        let words = position.key.iter().copied().chain([u64::from(position.left.unwrap_or(0))]);
        words.fold(self.seed, |seed, word| Random::new(seed ^ word).bits())
    }
}

/// The asked role's share of the legal moves: its mean number of moves where it has a choice, out
/// of that and its opponents' mean number of joint moves where they have one, over the states that
/// are reached first; one half until both sides, or neither, have chosen.
fn mobility(opener: &mut Opener<'_>, position: &Position) -> Result<Guess, Trouble> {
    let mut sides = [Choices::default(); 2];
    let mut level = vec![position.key.clone()];
    for _ in 0..MOBILITY_STEPS {
        let mut next = Vec::new();
        let mut met = FxHashSet::default();
        for key in &level {
            let node = opener.open(key, &Ahead::steps(1))?;
            let (own, opposing) = moves_of(&node);
            sides[0].add(own);
            sides[1].add(opposing);
            let going = node.children.into_iter().filter(|child| child.ended.is_none());
            next.extend(going.map(|child| child.key).filter(|key| met.insert(key.clone())));
        }
        if next.is_empty() || sides.iter().all(|side| side.states > 0) {
            break;
        }
        next.truncate(MOBILITY_STATES);
        level = next;
    }
    Ok(share(sides[0], sides[1]))
}

/// Numbers of moves, over the states in which there are several.
#[derive(Clone, Copy, Default)]
struct Choices {
    moves: u64,
    states: u64,
}

impl Choices {
    fn add(&mut self, moves: usize) {
        if moves > 1 {
            self.moves += moves as u64;
            self.states += 1;
        }
    }
}

/// How many moves the asked role has, and joint moves the opponents.
fn moves_of(node: &Opened) -> (usize, usize) {
    let own = node.moves().count();
    (own, node.pairs.len() / own)
}

/// The first side's share of both means.
fn share(own: Choices, opposing: Choices) -> Guess {
    if own.states == 0 || opposing.states == 0 {
        return HALF;
    }
    // own.moves / own.states against opposing.moves / opposing.states.
    let first = u128::from(own.moves) * u128::from(opposing.states);
    let second = u128::from(opposing.moves) * u128::from(own.states);
    (first * u128::from(ONE) / (first + second)) as Guess
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_means_is_between_nothing_and_all() {
        let of = |moves, states| Choices { moves, states };
        assert_eq!(share(of(6, 2), of(3, 3)), ONE * 3 / 4);
        assert_eq!(share(of(0, 0), of(3, 1)), HALF);
        let mut choices = Choices::default();
        [1, 4, 1, 2].into_iter().for_each(|moves| choices.add(moves));
        assert_eq!((choices.moves, choices.states), (6, 2));
    }
}
