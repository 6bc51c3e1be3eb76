//! Build `oddsmith` in release where it is stale, and become it.
//!
//! The build speaks on standard error only, and only when it has much to do (the first time), so
//! that what is piped onward is the answer alone. On Unix the program replaces this process: the
//! user's signals, exit code and terminal are its own.
//!
//! Commands that need clingo or z3 (`crate::symbolic`) run other builds of the program, each in a
//! target folder of its own: in a common one, each change between them would put one program in the
//! place of another, under the feet of a run that has just begun.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::checkout::Checkout;
use crate::report::Failure;
use crate::{symbolic, system};

/// Runs `oddsmith` with the user's arguments in the user's working directory.
///
/// # Errors
/// Where the build fails or lacks something, or the program cannot be started.
pub fn run(checkout: &Checkout, arguments: &[String]) -> Result<ExitCode, Failure> {
    if let Some(wanted) = symbolic::asked_for(arguments) {
        let program = build_with(checkout, wanted)?;
        return become_program(&program, arguments);
    }
    build(checkout, "oddsmith")?;
    become_program(&checkout.release_program("oddsmith"), arguments)
}

/// Builds a package in release; quiet unless its program is not there yet.
///
/// # Errors
/// Where cargo cannot be started or the build fails.
pub fn build(checkout: &Checkout, package: &str) -> Result<(), Failure> {
    let mut command = checkout.cargo(&["build", "--release", "--package", package]);
    if checkout.release_program(package).exists() {
        command.arg("--quiet");
    }
    built(&mut command, package)
}

/// Builds `oddsmith` with more than the plain build has; where the program is.
///
/// # Errors
/// Where something that it needs is missing, or the build fails.
pub fn build_with(checkout: &Checkout, wanted: &symbolic::Build) -> Result<PathBuf, Failure> {
    let program = checkout.other_program(wanted.folder, "oddsmith");
    let folder = program.parent().and_then(Path::parent).expect("it lies in a target folder");
    let mut command = checkout.cargo(&["build", "--release", "--package", "oddsmith"]);
    command.args(["--features", wanted.features, "--target-dir"]).arg(folder);
    if program.exists() {
        command.arg("--quiet");
    } else {
        system::need(wanted.requirements(), "; what asks for neither does without")?;
        eprintln!("building oddsmith with {}: some minutes, once", wanted.has);
    }
    built(&mut command, "oddsmith")?;
    Ok(program)
}

fn built(command: &mut Command, package: &str) -> Result<(), Failure> {
    let status = command.status().map_err(|error| {
        Failure::environment(
            format!("cargo could not be started: {error}"),
            "Install Rust with rustup, and run this through `cargo xtask`.",
        )
    })?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::environment(
        format!("`{package}` does not build (the messages are above)."),
        "Update Rust (`rustup update`) if the messages are about its version; else undo or mend \
         the local change that they point at.",
    ))
}

/// Builds `oddsmith` as tests build it, with its assertions; where the program is.
///
/// # Errors
/// Where cargo cannot be started or the build fails.
pub fn build_for_tests(checkout: &Checkout) -> Result<PathBuf, Failure> {
    let mut command = checkout.cargo(&["build", "--quiet", "--profile", "test"]);
    command.args(["--package", "oddsmith"]);
    built(&mut command, "oddsmith")?;
    Ok(checkout.tested_program("oddsmith"))
}

/// Runs a program in the place of this one.
///
/// # Errors
/// Where it cannot be started.
#[cfg(unix)]
pub fn become_program(program: &Path, arguments: &[String]) -> Result<ExitCode, Failure> {
    use std::os::unix::process::CommandExt;
    let error = Command::new(program).args(arguments).exec();
    Err(not_started(program, &error))
}

/// Runs a program and hands on its exit code.
///
/// # Errors
/// Where it cannot be started.
#[cfg(not(unix))]
pub fn become_program(program: &Path, arguments: &[String]) -> Result<ExitCode, Failure> {
    let status = Command::new(program)
        .args(arguments)
        .status()
        .map_err(|error| not_started(program, &error))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

pub(crate) fn not_started(program: &Path, error: &std::io::Error) -> Failure {
    Failure::environment(
        format!("{} was built but could not be started: {error}.", program.display()),
        "Run this through `cargo xtask`, which builds in release beside it.",
    )
}
