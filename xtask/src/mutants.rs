//! `cargo xtask mutants`: faults planted in the code by a program, and the share that tests notice.
//!
//! A *mutant* is the code with one small change: an operator turned round, a condition negated, a
//! function that returns something plain. cargo-mutants makes them and runs the tests of the crate that
//! was changed; a mutant that no test fails for is *missed*. A crate has hundreds, so a sample is
//! drawn from a seed, and the share that is caught is given with Wilson's interval for 95 per cent (Wilson,
//! *Probable inference*, 1927), which holds for small samples and for shares near 1 as well. A change
//! that does not compile, or that ends no test in time, is told apart: the first says nothing, the
//! second was noticed.
//!
//! Tests in `tests/` and of later crates are not run, so the whole of the tests notices no less. Some
//! mutants change nothing that can be seen (a bound of a cache, the text of a debug form): they count as
//! missed, and are for whoever reads the list to tell.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::checkout::Checkout;
use crate::report::Failure;

/// The version that is known to do what this chore reads.
const VERSION: &str = "27.1.0";
/// The crates whose faults would make a wrong answer.
const CRATES: &[&str] = &["ground", "net", "kernel", "solve", "sqasp", "xssat"];
/// Mutants that are drawn where the user says nothing.
const COUNT: usize = 100;
const USAGE: &str = "Use `cargo xtask mutants [CRATE]... [--count N] [--seed S] [--minutes M]`.";

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Task {
    crates: Vec<String>,
    count: usize,
    seed: u64,
    time: Option<Duration>,
}

/// How many mutants ended in each way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Outcome {
    caught: usize,
    missed: usize,
    timeout: usize,
    unviable: usize,
}

/// Draws mutants, runs the tests on each, and prints the share that was caught.
///
/// # Errors
/// On an unknown argument, without cargo-mutants of the right version, or where the tests fail on the
/// code as it is.
pub fn run(checkout: &Checkout, arguments: &[String]) -> Result<ExitCode, Failure> {
    let task = parse(arguments)?;
    need_mutants(checkout)?;
    let all = list(checkout, &task.crates)?;
    let drawn = draw(&all, task.count, task.seed);
    eprintln!(
        "== {} of {} mutants of {}, from seed {}",
        drawn.len(),
        all.len(),
        task.crates.join(", "),
        task.seed
    );
    let output = checkout.root.join("target").join("mutants");
    std::fs::create_dir_all(&output).map_err(|error| unwritable(&output, &error))?;
    try_all(checkout, &task, &drawn, &output)?;
    let results = output.join("mutants.out");
    let outcome = Outcome::read(&results);
    let missed = lines(&results.join("missed.txt"));
    print!("{}", report(&task, all.len(), outcome, &missed));
    Ok(ExitCode::SUCCESS)
}

fn parse(arguments: &[String]) -> Result<Task, Failure> {
    let mut task = Task { crates: Vec::new(), count: COUNT, seed: 1, time: None };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--count" => task.count = number(argument, rest.next())? as usize,
            "--seed" => task.seed = number(argument, rest.next())?,
            "--minutes" => {
                task.time = Some(Duration::from_secs(60 * number(argument, rest.next())?));
            }
            flag if flag.starts_with('-') => {
                return Err(Failure::usage(format!("there is no flag `{flag}`."), USAGE));
            }
            name => task.crates.push(name.to_owned()),
        }
    }
    if task.crates.is_empty() {
        task.crates = CRATES.iter().map(|name| (*name).to_owned()).collect();
    }
    Ok(task)
}

fn number(flag: &str, value: Option<&String>) -> Result<u64, Failure> {
    let number = value.and_then(|value| value.parse().ok()).filter(|&number| number > 0);
    number.ok_or_else(|| Failure::usage(format!("`{flag}` needs a number above 0."), USAGE))
}

