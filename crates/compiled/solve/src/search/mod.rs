//! Search: the value of one position, depth first, without visiting every state.
//!
//! For single positions and depth-limited questions; on full boards the sweep is faster. Every
//! first move is searched with a full window, so that each shown value is a value. Threads take
//! the positions behind the first moves and share one transposition table.
//!
//! Always: bounds are sound whenever it stops; an exact answer comes from equal bounds only.

mod node;
mod table;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kernel::{Expander, FlawKind};
use rayon::prelude::*;
use verdict::{Counts, Engine, Halt, HaltReason, Progress, Question, Stop, Verdict, Watch};

use crate::Options;
use crate::backend::Trouble;
use crate::first_moves::{FirstMoves, PairValue, root_bounds};
use crate::game::{Game, top_payment};
use crate::limits::{Limits, WHOLE};
use crate::sweep;
use node::{Shared, Walker, Window};
use table::{Interval, Position, Transpositions};

/// Stack of a searching thread in bytes: deep plays recurse deeply. Only what is used is paid.
const STACK: usize = 1 << 30;
/// Share of the time limit for the search itself; the rest goes to bounds.
const SEARCH_SHARE: f64 = 0.8;
/// Seconds for bounds after an interrupt or a memory limit.
const GRACE: f64 = 0.5;

/// Depth-first expectiminimax.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    options: Options,
}

impl Search {
    /// A search with these options.
    pub fn new(options: Options) -> Self {
        Self { options }
    }
}

impl Engine for Search {
    fn name(&self) -> &str {
        "search"
    }

    fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
        let mut game = Game::new(question, &self.options, watch)?;
        let checked = match self.options.check {
            true => Some(sweep::visit(&mut game, question, &self.options, watch)?),
            false => None,
        };
        let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build().map_err(|error| {
            Stop::Environment(format!("threads for the search could not be started: {error}"))
        })?;
        loop {
            let (expander, root) = sweep::root(&mut game, &self.options)?;
            let run = Run { game: &game, question, options: &self.options, root };
            let reader = expander.fork();
            match pool.install(|| run.answer(expander, checked, watch)) {
                Err(Trouble::Flaw { kind: FlawKind::GuessBroken(group), .. }) => {
                    game.forget_group(group);
                }
                Err(trouble) => return Err(sweep::stop(&game, &*reader, trouble)),
                Ok(answer) => return answer,
            }
        }
    }
}

struct Run<'a> {
    game: &'a Game,
    question: &'a Question,
    options: &'a Options,
    root: Vec<u64>,
}

