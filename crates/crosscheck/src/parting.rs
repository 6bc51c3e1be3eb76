//! Where two engines part: a walk from the state asked about, each step to a next state at which
//! they differ as well, down to one after which they agree.
//!
//! Always: the engines differ at every state of the walk when each is asked about that state alone,
//! with the steps that are left; and no state is gone to twice, so that the walk ends in games that
//! come back, too. Where every next state of the last was asked about, the two agree on all of them:
//! then the slip lies in how one values, ends or plays this one state. Engines are asked anew at each
//! state, so what only shows after a long run (a table that mixes two states up) may end the walk early,
//! at worst at the state where it began.
//! Cost: two solves for each next state on the way.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use gdl::Term;
use verdict::{Engine, Fault, Question, Watch};

use crate::agree::{Difference, Row, agree};
use crate::reference::{Node, Plays};

/// The last state of the walk, and the way to it.
#[derive(Clone, Debug)]
pub struct Parting {
    /// The joint moves that lead there from the state asked about, each as GDL text, a pair of role
    /// and move for each role.
    pub moves: Vec<String>,
    /// The question about the state where they part.
    pub question: Question,
    /// The state as GDL text.
    pub state: String,
    /// What the two said there.
    pub rows: Vec<Row>,
    /// How they differ there.
    pub difference: Difference,
    /// Whether both were asked about every next state, and agree on each.
    pub is_last: bool,
}

/// A state on the way.
struct Step {
    joint: String,
    state: String,
    terms: Vec<Term>,
}

/// Walks to a state where two engines part; none where they agree on the question, or where the rules
/// cannot be played from the state asked about.
///
/// Each solve has the limits of `watch`; the walk begins no solve after `patience`, nor after an
/// interrupt.
pub fn part(
    question: &Question,
    engines: [&dyn Engine; 2],
    watch: &Watch<'_>,
    patience: Duration,
) -> Option<Parting> {
    let begun = Instant::now();
    let is_over = || watch.interrupted() || begun.elapsed() > patience;
    let mut parting = compared(question.clone(), engines, watch)?;
    parting.state = opening(question).ok()?;
    let mut gone = BTreeSet::from([parting.state.clone()]);
    'walk: loop {
        // A fault of the rules ends the walk: they are played no further.
        let Ok(steps) = steps(&parting.question) else { return Some(parting) };
        for step in steps {
            if is_over() {
                return Some(parting);
            }
            if gone.contains(&step.state) {
                continue;
            }
            let horizon = parting.question.horizon.map(|left| left - 1);
            let next = Question { from: Some(step.terms), horizon, ..parting.question.clone() };
            if let Some(found) = compared(next, engines, watch) {
                gone.insert(step.state.clone());
                let mut moves = std::mem::take(&mut parting.moves);
                moves.push(step.joint);
                parting = Parting { moves, state: step.state, ..found };
                continue 'walk;
            }
        }
        parting.is_last = true;
        return Some(parting);
    }
}

/// What the two say, if they differ; the way there and the state are not told yet.
fn compared(question: Question, engines: [&dyn Engine; 2], watch: &Watch<'_>) -> Option<Parting> {
    let agreement = agree(&question, &engines, watch);
    assert_eq!(agreement.rows.len(), 2, "two engines were asked");
    let difference = agreement.disagreement?;
    let (moves, state, rows) = (Vec::new(), String::new(), agreement.rows);
    Some(Parting { moves, question, state, rows, difference, is_last: false })
}

/// The state asked about, as text.
fn opening(question: &Question) -> Result<String, Fault> {
    let mut plays = Plays::new(question)?;
    let root = plays.root()?;
    Ok(plays.simulator.state_text(&root))
}

