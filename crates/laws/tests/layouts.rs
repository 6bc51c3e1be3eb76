//! Sheets of all kinds laid out: the page is laid out, and is the same game.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use crosscheck::generate;
use gdl::{ReadOptions, Source};

/// The root of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether long runs are asked for.
fn is_slow_run() -> bool {
    std::env::var_os("ODDSMITH_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// Random games; a slow run takes ten times as many.
const SEEDS: u64 = 100;

/// Lays a sheet out and holds the page to it; whether the sheet is a game.
fn check(name: &str, text: &str) -> bool {
    let page =
        gdl::layout(text).unwrap_or_else(|faults| panic!("{name} has no layout: {faults:?}"));
    assert_eq!(gdl::layout(&page).as_ref(), Ok(&page), "{name}: the layout of the page is another");
    let longest = page.lines().filter(|line| !line.contains(';')).map(|line| line.chars().count());
    assert!(longest.max().unwrap_or(0) <= 100, "{name} has a line of over 100 characters");
    assert!(
        page.lines().all(|line| line.trim_end() == line),
        "{name}: white space at a line's end"
    );
    assert!(!page.contains("\n\n\n"), "{name}: two empty lines");
    let read = |text: &str| gdl::read(Source::new(name, text), &ReadOptions::default()).rulebook;
    match (read(text), read(&page)) {
        (Some(before), Some(after)) => assert!(before.same_rules(&after), "{name} is another game"),
        (None, None) => return false,
        _ => panic!("{name} is refused before or after it is laid out, not both"),
    }
    true
}

fn sheets(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sheets") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            sheets(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "kif" || kind == "gdl") {
            found.push(path);
        }
    }
}

/// Checks all sheets below a folder; how many there are, and how many are games.
fn check_folder(folder: &Path) -> (usize, usize) {
    let mut found = Vec::new();
    sheets(folder, &mut found);
    let games = found.iter().filter(|path| {
        let text = std::fs::read_to_string(path).expect("a sheet is text");
        check(&path.display().to_string(), &text)
    });
    (found.len(), games.count())
}

#[test]
fn our_sheets_are_the_same_games_once_laid_out() {
    let (sheets, games) = check_folder(&root().join("games"));
    assert!(sheets > 9 && games == sheets, "{games} of {sheets}");
    let (sheets, games) = check_folder(&root().join("tests/data/pitfalls"));
    assert!(sheets > 20 && games > sheets / 2, "{games} of {sheets}");
}

#[test]
fn random_games_are_the_same_games_once_laid_out() {
    let last = if is_slow_run() { 10 * SEEDS } else { SEEDS };
    for seed in 0..last {
        assert!(check(&format!("seed {seed}"), &generate::game(seed)));
    }
}

#[test]
fn public_sheets_are_the_same_games_once_laid_out() {
    let named = std::env::var_os("ODDSMITH_SHARED").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("../shared")).join("corpus");
    if !folder.is_dir() {
        eprintln!("public sheets were left out: there is no folder {}", folder.display());
        return;
    }
    let (sheets, games) = check_folder(&folder);
    assert!(sheets > 0 && 2 * games > sheets, "{games} of {sheets}");
}