fn need_mutants(checkout: &Checkout) -> Result<(), Failure> {
    let output = checkout.cargo(&["mutants", "--version"]).stderr(Stdio::null()).output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let said = said.unwrap_or_default();
    if said == format!("cargo-mutants {VERSION}") {
        return Ok(());
    }
    let found = if said.is_empty() { "none is there".to_owned() } else { format!("found {said}") };
    Err(Failure::environment(
        format!("cargo-mutants {VERSION} is needed, and {found}."),
        format!("Install it: cargo install cargo-mutants --version {VERSION} --locked"),
    ))
}

/// The names of all mutants of some crates.
fn list(checkout: &Checkout, crates: &[String]) -> Result<Vec<String>, Failure> {
    let mut command = checkout.cargo(&["mutants", "--list", "--colors", "never"]);
    crates.iter().for_each(|name| {
        command.args(["--package", name]);
    });
    let output = command.output().map_err(|error| not_run(&error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let names: Vec<String> = text.lines().map(str::to_owned).collect();
    if output.status.success() && !names.is_empty() {
        return Ok(names);
    }
    Err(not_run(String::from_utf8_lossy(&output.stderr).trim()))
}

/// So many of the names, each as likely as any other; in the order of the list.
fn draw(all: &[String], count: usize, seed: u64) -> Vec<String> {
    let mut state = seed;
    let mut places: Vec<usize> = (0..all.len()).collect();
    for first in 0..count.min(all.len()) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let left = (places.len() - first) as u64;
        places.swap(first, first + ((mixed ^ (mixed >> 31)) % left) as usize);
    }
    places.truncate(count);
    places.sort_unstable();
    places.into_iter().map(|place| all[place].clone()).collect()
}

/// Runs the tests on every mutant drawn, or until the time is over.
fn try_all(
    checkout: &Checkout,
    task: &Task,
    drawn: &[String],
    output: &Path,
) -> Result<(), Failure> {
    let mut command = checkout.cargo(&["mutants", "--no-shuffle", "--colors", "never"]);
    command.arg("--output").arg(output).stdin(Stdio::null());
    // A build of its own: the folder of ours would be filled by another tree.
    command.env_remove("CARGO_TARGET_DIR");
    task.crates.iter().for_each(|name| {
        command.args(["--package", name]);
    });
    drawn.iter().for_each(|name| {
        command.args(["--re", &format!("^{}$", escaped(name))]);
    });
    let started = Instant::now();
    let mut child = command.spawn().map_err(|error| not_run(&error.to_string()))?;
    let mut ended_early = false;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| not_run(&error.to_string()))? {
            break status;
        }
        if !ended_early && task.time.is_some_and(|time| started.elapsed() > time) {
            ended_early = true;
            eprintln!("== the time is over: what was tried by now counts");
            interrupt(&mut child);
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    // 0: all caught; 2: some missed; 3: some ended no test in time.
    if ended_early || status.code().is_some_and(|code| [0, 2, 3].contains(&code)) {
        return Ok(());
    }
    Err(not_run("its messages are above"))
}

/// Asks the program to end; it stops its own builds and tests.
fn interrupt(child: &mut std::process::Child) {
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    if !asked.is_ok_and(|status| status.success()) {
        // It is gone, or this system has no such signal: an end is an end.
        child.kill().ok();
    }
}

/// A name as a pattern that fits it alone.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

impl Outcome {
    /// Counts what a folder of results lists.
    fn read(folder: &Path) -> Self {
        let count = |name: &str| lines(&folder.join(name)).len();
        Self {
            caught: count("caught.txt"),
            missed: count("missed.txt"),
            timeout: count("timeout.txt"),
            unviable: count("unviable.txt"),
        }
    }

    fn noticed(self) -> usize {
        self.caught + self.timeout
    }
}

fn lines(path: &PathBuf) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Wilson's interval for a share, 95 per cent.
fn wilson(noticed: usize, all: usize) -> (f64, f64) {
    assert!(noticed <= all && all > 0, "a share of something");
    const Z: f64 = 1.959_963_984_540_054;
    let (count, share) = (all as f64, noticed as f64 / all as f64);
    let scale = 1.0 + Z * Z / count;
    let middle = (share + Z * Z / (2.0 * count)) / scale;
    let half = Z / scale * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

fn report(task: &Task, all: usize, outcome: Outcome, missed: &[String]) -> String {
    let viable = outcome.noticed() + outcome.missed;
    let mut text = format!(
        "{} mutants of {} tried (of {all}, seed {}): {} caught, {} ended no test in time, {} missed, \
         {} did not compile\n",
        viable + outcome.unviable,
        task.crates.join(", "),
        task.seed,
        outcome.caught,
        outcome.timeout,
        outcome.missed,
        outcome.unviable
    );
    if viable > 0 {
        let (low, high) = wilson(outcome.noticed(), viable);
        let share = 100.0 * outcome.noticed() as f64 / viable as f64;
        text.push_str(&format!(
            "noticed: {share:.0} % of {viable} (95 % interval {:.0} to {:.0} %)\n",
            100.0 * low,
            100.0 * high
        ));
    }
    missed.iter().for_each(|name| text.push_str(&format!("  missed {name}\n")));
    text
}

fn not_run(said: &str) -> Failure {
    Failure::environment(
        format!("cargo mutants did not do its work: {said}"),
        "Run `cargo test` for the crates first: their tests must pass on the code as it is.",
    )
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::environment(
        format!("{} cannot be written: {error}.", path.display()),
        "Check the permissions of the folder, and the space on its disk.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<Task> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        parse(&words).ok()
    }

    #[test]
    fn arguments_are_read() {
        let task = parsed("").expect("no argument is needed");
        assert_eq!((task.crates.len(), task.count, task.seed), (CRATES.len(), COUNT, 1));
        let task = parsed("exact --count 7 factor --seed 3 --minutes 2").expect("in any order");
        assert_eq!(task.crates, ["exact", "factor"]);
        assert_eq!((task.count, task.seed, task.time), (7, 3, Some(Duration::from_secs(120))));
        for wrong in ["--count", "--count 0", "--minutes x", "--all"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_seed_draws_the_same_names_and_each_once() {
        let all: Vec<String> = (0..500).map(|at| format!("m{at}")).collect();
        let drawn = draw(&all, 40, 7);
        assert_eq!((drawn.len(), &drawn), (40, &draw(&all, 40, 7)));
        assert_ne!(drawn, draw(&all, 40, 8));
        let places: Vec<usize> = drawn.iter().map(|name| name[1..].parse().unwrap()).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(places[0] < 100 && places[39] > 400, "from all over the list: {places:?}");
        assert_eq!(draw(&all, 900, 1), all);
    }

    #[test]
    fn intervals_are_those_of_the_formula() {
        // By hand: (0.9 + 0.0192) / 1.0384 = 0.8852, and 0.0596 to each side.
        let (low, high) = wilson(90, 100);
        assert!((low - 0.8256).abs() < 1e-4 && (high - 0.9448).abs() < 1e-4, "{low} {high}");
        assert!(wilson(10, 10).1 > 0.999 && (wilson(10, 10).0 - 0.7225).abs() < 1e-4);
        assert!(wilson(0, 10).0 < 1e-9);
    }

    #[test]
    fn names_are_escaped_and_reports_are_honest() {
        assert_eq!(escaped("a.rs:1: replace + with - in f"), r"a\.rs:1: replace \+ with \- in f");
        let task = parsed("exact").expect("a task");
        let outcome = Outcome { caught: 8, missed: 1, timeout: 1, unviable: 2 };
        let text = report(&task, 200, outcome, &["x".to_owned()]);
        assert!(text.starts_with("12 mutants of exact tried (of 200, seed 1): 8 caught"), "{text}");
        assert!(text.contains("noticed: 90 % of 10 (95 % interval 60 to 98 %)"), "{text}");
        let nothing = report(&task, 200, Outcome::default(), &[]);
        assert!(nothing.starts_with("0 mutants") && !nothing.contains("noticed"));
    }
}
