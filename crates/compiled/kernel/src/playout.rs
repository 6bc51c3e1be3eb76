//! Random playouts, many side by side: every lane plays its own uniformly random legal moves, and
//! starts again where its game has ended.
//!
//! Deterministic from the seed, under every instruction set. Cost: the network once a step for all
//! lanes, and `select` for the choice; nothing is done lane by lane. Benches: `playouts`.

use std::sync::Arc;

use gdl::RoleId;
use index::IndexVec;
use net::Net;

use crate::expand::{Flaw, FlawKind, Mask};
use crate::frame::{add, any, both, count, first_lane, without};
use crate::isa::Isa;
use crate::machine::Machine;
use crate::select::Selector;
use crate::stream::Stream;

/// What the playouts met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayoutStats {
    /// States visited, initial and terminal ones included.
    pub states: u64,
    /// Plays that reached a terminal state.
    pub finished: u64,
    /// By role: the sum of its goal values over the finished plays; no value counts 0.
    pub goal_sums: IndexVec<RoleId, u64>,
}

/// Playouts under way: a play in each lane.
pub struct Playouts {
    machine: Machine,
    selectors: IndexVec<RoleId, Selector>,
    stream: Stream,
    stats: PlayoutStats,
}

impl Playouts {
    /// Plays in `64 * words` lanes, all at the start.
    ///
    /// # Panics
    /// Unless `words` is 1, 2, 4, 8 or 16.
    pub fn new(net: &Arc<Net>, isa: Isa, words: usize, seed: u64) -> Self {
        let machine = Machine::new(net.clone(), isa, words);
        let selectors = net.roles.ids().map(|role| machine.selector(role)).collect();
        let goal_sums = IndexVec::filled(0, net.roles.len());
        let stats = PlayoutStats { states: 0, finished: 0, goal_sums };
        Self { machine, selectors, stream: Stream::new(seed), stats }
    }

    /// Looks at the states of all lanes and chooses moves in them. Returns the lanes in which the
    /// game has ended.
    ///
    /// # Errors
    /// A flaw of a state that was met: a role without a legal move, or with several goal values.
    pub fn choose(&mut self) -> Result<Mask, Flaw> {
        self.machine.look();
        let ended = self.machine.terminal();
        let live = without(&self.machine.all_lanes(), &ended);
        self.stats.states += self.machine.lanes() as u64;
        self.stats.finished += count(&ended);
        for (role, selector) in self.selectors.ids().zip(self.selectors.iter_mut()) {
            if any(&ended) {
                self.stats.goal_sums[role] += settle(&self.machine, role, &ended)?;
            }
            let movable = self.machine.select(selector, &mut self.stream);
            if let Some(lane) = first_lane(&without(&live, &movable)) {
                return Err(Flaw { lane, kind: FlawKind::NoLegalMove(role) });
            }
        }
        Ok(ended)
    }

    /// Plays what was chosen; lanes that have ended start again.
    pub fn step(&mut self, ended: &Mask) {
        self.machine.advance();
        self.machine.restart(ended);
    }

    /// The states and the moves chosen.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What was met so far.
    pub fn stats(&self) -> &PlayoutStats {
        &self.stats
    }
}

/// Plays at random in `64 * words` lanes for this many steps.
///
/// # Errors
/// A flaw of a state that was met: a role without a legal move, or with several goal values.
///
/// # Panics
/// Unless `words` is 1, 2, 4, 8 or 16.
pub fn playouts(
    net: &Arc<Net>,
    isa: Isa,
    words: usize,
    seed: u64,
    steps: usize,
) -> Result<PlayoutStats, Flaw> {
    let mut plays = Playouts::new(net, isa, words, seed);
    for _ in 0..steps {
        let ended = plays.choose()?;
        plays.step(&ended);
    }
    Ok(plays.stats)
}

