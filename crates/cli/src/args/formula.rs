//! The flags of `generate` for families of formulas: a subcommand a row of the table of families.
//!
//! The table, [`qcnf::families::FAMILIES`], says what sizes and variants there are, and their
//! ranges; the subcommands are made of it here, by hand where clap would derive, so that a family
//! is added in one place. A size that is not given is the usual one, and all are refused outside
//! their range before anything is made.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Subcommand, ValueEnum};
use qcnf::families::{FAMILIES, Family, Size, Variant};

use super::OutputArg;

/// A formula of a family.
#[derive(Debug)]
pub(crate) struct FormulaArgs {
    /// The family.
    pub(crate) family: &'static Family,
    /// Its sizes, as many as it has.
    pub(crate) sizes: Vec<usize>,
    /// One of its variants.
    pub(crate) variant: &'static Variant,
    /// How it is written.
    pub(crate) dialect: DialectArg,
    /// Where to.
    pub(crate) output: Option<PathBuf>,
}

/// How a formula is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectArg {
    /// Fractions where a probability has no decimal
    #[default]
    Exact,
    /// Decimals only, with a warning where they are rounded
    Decimal,
    /// QDIMACS: no chance
    Qdimacs,
}

impl From<DialectArg> for qcnf::text::Dialect {
    fn from(dialect: DialectArg) -> Self {
        match dialect {
            DialectArg::Exact => Self::Exact,
            DialectArg::Decimal => Self::Decimal,
            DialectArg::Qdimacs => Self::Qdimacs,
        }
    }
}

impl Subcommand for FormulaArgs {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(FAMILIES.iter().map(subcommand))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        FAMILIES.iter().any(|family| family.name == name)
    }
}

impl FromArgMatches for FormulaArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(ErrorKind::MissingSubcommand);
        let (name, chosen) = matches.subcommand().ok_or_else(missing)?;
        let family = FAMILIES.iter().find(|family| family.name == name).ok_or_else(missing)?;
        let usual = |size: &Size| chosen.get_one(size.name).copied().unwrap_or(size.usual);
        let named = chosen.get_one::<String>("variant");
        let is_chosen = |variant: &&Variant| named.is_none_or(|name| variant.name == name);
        let variant = family.variants.iter().find(is_chosen).ok_or_else(missing)?;
        Ok(Self {
            family,
            sizes: family.sizes.iter().map(usual).collect(),
            variant,
            dialect: chosen.get_one("dialect").copied().unwrap_or_default(),
            output: OutputArg::from_arg_matches(chosen)?.output,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn subcommand(family: &'static Family) -> Command {
    let names: Vec<&str> = family.variants.iter().map(|variant| variant.name).collect();
    assert!(!names.is_empty(), "a family has members");
    let variant = Arg::new("variant")
        .long("variant")
        .value_name("VARIANT")
        .default_value(names[0])
        .value_parser(PossibleValuesParser::new(names))
        .help("Which formulas of the family; their values are below");
    let dialect = Arg::new("dialect")
        .long("dialect")
        .value_name("DIALECT")
        .default_value("exact")
        .value_parser(clap::value_parser!(DialectArg))
        .help("What the reader of the formula understands");
    let sizes = family.sizes.iter().map(size);
    // The group of arguments brings a description of its own.
    OutputArg::augment_args(Command::new(family.name).args(sizes).arg(variant).arg(dialect))
        .about(format!("A formula: {}", family.about))
        .long_about(format!("A formula: {}.", family.about))
        .after_long_help(help(family))
}

fn size(size: &'static Size) -> Arg {
    let (Size { name, range, usual }, (least, most)) = (*size, size.range);
    assert!(range.0 <= usual && usual <= range.1, "the usual size is one of them");
    let read = move |text: &str| {
        let number = text.trim().parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("{name} is a whole number from {least} to {most}"))
    };
    Arg::new(name)
        .value_parser(read)
        .allow_negative_numbers(true)
        .help(format!("A size, {least} to {most} [default: {usual}]"))
}

fn help(family: &Family) -> String {
    let mut text = format!("Examples:\n  oddsmith generate {}", family.name);
    for size in family.sizes {
        text.push_str(&format!(" {}", size.usual));
    }
    text.push_str(" | oddsmith xssat -\n\nValues:\n");
    for variant in family.variants {
        text.push_str(&format!("  --variant {}\n      {}\n", variant.name, variant.value));
    }
    text + &format!("\nSource:\n{}\n", wrapped(family.source))
}

/// The longest line of a help text.
const WIDTH: usize = 100;

/// A text in lines that are indented and not too wide.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::from(" ")];
    for word in text.split(' ') {
        if lines.last().is_some_and(|line| line.len() + 1 + word.len() > WIDTH) {
            lines.push(String::from(" "));
        }
        let line = lines.last_mut().expect("there is a line");
        line.push(' ');
        line.push_str(word);
    }
    lines.join("\n")
}
