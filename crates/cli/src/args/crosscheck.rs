//! The flags of `crosscheck`: games of the user's, or random games, formulas and programs.

use std::path::PathBuf;

use clap::Args;

use super::help::CROSSCHECK_HELP;
use super::{LimitArgs, QuestionArgs, SheetArgs};
use crate::quantity;

/// Asks all engines the same question and compares the answers.
///
/// Where they differ, the way to a state at which they part is shown; with `--shrink` the game (or the
/// random formula or program) is cut down to a small one that still shows it.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = CROSSCHECK_HELP)]
#[command(override_usage = "oddsmith crosscheck [OPTIONS] <GAME>...
       oddsmith crosscheck [OPTIONS] --random <COUNT>")]
pub(crate) struct CrosscheckArgs {
    /// The rules, in GDL; `-` reads standard input
    #[arg(value_name = "GAME", required_unless_present_any = COUNTS)]
    pub(crate) games: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    /// Ask for every role but chance, in turn
    #[arg(long, conflicts_with = "role", help_heading = "Question")]
    pub(crate) roles: bool,
    /// Fail where the symbolic engine is not among those asked: it is in a build with clingo
    #[arg(long)]
    pub(crate) symbolic: bool,
    /// Ask search and sweep on a graphics device too, of hardware or software; fail where there is none
    /// [default: where there is hardware]
    #[arg(long)]
    pub(crate) gpu: bool,
    /// Cut a game, formula or program on which engines differ down while they still do, and write it
    /// into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) shrink: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) random: RandomArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) sheet: SheetArgs,
}

/// Flags that say how many random things there are, each instead of a sheet.
const COUNTS: [&str; 3] = ["random", "formulas", "programs"];
/// What is asked about a sheet of the user's, and not about random ones.
const OF_SHEETS: [&str; 9] = [
    "games",
    "role",
    "roles",
    "chance",
    "objective",
    "horizon",
    "case_sensitive",
    "perfect_information",
    "ground_limit",
];

/// Random things from seeds.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Random")]
pub(crate) struct RandomArgs {
    /// Compare the engines on so many random games; every engine has `--time` a question [10s]
    #[arg(long, value_name = "COUNT", value_parser = quantity::things, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = OF_SHEETS)]
    pub(crate) random: Option<u64>,
    /// Compare the solver of formulas with the definition on so many random formulas
    #[arg(long, value_name = "COUNT", value_parser = quantity::things, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = OF_SHEETS)]
    pub(crate) formulas: Option<u64>,
    /// Compare the clauses of so many random logic programs with the definition
    #[arg(long, value_name = "COUNT", value_parser = quantity::things, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = OF_SHEETS)]
    pub(crate) programs: Option<u64>,
    /// The first seed [default: 1]
    #[arg(long, value_parser = quantity::seed, allow_hyphen_values = true, conflicts_with = "games")]
    pub(crate) seed: Option<u64>,
    /// Keep what was counted in this file, and go on from it where it is there
    #[arg(long, value_name = "FILE", conflicts_with = "games")]
    pub(crate) log: Option<PathBuf>,
}

impl RandomArgs {
    /// Whether random things are asked about instead of sheets.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.random.or(self.formulas).or(self.programs).is_some()
    }
}
