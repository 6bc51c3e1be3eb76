//! Searches whose states are taken apart together, by a device that is this processor, beside plain
//! ones.

use std::sync::Mutex as Lock;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Instant;

use kernel::Expander;
use verdict::{Engine, Halt, HaltReason, Question, Stop, Verdict};

use super::*;
use crate::backend::SweepBackend;
use crate::game::Game;
use crate::search::opened::Opener;
use crate::search::stepper::Processor;
use crate::search::{Evaluator, Search};
use crate::sweep::{Device, Plan};
use crate::testing::{Limits, WALK, game, halt, question, under};
use crate::{Options, sweep};

/// What was asked of a device.
#[derive(Debug, Default)]
struct Asked {
    calls: AtomicUsize,
    states: AtomicUsize,
    flawed: AtomicUsize,
}

/// A device that takes states apart on this processor, and that may come to an end.
#[derive(Debug)]
struct Pretended {
    appetite: usize,
    asked: Arc<Asked>,
    /// After so many calls, why it does no more.
    end: Lock<Option<(usize, Trouble)>>,
}

impl Pretended {
    fn new(appetite: usize) -> Arc<Self> {
        Arc::new(Self { appetite, asked: Arc::default(), end: Lock::default() })
    }

    fn ending(calls: usize, trouble: Trouble) -> Arc<Self> {
        let end = Lock::new(Some((calls, trouble)));
        Arc::new(Self { appetite: 16, asked: Arc::default(), end })
    }
}

impl Device for Pretended {
    fn name(&self) -> &'static str {
        "pretended"
    }

    fn begin(&self, _: Plan, _: &Watch<'_>) -> Result<Box<dyn SweepBackend>, Stop> {
        unreachable!("a search asks for no plies")
    }

    fn stepper(&self, plan: Plan, _: &Watch<'_>) -> Result<Box<dyn Stepper>, Stop> {
        Ok(Box::new(Counted {
            processor: Processor::new(Box::new(plan.kernel)),
            appetite: self.appetite,
            asked: Arc::clone(&self.asked),
            end: self.end.lock().expect("nobody failed").clone(),
        }))
    }
}

struct Counted {
    processor: Processor,
    appetite: usize,
    asked: Arc<Asked>,
    end: Option<(usize, Trouble)>,
}

impl Stepper for Counted {
    fn appetite(&self) -> usize {
        self.appetite
    }

    fn step(
        &mut self,
        keys: &[u64],
        children: bool,
        watch: &Watch<'_>,
    ) -> Result<Vec<Stepped>, Trouble> {
        let calls = self.asked.calls.fetch_add(1, Ordering::Relaxed);
        if let Some((_, trouble)) = self.end.as_ref().filter(|(end, _)| calls >= *end) {
            return Err(trouble.clone());
        }
        let told = self.processor.step(keys, children, watch)?;
        let flawed = told.iter().filter(|one| matches!(one, Stepped::Flawed(_))).count();
        self.asked.states.fetch_add(told.len(), Ordering::Relaxed);
        self.asked.flawed.fetch_add(flawed, Ordering::Relaxed);
        Ok(told)
    }
}

/// One thread, so that the order of visits is always the same.
fn alone() -> Options {
    Options { threads: Some(1), ..Options::default() }
}

fn plain(question: &Question, options: Options) -> Result<Verdict, Stop> {
    under(Limits::default(), |watch| Search::new(options).judge(question, watch))
}

fn on(device: &Arc<Pretended>, question: &Question, options: Options) -> Result<Verdict, Stop> {
    let search = Search::new(options).on(Arc::clone(device) as Arc<dyn Device>);
    under(Limits::default(), |watch| search.judge(question, watch))
}

