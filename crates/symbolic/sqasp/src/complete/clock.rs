//! When a limit is met: making clauses asks here, so that a program whose clauses are many ends in
//! time like any other.

use verdict::{HaltReason, Watch};

/// Steps between looks at the time.
const TIME_EVERY: u64 = 1 << 10;
/// Steps between looks at the resident size, a reading of which costs ten microseconds.
const MEMORY_EVERY: u64 = 1 << 14;
const _: () = assert!(MEMORY_EVERY.is_multiple_of(TIME_EVERY));

/// Counts work, and asks the watch now and then.
pub(super) struct Clock<'a> {
    watch: &'a Watch<'a>,
    steps: u64,
}

impl<'a> Clock<'a> {
    pub(super) fn new(watch: &'a Watch<'a>) -> Self {
        Self { watch, steps: 0 }
    }

    /// One step: a rule, a gate or a clause.
    ///
    /// # Errors
    /// The limit that is met.
    #[inline]
    pub(super) fn tick(&mut self) -> Result<(), HaltReason> {
        self.steps += 1;
        if !self.steps.is_multiple_of(TIME_EVERY) {
            return Ok(());
        }
        if self.watch.interrupted() {
            return Err(HaltReason::Interrupt);
        }
        if self.watch.spent() >= 1.0 {
            return Err(HaltReason::Time);
        }
        let asks = self.steps.is_multiple_of(MEMORY_EVERY);
        let size = asks.then(store::resident_bytes).flatten();
        match (self.watch.memory, size) {
            (Some(limit), Some(size)) if size > limit => Err(HaltReason::Memory { needed: size }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;

    /// What a clock says, and at which step, within so many steps.
    fn end(watch: &Watch<'_>) -> Option<(u64, HaltReason)> {
        let mut clock = Clock::new(watch);
        (1..=2 * MEMORY_EVERY).find_map(|step| Some((step, clock.tick().err()?)))
    }

    #[test]
    fn limits_are_asked_for_now_and_then() {
        let (still, stop) = (AtomicBool::new(false), AtomicBool::new(true));
        let free = Watch::unlimited(&still);
        assert_eq!(end(&free), None);
        assert_eq!(end(&Watch::unlimited(&stop)), Some((TIME_EVERY, HaltReason::Interrupt)));
        let late = Watch { time: Some(Duration::ZERO), ..Watch::unlimited(&still) };
        assert_eq!(end(&late), Some((TIME_EVERY, HaltReason::Time)));
        if cfg!(target_os = "linux") {
            let full = Watch { memory: Some(1), ..Watch::unlimited(&still) };
            let (step, reason) = end(&full).expect("a process takes more");
            assert_eq!(step, MEMORY_EVERY);
            assert!(matches!(reason, HaltReason::Memory { needed: 2.. }), "{reason:?}");
        }
        let ample = Watch { memory: Some(u64::MAX), ..Watch::unlimited(&still) };
        assert_eq!(end(&ample), None);
    }
}
