//! Small written games that show one thing each of a search: what ends it and what is shown.

use exact::Ratio;
use verdict::{Engine, HaltReason, Objective, Question, Stop};

use super::{bounds, interrupted_after_with, search};
use crate::search::{Evaluator, Search};
use crate::testing::{Limits, game, halt, moves, question, told, under};
use crate::{Options, Sweep};

/// The player wins at once, or goes a way of some steps to a coin.
const AT_ONCE: &str = "(role x) (role random) (init (at 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (<= (legal x win) (true (at 0))) (<= (legal x wait) (true (at 0)))
    (<= (legal x noop) (not (true (at 0)))) (legal random heads) (legal random tails)
    (<= (next won) (does x win))
    (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n) (not (does x win)))
    (<= (next up) (true (at 5)) (does random heads))
    (<= terminal (true won)) (<= terminal (true (at 6)))
    (<= (goal x 100) (true won)) (<= (goal x 100) (true up))
    (<= (goal x 0) (not (true won)) (not (true up)))";

#[test]
fn all_moves_are_known_where_the_best_one_is_known_early() {
    for threads in [1, 3] {
        let options = Options { threads: Some(threads), ..Options::default() };
        let found = search(&question(AT_ONCE), options, Limits::default()).expect("an answer");
        let shown = [("win", "1/1"), ("wait", "1/2")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let mut told = moves(&found);
        told.sort();
        assert_eq!(told, [shown[1].clone(), shown[0].clone()]);
        assert_eq!(found.value, Ratio::one());
        let sweep = Sweep::new(options);
        let known = under(Limits::default(), |watch| sweep.judge(&question(AT_ONCE), watch));
        assert_eq!(moves(&known.expect("an answer")), moves(&found));
        // At a depth that the coin is beyond, the win is known and the other move is not.
        let short = Options { depth: Some(3), ..options };
        let halt = halt(search(&question(AT_ONCE), short, Limits::default()));
        assert_eq!((halt.lower, halt.upper), (Ratio::one(), Ratio::one()));
        assert_eq!(halt.reason, HaltReason::Depth);
        let wait = halt.moves.iter().find(|line| line.text == "wait").expect("it is shown");
        assert_eq!((&wait.lower, &wait.upper), (&Ratio::zero(), &Ratio::one()));
    }
}

#[test]
fn a_look_of_no_step_knows_what_the_start_tells() {
    let none = Options { depth: Some(0), ..Options::default() };
    let found = halt(search(&game("coin-guess"), none, Limits::default()));
    assert_eq!((found.lower, found.upper), (Ratio::zero(), Ratio::one()));
    assert_eq!((found.reason, found.moves.len()), (HaltReason::Depth, 0));
    // A start that is an end is worth what it pays, with steps or without.
    let over = "(role x) (init p) (legal x noop) (<= terminal (true p)) (<= (goal x 50) (true p))";
    let goal = Question { objective: Objective::Goal, ..question(over) };
    for options in [none, Options::default(), Options { depth: Some(7), ..none }] {
        let found = search(&goal, options, Limits::default()).expect("it is over");
        assert_eq!(found.value, Ratio::new(1_u8, 2_u8));
        assert!(found.moves.is_empty());
    }
    // Without a step left nothing is won any more.
    let left = Question { horizon: Some(0), ..game("coin-guess") };
    let found = search(&left, Options::default(), Limits::default()).expect("nothing is won");
    assert_eq!((found.value, found.cut), (Ratio::zero(), true));
}

/// An interrupt after the first look leaves no time for an estimate.
#[test]
fn an_interrupt_ends_an_estimate_before_it_begins() {
    for evaluator in [Evaluator::Goal, Evaluator::Mobility, Evaluator::Rollout] {
        let options =
            Options { evaluate: Some(evaluator), depth: Some(1000), ..Options::default() };
        let stopped = halt(interrupted_after_with(&game("tic-tac-toe"), 1, options));
        assert_eq!(stopped.reason, HaltReason::Interrupt);
        assert_eq!(stopped.estimate, None, "{evaluator:?}");
        assert_eq!(stopped.moves.len(), 9);
    }
}

/// After a step x has three moves and o two, at once; then it is over.
const CROWD: &str = "(role x) (role o) (init a) (legal x noop) (legal o noop)
    (<= (legal x one) (true b)) (<= (legal x two) (true b)) (<= (legal o one) (true b))
    (<= (next b) (true a)) (<= (next c) (true b) (does x one)) (<= (next d) (true b))
    (<= terminal (true d))
    (<= (goal x 100) (true c)) (<= (goal x 0) (not (true c)))
    (<= (goal o 0) (true c)) (<= (goal o 100) (not (true c)))";

#[test]
fn mobility_is_the_share_of_the_moves() {
    let options =
        Options { evaluate: Some(Evaluator::Mobility), depth: Some(1), ..Options::default() };
    let judged = halt(search(&question(CROWD), options, Limits::default()));
    let estimate = judged.estimate.expect("an estimate");
    let near = |value: &Ratio, wanted: Ratio| {
        let off = if *value > wanted { value - &wanted } else { &wanted - value };
        off < Ratio::new(1_u8, 1_u32 << 20)
    };
    assert!(near(&estimate.value, Ratio::new(3_u8, 5_u8)), "{}", estimate.value);
    let full = search(&question(CROWD), Options::default(), Limits::default()).expect("an answer");
    assert_eq!(full.value, Ratio::one());
    assert!(full.simultaneous || full.moves.len() == 1);
}

/// A limit on memory is met by positions; it leaves bounds and says what is needed.
#[test]
fn a_memory_limit_ends_in_bounds() {
    let asked = game("stochastic-tic-tac-toe-3x3");
    let value = Ratio::new(3741_u32, 8192_u32);
    let mut last = (Ratio::zero(), Ratio::one());
    for kib in [0, 64, 1024] {
        let held = store::resident_bytes().expect("the resident size");
        let memory = Some(held + (kib << 10));
        let ended = search(&asked, Options::default(), Limits { memory, ..Limits::default() });
        if let Err(Stop::Halted(halt)) = &ended {
            match halt.reason {
                HaltReason::Memory { needed } => assert!(Some(needed) >= memory),
                ref other => panic!("{other:?}"),
            }
        }
        let (lower, upper) = bounds(&ended);
        assert!(lower <= value && value <= upper, "{kib} KiB: {lower} to {upper}");
        last = (last.0.max(lower), last.1.min(upper));
    }
    assert!(last.0 <= last.1);
}

#[test]
fn threads_find_the_same() {
    for name in ["coin-guess", "penalties", "stochastic-tic-tac-toe-3x3", "coin-row"] {
        let asked = Question { objective: Objective::Goal, ..game(name) };
        let with = |threads, depth| {
            let options = Options { threads: Some(threads), depth, ..Options::default() };
            search(&asked, options, Limits::default())
        };
        let (one, three) = (with(1, None).expect(name), with(3, None).expect(name));
        assert_eq!((moves(&one), &one.value), (moves(&three), &three.value), "{name}");
        assert_eq!((one.cut, one.simultaneous), (three.cut, three.simultaneous), "{name}");
        let (lower, upper) = bounds(&with(3, Some(3)));
        assert!(lower <= one.value && one.value <= upper, "{name}");
    }
}

/// Between two reports of a look lie no more positions than are entered between two tellings.
#[test]
fn a_long_look_tells_how_far_it_has_come() {
    let options = Options { threads: Some(1), ..Options::default() };
    let asked = game("stochastic-tic-tac-toe-3x3");
    let (told, ended) = told(|watch| Search::new(options).judge(&asked, watch));
    assert!(ended.is_ok(), "{ended:?}");
    let (mut last, mut within, mut looks) = ((0, 0), 0, std::collections::BTreeSet::new());
    for report in told.iter().filter(|report| report.phase == "search") {
        assert!(report.states >= last.1, "what is known stays known");
        assert!(report.states - last.1 <= 2 << 13, "{last:?}, then {report:?}");
        within += usize::from(report.ply == last.0);
        looks.insert(report.ply);
        last = (report.ply, report.states);
    }
    assert!(last.1 > 2 << 13, "{last:?}: a look of many positions");
    // Each look is told of at its end, and the long ones on their way.
    assert!((2..200).contains(&within), "{within} reports within looks");
    assert!(looks.len() >= 2, "{looks:?}");
    let held = told.last().expect("a report").bytes;
    assert!(held >= 100 * last.1 && held <= 1000 * last.1, "{held} bytes, {last:?}");
}

/// Limits that are far away change nothing of an estimate; near ones leave one of fewer steps.
#[test]
fn limits_of_estimates_are_those_of_the_search() {
    let asked = game("stochastic-tic-tac-toe-3x3");
    for evaluator in [Evaluator::Goal, Evaluator::Rollout] {
        let options = Options { evaluate: Some(evaluator), depth: Some(4), ..Options::default() };
        let plain = halt(search(&asked, options, Limits::default()));
        let memory = store::resident_bytes().map(|held| held + (4 << 30));
        let time = Some(std::time::Duration::from_secs(1000));
        for limits in [Limits { memory, ..Limits::default() }, Limits { time, ..Limits::default() }]
        {
            let limited = halt(search(&asked, options, limits));
            assert_eq!((&limited.lower, &limited.upper), (&plain.lower, &plain.upper));
            let estimate = limited.estimate.expect("there is room and time");
            if limits.memory.is_some() {
                assert_eq!(Some(estimate), plain.estimate);
            }
        }
        let begun = std::time::Instant::now();
        let time = Some(std::time::Duration::from_millis(300));
        let deep = Options { depth: Some(30), ..options };
        let ended =
            search(&game("stochastic-connect-4-4x4"), deep, Limits { time, ..Limits::default() });
        let stopped = halt(ended);
        assert_eq!(stopped.reason, HaltReason::Time);
        assert!(begun.elapsed().as_secs() < 20, "a moment, on a machine that is not idle either");
        if let Some(estimate) = stopped.estimate {
            assert!(estimate.depth < 30, "{estimate:?}");
            assert!(stopped.lower <= estimate.value && estimate.value <= stopped.upper);
        }
    }
}
