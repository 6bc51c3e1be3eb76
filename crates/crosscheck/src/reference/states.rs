//! States, legal moves, steps and goals, as the rules have them.
//!
//! A state is the sorted set of the ground terms that are true. The simulator evaluates the part of
//! the rules that depends on the state once a state, and the part that depends on the joint move
//! once a step. It knows nothing of values or of who opposes whom.

use std::sync::Arc;

use gdl::{RoleId, Rulebook, SymbolId, Term, keyword};
use index::IndexVec;
use verdict::Fault;

use super::machine::{Growth, Machine};
use super::strata::Layer;
use super::terms::TermId;

/// A state: the sorted ids of the terms that are true. Ids are those of one simulator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(Arc<[TermId]>);

impl State {
    fn new(mut terms: Vec<TermId>) -> Self {
        terms.sort_unstable();
        terms.dedup();
        Self(terms.into())
    }

    /// The terms that are true, in the order of their ids.
    pub fn terms(&self) -> &[TermId] {
        &self.0
    }
}

/// Plays a game by its rules, without any compilation.
pub struct Simulator {
    rulebook: Arc<Rulebook>,
    machine: Machine,
    roles: IndexVec<RoleId, TermId>,
    /// The state whose facts the machine holds.
    shown: Option<State>,
}

impl Simulator {
    /// Makes ready what holds in all states.
    ///
    /// # Errors
    /// When a domain grows without bound.
    pub fn new(rulebook: &Arc<Rulebook>) -> Result<Self, Fault> {
        let mut machine = Machine::new(rulebook);
        let roles: IndexVec<RoleId, TermId> =
            rulebook.roles.iter().map(|name| machine.terms.intern(*name, Box::default())).collect();
        let role = machine.relation(keyword::ROLE, 1);
        machine.assume(role, roles.iter().map(std::slice::from_ref));
        let mut simulator = Self { rulebook: rulebook.clone(), machine, roles, shown: None };
        simulator.evaluate(Layer::Game)?;
        Ok(simulator)
    }

    /// The state in which play begins.
    pub fn initial_state(&self) -> State {
        let init = self.machine.relation(keyword::INIT, 1);
        State::new(self.machine.tuples(init).iter().map(|tuple| tuple[0]).collect())
    }

    /// The state in which exactly these terms are true; none where one of them is not ground.
    pub fn state(&mut self, terms: &[Term]) -> Option<State> {
        let ids: Option<Vec<TermId>> =
            terms.iter().map(|term| self.machine.terms.ground(term)).collect();
        Some(State::new(ids?))
    }

    /// The state in which exactly these terms are true.
    pub fn state_of(&self, terms: impl Iterator<Item = TermId>) -> State {
        State::new(terms.collect())
    }

    /// Whether the game has ended.
    ///
    /// # Errors
    /// When a domain grows without bound.
    pub fn is_terminal(&mut self, state: &State) -> Result<bool, Fault> {
        self.show(state)?;
        let terminal = self.machine.relation(keyword::TERMINAL, 0);
        Ok(!self.machine.tuples(terminal).is_empty())
    }

    /// The distinct legal moves of a role, in the order of their terms.
    ///
    /// # Errors
    /// When a domain grows without bound.
    pub fn legal_moves(&mut self, state: &State, role: RoleId) -> Result<Vec<TermId>, Fault> {
        self.show(state)?;
        Ok(self.second_arguments(keyword::LEGAL, role))
    }

    /// The distinct goal values of a role, ascending; none where no goal rule applies.
    ///
    /// # Errors
    /// When a goal is no whole number of 0 to 100, or a domain grows without bound.
    pub fn goals(&mut self, state: &State, role: RoleId) -> Result<Vec<u32>, Fault> {
        self.show(state)?;
        let mut values = Vec::new();
        for id in self.second_arguments(keyword::GOAL, role) {
            values.push(self.goal_value(id).ok_or_else(|| self.bad_goal(state, role, id))?);
        }
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }

