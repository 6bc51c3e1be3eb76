//! The whole network on planes, unpacked: every lane holds its own state and plays its own moves.
//!
//! One plane for each proposition and each move, the view of all roles, and the general update
//! with planes for `does`. It keeps no key and relies on no guess, so it runs any network from any
//! state: the test files of networks run on it, and random playouts.
//!
//! Order of calls: load states, [`Machine::look`], read the view, choose moves, [`Machine::step`].

use std::sync::Arc;

use gdl::RoleId;
use index::{Id, IndexVec};
use net::{BaseId, GateId, InputId, Net, State, View};

use crate::expand::{BLOCK_WORDS, Mask};
use crate::frame::{Frame, Lit, first_lanes};
use crate::isa::Isa;
use crate::program::{Leaves, Program};
use crate::select::{Choice, Selector};
use crate::stream::Stream;

/// States of a game side by side, `64 * words` lanes.
pub struct Machine {
    net: Arc<Net>,
    view: Program,
    update: Program,
    frame: Frame,
    /// The next state while it is copied.
    next: Vec<u64>,
    isa: Isa,
}

impl Machine {
    /// A machine whose lanes all hold the initial state.
    ///
    /// # Panics
    /// Unless `words` is 1, 2, 4, 8 or 16.
    pub fn new(net: Arc<Net>, isa: Isa, words: usize) -> Self {
        let does = 1 + net.bases.len();
        let free = does + net.inputs.len();
        let leaves = Leaves { base: 1, does: Some(does), free };
        let mut shown: Vec<GateId> = net.legal.iter().copied().chain([net.terminal]).collect();
        shown.extend(net.roles.iter().flat_map(|role| &role.goals).map(|(_, gate)| *gate));
        let view = Program::compile(&net.gates, &shown, leaves);
        let leaves = Leaves { free: view.slots(), ..leaves };
        let update = Program::compile(&net.gates, net.next.as_slice(), leaves);
        let mut frame = Frame::new(view.slots().max(update.slots()));
        frame.set_width(words);
        let next = vec![0; net.bases.len() * words];
        let mut machine = Self { net, view, update, frame, next, isa };
        machine.reset();
        machine
    }

    /// Number of lanes.
    pub fn lanes(&self) -> usize {
        64 * self.frame.width()
    }

    /// Operations on planes of the view and of the update.
    pub fn operations(&self) -> [usize; 2] {
        [self.view.len(), self.update.len()]
    }

    /// The moves of a role.
    pub fn moves(&self, role: RoleId) -> impl Iterator<Item = InputId> + use<> {
        self.net.moves(role)
    }

    /// All lanes as a mask.
    pub fn all_lanes(&self) -> Mask {
        first_lanes(self.lanes())
    }

    /// Puts every lane into the initial state, with no move chosen.
    fn reset(&mut self) {
        (1..self.first_move() + self.net.inputs.len())
            .for_each(|slot| self.frame.fill(slot, false));
        for at in 0..self.net.init.len() {
            self.frame.fill(1 + self.net.init[at].index(), true);
        }
    }

    fn first_move(&self) -> usize {
        1 + self.net.bases.len()
    }

    fn put(&mut self, slot: usize, lane: usize, bit: bool) {
        let word = &mut self.frame.slot_mut(slot)[lane / 64];
        *word = *word & !(1 << (lane % 64)) | u64::from(bit) << (lane % 64);
    }

    /// Puts a lane into a state.
    pub fn load(&mut self, lane: usize, state: &State) {
        assert!(lane < self.lanes(), "a lane of the machine");
        for base in self.net.bases.ids() {
            self.put(1 + base.index(), lane, state.contains(base));
        }
    }

    /// Puts every lane into one state.
    pub fn load_all(&mut self, state: &State) {
        for at in 0..self.net.bases.len() {
            self.frame.fill(1 + at, state.contains(BaseId::from_index(at)));
        }
    }

    /// Puts some lanes back into the initial state.
    pub fn restart(&mut self, within: &Mask) {
        let mut initial = vec![false; self.net.bases.len()];
        self.net.init.iter().for_each(|base| initial[base.index()] = true);
        for (at, starts_true) in initial.into_iter().enumerate() {
            for (word, chosen) in self.frame.slot_mut(1 + at).iter_mut().zip(within) {
                *word = if starts_true { *word | chosen } else { *word & !chosen };
            }
        }
    }

    /// The state of a lane.
    pub fn state(&self, lane: usize) -> State {
        let holds = |base: &BaseId| self.bit(Lit::of_slot(1 + base.index()), lane);
        self.net.bases.ids().filter(holds).collect()
    }

    fn bit(&self, lit: Lit, lane: usize) -> bool {
        let word = self.frame.words()[lit.slot() * self.frame.width() + lane / 64] ^ lit.flip();
        word >> (lane % 64) & 1 == 1
    }

    /// Evaluates the view of all lanes.
    pub fn look(&mut self) {
        self.view.run(self.isa, &mut self.frame);
    }

    /// After [`Machine::look`]: the lanes in which a move is legal.
    pub fn legal(&self, input: InputId) -> Mask {
        self.frame.masked(self.view.outputs()[input.index()], &self.all_lanes())
    }

    /// After [`Machine::look`]: the lanes in which the game has ended.
    pub fn terminal(&self) -> Mask {
        self.frame.masked(self.view.outputs()[self.net.inputs.len()], &self.all_lanes())
    }

