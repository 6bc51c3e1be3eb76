//! Which moves and goal values there are, from a relaxed program that the grounder evaluates.
//!
//! The relaxation forgets time, conditions that a timed atom does not hold, and that a role makes
//! one move: whatever can hold in some state of some play holds in its one least model. It has no
//! choice, so grounding finds all of it. Declared `base` and `input` are not needed and not
//! believed. A sheet whose terms grow without end has no finite relaxation, and grounding it ends
//! at a limit.

use gdl::{Term, keyword};
use index::IndexVec;
use verdict::Question;

use super::names;
use super::rule::{self, Style};
use super::sheet::Sheet;
use crate::ground::GroundProgram;

/// A move of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The term of the sheet.
    pub term: Term,
    /// As clingo prints it.
    pub(crate) text: String,
}

/// The moves of all roles, and the goal values of the asked one.
#[derive(Clone, Debug)]
pub struct Domains {
    /// Of each role, its moves in a fixed order.
    pub moves: IndexVec<gdl::RoleId, Vec<Move>>,
    /// The goal values that the asked role may get, those of interest, ascending: 1 to 100.
    pub goals: Vec<u8>,
}

/// What the relaxed program shows to be wrong with the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DomainFault {
    /// A goal value that is no whole number from 0 to 100, as text of the sheet.
    GoalValue(String),
}

/// The relaxed program: ground it and read it with [`Domains::read`].
pub fn relaxed_program(question: &Question) -> String {
    let sheet = Sheet::new(question);
    let mut text = String::new();
    for line in rule::start(&sheet, Style::Relaxed) {
        text.push_str(&line);
    }
    for one in &sheet.rules {
        if one.head.relation != keyword::INIT || question.from.is_none() {
            text.push_str(&rule::relaxed(&sheet, one));
        }
    }
    let (does, legal) = (sheet.predicate((keyword::DOES, 2)), sheet.predicate((keyword::LEGAL, 2)));
    text.push_str(&format!("{does}(R,M) :- {legal}(R,M).\n"));
    text
}

impl Domains {
    /// Reads the ground relaxed program of a question.
    ///
    /// # Errors
    /// A goal value that is none.
    pub fn read(question: &Question, ground: &GroundProgram) -> Result<Self, DomainFault> {
        let sheet = Sheet::new(question);
        let does = sheet.predicate((keyword::DOES, 2));
        let goal = sheet.predicate((keyword::GOAL, 2));
        let book = &question.rulebook;
        let mut moves: IndexVec<gdl::RoleId, Vec<Move>> =
            book.roles.iter().map(|_| Vec::new()).collect();
        let mut goals = Vec::new();
        let roles: Vec<String> = book.roles.ids().map(|role| sheet.role(role)).collect();
        for (text, _) in ground.symbols() {
            if let Some([role, made]) = names::arguments(text, does).as_deref() {
                let role = book.roles.ids().find(|id| roles[index::Id::index(*id)] == *role);
                let term = names::read_term(made, &book.symbols);
                if let (Some(role), Some(term)) = (role, term) {
                    moves[role].push(Move { term, text: (*made).to_owned() });
                }
            } else if let Some([role, value]) = names::arguments(text, goal).as_deref()
                && *role == roles[index::Id::index(question.role)]
            {
                goals.push(goal_value(question, value)?);
            }
        }
        for list in moves.iter_mut() {
            list.sort_by(|left, right| natural_order(&left.text, &right.text));
            list.dedup();
        }
        goals.sort_unstable();
        goals.dedup();
        goals.retain(|value| *value > 0);
        Ok(Self { moves, goals })
    }
}

fn goal_value(question: &Question, value: &str) -> Result<u8, DomainFault> {
    let number = value.parse::<u8>().ok().filter(|number| *number <= 100);
    number.ok_or_else(|| {
        let term = names::read_term(value, &question.rulebook.symbols);
        let text = term.map(|term| gdl::term_text(&term, &question.rulebook.symbols));
        DomainFault::GoalValue(text.unwrap_or_else(|| value.to_owned()))
    })
}

/// Orders texts by their words, numbers by size: `mark(2,1)` before `mark(10,1)`.
fn natural_order(left: &str, right: &str) -> std::cmp::Ordering {
    let key = |text: &str| -> Vec<(u64, String)> {
        text.split(['(', ')', ','])
            .map(|word| (word.parse().unwrap_or(u64::MAX), word.to_owned()))
            .collect()
    };
    key(left).cmp(&key(right)).then_with(|| left.cmp(right))
}
