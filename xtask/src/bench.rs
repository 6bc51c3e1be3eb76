//! `cargo xtask bench`: build what is measured, fetch the Prolog of the baseline where that is
//! possible, and hand over to the bench program.
//!
//! SWI-Prolog is only installed where that needs no question: on Debian and its descendants, as
//! root or through a sudo that asks for no password. Elsewhere the row of that baseline says that
//! it was left out.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::checkout::Checkout;
use crate::oddsmith;
use crate::report::Failure;

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
    succeeds(Command::new(program).arg("--version"))
}

fn install_prolog() {
    if !Path::new("/etc/debian_version").exists() {
        eprintln!("bench: no SWI-Prolog here, and no apt to install it: its row is left out");
        return;
    }
    eprintln!("bench: installing swi-prolog-nox for the Prolog baseline");
    let installed = privileged(&["apt-get", "update"])
        && privileged(&[
            "apt-get",
            "install",
            "--yes",
            "--no-install-recommends",
            "swi-prolog-nox",
        ]);
    if !installed || !present("swipl") {
        eprintln!(
            "bench: it could not be installed; its row is left out (by hand: \
             `sudo apt-get install swi-prolog-nox`)"
        );
    }
}

/// Runs a command as root: directly, or through a sudo that asks for nothing.
fn privileged(words: &[&str]) -> bool {
    let (program, arguments) = words.split_first().expect("a command has a first word");
    let direct = succeeds(Command::new(program).args(arguments));
    direct || succeeds(Command::new("sudo").arg("--non-interactive").args(words))
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command.env("DEBIAN_FRONTEND", "noninteractive");
    let status = quiet.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
