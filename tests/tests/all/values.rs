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

fn known_board(entry: &Value) -> Known {
    let family = text(entry, "family");
    let side = |field| u32::try_from(number(entry, field)).expect("a small board");
    let board = Board { columns: side("columns"), rows: side("rows"), line: side("line") };
    let own = entry["own_colour_probability"].as_str().map(probability);
    let make = if family.contains("TT") { tictactoe } else { connect };
    let sheet = make(&board, own).unwrap_or_else(|wrong| panic!("{family}: {wrong}"));
    Known {
        name: format!("{family} {}x{} line {} {own:?}", board.columns, board.rows, board.line),
        sheet,
        against_random: family.ends_with("vs random"),
        values: values(entry),
        states: number(entry, "gdl_states"),
    }
}

fn known_nim(add: &str, pile: &str, entry: &Value, states: &Value) -> Option<Known> {
    let size: u32 = pile.parse().expect("a pile is a number");
    let sheet = nim(size, probability(add)).unwrap_or_else(|wrong| panic!("nim {pile}: {wrong}"));
    let states = states[pile].get("gdl_states")?.as_u64()?;
    let name = format!("nim {pile}, a piece added with {add}");
    Some(Known { name, sheet, against_random: false, values: values(entry), states })
}

fn known() -> Vec<Known> {
    let data = data();
    let boards = data["boards"].as_array().expect("boards are a list");
    let mut known: Vec<Known> = boards.iter().map(known_board).collect();
    let states = &data["nim"]["gdl_states"];
    for (add, piles) in data["nim"]["values"].as_object().expect("nim is keyed by probability") {
        for (pile, entry) in piles.as_object().expect("and by pile") {
            known.extend(known_nim(add, pile, entry, states));
        }
    }
    known
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
        Ok(plies) => plies.iter().map(|ply| ply.states).sum::<u64>().to_string(),
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
