//! Passes for bounds that are broken off: by an interrupt, a lack of memory, time, or disk.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use exact::Ratio;
use verdict::Progress;

use super::super::layers::{self, Manner};
use super::super::symmetry::Reduction;
use super::super::{level_tables, start};
use super::*;
use crate::Options;
use crate::backend::{RootEdge, Scale, SweepBackend};
use crate::testing::{Limits, game, under};

/// The time of every pass that was begun, with its last ply.
type Begun = Rc<RefCell<Vec<(usize, Option<Duration>)>>>;

/// A backend that cannot value the leaves of plies that are too deep.
struct Shallow {
    inner: Box<dyn SweepBackend>,
    most: usize,
    trouble: Trouble,
    begun: Begun,
}

impl SweepBackend for Shallow {
    fn name(&self) -> &'static str {
        self.inner.name()
    }
    fn tier(&self) -> &'static str {
        self.inner.tier()
    }
    fn plies(&self) -> usize {
        self.inner.plies()
    }
    fn states(&self, ply: usize) -> u64 {
        self.inner.states(ply)
    }
    fn bytes(&self) -> u64 {
        self.inner.bytes()
    }
    fn advance(&mut self, most_steps: u32, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        self.inner.advance(most_steps, watch)
    }
    fn inspect(&mut self, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        self.inner.inspect(watch)
    }
    fn back_up(
        &mut self,
        ply: usize,
        leaf: Leaf,
        scale: &Scale,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        if leaf != Leaf::Expanded {
            self.begun.borrow_mut().push((ply, watch.time));
            if ply > self.most {
                return Err(self.trouble.clone());
            }
        }
        self.inner.back_up(ply, leaf, scale, watch)
    }
    fn root_edges(&mut self) -> Result<Vec<RootEdge>, Trouble> {
        self.inner.root_edges()
    }
    fn root_value(&self) -> Option<Vec<u64>> {
        self.inner.root_value()
    }
    fn distinct_states(&mut self, watch: &Watch<'_>) -> Result<(u64, u64), Trouble> {
        self.inner.distinct_states(watch)
    }
}

/// A run whose forward pass is done, and which values no leaves beyond a ply.
fn swept(most: usize, trouble: Trouble, watch: &Watch<'_>) -> (Run, Forward, Begun) {
    let (question, options) = (game("stochastic-tic-tac-toe-3x3"), Options::default());
    let mut game = Game::new(&question, &options, watch).expect("a game");
    let Ok((expander, root)) = start(&mut game, &options) else { panic!("a root") };
    let (level, reader) = (level_tables(&game, &*expander), expander.fork());
    let inner = layers::on_processor(
        expander,
        &root,
        Manner { level, reduction: Reduction::None, fold: options.fold, threads: None },
    )
    .expect("a root");
    let begun = Begun::default();
    let backend = Box::new(Shallow { inner, most, trouble, begun: Rc::clone(&begun) });
    let mut run = Run { reader, backend, disjoint: true, horizon: None };
    let forward = run.forward(watch).expect("every state");
    assert!(run.backend.plies() > 8, "there are plies to choose from");
    (run, forward, begun)
}

const HOUR: Duration = Duration::from_secs(3600);

fn room<'a>(forward: &'a Forward, watch: &Watch<'a>) -> Room<'a> {
    Room { forward, top: 1, watch: Watch { ..*watch }, until: Instant::now() + HOUR }
}

/// The value of the game.
fn value() -> Ratio {
    Ratio::new(3741_u32, 8192_u32)
}

fn is_sound(passed: &Passed) -> bool {
    passed.lower <= value() && value() <= passed.upper
}

#[test]
fn what_breaks_deeper_bounds_off_leaves_what_is_known() {
    let full = || Trouble::Storage(StorageFault::System("the disk is full".to_owned()));
    let memory = Trouble::Limit(HaltReason::Memory { needed: 1 });
    let time = Trouble::Limit(HaltReason::Time);
    let interrupt = Trouble::Limit(HaltReason::Interrupt);
    for trouble in [full(), memory, time, interrupt] {
        under(Limits::default(), |watch| {
            let (mut run, forward, begun) = swept(3, trouble.clone(), watch);
            let room = room(&forward, watch);
            let passed = run.bounds(3, &room, watch).expect("near enough");
            let bounds = (passed.lower.clone(), passed.upper.clone());
            let known = Known { passed, last: 3, took: Duration::from_micros(1) };
            let deepened = run.deepened(known, &room).expect("what is known");
            assert!(begun.borrow().last().expect("a pass").0 > 3, "a deeper pass was begun");
            assert_eq!((deepened.lower, deepened.upper), bounds, "{trouble:?}");
        });
    }
    under(Limits::default(), |watch| {
        let damage = StorageFault::refused("checkpoint-damaged", "a file".to_owned(), "restore it");
        let (mut run, forward, _) = swept(3, Trouble::Storage(damage.clone()), watch);
        let room = room(&forward, watch);
        let passed = run.bounds(3, &room, watch).expect("near enough");
        let known = Known { passed, last: 3, took: Duration::from_micros(1) };
        let ended = run.deepened(known, &room).err();
        assert_eq!(ended, Some(Trouble::Storage(damage)), "damage is told");
    });
}

