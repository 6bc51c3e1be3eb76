//! `oddsmith completions SHELL`, and the short help of `oddsmith` alone.

use std::io::Write;

use crate::args::{Cli, CompletionsArgs};
use crate::failure::{Failure, Status};

/// Prints the completion script of a shell.
pub(crate) fn run(args: &CompletionsArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::definition(), "oddsmith", &mut script);
    out.write_all(&script)?;
    Ok(Status::Answered)
}

/// Prints what the program is for and which commands there are.
pub(crate) fn short_help(out: &mut dyn Write) -> Result<Status, Failure> {
    write!(out, "{}", Cli::definition().render_help())?;
    Ok(Status::Answered)
}
