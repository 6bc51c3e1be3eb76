//! The compiled game as something that can be stepped beside the rules.
//!
//! Plays take the lanes of the machine in turn, so that lanes other than the first are played as
//! well; what the other lanes hold meanwhile is of no interest.

use std::sync::Arc;

use crosscheck::walk::{Shown, Steps};
use gdl::RoleId;
use index::Id;
use kernel::Machine;
use net::{BaseId, InputId, Net};

/// A machine and the lane that is played.
pub(super) struct Stepped {
    net: Arc<Net>,
    machine: Machine,
    lane: usize,
    looked: bool,
}

impl Stepped {
    pub(super) fn new(net: Arc<Net>, machine: Machine) -> Self {
        let lane = machine.lanes() - 1;
        Self { net, machine, lane, looked: false }
    }

    /// The first move of a role.
    fn first(&self, role: RoleId) -> usize {
        self.net.roles[role].inputs.start
    }
}

impl Steps for Stepped {
    fn propositions(&self) -> Vec<String> {
        self.net.bases.iter().cloned().collect()
    }

    fn moves(&self, role: RoleId) -> Vec<String> {
        self.net.moves(role).map(|input| self.net.inputs[input].clone()).collect()
    }

    fn restart(&mut self) {
        self.lane = (self.lane + 1) % self.machine.lanes();
        self.machine.load(self.lane, &net::interpret::initial(&self.net));
        self.looked = false;
    }

    fn shown(&mut self) -> Shown {
        self.machine.look();
        self.looked = true;
        let state = self.machine.state(self.lane);
        let view = self.machine.view(self.lane);
        let legal = |role: RoleId| {
            let first = self.first(role);
            let moves = self.net.moves(role).filter(|&input| view.legal[input]);
            moves.map(|input| input.index() - first).collect()
        };
        let goals = view.goals.iter().map(|goals| goals.iter().map(|&goal| goal.into()).collect());
        Shown {
            state: state.iter().map(BaseId::index).collect(),
            terminal: view.terminal,
            legal: self.net.roles.ids().map(legal).collect(),
            goals: goals.collect(),
        }
    }

    fn step(&mut self, joint: &[usize]) {
        assert!(
            self.looked && joint.len() == self.net.roles.len(),
            "one move a role, after a look"
        );
        for (role, &choice) in self.net.roles.ids().zip(joint) {
            let input = InputId::from_index(self.first(role) + choice);
            self.machine.choose(self.lane, input);
        }
        self.machine.step();
        self.looked = false;
    }
}
