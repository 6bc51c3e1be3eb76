//! What is asked about which sheet, within which limits, and where the answer goes: for several commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::quantity;

/// The sheet.
#[derive(Clone, Debug, Args)]
pub(crate) struct GameArg {
    /// The rules, in GDL; `-` reads standard input
    #[arg(value_name = "GAME")]
    pub(crate) game: PathBuf,
}

/// Several sheets.
#[derive(Clone, Debug, Args)]
pub(crate) struct GameList {
    /// The rules, in GDL; `-` reads standard input
    #[arg(value_name = "GAME", required = true)]
    pub(crate) games: Vec<PathBuf>,
}

/// What is asked.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Question")]
pub(crate) struct QuestionArgs {
    /// The role asked about [default: the first that is not chance]
    #[arg(long, value_name = "ROLE", allow_negative_numbers = true)]
    pub(crate) role: Option<String>,
    /// A role that plays uniformly at random; may be repeated; `others` is every role but the
    /// one asked about
    #[arg(long, value_name = "ROLE", allow_negative_numbers = true)]
    pub(crate) chance: Vec<String>,
    /// What a finished game is worth: 1 for goal 100 and else 0, or the goal value over 100
    /// [default: win]
    #[arg(long, value_enum)]
    pub(crate) objective: Option<ObjectiveArg>,
    /// Play at most this many steps; what is unfinished then is worth 0
    #[arg(long, value_name = "STEPS", value_parser = quantity::horizon, allow_hyphen_values = true)]
    pub(crate) horizon: Option<u32>,
}

/// What a terminal state is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObjectiveArg {
    /// 1 where the role's goal is 100, else 0
    #[default]
    Win,
    /// The goal value over 100
    Goal,
}

/// How a sheet is read and grounded.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Sheet")]
pub(crate) struct SheetArgs {
    /// Tell upper case from lower case in names
    #[arg(long)]
    pub(crate) case_sensitive: bool,
    /// Take a game with `sees` rules as one of complete information
    #[arg(long)]
    pub(crate) perfect_information: bool,
    /// Refuse a game that grounds to more atoms or rules than this
    #[arg(long, value_name = "COUNT", value_parser = quantity::ground_limit, allow_hyphen_values = true)]
    pub(crate) ground_limit: Option<u64>,
}

/// Limits on the work.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Stop at this resident size of the process, such as 8GiB or 512MiB
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, allow_hyphen_values = true)]
    pub(crate) memory: Option<u64>,
    /// Stop after this time, such as 60s, 500ms or 5m
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, allow_hyphen_values = true)]
    pub(crate) time: Option<Duration>,
}

/// Where a text goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputArg {
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// What is printed beside a probability.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct ReportArgs {
    /// Print what the solver counted, and its time apart from that of what came before
    #[arg(long)]
    pub(crate) stats: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Put what the answer rests on to z3 (a build with z3)
    #[arg(long)]
    pub(crate) audit: bool,
}
