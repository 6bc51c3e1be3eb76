//! The odds of the state on the table and of every move in it.
//!
//! The first to choose is answered by one solve from the state. Whoever chooses after another in
//! the same step, chance included, is answered by solving the states that can follow, the rest of
//! the step folded by the question's own rule: largest, smallest, mean. Solved states are kept, so
//! that stepping on and back costs nothing. Where a solve meets its time limit the bounds are
//! shown; where the game cannot be solved the reason is shown once and play goes on without odds.

use std::collections::HashMap;
use std::io::Write;
use std::time::{Duration, Instant};

use crosscheck::reference::State;
use exact::Ratio;
use gdl::{RoleId, Source};
use verdict::{Engine, Objective, Question};

use super::table::{Move, Table};
use crate::asking::{Patience, ask};
use crate::failure::Failure;
use crate::report::answer::Ended;
use crate::report::{number, trouble};

/// Most ways to finish a step that are solved for the sake of odds.
const CONTINUATIONS_MAX: usize = 64;

/// A value, or bounds on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Brackets {
    lower: Ratio,
    upper: Ratio,
}

impl Brackets {
    fn exact(value: Ratio) -> Self {
        debug_assert!(value.is_probability(), "a value in [0, 1]");
        Self { lower: value.clone(), upper: value }
    }

    /// `243/512 = 0.474609375`, or `0.25 to 0.5`.
    pub(super) fn text(&self) -> String {
        if self.lower == self.upper {
            return number::both(&self.lower);
        }
        let decimal = number::plain_decimal;
        format!("{} to {}", decimal(&self.lower), decimal(&self.upper))
    }
}

/// A state with the steps left: what a value belongs to.
type Key = (State, Option<u32>);

/// The odds, with an engine to find them.
pub(super) struct Odds {
    engine: Box<dyn Engine>,
    question: Question,
    source: Source,
    time: Duration,
    memory: Option<u64>,
    known: HashMap<Key, Option<Ended>>,
    told: bool,
}

impl Odds {
    /// Odds for a question, with limits for each state.
    pub(super) fn new(
        engine: Box<dyn Engine>,
        question: Question,
        source: Source,
        time: Duration,
        memory: Option<u64>,
    ) -> Self {
        Self { engine, question, source, time, memory, known: HashMap::new(), told: false }
    }

    /// The value of the state on the table; none where it cannot be found.
    pub(super) fn of(&mut self, table: &mut Table) -> Result<Option<Brackets>, Failure> {
        let state = table.state().clone();
        self.of_state(table, &state, table.steps_left())
    }

    /// `x wins with probability 243/512 = 0.474609375`.
    pub(super) fn headline(&self, value: &Option<Brackets>) -> String {
        let role = self.question.rulebook.role_name(self.question.role);
        match (value, self.question.objective) {
            (None, _) => format!("the odds of {role} are not known here"),
            (Some(odds), Objective::Win) => format!("{role} wins with probability {}", odds.text()),
            (Some(odds), Objective::Goal) => format!("{role} gets {} of 100", odds.text()),
        }
    }

    /// The value of each move of a role, after what others have chosen in this step.
    pub(super) fn of_moves(
        &mut self,
        table: &mut Table,
        role: RoleId,
        moves: &[Move],
    ) -> Result<Vec<Option<Brackets>>, Failure> {
        if let Some(listed) = self.first_moves(table, role) {
            return Ok(moves.iter().map(|held| listed.get(&held.text).cloned()).collect());
        }
        let mut ways = 1usize;
        for other in table.order() {
            if !table.has_chosen(other) {
                ways = ways.saturating_mul(table.legal_moves(other)?.len());
            }
        }
        if ways > CONTINUATIONS_MAX {
            return Ok(vec![None; moves.len()]);
        }
        let mut found = Vec::new();
        for held in moves {
            table.choose(role, held);
            let value = self.fold(table, &table.order());
            table.unchoose(role);
            found.push(value?);
        }
        Ok(found)
    }

    /// Places of the moves that are best for a role; none for chance or where odds are missing.
    pub(super) fn best(
        &self,
        table: &Table,
        role: RoleId,
        odds: &[Option<Brackets>],
    ) -> Vec<usize> {
        debug_assert!(!odds.is_empty(), "a role has a legal move");
        let Some(known) = odds.iter().map(Option::as_ref).collect::<Option<Vec<&Brackets>>>()
        else {
            return Vec::new();
        };
        let places = 0..known.len();
        if table.is_chance(role) {
            return Vec::new();
        }
        if table.is_asked(role) {
            let most = known.iter().map(|held| &held.lower).max();
            return places.filter(|place| Some(&known[*place].lower) == most).collect();
        }
        let least = known.iter().map(|held| &held.upper).min();
        places.filter(|place| Some(&known[*place].upper) == least).collect()
    }

