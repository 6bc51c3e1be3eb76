//! About how long a sweep will take from here: for people who wait, and never for a decision.
//!
//! The sizes of plies rise and fall like a bell, so the logarithm of a size is taken for a parabola
//! through the last plies: its slope falls by the same amount from ply to ply. The states that are
//! expected so are expanded at the rate of those before, and valued at some times that rate.

use std::time::{Duration, Instant};

/// Plies over which a slope is taken.
const SPAN: usize = 3;
/// Plies that are looked ahead at most.
const MOST_PLIES: usize = 10_000;
/// Time between two estimates: one costs as much as a small ply.
const PATIENCE: Duration = Duration::from_millis(50);
/// How much faster values are computed than states are expanded, about.
const BACKWARD_SPEED: f64 = 3.0;

/// What is known of the forward pass.
pub(super) struct Estimate {
    begun: Instant,
    /// When it was estimated last.
    made: Option<Instant>,
    /// Sizes of the plies that this process knows, the newest last.
    sizes: Vec<u64>,
    /// States that this process expanded.
    expanded: u64,
    /// When it is expected to end.
    end: Option<Instant>,
}

impl Estimate {
    /// Nothing is known.
    pub(super) fn new() -> Self {
        Self { begun: Instant::now(), made: None, sizes: Vec::new(), expanded: 0, end: None }
    }

    /// A ply of `states` kept states was expanded; the next one has `newest`.
    pub(super) fn expanded(&mut self, states: u64, newest: u64) {
        self.expanded += states;
        self.sizes.push(newest);
        if self.made.is_some_and(|made| made.elapsed() < PATIENCE) {
            return;
        }
        self.made = Some(Instant::now());
        let ahead = ahead(&self.sizes);
        let done = self.expanded + newest + ahead.unwrap_or(0);
        let rest = done - self.expanded;
        let valued = (done as f64 / BACKWARD_SPEED) as u64;
        let known = ahead.is_some();
        let left = scaled(self.begun.elapsed(), self.expanded, rest + valued).filter(|_| known);
        self.end = left.and_then(|left| Instant::now().checked_add(left));
    }

    /// About how long it will take from here.
    pub(super) fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }
}

/// How long the rest takes where what is done took so long.
pub(super) fn scaled(spent: Duration, done: u64, rest: u64) -> Option<Duration> {
    let seconds = spent.as_secs_f64() * rest as f64 / done as f64;
    (done > 0).then(|| Duration::try_from_secs_f64(seconds).ok()).flatten()
}

/// States of the plies that are yet to come; none where plies do not yet grow more slowly.
fn ahead(sizes: &[u64]) -> Option<u64> {
    let log = |back: usize| {
        let at = sizes.len().checked_sub(1 + back)?;
        Some((sizes[at].max(1) as f64).ln())
    };
    let (newest, middle, oldest) = (log(0)?, log(SPAN)?, log(2 * SPAN)?);
    let span = SPAN as f64;
    let bend = ((newest - middle) - (middle - oldest)) / (span * span);
    let mut slope = (newest - middle) / span + bend * (span + 1.0) / 2.0;
    let (mut size, mut sum) = (newest, 0.0);
    for _ in 0..MOST_PLIES {
        size += slope;
        slope += bend;
        if size <= 0.0 {
            return Some(sum as u64);
        }
        sum += size.exp();
        if sum > 1e18 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bell_is_continued_to_its_end() {
        let size = |ply: i32| (10.0 - 0.1 * f64::from((ply - 10) * (ply - 10))).exp() as u64;
        let sizes: Vec<u64> = (0..12).map(size).collect();
        let rest: u64 = (12..30).map(size).sum();
        let expected = ahead(&sizes).expect("plies grow more slowly");
        assert!(expected > rest * 9 / 10 && expected < rest * 11 / 10, "{expected}, not {rest}");
        let growing: Vec<u64> = (0..20).map(|ply| 1 << ply).collect();
        assert_eq!(ahead(&growing), None);
        assert_eq!(ahead(&sizes[..5]), None);
    }

    #[test]
    fn time_is_scaled_by_what_is_done() {
        let spent = Duration::from_secs(10);
        assert_eq!(scaled(spent, 5, 10), Some(Duration::from_secs(20)));
        assert_eq!(scaled(spent, 0, 10), None);
    }

    /// Plies that rise and fall like a bell, the last of which are to come.
    #[test]
    fn what_is_left_is_what_is_expected_at_the_speed_so_far() {
        let size = |ply: i32| (10.0 - 0.1 * f64::from((ply - 10) * (ply - 10))).exp() as u64;
        let spent = Duration::from_secs(100);
        let Some(begun) = Instant::now().checked_sub(spent) else { return };
        let mut estimate = Estimate { begun, ..Estimate::new() };
        let mut told = Vec::new();
        for ply in 0..12 {
            estimate.made = None;
            estimate.expanded(size(ply), size(ply + 1));
            told.push(estimate.left());
        }
        assert_eq!(told[4], None, "too few plies to tell");
        let (done, rest): (u64, u64) = ((0..12).map(size).sum(), (12..40).map(size).sum());
        let all = (done + rest) as f64;
        let expected = 100.0 * (rest as f64 + all / BACKWARD_SPEED) / done as f64;
        let last = told[11].expect("plies grow more slowly").as_secs_f64();
        assert!((last / expected - 1.0).abs() < 0.1, "{last}, not {expected}");
        // Within a moment nothing is estimated anew.
        estimate.expanded(1_000_000_000, 1);
        let same = estimate.left().expect("as before").as_secs_f64();
        assert!((same / last - 1.0).abs() < 0.02, "{same}, not {last}");
    }
}
