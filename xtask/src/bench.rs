//! `cargo xtask bench`: build what is measured, fetch other programs to compare with where that is
//! possible, and hand over to the bench program.
//!
//! SWI-Prolog and DepQBF are only installed where that needs no question: on Debian and its
//! descendants, as root or through a sudo that asks for no password. Elsewhere their rows say that
//! they were left out. The benches that translate games need clingo, which is built for them, and the one of graphics
//! devices a build that opens them.

use std::process::{Command, ExitCode};

use crate::checkout::Checkout;
use crate::report::Failure;
use crate::system::{self, Quiet};
use crate::{oddsmith, symbolic};

/// Benches that translate games to clauses.
const SYMBOLIC: &[&str] = &["symbolic", "paper"];

/// Benches that open a graphics device.
const DEVICES: &[&str] = &["gpu"];

/// A program to compare with: its name, its package on Debian, and the benches that have it.
const RIVALS: &[(&str, &str, &[&str])] =
    &[("swipl", "swi-prolog-nox", &["nim", "connect-4-4x4"]), ("depqbf", "depqbf", &["families"])];

/// Measures all benches, or those that are named.
///
/// # Errors
/// Where something does not build or the bench program cannot be started.
pub fn run(checkout: &Checkout, arguments: &[String]) -> Result<ExitCode, Failure> {
    oddsmith::build(checkout, "benches")?;
    // Nothing is fetched or built for what cannot be run.
    let program = checkout.release_program("benches");
    let planned = Command::new(&program).arg("plan").args(arguments).status();
    let asks_for_help = arguments.iter().any(|word| ["--help", "-h"].contains(&word.as_str()));
    match planned {
        Ok(status) if status.success() && !asks_for_help => {}
        Ok(status) => return Ok(ExitCode::from(if status.success() { 0 } else { 2 })),
        Err(error) => return Err(oddsmith::not_started(&program, &error)),
    }
    oddsmith::build(checkout, "oddsmith")?;
    let mut forwarded = vec!["run".to_owned(), "--root".into()];
    forwarded.push(checkout.root.display().to_string());
    if is_wanted(arguments, SYMBOLIC) {
        let symbolic = oddsmith::build_with(checkout, &symbolic::WITH_CLINGO)?;
        forwarded.extend(["--symbolic".into(), symbolic.display().to_string()]);
    }
    if is_wanted(arguments, DEVICES) {
        let gpu = oddsmith::build_with(checkout, &symbolic::WITH_GPU)?;
        forwarded.extend(["--gpu".into(), gpu.display().to_string()]);
    }
    for (rival, package, benches) in RIVALS {
        if is_wanted(arguments, benches) {
            fetch(rival, package);
        }
    }
    forwarded.extend(arguments.iter().cloned());
    oddsmith::become_program(&program, &forwarded)
}

/// Whether one of the benches will run: it is named, or none is.
fn is_wanted(arguments: &[String], benches: &[&str]) -> bool {
    let mut named = names(arguments).peekable();
    named.peek().is_none() || named.any(|name| benches.contains(&name))
}

/// The arguments that are neither options nor their values.
fn names(arguments: &[String]) -> impl Iterator<Item = &str> {
    let mut is_value = false;
    arguments.iter().map(String::as_str).filter(move |word| {
        let was_value = std::mem::replace(&mut is_value, ["--dir", "--turns"].contains(word));
        !was_value && !word.starts_with('-')
    })
}

/// Installs a program where it is not there and that needs no question.
fn fetch(program: &str, package: &str) {
    let is_present = || Command::new(program).arg("--version").quietly();
    // What does not know that option is there all the same, if it starts at all.
    if is_present() || Command::new(program).arg("--help").output().is_ok() {
        return;
    }
    eprintln!("bench: there is no `{program}` to compare with");
    if !system::install(package) {
        eprintln!(
            "bench: it could not be installed; its row is left out (by hand: \
             `sudo apt-get install {package}`)"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{SYMBOLIC, is_wanted};

    #[test]
    fn clingo_is_built_for_the_benches_that_translate_games_alone() {
        let wanted = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            is_wanted(&words, SYMBOLIC)
        };
        assert!(wanted("") && wanted("symbolic") && wanted("nim paper --turns 1"));
        assert!(wanted("--dir symbolic"), "no bench is named, so all run");
        assert!(!wanted("nim") && !wanted("formulas --dir symbolic") && !wanted("--turns 2 nim"));
    }
}
