//! Sweeps that keep one state of each orbit, beside those that keep all: on random games, with
//! symmetries and without, and on the families that `generate` prints.

use std::sync::Arc;

use crosscheck::families::{Board, connect, tictactoe};
use crosscheck::reference::Reference;
use crosscheck::{agree, generate};
use gdl::{Rulebook, keyword};
use solve::{Game, Options, Sweep, Tier};
use verdict::{Engine, Objective, Question, Verdict};

use crate::lineup::{rulebook, watched};
use crate::places;

/// Seeds of a normal run; a slow one takes ten times as many.
const SEEDS: u64 = 120;

/// A sweep by tables.
fn sweep(symmetry: bool, fold: bool) -> Sweep {
    Sweep::new(Options { symmetry, fold, tier: Tier::Table, ..Options::default() })
}

fn compiled(question: &Question) -> Game {
    watched(|watch| Game::new(question, &Options::default(), watch)).expect("a game")
}

/// Questions of all kinds about a sheet.
fn questions(seed: u64, book: &Arc<Rulebook>) -> Vec<Question> {
    let players = book.roles.enumerate().filter(|(_, name)| **name != keyword::RANDOM);
    let question = |(role, _)| {
        let mut question = Question::new(Arc::clone(book)).expect("a player");
        question.role = role;
        question.objective = if seed.is_multiple_of(2) { Objective::Win } else { Objective::Goal };
        question.horizon = seed.is_multiple_of(3).then_some(u32::try_from(seed % 5).unwrap_or(0));
        question
    };
    players.map(question).collect()
}

/// What must be the same: all but what is stored.
fn told(verdict: &Verdict) -> impl PartialEq + std::fmt::Debug + use<> {
    let moves: Vec<(String, String)> =
        verdict.moves.iter().map(|first| (first.text.clone(), first.value.to_string())).collect();
    let counts = verdict.counts;
    let counts = (counts.states, counts.decision_states, counts.plies);
    (verdict.value.to_string(), moves, counts, verdict.cut, verdict.simultaneous)
}

/// Asks with symmetry and without; how many states were stored.
fn both(question: &Question, fold: bool) -> Result<(u64, u64), String> {
    let [few, all] = [true, false].map(|symmetry| {
        watched(|watch| sweep(symmetry, fold).judge(question, watch)).expect("an answer")
    });
    if told(&few) != told(&all) {
        return Err(format!("{:?} with symmetry, {:?} without", told(&few), told(&all)));
    }
    Ok((few.counts.stored, all.counts.stored))
}

#[test]
fn symmetric_random_games_have_the_same_answers_without_symmetry_and_by_the_rules() {
    let last = if places::is_slow_run() { 10 * SEEDS } else { SEEDS };
    let (mut wrong, mut symmetric, mut large) = (Vec::new(), 0, 0);
    let (mut few, mut all) = (0, 0);
    for seed in 0..last {
        let book = rulebook(&format!("seed {seed}"), &generate::symmetric(seed));
        for question in questions(seed, &book) {
            let order = compiled(&question).symmetry().order;
            symmetric += u64::from(order > 1);
            large += u64::from(order > 4);
            match both(&question, seed % 4 != 1) {
                Ok(stored) => (few, all) = (few + stored.0, all + stored.1),
                Err(difference) => wrong.push(format!("seed {seed}: {difference}")),
            }
            let engines: [&dyn Engine; 2] = [&Reference, &sweep(true, true)];
            let agreement = watched(|watch| agree(&question, &engines, watch));
            wrong.extend(agreement.disagreement.map(|what| format!("seed {seed}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(symmetric >= last && large >= last / 4, "{symmetric} and {large} of {last}");
    assert!(4 * few < 3 * all, "{few} of {all} states were stored");
}

#[test]
fn random_games_of_all_kinds_have_the_same_answers_without_symmetry() {
    let last = if places::is_slow_run() { 10 * SEEDS } else { SEEDS };
    let mut wrong = Vec::new();
    for seed in 0..last {
        let book = rulebook(&format!("seed {seed}"), &generate::game(seed));
        for question in questions(seed, &book) {
            wrong.extend(both(&question, true).err().map(|what| format!("seed {seed}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn families_have_the_symmetries_of_their_boards() {
    let board = |columns, rows, line| Board { columns, rows, line };
    let order = |sheet: Result<String, String>| {
        let book = rulebook("a family", &sheet.expect("a sheet"));
        compiled(&Question::new(book).expect("a player")).symmetry().order
    };
    for own in [None, Some((3, 4)), Some((1, 2))] {
        // On 4 by 4 with lines of 4 rows and columns may be permuted together by each of the 8
        // permutations that keep 1 opposite to 4 and 2 opposite to 3, columns be reversed, and both
        // be exchanged: 32, by hand.
        for (size, line, known) in [(3, 3, 8), (4, 3, 8), (4, 4, 32), (5, 4, 8)] {
            let found = order(tictactoe(&board(size, size, line), own));
            assert_eq!(found, known, "{size} {line} {own:?}");
        }
        assert_eq!(order(tictactoe(&board(4, 3, 3), own)), 4, "a rectangle, {own:?}");
        for (columns, rows, line) in [(4, 4, 3), (5, 4, 4), (6, 5, 4), (7, 6, 4)] {
            assert_eq!(order(connect(&board(columns, rows, line), own)), 2, "{columns} {own:?}");
        }
    }
}