    fn goal_value(&self, id: TermId) -> Option<u32> {
        let text = self.rulebook.symbols.name(self.machine.terms.constant(id)?);
        let plain = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|value| plain && *value <= 100)
    }

    /// The state after a joint move: one move a role, in the order of the roles.
    ///
    /// # Panics
    /// When there are more or fewer moves than roles.
    ///
    /// # Errors
    /// When a domain grows without bound.
    pub fn next_state(&mut self, state: &State, moves: &[TermId]) -> Result<State, Fault> {
        self.step(state, moves, Layer::Step)?;
        let next = self.machine.relation(keyword::NEXT, 1);
        Ok(State::new(self.machine.tuples(next).iter().map(|tuple| tuple[0]).collect()))
    }

    /// What a role sees of a joint move, in the order of the terms.
    ///
    /// # Panics
    /// When there are more or fewer moves than roles.
    ///
    /// # Errors
    /// When a domain grows without bound.
    pub fn percepts(
        &mut self,
        state: &State,
        moves: &[TermId],
        role: RoleId,
    ) -> Result<Vec<TermId>, Fault> {
        self.step(state, moves, Layer::Step)?;
        self.evaluate(Layer::Percept)?;
        Ok(self.second_arguments(keyword::SEES, role))
    }

    /// A ground term as GDL text.
    pub fn text(&self, id: TermId) -> String {
        gdl::term_text(&self.term(id), &self.rulebook.symbols)
    }

    /// A state as GDL text: its terms, joined by blanks, in their order.
    pub fn state_text(&self, state: &State) -> String {
        if state.0.is_empty() {
            return "(nothing is true)".into();
        }
        let mut terms = state.0.to_vec();
        self.sort(&mut terms);
        terms.iter().map(|id| self.text(*id)).collect::<Vec<_>>().join(" ")
    }

    /// The term of an id.
    pub fn term(&self, id: TermId) -> Term {
        self.machine.terms.term(id)
    }

    /// The id of a ground term, such as a move that a user wrote; none where it is not ground.
    pub fn id(&mut self, term: &Term) -> Option<TermId> {
        self.machine.terms.ground(term)
    }

    /// Makes the machine hold the facts of a state.
    fn show(&mut self, state: &State) -> Result<(), Fault> {
        if self.shown.as_ref() == Some(state) {
            return Ok(());
        }
        self.shown = None;
        let holds = self.machine.relation(keyword::TRUE, 1);
        self.machine.assume(holds, state.0.iter().map(std::slice::from_ref));
        self.evaluate(Layer::State)?;
        self.shown = Some(state.clone());
        Ok(())
    }

    fn step(&mut self, state: &State, moves: &[TermId], layer: Layer) -> Result<(), Fault> {
        assert_eq!(moves.len(), self.roles.len(), "a joint move has one move a role");
        self.show(state)?;
        let played: Vec<[TermId; 2]> =
            self.roles.iter().zip(moves).map(|(role, played)| [*role, *played]).collect();
        let does = self.machine.relation(keyword::DOES, 2);
        self.machine.assume(does, played.iter().map(<[TermId; 2]>::as_slice));
        self.evaluate(layer)
    }

    fn evaluate(&mut self, layer: Layer) -> Result<(), Fault> {
        self.machine.evaluate(layer).map_err(growth_fault)
    }

    /// The second arguments of the facts `relation(role, _)`, in the order of their terms.
    fn second_arguments(&self, relation: SymbolId, role: RoleId) -> Vec<TermId> {
        let tuples = self.machine.tuples(self.machine.relation(relation, 2));
        let mine = tuples.iter().filter(|tuple| tuple[0] == self.roles[role]);
        let mut seconds: Vec<TermId> = mine.map(|tuple| tuple[1]).collect();
        self.sort(&mut seconds);
        seconds
    }

    fn sort(&self, ids: &mut [TermId]) {
        ids.sort_by_cached_key(|id| self.term(*id));
    }

    fn bad_goal(&self, state: &State, role: RoleId, id: TermId) -> Fault {
        let (role, value) = (self.rulebook.role_name(role), self.text(id));
        Fault {
            code: "goal-out-of-range",
            message: format!("the goal value `{value}` of role `{role}` is not in 0..100"),
            states: vec![self.state_text(state)],
            span: None,
            notes: vec!["goal values are whole numbers of 0 to 100".into()],
        }
    }
}

fn growth_fault(growth: Growth) -> Fault {
    let what = if growth.deep { "ever deeper terms" } else { "too many terms" };
    Fault {
        code: "domain-grows",
        message: format!("this rule makes {what}: its domain grows without bound"),
        states: Vec::new(),
        span: Some(growth.span),
        notes: vec!["bound the terms that it makes, for example by a successor relation".into()],
    }
}
