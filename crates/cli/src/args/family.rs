//! The flags of `generate`: a family of games, and what makes one game of it; or of formulas, which
//! are in `formula.rs`.
//!
//! A board is three numbers in a row or three flags, never a mixture: clap refuses what is neither,
//! so that whoever reads these structs finds all three. How large a board may be is the
//! family's to say.

use clap::{Args, Subcommand};

use super::OutputArg;
use super::formula::FormulaArgs;
use super::help::{BOARD_HELP, GENERATE_HELP, NIM_HELP, PIG_HELP};
use crate::quantity;

/// Prints the rules of a game of a family, or the clauses of a formula of one.
#[derive(Debug, Args)]
#[command(after_long_help = GENERATE_HELP)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    pub(crate) family: Family,
}

/// The families.
#[derive(Debug, Subcommand)]
pub(crate) enum Family {
    /// Tic-tac-toe: any free cell, a line wins
    #[command(name = "tic-tac-toe", visible_alias = "tictactoe")]
    #[command(override_usage = "oddsmith generate tic-tac-toe [OPTIONS] <COLUMNS> <ROWS> <LINE>")]
    TicTacToe(BoardArgs),
    /// Connect: a disc drops to the lowest free cell of a column, a line wins
    #[command(override_usage = "oddsmith generate connect [OPTIONS] <COLUMNS> <ROWS> <LINE>")]
    Connect(BoardArgs),
    /// Nim: take one or two from a pile; who takes the last wins
    Nim(NimArgs),
    /// Pig: roll a die for more or hold; a one loses the turn's total; no move limit
    Pig(PigArgs),
    #[command(flatten)]
    Formula(FormulaArgs),
}

/// A board: three numbers in a row, or each by its name.
#[derive(Debug, Args)]
#[command(after_long_help = BOARD_HELP)]
pub(crate) struct BoardArgs {
    #[command(flatten)]
    pub(crate) shape: ShapeArgs,
    /// Columns of the board
    #[arg(long, requires_all = ["rows", "line"], value_parser = quantity::side)]
    #[arg(allow_hyphen_values = true, value_name = "COLUMNS")]
    pub(crate) columns: Option<u32>,
    /// Rows of the board
    #[arg(long, requires_all = ["columns", "line"], value_parser = quantity::side)]
    #[arg(allow_hyphen_values = true, value_name = "ROWS")]
    pub(crate) rows: Option<u32>,
    /// Length of a line that wins
    #[arg(long, requires_all = ["columns", "rows"], value_parser = quantity::side)]
    #[arg(allow_hyphen_values = true, value_name = "LINE")]
    pub(crate) line: Option<u32>,
    /// Probability that the mark is of the mover's own colour [default: it always is]
    #[arg(long, value_name = "A/B", value_parser = quantity::probability, allow_hyphen_values = true)]
    pub(crate) own: Option<(u32, u32)>,
    #[command(flatten)]
    pub(crate) target: OutputArg,
}

/// A board as three numbers.
#[derive(Debug, Args)]
pub(crate) struct ShapeArgs {
    /// Columns of the board
    #[arg(value_name = "COLUMNS", id = "first", value_parser = quantity::side)]
    #[arg(required_unless_present_any = NAMED_SIDES, conflicts_with_all = NAMED_SIDES)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) columns: Option<u32>,
    /// Rows of the board
    #[arg(value_name = "ROWS", id = "second", value_parser = quantity::side)]
    #[arg(required_unless_present_any = NAMED_SIDES, conflicts_with_all = NAMED_SIDES)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) rows: Option<u32>,
    /// Length of a line that wins
    #[arg(value_name = "LINE", id = "third", value_parser = quantity::side)]
    #[arg(required_unless_present_any = NAMED_SIDES, conflicts_with_all = NAMED_SIDES)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) line: Option<u32>,
}

/// The sides of a board, given by name.
const NAMED_SIDES: [&str; 3] = ["columns", "rows", "line"];

/// A pile.
#[derive(Debug, Args)]
#[command(after_long_help = NIM_HELP)]
pub(crate) struct NimArgs {
    /// Pieces at the start
    #[arg(value_name = "PILE", value_parser = quantity::pile, allow_negative_numbers = true)]
    pub(crate) pile: u32,
    /// Probability that a piece is added after a turn
    #[arg(long, value_name = "A/B", value_parser = quantity::probability, allow_hyphen_values = true, default_value = "0")]
    pub(crate) add: (u32, u32),
    #[command(flatten)]
    pub(crate) target: OutputArg,
}

/// A target and a die.
#[derive(Debug, Args)]
#[command(after_long_help = PIG_HELP)]
pub(crate) struct PigArgs {
    /// Points that win
    #[arg(value_name = "TARGET", value_parser = quantity::target, allow_negative_numbers = true)]
    pub(crate) target: u32,
    /// Faces of the die
    #[arg(long, value_name = "FACES", value_parser = quantity::die, allow_hyphen_values = true, default_value = "6")]
    pub(crate) die: u32,
    #[command(flatten)]
    pub(crate) output: OutputArg,
}
