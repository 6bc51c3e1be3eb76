//! Random formulas, each valued by the definition and by the solver, both walks and the two in turns. One
//! on which they differ is cut down where that is asked for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use exact::Ratio;
use qcnf::Qcnf;
use qcnf::shrink::{Effort, shrink};
use verdict::Watch;
use xssat::{Options, Solver};

use super::log::{Disagreement, Section};
use crate::failure::Failure;

/// Variables of a formula beside defined ones, at most: the definition takes two to their number.
const VARIABLES: usize = 12;

/// Time for cutting a formula down, and how many are tried.
const SHRINK_TIME: Duration = Duration::from_secs(60);
const SHRINK_ATTEMPTS: u32 = 20_000;

/// Compares the solver with the definition on the formula of a seed. One on which they differ is cut
/// down and written into the folder, where one is given.
///
/// # Errors
/// When it cannot be written.
pub(super) fn formula(
    seed: u64,
    watch: &Watch<'_>,
    section: &mut Section,
    folder: Option<&Path>,
) -> Result<(), Failure> {
    let ask = |formula: &Qcnf| WALKS.iter().map(|walk| solve(walk, formula, watch)).collect();
    let formula = qcnf::random::any(seed, VARIABLES);
    let expected = qcnf::meaning::value(&formula);
    let found: Vec<Found> = ask(&formula);
    let text = || qcnf::text::print(&formula);
    let asked = Asked { seed, expected: &expected, oracle: DEFINITION, text: &text };
    let known = section.disagreements.len();
    if settle(&asked, &found, watch, section) {
        let mut had: Vec<&str> = qcnf::random::features(&formula).into_iter().collect();
        had.extend(value_kind(&expected));
        section.add_thing(had);
    }
    if let (Some(shown), Some(folder)) = (section.disagreements.get_mut(known), folder) {
        shown.shrunk = Some(cut(seed, &formula, folder, watch, &ask)?);
    }
    Ok(())
}

/// Cuts a formula down on which the solver and the definition differ, and writes it; where.
fn cut(
    seed: u64,
    formula: &Qcnf,
    folder: &Path,
    watch: &Watch<'_>,
    ask: &dyn Fn(&Qcnf) -> Vec<Found>,
) -> Result<String, Failure> {
    let said = |formula: &Qcnf| wrong(DEFINITION, &qcnf::meaning::value(formula), &ask(formula));
    let shrunk = with_effort(watch, |effort| {
        shrink(formula, effort, &mut |formula| !said(formula).is_empty()).formula
    });
    write(&folder.join(format!("formula-{seed}.sdimacs")), |path| {
        format!(
            "c cut down from the formula of seed {seed}: {}\n\
             c oddsmith crosscheck --formulas 1 --seed {seed}\nc oddsmith xssat {path}\n{}",
            said(&shrunk).join("; "),
            qcnf::text::print(&shrunk)
        )
    })
}

/// Cuts something down for as long as is spent on that.
pub(super) fn with_effort<T>(watch: &Watch<'_>, cut: impl FnOnce(Effort<'_>) -> T) -> T {
    let begun = Instant::now();
    let goes_on = || !watch.interrupted() && begun.elapsed() < SHRINK_TIME;
    cut(Effort { attempts: SHRINK_ATTEMPTS, goes_on: &goes_on })
}

/// Writes what was cut down, by a text that names the file; where it is.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(path: &Path, text: impl FnOnce(&str) -> String) -> Result<String, Failure> {
    let shown = path.display().to_string();
    store::write_file(path, text(&shown).as_bytes())
        .map_err(|error| Failure::Environment(format!("cannot write {shown}: {error}")))?;
    Ok(shown)
}

/// A way to walk.
pub(super) struct Walk {
    pub(super) name: &'static str,
    pub(super) walk: u64,
}

const WALKS: &[Walk] = &[
    Walk { name: "variables in order", walk: 1 },
    Walk { name: "part by part", walk: 2 },
    Walk { name: "both in turns", walk: 0 },
];

/// What a solver said: a value, or why there is none.
pub(super) struct Found {
    pub(super) engine: &'static str,
    pub(super) result: Result<Ratio, Failed>,
}

/// Why a solver gave no value.
pub(super) enum Failed {
    Halted,
    Panicked,
}