#[test]
fn a_lack_of_memory_or_disk_is_no_lack_of_time() {
    let short = Duration::from_secs_f64(GRACE);
    let full = Trouble::Storage(StorageFault::System("the disk is full".to_owned()));
    let memory = Trouble::Limit(HaltReason::Memory { needed: 1 });
    for (trouble, has_time) in
        [(full, true), (memory, true), (Trouble::Limit(HaltReason::Time), false)]
    {
        under(Limits::default(), |watch| {
            let (mut run, forward, begun) = swept(3, trouble, watch);
            let known = run.first_bounds(&mut room(&forward, watch)).expect("bounds");
            assert!(known.last <= 3 && known.last > 0 && is_sound(&known.passed));
            let (_, time) = *begun.borrow().last().expect("a pass");
            assert_eq!(time.expect("a limit") > short, has_time, "{time:?}");
        });
    }
}

/// The interrupt comes when a pass for bounds has valued its leaves.
#[test]
fn an_interrupt_while_bounds_are_made_is_heeded() {
    let interrupt = AtomicBool::new(false);
    let (armed, told) = (AtomicBool::new(false), AtomicU32::new(0));
    let progress = |_: &Progress| {
        if armed.load(Ordering::Relaxed) {
            told.fetch_add(1, Ordering::Relaxed);
            interrupt.store(true, Ordering::Relaxed);
        }
    };
    let started = Instant::now();
    let watch =
        Watch { started, time: None, memory: None, interrupt: &interrupt, progress: &progress };
    let (mut run, forward, begun) =
        swept(usize::MAX, Trouble::Limit(HaltReason::Interrupt), &watch);
    let mut room = room(&forward, &watch);
    armed.store(true, Ordering::Relaxed);
    let known = run.first_bounds(&mut room).expect("bounds");
    let passes: Vec<usize> = begun.borrow().iter().map(|(last, _)| *last).collect();
    assert!(known.last < passes[0] && passes[1..] == [known.last; 2], "one broken off: {passes:?}");
    assert!(is_sound(&known.passed) && room.left() <= Duration::from_secs_f64(GRACE));
    assert!(std::ptr::eq(room.watch.interrupt, &CALM), "it is heeded once");

    // Deeper bounds are given up at once.
    let room = Room { until: Instant::now() + HOUR, watch, ..room };
    let passed = run.bounds(2, &room, &Watch { interrupt: &CALM, ..room.watch }).expect("near");
    let bounds = (passed.lower.clone(), passed.upper.clone());
    interrupt.store(false, Ordering::Relaxed);
    told.store(0, Ordering::Relaxed);
    let known = Known { passed, last: 2, took: Duration::from_micros(1) };
    let deepened = run.deepened(known, &room).expect("what is known");
    assert_eq!(told.load(Ordering::Relaxed), 1, "the pass ended where it was interrupted");
    assert_eq!((deepened.lower, deepened.upper), bounds);
}

/// The run of the game above with nothing that breaks off, and what its first plies cost.
fn costs(forward: &Forward) -> Vec<f64> {
    let mut sum = 0;
    let mut upto = vec![0.0];
    upto.extend(forward.counts.iter().map(|ply| {
        sum += ply.states + ply.folded + ply.edges;
        sum as f64
    }));
    upto
}

fn nothing() -> Trouble {
    Trouble::Limit(HaltReason::Interrupt)
}

#[test]
fn leaves_are_as_deep_as_the_work_above_them_allows() {
    under(Limits::default(), |watch| {
        let (run, forward, _) = swept(usize::MAX, nothing(), watch);
        let (upto, newest) = (costs(&forward), run.backend.plies() - 1);
        for (ply, most) in upto.iter().enumerate().take(newest + 1) {
            assert_eq!(run.leaf_ply(&forward, *most), ply, "all plies before {ply}");
            assert_eq!(run.leaf_ply(&forward, most - 0.5), ply.saturating_sub(1));
        }
        assert_eq!(run.leaf_ply(&forward, f64::MAX), newest);
    });
}

#[test]
fn time_for_bounds_is_what_is_left_of_it() {
    let ago = |seconds: u64| Instant::now().checked_sub(Duration::from_secs(seconds));
    let Some(started) = ago(40) else { return };
    let left = |time: Option<u64>| {
        let time = time.map(Duration::from_secs);
        under(Limits { time, ..Limits::default() }, |watch| seconds(&Watch { started, ..*watch }))
    };
    let most = left(Some(100));
    assert!(most > 55.0 && most <= 60.0, "{most}");
    assert!(left(Some(40)) <= GRACE && left(Some(1)) == GRACE, "a moment in any case");
    assert_eq!(left(None), MOST_SECONDS);
}

