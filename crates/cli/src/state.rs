//! `--from`: a state as the facts that hold in it, on the command line or in a file.

use std::path::Path;

use gdl::{Rulebook, Source, Term};

use crate::failure::{Failure, SheetFault};
use crate::sheet;

/// The name under which faults of a state on the command line are reported.
const ARGUMENT_NAME: &str = "--from";

/// The ground terms of a state, sorted, each once. A name that the game does not have is refused.
pub(crate) fn parse(text: &str, rulebook: &Rulebook) -> Result<Vec<Term>, Failure> {
    let source = match text.strip_prefix('@') {
        Some("") => return Err(no_file_name()),
        Some(path) => sheet::open_as("state file", Path::new(path))?,
        None => Source::new(ARGUMENT_NAME, text),
    };
    let read = gdl::read_facts(&source.text, rulebook);
    let mut facts =
        read.map_err(|diagnostics| Failure::Sheet(Box::new(SheetFault { source, diagnostics })))?;
    facts.sort_unstable();
    facts.dedup();
    debug_assert!(facts.is_sorted(), "a state is a sorted set");
    Ok(facts)
}

fn no_file_name() -> Failure {
    Failure::input("missing-file", "a file name is missing after the @ of --from")
        .note("write --from @FILE, where FILE holds the facts of a state")
}
