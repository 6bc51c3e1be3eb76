//! The reference interpreter: what a network means, as plainly as it can be said.
//!
//! Computed: the view of a state, and the next state after a joint move. Nothing is packed,
//! skipped or remembered here; kernels are tested against it.

use ground::{BaseId, InputId};
use index::{Id, IdSet, IndexVec};

use crate::gates::{Gate, Net};

/// The propositions that hold.
pub type State = IdSet<BaseId>;

/// What a state shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// By move: whether it is legal.
    pub legal: IndexVec<InputId, bool>,
    /// Whether the game has ended.
    pub terminal: bool,
    /// By role: the goal values that hold, ascending.
    pub goals: IndexVec<gdl::RoleId, Vec<u8>>,
}

/// The initial state.
pub fn initial(net: &Net) -> State {
    net.init.iter().copied().collect()
}

/// What a state shows.
pub fn view(net: &Net, state: &State) -> View {
    let values = evaluate(net, state, &IdSet::new());
    let holds = |role: &crate::NetRole| {
        let goals = role.goals.iter().filter(|(_, gate)| values[gate.index()]);
        goals.map(|(value, _)| *value).collect()
    };
    View {
        legal: net.legal.iter().map(|gate| values[gate.index()]).collect(),
        terminal: values[net.terminal.index()],
        goals: net.roles.iter().map(holds).collect(),
    }
}

/// The state after a joint move: one move of each role.
pub fn update(net: &Net, state: &State, joint: &[InputId]) -> State {
    let values = evaluate(net, state, &joint.iter().copied().collect());
    net.next.enumerate().filter(|(_, gate)| values[gate.index()]).map(|(base, _)| base).collect()
}

/// All gates, in the order of their ids.
fn evaluate(net: &Net, state: &State, played: &IdSet<InputId>) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::with_capacity(net.gates.len());
    for (_, gate) in net.gates.iter() {
        values.push(match gate {
            Gate::Const(value) => value,
            Gate::Base(base) => state.contains(base),
            Gate::Does(input) => played.contains(input),
            Gate::Not(operand) => !values[operand.index()],
            Gate::And(low, high) => values[low.index()] && values[high.index()],
            Gate::Or(low, high) => values[low.index()] || values[high.index()],
        });
    }
    debug_assert_eq!(values.len(), net.gates.len());
    values
}
