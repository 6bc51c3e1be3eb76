//! Grounding in a process of its own: this program again, under a word that no user types.
//!
//! Clingo cannot be interrupted and keeps its memory to the end, so it runs in a child, which is
//! watched and killed at a limit. The program goes in through its standard input; out come the
//! ground program as aspif, or messages, one JSON object. For audits a child draws stable models. Without the feature `symbolic` there is
//! no clingo in this program, and it is said so. The child's memory counts against the limit.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
#[cfg(any(feature = "symbolic", feature = "z3"))]
use sqasp::Sampling;
use sqasp::{GroundError, GroundProgram, Grounder, Message, read_aspif};
#[cfg(feature = "z3")]
use sqasp::{Sample, Samples};
use verdict::{HaltReason, Watch};

use crate::failure::{Failure, Status};

/// The words that make this program work on its standard input.
const WORDS: [(&str, Task); 2] =
    [("ground-program", Task::Ground), ("stable-models", Task::Sample)];
/// Whether clingo is in this program.
pub(crate) const HAS_CLINGO: bool = cfg!(feature = "symbolic");
/// How often the limits are looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// What is said where there is none.
const WITHOUT: &str = "this program was built without clingo: run it through `cargo xtask`, which builds it so where \
     that is needed, or build it with `--features symbolic`; both need cmake, make and a C++ \
     compiler (on Debian: apt install cmake make g++)";

/// Refuses what needs clingo in a build without it.
pub(crate) fn check() -> Result<(), Failure> {
    if HAS_CLINGO { Ok(()) } else { Err(Failure::Environment(WITHOUT.to_owned())) }
}

/// What a child is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// A program to a ground one.
    Ground,
    /// A program and choices to a sample of its stable models.
    Sample,
}

/// Clingo in a child process.
#[derive(Clone, Copy)]
pub(crate) struct Clingo {
    /// Ground rules at most.
    pub(crate) limit: usize,
}

/// What the child says of a program that it refuses.
#[derive(Debug, Serialize, Deserialize)]
struct Said {
    place: Option<(u32, u32)>,
    end: Option<(u32, u32)>,
    text: String,
}

/// What a sample is asked for with.
#[cfg(any(feature = "symbolic", feature = "z3"))]
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    program: String,
    choices: Vec<String>,
    most: usize,
    seed: u64,
}

/// A sample: symbols, and of each assignment its values, its models and whether these are all.
#[cfg(any(feature = "symbolic", feature = "z3"))]
#[derive(Debug, Serialize, Deserialize)]
struct Drawn {
    symbols: Vec<String>,
    samples: Vec<(Vec<bool>, Vec<Vec<u32>>, bool)>,
}

/// Whether this process is a child.
pub(crate) fn is_asked_for() -> bool {
    task().is_some()
}

fn task() -> Option<Task> {
    let word = std::env::args_os().nth(1)?;
    WORDS.into_iter().find(|(known, _)| word == *known).map(|(_, task)| task)
}

/// The child's work.
pub(crate) fn run() -> Status {
    let mut given = String::new();
    if io::stdin().read_to_string(&mut given).is_err() {
        return Status::Environment;
    }
    let done = match task() {
        Some(Task::Ground) => ground_here(&given).map(|ground| ground.to_string()),
        Some(Task::Sample) => sample_here(&given),
        None => unreachable!("a child has a task"),
    };
    let (text, status) = match done {
        Ok(text) => (text, Status::Answered),
        Err(GroundError::Program(messages)) => {
            let said = |Message { place, end, text }| Said { place, end, text };
            let said: Vec<Said> = messages.into_iter().map(said).collect();
            (serde_json::to_string(&said).unwrap_or_default(), Status::Input)
        }
        Err(GroundError::TooLarge { rules }) => (rules.to_string(), Status::Halted),
        Err(_) => (String::new(), Status::Environment),
    };
    let written = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
    if written.is_ok() { status } else { Status::Environment }
}

#[cfg(feature = "symbolic")]
fn ground_here(program: &str) -> Result<GroundProgram, GroundError> {
    let interrupt = std::sync::atomic::AtomicBool::new(false);
    let watch = Watch::unlimited(&interrupt);
    let limit = std::env::args().nth(2).and_then(|limit| limit.parse().ok());
    sqasp::Clingo { limit: limit.unwrap_or(usize::MAX) }.ground(program, &watch)
}

#[cfg(not(feature = "symbolic"))]
fn ground_here(_program: &str) -> Result<GroundProgram, GroundError> {
    Err(GroundError::Environment(String::new()))
}

#[cfg(feature = "symbolic")]
fn sample_here(asked: &str) -> Result<String, GroundError> {
    let broken = |error: serde_json::Error| GroundError::Environment(error.to_string());
    let Asked { program, choices, most, seed } = serde_json::from_str(asked).map_err(broken)?;
    let drawn = sqasp::Clingo::samples(&program, &Sampling { choices, most, seed })?;
    let samples = drawn.samples.into_iter().map(|one| (one.given, one.models, one.whole));
    let drawn = Drawn { symbols: drawn.symbols, samples: samples.collect() };
    serde_json::to_string(&drawn).map_err(broken)
}

