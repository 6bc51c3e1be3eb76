//! The search against the sweep: bounds at every depth and under every limit.

mod small;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use exact::Ratio;
use verdict::{Engine, Halt, HaltReason, Objective, Progress, Question, Stop, Verdict, Watch};

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
fn engines_are_called_as_users_call_them() {
    assert_eq!(Search::new(Options::default()).name(), "search");
    assert_eq!(Sweep::new(Options::default()).name(), "sweep");
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
            assert!(depth > 0 || (lower.is_zero() && upper == Ratio::one()), "{name}: no step");
            last = (lower, upper);
        }
        assert_eq!(last.0, last.1, "{name} ends within 20 steps");
    }
}

/// First moves with bounds that hold what is known of them.
fn holds(halt: &Halt, known: &Verdict, what: &str) {
    assert!(halt.lower <= known.value && known.value <= halt.upper, "{what}");
    let texts = |moves: &[verdict::BoundedMove]| -> Vec<String> {
        moves.iter().map(|bounded| bounded.text.clone()).collect()
    };
    let known_texts: Vec<String> = known.moves.iter().map(|first| first.text.clone()).collect();
    assert_eq!(texts(&halt.moves), known_texts, "{what}");
    for (bounded, first) in halt.moves.iter().zip(&known.moves) {
        let inside = bounded.lower <= first.value && first.value <= bounded.upper;
        assert!(inside, "{what}: {}", first.text);
    }
}

/// A search that is interrupted when it has told of its progress so many times.
fn interrupted_after(question: &Question, reports: u32) -> Result<Verdict, Stop> {
    // Looks of growing depth, as where nothing says that only the end will do.
    interrupted_after_with(question, reports, Options { depth: Some(1000), ..Options::default() })
}

fn interrupted_after_with(
    question: &Question,
    reports: u32,
    options: Options,
) -> Result<Verdict, Stop> {
    let (interrupt, told) = (AtomicBool::new(false), AtomicU32::new(0));
    let progress = |shown: &Progress| {
        if shown.phase == "search" && told.fetch_add(1, Ordering::Relaxed) + 1 >= reports {
            interrupt.store(true, Ordering::Relaxed);
        }
    };
    let (started, interrupt) = (Instant::now(), &interrupt);
    let watch = Watch { started, time: None, memory: None, interrupt, progress: &progress };
    Search::new(options).judge(question, &watch)
}

/// The first report comes after the first look, later ones after deeper looks and within long ones.
#[test]
fn an_interrupt_leaves_what_is_known_of_every_first_move() {
    let question = game("stochastic-connect-4-4x4");
    let sweep = Sweep::new(Options::default());
    let known = under(Limits::default(), |watch| sweep.judge(&question, watch)).expect("known");
    let mut width = Ratio::one();
    for reports in [1, 2, 4, 8, 12] {
        let halt = halt(interrupted_after(&question, reports));
        assert_eq!(halt.reason, HaltReason::Interrupt);
        holds(&halt, &known, &format!("{reports} reports"));
        width = &halt.upper - &halt.lower;
    }
    assert!(width < Ratio::one(), "something is known after all");
}

