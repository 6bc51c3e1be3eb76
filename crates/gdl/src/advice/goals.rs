//! Roles and goals that look wrong: nobody can win, a role without a goal or without a move, a
//! role that sounds like chance but is not.

use super::Advice;
use crate::{Diagnostic, Rule, Severity, SymbolId, Term, keyword};

/// Names that people give to chance; only `random` is.
const CHANCE_NAMES: &[&str] = &[
    "chance",
    "coin",
    "dealer",
    "deck",
    "dice",
    "die",
    "environment",
    "fate",
    "fortune",
    "luck",
    "nature",
    "rand",
    "randomplayer",
    "random_player",
    "randomizer",
    "rng",
    "shuffler",
];
/// What a winner's goal is.
const WIN: &str = "100";

impl Advice<'_> {
    /// Rules for a relation whose first argument may be the role.
    fn about(&self, relation: SymbolId, role: SymbolId) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| {
            rule.head.relation == relation
                && match rule.head.args[0] {
                    Term::Constant(name) => name == role,
                    Term::Variable(_) => true,
                    Term::Compound(..) => false,
                }
        })
    }

    /// Where a role is stated: its own fact, or the first rule about roles.
    fn at_role(&self, role: SymbolId, fault: Diagnostic) -> Diagnostic {
        let mut about = self.about(keyword::ROLE, role);
        match about.next() {
            Some(rule) => fault.label(rule.head.span, ""),
            None => fault,
        }
    }

    pub(super) fn odd_goals(&self, faults: &mut Vec<Diagnostic>) {
        if self.rules.iter().all(|rule| rule.head.relation != keyword::GOAL) {
            return; // The sheet has no goals at all, which is told while reading.
        }
        for &role in self.roles.iter().filter(|role| **role != keyword::RANDOM) {
            let name = self.name(role);
            if self.about(keyword::GOAL, role).next().is_none() {
                let message = format!("no rule gives `{name}` a goal");
                let fault = Diagnostic::warning("role-without-goal", message).note(format!(
                    "no end of the game is worth anything to it; write (<= (goal {name} 100) CONDITION ...)"
                ));
                faults.push(self.at_role(role, fault));
            } else if !self.about(keyword::GOAL, role).any(|rule| self.may_be_win(rule)) {
                let message = format!("no rule gives `{name}` the goal {WIN}");
                let fault = Diagnostic::warning("no-win", message).note(
                    "a game is won with goal 100; where goals are scores, `solve --objective goal` asks for the expected one",
                );
                faults.push(self.at_role(role, fault));
            }
        }
    }

    fn may_be_win(&self, rule: &Rule) -> bool {
        match rule.head.args[1] {
            Term::Constant(value) => self.name(value) == WIN,
            Term::Variable(_) => true,
            Term::Compound(..) => false,
        }
    }

    pub(super) fn odd_roles(&self, faults: &mut Vec<Diagnostic>) {
        for &role in self.roles.iter() {
            let name = self.name(role);
            if self.about(keyword::LEGAL, role).next().is_none() {
                let message = format!("no rule gives `{name}` a legal move");
                let fault = Diagnostic::warning("role-without-move", message).note(format!(
                    "every role needs a move in every step; where it only waits, write (legal {name} noop)"
                ));
                faults.push(self.at_role(role, fault));
            }
            if CHANCE_NAMES.contains(&name.to_lowercase().as_str()) {
                let message = format!("`{name}` is a player like any other");
                let fault =
                    Diagnostic::of_severity(Severity::Note, "chance-name", message).note(format!(
                        "if it plays by chance, call it `random`, or ask with `--chance {name}`"
                    ));
                faults.push(self.at_role(role, fault));
            }
        }
    }
}
