//! The bench `paper`: the experiments of the paper that this engine follows, run again.
//!
//! Its families are here: tic-tac-toe and connect against a random opponent, and stochastic ones
//! with nim, each asked for both players. Beside the formulas of both placements stand three
//! engines that evaluate the game itself, of which the reference is plain expectiminimax with a
//! table. Each formula is solved twice: with all of the solver, and with the prefix taken as it is
//! written, which is what the placement of a variable can be felt by.

use std::time::Duration;

use super::formula::{count, value, within};
use super::instance::{Instance, PLACEMENTS};
use crate::contest::{Setup, json_value};
use crate::measure::attempt;
use crate::record::{Page, seconds};

/// Games against a random opponent, with the steps of their longest play.
const RANDOM: &[(&str, u32)] = &[
    ("tic-tac-toe 3 3 3", 9),
    ("connect 3 3 3", 9),
    ("connect 4 3 3", 12),
    ("connect 4 4 3", 16),
    ("connect 4 4 4", 16),
];

/// Stochastic games.
const STOCHASTIC: &[(&str, u32)] = &[
    ("tic-tac-toe 3 3 3 --own 1/2", 18),
    ("tic-tac-toe 3 3 3 --own 4/5", 18),
    ("connect 3 3 3 --own 1/2", 18),
    ("connect 3 3 3 --own 4/5", 18),
    ("connect 4 3 3 --own 1/2", 24),
    ("connect 4 3 3 --own 4/5", 24),
    ("connect 4 4 3 --own 1/2", 32),
    ("nim 10 --add 1/2", 40),
    ("nim 20 --add 1/2", 80),
];

/// What a quick run is content with.
const QUICK: &[(&str, u32)] = &[("connect 2 2 2 --own 1/2", 8)];

/// Seconds of a run at most.
const SECONDS: u64 = 5;
/// Seconds of a run with the prefix as it is written.
const SHORT: u64 = 2;
/// The option that lets a solver move a variable to where its inputs are.
const AS_WRITTEN: &str = "definability=0";

/// Seconds of a run, or none where its time was up.
type Took = Option<Duration>;

/// What the runs of one question took.
struct Runs {
    /// Solver and solver with the prefix as written, for each placement.
    solver: [Took; 2],
    as_written: [Took; 2],
}

/// Measures, and fills the page.
///
/// # Errors
/// Where a game cannot be translated, or two values differ.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    page.say(&format!(
        "CPU seconds of single runs, ended after {SECONDS} s, or {SHORT} s with the prefix as it is \
         written (`{AS_WRITTEN}`). dep and base are the two placements. The reference is plain \
         expectiminimax with a table, search is depth first with bounds, and sweep goes by plies; \
         they read the game, and the solver reads a formula of it, whose translation is apart. All \
         engines gave the same fraction."
    ));
    let (random, stochastic) = if setup.quick { (QUICK, QUICK) } else { (RANDOM, STOCHASTIC) };
    let mut all = Vec::new();
    for (title, games, random) in
        [("Against a random opponent", random, true), ("Stochastic games", stochastic, false)]
    {
        page.say(&format!("## {title}"));
        let mut rows = Vec::new();
        for &(words, horizon) in games {
            for role in ["x", "o"] {
                eprintln!("paper: {words}, {role}");
                let instance = Instance { words, role, random, horizon };
                let (row, runs) = question(setup, &instance)?;
                rows.push(row);
                all.push(runs);
            }
        }
        page.table(&HEAD, &rows);
    }
    page.say("## Does placement matter to a solver of another kind?");
    page.say(&answer(&all));
    Ok(())
}

const HEAD: [&str; 12] = [
    "game",
    "role",
    "value",
    "variables / clauses",
    "translation s",
    "dep s",
    "base s",
    "dep as written s",
    "base as written s",
    "reference s",
    "search s",
    "sweep s",
];

