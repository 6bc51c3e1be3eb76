//! `crosscheck` over random things: what it counts, and that a run goes on from its log.

#![forbid(unsafe_code)]

mod support;

use support::{Folder, game, run};

const COUNTS: [&str; 6] = ["--random", "8", "--formulas", "40", "--programs", "20"];

/// What was counted, without the time.
fn counted(text: &str) -> serde_json::Value {
    let mut log: serde_json::Value = serde_json::from_str(text).expect("an object");
    log["seconds"] = serde_json::Value::Null;
    log
}

#[test]
fn a_run_in_two_parts_counts_what_one_run_counts() {
    let folder = Folder::new();
    let log = folder.path().join("counted.json").display().to_string();
    let half = ["crosscheck", "--random", "3", "--formulas", "40", "--seed", "11", "--log", &log];
    assert_eq!(run(&half).status, 0);
    let ran = run(&[&["crosscheck"][..], &COUNTS, &["--log", &log, "--json"]].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    let written = std::fs::read_to_string(&log).expect("the log is there");
    assert_eq!(counted(&written), counted(&ran.out));
    let whole = run(&[&["crosscheck"][..], &COUNTS, &["--seed", "11", "--json"]].concat());
    assert_eq!(counted(&whole.out), counted(&written));
    let object = whole.json();
    assert_eq!(object["games"]["done"], 8);
    assert_eq!(object["games"]["engines"]["sweep by tables"]["faulty"], 0);
    assert_eq!(object["formulas"]["engines"]["definition"]["exact"], 40);
    assert_eq!(object["programs"]["agreed"], 20);
    assert_eq!(object["games"]["asked"], 8);
}

/// Without a horizon the search has only bounds for a game that comes back.
#[test]
fn two_exact_values_are_an_answer_and_bounds_alone_are_none() {
    let ran = run(&["crosscheck", &game("pig-5.gdl")]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("2 engines agree, and the bounds"), "{ran:?}");
    let hurried = run(&["crosscheck", &game("breakthrough.gdl"), "--time", "1s"]);
    assert_eq!(hurried.status, 1, "{hurried:?}");
}

#[test]
fn the_report_shows_engines_features_and_seeds() {
    let ran = run(&[&["crosscheck"][..], &COUNTS].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    for words in [
        "8 random games (seeds 1 to 8)",
        "0 disagreements",
        "players who choose in one step",
        "40 random formulas (seeds 1 to 40), 40 questions, 40 agreed",
        "part by part",
        "20 random logic programs",
        "cycles through negation",
    ] {
        assert!(ran.out.contains(words), "{words} is not in {}", ran.out);
    }
}

#[test]
fn logs_of_other_runs_are_refused() {
    let folder = Folder::new();
    let log = folder.path().join("counted.json").display().to_string();
    assert_eq!(run(&["crosscheck", "--formulas", "2", "--seed", "3", "--log", &log]).status, 0);
    let other = run(&["crosscheck", "--formulas", "2", "--seed", "4", "--log", &log]);
    other.refused(2, &["counts from seed 3, not from 4"]);
    std::fs::write(&log, "{}").expect("the file can be written");
    run(&["crosscheck", "--formulas", "2", "--log", &log]).refused(2, &["no log of this program"]);
}

#[test]
fn a_folder_that_is_not_there_is_refused_before_anything_is_compared() {
    let ran = run(&["crosscheck", &support::game("reroll.gdl"), "--shrink", "no/such/folder"]);
    ran.refused(2, &["no/such/folder", "make it"]);
}