#[test]
fn a_time_limit_leaves_sound_bounds() {
    let question = game("stochastic-connect-4-4x4");
    let sweep = Sweep::new(Options::default());
    let known = under(Limits::default(), |watch| sweep.judge(&question, watch)).expect("known");
    let mut searched = 0;
    for millis in [0, 1, 25, 100, 400, 1600] {
        let time = Some(Duration::from_millis(millis));
        let halt =
            halt(search(&question, Options::default(), Limits { time, ..Limits::default() }));
        assert_eq!(halt.reason, HaltReason::Time, "{millis} ms");
        // In the shortest the rules are not even compiled, and nothing is known.
        if halt.moves.is_empty() {
            assert_eq!((halt.lower, halt.upper), (Ratio::zero(), Ratio::one()));
        } else {
            holds(&halt, &known, &format!("{millis} ms"));
            searched += 1;
        }
    }
    assert!(searched > 0, "the game is compiled in a second");
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

/// A binary counter of so many bits that runs to its end, where the game is won. Before each step
/// the player may give up half of what is left to win.
fn counter(bits: u32) -> Question {
    let mut text = String::from(
        "(role player) (legal player go) (<= (legal player stop) (not (true over)))
         (<= (next over) (does player stop)) (<= terminal (true over))
         (<= (goal player 50) (true over)) (<= (goal player 100) full (not (true over)))
         (<= (goal player 0) (not (true over)) (not full))
         (<= terminal full)
         (<= (next (on ?b)) (true (on ?b)) (not (flips ?b)) (does player go))
         (<= (next (on ?b)) (bit ?b) (not (true (on ?b))) (flips ?b) (does player go))
         (flips 0) (<= (flips ?c) (after ?b ?c) (true (on ?b)) (flips ?b))",
    );
    for bit in 0..bits {
        text += &format!("(bit {bit}) (after {bit} {})", bit + 1);
    }
    let all: Vec<String> = (0..bits).map(|bit| format!("(true (on {bit}))")).collect();
    text += &format!("(<= full {})", all.join(" "));
    question(&text)
}

#[test]
fn plays_longer_than_are_followed_end_in_bounds() {
    let half = Ratio::new(1_u8, 2_u8);
    let short = Question { objective: Objective::Goal, ..counter(4) };
    assert_eq!(bounds(&search(&short, Options::default(), Limits::default())).0, Ratio::one());
    let long = Question { objective: Objective::Goal, ..counter(14) };
    let time = Some(Duration::from_secs(600));
    for limits in [Limits::default(), Limits { time, ..Limits::default() }] {
        let halt = halt(search(&long, Options::default(), limits));
        assert_eq!(halt.reason, HaltReason::Depth);
        assert!(halt.advice.contains("--horizon"), "{}", halt.advice);
        assert_eq!((halt.lower, halt.upper), (half.clone(), Ratio::one()));
        assert_eq!(halt.moves.len(), 2);
    }
    let evaluate = Some(Evaluator::Goal);
    let options = Options { depth: Some(u32::MAX), evaluate, ..Options::default() };
    let halt = halt(search(&long, options, Limits::default()));
    assert!(halt.estimate.is_some_and(|estimate| estimate.value >= half));
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

/// A graph of so many places in which nearly every move can lead back, from a seed.
fn maze(seed: u64, places: usize) -> Question {
    let mut text = String::from(
        "(role x) (role o) (role random) (init (at 0)) (legal random a) (legal random b)
         (<= (legal x (go ?m)) (true (at ?s)) (owner ?s x) (move ?s ?m))
         (<= (legal o (go ?m)) (true (at ?s)) (owner ?s o) (move ?s ?m))
         (<= (legal x wait) (true (at ?s)) (owner ?s o))
         (<= (legal o wait) (true (at ?s)) (owner ?s x))
         (<= (next (at ?t)) (true (at ?s)) (owner ?s ?r) (does ?r (go ?m)) (does random ?c)
             (to ?s ?m ?c ?t))
         (<= terminal (true (at won))) (<= terminal (true (at lost)))
         (<= (goal x 100) (true (at won))) (<= (goal x 0) (not (true (at won))))
         (<= (goal o 100) (true (at lost))) (<= (goal o 0) (not (true (at lost))))",
    );
    let mut dice = net::random::Random::new(seed);
    for place in 0..places {
        text += &format!("(owner {place} {})", ["x", "o"][dice.below(2)]);
        for step in 0..2 + dice.below(2) {
            text += &format!("(move {place} {step})");
            for toss in ["a", "b"] {
                let to = match dice.below(4 * places) {
                    0 => "won".to_owned(),
                    1 => "lost".to_owned(),
                    to => (to % places).to_string(),
                };
                text += &format!("(to {place} {step} {toss} {to})");
            }
        }
    }
    question(&text)
}

/// Places are met again at every depth under ever new windows: a look stays within a few times the
/// product of places and depth.
#[test]
fn looks_at_mazes_stay_short() {
    let (places, depth, every) = (24_usize, 300, 1_u64 << 13);
    let most = places as u64 * u64::from(depth) * 40 / every;
    for seed in 1..=12 {
        let question = maze(seed, places);
        let known = value(&question);
        let told = AtomicU32::new(0);
        let interrupt = AtomicBool::new(false);
        let progress = |shown: &Progress| {
            let so_far = told.fetch_add(u32::from(shown.phase == "search"), Ordering::Relaxed);
            assert!(u64::from(so_far) < most, "seed {seed}: {so_far} times {every} positions");
        };
        let (started, interrupt) = (Instant::now(), &interrupt);
        let watch = Watch { started, time: None, memory: None, interrupt, progress: &progress };
        let options = Options { depth: Some(depth), ..Options::default() };
        let (lower, upper) = bounds(&Search::new(options).judge(&question, &watch));
        assert!(lower <= known && known <= upper, "seed {seed}");
        let given_up = bounds(&Search::new(Options::default()).judge(&question, &watch));
        assert!(given_up.0 <= known && known <= given_up.1, "seed {seed}");
    }
}
