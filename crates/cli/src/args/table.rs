//! The commands about tables: `verify` and `query`.

use std::path::PathBuf;

use clap::Args;

use super::help::{QUERY_HELP, VERIFY_HELP};
use super::{GameArg, LimitArgs};

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
