//! One question to one engine: limits, interrupt and progress around it, the end sorted into an
//! answer or a failure.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use gdl::Source;
use verdict::{Engine, HaltReason, Question, Stop, Watch};

use crate::failure::Failure;
use crate::interrupt;
use crate::progress::ProgressLine;
use crate::report::answer::Ended;

/// Limits on one question, and whether somebody watches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// When the clock of the time limit began.
    pub(crate) started: Instant,
    /// Time limit.
    pub(crate) time: Option<Duration>,
    /// Limit on the resident size, in bytes.
    pub(crate) memory: Option<u64>,
    /// Whether progress is shown on a terminal.
    pub(crate) shown: bool,
}

impl Patience {
    /// What is left of the time; very long without a limit.
    pub(crate) fn left(&self) -> Duration {
        self.time.map_or(Duration::MAX, |limit| limit.saturating_sub(self.started.elapsed()))
    }

    /// The limit that is met by now, for work that no [`Watch`] reaches.
    pub(crate) fn over(&self) -> Option<HaltReason> {
        if interrupt::flag().load(Ordering::Relaxed) {
            return Some(HaltReason::Interrupt);
        }
        if self.left().is_zero() {
            return Some(HaltReason::Time);
        }
        let (limit, held) = self.memory.zip(store::resident_bytes())?;
        (held > limit).then_some(HaltReason::Memory { needed: held })
    }

    /// Runs something under these limits.
    pub(crate) fn watch<T>(&self, work: impl FnOnce(&Watch<'_>) -> T) -> T {
        let line = ProgressLine::new(self.shown);
        let show = |progress: &verdict::Progress| line.show(progress);
        let watch = Watch {
            started: self.started,
            time: self.time,
            memory: self.memory,
            interrupt: interrupt::flag(),
            progress: &show,
        };
        let result = work(&watch);
        line.clear();
        result
    }
}

/// Asks an engine.
pub(crate) fn ask(
    engine: &dyn Engine,
    question: &Question,
    source: &Source,
    patience: &Patience,
) -> Result<Ended, Failure> {
    match patience.watch(|watch| engine.judge(question, watch)) {
        Ok(verdict) => {
            assert!(verdict.value.is_probability(), "a value in [0, 1], not {}", verdict.value);
            Ok(Ended::Exact(verdict))
        }
        Err(Stop::Halted(halt)) => {
            assert!(halt.lower <= halt.upper, "bounds in order");
            Ok(Ended::Halted(*halt))
        }
        Err(stop) => Err(failure(stop, source)),
    }
}

/// A stop that is no halt, as a failure.
///
/// # Panics
/// On a halt: that is an answer with bounds.
pub(crate) fn failure(stop: Stop, source: &Source) -> Failure {
    match stop {
        Stop::Faulty(fault) => Failure::Game(fault, Some(source.clone())),
        Stop::Environment(message) => Failure::Environment(message),
        Stop::Halted(_) => unreachable!("a halt is an answer"),
    }
}