/// Verdicts and halts hold the number of positions in the table, so that equal ones visited as many.
#[test]
fn gathering_changes_neither_answers_nor_counts() {
    let walk = question(WALK);
    let games = ["coin-guess", "penalties", "reroll", "nim-heaps", "stochastic-nim-20", "race"];
    let named = games.into_iter().map(|name| (name, game(name)));
    for (name, question) in named.chain([("walk", walk)]) {
        for depth in [None, Some(1), Some(2), Some(5)] {
            let options = Options { depth, ..alone() };
            let wanted = plain(&question, options);
            for appetite in [1, 7, 4096] {
                let got = on(&Pretended::new(appetite), &question, options);
                assert_eq!(got, wanted, "{name}, {depth:?} steps, {appetite} states a call");
            }
            let crowd = Options { threads: Some(3), ..options };
            let got = on(&Pretended::new(64), &question, crowd);
            assert_eq!(got.map(|one| one.value).ok(), wanted.map(|one| one.value).ok(), "{name}");
        }
    }
}

#[test]
fn estimates_are_the_same_from_gathered_states() {
    let question = game("coin-row");
    for evaluate in [Evaluator::Goal, Evaluator::Mobility, Evaluator::Rollout] {
        let options = Options { depth: Some(4), evaluate: Some(evaluate), ..alone() };
        let (wanted, got) =
            (plain(&question, options), on(&Pretended::new(256), &question, options));
        assert_eq!(halt(got).estimate, halt(wanted).estimate);
    }
}

#[test]
fn few_calls_take_many_states_apart() {
    let question = game("stochastic-tic-tac-toe-3x3");
    let (one, many) = (Pretended::new(1), Pretended::new(1024));
    let wanted = on(&one, &question, alone()).expect("an answer");
    assert_eq!(on(&many, &question, alone()).expect("an answer"), wanted);
    let calls = |device: &Pretended| device.asked.calls.load(Ordering::Relaxed);
    let states = |device: &Pretended| device.asked.states.load(Ordering::Relaxed);
    assert!(100 * calls(&many) < calls(&one), "{} and {} calls", calls(&many), calls(&one));
    let (few, most) = (states(&one), states(&many));
    assert!(most < 2 * few, "{most} states instead of {few}: too many are never visited");
}

/// After a walk of so many steps, the second move allows a reply that is worse than the first move, so
/// that nobody looks at the other reply; two steps behind it a state has two goal values.
fn flaw_ahead(steps: usize) -> Question {
    flaw_ahead_from("0", steps)
}

fn flaw_ahead_from(start: &str, steps: usize) -> Question {
    let mut text = String::from(
        "(role x) (role o)
         (<= (legal x go) (not (true (at choice))))
         (<= (legal x a) (true (at choice))) (<= (legal x b) (true (at choice)))
         (<= (legal o go) (not (true (at reply))))
         (<= (legal o a) (true (at reply))) (<= (legal o b) (true (at reply)))
         (<= (next (at ?t)) (true (at ?s)) (after ?s ?t))
         (<= (next (at even)) (true (at choice)) (does x a))
         (<= (next (at reply)) (true (at choice)) (does x b))
         (<= (next (at lost)) (true (at reply)) (does o a))
         (<= (next (at long)) (true (at reply)) (does o b))
         (after long flawed)
         (<= terminal (true (at even))) (<= terminal (true (at lost)))
         (<= terminal (true (at flawed)))
         (<= (goal x 50) (true (at even))) (<= (goal x 25) (true (at lost)))
         (<= (goal x 0) (true (at flawed))) (<= (goal x 100) (true (at flawed)))",
    );
    text += &format!("(init (at {start}))");
    (0..steps).for_each(|step| text += &format!("(after {step} {})", step + 1));
    text += &format!("(after {steps} choice)");
    Question { objective: verdict::Objective::Goal, ..question(&text) }
}

/// Looks deepen by more than one step in a walk: the first that comes to the choice looks beyond it.
#[test]
fn flaws_that_nobody_visits_are_never_told() {
    let mut flawed = 0;
    for steps in 8..17 {
        let question = flaw_ahead(steps);
        let wanted = plain(&question, alone()).expect("the flaw is not met");
        let device = Pretended::new(64);
        assert_eq!(on(&device, &question, alone()), Ok(wanted));
        flawed += device.asked.flawed.load(Ordering::Relaxed);
    }
    assert!(flawed > 0, "flaws were gathered all the same");
    // From the reply on there is nothing to cut.
    let question = flaw_ahead_from("reply", 0);
    let wanted = plain(&question, alone());
    assert!(matches!(wanted, Err(Stop::Faulty(_))), "{wanted:?}");
    assert_eq!(on(&Pretended::new(64), &question, alone()), wanted);
}

