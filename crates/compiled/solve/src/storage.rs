//! What a solve may keep on disk, and how trouble with that is told.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use verdict::{Fault, Stop};

/// What a sweep keeps on disk; nothing by default.
#[derive(Clone, Debug)]
pub struct Storage {
    /// Folder of the checkpoint.
    pub checkpoint: Option<PathBuf>,
    /// Whether a checkpoint that is there is continued.
    pub resume: bool,
    /// Folder for what does not fit in the memory limit; none keeps all in memory.
    pub spill: Option<PathBuf>,
    /// File for the solved game.
    pub table: Option<PathBuf>,
    /// Why the table could not be put under its name at the end, where it could not: what was found
    /// by then is an answer all the same.
    pub unwritten: Arc<Mutex<Option<String>>>,
    /// Finished plies that took less than this together are written together.
    pub pace: Duration,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            checkpoint: None,
            resume: false,
            spill: None,
            table: None,
            unwritten: Arc::default(),
            pace: Duration::from_millis(100),
        }
    }
}

/// Trouble with what is kept on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageFault {
    /// A checkpoint cannot be used: what is wrong, and what to do.
    Refused {
        /// A stable short name.
        code: &'static str,
        /// What is wrong.
        message: String,
        /// What to do.
        note: String,
    },
    /// The system refused, such as a full disk.
    System(String),
}

impl StorageFault {
    /// A checkpoint that cannot be used.
    pub(crate) fn refused(code: &'static str, message: String, note: &str) -> Self {
        Self::Refused { code, message, note: note.to_owned() }
    }

    /// A file that does not hold what was written.
    pub(crate) fn damaged(path: &Path, error: &dyn std::fmt::Display) -> Self {
        let message = format!("the checkpoint's file `{}` is damaged: {error}", path.display());
        let note = "put back an undamaged copy, or start again in an empty folder";
        Self::refused("checkpoint-damaged", message, note)
    }

    /// What the system said about a path.
    pub(crate) fn system(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::System(format!("cannot {doing} `{}`: {error}", path.display()))
    }

    /// Trouble with reading a file: damage or the system's.
    pub(crate) fn reading(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Self::damaged(path, error),
            _ => Self::system("read", path, error),
        }
    }

    /// How a solve ends with it.
    pub(crate) fn stop(self) -> Stop {
        match self {
            Self::System(message) => Stop::Environment(message),
            Self::Refused { code, message, note } => Stop::Faulty(Box::new(Fault {
                code,
                message,
                states: Vec::new(),
                span: None,
                notes: vec![note],
            })),
        }
    }
}
