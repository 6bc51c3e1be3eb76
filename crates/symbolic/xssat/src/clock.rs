//! When a limit is met: the one place that asks the watch.
//!
//! Work is counted in steps, large pieces of it as several; the time is looked at every 256th step, the resident size of the
//! process every 4096th, since a reading of it costs ten microseconds.

use verdict::{HaltReason, Watch};

/// Counts steps and asks the watch now and then.
pub(crate) struct Clock<'a> {
    watch: &'a Watch<'a>,
    steps: u64,
    /// The step at which a slice ends.
    end: u64,
    /// Looks after which a test wants a limit to be met.
    #[cfg(test)]
    looks: std::cell::Cell<u64>,
}

const TIME_EVERY: u64 = 1 << 8;
const MEMORY_EVERY: u64 = 1 << 12;
const _: () = assert!(MEMORY_EVERY.is_multiple_of(TIME_EVERY));

impl<'a> Clock<'a> {
    pub(crate) fn new(watch: &'a Watch<'a>) -> Self {
        Self {
            watch,
            steps: 0,
            end: u64::MAX,
            #[cfg(test)]
            looks: std::cell::Cell::new(u64::MAX),
        }
    }

    /// One that meets a limit at the look after so many.
    #[cfg(test)]
    pub(crate) fn of_looks(watch: &'a Watch<'a>, looks: u64) -> Self {
        Self { looks: std::cell::Cell::new(looks), ..Self::new(watch) }
    }

    /// One step of work, of at most some ten microseconds.
    ///
    /// # Errors
    /// The limit that is met.
    #[inline]
    pub(crate) fn tick(&mut self) -> Result<(), HaltReason> {
        self.count(1)
    }

    /// Work that is worth so many steps.
    ///
    /// # Errors
    /// The limit that is met.
    #[inline]
    pub(crate) fn count(&mut self, steps: u64) -> Result<(), HaltReason> {
        if self.steps >= self.end {
            return Err(HaltReason::Interrupt);
        }
        let before = self.steps;
        self.steps += steps;
        if before / TIME_EVERY != self.steps / TIME_EVERY {
            return self.look(before / MEMORY_EVERY != self.steps / MEMORY_EVERY);
        }
        Ok(())
    }

    /// Halts after so many steps more.
    pub(crate) fn slice(&mut self, steps: u64) {
        self.end = self.steps.saturating_add(steps);
    }

    /// Whether the slice is over, and no limit.
    pub(crate) fn is_slice_over(&self) -> bool {
        self.steps >= self.end && !self.watch.interrupted()
    }

    /// Looks at the limits now.
    ///
    /// # Errors
    /// The limit that is met.
    pub(crate) fn look(&self, memory: bool) -> Result<(), HaltReason> {
        #[cfg(test)]
        self.spend_look()?;
        if self.watch.interrupted() {
            return Err(HaltReason::Interrupt);
        }
        if self.watch.time.is_some_and(|limit| self.watch.started.elapsed() > limit) {
            return Err(HaltReason::Time);
        }
        let Some(limit) = self.watch.memory.filter(|_| memory) else { return Ok(()) };
        match store::resident_bytes() {
            Some(needed) if needed > limit => Err(HaltReason::Memory { needed }),
            _ => Ok(()),
        }
    }

    #[cfg(test)]
    fn spend_look(&self) -> Result<(), HaltReason> {
        let left = self.looks.get().checked_sub(1).ok_or(HaltReason::Interrupt)?;
        self.looks.set(left);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_slice_is_over_after_its_steps_and_not_where_the_user_stops() {
        let stop = AtomicBool::new(false);
        let watch = Watch::unlimited(&stop);
        let mut clock = Clock::new(&watch);
        clock.slice(10);
        for _ in 0..10 {
            assert!(!clock.is_slice_over());
            assert_eq!(clock.tick(), Ok(()));
        }
        assert!(clock.is_slice_over());
        assert_eq!(clock.tick(), Err(HaltReason::Interrupt));
        clock.slice(10);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(clock.count(3 * TIME_EVERY), Err(HaltReason::Interrupt));
        assert!(!clock.is_slice_over(), "the interrupt ends more than the slice");
    }
}