#[cfg(not(feature = "symbolic"))]
fn sample_here(_asked: &str) -> Result<String, GroundError> {
    Err(GroundError::Environment(String::new()))
}

impl Grounder for Clingo {
    fn ground(&self, program: &str, watch: &Watch<'_>) -> Result<GroundProgram, GroundError> {
        understand(&hear(Task::Ground, program, Some(self.limit), watch)?)
    }
}

impl Clingo {
    /// A sample of the stable models of a program.
    ///
    /// # Errors
    /// As in grounding.
    #[cfg(feature = "z3")]
    pub(crate) fn samples(
        program: &str,
        sampling: Sampling,
        watch: &Watch<'_>,
    ) -> Result<Samples, GroundError> {
        let broken = |error| GroundError::Environment(format!("clingo cannot be asked: {error}"));
        let Sampling { choices, most, seed } = sampling;
        let asked = Asked { program: program.to_owned(), choices, most, seed };
        let asked = serde_json::to_string(&asked).map_err(broken)?;
        let said = hear(Task::Sample, &asked, None, watch)?;
        let Drawn { symbols, samples } = serde_json::from_str(&said).map_err(broken)?;
        let sample = |(given, models, whole)| Sample { given, models, whole };
        Ok(Samples { symbols, samples: samples.into_iter().map(sample).collect() })
    }
}

/// What a child answers.
fn hear(
    task: Task,
    given: &str,
    limit: Option<usize>,
    watch: &Watch<'_>,
) -> Result<String, GroundError> {
    if !HAS_CLINGO {
        return Err(GroundError::Environment(WITHOUT.into()));
    }
    let lack = |error: io::Error| {
        GroundError::Environment(format!("no process to ground in could be run: {error}"))
    };
    let word = WORDS.iter().find(|(_, known)| *known == task).map(|(word, _)| word);
    let mut child = Command::new(std::env::current_exe().map_err(lack)?)
        .args(word)
        .args(limit.map(|limit| limit.to_string()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(lack)?;
    let said = converse(&mut child, given, watch);
    // Whatever happened, no child is left behind.
    child.kill().ok();
    let status = child.wait().map_err(lack)?;
    let said = said?;
    match status.code() {
        Some(code) if code == Status::Answered as i32 => Ok(said),
        Some(code) if code == Status::Input as i32 => Err(refused(&said)),
        Some(code) if code == Status::Halted as i32 => {
            Err(GroundError::TooLarge { rules: limit.unwrap_or(usize::MAX) })
        }
        _ if watch.interrupted() => Err(GroundError::Stopped(HaltReason::Interrupt)),
        _ => Err(GroundError::Environment(
            "clingo ended early: the machine may be out of memory".into(),
        )),
    }
}

/// Hands the program over and takes all that the child says, within the limits.
fn converse(child: &mut Child, program: &str, watch: &Watch<'_>) -> Result<String, GroundError> {
    let (mut to, mut from) = match (child.stdin.take(), child.stdout.take()) {
        (Some(to), Some(from)) => (to, from),
        _ => unreachable!("both were asked for"),
    };
    let id = child.id();
    thread::scope(|scope| {
        // A child that ends early closes the pipe; its status tells why.
        scope.spawn(move || to.write_all(program.as_bytes()).ok());
        let reader = scope.spawn(move || {
            let mut said = String::new();
            from.read_to_string(&mut said).map(|_| said)
        });
        while !reader.is_finished() {
            if let Some(reason) = over(id, watch) {
                child.kill().ok();
                return Err(GroundError::Stopped(reason));
            }
            thread::sleep(PAUSE);
        }
        let read = reader.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
        let closed = child.wait();
        debug_assert!(closed.is_ok(), "the child is ours");
        read.map_err(|error| GroundError::Environment(format!("clingo cannot be heard: {error}")))
    })
}

/// The limit that is met.
fn over(id: u32, watch: &Watch<'_>) -> Option<HaltReason> {
    if watch.interrupted() {
        return Some(HaltReason::Interrupt);
    }
    if watch.spent() > 1.0 {
        return Some(HaltReason::Time);
    }
    let limit = watch.memory?;
    let held = store::resident_bytes().unwrap_or(0) + child_bytes(id);
    (held > limit).then_some(HaltReason::Memory { needed: held })
}

/// Resident bytes of a process, where the system tells.
fn child_bytes(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

fn understand(said: &str) -> Result<GroundProgram, GroundError> {
    read_aspif(said).map_err(|error| GroundError::Environment(format!("clingo said {error}")))
}

fn refused(said: &str) -> GroundError {
    match serde_json::from_str::<Vec<Said>>(said) {
        Ok(said) => GroundError::Program(
            said.into_iter()
                .map(|Said { place, end, text }| Message { place, end, text })
                .collect(),
        ),
        Err(error) => GroundError::Environment(format!("clingo cannot be understood: {error}")),
    }
}
