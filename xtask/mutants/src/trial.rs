//! Each fault under the tests that reach it, until one notices.
//!
//! A test that fails is run again: only one that fails twice has noticed, since tests that look at
//! clocks may fail by themselves. What was found is written to a file line by line, and a run of the same
//! faults, where no file of the checkout has changed, goes on from it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::sync::Mutex;
use std::time::Instant;

use crate::Limits;
use crate::failure::Failure;
use crate::plant::{Plan, Standing};
use crate::tests_of::{End, Reach, Test, patience, run, spread};
use crate::tree::Tree;

/// What became of a fault under the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A test failed.
    Caught,
    /// A test did not end in time.
    Late,
    /// All tests that reach it passed.
    Missed,
    /// The tests that were run in the time for a mutant passed; others were not run.
    Unfinished,
}

const WORDS: [(&str, Outcome); 4] = [
    ("caught", Outcome::Caught),
    ("late", Outcome::Late),
    ("missed", Outcome::Missed),
    ("unfinished", Outcome::Unfinished),
];

/// Tries the faults that are planted and reached; what became of each by its number.
///
/// # Errors
/// Where a test cannot be started, or the results cannot be written.
pub(crate) fn run_all(
    tree: &Tree,
    suite: &[Test],
    plan: &Plan,
    reach: &Reach,
    limits: Limits,
) -> Result<BTreeMap<usize, Outcome>, Failure> {
    let path = tree.kept().join(format!("{:016x}.results", plan.print));
    let mut known = read(&fs::read_to_string(&path).unwrap_or_default());
    known.retain(|fault, _| *fault < plan.drawn.len());
    let open = fs::OpenOptions::new().append(true).create(true).open(&path);
    let file = Mutex::new(open.map_err(|error| Failure::path(&path, &error))?);
    let is_left = |fault: &usize| {
        plan.drawn[*fault].standing == Standing::Planted
            && !reach.tests[*fault].is_empty()
            && !known.contains_key(fault)
    };
    let left: Vec<usize> = (0..plan.drawn.len()).filter(is_left).collect();
    eprintln!("== {} faults under the tests that reach them", left.len());
    let found = spread(limits.jobs, left.len(), |at| {
        let fault = left[at];
        if limits.is_over() {
            return Ok(None);
        }
        let outcome = one(tree, suite, reach, fault, limits)?;
        let word = WORDS.iter().find(|row| row.1 == outcome).expect("each has a word").0;
        let mut file = file.lock().expect("no task panics");
        writeln!(file, "{fault} {word}").map_err(|error| Failure::path(&path, &error))?;
        if outcome != Outcome::Caught {
            eprintln!("   {word}: {}", plan.drawn[fault].name());
        }
        Ok(Some((fault, outcome)))
    })?;
    known.extend(found.into_iter().flatten());
    Ok(known)
}

fn one(
    tree: &Tree,
    suite: &[Test],
    reach: &Reach,
    fault: usize,
    limits: Limits,
) -> Result<Outcome, Failure> {
    let started = Instant::now();
    for &test in &reach.tests[fault] {
        if started.elapsed() > limits.budget {
            return Ok(Outcome::Unfinished);
        }
        let ask = || run(tree, &suite[test], &fault.to_string(), patience(reach.times[test]));
        match ask()? {
            End::Passed => {}
            End::Late => return Ok(Outcome::Late),
            End::Failed => match ask()? {
                End::Passed => {}
                End::Failed => return Ok(Outcome::Caught),
                End::Late => return Ok(Outcome::Late),
            },
        }
    }
    Ok(Outcome::Missed)
}

/// The results in a file; a line that is cut off is passed over.
fn read(text: &str) -> BTreeMap<usize, Outcome> {
    let row = |line: &str| {
        let (fault, word) = line.split_once(' ')?;
        let outcome = WORDS.iter().find(|row| row.0 == word)?.1;
        Some((fault.parse().ok()?, outcome))
    };
    text.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_back_and_cut_lines_passed_over() {
        let known = read("3 caught\n5 missed\n7 lat\nx late\n9 late\n1");
        let wanted = [(3, Outcome::Caught), (5, Outcome::Missed), (9, Outcome::Late)];
        assert_eq!(known, BTreeMap::from(wanted));
    }
}
