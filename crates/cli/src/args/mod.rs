//! The command line: every command, every flag, and the help that teaches them.
//!
//! One struct a command, flattened from small groups (the sheet, the question, the limits, the
//! engine), so that a flag means the same wherever it stands. What flags exclude each other is
//! declared here and refused by clap before anything is read. Nothing here opens a file.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::quantity;
pub(crate) use crosscheck::{CrosscheckArgs, RandomArgs};
pub(crate) use family::{BoardArgs, Family, GenerateArgs};
pub(crate) use formula::{DialectArg, FormulaArgs};
use help::{
    CHECK_HELP, COMPLETIONS_HELP, DEVICES_HELP, FMT_HELP, GENERAL_HELP, INSPECT_HELP, PERFT_HELP,
    PLAY_HELP, SOLVE_HELP, SQASP_HELP, TRANSLATE_HELP, XSSAT_HELP,
};
pub(crate) use table::{QueryArgs, VerifyArgs};

mod crosscheck;
mod family;
mod formula;
mod help;
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
    /// Tell of each ply what the device did: states, edges, bytes and times (needs --backend gpu)
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

/// What a long solve keeps on disk.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Disk")]
pub(crate) struct DiskArgs {
    /// Keep every finished ply in this folder, so that a solve that is killed can be resumed (needs
    /// --engine sweep)
    #[arg(long, value_name = "DIR", conflicts_with = "roles")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Continue the checkpoint that is there; begin one where there is none
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,
    /// Folder for what does not fit in --memory [default: the checkpoint's, else the system's for
    /// temporary files]
    #[arg(long, value_name = "DIR", requires = "memory")]
    pub(crate) spill: Option<PathBuf>,
    /// Write the solved game to this file: states, values and best moves (needs --engine sweep)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["roles", "approximate", "width", "players"])]
    pub(crate) table: Option<PathBuf>,
    /// Write only what one side's best moves lead to: enough to prove a bound from that side
    #[arg(long, value_enum, value_name = "SIDE", requires = "table")]
    pub(crate) policy: Option<PolicyArg>,
    /// Write finished plies that took less than this together; 0s writes each alone
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, allow_hyphen_values = true, requires = "checkpoint", hide_short_help = true)]
    pub(crate) checkpoint_pace: Option<Duration>,
}

/// Whose moves a table follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyArg {
    /// The role asked about: it wins with at least the value
    Asked,
    /// Its opponents: it wins with at most the value
    Opponents,
}

impl From<PolicyArg> for ::table::Side {
    fn from(side: PolicyArg) -> Self {
        match side {
            PolicyArg::Asked => Self::Asked,
            PolicyArg::Opponents => Self::Opponents,
        }
    }
}

/// Who answers.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Engine")]
pub(crate) struct EngineArgs {
    /// Who answers: all distinct states by plies, depth-first with a table, or the slow and plain
    /// evaluation of the rules themselves [default: sweep]
    #[arg(long, value_enum)]
    pub(crate) engine: Option<EngineName>,
    /// Where the states are expanded
    #[arg(long, value_enum, default_value_t)]
    pub(crate) backend: BackendName,
    /// The graphics device, by its number or a part of its name (see `oddsmith devices`)
    #[arg(long, value_name = "DEVICE", allow_negative_numbers = true)]
    #[arg(value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) device: Option<String>,
    /// Where the formula binds variables that others define (needs --engine symbolic)
    #[arg(long, value_enum)]
    pub(crate) placement: Option<PlacementName>,
    /// Look at most this many steps ahead, deeper and deeper, and give bounds (needs --engine
    /// search)
    #[arg(long, value_name = "STEPS", value_parser = quantity::depth, allow_hyphen_values = true)]
    pub(crate) depth: Option<u32>,
    /// Show an estimate beside the bounds, of which nothing is proven: how the last states of the
    /// look ahead are judged (needs --engine search)
    #[arg(long, value_enum, value_name = "BY")]
    pub(crate) evaluate: Option<EvaluatorName>,
    /// Seed of the random plays of `--evaluate rollout` [default: 1]
    #[arg(long, value_parser = quantity::seed, allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,
    /// Check every reachable state for well-formedness, also where the engine would not
    #[arg(long)]
    pub(crate) check: bool,
    /// Give certified bounds instead of a fraction, where fractions are long (needs --engine sweep)
    #[arg(long)]
    pub(crate) approximate: bool,
    /// Give certified bounds of this width, such as 1e-12, where a play can return to a state
    /// (needs --engine sweep)
    #[arg(long, value_name = "WIDTH", value_parser = quantity::width, allow_hyphen_values = true)]
    pub(crate) width: Option<u64>,
    /// Work on so many threads [default: as many as the machine runs at once] (needs --engine sweep or
    /// search)
    #[arg(long, value_name = "COUNT", value_parser = quantity::threads, allow_hyphen_values = true)]
    pub(crate) threads: Option<u16>,
    /// Keep the states that wait for chance too; for tests and measurements
    #[arg(long, hide_short_help = true)]
    pub(crate) no_fold: bool,
    /// Keep all states, where the sweep would keep one of each set of states that symmetries of the
    /// game map to each other; for tests and measurements (needs --engine sweep)
    #[arg(long, hide_short_help = true)]
    pub(crate) no_symmetry: bool,
    /// How the sweep keeps states; for tests and measurements (needs --engine sweep)
    #[arg(long, value_enum, value_name = "TIER", hide_short_help = true)]
    pub(crate) tier: Option<TierName>,
}

