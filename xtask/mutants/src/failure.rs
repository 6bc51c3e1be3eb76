//! What ends the work, for people.

use std::fmt::Display;
use std::path::Path;

/// What is wrong, what to do, and the exit status.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What is wrong.
    pub(crate) wrong: String,
    /// What to do.
    pub(crate) right: String,
    /// 2 for the user's input, 3 for the environment.
    pub(crate) status: u8,
}

impl Failure {
    /// The input is at fault.
    pub(crate) fn input(wrong: impl Into<String>, right: impl Into<String>) -> Self {
        Self { wrong: wrong.into(), right: right.into(), status: 2 }
    }

    /// Something around the program is at fault.
    pub(crate) fn environment(wrong: impl Into<String>, right: impl Into<String>) -> Self {
        Self { wrong: wrong.into(), right: right.into(), status: 3 }
    }

    /// A file or folder cannot be read or written.
    pub(crate) fn path(path: &Path, error: &impl Display) -> Self {
        Self::environment(
            format!("{}: {error}", path.display()),
            "check the permissions of the folder, and the space on its disk",
        )
    }

    /// A program does not start.
    pub(crate) fn start(program: &str, error: &impl Display) -> Self {
        Self::environment(
            format!("{program} does not start: {error}"),
            "check that it is installed",
        )
    }
}