/// The distinct next states, each with the first joint move that leads there.
fn steps(question: &Question) -> Result<Vec<Step>, Fault> {
    if question.horizon == Some(0) {
        return Ok(Vec::new());
    }
    let mut plays = Plays::new(question)?;
    let root = plays.root()?;
    let Node::Inner(inner) = plays.look_at(&root)? else { return Ok(Vec::new()) };
    let (mut met, mut steps) = (BTreeSet::new(), Vec::new());
    plays.go_through(&root, &inner, |plays, moves, next| {
        if met.insert(next.clone()) {
            let simulator = &plays.simulator;
            let names = question.rulebook.roles.ids().map(|role| question.rulebook.role_name(role));
            let pairs =
                names.zip(moves).map(|(name, id)| format!("({name} {})", simulator.text(*id)));
            steps.push(Step {
                joint: pairs.collect::<Vec<_>>().join(" "),
                state: simulator.state_text(&next),
                terms: next.terms().iter().map(|id| simulator.term(*id)).collect(),
            });
        }
        Ok::<bool, Fault>(true)
    })?;
    debug_assert!(!steps.is_empty(), "a state that has not ended has a next one");
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{Bent, Planted, question, watched};
    use crate::reference::Reference;

    /// Two coins, one after the other; who guesses the second right, after the first fell well, wins.
    const COINS: &str = "
        (role a) (role random) (init (at 0))
        (<= (legal random (toss ?f)) (true (at ?n)) (face ?f))
        (face h) (face t) (succ 0 1) (succ 1 2)
        (<= (legal a (guess ?f)) (true (at ?n)) (face ?f))
        (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
        (<= (next (first ?f)) (true (at 0)) (does random (toss ?f)))
        (<= (next (first ?f)) (true (first ?f)))
        (<= (next right) (true (at 1)) (does random (toss ?f)) (does a (guess ?f)))
        (<= terminal (true (at 2)))
        (<= (goal a 100) (true right) (true (first h)))
        (<= (goal a 0) (not (true right)))
        (<= (goal a 50) (true right) (not (true (first h))))";

    #[test]
    fn the_walk_ends_at_the_state_that_one_values_wrongly() {
        let question = question(COINS);
        let bent =
            Bent::new(COINS, "(true right) (true (first h))", "(true right) (true (first t))");
        let parting =
            watched(|watch| part(&question, [&Reference, &bent], watch, Duration::from_secs(60)));
        let parting = parting.expect("the engines differ");
        assert!(parting.is_last);
        assert_eq!(parting.moves.len(), 2, "both coins are tossed: {:?}", parting.moves);
        assert!(parting.state.contains("right") && parting.state.contains("(at 2)"));
        assert!(parting.moves[0].starts_with("(a (guess "), "{:?}", parting.moves);
        let (one, other) = (parting.rows[0].result_text(), parting.rows[1].result_text());
        assert_ne!(one, other);
    }

    #[test]
    fn steps_that_are_left_are_counted_down() {
        let question = Question { horizon: Some(2), ..question(COINS) };
        // A liar where one step is left: the walk ends there, after one move.
        let liar = Planted(|asked: &Question| asked.horizon == Some(1));
        let parting =
            watched(|watch| part(&question, [&Reference, &liar], watch, Duration::from_secs(60)));
        assert!(parting.is_none(), "the liar is right about the question itself");
        let question = Question { horizon: Some(1), ..question };
        let parting =
            watched(|watch| part(&question, [&Reference, &liar], watch, Duration::from_secs(60)));
        let parting = parting.expect("it lies about this one");
        assert!(parting.is_last && parting.moves.is_empty());
    }

    #[test]
    fn who_agrees_does_not_part_and_no_time_ends_the_walk_where_it_begins() {
        let question = question(COINS);
        let none =
            |watch: &Watch<'_>| part(&question, [&Reference, &Reference], watch, Duration::MAX);
        assert!(watched(none).is_none());
        let bent =
            Bent::new(COINS, "(true right) (true (first h))", "(true right) (true (first t))");
        let early = watched(|watch| part(&question, [&Reference, &bent], watch, Duration::ZERO));
        let early = early.expect("the engines differ");
        assert!(!early.is_last && early.moves.is_empty());
    }
}
