//! Ground programs: what a grounder hands on, its text form, and the grounder itself.

mod aspif;
#[cfg(feature = "clingo")]
#[expect(unsafe_code, reason = "clingo has a C interface; its safe bindings are unsound")]
mod clingo;
#[cfg(feature = "clingo")]
mod message;
#[cfg(feature = "clingo")]
mod observed;
#[cfg(feature = "clingo")]
mod outside;
mod program;
mod samples;

pub use aspif::{AspifError, read_aspif};
#[cfg(feature = "clingo")]
pub use clingo::Clingo;
use verdict::{HaltReason, Watch};

pub use program::{AtomId, GroundLit, GroundProgram, Rule, RuleBody};
pub use samples::{Sample, Samples, Sampling};

/// Why a program could not be grounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundError {
    /// The program is at fault; messages in the grounder's words, each with its line and column.
    Program(Vec<Message>),
    /// The grounder was stopped from outside, at a limit.
    Stopped(HaltReason),
    /// The ground program has more rules than it may.
    TooLarge {
        /// How many it may have.
        rules: usize,
    },
    /// The grounder is missing or broke.
    Environment(String),
}

/// A fault of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Line and column of the place in the program, both from 1, where it is known.
    pub place: Option<(u32, u32)>,
    /// Where that place ends: line and column after it, where they are known.
    pub end: Option<(u32, u32)>,
    /// What is wrong, in one sentence or, where the grounder says so, several lines.
    pub text: String,
}

impl Message {
    /// A fault whose place is not known.
    pub fn nowhere(text: impl Into<String>) -> Self {
        Self { place: None, end: None, text: text.into() }
    }
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

/// Turns a program with variables into a ground one.
pub trait Grounder {
    /// Grounds the text of a program.
    ///
    /// # Errors
    /// Faults of the program, a limit of the watch, or a lack of the environment.
    fn ground(&self, program: &str, watch: &Watch<'_>) -> Result<GroundProgram, GroundError>;
}
