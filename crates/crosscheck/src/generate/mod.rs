//! Random small games, well-formed by construction: the same seed, the same sheet.
//!
//! A game has one to three players and perhaps `random`, flags, one field of many values, and
//! something that goes forward: a clock, or a walk along numbered posts by one or two, so that a
//! state can be met at different plies and by different paths. Who chooses at which post, which
//! moves are legal, what they change, who wins and when play ends early are all drawn; conditions
//! go through a chain of helpers with negation by strata and a recursive relation. Steps may be
//! forced, simultaneous, or wait for chance with unequal branch counts.
//!
//! Always: every role has a legal move where the game goes on; play ends, for every step leads to
//! a later post; each player has exactly one goal value in every terminal state; at most a few
//! thousand states are reachable. Base and input are each declared in somewhat more than half of the
//! sheets. How often each feature comes is held to a floor by the tests of `features`.

mod board;
mod logic;
mod recurrent;
mod roles;
mod several;
mod symmetric;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use gdl::{Rulebook, keyword};
use verdict::{Objective, Question};

use crate::dice::Dice;

pub use recurrent::recurrent;
pub use several::several;
pub use symmetric::symmetric;

/// Everything that is drawn for one sheet.
struct Sheet {
    dice: Dice,
    /// Rules and facts, one an entry.
    lines: Vec<String>,
    /// Roles in the order of the sheet; `random` may be among them.
    roles: Vec<String>,
    /// Posts `0..end` are on the way; `end` and beyond are terminal.
    end: usize,
    /// Name of the proposition that holds the post: `clock` or `at`.
    forward: &'static str,
    /// Flags, which hold or not.
    flags: Vec<String>,
    /// Values of the field `val`; empty where there is no field.
    colours: Vec<String>,
    /// Conditions on the state, as one literal each.
    conditions: Vec<String>,
    /// Conditions on the joint move, as one literal each.
    deeds: Vec<String>,
}

/// A random game as GDL text.
///
/// # Panics
/// Never; the sheet is read without an error.
pub fn game(seed: u64) -> String {
    let mut sheet = Sheet::new(Dice::new(seed));
    sheet.write_roles();
    sheet.write_board();
    sheet.write_helpers();
    sheet.write_moves();
    sheet.write_effects();
    sheet.write_progress();
    sheet.write_ends();
    if sheet.dice.chance(60) {
        sheet.write_base();
    }
    if sheet.dice.chance(60) {
        sheet.write_input();
    }
    sheet.finish(seed)
}

/// What is asked about a random game: every player in turn, under an objective and a horizon that
/// change from seed to seed.
pub fn questions(seed: u64, rulebook: &Arc<Rulebook>) -> Vec<Question> {
    let players = rulebook.roles.enumerate().filter(|(_, name)| **name != keyword::RANDOM);
    let question = |(role, _)| {
        let mut question = Question::new(Arc::clone(rulebook)).expect("a player");
        question.role = role;
        question.objective = if seed.is_multiple_of(2) { Objective::Win } else { Objective::Goal };
        question.horizon = seed.is_multiple_of(3).then_some(u32::try_from(seed % 5).unwrap_or(0));
        question
    };
    players.map(question).collect()
}

impl Sheet {
    fn new(mut dice: Dice) -> Self {
        let end = dice.between(3, 9);
        let forward = *dice.pick(&["clock", "at"]);
        let flags =
            ["f", "g", "h", "k"][..dice.between(2, 4)].iter().map(|f| (*f).to_owned()).collect();
        let colours = ["red", "green", "blue", "grey"];
        let colours = if dice.chance(60) { &colours[..dice.between(2, 4)] } else { &[] };
        Self {
            end,
            forward,
            flags,
            colours: colours.iter().map(|c| (*c).to_owned()).collect(),
            roles: Vec::new(),
            lines: Vec::new(),
            conditions: Vec::new(),
            deeds: Vec::new(),
            dice,
        }
    }

    /// Adds a rule or a fact.
    fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Adds a rule from its head and the literals of its body, which are put in a random order.
    fn rule(&mut self, head: &str, body: &[&str]) {
        let mut body = body.to_vec();
        body.retain(|literal| !literal.is_empty());
        self.dice.shuffle(&mut body);
        if body.is_empty() {
            // A nullary head is no fact without parentheses.
            let fact = if head.starts_with('(') { head.into() } else { format!("({head})") };
            self.say(fact);
        } else {
            self.say(format!("(<= {head} {})", body.join(" ")));
        }
    }

    /// The players, without `random`.
    fn players(&self) -> Vec<String> {
        self.roles.iter().filter(|role| *role != "random").cloned().collect()
    }

    /// The text: roles in their order, everything else in any.
    fn finish(mut self, seed: u64) -> String {
        let mut lines = std::mem::take(&mut self.lines);
        self.dice.shuffle(&mut lines);
        let roles: Vec<String> = self.roles.iter().map(|role| format!("(role {role})")).collect();
        let at = self.dice.below(lines.len() + 1);
        lines.splice(at..at, roles);
        format!("; generated from seed {seed}\n{}\n", lines.join("\n"))
    }
}
