//! Random logic programs, each valued by its stable models and by its clauses, under both placements. One
//! on which they differ is cut down where that is asked for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use sqasp::shrink::shrink;
use sqasp::{GroundProgram, Placement, Prefix, complete_under};
use verdict::Watch;

use super::formulas::{
    Asked, Failed, Found, Walk, settle, solve, value_kind, with_effort, write, wrong,
};
use super::log::Section;
use crate::failure::Failure;

/// Programs of which the clauses have more variables than the definition of a formula takes are
/// counted as not asked.
const CLAUSE_VARIABLES: usize = 64;

/// What the definition of a program is called in the report.
const DEFINITION: &str = "stable models";

/// What values a program under its prefix.
type Ask<'a> = dyn Fn(&GroundProgram, &Prefix) -> Vec<Found> + 'a;

/// Compares the clauses of the program of a seed, under both placements, with the definition. One on
/// which they differ is cut down and written into the folder, where one is given.
///
/// # Errors
/// When it cannot be written.
pub(super) fn program(
    seed: u64,
    watch: &Watch<'_>,
    section: &mut Section,
    folder: Option<&Path>,
) -> Result<(), Failure> {
    let program = sqasp::random::program(seed);
    let prefix = Prefix::read(&program).expect("random programs have a prefix");
    let expected = sqasp::meaning::value(&program, &prefix);
    let ask = |program: &GroundProgram, prefix: &Prefix| by_clauses(program, prefix, watch);
    let found = ask(&program, &prefix);
    let text = || program.to_string();
    let asked = Asked { seed, expected: &expected, oracle: DEFINITION, text: &text };
    let known = section.disagreements.len();
    if settle(&asked, &found, watch, section) {
        let mut had: Vec<&str> = sqasp::random::features(&program, &prefix).into_iter().collect();
        had.extend(value_kind(&expected));
        section.add_thing(had);
    }
    if let (Some(shown), Some(folder)) = (section.disagreements.get_mut(known), folder) {
        shown.shrunk = Some(cut(seed, &program, folder, watch, &ask)?);
    }
    Ok(())
}

/// What the clauses of a program say.
fn by_clauses(program: &GroundProgram, prefix: &Prefix, watch: &Watch<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for (name, placement) in
        [("dependency", Placement::Dependency), ("baseline", Placement::Baseline)]
    {
        // A panic is told as a disagreement, as one of the solver is.
        let made =
            catch_unwind(AssertUnwindSafe(|| complete_under(program, prefix, placement).formula));
        let Ok(formula) = made else {
            found.push(Found { engine: name, result: Err(Failed::Panicked) });
            continue;
        };
        found.push(solve(&Walk { name, walk: 0 }, &formula, watch));
        if formula.variables() <= CLAUSE_VARIABLES && placement == Placement::Dependency {
            let value = catch_unwind(AssertUnwindSafe(|| qcnf::meaning::value(&formula)));
            let result = value.map_err(|_| Failed::Panicked);
            found.push(Found { engine: "dependency, by definition", result });
        }
    }
    found
}

/// Cuts a program down on which its clauses and the definition differ, and writes it; where.
fn cut(
    seed: u64,
    program: &GroundProgram,
    folder: &Path,
    watch: &Watch<'_>,
    ask: &Ask<'_>,
) -> Result<String, Failure> {
    let said = |program: &GroundProgram, prefix: &Prefix| {
        wrong(DEFINITION, &sqasp::meaning::value(program, prefix), &ask(program, prefix))
    };
    let shrunk = with_effort(watch, |effort| {
        shrink(program, effort, &mut |program, prefix| !said(program, prefix).is_empty())
    });
    let prefix = Prefix::read(&shrunk).expect("what is cut down has a prefix");
    write(&folder.join(format!("program-{seed}.aspif")), |path| {
        let text = shrunk.to_string();
        let (head, rules) = text.split_once('\n').expect("a line that says the format");
        format!(
            "{head}\n10 cut down from the program of seed {seed}: {}\n\
             10 oddsmith crosscheck --programs 1 --seed {seed}\n10 oddsmith sqasp {path}\n\
             10 oddsmith sqasp {path} --placement baseline\n{rules}",
            said(&shrunk, &prefix).join("; "),
        )
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// Clauses that forget about forall.
    fn planted(program: &GroundProgram, prefix: &Prefix) -> Vec<Found> {
        let mut taken = prefix.clone();
        for (_, quantifier) in taken.levels.iter_mut().flat_map(|level| &mut level.atoms) {
            if *quantifier == qcnf::Quantifier::Forall {
                *quantifier = qcnf::Quantifier::Exists;
            }
        }
        let result = Ok(sqasp::meaning::value(program, &taken));
        vec![Found { engine: "planted", result }]
    }

    #[test]
    fn a_program_with_a_planted_fault_is_cut_down_to_a_file_that_says_how_to_ask_again() {
        let (interrupt, folder) = (AtomicBool::new(false), std::env::temp_dir());
        let folder = folder.join(format!("oddsmith-programs-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let watch = Watch::unlimited(&interrupt);
        let differs = |program: &GroundProgram| {
            let prefix = Prefix::read(program).expect("a prefix");
            let value = sqasp::meaning::value(program, &prefix);
            !wrong(DEFINITION, &value, &planted(program, &prefix)).is_empty()
        };
        let seed = (0..1000).find(|seed| differs(&sqasp::random::program(*seed)));
        let seed = seed.expect("some program needs its forall");
        let program = sqasp::random::program(seed);
        let path = cut(seed, &program, &folder, &watch, &planted).expect("it is written");
        let text = std::fs::read_to_string(&path).expect("it is there");
        std::fs::remove_dir_all(&folder).expect("it can go");
        assert!(text.contains(&format!("\n10 oddsmith sqasp {path}\n")), "{text}");
        assert!(text.contains("stable models 0/1, planted 1/1"), "{text}");
        let read = sqasp::read_aspif(&text).expect("a program");
        assert!(read.len() <= 2, "{text}");
        assert!(differs(&read), "{text}");
    }

    #[test]
    fn clauses_say_what_stable_models_do() {
        let (interrupt, mut section) = (AtomicBool::new(false), Section::default());
        let watch = Watch::unlimited(&interrupt);
        for seed in 0..20 {
            program(seed, &watch, &mut section, None).expect("nothing is written");
        }
        assert_eq!((section.asked, section.agreed), (20, 20));
        assert!(section.disagreements.is_empty());
    }
}
