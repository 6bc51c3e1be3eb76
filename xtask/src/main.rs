//! `cargo xtask`: the chores of a checkout, and the way to run `oddsmith` from one.
//!
//! A command of `oddsmith` is passed through: the release binary is built if it is stale, then it
//! takes this process's place, so that exit code, signals, pipes and working directory are the
//! user's own. Everything else is a chore (test, tidy, bench).
//!
//! No dependency but the standard library: this program is compiled before every command, and
//! must be ready at once on a machine with only Rust and its linker.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use xtask::{bench, checkout::Checkout, corpus, fuzz, mutants, oddsmith, report, tests};

/// Commands of `oddsmith` that are passed through, and what they answer.
const PASSED_THROUGH: &[(&str, &str)] = &[
    ("solve", "the exact odds of a game, and the moves that achieve them"),
    ("check", "diagnostics of rulesheets, with lines and carets"),
    ("fmt", "lay rulesheets out in one canonical way"),
    ("perft", "distinct states and move paths for each ply"),
    ("inspect", "what a game compiles to, and whether it then plays by its rules"),
    ("play", "step through a game with the odds of every move"),
    ("generate", "print the rules of a game of a family"),
    ("crosscheck", "all engines, one answer"),
    ("translate", "print a game as a propositional network, a graph, a program or clauses"),
    ("sqasp", "the probability of a logic program with quantified atoms"),
    ("xssat", "the probability of a formula with exists, forall and chance"),
    ("completions", "completions for a shell"),
];

const CHORES: &[(&str, &str)] = &[
    (
        "test [--slow] [--without PART]...",
        "tidy, formatting, lints, all tests; --slow adds the long values",
    ),
    ("tidy", "the rules of the house alone: layering, homes of hazards, headers, facts"),
    (
        "bench [NAME]... [--dir DIR] [--quick]",
        "measure against the baselines; writes benches/record (--quick: tries, and writes nothing)",
    ),
    (
        "corpus DIR [--sample N] [--out FILE]",
        "every rulesheet of a folder, compiled and played beside its rules",
    ),
    (
        "fuzz [TARGET] [--seconds N] [--seed S]",
        "inputs that break a law, made by libFuzzer; needs a C++ compiler",
    ),
    (
        "mutants [CRATE]... [--count N] [--seed S] [--minutes M]",
        "faults planted in a copy of the code, and the share of them that tests notice",
    ),
    ("help", "this text"),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = arguments.split_first() else {
        eprint!("{}", help());
        return ExitCode::from(2);
    };
    let checkout = Checkout::here();
    let outcome = match command.as_str() {
        "help" | "--help" | "-h" => {
            print!("{}", help());
            Ok(ExitCode::SUCCESS)
        }
        "test" => tests::run(&checkout, rest),
        "tidy" => tests::tidy(&checkout, rest),
        "bench" => bench::run(&checkout, rest),
        "fuzz" => fuzz::run(&checkout, rest),
        "corpus" => corpus::run(&checkout, rest),
        "mutants" => mutants::run(&checkout, rest),
        name if PASSED_THROUGH.iter().any(|(passed, _)| *passed == name) => {
            oddsmith::run(&checkout, &arguments)
        }
        unknown => {
            eprintln!("cargo xtask: there is no command `{unknown}`.\n");
            eprint!("{}", help());
            Ok(ExitCode::from(2))
        }
    };
    outcome.unwrap_or_else(|failure| report::failure(&failure))
}

fn help() -> String {
    let mut text = String::from(
        "Usage: cargo xtask COMMAND ...\n\nCommands of oddsmith, built in release and run:\n",
    );
    PASSED_THROUGH.iter().for_each(|row| push_row(&mut text, row));
    text.push_str("\nChores of a checkout:\n");
    CHORES.iter().for_each(|row| push_row(&mut text, row));
    text.push_str(&format!(
        "\nParts of `test` that --without leaves out: {}.\n\
         `cargo xtask COMMAND --help` tells more about a command of oddsmith.\n",
        tests::part_names().join(", ")
    ));
    text
}

fn push_row(text: &mut String, (name, meaning): &(&str, &str)) {
    let wide = name.len() > 12;
    let gap = if wide { format!("\n  {:12}", "") } else { String::new() };
    text.push_str(&format!("  {name:12}{gap} {meaning}\n"));
}

#[cfg(test)]
mod tests_of_help {
    use super::help;

    #[test]
    fn help_lists_every_command_and_part() {
        let text = help();
        for name in ["solve", "completions", "test [--slow]", "tidy", "bench [NAME]...", "clippy"] {
            assert!(text.contains(name), "{name} is missing from\n{text}");
        }
    }
}