fn question(setup: &Setup, instance: &Instance) -> Result<(Vec<String>, Runs), String> {
    let sheet = setup.sheet(instance.words)?;
    let (right, sweep) = instance.value(setup, &sheet)?;
    let mut row = vec![instance.words.to_owned(), instance.role.into(), right.clone()];
    let mut runs = Runs { solver: [None; 2], as_written: [None; 2] };
    for (at, placement) in PLACEMENTS.iter().enumerate() {
        let (formula, translation) = instance.formula(setup, &sheet, placement)?;
        let full = within(setup, &formula, SECONDS, &[])?;
        if at == 0 {
            let size =
                |name| count(&full.output, name).map_or("?".to_owned(), |count| count.to_string());
            row.push(format!("{} / {}", size("variables"), size("clauses")));
            row.push(seconds(translation.cpu));
        }
        let written = within(setup, &formula, SHORT, &[AS_WRITTEN.to_owned()])?;
        runs.solver[at] = took(value(&full.output), &right, full.cpu)?;
        runs.as_written[at] = took(value(&written.output), &right, written.cpu)?;
    }
    row.extend(runs.solver.iter().map(|took| shown(*took, SECONDS)));
    row.extend(runs.as_written.iter().map(|took| shown(*took, SHORT)));
    for engine in ["reference", "search"] {
        let run = attempt(&instance.solver(setup, &sheet, engine), SECONDS)?;
        row.push(shown(took(json_value(&run.output), &right, run.cpu)?, SECONDS));
    }
    row.push(seconds(sweep.cpu));
    Ok((row, runs))
}

/// The time of a run that gave the right value, or none where it gave none.
///
/// # Errors
/// Where it gave another.
fn took(found: Option<String>, right: &str, time: Duration) -> Result<Took, String> {
    match found {
        Some(value) if value != right => Err(format!("one engine gives {value}, another {right}")),
        found => Ok(found.map(|_| time)),
    }
}

fn shown(took: Took, limit: u64) -> String {
    took.map_or_else(|| format!("> {limit}"), seconds)
}

/// The paragraph: how far apart the placements are, with and without moving variables.
fn answer(all: &[Runs]) -> String {
    let full = compared(all.iter().map(|runs| runs.solver));
    let written = compared(all.iter().map(|runs| runs.as_written));
    format!(
        "With all of the solver: {full} It moves each variable that others define outward to the \
         level of its inputs before it begins, so both placements become one formula, but for the \
         time that the moving takes. With the prefix as it is written: {written}"
    )
}

/// How two placements compare, over the questions that both answered, and on how many one failed.
fn compared(pairs: impl Iterator<Item = [Took; 2]>) -> String {
    let pairs: Vec<[Took; 2]> = pairs.collect();
    let solved = |at: usize| pairs.iter().filter(|pair| pair[at].is_some()).count();
    let both: Vec<(f64, f64)> = pairs
        .iter()
        .filter_map(|pair| Some((pair[0]?.as_secs_f64(), pair[1]?.as_secs_f64())))
        .collect();
    let sum = |part: fn(&(f64, f64)) -> f64| both.iter().map(part).sum::<f64>();
    let mut ratios: Vec<f64> =
        both.iter().map(|(first, second)| second / first.max(1e-3)).collect();
    ratios.sort_by(f64::total_cmp);
    let counts = format!(
        "of {} questions {} were answered in time with the dependency placement and {} with the \
         baseline",
        pairs.len(),
        solved(0),
        solved(1)
    );
    let [Some(least), Some(most)] = [ratios.first(), ratios.last()] else {
        return format!("{counts}.");
    };
    let middle = ratios[(ratios.len() - 1) / 2];
    format!(
        "{counts}; over those that both answered ({:.1} s and {:.1} s in all) the baseline took \
         {middle:.2} times as long in the median, {least:.2} times at least and {most:.2} times at \
         most.",
        sum(|pair| pair.0),
        sum(|pair| pair.1),
    )
}

#[cfg(test)]
mod tests {
    use super::{compared, took};
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_wrong_value_is_an_error_and_a_missing_one_is_none() {
        assert_eq!(took(Some("1/2".into()), "1/2", SECOND), Ok(Some(SECOND)));
        assert_eq!(took(None, "1/2", SECOND), Ok(None));
        assert!(took(Some("1/3".into()), "1/2", SECOND).unwrap_err().contains("1/3"));
    }

    #[test]
    fn placements_are_compared_where_both_answered() {
        let text = compared([[Some(SECOND), Some(3 * SECOND)], [Some(SECOND), None]].into_iter());
        assert!(text.contains("of 2 questions 2 were") && text.contains("and 1 with"), "{text}");
        assert!(text.contains("3.00 times as long in the median"), "{text}");
        assert!(compared([[None, None]].into_iter()).ends_with("and 0 with the baseline."));
    }
}
