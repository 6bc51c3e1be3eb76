//! The laws of sheets on sheets with parts changed, moved and broken, drawn from seeds; and on every
//! sheet that once broke one.

#![forbid(unsafe_code)]

use std::panic;
use std::path::{Path, PathBuf};

use crosscheck::Dice;
use laws::{change, sheet};

/// The root of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether long runs are asked for.
fn is_slow_run() -> bool {
    std::env::var_os("ODDSMITH_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// Changed sheets in a normal run; a slow one takes two hundred times as many.
const SEEDS: u64 = 100;
/// Sheets above this length are left to the fuzzer, in bytes.
const LENGTH_LIMIT: usize = 6_000;

/// The texts of the files of a folder of the checkout, in the order of their names.
fn texts(folder: &str) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder of sheets");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let sheets = paths
        .iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "gdl" || kind == "kif"));
    let read = |path: &PathBuf| std::fs::read(path).expect("a sheet can be read");
    sheets.map(|path| (path.display().to_string(), read(path))).collect()
}

fn holds(bytes: &[u8]) -> bool {
    panic::catch_unwind(|| sheet::hold(bytes)).is_ok()
}

#[test]
fn the_laws_hold_for_changed_sheets() {
    let mut seeds = texts("games");
    seeds.extend(texts("tests/data/pitfalls"));
    let seeds: Vec<String> = seeds
        .into_iter()
        .filter_map(|(_, bytes)| String::from_utf8(bytes).ok())
        .filter(|text| text.len() < LENGTH_LIMIT)
        .collect();
    assert!(seeds.len() > 30, "only {} sheets to change", seeds.len());
    let last = if is_slow_run() { 200 * SEEDS } else { SEEDS };
    let broken = (0..last).find_map(|seed| {
        let mut dice = Dice::new(seed);
        let (text, other) = (dice.pick(&seeds), dice.pick(&seeds));
        let made = change::changed(text, other, &mut dice);
        (!holds(made.as_bytes())).then_some((seed, made))
    });
    assert!(broken.is_none(), "{broken:?}");
}

#[test]
fn the_laws_hold_for_every_sheet_that_broke_one() {
    let found = texts("crates/laws/tests/found");
    assert!(!found.is_empty(), "there are some");
    for (name, bytes) in &found {
        assert!(bytes.starts_with(b";"), "{name} does not begin with a line that says why");
        assert!(holds(bytes), "{name} breaks a law again");
    }
}
