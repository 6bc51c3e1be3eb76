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
    let symbolic = |placement| Symbolic::new(Clingo::default(), placement);
    let (outer, inner) = (symbolic(Placement::Dependency), symbolic(Placement::Baseline));
    let engines: [&dyn Engine; 3] = [&Reference, &outer, &inner];
    let agreement = watched(|watch| agree(question, &engines, watch));
    let exact = agreement.rows.iter().all(|row| row.result.is_ok());
    let role = question.rulebook.role_name(question.role);
    let what = agreement
        .disagreement
        .map(|what| what.to_string())
        .or((!exact).then(|| "no exact answer".to_owned()));
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

/// Two opponents who choose at once, one of three moves and one of two; then two chance roles at
/// once; then x again, with what everybody did before it.
const TABLE: &str = "
(role x) (role left) (role right) (role random) (role dice)
(init (step 1))
(next-step 1 2) (next-step 2 3) (next-step 3 4) (next-step 4 5)
(<= (next (step ?n)) (true (step ?m)) (next-step ?m ?n))
(<= (legal x (put ?v)) (true (step 1)) (value ?v))
(<= (legal x (call ?v)) (true (step 4)) (value ?v))
(<= (legal left (put ?v)) (true (step 2)) (value ?v))
(<= (legal right (put ?v)) (true (step 2)) (low ?v))
(<= (legal random (put ?v)) (true (step 3)) (low ?v))
(<= (legal dice (put ?v)) (true (step 3)) (value ?v))
(value 1) (value 2) (value 3) (low 1) (low 2)
(active x 1) (active x 4) (active left 2) (active right 2) (active random 3) (active dice 3)
(<= (legal ?r noop) (role ?r) (true (step ?n)) (next-step ?n ?m) (not (active ?r ?n)))
(<= (next (holds ?r ?v)) (does ?r (put ?v)))
(<= (next (holds ?r ?v)) (true (holds ?r ?v)))
(<= (next (called ?v)) (does x (call ?v)))
(<= terminal (true (step 5)))
(<= (met ?r) (true (holds ?r ?v)) (true (called ?v)) (distinct ?r x))
(<= some (met ?r))
(<= won (met left) (met dice))
(<= half some (not won) (true (holds x ?v)) (true (holds random ?v)))
(<= (goal x 100) won)
(<= (goal x 40) half)
(<= (goal x 15) (not won) (not half))
(<= (goal left 100) (not (met left))) (<= (goal left 0) (met left))
(<= (goal right 70) (met right)) (<= (goal right 30) (not (met right)))
(<= (goal random 0) terminal) (<= (goal dice 0) terminal)
";

#[test]
fn coalitions_and_several_chance_roles_have_the_reference_s_answers() {
    let book = rulebook("table", TABLE);
    let mut wrong = Vec::new();
    let named = |name: &str| {
        book.roles.ids().find(|role| book.role_name(*role) == name).expect("a role of the table")
    };
    for mut question in players(&book) {
        if book.role_name(question.role) == "dice" {
            continue;
        }
        for chance in [&["dice"][..], &["dice", "left"], &["right"], &[]] {
            if chance.contains(&book.role_name(question.role)) {
                continue;
            }
            let before = question.chance.clone();
            chance.iter().for_each(|name| {
                question.chance.insert(named(name));
            });
            for (objective, horizon) in ASKED {
                question.objective = *objective;
                question.horizon = *horizon;
                wrong.extend(differences(&format!("table with {chance:?}"), &question));
            }
            question.chance = before;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
