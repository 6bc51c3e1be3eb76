//! Sweeps that meet a limit: bounds hold the value whatever it was, and more work tightens them.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use exact::Ratio;
use verdict::{Engine, HaltReason, Progress, Question, Stop, Watch};

use super::super::Sweep;
use super::stored::interrupted_after;
use crate::testing::{Limits, WALK, game, halt, question, under};
use crate::{Options, Tier};

/// Bounds of the board of three by three that know more than that a probability is one.
fn says_something(halt: &verdict::Halt) {
    let value = Ratio::new(3741_u32, 8192_u32);
    assert!(Ratio::zero() < halt.lower && halt.lower <= value, "{}", halt.lower);
    assert!(value <= halt.upper && halt.upper < Ratio::one(), "{}", halt.upper);
    assert_eq!(halt.moves.len(), 9, "every first move has bounds");
    assert!(halt.counts.stored > 1000, "the sweep was on its way");
}

#[test]
fn an_interrupt_ends_in_sound_bounds_that_say_something() {
    let sweep = Sweep::new(Options { tier: Tier::Table, ..Options::default() });
    let ended = interrupted_after(&sweep, &game("stochastic-tic-tac-toe-3x3"), 7);
    let halt = halt(ended);
    assert_eq!(halt.reason, HaltReason::Interrupt);
    says_something(&halt);
}

#[test]
fn a_time_limit_ends_in_sound_bounds_that_say_something() {
    let (started, time) = (Instant::now(), Duration::from_secs(1));
    // The rest of the time is slept away when there are plies enough.
    let progress = |progress: &Progress| {
        if progress.phase == "forward" && progress.ply >= 6 {
            std::thread::sleep(time.saturating_sub(started.elapsed()));
        }
    };
    let interrupt = AtomicBool::new(false);
    let (time, memory) = (Some(time), None);
    let watch = Watch { started, time, memory, interrupt: &interrupt, progress: &progress };
    let sweep = Sweep::new(Options { tier: Tier::Table, ..Options::default() });
    let halt = halt(sweep.judge(&game("stochastic-tic-tac-toe-3x3"), &watch));
    assert_eq!(halt.reason, HaltReason::Time);
    says_something(&halt);
    assert!(halt.advice.contains("--time"));
}

/// The passes of these games take a moment, so that only the ply that was reached decides.
#[test]
fn bounds_only_tighten_from_ply_to_ply_until_they_meet() {
    let within = Question { horizon: Some(9), ..question(WALK) };
    let games = [game("stochastic-tic-tac-toe-3x3"), game("stochastic-nim-20"), within];
    for (place, question) in games.iter().enumerate() {
        let sweep = Sweep::new(Options { tier: Tier::Table, ..Options::default() });
        let known = under(Limits::default(), |watch| sweep.judge(question, watch)).expect("known");
        let (mut last, mut halts) = ((Ratio::zero(), Ratio::one()), 0);
        for times in 1.. {
            match interrupted_after(&sweep, question, times) {
                Ok(verdict) => {
                    assert_eq!(verdict.value, known.value);
                    break;
                }
                Err(Stop::Halted(halt)) => {
                    assert!(halt.lower <= known.value && known.value <= halt.upper);
                    let tighter = last.0 <= halt.lower && halt.upper <= last.1;
                    assert!(tighter, "game {place}, looser after {times} reports");
                    for bounded in &halt.moves {
                        let first = known.moves.iter().find(|first| first.text == bounded.text);
                        let value = &first.expect("the same moves").value;
                        assert!(bounded.lower <= *value && *value <= bounded.upper);
                    }
                    last = (halt.lower, halt.upper);
                    halts += 1;
                }
                Err(stop) => panic!("{stop:?}"),
            }
        }
        assert!(halts > 5, "game {place}: {halts} halts");
        let width = &last.1 - &last.0;
        assert!(width < Ratio::new(1_u8, 4_u8), "game {place}: the last ply tells much, {width}");
    }
}

/// A backward pass that will be done in time may take all of it.
#[test]
fn a_pass_that_is_nearly_done_takes_the_whole_time() {
    let time = Some(Duration::from_secs(100));
    under(Limits { time, ..Limits::default() }, |watch| {
        let stretched = |left| super::super::plies::whole_time(watch, left);
        let near = stretched(Some(Duration::from_secs(90))).expect("it will be done in time");
        assert!(near.time > Some(Duration::from_secs(110)), "nothing needs to follow");
        assert!(stretched(Some(Duration::from_secs(101))).is_none());
        assert!(stretched(None).is_none());
    });
    under(Limits::default(), |watch| {
        assert!(super::super::plies::whole_time(watch, Some(Duration::ZERO)).is_none());
    });
}

#[test]
fn an_interrupt_of_the_dense_tier_ends_in_bounds_in_a_moment() {
    let question = game("stochastic-connect-4-5x4");
    let begun = std::time::Instant::now();
    let halt = halt(interrupted_after(&Sweep::new(Options::default()), &question, 1));
    assert_eq!(halt.reason, HaltReason::Interrupt);
    // By the facts of the game.
    let value = Ratio::new(57_009_793_755_u64, 137_438_953_472_u64);
    assert!(Ratio::zero() < halt.lower && halt.lower <= value, "{}", halt.lower);
    assert!(value <= halt.upper && halt.upper < Ratio::one(), "{}", halt.upper);
    assert!(begun.elapsed().as_secs() < 20, "a moment, on a machine that is not idle either");
}
