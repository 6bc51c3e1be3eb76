//! How a chore fails: one sentence on what is wrong, one on what to do, and an exit code.

use std::fmt;
use std::process::ExitCode;

/// Why a chore could not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What is wrong.
    pub wrong: String,
    /// What the user can do about it.
    pub remedy: String,
    /// The exit code: 2 for the user's fault, 3 for the environment's.
    pub code: u8,
}

impl Failure {
    /// A fault of what the user typed.
    pub fn usage(wrong: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { wrong: wrong.into(), remedy: remedy.into(), code: 2 }
    }

    /// A lack of the machine.
    pub fn environment(wrong: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { wrong: wrong.into(), remedy: remedy.into(), code: 3 }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cargo xtask: {}\n  {}", self.wrong, self.remedy)
    }
}

/// Prints the failure and gives its exit code.
pub fn failure(failure: &Failure) -> ExitCode {
    eprintln!("{failure}");
    ExitCode::from(failure.code)
}
