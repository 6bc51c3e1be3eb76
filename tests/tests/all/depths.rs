//! Random games at every depth and cut short anywhere: bounds of the search hold the reference's
//! value and only get tighter, and estimates change none.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crosscheck::generate;
use crosscheck::reference::Reference;
use exact::Ratio;
use solve::{Evaluator, Options, Search};
use verdict::{Engine, Halt, Question, Stop, Watch};

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

/// What a search ended in: bounds, and the whole halt where they are not equal.
fn bounds(ended: Result<verdict::Verdict, Stop>) -> (Ratio, Ratio, Option<Halt>) {
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
            let search = Search::new(Options { depth: Some(depth), ..Options::default() });
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
                let options = Options { depth: Some(depth), evaluate, seed, ..Options::default() };
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

/// The interrupt comes at a random report of progress, of which each look makes one.
#[test]
fn an_interrupt_anywhere_leaves_sound_bounds() {
    let mut interrupted = 0;
    for seed in seeds() {
        let question = question(seed);
        let Ok(known) = judge(&Reference, &question) else { continue };
        let (flag, reports) = (AtomicBool::new(seed % 5 == 0), AtomicU64::new(0));
        let watch = Watch {
            started: Instant::now(),
            time: None,
            memory: None,
            interrupt: &flag,
            progress: &|_| {
                if reports.fetch_add(1, Ordering::Relaxed) >= seed % 4 {
                    flag.store(true, Ordering::Relaxed);
                }
            },
        };
        let ended = Search::new(Options::default()).judge(&question, &watch);
        if matches!(&ended, Err(Stop::Halted(halt)) if halt.choosers.is_empty()) {
            // Interrupted while the rules were being grounded.
            continue;
        }
        let (lower, upper, halt) = bounds(ended);
        assert!(lower <= known.value && known.value <= upper, "seed {seed}");
        interrupted += u32::from(halt.is_some());
    }
    assert!(interrupted > 9, "{interrupted} searches were cut short");
}
