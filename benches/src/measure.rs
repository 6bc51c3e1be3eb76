//! What one whole process costs: user and system time, and its largest resident size.
//!
//! The figures of finished children are kept by the system for their parent as one sum, so each
//! measured program gets a parent of its own: this program started again as `measure`, pinned to
//! one core, which runs the program, waits, and reports. All contenders go the same way.
//!
//! Before each run a helper touches and frees memory: a virtual machine may have given free pages
//! back to its host, and who touches them first pays for that, which may be a second and nothing to
//! do with the contenders.
//!
//! A run may be given so many seconds of processor time: the system ends it then, whatever it does.
//!
//! The largest resident size of a program is never below that of the process that started it; the
//! middleman takes about 3 MB, which is below what any contender needs.

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// What a run cost and printed.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// User and system time of the process.
    pub(crate) cpu: Duration,
    /// Wall-clock time.
    pub(crate) wall: Duration,
    /// Largest resident size.
    pub(crate) peak_bytes: u64,
    /// Exit status; none where a signal ended it, as where its time was up.
    pub(crate) status: Option<i32>,
    /// What it wrote to standard output.
    pub(crate) output: String,
}

/// The cores that a contender may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cores {
    One,
    All,
    /// All of them, for two processes at once: time goes by until both have ended.
    Both,
}

/// Tells the middleman not to tie a program to one core.
const ALL_CORES: &str = "--all-cores";

/// Tells it to start a program twice at once.
const TWICE: &str = "--twice";

/// Environment of every contender: the allocator may use huge pages, as the arenas do.
const ENVIRONMENT: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");

/// Bytes that are touched before a run: more than any contender needs.
const WARM_BYTES: usize = 768 << 20;

/// Touches memory and frees it.
///
/// # Errors
/// Where there is not so much.
pub(crate) fn warm() -> Result<(), String> {
    let mut memory = store::HugeVec::<u64>::new();
    memory.resize(WARM_BYTES / 8, 1).map_err(|lack| lack.to_string())?;
    let last = memory.as_slice().last();
    if last == Some(&1) { Ok(()) } else { Err("memory does not hold what was written".into()) }
}

/// Runs a program to its end by a middleman; its standard error is shown.
///
/// # Errors
/// Where it cannot be started or fails.
pub(crate) fn run(words: &[String], cores: Cores) -> Result<Run, String> {
    // Where this fails, the figures are only noisier.
    let _ = Command::new(own_program()?).arg("warm").status();
    let flags = [ALL_CORES.to_owned(), TWICE.to_owned()];
    let flags = match cores {
        Cores::One => &flags[..0],
        Cores::All => &flags[..1],
        Cores::Both => &flags[..],
    };
    let run = managed(flags, words)?;
    match run.status {
        Some(0) => Ok(run),
        Some(status) => Err(format!("`{}` failed (exit status {status})", words.join(" "))),
        None => Err(format!("`{}` was ended by a signal", words.join(" "))),
    }
}

/// Runs a program once, whatever its exit status; it is ended after so many seconds of processor
/// time. Memory is not warmed: many such runs are to be quick.
///
/// # Errors
/// Where it cannot be started.
pub(crate) fn attempt(words: &[String], seconds: u64) -> Result<Run, String> {
    assert!(seconds > 0, "a run needs some time");
    managed(&["--seconds".to_owned(), seconds.to_string()], words)
}

fn own_program() -> Result<std::path::PathBuf, String> {
    std::env::current_exe().map_err(|error| error.to_string())
}

fn managed(limits: &[String], words: &[String]) -> Result<Run, String> {
    let output = Command::new(own_program()?)
        .arg("measure")
        .args(limits)
        .args(words)
        .env(ENVIRONMENT.0, ENVIRONMENT.1)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("`{}` could not be measured ({})", words.join(" "), output.status));
    }
    parse(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| "the middleman printed something else".to_owned())
}

/// First the figures on a line, then the output.
fn parse(text: &str) -> Option<Run> {
    let (figures, output) = text.split_once('\n')?;
    let figures: Vec<&str> = figures.split(' ').collect();
    let [cpu, wall, peak_bytes, status] = figures.as_slice() else { return None };
    let micros = |word: &str| word.parse().ok().map(Duration::from_micros);
    let status = if *status == SIGNALLED { None } else { Some(status.parse().ok()?) };
    Some(Run {
        cpu: micros(cpu)?,
        wall: micros(wall)?,
        peak_bytes: peak_bytes.parse().ok()?,
        status,
        output: output.to_owned(),
    })
}

/// Stands for the exit status of a program that a signal ended.
const SIGNALLED: &str = "signal";

/// The middleman: runs the program on one core and prints its figures before its output.
pub(crate) fn middleman(words: &[String]) -> ExitCode {
    match measured(words) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("measure: {message}");
            ExitCode::from(2)
        }
    }
}