/// Where nearly nothing was done in a long time, half a million a second is taken for granted, and
/// half of three times that for two passes.
#[test]
fn some_speed_is_certain_on_any_machine() {
    under(Limits::default(), |watch| {
        let (run, forward, _) = swept(usize::MAX, nothing(), watch);
        let Some(started) = Instant::now().checked_sub(Duration::from_secs(100)) else { return };
        let speed = run.certain_speed(&forward, &Watch { started, ..*watch });
        assert!(speed > 700_000.0 && speed < 800_000.0, "{speed}");
        let begun = Instant::now();
        let speed = run.certain_speed(&forward, &Watch { started: begun, ..*watch });
        assert!(speed > 1_000_000.0, "more in the first second: {speed}");
    });
}

#[test]
fn first_bounds_come_nearer_by_quarters_and_take_half_of_the_time() {
    let memory = Trouble::Limit(HaltReason::Memory { needed: 1 });
    for (trouble, is_short) in [(memory, false), (Trouble::Limit(HaltReason::Time), true)] {
        under(Limits::default(), |watch| {
            let (mut run, forward, begun) = swept(1, trouble, watch);
            let known = run.first_bounds(&mut room(&forward, watch)).expect("bounds");
            assert!(known.last <= 1 && is_sound(&known.passed));
            let begun = begun.borrow();
            // The last two passes are of the ply that was near enough, from below and from above.
            let failed = &begun[..begun.len() - 1];
            assert_eq!(failed[0].0, run.backend.plies() - 1, "an hour is enough for all plies");
            for (at, plies) in failed.windows(2).enumerate() {
                assert_eq!(plies[1].0, plies[0].0 * 3 / 4, "pass {at}");
            }
            let seconds = |at: usize| failed[at].1.expect("a limit").as_secs_f64();
            assert!(seconds(0) > 1700.0 && seconds(0) <= 1800.0, "{}", seconds(0));
            if is_short {
                assert!(seconds(1) <= GRACE / 2.0 && seconds(1) > GRACE / 3.0, "{}", seconds(1));
                assert!(seconds(2) <= seconds(1) / 2.0 && seconds(2) > seconds(1) / 3.0);
            } else {
                assert!(seconds(2) > 1700.0 && seconds(2) <= 1800.0, "{}", seconds(2));
            }
        });
    }
}

#[test]
fn deeper_bounds_are_of_the_ply_that_the_last_pass_promises() {
    for wanted in [5, 6, 7] {
        under(Limits::default(), |watch| {
            let (mut run, forward, begun) = swept(usize::MAX, nothing(), watch);
            let upto = costs(&forward);
            let plain = room(&forward, watch);
            let passed = run.bounds(3, &plain, watch).expect("near enough");
            begun.borrow_mut().clear();
            // Plies to 3 took so long that what is left suffices for all before the wanted one.
            let (took, most) = (1e4, (upto[wanted] + upto[wanted + 1]) / 2.0);
            let left = Duration::from_secs_f64(took * most / upto[3] / DEEPER_PART);
            let room = Room { until: Instant::now() + left, ..plain };
            let known = Known { passed, last: 3, took: Duration::from_secs_f64(took) };
            let deepened = run.deepened(known, &room).expect("bounds");
            assert!(is_sound(&deepened));
            assert_eq!(begun.borrow()[0].0, wanted);
        });
    }
}

#[test]
fn what_passes_know_together_is_the_tighter_of_each() {
    use index::Id;
    let eighths = |count: u32| Ratio::new(count, 8_u32);
    let passed = |root: (u32, u32), pairs: &[(u32, u32)]| Passed {
        lower: eighths(root.0),
        upper: eighths(root.1),
        pairs: pairs
            .iter()
            .map(|(lower, upper)| PairValue {
                asked: net::InputId::from_index(0),
                opponents: 0,
                lower: eighths(*lower),
                upper: eighths(*upper),
            })
            .collect(),
    };
    let mut both = passed((2, 6), &[(0, 8), (1, 5), (3, 4)]);
    both.meet(&passed((1, 5), &[(1, 7), (2, 8), (2, 5)]));
    let ends: Vec<(Ratio, Ratio)> =
        both.pairs.into_iter().map(|pair| (pair.lower, pair.upper)).collect();
    assert_eq!((both.lower, both.upper), (eighths(2), eighths(5)));
    assert_eq!(ends, [(1, 7), (2, 5), (3, 4)].map(|(low, high)| (eighths(low), eighths(high))));
}

#[test]
fn a_backend_says_where_it_is() {
    under(Limits::default(), |watch| {
        let (run, forward, _) = swept(usize::MAX, nothing(), watch);
        assert_eq!((run.backend.name(), run.backend.tier()), ("cpu", run.reader.tier()));
        assert_eq!(forward.counts.len(), run.backend.plies() - 1);
    });
}
