//! `crosscheck` over random things: what it counts, and that a run goes on from its log.

#![forbid(unsafe_code)]

mod support;

use std::process::Stdio;
use std::time::Duration;

use support::{Folder, command, game, run};

const COUNTS: [&str; 6] = ["--random", "8", "--formulas", "40", "--programs", "20"];

/// What was counted, without the time.
fn counted(text: &str) -> serde_json::Value {
    let mut log: serde_json::Value = serde_json::from_str(text).expect("an object");
    log["seconds"] = serde_json::Value::Null;
    // Said of a run, not of what is counted.
    log.as_object_mut().expect("an object").remove("whole");
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
    assert_eq!(object["whole"], true);
    assert_eq!(object["games"]["done"], 8);
    assert_eq!(object["games"]["engines"]["sweep by tables"]["faulty"], 0);
    assert_eq!(object["games"]["engines"]["sweep by clock"]["faulty"], 0);
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

#[test]
fn logs_that_no_run_can_have_written_are_refused() {
    let folder = Folder::new();
    let log = folder.path().join("counted.json").display().to_string();
    let line = ["crosscheck", "--formulas", "2", "--log", &log];
    assert_eq!(run(&line).status, 0);
    let written: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&log).expect("the log is there")).expect("an object");
    let most = u64::MAX;
    for (place, count) in [
        ("/seed", most),
        ("/games/done", most),
        ("/programs/asked", most),
        ("/formulas/agreed", 3),
        ("/formulas/engines/definition/halted", most),
        ("/formulas/features/exists", 3),
    ] {
        let mut changed = written.clone();
        let held = changed.pointer_mut(place).unwrap_or_else(|| panic!("{place} is counted"));
        *held = count.into();
        std::fs::write(&log, changed.to_string()).expect("the file can be written");
        run(&line).refused(2, &["counts that no run can have", "take this one away"]);
        let kept = std::fs::read_to_string(&log).expect("the log is there");
        assert_eq!(kept, changed.to_string(), "what was refused is left as it was");
    }
    std::fs::write(&log, written.to_string()).expect("the file can be written");
    assert_eq!(run(&line).status, 0, "the log as it was goes on");
}

#[cfg(unix)]
#[test]
fn a_log_that_keeps_nothing_or_has_no_end_is_refused_unread() {
    for device in ["/dev/zero", "/dev/null"] {
        let ran = run(&["crosscheck", "--formulas", "1", "--log", device]);
        ran.refused(2, &[device, "is no file that keeps"]);
    }
}

/// Two hundred thousand formulas take minutes: the refusal does not wait for them.
#[test]
fn a_log_that_cannot_be_written_is_told_before_anything_is_compared() {
    let folder = Folder::new();
    let log = folder.path().join("missing").join("counted.json").display().to_string();
    let ran = run(&["crosscheck", "--formulas", "200000", "--log", &log]);
    ran.refused(3, &["cannot write", &log]);
}

#[test]
fn a_log_that_another_run_writes_is_refused() {
    let folder = Folder::new();
    let log = folder.path().join("counted.json").display().to_string();
    let mut first = command(&["crosscheck", "--formulas", "200000", "--log", &log]);
    let mut first = first.stdout(Stdio::null()).spawn().expect("started");
    while !std::path::Path::new(&log).exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = run(&["crosscheck", "--formulas", "2", "--log", &log]);
    first.kill().expect("it still ran");
    first.wait().expect("ended");
    second.refused(3, &["another run counts in", &log, "wait for its end"]);
    // What was killed holds nothing.
    let later = run(&["crosscheck", "--formulas", "2", "--log", &log]);
    assert_eq!(later.status, 0, "{later:?}");
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// The folder goes away while the run counts, as a disk does that is unplugged or full.
#[test]
fn what_was_counted_is_told_where_the_log_is_lost() {
    for json in [false, true] {
        let folder = Folder::new();
        let within = folder.path().join("within");
        std::fs::create_dir(&within).expect("a folder");
        let log = within.join("counted.json").display().to_string();
        let mut line = vec!["crosscheck", "--formulas", "200000", "--log", &log];
        line.extend(json.then_some("--json"));
        let mut command = command(&line);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        while !std::path::Path::new(&log).exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::fs::remove_dir_all(&within).expect("the folder goes");
        let ended = child.wait_with_output().expect("ended");
        let (out, err) =
            (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        assert_eq!(ended.status.code(), Some(3), "{out}{err}");
        assert!(err.contains("cannot write"), "{err}");
        if json {
            let object: serde_json::Value = serde_json::from_str(&out).expect("an object");
            assert_eq!(object["whole"], false, "it was ended early");
            let done = counted(&out)["formulas"]["done"].as_u64();
            assert!(done.is_some_and(|done| done > 0), "{out}");
        } else {
            assert!(out.contains("random formulas (seeds 1 to"), "{out}");
            assert!(out.contains("ended early"), "{out}");
        }
    }
}

#[test]
fn seeds_past_the_last_one_are_refused() {
    let last = u64::MAX.to_string();
    let ran = run(&["crosscheck", "--random", "1", "--formulas", "3", "--seed", &last]);
    ran.refused(2, &["no 3 seeds from 18446744073709551615", "at most 18446744073709551612"]);
    let fits = run(&["crosscheck", "--formulas", "3", "--seed", "18446744073709551612"]);
    assert_eq!(fits.status, 0, "{fits:?}");
    assert!(fits.out.contains("seeds 18446744073709551612 to 18446744073709551614"), "{fits:?}");
}

#[test]
fn counts_that_are_none_are_refused_by_what_they_count() {
    for count in ["-1", "1.5", "18446744073709551616"] {
        let ran = run(&["crosscheck", "--formulas", count]);
        ran.refused(2, &["a count is a whole number of things from 0 to 1000000000"]);
    }
}