fn measured(words: &[String]) -> Result<String, String> {
    let words = match words {
        [flag, seconds, rest @ ..] if flag == "--seconds" => {
            let seconds = seconds.parse().map_err(|_| format!("`{seconds}` is no number"))?;
            limit_time(seconds);
            rest
        }
        all => all,
    };
    let words = match words {
        [flag, rest @ ..] if flag == ALL_CORES => rest,
        all => {
            pin();
            all
        }
    };
    let (twice, words) = match words {
        [flag, rest @ ..] if flag == TWICE => (true, rest),
        all => (false, all),
    };
    let (program, arguments) = words.split_first().ok_or("name the program to run")?;
    let fault = |error: std::io::Error| format!("{program}: {error}");
    let start = |stdout: Stdio| {
        Command::new(program).args(arguments).stdout(stdout).stderr(Stdio::inherit()).spawn()
    };
    let started = Instant::now();
    let other = twice.then(|| start(Stdio::null())).transpose().map_err(fault)?;
    let output = start(Stdio::piped()).and_then(std::process::Child::wait_with_output);
    if let Some(mut other) = other {
        let status = other.wait().map_err(fault)?;
        if !status.success() {
            return Err(format!("{program}: the other one ended with {status}"));
        }
    }
    let wall = started.elapsed();
    let output = output.map_err(fault)?;
    let (cpu, peak_bytes) = children();
    let status = output.status.code().map_or(SIGNALLED.to_owned(), |code| code.to_string());
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(format!("{} {} {peak_bytes} {status}\n{text}", cpu.as_micros(), wall.as_micros()))
}

/// Lets no process that is started from here use more seconds of the processor.
#[cfg(unix)]
fn limit_time(seconds: u64) {
    use nix::sys::resource::{Resource, setrlimit};
    if let Err(error) = setrlimit(Resource::RLIMIT_CPU, seconds, seconds) {
        eprintln!("measure: without a limit of time: {error}");
    }
}

#[cfg(not(unix))]
fn limit_time(_: u64) {}

/// Ties this process and its children to the last core, where the system allows it.
#[cfg(target_os = "linux")]
fn pin() {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    let this = nix::unistd::Pid::from_raw(0);
    let Ok(allowed) = sched_getaffinity(this) else { return };
    let core = (0..CpuSet::count()).rev().find(|core| allowed.is_set(*core) == Ok(true));
    let mut one = CpuSet::new();
    if let Some(core) = core
        && one.set(core).is_ok()
        && let Err(error) = sched_setaffinity(this, &one)
    {
        eprintln!("measure: not pinned to one core: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
fn pin() {}

/// User and system time of this process so far; of the clock on the wall where the system does
/// not tell.
pub(crate) fn own_time(started: Instant) -> Duration {
    #[cfg(unix)]
    {
        let _ = started;
        spent(nix::sys::resource::UsageWho::RUSAGE_SELF).0
    }
    #[cfg(not(unix))]
    started.elapsed()
}

#[cfg(unix)]
fn children() -> (Duration, u64) {
    spent(nix::sys::resource::UsageWho::RUSAGE_CHILDREN)
}

#[cfg(unix)]
fn spent(who: nix::sys::resource::UsageWho) -> (Duration, u64) {
    use nix::sys::time::TimeValLike;
    let usage = nix::sys::resource::getrusage(who).expect("the system knows its processes");
    let micros = (usage.user_time() + usage.system_time()).num_microseconds();
    // The unit of the largest resident size is the kilobyte, but on macOS the byte.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak = u64::try_from(usage.max_rss()).unwrap_or(0) * unit;
    (Duration::from_micros(u64::try_from(micros).unwrap_or(0)), peak)
}

#[cfg(not(unix))]
fn children() -> (Duration, u64) {
    (Duration::ZERO, 0)
}

/// The median of some figures.
///
/// # Panics
/// Where there is none.
pub(crate) fn median<T: Copy + Ord>(figures: impl Iterator<Item = T>) -> T {
    let mut sorted: Vec<T> = figures.collect();
    assert!(!sorted.is_empty(), "a median of nothing");
    sorted.sort_unstable();
    sorted[(sorted.len() - 1) / 2]
}

#[cfg(test)]
mod tests {
    use super::{median, parse};

    #[test]
    fn figures_come_before_the_output() {
        let run = parse("1500 2000 4096 10\nvalue\n1 2\n").unwrap();
        assert_eq!((run.cpu.as_micros(), run.wall.as_micros(), run.peak_bytes), (1500, 2000, 4096));
        assert_eq!((run.status, run.output.as_str()), (Some(10), "value\n1 2\n"));
        assert_eq!(parse("1 2 3 signal\n").unwrap().status, None);
        assert!(parse("1 2\nx").is_none() && parse("no figures").is_none());
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3, 1, 2].into_iter()), 2);
        assert_eq!(median([4, 1, 2, 3].into_iter()), 2);
    }
}
