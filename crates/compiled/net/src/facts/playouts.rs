//! Random play: samples of reachable states.
//!
//! Computed: the states of plays in which each role picks uniformly among its legal moves. Always:
//! the same seed gives the same plays; each play starts at the initial state and holds consecutive
//! states; it ends where the game has ended, at the step limit, or where a role has no legal move
//! (a fault of the game that others report). Only the gates that an output needs are evaluated.
//! Cost: the network once a step.

use ground::InputId;
use index::Id;

use crate::gates::{Gate, GateId, Net};
use crate::interpret::{State, initial};
use crate::random::Random;
use crate::rebuild::cone;

/// An evaluator that keeps its memory; the same results as the reference interpreter.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    net: &'a Net,
    view: Vec<GateId>,
    /// Gates that the next state needs and the view does not.
    update: Vec<GateId>,
    values: Vec<bool>,
}

impl<'a> Machine<'a> {
    /// An evaluator of this network.
    pub fn new(net: &'a Net) -> Self {
        let view = cone(&net.gates, &net.view_outputs());
        let mut in_view = vec![false; net.gates.len()];
        for gate in &view {
            in_view[gate.index()] = true;
        }
        let mut update = cone(&net.gates, net.next.as_slice());
        update.retain(|gate| !in_view[gate.index()]);
        Self { net, view, update, values: vec![false; net.gates.len()] }
    }

    /// Evaluates the view of a state; [`Self::holds`] then answers for its outputs.
    pub fn look(&mut self, state: &State) {
        let view = std::mem::take(&mut self.view);
        self.evaluate(&view, state, &[]);
        self.view = view;
    }

    /// Whether a gate held in what was evaluated last.
    pub fn holds(&self, gate: GateId) -> bool {
        self.values[gate.index()]
    }

    /// The state after a joint move. [`Self::look`] has been called for the state.
    pub fn step(&mut self, state: &State, joint: &[InputId]) -> State {
        let update = std::mem::take(&mut self.update);
        self.evaluate(&update, state, joint);
        self.update = update;
        let next = self.net.next.enumerate().filter(|(_, gate)| self.holds(**gate));
        next.map(|(base, _)| base).collect()
    }

    /// The legal moves of a role in the state looked at.
    pub fn legal(&self, role: gdl::RoleId) -> Vec<InputId> {
        self.net.moves(role).filter(|input| self.holds(self.net.legal[*input])).collect()
    }

    fn evaluate(&mut self, cone: &[GateId], state: &State, joint: &[InputId]) {
        for &id in cone {
            self.values[id.index()] = match self.net.gates.gate(id) {
                Gate::Const(value) => value,
                Gate::Base(base) => state.contains(base),
                Gate::Does(input) => joint.contains(&input),
                Gate::Not(operand) => !self.holds(operand),
                Gate::And(low, high) => self.holds(low) && self.holds(high),
                Gate::Or(low, high) => self.holds(low) || self.holds(high),
            };
        }
    }
}

/// `count` random plays of at most `max_steps` steps each, as the states passed.
pub fn playouts(net: &Net, seed: u64, count: usize, max_steps: usize) -> Vec<Vec<State>> {
    let mut machine = Machine::new(net);
    let mut random = Random::new(seed);
    (0..count).map(|_| play(net, &mut machine, &mut random, max_steps)).collect()
}

fn play(net: &Net, machine: &mut Machine<'_>, random: &mut Random, steps: usize) -> Vec<State> {
    let mut states = vec![initial(net)];
    for step in 0..steps {
        machine.look(&states[step]);
        if machine.holds(net.terminal) {
            break;
        }
        let Some(joint) = pick(net, machine, random) else { break };
        let next = machine.step(&states[step], &joint);
        states.push(next);
    }
    debug_assert!(states.len() <= steps + 1);
    states
}

/// A random joint move; none where some role has no legal move.
fn pick(net: &Net, machine: &Machine<'_>, random: &mut Random) -> Option<Vec<InputId>> {
    let pick_one = |role| {
        let legal = machine.legal(role);
        (!legal.is_empty()).then(|| legal[random.below(legal.len())])
    };
    net.roles.ids().map(pick_one).collect()
}
