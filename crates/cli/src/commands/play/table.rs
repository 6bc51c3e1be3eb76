//! The game on the table: the states so far, and the moves chosen in this step.
//!
//! Always: `states` holds at least the initial state, and `chosen` has a move only for roles that
//! have chosen in the step that is under way.

use crosscheck::reference::{Simulator, State, TermId};
use gdl::{RoleId, Source};
use index::IndexVec;
use verdict::{Objective, Question};

use crate::failure::Failure;

/// A move of a role: its id in the simulator, and its text.
#[derive(Clone, Debug, Default)]
pub(super) struct Move {
    id: Option<TermId>,
    /// As GDL.
    pub(super) text: String,
}

#[cfg(test)]
impl Move {
    /// A move that no simulator knows.
    pub(super) fn of_text(text: &str) -> Self {
        Self { id: None, text: text.to_owned() }
    }
}

/// A state, and whether somebody chose the step that led out of the state before.
struct Visit {
    state: State,
    by_choice: bool,
}

/// The game under way.
pub(super) struct Table {
    simulator: Simulator,
    question: Question,
    source: Source,
    visits: Vec<Visit>,
    chosen: IndexVec<RoleId, Option<TermId>>,
}

impl Table {
    /// The table before the first step.
    pub(super) fn new(question: Question, source: &Source) -> Result<Self, Failure> {
        let simulator = Simulator::new(&question.rulebook)
            .map_err(|fault| Failure::Game(Box::new(fault), Some(source.clone())))?;
        let visits = vec![Visit { state: simulator.initial_state(), by_choice: false }];
        let chosen = IndexVec::filled(None, question.rulebook.roles.len());
        Ok(Self { simulator, question, source: source.clone(), visits, chosen })
    }

    /// Steps played.
    pub(super) fn steps(&self) -> usize {
        self.visits.len() - 1
    }

    /// Steps that the horizon leaves; none without a horizon.
    pub(super) fn steps_left(&self) -> Option<u32> {
        let played = u32::try_from(self.steps()).unwrap_or(u32::MAX);
        self.question.horizon.map(|horizon| horizon.saturating_sub(played))
    }

    /// The state.
    pub(super) fn state(&self) -> &State {
        &self.visits.last().expect("the initial state stays").state
    }

    /// The state's facts as GDL, sorted.
    pub(super) fn facts(&self) -> Vec<String> {
        let mut facts: Vec<String> =
            self.state().terms().iter().map(|id| self.simulator.text(*id)).collect();
        facts.sort_unstable();
        facts
    }

    /// The state's facts as terms.
    pub(super) fn terms_of(&self, state: &State) -> Vec<gdl::Term> {
        state.terms().iter().map(|id| self.simulator.term(*id)).collect()
    }

    /// The roles in the order in which they choose.
    pub(super) fn order(&self) -> Vec<RoleId> {
        let asked = std::iter::once(self.question.role);
        asked.chain(self.question.opponents()).chain(self.question.chance.iter()).collect()
    }

    /// The name of a role.
    pub(super) fn name(&self, role: RoleId) -> &str {
        self.question.rulebook.role_name(role)
    }

    /// Whether a role plays at random.
    pub(super) fn is_chance(&self, role: RoleId) -> bool {
        self.question.chance.contains(role)
    }

    /// Whether a role is the one asked about.
    pub(super) fn is_asked(&self, role: RoleId) -> bool {
        self.question.role == role
    }

    /// Whether the game has ended, or the horizon.
    pub(super) fn is_over(&mut self) -> Result<bool, Failure> {
        let state = self.state().clone();
        Ok(self.steps_left() == Some(0) || self.is_terminal(&state)?)
    }

    /// Whether a state is terminal.
    pub(super) fn is_terminal(&mut self, state: &State) -> Result<bool, Failure> {
        self.simulator.is_terminal(state).map_err(|fault| self.failure(fault))
    }

