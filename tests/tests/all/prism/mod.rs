//! Models for PRISM, read by a reader of their own and valued state by state: they are worth what
//! the rules say.

mod evaluate;
mod read;

use crosscheck::generate;
use crosscheck::reference::Reference;
use ground::{GroundLimits, ground};
use net::{Contest, LowerLimits, lower, prism};
use verdict::{Objective, Question};

use crate::lineup::{judge, rulebook};
use crate::places;
use evaluate::Game;

/// Games whose models have few states.
const SMALL: &[&str] = &["coin-guess", "coin-row", "one-spin", "penalties", "reroll", "nim-heaps"];
/// Seeds of a normal run; a slow one takes ten times as many.
const SEEDS: u64 = 60;

fn model(question: &Question) -> String {
    let rules = ground(&question.rulebook, &GroundLimits::default()).expect("a game");
    let net = lower(&rules, &LowerLimits::default()).expect("a game");
    let chance: Vec<_> = question.chance.iter().collect();
    let contest = Contest {
        asked: question.role,
        chance: &chance,
        horizon: question.horizon,
        pays_goal: question.objective == Objective::Goal,
    };
    prism(&net, contest).expect("a small game")
}

/// Where the model and the rules part.
fn difference(name: &str, question: &Question) -> Option<String> {
    let text = model(question);
    let told = |what: String| format!("{name}, {:?}: {what}", question.role);
    let parsed = match read::read(&text) {
        Ok(parsed) => parsed,
        Err(fault) => return Some(told(format!("{fault}\n{text}"))),
    };
    let found = Game::new(&parsed).and_then(|mut game| game.value());
    let expected = judge(&Reference, question).expect("a small game has a value").value;
    match found {
        Ok(value) if value == expected => None,
        Ok(value) => Some(told(format!("the model is worth {value}, the game {expected}"))),
        Err(fault) => Some(told(format!("{fault}\n{text}"))),
    }
}

fn questions(book: &std::sync::Arc<gdl::Rulebook>) -> Vec<Question> {
    let first = Question::new(std::sync::Arc::clone(book)).expect("a player");
    let roles = book.roles.ids().filter(|role| !first.chance.contains(*role));
    roles.map(|role| Question { role, ..first.clone() }).collect()
}

#[test]
fn models_of_small_games_have_their_values() {
    let mut wrong = Vec::new();
    for name in SMALL {
        let book = rulebook(name, &places::text(&format!("games/{name}.gdl")));
        for question in questions(&book) {
            for (objective, horizon) in
                [(Objective::Win, None), (Objective::Goal, None), (Objective::Goal, Some(2))]
            {
                let question = Question { objective, horizon, ..question.clone() };
                wrong.extend(difference(name, &question));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn models_of_random_games_have_their_values() {
    let last = if places::is_slow_run() { 10 * SEEDS } else { SEEDS };
    let mut wrong = Vec::new();
    let (mut games, mut processes) = (0, 0);
    for seed in 0..last {
        let book = rulebook(&format!("seed {seed}"), &generate::game(seed));
        for mut question in questions(&book) {
            question.objective =
                if seed.is_multiple_of(2) { Objective::Win } else { Objective::Goal };
            question.horizon = seed.is_multiple_of(3).then_some((seed % 5) as u32);
            let is_game = model(&question).contains("\nsmg\n");
            *if is_game { &mut games } else { &mut processes } += 1;
            wrong.extend(difference(&format!("seed {seed}"), &question));
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(games > 10 && processes > 5, "both kinds: {games} and {processes}");
}

/// The reader and the evaluation do not nod everything through.
#[test]
fn broken_models_are_noticed() {
    let book = rulebook("one-spin", &places::text("games/one-spin.gdl"));
    let question = &questions(&book)[0];
    let text = model(question);
    let value = |text: &str| read::read(text).and_then(|model| Game::new(&model)?.value());
    let right = value(&text).expect("a model");
    let breaks = [
        (" -> ", " - "),
        ("endmodule", ""),
        ("label \"won\"", "label \"lost\""),
        ("? 1 : 0)", "? 2 : 0)"),
        ("init true", "init false"),
        ("bool init", "int init"),
    ];
    for (old, new) in breaks {
        let broken = text.replacen(old, new, 1);
        assert_ne!(broken, text, "`{old}` stands in the model");
        let outcome = value(&broken);
        assert_ne!(outcome.as_ref().ok(), Some(&right), "`{old}` replaced by `{new}`");
    }
}
