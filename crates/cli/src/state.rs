//! `--from`: a state as the facts that hold in it, on the command line or in a file.

use std::path::Path;

use gdl::{Rulebook, Source, Term};

use crate::args::SheetArgs;
use crate::failure::{Failure, SheetFault};
use crate::sheet;

/// The name under which faults of a state on the command line are reported.
const ARGUMENT_NAME: &str = "--from";

/// The ground terms of a state, sorted, each once. New names go into the rulebook's table: a
/// fact that no rule of the game can make is the engine's to refuse.
pub(crate) fn parse(
    text: &str,
    rulebook: &mut Rulebook,
    args: &SheetArgs,
) -> Result<Vec<Term>, Failure> {
    let source = match text.strip_prefix('@') {
        Some(path) => sheet::open(Path::new(path))?,
        None => Source::new(ARGUMENT_NAME, text),
    };
    let read = gdl::read_facts(&source, &mut rulebook.symbols, args.case_sensitive);
    let mut facts =
        read.map_err(|diagnostics| Failure::Sheet(Box::new(SheetFault { source, diagnostics })))?;
    facts.sort_unstable();
    facts.dedup();
    Ok(facts)
}