pub(super) fn solve(walk: &Walk, formula: &Qcnf, watch: &Watch<'_>) -> Found {
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

/// What the definition of a formula is called in the report.
const DEFINITION: &str = "definition";

/// What differs from the value by definition; a solver that halts differs in nothing.
pub(super) fn wrong(oracle: &str, expected: &Ratio, found: &[Found]) -> Vec<String> {
    let differs = |Found { engine, result }: &Found| match result {
        Ok(value) if value != expected => Some(format!("{oracle} {expected}, {engine} {value}")),
        Err(Failed::Panicked) => Some(format!("{engine} panicked")),
        Ok(_) | Err(Failed::Halted) => None,
    };
    found.iter().filter_map(differs).collect()
}

/// A thing with its value by definition.
pub(super) struct Asked<'a> {
    pub(super) seed: u64,
    pub(super) expected: &'a Ratio,
    /// What the definition is called in the report.
    pub(super) oracle: &'static str,
    pub(super) text: &'a dyn Fn() -> String,
}

/// Counts what was found; false where an interrupt cut it short, so that the seed comes again.
pub(super) fn settle(
    asked: &Asked<'_>,
    found: &[Found],
    watch: &Watch<'_>,
    section: &mut Section,
) -> bool {
    if watch.interrupted() {
        return false;
    }
    let Asked { seed, expected, oracle, text } = asked;
    section.asked += 1;
    section.engine(oracle).exact += 1;
    for Found { engine, result } in found {
        let ends = section.engine(engine);
        match result {
            Ok(_) => ends.exact += 1,
            Err(Failed::Halted) => ends.halted += 1,
            Err(Failed::Panicked) => ends.faulty += 1,
        }
    }
    let wrong = wrong(oracle, expected, found);
    let exact = found.iter().filter(|one| one.result.is_ok()).count();
    section.agreed += u64::from(exact > 0 && wrong.is_empty());
    if !wrong.is_empty() {
        let text = format!("{}\n{}", wrong.join("; "), text());
        section.disagreements.push(Disagreement { seed: *seed, text, shrunk: None });
    }
    true
}

pub(super) fn value_kind(value: &Ratio) -> Option<&'static str> {
    let is_between = !value.is_zero() && *value != Ratio::one();
    is_between.then_some("a value between 0 and 1")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// A solver that takes forall for exists.
    fn planted(formula: &Qcnf) -> Vec<Found> {
        let mut taken = formula.clone();
        for scope in &mut taken.prefix {
            if scope.quantifier == qcnf::Quantifier::Forall {
                scope.quantifier = qcnf::Quantifier::Exists;
            }
        }
        vec![Found { engine: "planted", result: Ok(qcnf::meaning::value(&taken)) }]
    }

    #[test]
    fn a_formula_with_a_planted_fault_is_cut_down_to_a_file_that_says_how_to_ask_again() {
        let (interrupt, folder) = (AtomicBool::new(false), std::env::temp_dir());
        let watch = Watch::unlimited(&interrupt);
        let differs = |seed: &u64| {
            let formula = qcnf::random::any(*seed, VARIABLES);
            !wrong(DEFINITION, &qcnf::meaning::value(&formula), &planted(&formula)).is_empty()
        };
        let seed = (0..1000).find(differs).expect("some formula needs its forall");
        let formula = qcnf::random::any(seed, VARIABLES);
        let path = cut(seed, &formula, &folder, &watch, &planted).expect("it is written");
        let text = std::fs::read_to_string(&path).expect("it is there");
        std::fs::remove_file(&path).expect("it can go");
        assert!(text.contains(&format!("\nc oddsmith xssat {path}\n")), "{text}");
        assert!(text.contains("definition 0/1, planted 1/1"), "{text}");
        let read = qcnf::text::parse(text.as_bytes()).expect("a formula").formula;
        assert_eq!((read.variables(), read.clauses.len()), (1, 1), "{text}");
        assert!(!wrong(DEFINITION, &qcnf::meaning::value(&read), &planted(&read)).is_empty());
    }

    #[test]
    fn a_panic_differs_and_a_halt_does_not() {
        let one = |result| [Found { engine: "e", result }];
        let said = |result| wrong("o", &Ratio::one(), &one(result));
        assert_eq!(said(Ok(Ratio::one())), Vec::<String>::new());
        assert_eq!(said(Err(Failed::Halted)), Vec::<String>::new());
        assert_eq!(said(Err(Failed::Panicked)), ["e panicked"]);
        assert_eq!(said(Ok(Ratio::zero())), ["o 1/1, e 0/1"]);
    }
}
