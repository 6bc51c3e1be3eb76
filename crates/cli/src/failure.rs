//! How a command may end, other than with an answer, and the exit status of each way.
//!
//! Three kinds of failure are never mixed: the input's fault (2), the environment's (3), and a
//! limit that was met (1; with bounds it is an answer, and so a failure only where there are none).
//! A fault carries everything both reports need: the message, the diagnostics of the sheet with
//! their places, the path of states.

use std::io;

/// Exit status of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// The question is answered.
    Answered = 0,
    /// A limit was met, or engines disagreed: there are bounds, not an answer. Or a sheet that was
    /// only to be compared with its layout differs from it.
    Halted = 1,
    /// The input is at fault.
    Input = 2,
    /// The environment is at fault.
    Environment = 3,
}

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The sheet is ill-formed; its diagnostics have been collected.
    Sheet(Box<SheetFault>),
    /// The game breaks a rule in some state, or in what its rules ground to.
    Game(Box<verdict::Fault>, Option<gdl::Source>),
    /// Something the user wrote on the command line, or a file that cannot be used.
    Input(Complaint),
    /// A limit was met before the sheet was read.
    Unread(verdict::HaltReason),
    /// The machine lacks something, or a write failed.
    Environment(String),
    /// The reader of the output went away: nobody is left to tell.
    ClosedPipe,
}

/// The diagnostics of one sheet.
#[derive(Debug)]
pub(crate) struct SheetFault {
    /// The sheet.
    pub(crate) source: gdl::Source,
    /// At least one error, and the warnings.
    pub(crate) diagnostics: Vec<gdl::Diagnostic>,
}

/// One line on what is wrong, a stable code, and lines on what would be right.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// A stable short name.
    pub(crate) code: &'static str,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) notes: Vec<String>,
}

impl Failure {
    /// The input's fault, without advice.
    pub(crate) fn input(code: &'static str, message: impl Into<String>) -> Self {
        Self::Input(Complaint { code, message: message.into(), notes: Vec::new() })
    }

    /// Adds a line of advice to a complaint; other failures carry their own.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        if let Self::Input(complaint) = &mut self {
            complaint.notes.push(note.into());
        }
        self
    }

    /// The exit status.
    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Sheet(_) | Self::Game(..) | Self::Input(_) => Status::Input,
            Self::Unread(_) => Status::Halted,
            Self::Environment(_) => Status::Environment,
            Self::ClosedPipe => Status::Answered,
        }
    }
}

/// Writing failed: a closed pipe is no failure of ours, a full disk is the environment's.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Environment(format!("cannot write the output: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_failure_has_its_status() {
        assert_eq!(Failure::input("x", "y").status(), Status::Input);
        assert_eq!(Failure::Environment(String::new()).status() as u8, 3);
        let closed = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(closed.status(), Status::Answered);
        let full = Failure::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(full.status(), Status::Environment);
    }
}
