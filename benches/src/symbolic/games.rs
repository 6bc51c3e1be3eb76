//! The bench `symbolic`: games as clauses, translated and solved, and what each inference is worth.
//!
//! The solver must give the value of the sweep in every run that is not ended by its limit. The
//! first table has whole processes in turns, both placements of each game; those of the options
//! are single runs, since most differences are large. Every option that is a switch and is on is
//! switched off, whatever options there are. Some of them serve formulas that are no games, so
//! members of families with known values stand beside the games.

use std::path::{Path, PathBuf};
use std::time::Duration;

use qcnf::families::Family;
use xssat::{OptionRow, Options};

use super::formula::{self, contender, count, within};
use super::instance::{Instance, PLACEMENTS};
use crate::contest::{Cost, Setup, contest};
use crate::measure::Run;
use crate::record::{Page, megabytes, seconds};

/// A game, what is asked of the solver on it, and what is known of another solver.
struct Asked {
    name: &'static str,
    instance: Instance,
    /// Seconds and megabytes at most.
    most: (&'static str, &'static str),
    /// SharpSSAT on the paper's encoding.
    peer: &'static str,
    /// Variables and clauses of the paper's encoding.
    paper: &'static str,
    /// Turns at most: few where a run is long.
    turns: usize,
    /// Whether the options are measured on it.
    is_ablated: bool,
}

const fn of(words: &'static str, horizon: u32) -> Instance {
    Instance { words, role: "x", random: false, horizon }
}

const GAMES: &[Asked] = &[
    Asked {
        name: "stochastic Connect-3 3x3, p = 4/5",
        instance: of("connect 3 3 3 --own 4/5", 18),
        most: ("0.05", "-"),
        peer: "0.6-0.9 s",
        paper: "5,257 / 15,335",
        turns: 5,
        is_ablated: true,
    },
    Asked {
        name: "Nim 20, p = 1/2",
        instance: of("nim 20 --add 1/2", 80),
        most: ("0.08", "-"),
        peer: "0.84 s",
        paper: "17,620 / 51,834",
        turns: 5,
        is_ablated: true,
    },
    Asked {
        name: "stochastic tic-tac-toe 3x3, p = 1/2",
        instance: of("tic-tac-toe 3 3 3 --own 1/2", 18),
        most: ("0.2", "-"),
        peer: "6.8-9.6 s",
        paper: "6,057 / 15,721",
        turns: 5,
        is_ablated: true,
    },
    Asked {
        name: "stochastic Connect-3 4x4, p = 1/2",
        instance: of("connect 4 4 3 --own 1/2", 32),
        most: ("1.2", "100"),
        peer: "73 s, 0.96 GB",
        paper: "10,935 / 32,869",
        turns: 3,
        is_ablated: true,
    },
    Asked {
        name: "stochastic Connect-4 4x4, p = 1/2",
        instance: of("connect 4 4 4 --own 1/2", 32),
        most: ("6", "200"),
        peer: "not run",
        paper: "-",
        turns: 1,
        is_ablated: false,
    },
    Asked {
        name: "Nim 100, p = 1/2",
        instance: of("nim 100 --add 1/2", 400),
        most: ("2", "300"),
        peer: "out of reach",
        paper: "309 k / 1.03 M",
        turns: 3,
        is_ablated: false,
    },
    Asked {
        name: "Nim 200, p = 1/2",
        instance: of("nim 200 --add 1/2", 800),
        most: ("10", "1000"),
        peer: "out of reach",
        paper: "1.18 M / 4.0 M",
        turns: 1,
        is_ablated: false,
    },
];

/// What a quick run is content with.
const QUICK: &[Asked] = &[Asked {
    name: "stochastic Connect-2 2x2, p = 1/2",
    instance: of("connect 2 2 2 --own 1/2", 8),
    most: ("-", "-"),
    peer: "not run",
    paper: "-",
    turns: 1,
    is_ablated: true,
}];

/// Formulas that are no games: a family, its variant, and a size at which one inference tells.
const OTHERS: &[(&str, &str, usize)] = &[("adder", "true", 12), ("cycle", "chance", 28)];

/// Seconds of a run with an option off.
const PATIENCE: u64 = 2;

/// Largest value of an option that is a switch.
const SWITCH: u64 = 2;

/// What the options are measured on: a game's formulas or another one, and the value.
struct Made {
    name: String,
    formulas: Vec<PathBuf>,
    value: String,
}

/// Measures, and fills the page.
///
/// # Errors
/// Where a game cannot be translated, or a value is wrong.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let (mut rows, mut ablated) = (Vec::new(), Vec::new());
    for asked in if setup.quick { QUICK } else { GAMES } {
        eprintln!("symbolic: {}", asked.name);
        let (made, more) = measured(setup, asked)?;
        rows.extend(more);
        ablated.extend(asked.is_ablated.then_some(made));
    }
    page.say(
        "x is asked about. Translation (grounding by clingo, completion, writing) and solving \
         (reading the file, all of the solver) are processes apart. What is asked of the solver, \
         the sizes of the paper's encoding and SharpSSAT's figures on it, taken on such a core, \
         stand beside.",
    );
    page.table(
        &[
            "game",
            "placement",
            "variables / clauses",
            "translation s",
            "solver s",
            "at most",
            "peak MB",
            "at most",
            "in the paper's encoding",
            "SharpSSAT",
        ],
        &rows,
    );
    ablated.extend(others(setup)?);
    ablation(setup, page, &ablated)
}

