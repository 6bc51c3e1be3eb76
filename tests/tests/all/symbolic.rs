//! The symbolic engine against the reference: games of `games/` that are small, random games from
//! seeds, cut plays and both objectives, with defined variables in both places.

use std::sync::Arc;

use crosscheck::reference::Reference;
use crosscheck::{agree, generate};
use gdl::{Rulebook, keyword};
use judge::Symbolic;
use sqasp::{Clingo, Placement};
use verdict::{Engine, Objective, Question};

use crate::lineup::{rulebook, watched};
use crate::places;

/// Games that the reference finishes in a moment.
const SMALL: &[&str] = &["coin-guess", "coin-row", "one-spin", "penalties", "pursuit", "reroll"];
/// What is asked about each of their players.
const ASKED: &[(Objective, Option<u32>)] = &[
    (Objective::Win, None),
    (Objective::Goal, None),
    (Objective::Win, Some(0)),
    (Objective::Goal, Some(3)),
];
/// Seeds of a normal run; a slow one takes ten times as many.
const SEEDS: u64 = 12;

fn differences(name: &str, question: &Question) -> Option<String> {
    let symbolic = |placement| Symbolic::new(Clingo, placement);
    let (outer, inner) = (symbolic(Placement::Dependency), symbolic(Placement::Baseline));
    let engines: [&dyn Engine; 3] = [&Reference, &outer, &inner];
    let agreement = watched(|watch| agree(question, &engines, watch));
    let exact = agreement.rows.iter().all(|row| row.result.is_ok());
    let role = question.rulebook.role_name(question.role);
    let what = agreement.disagreement.or((!exact).then(|| "no exact answer".to_owned()));
    what.map(|what| format!("{name}, {role}, {:?}: {what}", question.horizon))
}

fn players(book: &Arc<Rulebook>) -> Vec<Question> {
    let roles = book.roles.enumerate().filter(|(_, name)| **name != keyword::RANDOM);
    roles
        .map(|(role, _)| {
            let mut question = Question::new(Arc::clone(book)).expect("a player");
            question.role = role;
            question
        })
        .collect()
}

#[test]
fn small_games_have_the_reference_s_answers() {
    let mut wrong = Vec::new();
    for name in SMALL {
        let book = rulebook(name, &places::text(&format!("games/{name}.gdl")));
        for mut question in players(&book) {
            for (objective, horizon) in ASKED {
                question.objective = *objective;
                question.horizon = *horizon;
                wrong.extend(differences(name, &question));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn random_games_have_the_reference_s_answers() {
    let last = if places::is_slow_run() { 10 * SEEDS } else { SEEDS };
    let mut wrong = Vec::new();
    for seed in 0..last {
        let name = format!("seed {seed}");
        let book = rulebook(&name, &generate::game(seed));
        for mut question in players(&book) {
            let win = seed.is_multiple_of(2);
            question.objective = if win { Objective::Win } else { Objective::Goal };
            let few = u32::try_from(seed % 5).expect("below 5");
            question.horizon = seed.is_multiple_of(3).then_some(few);
            wrong.extend(differences(&name, &question));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
