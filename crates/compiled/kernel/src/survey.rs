//! A survey of random plays: how they end, how long they take, what they are worth.
//!
//! A play is one lane, from the initial state to its end, a dead end or the last step allowed;
//! plays come in batches of as many as the machine has lanes, and a batch is over when its last
//! play is, so that short plays are not counted more often than long ones. Unlike in `playouts`, a
//! flaw of a state does not end the work: it is what is looked for. Deterministic from the seed, as
//! long as nobody says stop.

use std::sync::Arc;

use gdl::RoleId;
use index::{Id, IndexVec};
use net::random::Random;
use net::{BaseId, InputId, Net, State};

use crate::expand::Mask;
use crate::frame::{both, lanes, without};
use crate::isa::Isa;
use crate::machine::Machine;

/// Flawed states that are kept as examples of one kind, at most.
const EXAMPLES: usize = 3;
/// Gates up to which a machine is as wide as can be; a larger one is narrower.
const WIDE_GATES: usize = 200_000;

/// What is played.
#[derive(Clone, Copy, Debug)]
pub struct SurveyPlan {
    /// Plays, at least; whole batches are played.
    pub plays: u64,
    /// Steps of a play, at most.
    pub steps: usize,
    /// Seed of the random moves.
    pub seed: u64,
}

/// A state that shows a flaw: the propositions that hold, and the steps that led there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Propositions that hold.
    pub state: Vec<BaseId>,
    /// Steps from the initial state.
    pub steps: usize,
}

/// How often a flaw was met, with some states that show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flawed {
    /// Plays that met it.
    pub plays: u64,
    /// The first distinct states.
    pub examples: Vec<Example>,
}

/// What random plays of one role showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleSurvey {
    /// Goal values of ended plays, ascending, with the number of plays.
    pub goals: Vec<(u8, u64)>,
    /// States that are not terminal in which the role has no legal move.
    pub stuck: Flawed,
    /// Terminal states without a goal value.
    pub goalless: Flawed,
    /// Terminal states with several goal values.
    pub ambiguous: Flawed,
    /// Greatest number of legal moves met.
    pub most_moves: u32,
}

/// What random plays showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Plays that were begun and not stopped from outside.
    pub plays: u64,
    /// Plays that reached a terminal state.
    pub ended: u64,
    /// Plays that a role without a legal move brought to a halt.
    pub stuck: u64,
    /// Plays that went on beyond the last step allowed.
    pub unfinished: u64,
    /// Plays that ended after each number of steps, from 0.
    pub lengths: Vec<u64>,
    /// By role.
    pub roles: IndexVec<RoleId, RoleSurvey>,
    /// Whether `go_on` said no before all plays were played.
    pub stopped: bool,
}

impl Survey {
    /// Steps of the shortest, the middle and the longest of the plays that ended; none where none
    /// did. The middle one of an even number is the earlier of two.
    pub fn length_range(&self) -> Option<[usize; 3]> {
        let first = self.lengths.iter().position(|count| *count > 0)?;
        let last = self.lengths.iter().rposition(|count| *count > 0)?;
        let half = self.ended.div_ceil(2);
        let mut seen = 0;
        let middle = self.lengths.iter().position(|count| {
            seen += count;
            seen >= half
        });
        debug_assert!(middle.is_some_and(|middle| (first..=last).contains(&middle)));
        Some([first, middle?, last])
    }
}

/// Plays at random and reports; asks `go_on` before every step.
pub fn survey(net: &Arc<Net>, plan: &SurveyPlan, go_on: &dyn Fn() -> bool) -> Survey {
    let roles = IndexVec::filled(RoleSurvey::default(), net.roles.len());
    let found = Survey { lengths: vec![0; plan.steps + 1], roles, ..Survey::default() };
    let machine = Machine::new(net.clone(), Isa::detect(), width(net, plan));
    let legal = vec![0; machine.lanes()];
    let chosen = vec![InputId::from_index(0); machine.lanes()];
    let mut surveyor = Surveyor { machine, random: Random::new(plan.seed), legal, chosen, found };
    while surveyor.found.plays < plan.plays && !surveyor.found.stopped {
        surveyor.batch(plan.steps, go_on);
    }
    let found = surveyor.found;
    assert_eq!(found.plays, found.ended + found.stuck + found.unfinished, "each play has one end");
    debug_assert_eq!(found.lengths.iter().sum::<u64>(), found.ended);
    found
}

/// Words of a lane mask: fewer for a few plays and for a network that fills the caches.
fn width(net: &Net, plan: &SurveyPlan) -> usize {
    let needed = plan.plays.div_ceil(64).clamp(1, 16) as usize;
    let widest = if net.gates.len() > WIDE_GATES { 4 } else { 16 };
    needed.next_power_of_two().min(widest)
}

struct Surveyor {
    machine: Machine,
    random: Random,
    /// Legal moves of the role at hand, by lane.
    legal: Vec<u32>,
    chosen: Vec<InputId>,
    found: Survey,
}

impl Surveyor {
    /// Plays one play in every lane.
    fn batch(&mut self, steps: usize, go_on: &dyn Fn() -> bool) {
        let all = self.machine.all_lanes();
        self.machine.restart(&all);
        let mut live = all;
        for step in 0..=steps {
            if !go_on() {
                self.found.stopped = true;
                return;
            }
            self.machine.look();
            let ended = both(&self.machine.terminal(), &live);
            self.settle(&ended, step);
            live = without(&live, &ended);
            if step == steps || count(&live) == 0 {
                break;
            }
            live = self.choose(live, step);
            self.machine.step();
        }
        self.found.unfinished += count(&live);
        self.found.plays += count(&live);
    }