/// Both placements of a game, translated and then solved in turns.
fn measured(setup: &Setup, asked: &Asked) -> Result<(Made, Vec<Vec<String>>), String> {
    let sheet = setup.sheet(asked.instance.words)?;
    let (value, _) = asked.instance.value(setup, &sheet)?;
    let (mut formulas, mut translations, mut contenders) = (Vec::new(), Vec::new(), Vec::new());
    for placement in PLACEMENTS {
        let (formula, run) = asked.instance.formula(setup, &sheet, placement)?;
        let mut contender = contender(setup, placement, &formula)?;
        contender.turns = asked.turns.min(setup.turns);
        contenders.push(contender);
        formulas.push(formula);
        translations.push(run);
    }
    let costs = contest(&contenders, &value)?;
    let rows = costs.iter().zip(&translations).map(|(cost, run)| row(asked, cost, run.cpu));
    let rows = rows.collect();
    Ok((Made { name: asked.name.to_owned(), formulas, value }, rows))
}

fn row(asked: &Asked, cost: &Cost, translation: Duration) -> Vec<String> {
    let size = |name: &str| count(&cost.output, name).map_or("?".into(), |n| n.to_string());
    vec![
        asked.name.to_owned(),
        cost.name.clone(),
        format!("{} / {}", size("variables"), size("clauses")),
        seconds(translation),
        seconds(cost.cpu),
        asked.most.0.to_owned(),
        megabytes(cost.peak_bytes),
        asked.most.1.to_owned(),
        asked.paper.to_owned(),
        asked.peer.to_owned(),
    ]
}

/// Members of families as formulas.
fn others(setup: &Setup) -> Result<Vec<Made>, String> {
    let made = OTHERS.iter().map(|(family, variant, size)| {
        let member = Family::named(family)?.member(Some(variant), &[*size])?;
        let path = setup.scratch.join(format!("{family}-{variant}-{size}.sdimacs"));
        std::fs::write(&path, qcnf::text::print(&member.formula))
            .map_err(|error| error.to_string())?;
        let name = format!("{family} {size}, {variant}");
        Ok(Made { name, formulas: vec![path], value: member.value.to_string() })
    });
    made.collect()
}

/// Whether an option is a switch that is on.
fn is_on(row: &OptionRow) -> bool {
    row.range.0 == 0 && row.range.1 <= SWITCH && row.default > 0
}

fn ablation(setup: &Setup, page: &mut Page, all: &[Made]) -> Result<(), String> {
    page.say("## What each inference is worth");
    page.say(&format!(
        "CPU seconds of single runs with one option switched off, ended after {PATIENCE} s: of a \
         pair the first number is with the dependency placement, the second with the baseline. \
         Every value that was reached is right."
    ));
    let none = std::iter::once(("none off".to_owned(), Vec::new(), ""));
    let switches = Options::TABLE.iter().filter(|row| is_on(row));
    let off = switches
        .map(|row| (format!("`{}`", row.name), vec![format!("{}=0", row.name)], row.meaning));
    let mut rows = Vec::new();
    for (name, set, meaning) in none.chain(off) {
        eprintln!("symbolic: {name}");
        let mut row = vec![name];
        for made in all {
            let pair: Result<Vec<String>, String> =
                made.formulas.iter().map(|path| changed_run(setup, made, path, &set)).collect();
            row.push(pair?.join(" / "));
        }
        row.push(meaning.to_owned());
        rows.push(row);
    }
    let names = all.iter().map(|made| made.name.as_str());
    let head: Vec<&str> =
        std::iter::once("option off").chain(names).chain(["what it does"]).collect();
    page.table(&head, &rows);
    Ok(())
}

/// The seconds of one run, or that it was ended.
fn changed_run(
    setup: &Setup,
    made: &Made,
    formula: &Path,
    set: &[String],
) -> Result<String, String> {
    let run = within(setup, formula, PATIENCE, set)?;
    let Some(value) = formula::value(&run.output) else { return Ok(ended(&run)) };
    if value != made.value {
        return Err(format!("{} with {set:?} is {value}, and not {}", made.name, made.value));
    }
    Ok(seconds(run.cpu))
}

/// Why a run has no value.
fn ended(run: &Run) -> String {
    match formula::field(&run.output, "halted") {
        Some(reason) if reason == "memory" => "memory".into(),
        _ => format!("> {PATIENCE}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{GAMES, OTHERS, is_on};
    use qcnf::families::Family;
    use xssat::Options;

    #[test]
    fn switches_that_are_on_are_found_and_can_be_off() {
        let switches: Vec<_> = Options::TABLE.iter().filter(|row| is_on(row)).collect();
        assert!(switches.iter().any(|row| row.name == "frontier_cache"));
        assert!(switches.iter().any(|row| row.name == "definability"));
        for row in switches {
            assert_eq!(Options::default().set(row.name, 0), Ok(()), "{}", row.name);
        }
    }

    #[test]
    fn formulas_that_are_no_games_are_members_of_families() {
        for (family, variant, size) in OTHERS {
            assert!(Family::named(family).unwrap().member(Some(variant), &[*size]).is_ok());
        }
    }

    #[test]
    fn horizons_are_those_of_the_games() {
        for asked in GAMES {
            let numbers: Vec<u32> =
                asked.instance.words.split(' ').filter_map(|word| word.parse().ok()).collect();
            let steps = match numbers.as_slice() {
                [pile] => 4 * pile,
                [columns, rows, _] => 2 * columns * rows,
                _ => panic!("{}", asked.name),
            };
            assert_eq!(steps, asked.instance.horizon, "{}", asked.name);
        }
    }
}
