//! What only the shared material can show: that the committed figures are its figures, and that
//! public rulesheets of all kinds are read or refused with a place, and never break the reader.

use std::path::{Path, PathBuf};

use gdl::{ReadOptions, Source};
use serde_json::Value;

use crate::places;

/// Each committed entry stands among the shared ones, which name families in a way of their own.
#[test]
fn committed_values_are_the_shared_ones() {
    let Some(folder) = places::shared("committed_values_are_the_shared_ones") else { return };
    let path = folder.join("cases/values.json");
    let shared = std::fs::read_to_string(&path).expect("the shared values can be read");
    let shared: Value = serde_json::from_str(&shared).expect("the shared values are JSON");
    let ours: Value = serde_json::from_str(&places::text("tests/data/values.json")).expect("JSON");
    let all = shared["boards"].as_array().expect("a list");
    for entry in ours["boards"].as_array().expect("a list") {
        assert!(all.iter().any(|other| same_board(entry, other)), "not a shared one: {entry}");
    }
    for entry in ours["nim"].as_array().expect("a list") {
        let add = entry["add"].as_str().expect("a probability");
        let known = &shared["nim"]["values"][add][entry["pile"].to_string()];
        assert_eq!(entry["value_x"], known["value_x"], "{entry}");
        assert_eq!(entry["value_o"], known["value_o"], "{entry}");
        let counts = &shared["nim"]["gdl_states"][entry["pile"].to_string()];
        if !entry["gdl_states"].is_null() && !counts.is_null() {
            assert_eq!(entry["gdl_states"], counts["gdl_states"], "{entry}");
        }
    }
}

fn same_board(ours: &Value, shared: &Value) -> bool {
    const FIGURES: &[&str] = &[
        "columns",
        "rows",
        "line",
        "value_x",
        "value_o",
        "boards",
        "terminal_boards",
        "gdl_states",
        "horizon",
    ];
    let family = shared["family"].as_str().unwrap_or_default();
    let drawn = if family.contains("TT") { "tic-tac-toe" } else { "connect" };
    let opponent = if family.ends_with("vs random") { "random" } else { "perfect" };
    ours["family"] == drawn
        && ours["opponent"] == opponent
        && ours["own"] == shared["own_colour_probability"]
        && FIGURES.iter().all(|figure| ours[*figure] == shared[*figure])
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

/// A sheet that is read prints as a sheet that means the same; one that is refused says why.
#[test]
fn public_sheets_are_read_or_refused_with_a_reason() {
    let Some(folder) = places::shared("public_sheets_are_read_or_refused_with_a_reason") else {
        return;
    };
    let mut found = Vec::new();
    sheets(&folder.join("corpus"), &mut found);
    found.sort();
    let mut read = 0;
    for path in &found {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).expect("a sheet can be read");
        let Ok(source) = Source::from_bytes(&name, &bytes) else { continue };
        let reading = gdl::read(source, &ReadOptions::default());
        let Some(book) = reading.rulebook else {
            let reason = reading.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
            assert!(reason.is_some_and(|reason| !reason.message.is_empty()), "{name}");
            continue;
        };
        read += 1;
        let again = gdl::read(Source::new(&name, &book.to_string()), &ReadOptions::default());
        let again = again.rulebook.unwrap_or_else(|| panic!("{name} is refused once printed"));
        assert!(book.same_rules(&again), "{name} means something else once printed");
    }
    assert!(2 * read > found.len(), "only {read} of {} sheets were read", found.len());
}