    /// What a terminal state pays to the asked role, as a goal value over 100 or 100 for a win.
    pub(super) fn payoff(&mut self, state: &State) -> Result<u32, Failure> {
        let role = self.question.role;
        let goals = self.goals(state, role)?;
        Ok(match self.question.objective {
            Objective::Win => u32::from(goals.contains(&100)) * 100,
            Objective::Goal => goals.first().copied().unwrap_or(0),
        })
    }

    /// How it ended: the goal values of all roles but chance.
    pub(super) fn result(&mut self) -> Result<String, Failure> {
        let state = self.state().clone();
        if !self.is_terminal(&state)? {
            return Ok("the horizon is reached: unfinished play is worth 0".to_owned());
        }
        let mut parts = Vec::new();
        for role in self.order() {
            let goals = self.goals(&state, role)?;
            let texts: Vec<String> = goals.iter().map(u32::to_string).collect();
            if !texts.is_empty() {
                parts.push(format!("{} {}", self.name(role), texts.join(" and ")));
            }
        }
        Ok(format!("the game is over: {}", parts.join(", ")))
    }

    /// The legal moves of a role in the state; at least one.
    pub(super) fn legal_moves(&mut self, role: RoleId) -> Result<Vec<Move>, Failure> {
        let state = self.state().clone();
        let ids = self.simulator.legal_moves(&state, role).map_err(|fault| self.failure(fault))?;
        if ids.is_empty() {
            let message = format!("role `{}` has no legal move in this state", self.name(role));
            return Err(Failure::input("no-legal-move", message)
                .note(format!("state: {}", self.simulator.state_text(&state))));
        }
        Ok(ids.iter().map(|id| Move { id: Some(*id), text: self.simulator.text(*id) }).collect())
    }

    /// Notes the move of a role in this step.
    pub(super) fn choose(&mut self, role: RoleId, made: &Move) {
        assert!(made.id.is_some(), "a move of the simulator");
        self.chosen[role] = made.id;
    }

    /// Takes a note back.
    pub(super) fn unchoose(&mut self, role: RoleId) {
        debug_assert!(self.has_chosen(role), "only a choice is taken back");
        self.chosen[role] = None;
    }

    /// Whether a role has chosen in this step.
    pub(super) fn has_chosen(&self, role: RoleId) -> bool {
        self.chosen[role].is_some()
    }

    /// Takes back what was chosen in this step.
    pub(super) fn forget_choices(&mut self) {
        self.chosen.iter_mut().for_each(|held| *held = None);
    }

    /// The state after the moves chosen.
    ///
    /// # Panics
    /// When a role has not chosen.
    pub(super) fn peek(&mut self) -> Result<State, Failure> {
        let moves: Vec<TermId> =
            self.chosen.iter().map(|held| held.expect("every role has chosen")).collect();
        let state = self.state().clone();
        self.simulator.next_state(&state, &moves).map_err(|fault| self.failure(fault))
    }

    /// Makes the step that was chosen; `by_choice` where somebody at the keyboard had a say.
    pub(super) fn make_step(&mut self, by_choice: bool) -> Result<(), Failure> {
        debug_assert_ne!(self.steps_left(), Some(0), "no step goes past the horizon");
        let state = self.peek()?;
        self.forget_choices();
        self.visits.push(Visit { state, by_choice });
        Ok(())
    }

    /// Back to the last state in which somebody chose; the initial state stays.
    pub(super) fn undo(&mut self) {
        self.forget_choices();
        while self.visits.len() > 1 {
            let last = self.visits.pop().expect("more than one visit");
            if last.by_choice {
                break;
            }
        }
        assert!(!self.visits.is_empty(), "the initial state stays");
    }

    fn goals(&mut self, state: &State, role: RoleId) -> Result<Vec<u32>, Failure> {
        self.simulator.goals(state, role).map_err(|fault| self.failure(fault))
    }

    fn failure(&self, fault: verdict::Fault) -> Failure {
        Failure::Game(Box::new(fault), Some(self.source.clone()))
    }
}
