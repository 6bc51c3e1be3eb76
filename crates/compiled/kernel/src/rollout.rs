//! Random plays from one state to the end, many side by side.
//!
//! Every lane plays its own uniformly random legal moves until its game ends, and then waits for
//! the others. Deterministic from the seed, under every instruction set. Cost: the network once a
//! step for all lanes.

use std::sync::Arc;

use gdl::RoleId;
use index::IndexVec;
use net::{Net, State};

use crate::expand::{Flaw, FlawKind, Mask};
use crate::frame::{any, both, count, first_lane, without};
use crate::isa::Isa;
use crate::machine::Machine;
use crate::select::Selector;
use crate::stream::Stream;

/// How the plays from one state ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolloutEnds {
    /// Goal values of the role asked about, with the number of plays that ended in each.
    pub goals: Vec<(u8, u64)>,
    /// Plays that reached no end within the steps allowed.
    pub unfinished: u64,
    /// All plays.
    pub plays: u64,
}

/// Plays from states, a play in each lane.
pub struct Rollouts {
    machine: Machine,
    selectors: IndexVec<RoleId, Selector>,
}

impl Rollouts {
    /// Plays in `64 * words` lanes.
    ///
    /// # Panics
    /// Unless `words` is 1, 2, 4, 8 or 16.
    pub fn new(net: &Arc<Net>, isa: Isa, words: usize) -> Self {
        let machine = Machine::new(net.clone(), isa, words);
        let selectors = net.roles.ids().map(|role| machine.selector(role)).collect();
        Self { machine, selectors }
    }

    /// Plays from a state for so many steps at most, and counts a role's goal values at the ends.
    ///
    /// # Errors
    /// When in a state that is met some role has no legal move, or at an end the role asked about
    /// has several goal values.
    pub fn play(
        &mut self,
        state: &State,
        role: RoleId,
        seed: u64,
        steps: u32,
    ) -> Result<RolloutEnds, Flaw> {
        let mut stream = Stream::new(seed);
        self.machine.load_all(state);
        let mut live = self.machine.all_lanes();
        let plays = count(&live);
        let mut sums = [0u64; 101];
        for step in 0..=steps {
            self.machine.look();
            let ended = both(&self.machine.terminal(), &live);
            self.settle(role, &ended, &mut sums)?;
            live = without(&live, &ended);
            if !any(&live) || step == steps {
                break;
            }
            self.choose(&live, &mut stream)?;
            self.machine.advance();
        }
        let goals = (0..=100).filter(|&value| sums[usize::from(value)] > 0);
        let goals = goals.map(|value| (value, sums[usize::from(value)])).collect();
        Ok(RolloutEnds { goals, unfinished: count(&live), plays })
    }

    /// The state that a lane is in: after a flaw, that of its lane is the flawed one.
    ///
    /// # Panics
    /// When there is no such lane.
    pub fn state(&self, lane: usize) -> State {
        self.machine.state(lane)
    }

    /// Counts the goal values of the lanes that have just ended.
    fn settle(&self, role: RoleId, ended: &Mask, sums: &mut [u64; 101]) -> Result<(), Flaw> {
        let mut left = *ended;
        for (value, mask) in self.machine.goals(role) {
            let paid = both(&mask, ended);
            if let Some(lane) = first_lane(&without(&paid, &left)) {
                let held = |(value, mask): (u8, Mask)| {
                    (mask[lane / 64] >> (lane % 64) & 1 == 1).then_some(value)
                };
                let values = self.machine.goals(role).into_iter().filter_map(held).collect();
                return Err(Flaw { lane, kind: FlawKind::SeveralGoals(values) });
            }
            left = without(&left, &paid);
            sums[usize::from(value)] += count(&paid);
        }
        Ok(())
    }

    /// Chooses a move of every role in the lanes that go on.
    fn choose(&mut self, live: &Mask, stream: &mut Stream) -> Result<(), Flaw> {
        for (role, selector) in self.selectors.ids().zip(self.selectors.iter_mut()) {
            let movable = self.machine.select(selector, stream);
            if let Some(lane) = first_lane(&without(live, &movable)) {
                return Err(Flaw { lane, kind: FlawKind::NoLegalMove(role) });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use index::Id;

    /// A die of three faces moves a token to the third place: `role r` only watches.
    const DICE: &str = include_str!("../../net/tests/data/dice.net");

    #[test]
    fn plays_from_the_start_all_end_and_pay() {
        let net = Arc::new(net::parse_net(DICE).expect("a network"));
        let start = net::interpret::initial(&net);
        let player = RoleId::from_index(0);
        let mut rollouts = Rollouts::new(&net, Isa::detect(), 2);
        let ends = rollouts.play(&start, player, 7, 200).expect("a well-formed game");
        assert_eq!(ends, RolloutEnds { goals: vec![(100, 128)], unfinished: 0, plays: 128 });
        let again = Rollouts::new(&net, Isa::PORTABLE, 2).play(&start, player, 7, 200);
        assert_eq!(again, Ok(ends), "the same under every instruction set");
    }

    #[test]
    fn two_goal_values_at_an_end_are_a_flaw() {
        let text = DICE.replace("goal r0 67 = b2", "goal r0 67 = b3");
        let net = Arc::new(net::parse_net(&text).expect("a network"));
        let start = net::interpret::initial(&net);
        for seed in 0..20 {
            let mut rollouts = Rollouts::new(&net, Isa::detect(), 2);
            let flaw =
                rollouts.play(&start, RoleId::from_index(0), seed, 9).expect_err("paid twice");
            assert_eq!(flaw.kind, FlawKind::SeveralGoals(vec![67, 100]));
        }
    }

    #[test]
    fn a_third_ends_at_once_and_the_rest_is_unfinished() {
        let net = Arc::new(net::parse_net(DICE).expect("a network"));
        let start = net::interpret::initial(&net);
        let mut rollouts = Rollouts::new(&net, Isa::detect(), 16);
        let ends = rollouts.play(&start, RoleId::from_index(0), 3, 1).expect("well-formed");
        // 1024 plays, a third of them done after one roll: within five deviations of 15.
        let done = ends.plays - ends.unfinished;
        assert!((266..=417).contains(&done), "{done} of {}", ends.plays);
        assert_eq!(ends.goals, [(100, done)]);
        let none = rollouts.play(&start, RoleId::from_index(0), 3, 0).expect("well-formed");
        assert_eq!((none.unfinished, none.goals.len()), (1024, 0));
    }
}