    /// Counts the plays that end here, and their goals.
    fn settle(&mut self, ended: &Mask, step: usize) {
        let plays = count(ended);
        self.found.ended += plays;
        self.found.plays += plays;
        self.found.lengths[step] += plays;
        if plays == 0 {
            return;
        }
        for role in self.found.roles.ids() {
            let (mut none, mut several, mut seen) = (*ended, Mask::default(), Mask::default());
            for (value, mask) in self.machine.goals(role) {
                let paid = both(&mask, ended);
                several = either(&several, &both(&paid, &seen));
                seen = either(&seen, &paid);
                none = without(&none, &paid);
                pay(&mut self.found.roles[role].goals, value, count(&paid));
            }
            note(&self.machine, &mut self.found.roles[role].goalless, &none, step);
            note(&self.machine, &mut self.found.roles[role].ambiguous, &several, step);
        }
    }

    /// Chooses a move for every role in the live lanes; returns the lanes where all could.
    fn choose(&mut self, live: Mask, step: usize) -> Mask {
        let mut able = live;
        for role in self.found.roles.ids() {
            self.legal.fill(0);
            let inputs = self.machine.moves(role);
            for input in inputs {
                for lane in lanes(&both(&self.machine.legal(input), &live)) {
                    self.legal[lane] += 1;
                    if self.random.below(self.legal[lane] as usize) == 0 {
                        self.chosen[lane] = input;
                    }
                }
            }
            let most = self.legal.iter().copied().max().unwrap_or(0);
            let held = &mut self.found.roles[role];
            held.most_moves = held.most_moves.max(most);
            let mut stuck = Mask::default();
            for lane in lanes(&live) {
                match self.legal[lane] {
                    0 => stuck[lane / 64] |= 1 << (lane % 64),
                    _ => self.machine.choose(lane, self.chosen[lane]),
                }
            }
            note(&self.machine, &mut held.stuck, &stuck, step);
            able = without(&able, &stuck);
        }
        let lost = count(&live) - count(&able);
        self.found.stuck += lost;
        self.found.plays += lost;
        able
    }
}

fn count(mask: &Mask) -> u64 {
    mask.iter().map(|word| u64::from(word.count_ones())).sum()
}

fn either(one: &Mask, other: &Mask) -> Mask {
    std::array::from_fn(|word| one[word] | other[word])
}

fn pay(goals: &mut Vec<(u8, u64)>, value: u8, plays: u64) {
    if plays == 0 {
        return;
    }
    match goals.binary_search_by_key(&value, |(value, _)| *value) {
        Ok(place) => goals[place].1 += plays,
        Err(place) => goals.insert(place, (value, plays)),
    }
}

/// Counts the plays that met a flaw, and keeps the first distinct states.
fn note(machine: &Machine, flawed: &mut Flawed, within: &Mask, steps: usize) {
    flawed.plays += count(within);
    for lane in lanes(within) {
        if flawed.examples.len() == EXAMPLES {
            return;
        }
        let state: State = machine.state(lane);
        let state: Vec<BaseId> = state.iter().collect();
        if flawed.examples.iter().all(|example| example.state != state) {
            flawed.examples.push(Example { state, steps });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A die of three faces moves a token to the third place: `role r` only watches.
    const DICE: &str = include_str!("../../net/tests/data/dice.net");

    fn plan(plays: u64, steps: usize) -> SurveyPlan {
        SurveyPlan { plays, steps, seed: 5 }
    }

    fn dice(text: &str, plan: &SurveyPlan) -> Survey {
        survey(&Arc::new(net::parse_net(text).expect("a network")), plan, &|| true)
    }

    #[test]
    fn every_play_of_a_die_ends_within_three_steps() {
        let found = dice(DICE, &plan(2000, 10));
        assert_eq!((found.plays, found.ended, found.stopped), (2048, 2048, false));
        assert_eq!(found.length_range().map(|range| (range[0], range[2])), Some((1, 3)));
        // One step with probability 1/3, three with 1/9: within a tenth of the plays.
        let near = |steps: usize, wanted: u64| found.lengths[steps].abs_diff(wanted) < 205;
        assert!(near(1, 2048 / 3) && near(3, 2048 / 9), "{:?}", found.lengths);
        let player = &found.roles[RoleId::from_index(0)];
        assert_eq!(player.goals, [(100, 2048)]);
        assert_eq!(found, dice(DICE, &plan(2000, 10)), "the seed decides");
    }

    #[test]
    fn plays_beyond_the_last_step_are_unfinished() {
        let found = dice(DICE, &plan(64, 1));
        assert_eq!((found.plays, found.ended + found.unfinished), (64, 64));
        assert!(found.unfinished > 0 && found.lengths.len() == 2);
        assert_eq!(dice(DICE, &plan(64, 0)).unfinished, 64);
    }

    #[test]
    fn a_role_without_a_move_stops_its_play_and_is_told() {
        let text = DICE.replace("legal i0 = g10\n", "");
        let found = dice(&text, &plan(64, 5));
        assert_eq!((found.stuck, found.ended), (64, 0));
        let stuck = &found.roles[RoleId::from_index(0)].stuck;
        assert_eq!((stuck.plays, stuck.examples.len(), stuck.examples[0].steps), (64, 1, 0));
    }

    #[test]
    fn a_stop_from_outside_is_told() {
        let net = Arc::new(net::parse_net(DICE).expect("a network"));
        let found = survey(&net, &plan(64, 5), &|| false);
        assert!(found.stopped && found.plays == 0 && found.length_range().is_none());
    }
}
