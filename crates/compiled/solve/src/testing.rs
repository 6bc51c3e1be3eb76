//! Games, questions and watches for this crate's tests.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gdl::{ReadOptions, Source};
use verdict::{Halt, Progress, Question, Stop, Verdict, Watch};

/// The default question about a sheet.
pub(crate) fn question(text: &str) -> Question {
    let reading = gdl::read(Source::new("test.gdl", text), &ReadOptions::default());
    let said = gdl::render(&reading.diagnostics, &reading.source, false);
    let rulebook = reading.rulebook.unwrap_or_else(|| panic!("the sheet is refused:\n{said}"));
    Question::new(Arc::new(rulebook)).expect("a role that chooses")
}

/// The default question about a game of the folder `games`.
pub(crate) fn game(name: &str) -> Question {
    let path = format!("{}/../../../games/{name}.gdl", env!("CARGO_MANIFEST_DIR"));
    question(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// Limits of a solve under test.
#[derive(Clone, Copy, Default)]
pub(crate) struct Limits {
    pub(crate) time: Option<Duration>,
    pub(crate) memory: Option<u64>,
    pub(crate) interrupted: bool,
}

/// Runs something under limits.
pub(crate) fn under<T>(limits: Limits, run: impl FnOnce(&Watch<'_>) -> T) -> T {
    let interrupt = AtomicBool::new(limits.interrupted);
    run(&Watch {
        started: Instant::now(),
        time: limits.time,
        memory: limits.memory,
        interrupt: &interrupt,
        progress: &|_| {},
    })
}

/// What something without limits tells of its progress, and what it gives.
pub(crate) fn told<T>(run: impl FnOnce(&Watch<'_>) -> T) -> (Vec<Progress>, T) {
    let told = Mutex::new(Vec::new());
    let progress = |progress: &Progress| told.lock().expect("no panic").push(progress.clone());
    let interrupt = AtomicBool::new(false);
    let given = run(&Watch { progress: &progress, ..Watch::unlimited(&interrupt) });
    (told.into_inner().expect("no panic"), given)
}

/// The halt in which an engine must have ended.
pub(crate) fn halt(ended: Result<Verdict, Stop>) -> Halt {
    match ended {
        Err(Stop::Halted(halt)) => *halt,
        other => panic!("a halt was expected: {other:?}"),
    }
}

/// Values by move.
pub(crate) fn moves(verdict: &Verdict) -> Vec<(String, String)> {
    verdict.moves.iter().map(|first| (first.text.clone(), first.value.to_string())).collect()
}

/// A fair walk on a line: it can come back for ever.
pub(crate) const WALK: &str = "
    (role walker) (role random)
    (init (at 2))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (legal walker noop)
    (legal random up) (legal random down)
    (<= (next (at ?n)) (true (at ?m)) (does random up) (succ ?m ?n))
    (<= (next (at ?n)) (true (at ?m)) (does random down) (succ ?n ?m))
    (<= terminal (true (at 0)))
    (<= terminal (true (at 4)))
    (<= (goal walker 100) (true (at 4)))
    (<= (goal walker 0) (true (at 0)))";
