//! The search against the sweep: bounds at every depth and under every limit.

use std::time::Duration;

use exact::Ratio;
use verdict::{Engine, Halt, HaltReason, Objective, Question, Stop, Verdict};

use super::{Evaluator, Search};
use crate::testing::{Limits, WALK, game, halt, moves, question, under};
use crate::{Options, Sweep};

const EVALUATORS: [Evaluator; 3] = [Evaluator::Goal, Evaluator::Mobility, Evaluator::Rollout];

fn search(question: &Question, options: Options, limits: Limits) -> Result<Verdict, Stop> {
    under(limits, |watch| Search::new(options).judge(question, watch))
}

fn value(question: &Question) -> Ratio {
    let sweep = Sweep::new(Options::default());
    under(Limits::default(), |watch| sweep.judge(question, watch)).expect("an answer").value
}

/// Bounds, equal where the answer is exact.
fn bounds(ended: &Result<Verdict, Stop>) -> (Ratio, Ratio) {
    match ended {
        Ok(verdict) => (verdict.value.clone(), verdict.value.clone()),
        Err(Stop::Halted(halt)) => (halt.lower.clone(), halt.upper.clone()),
        Err(stop) => panic!("{stop:?}"),
    }
}

#[test]
fn bounds_tighten_from_depth_to_depth_until_they_meet() {
    for name in ["stochastic-tic-tac-toe-3x3", "coin-guess", "penalties", "reroll"] {
        let question = Question { objective: Objective::Goal, ..game(name) };
        let value = value(&question);
        let mut last = (Ratio::zero(), Ratio::one());
        for depth in [0, 1, 2, 3, 5, 8, 12, 20] {
            let options = Options { depth: Some(depth), ..Options::default() };
            let ended = search(&question, options, Limits::default());
            let (lower, upper) = bounds(&ended);
            assert!(lower <= value && value <= upper, "{name}, depth {depth}");
            assert!(last.0 <= lower && upper <= last.1, "{name}: looser at depth {depth}");
            last = (lower, upper);
        }
        assert_eq!(last.0, last.1, "{name} ends within 20 steps");
    }
}

#[test]
fn a_moment_is_enough_for_sound_bounds_of_every_first_move() {
    let question = game("stochastic-connect-4-4x4");
    let value = Ratio::new(1_253_113_609_u64, 1_u64 << 32);
    for millis in [0, 1, 5, 25, 100] {
        let time = Some(Duration::from_millis(millis));
        // The game is compiled within the limit as well, so this starts after it.
        let halt = halt(search_after(&question, Limits { time, ..Limits::default() }));
        assert!(halt.lower <= value && value <= halt.upper, "{millis} ms");
        assert_eq!(halt.reason, HaltReason::Time);
    }
}

/// A search whose clock starts when the game is compiled.
fn search_after(question: &Question, limits: Limits) -> Result<Verdict, Stop> {
    search(question, Options::default(), limits)
}

#[test]
fn an_interrupt_leaves_what_the_first_look_found() {
    let interrupted = Limits { interrupted: true, ..Limits::default() };
    let ended = search(&game("stochastic-connect-3-4x4"), Options::default(), interrupted);
    assert_eq!(halt(ended).reason, HaltReason::Interrupt);
}

#[test]
fn estimates_stand_beside_bounds_and_never_change_them() {
    for name in ["stochastic-tic-tac-toe-3x3", "stochastic-nim-20", "coin-row"] {
        let question = game(name);
        let at = |evaluate| {
            let options = Options { depth: Some(5), evaluate, ..Options::default() };
            search(&question, options, Limits::default())
        };
        let plain = halt(at(None));
        assert_eq!(plain.estimate, None);
        for evaluator in EVALUATORS {
            let judged = halt(at(Some(evaluator)));
            assert_eq!((&judged.lower, &judged.upper), (&plain.lower, &plain.upper), "{name}");
            assert_eq!(judged.moves, plain.moves, "{name}");
            beside(&judged, evaluator, name);
            assert_eq!(halt(at(Some(evaluator))).estimate, judged.estimate, "the same again");
        }
    }
}

