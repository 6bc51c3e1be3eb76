//! Features that only playing shows: all states, the nearest first, each gone through once.
//!
//! A state belongs to the ply at which it is met first. Steps from two states to one of the next ply are
//! a meeting at one ply; a step to a state of an earlier ply, or of its own, is a meeting at two.
//! Whether a play can return is asked of the graph of all steps.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use gdl::{RoleId, Rulebook, keyword};
use verdict::Fault;

use super::Feature;
use crate::reference::{Simulator, State, TermId};

pub(super) fn features(
    rulebook: &Arc<Rulebook>,
    states: usize,
) -> Result<BTreeSet<Feature>, Fault> {
    let mut survey = Survey {
        rulebook,
        simulator: Simulator::new(rulebook)?,
        found: BTreeSet::new(),
        plies: HashMap::new(),
        tosses: BTreeSet::new(),
        ends: Vec::new(),
        steps: Vec::new(),
    };
    survey.run(states)?;
    if survey.tosses.len() > 1 {
        survey.found.insert(Feature::UnequalChance);
    }
    survey.judge_ends()?;
    if survey.comes_back() {
        survey.found.insert(Feature::ComesBack);
    }
    Ok(survey.found)
}

struct Survey<'a> {
    rulebook: &'a Rulebook,
    simulator: Simulator,
    found: BTreeSet<Feature>,
    /// The number of each state, in the order of meeting, and its ply.
    plies: HashMap<State, (usize, u32)>,
    /// Numbers of joint moves of chance, where there are several.
    tosses: BTreeSet<usize>,
    ends: Vec<State>,
    /// Next states of each state that was gone through, by number.
    steps: Vec<(usize, BTreeSet<usize>)>,
}

impl Survey<'_> {
    fn run(&mut self, states: usize) -> Result<(), Fault> {
        let root = self.simulator.initial_state();
        self.plies.insert(root.clone(), (0, 0));
        let mut layer = vec![root];
        let mut ply = 0;
        while !layer.is_empty() && self.plies.len() < states {
            ply += 1;
            let mut next = Vec::new();
            for state in layer {
                self.go_through(&state, ply, &mut next)?;
            }
            layer = next;
        }
        Ok(())
    }

    fn go_through(&mut self, state: &State, ply: u32, met: &mut Vec<State>) -> Result<(), Fault> {
        if self.simulator.is_terminal(state)? {
            self.ends.push(state.clone());
            return Ok(());
        }
        let roles = self.rulebook.roles.ids();
        let legal = |role: RoleId, simulator: &mut Simulator| simulator.legal_moves(state, role);
        let moves: Vec<Vec<TermId>> =
            roles.map(|role| legal(role, &mut self.simulator)).collect::<Result<_, _>>()?;
        if moves.iter().any(Vec::is_empty) {
            return Ok(());
        }
        self.note_choices(&moves);
        let from = self.plies[state].0;
        let mut here = BTreeSet::new();
        for joint in product(&moves) {
            let next = self.simulator.next_state(state, &joint)?;
            let number = self.meet(next, ply, &here, met);
            here.insert(number);
        }
        self.steps.push((from, here));
        Ok(())
    }

    /// Notes a step to a state at a ply; the state's number.
    fn meet(
        &mut self,
        next: State,
        ply: u32,
        here: &BTreeSet<usize>,
        met: &mut Vec<State>,
    ) -> usize {
        let fresh = (self.plies.len(), ply);
        let (number, first) = *self.plies.entry(next.clone()).or_insert(fresh);
        if number == fresh.0 {
            met.push(next);
        } else if first < ply {
            self.found.insert(Feature::MeetsAtTwoPlies);
        } else if !here.contains(&number) {
            self.found.insert(Feature::MeetsAtOnePly);
        }
        number
    }

    fn note_choices(&mut self, moves: &[Vec<TermId>]) {
        let is_chance =
            |role: usize| self.rulebook.roles.iter().nth(role) == Some(&keyword::RANDOM);
        let (mut choosers, mut joint) = (0, 1);
        for (role, legal) in moves.iter().enumerate() {
            joint *= legal.len();
            if !is_chance(role) {
                choosers += usize::from(legal.len() > 1);
            } else if legal.len() > 1 {
                self.tosses.insert(legal.len());
            }
        }
        if choosers > 1 {
            self.found.insert(Feature::Simultaneous);
        }
        if joint == 1 {
            self.found.insert(Feature::Forced);
        }
    }

    /// Goals of players where play ends.
    fn judge_ends(&mut self) -> Result<(), Fault> {
        let players = self.rulebook.roles.enumerate().filter(|(_, name)| **name != keyword::RANDOM);
        let players: Vec<RoleId> = players.map(|(role, _)| role).collect();
        for state in std::mem::take(&mut self.ends) {
            for role in &players {
                let goals = self.simulator.goals(&state, *role)?;
                self.found.extend(goals.into_iter().map(|goal| match goal {
                    0 => Feature::GoalNone,
                    100 => Feature::GoalFull,
                    _ => Feature::GoalSome,
                }));
            }
        }
        Ok(())
    }

    /// Whether some state can be reached from itself: states without a step to one that is left are
    /// taken away until none is left or all that are have one.
    fn comes_back(&self) -> bool {
        let mut left: HashMap<usize, &BTreeSet<usize>> =
            self.steps.iter().map(|(from, next)| (*from, next)).collect();
        loop {
            let held = left.len();
            let kept: BTreeSet<usize> = left.keys().copied().collect();
            left.retain(|_, next| !next.is_disjoint(&kept));
            if left.len() == held {
                return held > 0;
            }
        }
    }
}

/// All joint moves, one move a role.
fn product(moves: &[Vec<TermId>]) -> Vec<Vec<TermId>> {
    moves.iter().fold(vec![Vec::new()], |joint, legal| {
        let longer = |held: &Vec<TermId>, one: &TermId| [&held[..], &[*one]].concat();
        joint.iter().flat_map(|held| legal.iter().map(move |one| longer(held, one))).collect()
    })
}
