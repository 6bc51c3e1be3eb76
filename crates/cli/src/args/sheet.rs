//! The commands about sheets and plays: `check`, `fmt`, `perft`, `inspect`, `play`, `translate`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::help::{CHECK_HELP, FMT_HELP, INSPECT_HELP, PERFT_HELP, PLAY_HELP, TRANSLATE_HELP};
use super::{
    DialectArg, GameArg, GameList, LimitArgs, OutputArg, PlacementName, QuestionArgs, SheetArgs,
};
use crate::quantity;

/// Reports every fault of a sheet, with its place, and how the game plays.
#[derive(Debug, Args)]
#[command(after_long_help = CHECK_HELP)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) games: GameList,
    /// Read GDL as its definition has it, and take warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plays: PlayoutArgs,
    #[command(flatten)]
    pub(crate) limits: CheckLimits,
    #[command(flatten)]
    pub(crate) sheet: SheetArgs,
}

/// Lays sheets out in one canonical way, in place.
///
/// A rule has a line for its head and for each literal, a fact stands on one line. Comments,
/// spellings and single empty lines stay; the rules are the same before and after. The names of
/// the sheets that were changed are printed.
#[derive(Debug, Args)]
#[command(after_long_help = FMT_HELP)]
pub(crate) struct FmtArgs {
    /// The sheets; `-` reads standard input and writes standard output
    #[arg(value_name = "GAME", required = true)]
    pub(crate) games: Vec<PathBuf>,
    /// Write nothing; print the first line that would change of each sheet, and exit with 1 if
    /// there is one
    #[arg(long, conflicts_with = "stdout")]
    pub(crate) check: bool,
    /// Print the sheets laid out instead of writing them in place
    #[arg(long)]
    pub(crate) stdout: bool,
}

/// Random plays of a game.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Random plays")]
pub(crate) struct PlayoutArgs {
    /// Play at least this many random games; 0 plays none
    #[arg(long, value_name = "COUNT", default_value_t = 2000, value_parser = quantity::playouts, allow_hyphen_values = true)]
    pub(crate) playouts: u64,
    /// Give up a random game after this many steps
    #[arg(long, value_name = "STEPS", default_value_t = 1000, value_parser = quantity::playout_steps, allow_hyphen_values = true)]
    pub(crate) steps: u32,
    /// Seed of the random moves
    #[arg(long, default_value_t = 1, value_parser = quantity::seed, allow_hyphen_values = true)]
    pub(crate) seed: u64,
}

/// Limits on the check of one sheet.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct CheckLimits {
    /// Stop at this resident size of the process, such as 8GiB or 512MiB
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, allow_hyphen_values = true)]
    pub(crate) memory: Option<u64>,
    /// Time for each sheet, such as 60s, 500ms or 5m
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = quantity::duration, allow_hyphen_values = true)]
    pub(crate) time: Duration,
}

/// Counts distinct states, terminal states and move paths, ply by ply.
#[derive(Debug, Args)]
#[command(after_long_help = PERFT_HELP)]
pub(crate) struct PerftArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    /// Stop after this many plies [default: the whole game]
    #[arg(long, value_name = "PLIES", value_parser = quantity::depth, allow_hyphen_values = true)]
    pub(crate) depth: Option<u32>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) sheet: SheetArgs,
}

/// Compiles a game and plays it at random beside its rules, to compare the two.
///
/// Tells what came of the rules (propositions, moves, gates), how long each stage took and how much
/// memory, and whether the compiled game and the rules themselves showed the same in every state.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = INSPECT_HELP)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    /// Number of random plays
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = quantity::plays, allow_hyphen_values = true)]
    pub(crate) plays: u32,
    /// Steps of a play at most
    #[arg(long, value_name = "STEPS", default_value_t = 1000, value_parser = quantity::play_steps, allow_hyphen_values = true)]
    pub(crate) steps: u32,
    /// Seed of the random moves
    #[arg(long, default_value_t = 1, value_parser = quantity::seed, allow_hyphen_values = true)]
    pub(crate) seed: u64,
    /// Begin no further state of the comparison after this time
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, allow_hyphen_values = true, default_value = "5s")]
    pub(crate) play_time: Duration,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) sheet: SheetArgs,
}

/// Steps through a game with the odds of every move.
#[derive(Debug, Args)]
#[command(after_long_help = PLAY_HELP)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    /// Seed of the rolls and the random moves
    #[arg(long, default_value_t = 1, value_parser = quantity::seed, allow_hyphen_values = true)]
    pub(crate) seed: u64,
    /// Choose what chance does, instead of rolling
    #[arg(long)]
    pub(crate) choose_chance: bool,
    /// Time for the odds of one position; where it is over, bounds are shown
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, allow_hyphen_values = true, default_value = "10s")]
    pub(crate) time: Duration,
    /// Memory for the odds of one position
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, allow_hyphen_values = true)]
    pub(crate) memory: Option<u64>,
    #[command(flatten)]
    pub(crate) sheet: SheetArgs,
}

/// Writes a game in another form.
#[derive(Debug, Args)]
#[command(after_long_help = TRANSLATE_HELP)]
pub(crate) struct TranslateArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    /// The form
    #[arg(long, value_enum)]
    pub(crate) to: Form,
    #[command(flatten)]
    pub(crate) target: OutputArg,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    /// Where `sdimacs` binds variables that others define [default: dependency]
    #[arg(long, value_enum)]
    pub(crate) placement: Option<PlacementName>,
    /// How `sdimacs` writes probabilities [default: exact]
    #[arg(long, value_enum)]
    pub(crate) dialect: Option<DialectArg>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) sheet: SheetArgs,
}

/// A form of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// The network of gates, as text
    Propnet,
    /// The network of gates, for Graphviz
    Dot,
    /// The normal form of the rules
    Gdl,
    /// A model for PRISM-games, or for PRISM and Storm where nobody plays against the role asked
    /// about; the property to ask stands in its first lines
    Prism,
    /// The code for a graphics device: what is legal, whether the game has ended, the goals and the
    /// next state, of 32 states side by side
    Wgsl,
    /// A logic program with quantified atoms, whose probability is the value within `--horizon`
    Sqasp,
    /// The clauses of that program under their prefix; needs a build with clingo
    Sdimacs,
}
