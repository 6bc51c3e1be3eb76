//! A formula solved in a process of its own: `benches xssat FORMULA`, and how its output is read.
//!
//! What `oddsmith xssat` does, with two differences: the value is printed in full, however long,
//! and every option of the solver can be set by name. The time limit counts from the start of the
//! process, so that reading the formula is part of it.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use exact::Ratio;
use serde_json::{Value, json};
use verdict::{HaltReason, Watch};
use xssat::{Halted, Options, Solver};

use crate::contest::{Contender, Setup};
use crate::measure::{Run, attempt, own_time};

/// Digits of the decimal that is printed beside the fraction.
const DIGITS: usize = 12;
/// Bytes of a process at most; a formula of more ends in bounds.
const MEMORY: u64 = 6 << 30;
/// How often the limit is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// Seconds that a process has beyond its limit before it is ended from outside.
const GRACE: u64 = 3;

/// `benches xssat FORMULA [--seconds N] [--set OPTION=NUMBER]...`: solves and prints an object.
///
/// # Errors
/// On a formula that is refused, and on an option that there is not.
pub(crate) fn solve(words: &[String]) -> Result<(), String> {
    let started = Instant::now();
    let (mut options, mut time, mut file) = (Options::default(), None, None);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--seconds" => time = Some(Duration::from_secs(crate::number(rest.next())?)),
            "--set" => set(&mut options, rest.next())?,
            name => file = Some(Path::new(name)),
        }
    }
    let file = file.ok_or("name the file of the formula")?;
    println!("{}", answer(file, &options, (started, time))?);
    Ok(())
}

fn set(options: &mut Options, word: Option<&String>) -> Result<(), String> {
    let pair = word.and_then(|word| word.split_once('='));
    let (name, number) = pair.ok_or("--set takes OPTION=NUMBER")?;
    options.set(name, number.parse().map_err(|_| format!("`{number}` is not a number"))?)
}

fn answer(
    file: &Path,
    options: &Options,
    (started, time): (Instant, Option<Duration>),
) -> Result<Value, String> {
    let shown = file.display();
    let open = File::open(file).map_err(|error| format!("{shown}: {error}"))?;
    let formula = qcnf::text::read(BufReader::with_capacity(1 << 16, open))
        .map_err(|error| format!("{shown}: {error}"))?
        .formula;
    let (variables, clauses) = (formula.variables(), formula.clauses.len());
    let mut solver = Solver::new(&formula, options);
    // The solver has a copy of its own.
    drop(formula);
    let (value, halted) = match limited(&mut solver, started, time) {
        Ok(value) => (Some(value), None),
        Err(halted) => (None, Some(halted)),
    };
    Ok(json!({
        "value": value.as_ref().map(ToString::to_string),
        "decimal": value.map(|value| value.decimal(DIGITS)),
        "halted": halted.map(|halted| match halted.reason {
            HaltReason::Interrupt => "time",
            HaltReason::Memory { .. } => "memory",
            _ => "otherwise",
        }),
        "variables": variables,
        "clauses": clauses,
    }))
}

/// The value within the limits: where the time is up, the solver is interrupted.
fn limited(solver: &mut Solver, started: Instant, time: Option<Duration>) -> Result<Ratio, Halted> {
    let (interrupt, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    let (interrupt, is_over) = (&interrupt, &is_over);
    let progress = |_: &verdict::Progress| {};
    let memory = Some(MEMORY);
    let watch = Watch { started, time: None, memory, interrupt, progress: &progress };
    thread::scope(|scope| {
        if let Some(time) = time {
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) && own_time(started) < time {
                    thread::sleep(LOOK);
                }
                interrupt.store(true, Ordering::Relaxed);
            });
        }
        let outcome = solver.solve(&[], &watch);
        is_over.store(true, Ordering::Relaxed);
        outcome
    })
}

/// The value that the process printed, as a fraction in lowest terms; none where it halted.
pub(crate) fn value(output: &str) -> Option<String> {
    field(output, "value")?.as_str().map(str::to_owned)
}

/// A count that the process printed.
pub(crate) fn count(output: &str, name: &str) -> Option<u64> {
    field(output, name)?.as_u64()
}

/// A field of what the process printed.
pub(crate) fn field(output: &str, name: &str) -> Option<Value> {
    serde_json::from_str::<Value>(output).ok()?.get(name).cloned()
}

/// The solver on a formula, as a contender that must answer.
///
/// # Errors
/// Where this program does not know where it lies.
pub(crate) fn contender(setup: &Setup, name: &str, formula: &Path) -> Result<Contender, String> {
    let mut contender = setup.own(name, &["xssat", &formula.display().to_string()])?;
    contender.value = value;
    Ok(contender)
}

/// One run of the solver on a formula within seconds of the processor, with options set.
///
/// # Errors
/// Where the formula is refused, or the process cannot be started.
pub(crate) fn within(
    setup: &Setup,
    formula: &Path,
    seconds: u64,
    options: &[String],
) -> Result<Run, String> {
    let mut contender = contender(setup, "xssat", formula)?;
    contender.words.extend(["--seconds".to_owned(), seconds.to_string()]);
    contender.words.extend(options.iter().flat_map(|set| ["--set".to_owned(), set.clone()]));
    let run = attempt(&contender.words, seconds + GRACE)?;
    match run.status {
        Some(0) | None => Ok(run),
        Some(status) => Err(format!("the solver ended with {status} on {}", formula.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::{answer, count, set, value};
    use std::time::Instant;
    use xssat::Options;

    #[test]
    fn a_formula_is_read_solved_and_shown() {
        let path = std::env::temp_dir().join(format!("benches-{}.sdimacs", std::process::id()));
        std::fs::write(&path, "p cnf 2 2\ne 1 0\nr 1/3 2 0\n1 2 0\n-1 -2 0\n").unwrap();
        let mut options = Options::default();
        set(&mut options, Some(&"frontier_cache=0".to_owned())).unwrap();
        let shown = answer(&path, &options, (Instant::now(), None)).unwrap().to_string();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(value(&shown).unwrap(), "2/3");
        assert_eq!((count(&shown, "variables"), count(&shown, "clauses")), (Some(2), Some(2)));
    }

    #[test]
    fn options_that_there_are_not_are_refused() {
        let mut options = Options::default();
        for word in ["luck=1", "frontier_cache", "frontier_cache=2", "frontier_cache=x"] {
            assert!(set(&mut options, Some(&word.to_owned())).is_err(), "{word}");
        }
    }
}
