//! The question: whose win, by which measure, over how many steps, against whom.

use std::sync::Arc;

use gdl::{RoleId, Rulebook, Term};
use index::IdSet;

/// What a terminal state is worth to the role asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Objective {
    /// 1 where `goal(role, 100)` holds, else 0.
    Win,
    /// The goal value over 100.
    Goal,
}

/// A question about a game. Semantics: the module header of `verdict` and ARCHITECTURE.md.
///
/// The value of a state with `n` steps left is the objective's value where the state is terminal;
/// 0 where `n` is 0; else the largest over the asked role's legal moves, of the smallest over the
/// opponents' joint legal moves, of the mean over the chance roles' joint legal moves (each
/// uniform over its distinct legal moves, independent of the others) of the next state's value
/// with `n - 1` steps. Without a horizon it is the limit for growing `n`.
#[derive(Clone, Debug)]
pub struct Question {
    /// The rules.
    pub rulebook: Arc<Rulebook>,
    /// The role asked about; never a chance role.
    pub role: RoleId,
    /// Win or goal.
    pub objective: Objective,
    /// Number of steps, or none for the limit.
    pub horizon: Option<u32>,
    /// Roles that play uniformly at random: `random`, and those that the user named.
    pub chance: IdSet<RoleId>,
    /// The state asked about, as the ground terms that are true; none for the initial state.
    pub from: Option<Vec<Term>>,
}

impl Question {
    /// The default question: the first role that is not chance wins, from the start, no horizon.
    /// None where every role is chance.
    pub fn new(rulebook: Arc<Rulebook>) -> Option<Self> {
        let chance: IdSet<RoleId> = rulebook
            .roles
            .enumerate()
            .filter(|(_, symbol)| **symbol == gdl::keyword::RANDOM)
            .map(|(role, _)| role)
            .collect();
        let role = rulebook.roles.ids().find(|role| !chance.contains(*role))?;
        Some(Self { rulebook, role, objective: Objective::Win, horizon: None, chance, from: None })
    }

    /// The roles that are not chance, in the order of the sheet.
    pub fn players(&self) -> impl Iterator<Item = RoleId> + '_ {
        self.rulebook.roles.ids().filter(|role| !self.chance.contains(*role))
    }

    /// The roles that play against the asked one, in the order of the sheet.
    pub fn opponents(&self) -> impl Iterator<Item = RoleId> + '_ {
        self.players().filter(|role| *role != self.role)
    }
}
