//! How a question is answered: the engine and its parts, devices, and what is kept on disk.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::help::DEVICES_HELP;
use crate::quantity;

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
    /// Let plies that wait go through the memory of this machine where the device has no room, or holds
    /// this much (needs --backend gpu or auto)
    #[arg(long, value_name = "SIZE", num_args = 0..=1, require_equals = true)]
    #[arg(value_parser = quantity::size)]
    pub(crate) stream: Option<Option<u64>>,
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
    /// Positions without their clock, for games that count their steps or have a horizon
    Clock,
}

impl From<TierName> for solve::Tier {
    fn from(name: TierName) -> Self {
        match name {
            TierName::Auto => Self::Auto,
            TierName::Table => Self::Table,
            TierName::Dense => Self::Dense,
            TierName::Clock => Self::Clock,
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
