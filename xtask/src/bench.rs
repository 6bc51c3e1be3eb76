//! `cargo xtask bench`: build what is measured, fetch the Prolog of the baseline where that is
//! possible, and hand over to the bench program.
//!
//! SWI-Prolog is only installed where that needs no question: on Debian and its descendants, as
//! root or through a sudo that asks for no password. Elsewhere the row of that baseline says that
//! it was left out.

use std::process::{Command, ExitCode};

use crate::checkout::Checkout;
use crate::oddsmith;
use crate::report::Failure;
use crate::system::{self, Quiet};

/// Measures all benches, or the one that is named.
///
/// # Errors
/// Where something does not build or the bench program cannot be started.
pub fn run(checkout: &Checkout, arguments: &[String]) -> Result<ExitCode, Failure> {
    oddsmith::build(checkout, "oddsmith")?;
    oddsmith::build(checkout, "benches")?;
    if !present("swipl") {
        install_prolog();
    }
    let mut forwarded = vec!["run".to_owned(), "--root".into()];
    forwarded.push(checkout.root.display().to_string());
    forwarded.extend(arguments.iter().cloned());
    oddsmith::become_program(&checkout.release_program("benches"), &forwarded)
}

fn present(program: &str) -> bool {
    Command::new(program).arg("--version").quietly()
}

fn install_prolog() {
    eprintln!("bench: there is no SWI-Prolog for the baseline");
    if !system::install("swi-prolog-nox") || !present("swipl") {
        eprintln!(
            "bench: it could not be installed; its row is left out (by hand: \
             `sudo apt-get install swi-prolog-nox`)"
        );
    }
}
