//! The reachable states of a question, each expanded once.
//!
//! Always: a node's children stand in the order asked role, opponents, chance roles, the last
//! fastest; the outcomes of chance for one choice are equally likely, one entry a joint move, so a
//! state that several of them lead to stands there several times.

use gdl::RoleId;
use rustc_hash::FxHashMap;
use verdict::{Fault, Objective, Question, Watch};

use exact::Ratio;

use super::states::{Simulator, State};
use super::terms::TermId;

/// A state's place in the graph.
pub(super) type Place = usize;

/// What can happen in a state.
pub(super) enum Node {
    /// The game has ended with this worth.
    Terminal(Ratio),
    /// Joint moves lead on.
    Inner(Inner),
}

/// A state in which the roles move.
pub(super) struct Inner {
    /// Legal moves of each role.
    pub(super) moves: Vec<Vec<TermId>>,
    /// Moves of the asked role.
    pub(super) own: usize,
    /// Joint moves of the opponents.
    pub(super) opposing: usize,
    /// Joint moves of the chance roles.
    pub(super) outcomes: usize,
    /// The next state of each joint move; `own * opposing * outcomes` of them. Empty until asked
    /// for.
    pub(super) children: Vec<Place>,
}

impl Inner {
    /// Number of joint moves.
    pub(super) fn joint_moves(&self) -> usize {
        self.own.saturating_mul(self.opposing).saturating_mul(self.outcomes)
    }

    /// Whether somebody who chooses faces an opponent who chooses in the same step.
    pub(super) fn is_simultaneous_step(&self) -> bool {
        self.own > 1 && self.opposing > 1 && !self.children.is_empty()
    }

    /// Whether nobody has a choice but chance has.
    pub(super) fn waits_for_chance(&self) -> bool {
        self.own * self.opposing == 1 && self.outcomes > 1
    }
}

/// The states met so far.
pub(super) struct Graph<'a> {
    pub(super) question: &'a Question,
    pub(super) simulator: Simulator,
    /// The asked role, its opponents, the chance roles.
    order: Vec<RoleId>,
    places: FxHashMap<State, Place>,
    states: Vec<State>,
    nodes: Vec<Node>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(question: &'a Question) -> Result<Self, Fault> {
        if question.chance.contains(question.role) {
            return Err(asked_is_chance(question));
        }
        let mut order = vec![question.role];
        order.extend(question.opponents());
        order.extend(question.chance.iter());
        assert_eq!(order.len(), question.rulebook.roles.len(), "every role has its side");
        let simulator = Simulator::new(&question.rulebook)?;
        let (places, states, nodes) = (FxHashMap::default(), Vec::new(), Vec::new());
        Ok(Self { question, simulator, order, places, states, nodes })
    }

    /// The place of the state that is asked about.
    pub(super) fn root(&mut self) -> Result<Place, Fault> {
        let state = match &self.question.from {
            None => self.simulator.initial_state(),
            Some(terms) => self.simulator.state(terms).ok_or_else(not_ground)?,
        };
        self.place(state)
    }

    /// The node at a place.
    pub(super) fn node(&self, place: Place) -> &Node {
        &self.nodes[place]
    }

    /// All nodes.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Finds the children of an inner node, if it has not been done. False where the watch ran out
    /// before all were found; none are kept then.
    pub(super) fn expand(&mut self, place: Place, watch: &Watch<'_>) -> Result<bool, Fault> {
        let Node::Inner(inner) = &self.nodes[place] else { return Ok(true) };
        if !inner.children.is_empty() {
            return Ok(true);
        }
        let (moves, state) = (inner.moves.clone(), self.states[place].clone());
        let mut children = Vec::with_capacity(inner.joint_moves());
        let mut odometer = vec![0; self.order.len()];
        loop {
            if watch.interrupted() || watch.spent() > 1.0 {
                return Ok(false);
            }
            let joint: Vec<TermId> =
                moves.iter().enumerate().map(|(role, list)| list[odometer[role]]).collect();
            let next = self.simulator.next_state(&state, &joint)?;
            children.push(self.place(next)?);
            if !advance(&mut odometer, &self.order, &moves) {
                break;
            }
        }
        let Node::Inner(inner) = &mut self.nodes[place] else { unreachable!("it was inner") };
        assert_eq!(children.len(), inner.joint_moves());
        inner.children = children;
        Ok(true)
    }

    /// The place of a state, which is checked when it is new.
    fn place(&mut self, state: State) -> Result<Place, Fault> {
        if let Some(&place) = self.places.get(&state) {
            return Ok(place);
        }
        let node = self.look_at(&state)?;
        let place = self.nodes.len();
        self.nodes.push(node);
        self.states.push(state.clone());
        self.places.insert(state, place);
        Ok(place)
    }

    fn look_at(&mut self, state: &State) -> Result<Node, Fault> {
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