/// Bounds are what was known when the device met its limit, which no limit of the search's tells.
#[test]
fn a_limit_that_a_device_meets_leaves_bounds() {
    let question = game("stochastic-tic-tac-toe-3x3");
    let known = plain(&question, alone()).expect("an answer").value;
    let mut widths = Vec::new();
    for calls in [3, 4, 6, 20, 60] {
        let device = Pretended::ending(calls, Trouble::Limit(HaltReason::Time));
        let Halt { reason, lower, upper, moves, .. } = halt(on(&device, &question, alone()));
        assert_eq!(reason, HaltReason::Time, "{calls} calls");
        assert!(lower <= known && known <= upper, "{calls} calls");
        assert_eq!(moves.len(), 9, "each first move is shown");
        widths.push(&upper - &lower);
    }
    assert!(widths.is_sorted_by(|wide, narrow| narrow <= wide), "more calls never tell less");
}

#[test]
fn a_device_that_fails_ends_the_search() {
    let question = game("coin-row");
    for calls in [0, 1, 3] {
        let lost = Stop::Environment("it was lost".to_owned());
        let device = Pretended::ending(calls, Trouble::Stopped(Box::new(lost.clone())));
        for threads in [1, 3] {
            let options = Options { threads: Some(threads), ..Options::default() };
            assert_eq!(on(&device, &question, options), Err(lost.clone()), "{calls} calls");
        }
    }
}

/// All states of a game by breadth, each opened alone and from a generation so small that it is full at
/// once.
#[test]
fn what_was_dropped_is_taken_apart_again() {
    let question = game("stochastic-nim-20");
    let interrupt = AtomicBool::new(false);
    let watch = Watch {
        started: Instant::now(),
        time: None,
        memory: None,
        interrupt: &interrupt,
        progress: &|_| {},
    };
    let mut game = Game::new(&question, &alone(), &watch).expect("a game");
    let (expander, root) = sweep::root(&mut game, &alone()).expect("a root");
    let top = crate::game::top_payment(&game.casting);
    let asked: Arc<Asked> = Arc::default();
    let stepper = |expander: Box<dyn Expander>| Counted {
        processor: Processor::new(expander),
        appetite: 8,
        asked: Arc::clone(&asked),
        end: None,
    };
    let gathered = Gathered::new(Box::new(stepper(expander.fork())), 4096);
    let together = Together { gathered: Mutex::new(gathered), bytes: AtomicU64::new(0) };
    let mut single = Opener::new(expander.fork(), top, None, &watch);
    let mut several = Opener::new(expander.fork(), top, Some(&together), &watch);
    assert_eq!(several.ended(&root), Ok(None));
    let mut level: Vec<Box<[u64]>> = vec![root.into()];
    let mut met: FxHashSet<Box<[u64]>> = level.iter().cloned().collect();
    let (mut opened, ahead) = (0, Ahead::steps(2));
    while let Some(key) = level.pop() {
        let (one, other) = (single.open(&key, &ahead), several.open(&key, &ahead));
        let (one, other) = (one.expect("sound"), other.expect("sound"));
        assert_eq!(one.pairs, other.pairs);
        assert_eq!(one.simultaneous, other.simultaneous);
        for (child, same) in one.children.into_iter().zip(other.children) {
            assert_eq!((&child.key, &child.ended), (&same.key, &same.ended));
            if child.ended.is_none() && met.insert(child.key.clone()) {
                level.push(child.key);
            }
        }
        opened += 1;
        let gathered = together.gathered.lock().expect("nobody failed");
        let held = |kept: &FxHashMap<Key, Stepped>| {
            kept.iter().map(|(key, held)| size(key, held)).sum::<u64>()
        };
        assert_eq!(gathered.young_bytes, held(&gathered.young));
        assert_eq!(gathered.old_bytes, held(&gathered.old));
        assert!(together.bytes() < 1 << 15, "little more than what was allowed");
    }
    assert!(opened > 30, "{opened} states go on");
    let states = asked.states.load(Ordering::Relaxed);
    assert!(states > met.len(), "{states} were taken apart, some of them again");
}
