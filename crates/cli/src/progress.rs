//! The progress line of a long solve: phase, ply, states, rate and memory, on standard error.
//!
//! It appears only where standard error is a terminal, and only after a moment, so that a quick
//! solve leaves the screen alone. Engines call it from any thread, as often as they like; the line
//! redraws at most ten times a second.

use std::io::IsTerminal;
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
        Self { bar, started: Instant::now() }
    }

    /// Shows how far a solve has come.
    pub(crate) fn show(&self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        let elapsed = self.started.elapsed();
        if elapsed >= PATIENCE {
            bar.set_message(describe(progress, elapsed));
            bar.tick();
        }
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

/// `forward  ply 5 of 32  1,234,567 states  2,000,000 a second  120.0 MiB  0:07`.
fn describe(progress: &Progress, elapsed: Duration) -> String {
    let plies = progress.plies.map_or(String::new(), |plies| format!(" of {plies}"));
    let rate = progress.states as f64 / elapsed.as_secs_f64().max(1e-3);
    format!(
        "{}  ply {}{plies}  {} states  {} a second  {}  {}:{:02}",
        progress.phase,
        progress.ply,
        show_count(progress.states),
        show_count(rate as u64),
        show_size(progress.bytes),
        elapsed.as_secs() / 60,
        elapsed.as_secs() % 60,
    )
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
        };
        let line = describe(&progress, Duration::from_secs(65));
        assert!(line.starts_with("forward  ply 5 of 32  2,000,000 states"), "{line}");
        assert!(line.contains("30,769 a second") && line.ends_with("3.0 MiB  1:05"), "{line}");
    }
}