    /// The first moves that the solve of this state listed, where they are this role's alone.
    fn first_moves(&self, table: &Table, role: RoleId) -> Option<HashMap<String, Brackets>> {
        let key = (table.state().clone(), table.steps_left());
        let mine = |choosers: &[String]| choosers == [table.name(role).to_owned()];
        match self.known.get(&key)?.as_ref()? {
            Ended::Exact(held) if mine(&held.choosers) => Some(
                held.moves
                    .iter()
                    .map(|first| (first.text.clone(), Brackets::exact(first.value.clone())))
                    .collect(),
            ),
            Ended::Halted(held) if mine(&held.choosers) => Some(
                held.moves
                    .iter()
                    .map(|first| {
                        let (lower, upper) = (first.lower.clone(), first.upper.clone());
                        (first.text.clone(), Brackets { lower, upper })
                    })
                    .collect(),
            ),
            _ => None,
        }
    }

    /// The value of the step when the roles of `order` that have not chosen still may.
    fn fold(&mut self, table: &mut Table, order: &[RoleId]) -> Result<Option<Brackets>, Failure> {
        let Some((role, rest)) = order.split_first() else {
            let state = table.peek()?;
            let left = table.steps_left().map(|steps| steps.saturating_sub(1));
            return self.of_state(table, &state, left);
        };
        if table.has_chosen(*role) {
            return self.fold(table, rest);
        }
        let mut parts = Vec::new();
        for held in table.legal_moves(*role)? {
            table.choose(*role, &held);
            let part = self.fold(table, rest);
            table.unchoose(*role);
            parts.extend(part?.map(|part| vec![part]).unwrap_or_default());
        }
        let whole = parts.len() == table.legal_moves(*role)?.len();
        Ok(whole.then(|| join(table, *role, &parts)))
    }

    /// The value of any state.
    fn of_state(
        &mut self,
        table: &mut Table,
        state: &State,
        left: Option<u32>,
    ) -> Result<Option<Brackets>, Failure> {
        if table.is_terminal(state)? {
            return Ok(Some(Brackets::exact(Ratio::new(table.payoff(state)?, 100u8))));
        }
        let key = (state.clone(), left);
        if !self.known.contains_key(&key) {
            let solved = self.solve(table, state, left)?;
            self.known.insert(key.clone(), solved);
        }
        Ok(self.known[&key].as_ref().map(|ended| match ended {
            Ended::Exact(held) => Brackets::exact(held.value.clone()),
            Ended::Halted(held) => {
                Brackets { lower: held.lower.clone(), upper: held.upper.clone() }
            }
        }))
    }

    /// Asks the engine; none, and the reason on standard error, where the game cannot be solved.
    fn solve(
        &mut self,
        table: &Table,
        state: &State,
        left: Option<u32>,
    ) -> Result<Option<Ended>, Failure> {
        let from = Some(table.terms_of(state));
        let question = Question { from, horizon: left, ..self.question.clone() };
        let patience = Patience {
            started: Instant::now(),
            time: Some(self.time),
            memory: self.memory,
            shown: true,
        };
        match ask(&*self.engine, &question, &self.source, &patience) {
            Ok(ended) => Ok(Some(ended)),
            Err(failure @ (Failure::Environment(_) | Failure::ClosedPipe)) => Err(failure),
            Err(failure) => {
                if !std::mem::replace(&mut self.told, true) {
                    let text = trouble::text(&failure, trouble::colored());
                    std::io::stderr().write_all(text.as_bytes()).ok();
                }
                Ok(None)
            }
        }
    }
}

/// Largest for the asked role, smallest for an opponent, mean for chance.
fn join(table: &Table, role: RoleId, parts: &[Brackets]) -> Brackets {
    assert!(!parts.is_empty(), "a role has a legal move");
    let lowers = || parts.iter().map(|part| &part.lower);
    let uppers = || parts.iter().map(|part| &part.upper);
    if table.is_chance(role) {
        let count = Ratio::new(parts.len(), 1u8);
        let mean = |sum: Ratio| sum / &count;
        return Brackets { lower: mean(lowers().sum()), upper: mean(uppers().sum()) };
    }
    let pick = |lower: Option<&Ratio>, upper: Option<&Ratio>| Brackets {
        lower: lower.expect("at least one").clone(),
        upper: upper.expect("at least one").clone(),
    };
    if table.is_asked(role) {
        pick(lowers().max(), uppers().max())
    } else {
        pick(lowers().min(), uppers().min())
    }
}
