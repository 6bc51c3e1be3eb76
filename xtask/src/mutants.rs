//! `cargo xtask mutants`: build the program that plants faults, and hand over to it.

use std::process::ExitCode;

use crate::checkout::Checkout;
use crate::oddsmith;
use crate::report::Failure;

/// Plants faults, and tells the share that tests notice.
///
/// # Errors
/// Where the program does not build or cannot be started.
pub fn run(checkout: &Checkout, arguments: &[String]) -> Result<ExitCode, Failure> {
    oddsmith::build(checkout, "mutants")?;
    let mut forwarded = vec!["--root".to_owned(), checkout.root.display().to_string()];
    forwarded.extend(arguments.iter().cloned());
    oddsmith::become_program(&checkout.release_program("mutants"), &forwarded)
}
