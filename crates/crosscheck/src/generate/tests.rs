//! Generated games are what their header promises, and varied enough to be worth asking.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gdl::{ReadOptions, Rulebook, Source};
use verdict::{Engine, Objective, Question, Verdict, Watch};

use super::game;
use crate::reference::Reference;

const SEEDS: std::ops::Range<u64> = 0..160;

fn rulebook(text: &str) -> Arc<Rulebook> {
    let source = Source { name: "generated".into(), text: text.into() };
    let reading = gdl::read(source, &ReadOptions::default());
    let faults = reading.diagnostics;
    Arc::new(reading.rulebook.unwrap_or_else(|| panic!("refused: {faults:?}\n{text}")))
}

fn answer(question: &Question, text: &str) -> Verdict {
    let interrupt = AtomicBool::new(false);
    let watch = Watch::unlimited(&interrupt);
    Reference.judge(question, &watch).unwrap_or_else(|stop| panic!("{stop:?}\n{text}"))
}

fn question(text: &str) -> Question {
    let base = Question::new(rulebook(text)).expect("a player");
    Question { objective: Objective::Goal, ..base }
}

#[test]
fn the_same_seed_gives_the_same_game_and_others_differ() {
    let sheets: BTreeSet<String> = SEEDS.map(game).collect();
    assert_eq!(sheets.len() as u64, SEEDS.end - SEEDS.start);
    assert!(SEEDS.take(20).all(|seed| game(seed) == game(seed)));
}

#[test]
fn every_game_is_well_formed_and_small_and_they_differ_in_kind() {
    let mut values = BTreeSet::new();
    let (mut simultaneous, mut early, mut cut, mut large) = (0, 0, 0, 0);
    for seed in SEEDS {
        let text = game(seed);
        let base = question(&text);
        let verdict = answer(&base, &text);
        let states = verdict.counts.states.expect("all are counted");
        assert!(states <= 5_000, "seed {seed} has {states} states");
        let short = answer(&Question { horizon: Some(2), ..base.clone() }, &text);
        assert!(short.value <= verdict.value, "goals are never negative");
        simultaneous += u32::from(verdict.simultaneous);
        early += u32::from(verdict.counts.plies < Some(2));
        cut += u32::from(short.cut);
        large += u32::from(states > 50);
        values.insert(verdict.value);
    }
    assert!(values.len() > 70, "{} values", values.len());
    assert!(simultaneous > 20 && cut > 60 && large > 50, "{simultaneous} {cut} {large}");
    assert!(early < 20, "{early} games end before they begin");
}

#[test]
fn reading_what_was_printed_changes_no_answer() {
    for seed in SEEDS.step_by(5) {
        let text = game(seed);
        let base = question(&text);
        let printed = base.rulebook.to_string();
        assert_eq!(answer(&question(&printed), &text).value, answer(&base, &text).value);
    }
}
