//! What the rules say of one state under a question: its worth, or who can move how and where that
//! leads.
//!
//! Always: joint moves are gone through in the order asked role, opponents, chance roles, the last
//! fastest; the outcomes of chance for one choice are equally likely, one a joint move, so a state
//! that several of them lead to comes several times.

use exact::Ratio;
use gdl::RoleId;
use verdict::{Fault, Objective, Question};

use super::graph::Place;
use super::states::{Simulator, State};
use super::terms::TermId;

/// What can happen in a state.
pub(crate) enum Node {
    /// The game has ended with this worth.
    Terminal(Ratio),
    /// Joint moves lead on.
    Inner(Inner),
}

/// A state in which the roles move.
#[derive(Clone)]
pub(crate) struct Inner {
    /// Legal moves of each role.
    pub(crate) moves: Vec<Vec<TermId>>,
    /// Moves of the asked role.
    pub(crate) own: usize,
    /// Joint moves of the opponents.
    pub(crate) opposing: usize,
    /// Joint moves of the chance roles.
    pub(crate) outcomes: usize,
    /// The next state of each joint move; `own * opposing * outcomes` of them. Empty until asked
    /// for.
    pub(crate) children: Vec<Place>,
}

impl Inner {
    /// Number of joint moves.
    pub(crate) fn joint_moves(&self) -> usize {
        self.own.saturating_mul(self.opposing).saturating_mul(self.outcomes)
    }

    /// Whether somebody who chooses faces an opponent who chooses in the same step.
    pub(crate) fn is_simultaneous_step(&self) -> bool {
        self.own > 1 && self.opposing > 1 && !self.children.is_empty()
    }

    /// Whether nobody has a choice but chance has.
    pub(crate) fn waits_for_chance(&self) -> bool {
        self.own * self.opposing == 1 && self.outcomes > 1
    }
}

/// A question with its rules.
pub(crate) struct Plays<'a> {
    pub(crate) question: &'a Question,
    pub(crate) simulator: Simulator,
    /// The asked role, its opponents, the chance roles.
    order: Vec<RoleId>,
}

impl<'a> Plays<'a> {
    pub(crate) fn new(question: &'a Question) -> Result<Self, Fault> {
        if question.chance.contains(question.role) {
            return Err(asked_is_chance(question));
        }
        let mut order = vec![question.role];
        order.extend(question.opponents());
        order.extend(question.chance.iter());
        assert_eq!(order.len(), question.rulebook.roles.len(), "every role has its side");
        let simulator = Simulator::new(&question.rulebook)?;
        Ok(Self { question, simulator, order })
    }

    /// The state that is asked about.
    pub(crate) fn root(&mut self) -> Result<State, Fault> {
        match &self.question.from {
            None => Ok(self.simulator.initial_state()),
            Some(terms) => self.simulator.state(terms).ok_or_else(not_ground),
        }
    }

    /// Hands out the joint moves of a state, one move a role, with the states that follow, until
    /// `each` returns false; whether it never did.
    pub(crate) fn go_through<E: From<Fault>>(
        &mut self,
        state: &State,
        inner: &Inner,
        mut each: impl FnMut(&mut Self, &[TermId], State) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let mut odometer = vec![0; self.order.len()];
        loop {
            let moves = inner.moves.iter().enumerate();
            let joint: Vec<TermId> = moves.map(|(role, list)| list[odometer[role]]).collect();
            let next = self.simulator.next_state(state, &joint)?;
            if !each(self, &joint, next)? {
                return Ok(false);
            }
            if !advance(&mut odometer, &self.order, &inner.moves) {
                return Ok(true);
            }
        }
    }

    /// What can happen in a state, which is checked.
    pub(crate) fn look_at(&mut self, state: &State) -> Result<Node, Fault> {
        if self.simulator.is_terminal(state)? {
            return self.worth(state).map(Node::Terminal);
        }
        let mut moves = Vec::new();
        for role in self.question.rulebook.roles.ids() {
            let legal = self.simulator.legal_moves(state, role)?;
            if legal.is_empty() {
                return Err(self.stuck(state, role));
            }
            moves.push(legal);
        }
        let joint = |roles: &[RoleId]| -> usize {
            let counts = roles.iter().map(|role| moves[index::Id::index(*role)].len());
            counts.fold(1, usize::saturating_mul)
        };
        let opponents = self.question.opponents().count();
        let own = joint(&self.order[..1]);
        let opposing = joint(&self.order[1..=opponents]);
        let outcomes = joint(&self.order[opponents + 1..]);
        Ok(Node::Inner(Inner { moves, own, opposing, outcomes, children: Vec::new() }))
    }

    /// What a terminal state is worth to the asked role.
    fn worth(&mut self, state: &State) -> Result<Ratio, Fault> {
        let goals = self.simulator.goals(state, self.question.role)?;
        match (&goals[..], self.question.objective) {
            ([_, _, ..], _) => Err(self.several_goals(state, &goals)),
            ([], Objective::Goal) => Err(self.no_goal(state)),
            ([], Objective::Win) => Ok(Ratio::zero()),
            ([goal], Objective::Goal) => Ok(Ratio::new(*goal, 100u8)),
            ([goal], Objective::Win) => Ok(Ratio::new(u8::from(*goal == 100), 1u8)),
        }
    }

    fn stuck(&self, state: &State, role: RoleId) -> Fault {
        let name = self.question.rulebook.role_name(role);
        let note = "every role needs a legal move in every state that is not terminal";
        self.fault(
            "no-legal-move",
            format!("role `{name}` has no legal move in a reachable state"),
            state,
            note,
        )
    }

    fn several_goals(&self, state: &State, goals: &[u32]) -> Fault {
        let name = self.question.rulebook.role_name(self.question.role);
        let goals: Vec<String> = goals.iter().map(u32::to_string).collect();
        let goals = goals.join(", ");
        self.fault(
            "several-goals",
            format!("role `{name}` has the goal values {goals} in one terminal state"),
            state,
            "a role has one goal value in a terminal state",
        )
    }

    fn no_goal(&self, state: &State) -> Fault {
        let name = self.question.rulebook.role_name(self.question.role);
        self.fault(
            "no-goal",
            format!("role `{name}` has no goal value in a terminal state"),
            state,
            "under the objective `goal` every terminal state needs one",
        )
    }

    fn fault(&self, code: &'static str, message: String, state: &State, note: &str) -> Fault {
        let states = vec![self.simulator.state_text(state)];
        Fault { code, message, states, span: None, notes: vec![note.into()] }
    }
}

/// Steps to the next joint move, the last role of the order fastest; false after the last one.
fn advance(odometer: &mut [usize], order: &[RoleId], moves: &[Vec<TermId>]) -> bool {
    for role in order.iter().rev().map(|role| index::Id::index(*role)) {
        odometer[role] += 1;
        if odometer[role] < moves[role].len() {
            return true;
        }
        odometer[role] = 0;
    }
    false
}

fn asked_is_chance(question: &Question) -> Fault {
    let role = question.rulebook.role_name(question.role);
    Fault {
        code: "asked-role-is-chance",
        message: format!("role `{role}` plays at random, so it has no best odds to ask for"),
        states: Vec::new(),
        span: None,
        notes: vec!["ask about a role that chooses its moves".into()],
    }
}

fn not_ground() -> Fault {
    Fault {
        code: "state-not-ground",
        message: "the state asked about holds a variable".into(),
        states: Vec::new(),
        span: None,
        notes: Vec::new(),
    }
}
