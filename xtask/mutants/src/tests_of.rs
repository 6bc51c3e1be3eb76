//! The tests that may notice a fault: those of the crate and of the crates that rest on it, each with
//! its time and the faults that it reaches.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Limits;
use crate::failure::Failure;
use crate::plant::Plan;
use crate::tree::{Tree, output};
use crate::weave::VARIABLE;

/// Packages whose tests are not run: they need other programs, or a build of the whole command line.
const LEFT_OUT: [&str; 6] = ["oddsmith", "device", "audit", "benches", "mutants", "xtask"];
/// Address space of a test: a fault may make it ask for memory for ever.
const MEMORY_KIB: u64 = 8 << 20;
/// A test may take this many times what it takes without a fault, and [`GRACE`] more.
const PATIENCE: u32 = 5;
const GRACE: Duration = Duration::from_secs(10);
/// Time of a test without a fault, at most.
const LONGEST: Duration = Duration::from_secs(300);
/// How often a running test is looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// A test.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    /// Its name in its program.
    pub(crate) name: String,
    program: PathBuf,
    folder: PathBuf,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It did not end in time.
    Late,
}

/// What the tests reach.
#[derive(Debug)]
pub(crate) struct Reach {
    /// For each fault the positions of the tests that reach it, the shortest first.
    pub(crate) tests: Vec<Vec<usize>>,
    /// The time of each test.
    pub(crate) times: Vec<Duration>,
    /// Tests that fail without any fault, which are not asked.
    pub(crate) broken: Vec<String>,
}

/// Builds the tests.
///
/// # Errors
/// Where they do not build.
pub(crate) fn build(tree: &Tree, name: &str, own: bool) -> Result<Vec<Test>, Failure> {
    let mut packages = vec![tree.package(name)?];
    if !own {
        packages.extend(tree.dependents(name));
    }
    packages.retain(|package| package.name == name || !LEFT_OUT.contains(&&*package.name));
    let mut command = tree.cargo(&["test", "--no-run", "--quiet", "--message-format=json"]);
    for package in &packages {
        command.args(["--package", &package.name]);
    }
    eprintln!("== {name}: building the tests of {} packages", packages.len());
    let told = output(command.stderr(Stdio::piped()), "cargo test --no-run")?;
    let mut tests = Vec::new();
    for line in String::from_utf8_lossy(&told.stdout).lines() {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        let Some(program) =
            value["executable"].as_str().filter(|_| value["profile"]["test"] == true)
        else {
            continue;
        };
        let manifest = PathBuf::from(value["manifest_path"].as_str().unwrap_or_default());
        let folder = manifest.parent().map(PathBuf::from).unwrap_or_default();
        let list = |more: &[&str]| -> Result<BTreeSet<String>, Failure> {
            let mut command = Command::new(program);
            command.args(["--list", "--format=terse"]).args(more).current_dir(&folder);
            let text = output(&mut command, program)?.stdout;
            let text = String::from_utf8_lossy(&text).into_owned();
            Ok(text
                .lines()
                .filter_map(|line| line.strip_suffix(": test"))
                .map(str::to_owned)
                .collect())
        };
        let ignored = list(&["--ignored"])?;
        for name in list(&[])?.difference(&ignored) {
            let (program, folder) = (PathBuf::from(program), folder.clone());
            tests.push(Test { name: name.clone(), program, folder });
        }
    }
    Ok(tests)
}

/// Runs each test once without a fault.
///
/// # Errors
/// Where a test cannot be started, or none passes.
pub(crate) fn trace(
    tree: &Tree,
    suite: &[Test],
    plan: &Plan,
    limits: Limits,
) -> Result<Reach, Failure> {
    eprintln!("== {} tests, each once without a fault", suite.len());
    let rows = spread(limits.jobs, suite.len(), |at| {
        let path = tree.kept().join(format!("reached-{at}"));
        fs::remove_file(&path).ok();
        let started = Instant::now();
        let end = run(tree, &suite[at], &format!("trace:{}", path.display()), LONGEST)?;
        let time = started.elapsed();
        let text = fs::read_to_string(&path).unwrap_or_default();
        fs::remove_file(&path).ok();
        let reached: BTreeSet<usize> = text.lines().filter_map(|line| line.parse().ok()).collect();
        Ok((end, time, reached))
    })?;
    let mut reach = Reach {
        tests: vec![Vec::new(); plan.drawn.len()],
        times: rows.iter().map(|row| row.1).collect(),
        broken: Vec::new(),
    };
    for (at, (end, _, reached)) in rows.iter().enumerate() {
        if *end == End::Passed {
            reached.iter().for_each(|fault| reach.tests[*fault].push(at));
        } else {
            reach.broken.push(suite[at].name.clone());
        }
    }
    if reach.broken.len() == suite.len() {
        return Err(Failure::environment("no test passes", "run `cargo test` first"));
    }
    let times = &reach.times;
    reach.tests.iter_mut().for_each(|tests| tests.sort_by_key(|test| times[*test]));
    Ok(reach)
}

/// How long a test may take under a fault.
pub(crate) fn patience(time: Duration) -> Duration {
    time * PATIENCE + GRACE
}

/// Runs a test with a fault on.
///
/// # Errors
/// Where it cannot be started.
pub(crate) fn run(tree: &Tree, test: &Test, on: &str, time: Duration) -> Result<End, Failure> {
    let mut command = Command::new("sh");
    // The limit is on the test alone; `exec` makes the process that is killed the test itself.
    command.args(["-c", &format!("ulimit -v {MEMORY_KIB}; exec \"$0\" \"$@\"")]);
    command.arg(&test.program).args([&test.name, "--exact", "--test-threads=1", "--quiet"]);
    command.current_dir(&test.folder).env("CARGO_MANIFEST_DIR", &test.folder);
    command.env(VARIABLE, on).env("ODDSMITH_SHARED", tree.shared()).env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| Failure::start("a test", &error))?;
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(End::Passed),
            Ok(Some(_)) => return Ok(End::Failed),
            Ok(None) if started.elapsed() > time => {
                child.kill().ok();
                child.wait().ok();
                return Ok(End::Late);
            }
            Ok(None) => std::thread::sleep(PAUSE),
            Err(error) => return Err(Failure::start("a test", &error)),
        }
    }
}

/// Does the tasks 0 to `count` on some threads; what they give, in order.
///
/// # Errors
/// The first failure.
pub(crate) fn spread<T: Send>(
    jobs: usize,
    count: usize,
    task: impl Fn(usize) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<T, Failure>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        return;
                    }
                    let result = task(at);
                    done.lock().expect("no task panics").push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no task panics");
    done.sort_by_key(|row| row.0);
    done.into_iter().map(|row| row.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_done_once_each_and_in_order() {
        let done = spread(3, 50, |at| Ok(at * at)).expect("none fails");
        assert_eq!(done, (0..50).map(|at| at * at).collect::<Vec<_>>());
        let fails = spread(2, 9, |at| if at == 4 { Err(Failure::input("x", "y")) } else { Ok(()) });
        assert_eq!(fails.expect_err("one fails").wrong, "x");
    }
}
