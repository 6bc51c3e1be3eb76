//! The commands about tables: `verify` and `query`.

use std::path::PathBuf;

use clap::Args;

use super::help::{QUERY_HELP, VERIFY_HELP};
use super::{GameArg, LimitArgs, ObjectiveArg, QuestionArgs};
use crate::quantity;

/// Proves a table that `solve --table` wrote, from the rules alone.
///
/// Every entry is derived again from its children, by the slow and plain evaluation of the rules:
/// its value and the moves marked best. Where something does not follow, the first such entry is
/// shown with what is written and what is derived, and the exit status is 2.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = VERIFY_HELP)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    /// The table
    #[arg(value_name = "TABLE")]
    pub(crate) table: PathBuf,
    #[command(flatten)]
    pub(crate) expected: ExpectedArgs,
    /// Derive on so many threads [default: as many as the machine runs at once]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Tell upper case from lower case in names
    #[arg(long)]
    pub(crate) case_sensitive: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// What the table is expected to answer: what is proven is the question in its file, so one that is
/// not this is refused.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Question (refused where the table's is another)")]
pub(crate) struct ExpectedArgs {
    /// The role that the table must be about
    #[arg(long, value_name = "ROLE", allow_negative_numbers = true)]
    role: Option<String>,
    /// A role that must play uniformly at random; may be repeated, and all of them must be named;
    /// `others` is every role but the one asked about
    #[arg(long, value_name = "ROLE", allow_negative_numbers = true)]
    chance: Vec<String>,
    /// What a finished game must be worth
    #[arg(long, value_enum)]
    objective: Option<ObjectiveArg>,
    /// The number of steps that it must be about
    #[arg(long, value_name = "STEPS", value_parser = quantity::horizon, allow_hyphen_values = true)]
    horizon: Option<u32>,
}

impl ExpectedArgs {
    /// As flags of a question.
    pub(crate) fn question(&self) -> QuestionArgs {
        let Self { role, chance, objective, horizon } = self.clone();
        QuestionArgs { role, chance, objective, horizon }
    }
}

/// Looks a state up in a table: its value and the best moves there.
///
/// The rules are not needed: a table holds the names of its propositions and moves.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = QUERY_HELP)]
pub(crate) struct QueryArgs {
    /// The table
    #[arg(value_name = "TABLE")]
    pub(crate) table: PathBuf,
    /// The state: the facts that are true in it, or @FILE that holds them [default: the one that
    /// the table is about]
    #[arg(long, value_name = "STATE", allow_negative_numbers = true)]
    pub(crate) state: Option<String>,
    /// Only as it is after so many steps, where a state can be met after several numbers of them
    #[arg(long, value_name = "STEPS")]
    pub(crate) step: Option<u32>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
