//! The laws of games that compile, of formulas and of tables, on inputs drawn from seeds.

#![forbid(unsafe_code)]

use crosscheck::{Dice, generate};
use laws::{formula, plays, table};
use qcnf::{random, text};

/// Whether long runs are asked for.
fn is_slow_run() -> bool {
    std::env::var_os("ODDSMITH_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// Seeds of a normal run as they are, of a slow one two hundred times as many.
fn seeds(normal: u64) -> std::ops::Range<u64> {
    0..if is_slow_run() { 200 * normal } else { normal }
}

#[test]
fn every_stage_plays_by_the_rules_of_random_games() {
    let last = seeds(30);
    let held = last.clone().filter(|seed| {
        let text = if seed % 5 == 0 { generate::recurrent(*seed) } else { generate::game(*seed) };
        plays::hold(text.as_bytes())
    });
    assert!(2 * held.count() as u64 > last.end, "most of the games are small enough");
    assert!(!plays::hold(b"(role") && !plays::hold(&[0xff]), "this is no game");
}

#[test]
fn random_formulas_have_their_value_and_come_back_from_print() {
    let mut small = 0;
    for seed in seeds(300) {
        let made = random::any(seed, 10);
        small += u64::from(formula::hold(text::print(&made).as_bytes()));
    }
    assert!(2 * small > seeds(300).end, "{small} formulas were small");
}

#[test]
fn texts_of_formulas_with_parts_changed_are_read_or_refused() {
    let (mut read, mut refused) = (0, 0);
    for seed in seeds(600) {
        let mut dice = Dice::new(seed);
        let mut bytes = text::print(&random::any(seed, 6)).into_bytes();
        for _ in 0..dice.between(1, 3) {
            let at = dice.below(bytes.len());
            match dice.below(3) {
                0 => bytes[at] = *dice.pick(b"0123456789-/ \nearpcnf."),
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, *dice.pick(b"019- \n/")),
            }
        }
        if formula::hold(&bytes) { read += 1 } else { refused += 1 }
    }
    assert!(read > 30 && refused > 300, "{read} read, {refused} refused or large");
}

#[test]
fn tables_with_bytes_changed_are_refused_or_say_what_they_said() {
    assert!(!table::hold(&[]), "nothing is changed");
    let mut refused = 0;
    for seed in seeds(200) {
        let mut dice = Dice::new(seed);
        let bytes: Vec<u8> = (0..4 * dice.between(1, 3)).map(|_| dice.below(256) as u8).collect();
        refused += u64::from(table::hold(&bytes));
    }
    assert!(10 * refused > 9 * seeds(200).end, "{refused} were refused");
}