/// The sum of a role's goal values over the lanes that have ended.
fn settle(machine: &Machine, role: RoleId, ended: &Mask) -> Result<u64, Flaw> {
    let (mut seen, mut sum) = (Mask::default(), 0);
    let goals = machine.goals(role);
    for (value, mask) in &goals {
        let paid = both(mask, ended);
        if let Some(lane) = first_lane(&both(&paid, &seen)) {
            let holds = |mask: &Mask| mask[lane / 64] >> (lane % 64) & 1 == 1;
            let values = goals.iter().filter(|(_, mask)| holds(mask)).map(|(value, _)| *value);
            return Err(Flaw { lane, kind: FlawKind::SeveralGoals(values.collect()) });
        }
        add(&mut seen, &paid);
        sum += u64::from(*value) * count(&paid);
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Shape, sample};
    use index::Id;
    use net::interpret;
    use net::random::Random;

    /// Replays some lanes of random games under the interpreter: every move chosen is legal, each
    /// role plays one, and every state is what the moves make of the last.
    #[test]
    fn plays_are_those_of_the_interpreter() {
        let mut random = Random::new(51);
        let (mut moved, mut ends) = (0, 0);
        for round in 0..12 {
            let net = sample(&Shape::small(&mut random), &mut random).net;
            let isa = if round % 2 == 0 { Isa::PORTABLE } else { Isa::detect() };
            let words = 1 << (round % 5);
            let mut plays = Playouts::new(&net, isa, words, round);
            let mut states = vec![interpret::initial(&net); 64 * words];
            for _ in 0..20 {
                let ended = plays.choose().expect("every role has a legal move");
                for lane in (0..64 * words).step_by(5) {
                    let state = &mut states[lane];
                    assert_eq!(plays.machine().state(lane), *state);
                    let view = interpret::view(&net, state);
                    assert_eq!(view.terminal, ended[lane / 64] >> (lane % 64) & 1 == 1);
                    if view.terminal {
                        (*state, ends) = (interpret::initial(&net), ends + 1);
                        continue;
                    }
                    let joint = plays.machine().chosen(lane);
                    assert!(joint.iter().all(|&input| view.legal[input]), "moves are legal");
                    let of = |role: &net::NetRole| {
                        joint.iter().filter(|input| role.inputs.contains(&input.index())).count()
                    };
                    assert!(net.roles.iter().all(|role| of(role) == 1), "each role plays one");
                    (*state, moved) = (interpret::update(&net, state, &joint), moved + 1);
                }
                plays.step(&ended);
            }
        }
        assert!(moved > 2000 && ends > 200, "{moved} moves, {ends} ends");
    }

    /// A die of three faces moves a token to the third place: `role r` only watches.
    const DICE: &str = include_str!("../../net/tests/data/dice.net");

    #[test]
    fn a_die_pays_what_chance_says() {
        let net = Arc::new(net::parse_net(DICE).expect("a network"));
        let stats = playouts(&net, Isa::detect(), 16, 5, 300).expect("a well-formed game");
        assert_eq!(stats, playouts(&net, Isa::PORTABLE, 16, 5, 300).expect("a well-formed game"));
        // Every play ends at place 3; it takes 1 step with probability 1/3 ... 3 with 1/9.
        let player = RoleId::from_index(0);
        assert_eq!(stats.goal_sums[player], 100 * stats.finished);
        // So a play passes 25/9 states in the mean; 1/50 either way is allowed.
        let (passed, expected) = (9 * stats.states, 25 * stats.finished);
        assert!(50 * passed.abs_diff(expected) < 9 * stats.finished, "{passed}, not {expected}");
    }

    #[test]
    fn two_goal_values_at_an_end_are_a_flaw_in_whatever_lane() {
        let text = DICE.replace("goal r0 67 = b2", "goal r0 67 = b3");
        let net = Arc::new(net::parse_net(&text).expect("a network"));
        let mut lanes = Vec::new();
        for seed in 0..20 {
            let flaw = playouts(&net, Isa::detect(), 16, seed, 9).expect_err("the end pays twice");
            assert_eq!(flaw.kind, FlawKind::SeveralGoals(vec![67, 100]));
            lanes.push(flaw.lane);
        }
        assert!(lanes.iter().any(|lane| lane % 64 > 0), "{lanes:?}");
    }

    #[test]
    fn a_role_without_a_move_is_a_flaw() {
        let text = DICE.replace("legal i0 = g10\n", "");
        let net = Arc::new(net::parse_net(&text).expect("a network"));
        let flaw = playouts(&net, Isa::detect(), 1, 5, 3).expect_err("the player cannot move");
        assert_eq!(flaw.kind, FlawKind::NoLegalMove(RoleId::from_index(0)));
    }
}
