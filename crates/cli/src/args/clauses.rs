//! The commands about logic programs and clauses: `sqasp` and `xssat`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::help::{SQASP_HELP, XSSAT_HELP};
use super::{DialectArg, LimitArgs, OutputArg, PlacementName, ReportArgs};
use crate::quantity;

/// Finds the probability of a logic program with quantified atoms.
///
/// The program is in clingo's language, with facts `_exists(L,A)`, `_forall(L,A)` and
/// `_chance(L,P,Q,A)`: atom A is bound at level L, smaller levels first, by chance with probability
/// P/Q of being true. Needs a build with clingo, but for a program that is ground already: in aspif, as
/// `--to aspif` and clingo's tools write it.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = SQASP_HELP)]
pub(crate) struct SqaspArgs {
    /// The program; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write the program in another form instead
    #[arg(long, value_enum, conflicts_with_all = ["stats", "json", "audit"])]
    pub(crate) to: Option<ProgramForm>,
    /// Where variables are bound that others define
    #[arg(long, value_enum, default_value_t)]
    pub(crate) placement: PlacementName,
    /// How `--to sdimacs` writes probabilities [default: exact]
    #[arg(long, value_enum, requires = "to")]
    pub(crate) dialect: Option<DialectArg>,
    #[command(flatten)]
    pub(crate) target: OutputArg,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    /// Refuse a program that grounds to more rules than this
    #[arg(long, value_name = "COUNT", value_parser = quantity::ground_limit, allow_hyphen_values = true, help_heading = "Limits")]
    pub(crate) ground_limit: Option<u64>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// A form of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgramForm {
    /// The ground program, in the format of clingo's tools
    Aspif,
    /// The clauses under their prefix
    Sdimacs,
    /// The same, where nothing is bound by chance
    Qdimacs,
}

/// Finds the probability of a formula in SDIMACS or QDIMACS.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = XSSAT_HELP)]
pub(crate) struct XssatArgs {
    /// The formula; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Take FILE for a trace (`--to trace`), and find the value that it shows, without the solver,
    /// for the prepared formula in it
    #[arg(long, conflicts_with_all = ["to", "stats", "json", "audit", "witness"])]
    pub(crate) check: bool,
    /// Write the formula in this form instead
    #[arg(long, value_enum, conflicts_with_all = ["stats", "json", "audit", "witness"])]
    pub(crate) to: Option<FormulaForm>,
    /// How `--to sdimacs` writes probabilities [default: exact]
    #[arg(long, value_enum, requires = "to")]
    pub(crate) dialect: Option<DialectArg>,
    #[command(flatten)]
    pub(crate) target: OutputArg,
    /// Print the value under each value of the outermost variables, where these are exists; an
    /// assignment that achieves the probability is marked
    #[arg(long)]
    pub(crate) witness: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// A form of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormulaForm {
    /// Exists, forall and chance
    Sdimacs,
    /// Exists and forall alone
    Qdimacs,
    /// The formula as the solver prepared it, and what shows the value of that (`--check`); that
    /// the given formula has the same value is not shown
    Trace,
}
