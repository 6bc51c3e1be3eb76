//! The command line: every command, every flag, and the help that teaches them.
//!
//! One struct a command, flattened from small groups (the sheet, the question, the limits, the
//! engine), so that a flag means the same wherever it stands. What flags exclude each other is
//! declared here and refused by clap before anything is read. Nothing here opens a file.

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use clauses::{FormulaForm, ProgramForm, SqaspArgs, XssatArgs};
pub(crate) use crosscheck::{CrosscheckArgs, RandomArgs};
pub(crate) use engine::{
    BackendName, DevicesArgs, DiskArgs, EngineArgs, EngineName, EvaluatorName, PlacementName,
};
pub(crate) use family::{BoardArgs, Family, GenerateArgs};
pub(crate) use formula::{DialectArg, FormulaArgs};
use help::{COMPLETIONS_HELP, GENERAL_HELP, SOLVE_HELP};
pub(crate) use question::{
    GameArg, GameList, LimitArgs, ObjectiveArg, OutputArg, QuestionArgs, ReportArgs, SheetArgs,
};
pub(crate) use sheet::{CheckArgs, FmtArgs, Form, InspectArgs, PerftArgs, PlayArgs, TranslateArgs};
pub(crate) use table::{QueryArgs, VerifyArgs};

mod clauses;
mod crosscheck;
mod engine;
mod family;
mod formula;
mod help;
mod question;
mod sheet;
mod table;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// The exact odds of a game, from its rules.
///
/// A game is written in the Game Description Language (prefix KIF); the role `random` is chance.
/// The answer is the largest probability with which a role can win against perfect resistance, as
/// an exact fraction, with the moves that achieve it.
#[derive(Debug, Parser)]
#[command(name = "oddsmith", version, styles = STYLES, max_term_width = 100)]
#[command(after_help = "Try: oddsmith solve games/stochastic-tic-tac-toe-3x3.gdl")]
#[command(after_long_help = GENERAL_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Solve(Box<SolveArgs>),
    Check(CheckArgs),
    Fmt(FmtArgs),
    Perft(PerftArgs),
    Inspect(InspectArgs),
    Play(PlayArgs),
    Verify(VerifyArgs),
    Query(QueryArgs),
    Generate(GenerateArgs),
    Crosscheck(Box<CrosscheckArgs>),
    Translate(TranslateArgs),
    Sqasp(SqaspArgs),
    Xssat(XssatArgs),
    Devices(DevicesArgs),
    Completions(CompletionsArgs),
}

impl Command {
    /// Whether it has something to say when it is interrupted; others simply end.
    pub(crate) fn has_bounds(&self) -> bool {
        matches!(self, Self::Solve(_) | Self::Perft(_) | Self::Inspect(_) | Self::Crosscheck(_))
            || matches!(self, Self::Translate(_) | Self::Sqasp(_) | Self::Xssat(_))
            || matches!(self, Self::Verify(_))
    }

    /// Whether the answer, and so a failure as well, is to be an object.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Solve(args) => args.json,
            Self::Check(args) => args.json,
            Self::Perft(args) => args.json,
            Self::Inspect(args) => args.json,
            Self::Crosscheck(args) => args.json,
            Self::Verify(args) => args.json,
            Self::Query(args) => args.json,
            Self::Sqasp(args) => args.report.json,
            Self::Xssat(args) => args.report.json,
            Self::Devices(args) => args.json,
            Self::Fmt(_)
            | Self::Play(_)
            | Self::Generate(_)
            | Self::Translate(_)
            | Self::Completions(_) => false,
        }
    }
}

/// Finds the largest probability with which a role can win.
///
/// Prints the value as an exact fraction and every first move with its value; the best moves are
/// marked with a star.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = SOLVE_HELP)]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    /// Answer for every role but chance, in turn
    #[arg(long, conflicts_with = "role", help_heading = "Question")]
    pub(crate) roles: bool,
    /// Who plays for whom
    #[arg(long, value_enum, default_value_t, help_heading = "Question")]
    #[arg(conflicts_with_all = IN_TURN)]
    pub(crate) players: PlayersArg,
    /// Ask from this state: the facts that are true in it, or @FILE that holds them
    #[arg(long, value_name = "STATE", allow_negative_numbers = true, help_heading = "Question")]
    pub(crate) from: Option<String>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) disk: DiskArgs,
    #[command(flatten)]
    pub(crate) sheet: SheetArgs,
    /// Print one JSON object instead of text
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Tell how the game was compiled: sizes of the ground rules and the network, and the tier
    #[arg(long, help_heading = "Output", conflicts_with = "json")]
    pub(crate) explain: bool,
    /// Tell what the device did, of each ply or of the search: states, bytes and times (needs --backend
    /// gpu)
    #[arg(long, help_heading = "Output", conflicts_with = "json")]
    pub(crate) profile: bool,
    /// Print no progress and no notes, only the answer
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Put what the answer rests on to z3 (a build with z3): of the symbolic engine its formulas,
    /// of the others the network
    #[arg(long, help_heading = "Output")]
    pub(crate) audit: bool,
}

/// Flags that ask about one role, which `--players` does not.
const IN_TURN: [&str; 2] = ["role", "roles"];

/// Who plays for whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlayersArg {
    /// All others oppose the role asked about
    #[default]
    Opposed,
    /// Each role maximises its own goal value; of equally good moves it takes the one listed first
    Each,
}

/// Prints a script that completes commands and flags.
#[derive(Debug, Args)]
#[command(after_long_help = COMPLETIONS_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_that_exclude_each_other_are_refused() {
        let refused = |words: &str| Cli::try_parse_from(words.split(' ')).is_err();
        assert!(refused("oddsmith solve g --role x --roles"));
        assert!(refused("oddsmith solve g --json --explain"));
        assert!(refused("oddsmith solve g --resume"));
        assert!(refused("oddsmith solve g --spill d"));
        assert!(refused("oddsmith solve g --roles --checkpoint d"));
        assert!(!refused("oddsmith solve g --checkpoint d --resume"));
        assert!(refused("oddsmith solve g --engine oracle"));
        assert!(refused("oddsmith crosscheck"));
        assert!(refused("oddsmith crosscheck g --random 3"));
        assert!(refused("oddsmith crosscheck g --log f"));
        assert!(refused("oddsmith crosscheck --random 3 --role x"));
        assert!(!refused("oddsmith crosscheck --random 3 --formulas 4 --seed 7 --log f"));
        assert!(refused("oddsmith generate connect 3 3"));
        assert!(refused("oddsmith generate connect 3 3 3 --rows 4"));
        assert!(refused("oddsmith generate connect --rows 4 --line 3"));
        assert!(refused("oddsmith generate connect"));
        assert!(refused("oddsmith generate nim 5 --add 3/2"));
        assert!(!refused("oddsmith generate connect --columns 3 --rows 3 --line 3 --own 1/2"));
    }
}
