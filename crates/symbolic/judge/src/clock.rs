//! How long some of the work took in all, for those who ask how an answer came about.
//!
//! The only thing here that knows the time: no answer depends on it.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Adds up time.
#[derive(Debug, Default)]
pub(crate) struct Clock(Cell<Duration>);

impl Clock {
    /// Does some work and adds the time that it took.
    pub(crate) fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = work();
        self.0.set(self.0.get() + begun.elapsed());
        done
    }

    /// The time so far.
    pub(crate) fn total(&self) -> Duration {
        self.0.get()
    }
}
