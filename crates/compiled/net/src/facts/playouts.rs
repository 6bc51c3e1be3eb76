//! Random play: samples of reachable states.
//!
//! Computed: the states of plays in which each role picks uniformly among its legal moves. Always:
//! the same seed gives the same plays; each play starts at the initial state and holds consecutive
//! states; it ends where the game has ended, at the step limit, or where a role has no legal move
//! (a fault of the game that others report). Up to 64 plays go side by side, one a bit of a word,
//! so that many plays cost little more than one. Cost: the network once a step and word.

use gdl::RoleId;
use ground::InputId;
use index::Id;

use crate::gates::{Gate, GateId, Net};
use crate::interpret::{State, initial};
use crate::random::Random;
use crate::rebuild::cone;

/// `count` random plays of at most `max_steps` steps each, as the states passed.
pub fn playouts(net: &Net, seed: u64, count: usize, max_steps: usize) -> Vec<Vec<State>> {
    let mut table = Table::new(net);
    let mut random = Random::new(seed);
    let mut plays = Vec::with_capacity(count);
    while plays.len() < count {
        let lanes = (count - plays.len()).min(64);
        plays.extend(table.play(&mut random, lanes, max_steps));
    }
    assert_eq!(plays.len(), count);
    plays
}

/// Plays side by side: every word has one bit a play.
struct Table<'a> {
    net: &'a Net,
    view: Vec<GateId>,
    /// Gates that the next state needs and the view does not.
    update: Vec<GateId>,
    /// By gate, by proposition, by move.
    values: Vec<u64>,
    truths: Vec<u64>,
    played: Vec<u64>,
}

impl<'a> Table<'a> {
    fn new(net: &'a Net) -> Self {
        let view = cone(&net.gates, &net.view_outputs());
        let mut in_view = vec![false; net.gates.len()];
        for gate in &view {
            in_view[gate.index()] = true;
        }
        let mut update = cone(&net.gates, net.next.as_slice());
        update.retain(|gate| !in_view[gate.index()]);
        Self {
            net,
            view,
            update,
            values: vec![0; net.gates.len()],
            truths: vec![0; net.bases.len()],
            played: vec![0; net.inputs.len()],
        }
    }

    fn play(&mut self, random: &mut Random, lanes: usize, max_steps: usize) -> Vec<Vec<State>> {
        let all = u64::MAX >> (64 - lanes);
        self.truths.fill(0);
        for base in &self.net.init {
            self.truths[base.index()] = all;
        }
        let mut plays = vec![vec![initial(self.net)]; lanes];
        let mut open = all;
        for _ in 0..max_steps {
            Self::evaluate(self.net, &self.view, &mut self.values, &self.truths, &self.played);
            open &= !self.values[self.net.terminal.index()];
            open = self.pick(random, open);
            if open == 0 {
                break;
            }
            Self::evaluate(self.net, &self.update, &mut self.values, &self.truths, &self.played);
            self.advance(open, &mut plays);
        }
        plays
    }

    fn evaluate(net: &Net, cone: &[GateId], values: &mut [u64], truths: &[u64], played: &[u64]) {
        for &id in cone {
            values[id.index()] = match net.gates.gate(id) {
                Gate::Const(value) => {
                    if value {
                        u64::MAX
                    } else {
                        0
                    }
                }
                Gate::Base(base) => truths[base.index()],
                Gate::Does(input) => played[input.index()],
                Gate::Not(operand) => !values[operand.index()],
                Gate::And(low, high) => values[low.index()] & values[high.index()],
                Gate::Or(low, high) => values[low.index()] | values[high.index()],
            };
        }
    }

    /// Picks a move of each role in each open play; returns the plays in which all roles have one.
    fn pick(&mut self, random: &mut Random, open: u64) -> u64 {
        self.played.fill(0);
        self.net.roles.ids().fold(open, |open, role| open & self.pick_role(random, open, role))
    }

    /// Two passes over the role's moves: how many are legal in each play, and the one drawn.
    fn pick_role(&mut self, random: &mut Random, open: u64, role: RoleId) -> u64 {
        let legal =
            |table: &Self, input: InputId| table.values[table.net.legal[input].index()] & open;
        let mut counts = [0usize; 64];
        for input in self.net.moves(role) {
            for_each_bit(legal(self, input), |lane| counts[lane] += 1);
        }
        let mut moving = 0u64;
        let mut before = [usize::MAX; 64];
        for_each_bit(open, |lane| {
            if counts[lane] > 0 {
                before[lane] = random.below(counts[lane]);
                moving |= 1 << lane;
            }
        });
        for input in self.net.moves(role) {
            let word = legal(self, input);
            for_each_bit(word, |lane| {
                if before[lane] == 0 {
                    self.played[input.index()] |= 1 << lane;
                }
                before[lane] = before[lane].wrapping_sub(1);
            });
        }
        moving
    }

    /// Makes the step in the open plays and writes the states reached.
    fn advance(&mut self, open: u64, plays: &mut [Vec<State>]) {
        for_each_bit(open, |lane| plays[lane].push(State::new()));
        for (base, gate) in self.net.next.enumerate() {
            let word = self.values[gate.index()] & open;
            self.truths[base.index()] = word;
            for_each_bit(word, |lane| {
                let state = plays[lane].last_mut().expect("a play holds its initial state");
                state.insert(base);
            });
        }
    }
}

fn for_each_bit(word: u64, mut visit: impl FnMut(usize)) {
    let mut rest = word;
    while rest != 0 {
        visit(rest.trailing_zeros() as usize);
        rest &= rest - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_net;

    /// A walk of three steps left or right from 0; both ends of the line are met by some play.
    #[test]
    fn plays_differ_between_lanes_and_seeds_and_stop_at_the_end() {
        let net = parse_net(
            "role \"r\"\ni0 \"left\"\ni1 \"right\"\nb0 \"start\" init\nb1 \"low\"\nb2 \"high\"\n\
             b3 \"over\"\nlegal i0 = true\nlegal i1 = b0\nterminal = b3\ng10 = and b0 i0\n\
             g11 = and b0 i1\ng12 = or b1 b2\nnext b1 = g10\nnext b2 = g11\nnext b3 = g12\n",
        )
        .expect("a well-formed sample");
        let plays = playouts(&net, 9, 100, 50);
        assert_eq!(plays, playouts(&net, 9, 100, 50));
        assert_ne!(plays, playouts(&net, 10, 100, 50));
        assert!(plays.iter().all(|play| play.len() == 3), "start, low or high, over");
        let high = plays.iter().filter(|play| play[1].iter().any(|base| base.index() == 2)).count();
        assert!((30..70).contains(&high), "{high} of 100 went right");
        assert_eq!(playouts(&net, 9, 3, 1)[2].len(), 2, "the limit holds");
    }

    #[test]
    fn plays_end_where_one_role_of_two_has_no_move() {
        for (one, other) in [("b0", "true"), ("true", "b0")] {
            let net = parse_net(&format!(
                "role \"r\"\ni0 \"go\"\nrole \"s\"\ni1 \"go\"\nb0 \"on\" init\nb1 \"off\"\n\
                 legal i0 = {one}\nlegal i1 = {other}\nterminal = false\nnext b1 = true\n"
            ))
            .expect("a well-formed sample");
            assert!(playouts(&net, 1, 70, 9).iter().all(|play| play.len() == 2), "{one} {other}");
        }
    }
}
