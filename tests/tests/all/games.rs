//! Every game of `games/` by its facts file: each engine that is named gives the value, the
//! counts that it makes, the best moves, and whether play was cut.

use std::collections::BTreeSet;
use std::sync::Arc;

use crosscheck::facts::{FactQuestion, parse_facts};
use gdl::Rulebook;
use verdict::{Question, Verdict};

use crate::lineup::{Seat, judge, rulebook, seats};
use crate::places;

/// A game: its name and rules, and what is known of it.
pub(crate) struct Game {
    pub(crate) name: String,
    book: Arc<Rulebook>,
    pub(crate) facts: Vec<FactQuestion>,
}

pub(crate) fn games() -> Vec<Game> {
    places::games().into_iter().map(game).collect()
}

fn game(name: String) -> Game {
    let book = rulebook(&name, &places::text(&format!("games/{name}.gdl")));
    let facts = places::text(&format!("games/{name}.facts"));
    let facts = parse_facts(&facts).unwrap_or_else(|wrong| panic!("games/{name}.facts: {wrong}"));
    Game { name, book, facts }
}

/// What a fact is about.
pub(crate) fn question(game: &Game, fact: &FactQuestion) -> Question {
    let role = |name: &str| {
        game.book.role(name).unwrap_or_else(|| panic!("{}: no role {name}", game.name))
    };
    let mut question = Question::new(Arc::clone(&game.book)).expect("a role that is not chance");
    for name in &fact.chance {
        question.chance.insert(role(name));
    }
    question.role = fact.role.as_deref().map_or(question.role, role);
    question.objective = fact.objective;
    question.horizon = fact.horizon;
    question.from = fact.from.as_ref().map(|facts| {
        let mut terms = gdl::read_facts(&facts.join(" "), &game.book).expect("a state is readable");
        terms.sort_unstable();
        terms
    });
    assert!(!question.chance.contains(question.role), "{}: asks about chance", game.name);
    question
}

/// What is wrong with an answer; nothing where it is right.
fn faults(fact: &FactQuestion, verdict: &Verdict) -> Vec<String> {
    let mut faults = Vec::new();
    let mut expect = |what: &str, wanted: String, got: String| {
        if wanted != got {
            faults.push(format!("{what} is {got}, not {wanted}"));
        }
    };
    expect("value", fact.value.number.to_string(), verdict.value.to_string());
    expect("cut", fact.cut.to_string(), verdict.cut.to_string());
    let counts = &verdict.counts;
    // Where subgames were solved apart, no state of the whole was counted.
    let states = |counted: Option<u64>| counted.filter(|_| counts.apart.is_none());
    let made = [
        ("states", &fact.states, states(counts.states)),
        ("decision_states", &fact.decision_states, states(counts.decision_states)),
        ("plies", &fact.plies, counts.plies.map(u64::from)),
    ];
    for (what, wanted, got) in made {
        if let (Some(wanted), Some(got)) = (wanted, got) {
            expect(what, wanted.number.to_string(), got.to_string());
        }
    }
    if let Some(best) = &fact.best {
        let wanted: BTreeSet<&str> = best.iter().map(String::as_str).collect();
        let got: BTreeSet<&str> = verdict.best().map(|first| first.text.as_str()).collect();
        expect("best", format!("{wanted:?}"), format!("{got:?}"));
    }
    faults
}

fn check(game: &Game, fact: &FactQuestion, seat: &Seat) -> Vec<String> {
    let place = format!("games/{}.facts:{}: {}{}", game.name, fact.line, seat.name, seat.variant);
    match judge(seat.engine.as_ref(), &question(game, fact)) {
        Ok(verdict) => {
            faults(fact, &verdict).into_iter().map(|fault| format!("{place}: {fault}")).collect()
        }
        Err(stop) => vec![format!("{place}: no answer: {stop:?}")],
    }
}

#[test]
fn every_game_has_the_answers_of_its_facts() {
    let (games, seats) = (games(), seats());
    assert!(games.len() >= 10, "only {} games were found", games.len());
    let mut wrong = Vec::new();
    for game in &games {
        for fact in game.facts.iter().filter(|fact| fact.slow.is_none() || places::is_slow_run()) {
            for seat in seats.iter().filter(|seat| fact.engines.include(seat.name)) {
                wrong.extend(check(game, fact, seat));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
}

/// The comparison itself finds each kind of fault.
#[test]
fn a_wrong_answer_is_told() {
    let game = game("coin-guess".to_owned());
    let fact = &game.facts[0];
    let verdict = judge(seats()[0].engine.as_ref(), &question(&game, fact)).expect("an answer");
    assert_eq!(faults(fact, &verdict), Vec::<String>::new());
    let mut other = fact.clone();
    other.value.number = exact::Ratio::new(1_u32, 3_u32);
    other.best = Some(vec!["tails".to_owned()]);
    other.cut = true;
    assert_eq!(faults(&other, &verdict).len(), 3);
}
