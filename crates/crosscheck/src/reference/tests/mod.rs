//! The reference against games whose answers are known by hand, by theory or by other programs.

mod faults;
mod pitfalls;
mod values;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gdl::{ReadOptions, Rulebook, Source};
use verdict::{Engine, Fault, Objective, Question, Stop, Verdict, Watch};

use super::{Reference, Simulator, State};

static CALM: AtomicBool = AtomicBool::new(false);

fn watch() -> Watch<'static> {
    Watch {
        started: Instant::now(),
        time: Some(Duration::from_secs(300)),
        memory: None,
        interrupt: &CALM,
        progress: &|_| {},
    }
}

fn rulebook(text: &str) -> Arc<Rulebook> {
    let source = Source { name: "test".into(), text: text.into() };
    let reading = gdl::read(source, &ReadOptions::default());
    let faults = reading.diagnostics;
    Arc::new(reading.rulebook.unwrap_or_else(|| panic!("the sheet is refused: {faults:?}")))
}

fn question(text: &str, objective: Objective) -> Question {
    Question { objective, ..Question::new(rulebook(text)).expect("a player") }
}

fn answer(question: &Question) -> Verdict {
    Reference.judge(question, &watch()).unwrap_or_else(|stop| panic!("no answer: {stop:?}"))
}

fn fault(question: &Question) -> Fault {
    match Reference.judge(question, &watch()) {
        Err(Stop::Faulty(fault)) => *fault,
        other => panic!("no fault: {other:?}"),
    }
}

/// A simulator with the texts that a test compares.
struct Play {
    rules: Arc<Rulebook>,
    simulator: Simulator,
    state: State,
}

impl Play {
    fn new(text: &str) -> Self {
        let rules = rulebook(text);
        let simulator = Simulator::new(&rules).expect("a game");
        let state = simulator.initial_state();
        Self { rules, simulator, state }
    }

    fn legal(&mut self, role: &str) -> Vec<String> {
        let role = self.rules.role(role).expect("a role");
        let moves = self.simulator.legal_moves(&self.state, role).expect("moves");
        moves.into_iter().map(|id| self.simulator.text(id)).collect()
    }

    fn is_terminal(&mut self) -> bool {
        self.simulator.is_terminal(&self.state).expect("a state")
    }

    fn goals(&mut self, role: &str) -> Vec<u32> {
        let role = self.rules.role(role).expect("a role");
        self.simulator.goals(&self.state, role).expect("goals")
    }

    fn joint(&mut self, moves: &[&str]) -> Vec<super::TermId> {
        let roles: Vec<_> = self.rules.roles.ids().collect();
        assert_eq!(roles.len(), moves.len());
        let mut joint = Vec::new();
        for (role, wanted) in roles.into_iter().zip(moves) {
            let legal = self.simulator.legal_moves(&self.state, role).expect("moves");
            let found = legal.into_iter().find(|id| self.simulator.text(*id) == *wanted);
            joint.push(found.unwrap_or_else(|| panic!("{wanted} is not legal")));
        }
        joint
    }

    /// Plays one legal move a role, in the order of the roles.
    fn play(&mut self, moves: &[&str]) -> String {
        let joint = self.joint(moves);
        self.state = self.simulator.next_state(&self.state, &joint).expect("a step");
        self.simulator.state_text(&self.state)
    }

    fn percepts(&mut self, moves: &[&str], role: &str) -> Vec<String> {
        let joint = self.joint(moves);
        let role = self.rules.role(role).expect("a role");
        let seen = self.simulator.percepts(&self.state, &joint, role).expect("percepts");
        seen.into_iter().map(|id| self.simulator.text(id)).collect()
    }
}
