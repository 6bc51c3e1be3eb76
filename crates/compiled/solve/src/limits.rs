//! Limits of a solve: the one place that decides when one is met.
//!
//! Memory is judged as the resident size that the process had before the solve and what the solve
//! says it holds and is about to take, so that a limit is met before it is passed.

use store::OutOfMemory;
use verdict::{HaltReason, Stop, Watch};

use crate::backend::Trouble;

/// Share of the time limit by which a forward pass must be done, so that values can follow.
pub const FORWARD_SHARE: f64 = 0.75;
/// Share of the time limit by which a backward pass must be done, so that bounds can follow.
pub const BACKWARD_SHARE: f64 = 0.9;
/// Share by which the dense tier must have reached its states: their values take about as long again,
/// and where they cannot be done in time the rest is for bounds by tables.
pub(crate) const REACH_SHARE: f64 = 0.35;
/// Share for work that needs nothing after it.
pub(crate) const WHOLE: f64 = 1.0;

/// Longest play that is followed depth first, in steps, and the stack of a thread that follows it,
/// in bytes; only what is used of it is paid. The tests of this crate follow shorter ones, those of
/// the program the longest.
pub(crate) const LONGEST_PLAY: u32 = if cfg!(test) { 10_000 } else { 200_000 };
const STACK: usize = if cfg!(test) { 1 << 27 } else { 1 << 30 };

/// Threads that can follow the longest play.
///
/// # Errors
/// When the system refuses.
pub(crate) fn deep_threads(number: usize) -> Result<rayon::ThreadPool, Stop> {
    let builder = rayon::ThreadPoolBuilder::new().stack_size(STACK);
    builder.num_threads(number).build().map_err(|error| {
        Stop::Environment(format!("threads for the search could not be started: {error}"))
    })
}

/// What the process held before the solve.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    base_bytes: u64,
}

impl Limits {
    /// Takes note of what the process holds now.
    #[expect(clippy::new_without_default, reason = "it looks at the process, so it is no default")]
    pub fn new() -> Self {
        Self { base_bytes: store::resident_bytes().unwrap_or(0) }
    }

    /// Whether a limit is met by a solve that holds, or is about to hold, `bytes`.
    ///
    /// # Errors
    /// The limit that is met.
    pub fn check(self, watch: &Watch<'_>, bytes: u64, share: f64) -> Result<(), Trouble> {
        match self.met(watch, bytes, share) {
            Some(reason) => Err(Trouble::Limit(reason)),
            None => Ok(()),
        }
    }

    /// The limit that is met, if one is.
    pub fn met(self, watch: &Watch<'_>, bytes: u64, share: f64) -> Option<HaltReason> {
        debug_assert!(share > 0.0 && share <= WHOLE, "a share of the whole time");
        if watch.interrupted() {
            return Some(HaltReason::Interrupt);
        }
        if watch.spent() > share {
            return Some(HaltReason::Time);
        }
        let needed = self.base_bytes + bytes;
        let over = watch.memory.is_some_and(|limit| needed > limit);
        over.then_some(HaltReason::Memory { needed })
    }
}

/// A lack of memory as trouble.
pub(crate) fn refused(error: OutOfMemory) -> Trouble {
    Trouble::Limit(HaltReason::Memory { needed: error.bytes })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::testing::{self, under};

    #[test]
    fn each_limit_is_met_for_its_own_reason() {
        let limits = Limits { base_bytes: 100 };
        let memory = testing::Limits { memory: Some(150), ..testing::Limits::default() };
        under(memory, |watch| {
            assert_eq!(limits.met(watch, 50, WHOLE), None);
            let needed = Some(HaltReason::Memory { needed: 151 });
            assert_eq!(limits.met(watch, 51, WHOLE), needed);
        });
        let time =
            testing::Limits { time: Some(Duration::from_nanos(1)), ..testing::Limits::default() };
        under(time, |watch| {
            std::thread::sleep(Duration::from_millis(1));
            assert_eq!(limits.met(watch, 0, FORWARD_SHARE), Some(HaltReason::Time));
        });
        let interrupted = testing::Limits { interrupted: true, ..testing::Limits::default() };
        under(interrupted, |watch| {
            assert_eq!(limits.check(watch, 0, WHOLE), Err(Trouble::Limit(HaltReason::Interrupt)));
        });
    }
}
