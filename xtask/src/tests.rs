//! `cargo xtask test`: every check of the project, cheapest first, stopped by the first failure.
//!
//! The parts are a table. What a part needs beyond Rust is installed from here where that needs no
//! question, so that this one command stays enough.

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use crate::checkout::Checkout;
use crate::corpus;
use crate::report::Failure;
use crate::system::{self, Requirement};
use crate::tidy;

/// A part of the tests: its name for `--without`, and the calls of cargo that it is (tidy and the
/// corpus are done here).
struct Part {
    name: &'static str,
    meaning: &'static str,
    calls: &'static [&'static [&'static str]],
    need: Need,
}

/// What a part needs beyond Rust.
enum Need {
    Nothing,
    /// A rustup component, by the subcommand that shows whether it is there.
    Component(&'static str, &'static str),
    /// Libraries and programs, each with its package.
    System(&'static [Requirement]),
}

const PARTS: &[Part] = &[
    Part { name: "tidy", meaning: "the rules of the house", calls: &[], need: Need::Nothing },
    Part {
        name: "fmt",
        meaning: "formatting",
        calls: &[&["fmt", "--all", "--check"]],
        need: Need::Component("fmt", "rustfmt"),
    },
    Part {
        name: "clippy",
        meaning: "lints",
        calls: &[&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]],
        need: Need::Component("clippy", "clippy"),
    },
    Part {
        name: "tests",
        meaning: "all tests",
        calls: &[&["test", "--quiet", "--workspace"]],
        need: Need::Nothing,
    },
    Part {
        name: "audit",
        meaning: "audits by z3, linted and tested",
        // In the common target folder: the feature changes one package and what only it needs.
        calls: &[
            &[
                "clippy",
                "--quiet",
                "--package=audit",
                "--features=z3",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            &["test", "--quiet", "--package=audit", "--features=z3"],
        ],
        need: Need::System(system::Z3),
    },
    Part {
        name: "gpu",
        meaning: "games on a graphics device, linted and tested",
        // In the common target folder, as the part `audit`.
        calls: &[
            &[
                "clippy",
                "--quiet",
                "--package=oddsmith",
                "--features=gpu",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            &["test", "--quiet", "--package=device"],
            &["test", "--quiet", "--package=tests", "gpu::", "--", "--nocapture"],
            &[
                "test",
                "--quiet",
                "--package=oddsmith",
                "--features=gpu",
                "--bins",
                "--test=gpu",
                "--test=readme",
            ],
        ],
        need: Need::System(system::VULKAN),
    },
    Part {
        name: "symbolic",
        meaning: "the symbolic engine with clingo, linted and tested",
        // Lints in the profile of tests: clingo, which is most of the time, is built once. What a
        // build without it tests as well is left to the part `tests`.
        calls: &[
            &[
                "clippy",
                "--quiet",
                "--profile=test",
                "--package=sqasp",
                "--package=judge",
                "--package=oddsmith",
                "--package=tests",
                "--features=oddsmith/symbolic,tests/symbolic",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            &["test", "--quiet", "--package=sqasp", "--features=clingo"],
            &[
                "test",
                "--quiet",
                "--package=oddsmith",
                "--features=symbolic",
                "--bins",
                "--test=symbolic",
                "--test=readme",
            ],
            &["test", "--quiet", "--package=tests", "--features=symbolic", "symbolic::"],
            // After the tests of `oddsmith`: they leave the program that it starts, with clingo.
            &["build", "--quiet", "--profile=test", "--package=oddsmith", "--features=symbolic"],
            &[
                "run",
                "--quiet",
                "--profile=test",
                "--package=benches",
                "--",
                "run",
                "--quick",
                "symbolic",
                "paper",
            ],
        ],
        need: Need::System(system::CLINGO),
    },
    Part {
        name: "programs",
        meaning: "programs and games audited by z3 beside clingo",
        // After the part `symbolic`, whose clingo it uses.
        calls: &[
            &[
                "clippy",
                "--quiet",
                "--profile=test",
                "--package=audit",
                "--package=oddsmith",
                "--features=audit/z3,audit/clingo,oddsmith/symbolic,oddsmith/z3",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            &["test", "--quiet", "--package=audit", "--features=z3,clingo", "--test=programs"],
            &[
                "test",
                "--quiet",
                "--package=oddsmith",
                "--features=symbolic,z3",
                "--test=audit",
                "--test=readme",
            ],
        ],
        need: Need::System(system::CLINGO_AND_Z3),
    },
    Part {
        name: "corpus",
        meaning: "a sample of public rulesheets, where they are there",
        calls: &[],
        need: Need::Nothing,
    },
];

/// What the user asked of `cargo xtask test`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Choice {
    slow: bool,
    without: Vec<String>,
}

/// The names that `--without` takes.
pub fn part_names() -> Vec<&'static str> {
    PARTS.iter().map(|part| part.name).collect()
}

/// Runs the parts in order, up to the first that fails.
///
/// # Errors
/// On an unknown argument, a missing component, or where cargo cannot be started.
pub fn run(checkout: &Checkout, arguments: &[String]) -> Result<ExitCode, Failure> {
    let choice = parse(arguments)?;
    let started = Instant::now();
    for part in PARTS.iter().filter(|part| !choice.without.iter().any(|name| name == part.name)) {
        eprintln!("== {}: {}", part.name, part.meaning);
        let code = run_part(checkout, part, choice.slow)?;
        if code != 0 {
            eprintln!("== {} failed after {}", part.name, seconds(started));
            return Ok(ExitCode::from(code));
        }
    }
    eprintln!("== all passed in {}", seconds(started));
    Ok(ExitCode::SUCCESS)
}

/// `cargo xtask tidy`.
///
/// # Errors
/// On an argument, or where the checkout cannot be read.
pub fn tidy(checkout: &Checkout, arguments: &[String]) -> Result<ExitCode, Failure> {
    match arguments {
        [] => Ok(ExitCode::from(run_tidy(checkout)?)),
        [first, ..] => Err(Failure::usage(
            format!("`tidy` takes no argument, and got `{first}`."),
            "It checks the whole checkout: `cargo xtask tidy`.",
        )),
    }
}

fn parse(arguments: &[String]) -> Result<Choice, Failure> {
    let mut choice = Choice::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--slow" => choice.slow = true,
            "--without" => choice.without.push(known_part(rest.next())?),
            other => {
                return Err(Failure::usage(
                    format!("`test` does not know `{other}`."),
                    "Use `cargo xtask test [--slow] [--without PART]...`.",
                ));
            }
        }
    }
    Ok(choice)
}

fn known_part(name: Option<&String>) -> Result<String, Failure> {
    let names = part_names();
    match name {
        Some(name) if names.contains(&name.as_str()) => Ok(name.clone()),
        Some(name) => Err(Failure::usage(
            format!("`{name}` is not a part of the tests."),
            format!("The parts are {}.", names.join(", ")),
        )),
        None => Err(Failure::usage(
            "`--without` needs the part to leave out.",
            format!("The parts are {}.", names.join(", ")),
        )),
    }
}

fn run_part(checkout: &Checkout, part: &Part, slow: bool) -> Result<u8, Failure> {
    match part.name {
        "tidy" => return run_tidy(checkout),
        "corpus" => return corpus::test(checkout),
        _ => assert!(!part.calls.is_empty(), "every other part is calls of cargo"),
    }
    match &part.need {
        Need::Nothing => {}
        Need::Component(subcommand, component) => {
            need_component(checkout, subcommand, component, part.name)?;
        }
        Need::System(all) => {
            system::need(*all, &format!(", or leave it out: `--without {}`", part.name))?;
        }
    }
    for call in part.calls {
        let mut command = checkout.cargo(call);
        if slow {
            command.env("ODDSMITH_SLOW", "1");
        }
        if part.name == "gpu" {
            // Where it is set, tests fail without a device instead of saying that they were left out.
            command.env("ODDSMITH_GPU", "1");
        }
        let code = exit_code(&mut command)?;
        if code != 0 {
            return Ok(code);
        }
    }
    Ok(0)
}

fn need_component(
    checkout: &Checkout,
    subcommand: &str,
    component: &str,
    part: &str,
) -> Result<(), Failure> {
    let mut probe = checkout.cargo(&[subcommand, "--version"]);
    probe.stdout(Stdio::null()).stderr(Stdio::null());
    if exit_code(&mut probe)? == 0 {
        return Ok(());
    }
    Err(Failure::environment(
        format!("this Rust has no {component}."),
        format!("Run `rustup component add {component}`, or leave it out: `--without {part}`."),
    ))
}

fn exit_code(command: &mut Command) -> Result<u8, Failure> {
    let status = command.status().map_err(|error| {
        Failure::environment(
            format!("cargo could not be started: {error}."),
            "Install Rust with rustup, and run this through `cargo xtask`.",
        )
    })?;
    // A process that a signal ended has no code: that is a failure as well.
    Ok(status.code().map_or(1, |code| u8::try_from(code).unwrap_or(1)))
}

fn run_tidy(checkout: &Checkout) -> Result<u8, Failure> {
    let tree = tidy::Tree::read(&checkout.root).map_err(|error| {
        Failure::environment(
            format!("the checkout cannot be read: {error}."),
            "Check the permissions of the files in it.",
        )
    })?;
    let findings = tidy::check(&tree);
    for finding in &findings {
        eprintln!("{finding}");
    }
    if findings.is_empty() {
        eprintln!("tidy: {} files, no finding", tree.len());
    } else {
        eprintln!("tidy: {} findings", findings.len());
    }
    Ok(u8::from(!findings.is_empty()))
}

fn seconds(started: Instant) -> String {
    format!("{:.1} s", started.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests_of_arguments {
    use super::{Choice, parse};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn slow_and_without_are_read_in_any_order() {
        let choice = parse(&words("--without fmt --slow --without clippy")).unwrap();
        assert_eq!(choice, Choice { slow: true, without: words("fmt clippy") });
    }

    #[test]
    fn an_unknown_part_names_the_parts() {
        let failure = parse(&words("--without clang")).unwrap_err();
        assert!(failure.wrong.contains("clang") && failure.remedy.contains("tidy, fmt, clippy"));
        assert_eq!(failure.code, 2);
    }

    #[test]
    fn the_symbolic_engine_can_be_left_out() {
        let choice = parse(&words("--without symbolic --without audit")).unwrap();
        assert_eq!(choice, Choice { slow: false, without: words("symbolic audit") });
    }

    #[test]
    fn graphics_devices_can_be_left_out() {
        let choice = parse(&words("--without gpu")).unwrap();
        assert_eq!(choice, Choice { slow: false, without: words("gpu") });
    }

    #[test]
    fn unknown_and_unfinished_arguments_are_refused() {
        assert!(parse(&words("--fast")).is_err());
        assert!(parse(&words("--without")).is_err());
    }
}
