//! `cargo xtask mutants`: faults planted in the code by a program, and the share that tests notice.
//!
//! A *mutant* is the code with one small change. All that are drawn of a crate are planted in one
//! build, each behind a switch that is read at run time ([`weave`]), so that a mutant costs the tests that
//! reach it and no build. The journey: a copy of the checkout ([`tree`]), its places ([`sites`]), a draw
//! and what of it compiles ([`plant`]), the tests and what they reach ([`tests_of`]), each mutant under its
//! tests ([`trial`]), and the shares ([`report`]), with what is written of those that no test notices
//! ([`survivors`]). The checkout itself is never written to.

#![forbid(unsafe_code)]

mod failure;
mod plant;
mod report;
mod sites;
mod survivors;
mod tests_of;
mod tree;
mod trial;
mod weave;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;

use failure::Failure;
use report::Found;
use tree::Tree;

/// The crates whose faults would make a wrong answer.
const CRATES: [&str; 6] = ["ground", "net", "kernel", "solve", "sqasp", "xssat"];

/// Plants small faults in crates, and tells which share of them their tests notice
#[derive(Debug, Parser)]
#[command(name = "cargo xtask mutants", disable_version_flag = true)]
struct Args {
    /// The crates [default: those whose faults would make a wrong answer]
    #[arg(value_name = "CRATE")]
    crates: Vec<String>,
    /// Mutants to draw from each crate
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// The seed of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop after so many minutes; the same line goes on from there
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    minutes: Option<u32>,
    /// Tests to run at a time
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..))]
    jobs: u8,
    /// Seconds of tests for a mutant at most; one that no test has noticed by then is missed
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    budget: u32,
    /// Run the crate's own tests alone, and not those of crates that rest on it
    #[arg(long)]
    own: bool,
    /// The checkout
    #[arg(long, hide = true, default_value = ".")]
    root: PathBuf,
}

/// What bounds the work on a crate.
#[derive(Clone, Copy, Debug)]
struct Limits {
    jobs: usize,
    budget: Duration,
    end: Option<Instant>,
}

impl Limits {
    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {}\n  = {}", failure.wrong, failure.right);
            ExitCode::from(failure.status)
        }
    }
}

fn run(args: &Args) -> Result<(), Failure> {
    let minutes = |count: u32| Instant::now() + Duration::from_secs(60 * u64::from(count));
    let limits = Limits {
        jobs: args.jobs.into(),
        budget: Duration::from_secs(args.budget.into()),
        end: args.minutes.map(minutes),
    };
    let tree = Tree::copy(&args.root)?;
    let named = |name: &str| tree.package(name).map(|package| package.name.clone());
    let crates = match args.crates.is_empty() {
        true => CRATES.iter().map(|name| named(name)).collect::<Result<Vec<_>, _>>()?,
        false => args.crates.iter().map(|name| named(name)).collect::<Result<Vec<_>, _>>()?,
    };
    for name in crates {
        if limits.is_over() {
            println!("{name}: not begun, the time is over");
            continue;
        }
        let explained = survivors::of(&args.root, &name)?;
        let plan = plant::plant(&tree, &name, args.count as usize, args.seed)?;
        let suite = tests_of::build(&tree, &name, args.own)?;
        let reach = tests_of::trace(&tree, &suite, &plan, limits)?;
        let ends = trial::run_all(&tree, &suite, &plan, &reach, limits)?;
        let (plan, reach, ends, explained) = (&plan, &reach, &ends, &explained);
        print!("{}", Found { plan, reach, ends, explained }.report(&name, args.seed));
    }
    tree.restore()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_read() {
        Args::command().debug_assert();
        let read = |line: &str| Args::try_parse_from(line.split(' '));
        let args = read("m exact --count 7 factor --seed 3 --minutes 2").expect("in any order");
        assert_eq!(args.crates, ["exact", "factor"]);
        assert_eq!((args.count, args.seed, args.minutes, args.own), (7, 3, Some(2), false));
        for wrong in ["m --count", "m --count 0", "m --minutes x", "m --all", "m --jobs 0"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
