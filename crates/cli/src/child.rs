//! Grounding in a process of its own: this program again, under a word that no user types.
//!
//! Clingo cannot be interrupted and keeps its memory to the end, so it runs in a child, which is
//! watched and killed at a limit. The program goes in through its standard input; out come the
//! ground program as aspif, or messages, one JSON object. Without the feature `symbolic` there is
//! no clingo in this program, and it is said so. The child's memory counts against the limit.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sqasp::{GroundError, GroundProgram, Grounder, Message, read_aspif};
use verdict::{HaltReason, Watch};

use crate::failure::Status;

/// The word that makes this program ground its standard input.
const WORD: &str = "ground-program";
/// Whether clingo is in this program.
pub(crate) const HAS_CLINGO: bool = cfg!(feature = "symbolic");
/// How often the limits are looked at.
const PAUSE: Duration = Duration::from_millis(2);

/// Clingo in a child process.
pub(crate) struct Clingo;

/// What the child says of a program that it refuses.
#[derive(Debug, Serialize, Deserialize)]
struct Said {
    place: Option<(u32, u32)>,
    text: String,
}

/// Whether this process is a child.
pub(crate) fn is_asked_for() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == WORD)
}

/// The child's work.
pub(crate) fn run() -> Status {
    let mut program = String::new();
    if io::stdin().read_to_string(&mut program).is_err() {
        return Status::Environment;
    }
    let (text, status) = match ground_here(&program) {
        Ok(ground) => (ground.to_string(), Status::Answered),
        Err(GroundError::Program(messages)) => {
            let said: Vec<Said> =
                messages.into_iter().map(|Message { place, text }| Said { place, text }).collect();
            (serde_json::to_string(&said).unwrap_or_default(), Status::Input)
        }
        Err(_) => (String::new(), Status::Environment),
    };
    let written = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
    if written.is_ok() { status } else { Status::Environment }
}

#[cfg(feature = "symbolic")]
fn ground_here(program: &str) -> Result<GroundProgram, GroundError> {
    let interrupt = std::sync::atomic::AtomicBool::new(false);
    let watch = Watch {
        started: std::time::Instant::now(),
        time: None,
        memory: None,
        interrupt: &interrupt,
        progress: &|_| {},
    };
    sqasp::Clingo.ground(program, &watch)
}

#[cfg(not(feature = "symbolic"))]
fn ground_here(_program: &str) -> Result<GroundProgram, GroundError> {
    Err(GroundError::Environment(String::new()))
}

impl Grounder for Clingo {
    fn ground(&self, program: &str, watch: &Watch<'_>) -> Result<GroundProgram, GroundError> {
        if !HAS_CLINGO {
            return Err(GroundError::Environment(
                "this program was built without clingo: run it through `cargo xtask`, which builds \
                 it so where that is needed, or build it with `--features symbolic`; both need \
                 cmake, make and a C++ compiler (on Debian: apt install cmake make g++)"
                    .into(),
            ));
        }
        let lack = |error: io::Error| {
            GroundError::Environment(format!("no process to ground in could be run: {error}"))
        };
        let mut child = Command::new(std::env::current_exe().map_err(lack)?)
            .arg(WORD)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(lack)?;
        let said = converse(&mut child, program, watch);
        // Whatever happened, no child is left behind.
        child.kill().ok();
        let status = child.wait().map_err(lack)?;
        let said = said?;
        match status.code() {
            Some(code) if code == Status::Answered as i32 => understand(&said),
            Some(code) if code == Status::Input as i32 => Err(refused(&said)),
            _ if watch.interrupted() => Err(GroundError::Stopped(HaltReason::Interrupt)),
            _ => Err(GroundError::Environment(
                "clingo ended early: the machine may be out of memory".into(),
            )),
        }
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
            said.into_iter().map(|Said { place, text }| Message { place, text }).collect(),
        ),
        Err(error) => GroundError::Environment(format!("clingo cannot be understood: {error}")),
    }
}
