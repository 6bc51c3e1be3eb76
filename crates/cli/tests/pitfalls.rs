//! What `check` says of each pitfall and of the faults next door, by default, under `--strict` and
//! with `--case-sensitive`: the lines `check`, `strict` and `says` of `tests/data/pitfalls`.

#![forbid(unsafe_code)]

mod support;

use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Ran, run_with};

/// Name, sheet and expectations.
type Case = (String, Vec<u8>, String);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/pitfalls")
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the pitfalls are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|kind| kind == "kif") {
            let expected = std::fs::read_to_string(path.with_extension("expect"));
            let expected =
                expected.unwrap_or_else(|_| panic!("{} expects nothing", path.display()));
            let sheet = std::fs::read(&path).expect("a sheet");
            cases.push((path.display().to_string(), sheet, expected));
        }
    }
    let near = std::fs::read_to_string(folder().join("neighbours.txt")).expect("neighbours");
    for part in near.split("\n== ").skip(1) {
        let (name, rest) = part.split_once('\n').expect("a title");
        let (sheet, expected) = rest.split_once("\n--\n").expect("a sheet and what is right");
        cases.push((name.to_owned(), sheet.as_bytes().to_vec(), expected.to_owned()));
    }
    cases
}

/// Runs `check` with flags; the codes of all diagnostics that `counted` admits, sorted.
fn check(sheet: &[u8], flags: &[&str], counted: impl Fn(&Value) -> bool) -> (Ran, Vec<String>) {
    let ran = run_with(&[&["check", "-", "--json", "--playouts", "64"], flags].concat(), sheet);
    let object = ran.json();
    let wrong = support::schema::fault(&support::schema::load("check.schema.json"), &object);
    assert_eq!(wrong, None, "{object:#}");
    let all = object["sheets"][0]["diagnostics"].as_array().expect("a list");
    let counted = all.iter().filter(|held| counted(held));
    let mut codes: Vec<String> =
        counted.map(|held| held["code"].as_str().expect("a code").to_owned()).collect();
    codes.sort();
    (ran, codes)
}

fn wanted(rest: &str) -> Vec<String> {
    let mut codes: Vec<String> =
        rest.split(' ').filter(|code| *code != "-").map(str::to_owned).collect();
    codes.sort();
    codes
}

fn is_error(held: &Value) -> bool {
    held["severity"] == "error"
}

fn faults((name, sheet, expected): &Case) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut flags: Vec<&str> = Vec::new();
    let mut lines = 0;
    for line in expected.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        lines += usize::from(word == "check");
        let strict = [flags.as_slice(), &["--strict"]].concat();
        match word {
            "case-sensitive" => flags.push("--case-sensitive"),
            "check" => {
                let (ran, codes) = check(sheet, &flags, |_| true);
                let (_, errors) = check(sheet, &flags, is_error);
                let status = if errors.is_empty() { 0 } else { 2 };
                if codes != wanted(rest) || ran.status != status {
                    wrong.push(format!("{name}: `{line}`: {codes:?}, status {}", ran.status));
                }
            }
            "strict" => {
                let (ran, errors) = check(sheet, &strict, is_error);
                let (_, grave) = check(sheet, &strict, |held| held["severity"] != "note");
                let status = if grave.is_empty() { 0 } else { 2 };
                if errors != wanted(rest) || ran.status != status {
                    wrong.push(format!("{name}: `{line}`: {errors:?}, status {}", ran.status));
                }
            }
            "says" => {
                let (how, words) = rest.split_once(' ').expect("how, and the words");
                let flags = if how == "strict" { &strict } else { &flags };
                let ran = run_with(&[&["check", "-"], flags.as_slice()].concat(), sheet);
                if !ran.out.contains(words) {
                    wrong.push(format!("{name}: `{line}` is not in\n{}", ran.out));
                }
            }
            _ => {}
        }
    }
    if lines == 0 {
        wrong.push(format!("{name}: nothing is said of `check`"));
    }
    wrong
}

#[test]
fn check_says_of_every_pitfall_what_is_right() {
    let cases = cases();
    assert!(cases.len() >= 29, "only {} cases were found", cases.len());
    let wrong: Vec<String> = cases.iter().flat_map(faults).collect();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
