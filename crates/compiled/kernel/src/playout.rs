//! Random playouts, many side by side: every lane plays its own uniformly random legal moves, and
//! starts again where its game has ended.
//!
//! Deterministic from the seed. Cost: the network once a step for all lanes, and a few
//! nanoseconds for every legal move of every lane, which is where the time goes.

use std::sync::Arc;

use gdl::RoleId;
use index::{Id, IndexVec};
use net::random::Random;
use net::{InputId, Net};

use crate::expand::{Flaw, FlawKind, Mask};
use crate::frame::{add, both, first_lane, lanes, without};
use crate::isa::Isa;
use crate::machine::Machine;

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
    let mut machine = Machine::new(net.clone(), isa, words);
    let mut dealer = Dealer::new(machine.lanes(), seed);
    let goal_sums = IndexVec::filled(0, net.roles.len());
    let mut stats = PlayoutStats { states: 0, finished: 0, goal_sums };
    for _ in 0..steps {
        machine.look();
        stats.states += machine.lanes() as u64;
        let ended = machine.terminal();
        let live = without(&machine.all_lanes(), &ended);
        for (role, held) in net.roles.enumerate() {
            stats.goal_sums[role] += settle(&machine, role, &ended)?;
            dealer.play(&mut machine, role, held.inputs.clone(), &live)?;
        }
        stats.finished += lanes(&ended).count() as u64;
        machine.step();
        machine.restart(&ended);
    }
    Ok(stats)
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
        sum += u64::from(*value) * lanes(&paid).count() as u64;
    }
    Ok(sum)
}

/// Chooses moves: memory for one role's legal moves, by lane.
struct Dealer {
    random: Random,
    legal: Vec<u32>,
    chosen: Vec<InputId>,
}

impl Dealer {
    fn new(lanes: usize, seed: u64) -> Self {
        let chosen = vec![InputId::from_index(0); lanes];
        Self { random: Random::new(seed), legal: vec![0; lanes], chosen }
    }

    /// Chooses a legal move of a role in each of the lanes: the n-th legal one met replaces the
    /// choice with probability 1/n, so that each is equally likely.
    fn play(
        &mut self,
        machine: &mut Machine,
        role: RoleId,
        inputs: std::ops::Range<usize>,
        live: &Mask,
    ) -> Result<(), Flaw> {
        self.legal.fill(0);
        for input in inputs.map(InputId::from_index) {
            for lane in lanes(&both(&machine.legal(input), live)) {
                self.legal[lane] += 1;
                if self.random.below(self.legal[lane] as usize) == 0 {
                    self.chosen[lane] = input;
                }
            }
        }
        for lane in lanes(live) {
            if self.legal[lane] == 0 {
                return Err(Flaw { lane, kind: FlawKind::NoLegalMove(role) });
            }
            machine.choose(lane, self.chosen[lane]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_role_without_a_move_is_a_flaw() {
        let text = DICE.replace("legal i0 = g10\n", "");
        let net = Arc::new(net::parse_net(&text).expect("a network"));
        let flaw = playouts(&net, Isa::detect(), 1, 5, 3).expect_err("the player cannot move");
        assert_eq!(flaw.kind, FlawKind::NoLegalMove(RoleId::from_index(0)));
    }
}
