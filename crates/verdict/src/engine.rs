//! The trait of all engines, what they are handed, and how they may end without an answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{Halt, Question, Verdict};

/// How far a long solve has come; shown by whoever watches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// `forward`, `backward`, `search`, ...
    pub phase: &'static str,
    /// Plies done in this phase.
    pub ply: u32,
    /// Plies of this phase, where known.
    pub plies: Option<u32>,
    /// States done so far.
    pub states: u64,
    /// Bytes held for states, edges and values.
    pub bytes: u64,
    /// Bytes kept on disk.
    pub disk: u64,
    /// About how long it will take from here, where that can be told.
    pub left: Option<Duration>,
}

/// Limits, the interrupt flag and the audience of one solve.
pub struct Watch<'a> {
    /// When the solve began.
    pub started: Instant,
    /// Time limit for the whole solve.
    pub time: Option<Duration>,
    /// Limit in bytes on the resident size of the process.
    pub memory: Option<u64>,
    /// Set from outside when the user interrupts.
    pub interrupt: &'a AtomicBool,
    /// Called now and then from the solving thread.
    pub progress: &'a (dyn Fn(&Progress) + Sync),
}

impl<'a> Watch<'a> {
    /// From now on, without limits and without an audience.
    pub fn unlimited(interrupt: &'a AtomicBool) -> Self {
        Self { started: Instant::now(), time: None, memory: None, interrupt, progress: &|_| {} }
    }
}

impl Watch<'_> {
    /// Whether the user interrupted.
    pub fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// The part of the time limit that is spent, 0 without a limit; above 1 when it is over.
    pub fn spent(&self) -> f64 {
        self.time.map_or(0.0, |limit| {
            self.started.elapsed().as_secs_f64() / limit.as_secs_f64().max(1e-9)
        })
    }
}

/// The game breaks a rule of the language in a reachable state or in what its rules ground to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A stable short name, such as `no-legal-move`.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// A path of states that shows it, first to last, each as GDL text; one state where the
    /// fault is in that state; empty where it is in the rules.
    pub states: Vec<String>,
    /// The rule or term at fault, where one is.
    pub span: Option<gdl::Span>,
    /// What would be right and what to do.
    pub notes: Vec<String>,
}

/// Why there is no exact answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A limit was met: sound bounds. Exit code 1.
    Halted(Box<Halt>),
    /// The game is ill-formed, or the question does not fit it. Exit code 2.
    Faulty(Box<Fault>),
    /// The environment lacks something. Exit code 3.
    Environment(String),
}

/// Anything that can answer a question exactly, or say how far it got.
pub trait Engine {
    /// The name under which a disagreement is reported.
    fn name(&self) -> &str;
    /// Answers the question.
    ///
    /// # Errors
    /// A halt with bounds, a fault of the game, or a lack of the environment.
    fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop>;
}