/// How the sweep keeps states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TierName {
    /// As suits the game
    Auto,
    /// Packed bits in tables, for every game
    Table,
    /// Numbers in mixed radix, for games that come apart into digits
    Dense,
}

impl From<TierName> for solve::Tier {
    fn from(name: TierName) -> Self {
        match name {
            TierName::Auto => Self::Auto,
            TierName::Table => Self::Table,
            TierName::Dense => Self::Dense,
        }
    }
}

impl EngineArgs {
    /// The engine that is asked for, or the default one.
    pub(crate) fn name(&self) -> EngineName {
        self.engine.unwrap_or_default()
    }
}

/// An engine by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// All distinct states by plies, forward, then values backward
    #[default]
    Sweep,
    /// Depth-first with a table and bounds at chance nodes
    Search,
    /// The rules themselves, evaluated directly: slow, and shares nothing with the others
    Reference,
    /// A logic program, its clauses, and a solver of quantified clauses; needs a build with clingo
    Symbolic,
}

impl EngineName {
    /// The name as typed and printed.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Sweep => "sweep",
            Self::Search => "search",
            Self::Reference => "reference",
            Self::Symbolic => "symbolic",
        }
    }
}

/// How the last states of a look ahead are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvaluatorName {
    /// The goal value that holds there, over 100
    Goal,
    /// The asked role's share of the legal moves
    Mobility,
    /// The mean of 64 random plays from there
    Rollout,
}

impl From<EvaluatorName> for solve::Evaluator {
    fn from(name: EvaluatorName) -> Self {
        match name {
            EvaluatorName::Goal => Self::Goal,
            EvaluatorName::Mobility => Self::Mobility,
            EvaluatorName::Rollout => Self::Rollout,
        }
    }
}

/// Where defined variables are bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlacementName {
    /// All innermost
    Baseline,
    /// Each right after the choices it depends on
    #[default]
    Dependency,
}

impl From<PlacementName> for sqasp::Placement {
    fn from(name: PlacementName) -> Self {
        match name {
            PlacementName::Baseline => Self::Baseline,
            PlacementName::Dependency => Self::Dependency,
        }
    }
}

/// Where states are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendName {
    /// This processor
    #[default]
    Cpu,
    /// A graphics device; needs a build with the feature `gpu`
    Gpu,
    /// A graphics device that is hardware, for games that it does; else this processor
    Auto,
}

/// Lists the graphics devices that there are.
#[derive(Debug, Args)]
#[command(after_long_help = DEVICES_HELP)]
pub(crate) struct DevicesArgs {
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

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

/// Where a text goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputArg {
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
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

/// Finds the probability of a logic program with quantified atoms.
///
/// The program is in clingo's language, with facts `_exists(L,A)`, `_forall(L,A)` and
/// `_chance(L,P,Q,A)`: atom A is bound at level L, smaller levels first, by chance with probability
/// P/Q of being true. Needs a build with clingo.
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