    /// After [`Machine::look`]: a role's goal values, ascending, with the lanes in which they hold.
    pub fn goals(&self, role: RoleId) -> Vec<(u8, Mask)> {
        let before: usize =
            self.net.roles.iter().take(role.index()).map(|role| role.goals.len()).sum();
        let lits = &self.view.outputs()[self.net.inputs.len() + 1 + before..];
        let lanes = self.all_lanes();
        let goals = self.net.roles[role].goals.iter().zip(lits);
        goals.map(|((value, _), lit)| (*value, self.frame.masked(*lit, &lanes))).collect()
    }

    /// After [`Machine::look`]: everything that a lane's state shows.
    pub fn view(&self, lane: usize) -> View {
        let within = |mask: &Mask| mask[lane / 64] >> (lane % 64) & 1 == 1;
        let goals_of = |role: RoleId| {
            self.goals(role)
                .iter()
                .filter(|(_, mask)| within(mask))
                .map(|(value, _)| *value)
                .collect()
        };
        let legal: IndexVec<InputId, bool> =
            self.net.inputs.ids().map(|input| within(&self.legal(input))).collect();
        View {
            legal,
            terminal: within(&self.terminal()),
            goals: self.net.roles.ids().map(goals_of).collect(),
        }
    }

    /// Chooses a move for a lane's next step.
    pub fn choose(&mut self, lane: usize, input: InputId) {
        assert!(lane < self.lanes() && input.index() < self.net.inputs.len());
        self.put(self.first_move() + input.index(), lane, true);
    }

    /// Plays the moves chosen in all lanes at once, and forgets them.
    pub fn step(&mut self) {
        self.advance();
        let first = self.first_move();
        (0..self.net.inputs.len()).for_each(|input| self.frame.fill(first + input, false));
    }

    /// A selector of a role's moves. Moves that are never legal are left out.
    pub(crate) fn selector(&self, role: RoleId) -> Selector {
        let choice =
            |input| Choice { legal: self.view.outputs()[input], does: self.first_move() + input };
        let inputs = self.net.roles[role].inputs.clone().map(choice);
        Selector::new(inputs.filter(|choice| choice.legal != Lit::FALSE).collect())
    }

    /// After [`Machine::look`]: chooses a random legal move of a selector's role in all lanes,
    /// over whatever it chose before. Returns the lanes in which it has one.
    pub(crate) fn select(&mut self, selector: &mut Selector, stream: &mut Stream) -> Mask {
        selector.choose(self.isa, &mut self.frame, stream)
    }

    /// The moves chosen in a lane.
    pub fn chosen(&self, lane: usize) -> Vec<InputId> {
        let first = self.first_move();
        let is_chosen = |input: &InputId| self.bit(Lit::of_slot(first + input.index()), lane);
        self.net.inputs.ids().filter(is_chosen).collect()
    }

    /// Plays the moves chosen in all lanes at once, and keeps them.
    pub(crate) fn advance(&mut self) {
        self.update.run(self.isa, &mut self.frame);
        let width = self.frame.width();
        for (to, lit) in self.next.chunks_exact_mut(width).zip(self.update.outputs()) {
            let from = lit.slot() * width;
            let plane = &self.frame.words()[from..from + width];
            to.iter_mut().zip(plane).for_each(|(to, word)| *to = word ^ lit.flip());
        }
        let bases = width..width + self.next.len();
        self.frame.words_mut()[bases].copy_from_slice(&self.next);
    }
}

const _: () = assert!(BLOCK_WORDS == 16, "the widths named in `Machine::new`");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Shape, sample};
    use net::interpret;
    use net::random::Random;

    /// Random joint moves, legal or not, in every lane; compared with the interpreter.
    fn agrees(net: &Arc<Net>, isa: Isa, words: usize, random: &mut Random) {
        let mut machine = Machine::new(net.clone(), isa, words);
        let start = interpret::initial(net);
        assert!((0..machine.lanes()).all(|lane| machine.state(lane) == start));
        let mut states = vec![start; machine.lanes()];
        for (lane, state) in states.iter_mut().enumerate().skip(1) {
            *state = net.bases.ids().filter(|_| random.below(2) == 0).collect();
            machine.load(lane, state);
        }
        for _ in 0..3 {
            machine.look();
            for (lane, state) in states.iter_mut().enumerate() {
                if lane % 7 == 0 {
                    assert_eq!(machine.view(lane), interpret::view(net, state));
                }
                let pick = |role: &net::NetRole| {
                    InputId::from_index(role.inputs.start + random.below(role.inputs.len()))
                };
                let joint: Vec<InputId> = net.roles.iter().map(pick).collect();
                joint.iter().for_each(|&input| machine.choose(lane, input));
                *state = interpret::update(net, state, &joint);
            }
            machine.step();
            let lane =
                states.iter().enumerate().find(|(lane, state)| machine.state(*lane) != **state);
            assert_eq!(lane, None, "a lane's state differs");
        }
    }

    #[test]
    fn programs_agree_with_the_interpreter_in_all_widths_and_instruction_sets() {
        let mut random = Random::new(21);
        for _ in 0..4 {
            let game = sample(&Shape::small(&mut random), &mut random);
            for isa in Isa::available() {
                for words in [1, 2, 4, 8, 16] {
                    agrees(&game.net, isa, words, &mut random);
                }
            }
        }
    }

    #[test]
    fn restarted_lanes_are_initial_and_others_are_kept() {
        let mut random = Random::new(22);
        let net = sample(&Shape::small(&mut random), &mut random).net;
        let mut machine = Machine::new(net.clone(), Isa::detect(), 2);
        let other: State = net.bases.ids().filter(|base| !net.init.contains(base)).collect();
        (0..128).for_each(|lane| machine.load(lane, &other));
        machine.restart(&first_lanes(70));
        assert_eq!(machine.state(69), interpret::initial(&net));
        assert_eq!(machine.state(70), other);
    }
}