/// The estimate is inside the bounds, move by move.
fn beside(halt: &Halt, evaluator: Evaluator, name: &str) {
    let estimate = halt.estimate.as_ref().expect("an estimate");
    assert_eq!((estimate.evaluator, estimate.depth), (evaluator.text(), 5), "{name}");
    assert!(halt.lower <= estimate.value && estimate.value <= halt.upper, "{name}");
    assert_eq!(estimate.moves.len(), halt.moves.len());
    for (guessed, bounded) in estimate.moves.iter().zip(&halt.moves) {
        assert_eq!(guessed.text, bounded.text);
        assert!(bounded.lower <= guessed.value && guessed.value <= bounded.upper, "{name}");
    }
}

/// At a depth that reaches every end nothing is guessed but rounding.
#[test]
fn estimates_come_near_the_value_where_the_look_reaches_the_end() {
    let question = Question { horizon: Some(6), ..game("stochastic-tic-tac-toe-3x3") };
    let full = search(&question, Options::default(), Limits::default()).expect("an answer");
    for evaluator in EVALUATORS {
        let options = Options { depth: Some(5), evaluate: Some(evaluator), ..Options::default() };
        match search(&question, options, Limits::default()) {
            // The sixth step is a toss, which is looked through.
            Err(Stop::Halted(halt)) => {
                let guessed = halt.estimate.expect("an estimate").value;
                let off = if guessed > full.value {
                    &guessed - &full.value
                } else {
                    &full.value - &guessed
                };
                assert!(off < Ratio::new(1_u8, 1_u32 << 20), "{evaluator:?}: off by {off}");
            }
            ended => assert_eq!(ended.expect("an answer").value, full.value),
        }
    }
}

#[test]
fn seeds_of_rollouts_matter_and_repeat() {
    let question = game("stochastic-connect-3-4x4");
    let guessed = |seed| {
        let evaluate = Some(Evaluator::Rollout);
        let options = Options { depth: Some(1), evaluate, seed, ..Options::default() };
        halt(search(&question, options, Limits::default())).estimate.expect("an estimate").value
    };
    assert_eq!(guessed(1), guessed(1));
    assert_ne!(guessed(1), guessed(2));
    let fair = Ratio::new(1_u8, 4_u8)..Ratio::new(19_u8, 20_u8);
    assert!(fair.contains(&guessed(3)), "whoever begins wins more often than not: {}", guessed(3));
}

#[test]
fn play_that_returns_is_bounded_and_given_up() {
    let walk = question(WALK);
    let halt = halt(search(&walk, Options::default(), Limits::default()));
    assert_eq!(halt.reason, HaltReason::Recurrence);
    let half = Ratio::new(1_u8, 2_u8);
    assert!(halt.lower <= half && half <= halt.upper);
    assert!(&halt.upper - &halt.lower < Ratio::new(1_u8, 4_u8), "looks came back a few times");
    let deep = Options { depth: Some(40), ..Options::default() };
    let deep = super::tests::halt(search(&walk, deep, Limits::default()));
    assert!(&deep.upper - &deep.lower <= Ratio::new(1_u8, 1_u32 << 19), "2^-20 each way");
    assert_eq!(deep.reason, HaltReason::Depth);
}

#[test]
fn first_moves_and_values_are_those_of_the_sweep() {
    for name in ["stochastic-nim-20", "pursuit", "tic-tac-toe", "race"] {
        let question = Question { objective: Objective::Goal, ..game(name) };
        let sweep = Sweep::new(Options::default());
        let known = under(Limits::default(), |watch| sweep.judge(&question, watch)).expect(name);
        let found = search(&question, Options::default(), Limits::default()).expect(name);
        assert_eq!(moves(&found), moves(&known), "{name}");
    }
}
