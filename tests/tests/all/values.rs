//! Known values of the families: boards against an adversary with and without chance, boards
//! against a random mover, and nim. Value for both players and the number of GDL states.
//!
//! `tests/data/values.json` has the figures and the conventions behind them. A normal run takes
//! the entries of up to some ten thousand states, a slow one those of up to two million.

use std::sync::Arc;

use crosscheck::families::{Board, connect, nim, tictactoe};
use exact::Ratio;
use gdl::{RoleId, Rulebook};
use serde_json::Value;
use solve::{Options, Sweep, perft};

use crate::lineup::{judge, question_of, rulebook, watched};
use crate::places;

const DATA: &str = "tests/data/values.json";
/// GDL states of an entry, at most, in a normal and in a slow run.
const QUICK_STATES: u64 = 60_000;
const SLOW_STATES: u64 = 2_000_000;

/// One known game.
struct Known {
    name: String,
    sheet: String,
    against_random: bool,
    /// Values for x and for o, as fractions.
    values: [String; 2],
    states: u64,
}

fn data() -> Value {
    serde_json::from_str(&places::text(DATA)).unwrap_or_else(|error| panic!("{DATA}: {error}"))
}

fn text<'a>(entry: &'a Value, field: &str) -> &'a str {
    entry[field].as_str().unwrap_or_else(|| panic!("{DATA}: no text {field} in {entry}"))
}

fn number(entry: &Value, field: &str) -> u64 {
    entry[field].as_u64().unwrap_or_else(|| panic!("{DATA}: no number {field} in {entry}"))
}

fn probability(fraction: &str) -> (u32, u32) {
    let parts =
        fraction.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parts.unwrap_or_else(|| panic!("{DATA}: {fraction} is not a fraction"))
}

fn values(entry: &Value) -> [String; 2] {
    ["value_x", "value_o"].map(|field| text(entry, field).to_owned())
}

fn known_board(entry: &Value) -> Option<Known> {
    let family = text(entry, "family");
    let side = |field| u32::try_from(number(entry, field)).expect("a small board");
    let board = Board { columns: side("columns"), rows: side("rows"), line: side("line") };
    let own = entry["own"].as_str().map(probability);
    let sheet = match family {
        "tic-tac-toe" => tictactoe(&board, own),
        "connect" => connect(&board, own),
        other => panic!("{DATA}: no family {other}"),
    };
    let opponent = text(entry, "opponent");
    assert!(["perfect", "random"].contains(&opponent), "{DATA}: no opponent {opponent}");
    Some(Known {
        name: format!("{family} {board:?}, own {own:?}, {opponent} opponent"),
        sheet: sheet.unwrap_or_else(|wrong| panic!("{family}: {wrong}")),
        against_random: opponent == "random",
        values: values(entry),
        states: entry["gdl_states"].as_u64()?,
    })
}

fn known_nim(entry: &Value) -> Option<Known> {
    let pile = u32::try_from(number(entry, "pile")).expect("a small pile");
    let add = text(entry, "add");
    Some(Known {
        name: format!("nim {pile}, a piece added with {add}"),
        sheet: nim(pile, probability(add)).unwrap_or_else(|wrong| panic!("nim {pile}: {wrong}")),
        against_random: false,
        values: values(entry),
        states: entry["gdl_states"].as_u64()?,
    })
}

/// The entries; those without a count of states cannot be told quick from slow, and are left out.
fn known() -> Vec<Known> {
    let data = data();
    let list = |field: &str| data[field].as_array().expect("a list of entries").clone();
    let boards = list("boards");
    let nim = list("nim");
    boards.iter().filter_map(known_board).chain(nim.iter().filter_map(known_nim)).collect()
}

/// The roles x and o.
fn sides(book: &Rulebook) -> [RoleId; 2] {
    ["x", "o"].map(|name| book.role(name).unwrap_or_else(|| panic!("no role {name}")))
}

fn check(known: &Known) -> Vec<String> {
    let book = rulebook(&known.name, &known.sheet);
    let mut wrong = Vec::new();
    let mut expect = |what: &str, wanted: String, got: String| {
        if wanted != got {
            wrong.push(format!("{}: {what} is {got}, not {wanted}", known.name));
        }
    };
    for (at, role) in sides(&book).into_iter().enumerate() {
        let value = value(&book, role, known.against_random);
        let wanted: Ratio = known.values[at].parse().expect("a fraction");
        expect(["value of x", "value of o"][at], wanted.to_string(), value);
    }
    expect("gdl_states", known.states.to_string(), states(&book));
    wrong
}

fn value(book: &Arc<Rulebook>, role: RoleId, against_random: bool) -> String {
    let mut question = question_of(book, book.role_name(role));
    if against_random {
        for other in book.roles.ids().filter(|other| *other != role) {
            question.chance.insert(other);
        }
    }
    match judge(&Sweep::new(Options::default()), &question) {
        Ok(verdict) => verdict.value.to_string(),
        Err(stop) => format!("no answer: {stop:?}"),
    }
}

/// Distinct states over all plies; in these games each state has one ply.
fn states(book: &Arc<Rulebook>) -> String {
    let question = question_of(book, "x");
    match watched(|watch| perft(&question, None, &Options::default(), watch)) {
        Ok(counted) => counted.plies.iter().map(|ply| ply.states).sum::<u64>().to_string(),
        Err(stop) => format!("no count: {stop:?}"),
    }
}

#[test]
fn known_values_are_reproduced() {
    let most = if places::is_slow_run() { SLOW_STATES } else { QUICK_STATES };
    let chosen: Vec<Known> = known().into_iter().filter(|known| known.states <= most).collect();
    assert!(chosen.len() > 100, "only {} entries were chosen", chosen.len());
    let wrong: Vec<String> = chosen.iter().flat_map(check).collect();
    assert!(wrong.is_empty(), "{} wrong figures:\n{}", wrong.len(), wrong.join("\n"));
}
