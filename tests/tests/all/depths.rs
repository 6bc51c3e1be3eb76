//! Random games at every depth and cut short anywhere: bounds of search and sweep hold the
//! reference's value, those of the search only get tighter, and estimates change none.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crosscheck::generate;
use crosscheck::reference::Reference;
use exact::Ratio;
use solve::{Evaluator, Options, Search, Sweep};
use verdict::{Engine, Halt, Question, Stop, Verdict, Watch};

use crate::lineup::{judge, rulebook};
use crate::places;

/// Seeds of a normal run; a slow one takes ten times as many.
const SEEDS: u64 = 24;

fn question(seed: u64) -> Question {
    let sheet = if seed % 4 == 3 { generate::recurrent(seed) } else { generate::game(seed) };
    let book = rulebook(&format!("seed {seed}"), &sheet);
    let mut question = Question::new(book).expect("a player");
    if seed.is_multiple_of(2) {
        question.objective = verdict::Objective::Goal;
    }
    question
}

fn seeds() -> std::ops::Range<u64> {
    0..if places::is_slow_run() { 10 * SEEDS } else { SEEDS }
}

/// One thread: two runs are compared, and what several know of positions that are met again depends on
/// who met them first.
fn alone() -> Options {
    Options { threads: Some(1), ..Options::default() }
}

/// What a search ended in: bounds, and the whole halt where they are not equal.
fn bounds(ended: Result<Verdict, Stop>) -> (Ratio, Ratio, Option<Halt>) {
    match ended {
        Ok(verdict) => (verdict.value.clone(), verdict.value, None),
        Err(Stop::Halted(halt)) => (halt.lower.clone(), halt.upper.clone(), Some(*halt)),
        Err(stop) => panic!("{stop:?}"),
    }
}

#[test]
fn bounds_hold_the_value_at_every_depth_and_only_tighten() {
    let (mut valued, mut open) = (0, 0);
    for seed in seeds() {
        let question = question(seed);
        let Ok(known) = judge(&Reference, &question) else { continue };
        valued += 1;
        let mut last = (Ratio::zero(), Ratio::one());
        for depth in 0..=10 {
            let search = Search::new(Options { depth: Some(depth), ..alone() });
            let (lower, upper, halt) = bounds(judge(&search, &question));
            assert!(lower <= known.value && known.value <= upper, "seed {seed}, depth {depth}");
            assert!(last.0 <= lower && upper <= last.1, "seed {seed}: looser at depth {depth}");
            open += u32::from(halt.is_some());
            last = (lower, upper);
        }
    }
    assert!(valued > 20 && open > 60, "{valued} values, {open} looks fell short");
}

#[test]
fn an_estimate_never_changes_bounds_and_lies_inside_them() {
    let evaluators = [Evaluator::Goal, Evaluator::Mobility, Evaluator::Rollout];
    let mut estimates = 0;
    for seed in seeds().step_by(3) {
        let question = question(seed);
        for depth in [1, 3] {
            let at = |evaluate| {
                let options = Options { depth: Some(depth), evaluate, seed, ..alone() };
                bounds(judge(&Search::new(options), &question))
            };
            let (lower, upper, _) = at(None);
            for evaluator in evaluators {
                let judged = at(Some(evaluator));
                assert_eq!((&judged.0, &judged.1), (&lower, &upper), "seed {seed}");
                let Some(halt) = judged.2 else { continue };
                let estimate = halt.estimate.expect("no limit but the depth");
                assert!(lower <= estimate.value && estimate.value <= upper, "seed {seed}");
                estimates += 1;
            }
        }
    }
    assert!(estimates > 10, "{estimates} estimates");
}

/// What an engine ends in that is interrupted after so many reports of progress.
fn interrupted_after(
    engine: &dyn Engine,
    question: &Question,
    reports: u64,
    time: Option<Duration>,
) -> Result<Verdict, Stop> {
    let (flag, told) = (AtomicBool::new(false), AtomicU64::new(0));
    let watch = Watch {
        started: Instant::now(),
        time,
        memory: None,
        interrupt: &flag,
        progress: &|_| {
            if told.fetch_add(1, Ordering::Relaxed) >= reports {
                flag.store(true, Ordering::Relaxed);
            }
        },
    };
    engine.judge(question, &watch)
}

/// The bounds of the value and of every first move hold. Whether it fell short.
fn hold(ended: Result<Verdict, Stop>, known: &Verdict, what: &str) -> bool {
    let (lower, upper, halt) = bounds(ended);
    assert!(lower <= known.value && known.value <= upper, "{what}");
    for bounded in halt.iter().flat_map(|halt| &halt.moves) {
        let first = known.moves.iter().find(|first| first.text == bounded.text);
        let value = &first.unwrap_or_else(|| panic!("{what}: {}", bounded.text)).value;
        assert!(bounded.lower <= *value && *value <= bounded.upper, "{what}: {}", bounded.text);
    }
    halt.is_some()
}

/// The interrupt comes at a random report of progress, of which each look makes one and each ply;
/// or a random moment is the limit.
#[test]
fn limits_anywhere_leave_sound_bounds() {
    let engines: [Box<dyn Engine>; 3] = [
        Box::new(Search::new(Options::default())),
        Box::new(Sweep::new(Options::default())),
        Box::new(Sweep::new(Options { fold: false, ..Options::default() })),
    ];
    let (mut interrupted, mut late) = ([0; 3], [0; 3]);
    for seed in seeds() {
        let question = question(seed);
        let Ok(known) = judge(&Reference, &question) else { continue };
        for (at, engine) in engines.iter().enumerate() {
            let what = format!("seed {seed}, engine {at}");
            for reports in 0..6 {
                let ended = interrupted_after(&**engine, &question, reports, None);
                interrupted[at] += u32::from(hold(ended, &known, &what));
            }
            let micros = (seed * 7919 + 300 * at as u64) % 3000;
            let time = Some(Duration::from_micros(micros));
            let ended = interrupted_after(&**engine, &question, u64::MAX, time);
            late[at] += u32::from(hold(ended, &known, &what));
        }
    }
    assert!(interrupted.iter().all(|count| *count > 9), "{interrupted:?} were cut short");
    assert!(late.iter().all(|count| *count > 3), "{late:?} were late");
}