impl Run<'_> {
    fn answer(
        &self,
        expander: Box<dyn Expander>,
        checked: Option<Counts>,
        watch: &Watch<'_>,
    ) -> Result<Result<Verdict, Stop>, Trouble> {
        let mut shared = Shared {
            table: Transpositions::new(),
            watch,
            limits: Limits::new(),
            top: top_payment(&self.game.casting),
            stopped: AtomicBool::new(false),
            share: SEARCH_SHARE,
            cut: AtomicBool::new(false),
            simultaneous: AtomicBool::new(false),
        };
        let looked = self.look(&*expander, &shared, self.options.depth)?;
        let mut counts = Counts { stored: shared.table.len() as u64, ..Counts::default() };
        if let Some(checked) = checked {
            (counts.states, counts.decision_states) = (checked.states, checked.decision_states);
            counts.plies = checked.plies;
        }
        if looked.interval.is_exact() && looked.pairs.iter().all(|pair| pair.lower == pair.upper) {
            return Ok(Ok(self.verdict(&*expander, &shared, looked, counts)));
        }
        let reason = shared.limit().unwrap_or(HaltReason::Depth);
        let bounds = match reason {
            HaltReason::Depth => looked,
            _ => self.deepen(&*expander, &mut shared, looked)?,
        };
        let first = self.first_moves(&*expander, &bounds.pairs);
        Ok(Err(Stop::Halted(Box::new(Halt {
            advice: advice(&reason),
            reason,
            lower: bounds.interval.lower,
            upper: bounds.interval.upper,
            choosers: first.choosers.clone(),
            moves: first.bounded(),
            counts,
        }))))
    }

    /// Bounds on the root and on its pairs of moves, each with a full window.
    fn look(
        &self,
        expander: &dyn Expander,
        shared: &Shared<'_>,
        depth: Option<u32>,
    ) -> Result<Looked, Trouble> {
        let left = self.question.horizon;
        let mut own = expander.fork();
        let mut expansion = kernel::Expansion::default();
        own.expand(&self.root, true, &mut expansion)
            .map_err(|flaw| Trouble::Flaw { key: self.root.clone(), kind: flaw.kind })?;
        let over = left == Some(0) || depth == Some(0) || expansion.terminal[0] & 1 == 1;
        if over {
            let position = Position { key: self.root.as_slice().into(), left };
            let interval = Walker::new(own, shared).value(position, depth, &Window::full())?;
            return Ok(Looked { interval, pairs: Vec::new() });
        }
        if expansion.simultaneous {
            shared.simultaneous.store(true, Ordering::Relaxed);
        }
        let width = own.words();
        let ancestors = [Box::from(self.root.as_slice())];
        let (below, deeper) = (left.map(|left| left - 1), depth.map(|depth| depth - 1));
        let forks: Vec<_> = expansion.joints.iter().map(|_| expander.fork()).collect();
        let found: Vec<Interval> = forks
            .into_par_iter()
            .zip(&expansion.joints)
            .map(|(own, joint)| {
                let at = joint.first_child * width;
                let key: Box<[u64]> = expansion.children[at..at + width].into();
                if left.is_none() && depth.is_none() && *key == *self.root {
                    return Err(Trouble::Limit(HaltReason::Recurrence));
                }
                let path: &[Box<[u64]>] = if left.is_none() { &ancestors } else { &[] };
                (shared.watch.progress)(&Progress {
                    phase: "search",
                    states: shared.table.len() as u64,
                    bytes: shared.table.bytes(),
                    ..Progress::default()
                });
                let mut walker = Walker::new(own, shared).below(path);
                walker.value(Position { key, left: below }, deeper, &Window::full())
            })
            .collect::<Result<_, _>>()?;
        let pairs = pair_values(&expansion.joints, &found);
        let (lower, upper) = root_bounds(&pairs);
        Ok(Looked { interval: Interval { lower, upper }, pairs })
    }

    /// Tightens bounds after a limit: deeper and deeper, as long as the rest of the limit lasts.
    fn deepen(
        &self,
        expander: &dyn Expander,
        shared: &mut Shared<'_>,
        mut bounds: Looked,
    ) -> Result<Looked, Trouble> {
        let spent = shared.watch.started.elapsed().as_secs_f64();
        let left = shared.watch.time.map_or(GRACE, |limit| limit.as_secs_f64() - spent);
        let seconds = if shared.watch.interrupted() { GRACE } else { left.max(GRACE) };
        let calm = AtomicBool::new(false);
        let quiet = Watch {
            started: Instant::now(),
            time: Some(Duration::from_secs_f64(seconds)),
            memory: None,
            interrupt: &calm,
            progress: shared.watch.progress,
        };
        let table = std::mem::replace(&mut shared.table, Transpositions::new());
        let inner = Shared {
            table,
            watch: &quiet,
            limits: shared.limits,
            top: shared.top,
            stopped: AtomicBool::new(false),
            share: WHOLE,
            cut: AtomicBool::new(false),
            simultaneous: AtomicBool::new(false),
        };
        for depth in 1.. {
            if inner.limit().is_some() || self.options.depth.is_some_and(|most| depth > most) {
                break;
            }
            let looked = self.look(expander, &inner, Some(depth))?;
            bounds.meet(looked);
        }
        Ok(bounds)
    }

    fn verdict(
        &self,
        expander: &dyn Expander,
        shared: &Shared<'_>,
        looked: Looked,
        counts: Counts,
    ) -> Verdict {
        let first = self.first_moves(expander, &looked.pairs);
        Verdict {
            value: looked.interval.lower,
            choosers: first.choosers.clone(),
            moves: first.exact(),
            cut: shared.cut.load(Ordering::Relaxed),
            simultaneous: shared.simultaneous.load(Ordering::Relaxed),
            checked: self.options.check,
            counts,
        }
    }

    fn first_moves(&self, expander: &dyn Expander, pairs: &[PairValue]) -> FirstMoves {
        if pairs.is_empty() {
            return FirstMoves::none();
        }
        FirstMoves::new(self.game, expander, pairs)
    }
}

/// What a look at the root found.
struct Looked {
    interval: Interval,
    pairs: Vec<PairValue>,
}

impl Looked {
    /// Both looks together.
    fn meet(&mut self, other: Self) {
        self.interval.meet(&other.interval);
        if self.pairs.is_empty() {
            self.pairs = other.pairs;
            return;
        }
        assert!(self.pairs.len() == other.pairs.len() || other.pairs.is_empty(), "one root");
        for (pair, new) in self.pairs.iter_mut().zip(other.pairs) {
            let mut interval = Interval { lower: pair.lower.clone(), upper: pair.upper.clone() };
            interval.meet(&Interval { lower: new.lower, upper: new.upper });
            (pair.lower, pair.upper) = (interval.lower, interval.upper);
        }
    }
}

/// Means over chance of the values found behind the root's joint entries.
fn pair_values(joints: &[kernel::Joint], found: &[Interval]) -> Vec<PairValue> {
    let mut pairs: Vec<PairValue> = Vec::new();
    for (joint, interval) in joints.iter().zip(found) {
        let share = exact::Ratio::new(u64::from(joint.weight), u64::from(joint.total));
        let (lower, upper) = (&share * &interval.lower, &share * &interval.upper);
        match pairs.last_mut() {
            Some(pair) if (pair.asked, pair.opponents) == (joint.asked, joint.opponents) => {
                pair.lower = &pair.lower + &lower;
                pair.upper = &pair.upper + &upper;
            }
            _ => {
                let (asked, opponents) = (joint.asked, joint.opponents);
                pairs.push(PairValue { asked, opponents, lower, upper });
            }
        }
    }
    pairs
}

fn advice(reason: &HaltReason) -> String {
    match reason {
        HaltReason::Depth => "leave `--depth` out, or give more of it".to_owned(),
        HaltReason::Time => "give more `--time`, or use the sweep".to_owned(),
        HaltReason::Memory { needed } => {
            format!("give `--memory` more than {} MiB", needed.div_ceil(1 << 20))
        }
        _ => "let it run to the end".to_owned(),
    }
}
