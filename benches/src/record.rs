//! Records: a markdown page a bench, with the command, the commit and the machine behind it.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::contest::Cost;

const INFALLIBLE: &str = "a string takes any text";

/// A page that grows.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    text: String,
}

impl Page {
    /// A page with its heading and where its figures come from.
    pub(crate) fn new(name: &str, arguments: &str, meaning: &str, root: &Path) -> Self {
        let mut text = format!("# {name}\n\n{meaning}\n\n");
        let command = format!("cargo xtask bench {name} {arguments}");
        writeln!(text, "- command: `{}`", command.trim_end()).expect(INFALLIBLE);
        writeln!(text, "- commit: {}", commit(root)).expect(INFALLIBLE);
        writeln!(text, "- machine: {}", machine()).expect(INFALLIBLE);
        writeln!(
            text,
            "- one core; medians of whole processes run in turns; CPU is user and system time\n"
        )
        .expect(INFALLIBLE);
        Self { text }
    }

    /// A line or paragraph.
    pub(crate) fn say(&mut self, text: &str) {
        writeln!(self.text, "{text}\n").expect(INFALLIBLE);
    }

    /// A table; numbers are aligned by whoever renders it.
    pub(crate) fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        assert!(rows.iter().all(|row| row.len() == head.len()), "every row fills the head");
        writeln!(self.text, "| {} |", head.join(" | ")).expect(INFALLIBLE);
        writeln!(self.text, "| ---{} |", " | ---:".repeat(head.len() - 1)).expect(INFALLIBLE);
        for row in rows {
            writeln!(self.text, "| {} |", row.join(" | ")).expect(INFALLIBLE);
        }
        self.text.push('\n');
    }

    /// A table of costs against the first of them.
    pub(crate) fn costs(&mut self, costs: &[Cost]) {
        let first = costs.first().expect("a contest has a first contender").cpu;
        let row = |cost: &Cost| {
            vec![
                cost.name.clone(),
                seconds(cost.cpu),
                seconds(cost.wall),
                megabytes(cost.peak_bytes),
                ratio(cost.cpu, first),
                cost.turns.to_string(),
            ]
        };
        let rows: Vec<Vec<String>> = costs.iter().map(row).collect();
        self.table(
            &["contender", "CPU s", "wall s", "peak MB", "CPU, oddsmith = 1", "runs"],
            &rows,
        );
    }

    /// The page as text.
    pub(crate) fn text(&self) -> &str {
        self.text.trim_end()
    }
}

/// Seconds with three digits that count.
pub(crate) fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let digits = if seconds >= 10.0 { 1 } else { 3 };
    format!("{seconds:.digits$}")
}

/// Megabytes (of 10^6 bytes).
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// One time over another.
pub(crate) fn ratio(time: Duration, first: Duration) -> String {
    let ratio = time.as_secs_f64() / first.as_secs_f64().max(1e-9);
    format!("{ratio:.*}", if ratio >= 100.0 { 0 } else { 2 })
}

fn commit(root: &Path) -> String {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).current_dir(root).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(hash) = git(&["rev-parse", "--short=12", "HEAD"]) else { return "unknown".into() };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    let clean = changed.is_some_and(|changes| {
        changes.lines().all(|line| line.ends_with(".md") || line.contains("benches/record/"))
    });
    if clean { hash } else { format!("{hash} with local changes") }
}

fn machine() -> String {
    let field = |file: &str, name: &str| {
        let text = std::fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?.to_owned();
        line.split_once(':').map(|(_, value)| value.trim().to_owned())
    };
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "processor unknown".into());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|value| value.trim_end_matches(" kB").parse::<u64>().ok())
        .map_or_else(String::new, |kib| format!(", {:.0} GiB", kib as f64 / f64::from(1 << 20)));
    format!("{model}, {cores} cores{memory}, {}", std::env::consts::OS)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::{Page, ratio, seconds};

    #[test]
    fn a_page_names_command_commit_and_machine() {
        let mut page = Page::new("nim", "", "Nim.", Path::new("."));
        page.table(&["a", "b"], &[vec!["1".into(), "2".into()]]);
        for part in ["# nim", "`cargo xtask bench nim`", "- commit: ", "- machine: ", "| 1 | 2 |"] {
            assert!(page.text().contains(part), "{part} is missing from\n{}", page.text());
        }
    }

    #[test]
    fn figures_are_short() {
        assert_eq!(seconds(Duration::from_millis(1234)), "1.234");
        assert_eq!(seconds(Duration::from_millis(188_040)), "188.0");
        assert_eq!(ratio(Duration::from_secs(188), Duration::from_millis(50)), "3760");
    }
}
