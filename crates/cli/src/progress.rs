//! The progress line of a long solve: phase, ply, states, rate, memory, disk, time and about how
//! much more of it, on standard error.
//!
//! It appears only where standard error is a terminal, and only after a moment, so that a quick
//! solve leaves the screen alone. Engines call it from any thread, as often as they like; the line
//! redraws at most ten times a second.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use verdict::Progress;

use crate::quantity::{show_count, show_size};

/// Nothing is drawn before this.
const PATIENCE: Duration = Duration::from_millis(400);
/// Redraws a second.
const REDRAWS: u8 = 10;

/// A progress line, or nothing where nobody would see it.
pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
    started: Instant,
    /// The phase shown last, and when it began: a rate is that of its phase.
    phase: Mutex<(&'static str, Instant)>,
}

impl ProgressLine {
    /// A line for a solve that begins now; silent where `wanted` is false or where standard error
    /// is no terminal.
    pub(crate) fn new(wanted: bool) -> Self {
        let seen = wanted && std::io::stderr().is_terminal();
        let bar = seen.then(|| {
            let bar =
                ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(REDRAWS));
            bar.set_style(spinner_style());
            bar
        });
        let started = Instant::now();
        Self { bar, started, phase: Mutex::new(("", started)) }
    }

    /// Shows how far a solve has come.
    pub(crate) fn show(&self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        let elapsed = self.started.elapsed();
        let in_phase = self.time_in_phase(progress.phase);
        if elapsed >= PATIENCE {
            bar.set_message(describe(progress, in_phase, elapsed));
            bar.tick();
        }
    }

    fn time_in_phase(&self, phase: &'static str) -> Duration {
        // A thread that panicked while it held the lock has ended the program.
        let Ok(mut held) = self.phase.lock() else { return Duration::ZERO };
        if held.0 != phase {
            *held = (phase, Instant::now());
        }
        held.1.elapsed()
    }

    /// Takes the line off the screen.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

fn spinner_style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// `forward  ply 5 of 32  1,234,567 states  2,000,000 a second  120.0 MiB  0:07  about 0:20 left`;
/// a phase that counts no states shows none, and a solve that is not on disk no disk.
fn describe(progress: &Progress, in_phase: Duration, elapsed: Duration) -> String {
    let plies = progress.plies.map_or(String::new(), |plies| format!(" of {plies}"));
    let mut line = format!("{}  ply {}{plies}", progress.phase, progress.ply);
    if progress.states > 0 {
        let rate = progress.states as f64 / in_phase.as_secs_f64().max(1e-3);
        let (states, rate) = (show_count(progress.states), show_count(rate as u64));
        line += &format!("  {states} states  {rate} a second");
    }
    line += &format!("  {}", show_size(progress.bytes));
    if progress.disk > 0 {
        line += &format!("  {} on disk", show_size(progress.disk));
    }
    line += &format!("  {}", show_clock(elapsed));
    let left = progress.left.map(|left| format!("  about {} left", show_clock(left)));
    line + &left.unwrap_or_default()
}

/// `1:05`, or `1:01:05` from an hour on.
fn show_clock(time: Duration) -> String {
    let (hours, minutes, seconds) =
        (time.as_secs() / 3600, time.as_secs() / 60 % 60, time.as_secs() % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_phase_ply_states_rate_and_memory() {
        let progress = Progress {
            phase: "forward",
            ply: 5,
            plies: Some(32),
            states: 2_000_000,
            bytes: 3 << 20,
            ..Progress::default()
        };
        let (in_phase, elapsed) = (Duration::from_secs(4), Duration::from_secs(65));
        let line = describe(&progress, in_phase, elapsed);
        assert_eq!(line, "forward  ply 5 of 32  2,000,000 states  500,000 a second  3.0 MiB  1:05");
        let uncounted = Progress { states: 0, plies: None, ..progress.clone() };
        assert_eq!(describe(&uncounted, in_phase, elapsed), "forward  ply 5  3.0 MiB  1:05");
        let left = Some(Duration::from_secs(3700));
        let long = Progress { disk: 5 << 30, left, ..uncounted };
        let line = describe(&long, in_phase, elapsed);
        assert_eq!(line, "forward  ply 5  3.0 MiB  5.0 GiB on disk  1:05  about 1:01:40 left");
    }
}
