//! What the compiled engines make of fixed games is what is on file: answers, counts, bounds, tiers.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use solve::{Evaluator, Game, Options, Search, Sweep, Tier, perft, tier_choice};
use verdict::{Engine, Question, Watch};

/// Games that a build for tests solves in a moment by every tier.
const GAMES: &[&str] = &[
    "coin-guess",
    "coin-row",
    "connect-3-4x4",
    "exact-race",
    "nim-heaps",
    "one-spin",
    "penalties",
    "pig-5",
    "race",
    "reroll",
    "stochastic-nim-20",
    "stochastic-tic-tac-toe-3x3",
    "tic-tac-toe",
];

fn question(name: &str) -> Question {
    let path = format!("{}/../../../games/{name}.gdl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a game of the project");
    let reading = gdl::read(gdl::Source::new("game", &text), &gdl::ReadOptions::default());
    Question::new(Arc::new(reading.rulebook.expect("it is in order"))).expect("a role that chooses")
}

fn watched<T>(run: impl FnOnce(&Watch<'_>) -> T) -> T {
    let interrupt = AtomicBool::new(false);
    run(&Watch::unlimited(&interrupt))
}

fn sweeps() -> Vec<(&'static str, Options)> {
    let usual = Options { threads: Some(1), ..Options::default() };
    vec![
        ("usual", usual),
        ("tables", Options { tier: Tier::Table, ..usual }),
        ("dense", Options { tier: Tier::Dense, ..usual }),
        ("no fold", Options { tier: Tier::Table, fold: false, ..usual }),
        ("no symmetry", Options { tier: Tier::Table, symmetry: false, ..usual }),
        ("approximate", Options { approximate: true, ..usual }),
        ("narrow", Options { width: Some(1 << 20), ..usual }),
    ]
}

fn searches() -> Vec<(&'static str, Options)> {
    let usual = Options { threads: Some(1), ..Options::default() };
    let plays = Some(Evaluator::Rollout);
    vec![
        ("search to 2", Options { depth: Some(2), ..usual }),
        ("search to 4", Options { depth: Some(4), ..usual }),
        (
            "search to 3, goals",
            Options { depth: Some(3), evaluate: Some(Evaluator::Goal), ..usual },
        ),
        ("search to 1, plays", Options { depth: Some(1), evaluate: plays, ..usual }),
    ]
}

#[test]
fn answers_about_fixed_games_are_those_on_file() {
    let mut text = String::new();
    for name in GAMES {
        for horizon in [None, Some(3), Some(6)] {
            let question = Question { horizon, ..question(name) };
            for (kind, options) in sweeps() {
                let judged = watched(|watch| Sweep::new(options).judge(&question, watch));
                line(&mut text, &format!("{name} {horizon:?} {kind}"), &judged);
            }
            for (kind, options) in searches() {
                let judged = watched(|watch| Search::new(options).judge(&question, watch));
                line(&mut text, &format!("{name} {horizon:?} {kind}"), &judged);
            }
        }
        let question = question(name);
        let options = Options { threads: Some(1), ..Options::default() };
        let game = watched(|watch| Game::new(&question, &options, watch)).expect("it compiles");
        line(&mut text, &format!("{name} choice"), &tier_choice(&game, &question, &options));
        let paths = watched(|watch| perft(&question, Some(5), &options, watch));
        line(&mut text, &format!("{name} paths"), &paths);
    }
    snapshot::hold(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/work.txt"), &text);
}

/// A line with the beginning of what is said, and a print of it all.
fn line(text: &mut String, name: &str, said: &dyn std::fmt::Debug) {
    let said = format!("{said:?}");
    let short: String = said.chars().take(70).collect();
    writeln!(text, "{name}: {:016x} {short}", snapshot::print(&said)).expect("a string takes all");
}
