//! How long a thread has run, as the system counts it.
//!
//! Read from `/proc/thread-self/schedstat`, where there is one: the first number is the time that
//! the calling thread was on a processor, in nanoseconds. Unlike the clock it does not count what
//! other programs took.

use std::time::Duration;

/// Time that the calling thread has been on a processor; none where the system does not say.
pub fn thread_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn work_counts_and_sleep_does_not() {
        let Some(before) = thread_time() else { return };
        std::thread::sleep(Duration::from_millis(30));
        let slept = thread_time().expect("it was told before") - before;
        let begun = Instant::now();
        let mut sum = 0u64;
        while thread_time().expect("it was told before") - before - slept
            < Duration::from_millis(30)
        {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(slept < Duration::from_millis(25), "{slept:?} of sleep");
        assert!(begun.elapsed() >= Duration::from_millis(25), "no more than the clock");
    }
}
