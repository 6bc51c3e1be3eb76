//! Random formulas and logic programs, each valued by the definition and by the solver, both walks
//! and the two in turns.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use exact::Ratio;
use qcnf::Qcnf;
use sqasp::{Placement, Prefix, complete};
use verdict::Watch;
use xssat::{Options, Solver};

use super::log::{Disagreement, Section};

/// Variables of a formula beside defined ones, at most: the definition takes two to their number.
const VARIABLES: usize = 12;
/// Programs of which the clauses have more variables than the definition of a formula takes are
/// counted as not asked.
const CLAUSE_VARIABLES: usize = 64;

/// Compares the solver with the definition on the formula of a seed.
pub(super) fn formula(seed: u64, watch: &Watch<'_>, section: &mut Section) {
    let formula = qcnf::random::any(seed, VARIABLES);
    let expected = qcnf::meaning::value(&formula);
    let found: Vec<Found> = WALKS.iter().map(|walk| solve(walk, &formula, watch)).collect();
    let text = || qcnf::text::print(&formula);
    let asked = Asked { seed, expected: &expected, oracle: "definition", text: &text };
    if settle(&asked, &found, watch, section) {
        let mut had: Vec<&str> = qcnf::random::features(&formula).into_iter().collect();
        had.extend(value_kind(&expected));
        section.add_thing(had);
    }
}

/// Compares the clauses of the program of a seed, under both placements, with the definition.
pub(super) fn program(seed: u64, watch: &Watch<'_>, section: &mut Section) {
    let program = sqasp::random::program(seed);
    let prefix = Prefix::read(&program).expect("random programs have a prefix");
    let expected = sqasp::meaning::value(&program, &prefix);
    let mut found = Vec::new();
    for (name, placement) in
        [("dependency", Placement::Dependency), ("baseline", Placement::Baseline)]
    {
        let formula = complete(&program, placement).expect("random programs have clauses").formula;
        found.push(solve(&Walk { name, walk: 0 }, &formula, watch));
        if formula.variables() <= CLAUSE_VARIABLES && placement == Placement::Dependency {
            let result = Ok(qcnf::meaning::value(&formula));
            found.push(Found { engine: "dependency, by definition", result });
        }
    }
    let text = || program.to_string();
    let asked = Asked { seed, expected: &expected, oracle: "stable models", text: &text };
    if settle(&asked, &found, watch, section) {
        let mut had: Vec<&str> = sqasp::random::features(&program, &prefix).into_iter().collect();
        had.extend(value_kind(&expected));
        section.add_thing(had);
    }
}

/// A way to walk.
struct Walk {
    name: &'static str,
    walk: u64,
}

const WALKS: &[Walk] = &[
    Walk { name: "variables in order", walk: 1 },
    Walk { name: "part by part", walk: 2 },
    Walk { name: "both in turns", walk: 0 },
];

/// What a solver said: a value, or why there is none.
struct Found {
    engine: &'static str,
    result: Result<Ratio, Failed>,
}

/// Why a solver gave no value.
enum Failed {
    Halted,
    Panicked,
}

fn solve(walk: &Walk, formula: &Qcnf, watch: &Watch<'_>) -> Found {
    let options = Options { walk: walk.walk, ..Options::default() };
    // A clock of its own: the definition may have taken long.
    let Watch { time, memory, interrupt, progress, .. } = *watch;
    let watch = &Watch { started: Instant::now(), time, memory, interrupt, progress };
    let result =
        catch_unwind(AssertUnwindSafe(|| Solver::new(formula, &options).solve(&[], watch)));
    let result = match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(_)) => Err(Failed::Halted),
        Err(_) => Err(Failed::Panicked),
    };
    Found { engine: walk.name, result }
}

/// A thing with its value by definition.
struct Asked<'a> {
    seed: u64,
    expected: &'a Ratio,
    /// What the definition is called in the report.
    oracle: &'static str,
    text: &'a dyn Fn() -> String,
}

/// Counts what was found; false where an interrupt cut it short, so that the seed comes again.
fn settle(asked: &Asked<'_>, found: &[Found], watch: &Watch<'_>, section: &mut Section) -> bool {
    if watch.interrupted() {
        return false;
    }
    let Asked { seed, expected, oracle, text } = asked;
    section.asked += 1;
    section.engine(oracle).exact += 1;
    let mut wrong = Vec::new();
    for Found { engine, result } in found {
        let ends = section.engine(engine);
        match result {
            Ok(_) => ends.exact += 1,
            Err(Failed::Halted) => ends.halted += 1,
            Err(Failed::Panicked) => ends.faulty += 1,
        }
        match result {
            Ok(value) if value != *expected => {
                wrong.push(format!("{oracle} {expected}, {engine} {value}"));
            }
            Err(Failed::Panicked) => wrong.push(format!("{engine} panicked")),
            _ => {}
        }
    }
    let exact = found.iter().filter(|one| one.result.is_ok()).count();
    section.agreed += u64::from(exact > 0 && wrong.is_empty());
    if !wrong.is_empty() {
        let text = format!("{}\n{}", wrong.join("; "), text());
        section.disagreements.push(Disagreement { seed: *seed, text, shrunk: None });
    }
    true
}

fn value_kind(value: &Ratio) -> Option<&'static str> {
    let is_between = !value.is_zero() && *value != Ratio::one();
    is_between.then_some("a value between 0 and 1")
}
