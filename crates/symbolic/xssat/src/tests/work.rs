//! The work on fixed formulas is what is on file: a change of it is a choice and no accident.
//!
//! A heuristic that is broken changes no value, only what the solver does on the way, so the counts
//! are held, each as it is. `ODDSMITH_UPDATE=1` writes them anew: a change that raises them needs a
//! reason, and one that lowers them is worth a line in the changes.

use std::fmt::Write;
use std::path::Path;

use qcnf::Qcnf;
use qcnf::families::FAMILIES;
use qcnf::random::any;

use super::formulas::{Dice, Placement, halves, layered};
use super::unwatched;
use crate::{Options, Solver};

/// Formulas by name, small enough for every option.
fn formulas() -> Vec<(String, Qcnf)> {
    let mut all = Vec::new();
    for family in FAMILIES {
        for variant in family.variants {
            let sizes: Vec<usize> =
                family.sizes.iter().map(|size| size.usual.min(size.range.0 + 2)).collect();
            let member = family.member(Some(variant.name), &sizes).expect("within the range");
            all.push((format!("{} {}", family.name, variant.name), member.formula));
        }
    }
    let mut dice = Dice::new(29);
    all.push(("layered, gates in order".into(), layered(&mut dice, 6, 4, Placement::Dependency)));
    all.push(("layered, gates innermost".into(), layered(&mut dice, 6, 4, Placement::Innermost)));
    all.push(("two halves".into(), halves(&mut dice, 9)));
    all.extend((0..24).map(|seed| (format!("random {seed}"), any(seed, 18))));
    all.extend((24..48).map(|seed| (format!("random {seed}"), any(seed, 22))));
    all.push(("layered, larger".into(), layered(&mut dice, 7, 4, Placement::Dependency)));
    all.push(("halves, larger".into(), halves(&mut dice, 10)));
    all
}

/// Options that let each part of the solver do its work where it can be seen.
fn variants() -> Vec<(&'static str, Options)> {
    let with = |changes: &[(&str, u64)]| {
        let mut options = Options::default();
        changes.iter().for_each(|(name, value)| options.set(name, *value).expect("an option"));
        options
    };
    vec![
        ("in order", with(&[("walk", 1)])),
        ("in order, as given", with(&[("walk", 1), ("rounds", 0)])),
        ("by parts", with(&[("walk", 2), ("trace", 1)])),
        ("by parts, as given", with(&[("walk", 2), ("rounds", 0), ("trace", 1)])),
        (
            "by parts, few learned clauses",
            with(&[("walk", 2), ("rounds", 0), ("learned_limit", 4)]),
        ),
    ]
}

/// What a solver did, on a line.
fn work(name: &str, kind: &str, formula: &Qcnf, options: &Options) -> String {
    let mut solver = Solver::new(formula, options);
    let value = unwatched(|watch| solver.solve(&[], watch)).expect("there is no limit");
    let mut line = format!("{name}; {kind}: {value}");
    for (count, number, _) in solver.stats().rows().into_iter().filter(|row| row.1 != 0) {
        write!(line, " {count}={number}").expect("a string takes all");
    }
    if let Some(learned) = solver.learned() {
        let (steps, clauses) = (learned.steps.len(), learned.clauses.len());
        let print = snapshot::print(&format!("{:?}", learned.steps));
        write!(line, " steps={steps} clauses={clauses} print={print:016x}").expect("so");
    }
    line + "\n"
}

#[test]
fn the_work_on_fixed_formulas_is_what_is_on_file() {
    let formulas = formulas();
    let mut text = String::new();
    for (name, formula) in &formulas {
        for (kind, options) in variants() {
            text.push_str(&work(name, kind, formula, &options));
        }
    }
    held("work.txt", &text);
}

/// Each option at both ends of its range, by both walks: a line for all formulas.
#[test]
fn the_work_under_each_option_is_what_is_on_file() {
    let (formulas, mut text) = (formulas(), String::new());
    for row in Options::TABLE {
        for (walk, end) in [(1, row.range.0), (1, row.range.1), (2, row.range.0), (2, row.range.1)]
        {
            let mut options = Options { walk, ..Options::default() };
            options.set(row.name, end).expect("an end of the range");
            let all: String =
                formulas.iter().map(|(name, formula)| work(name, "", formula, &options)).collect();
            let print = snapshot::print(&all);
            writeln!(text, "walk {walk}, {} {end}: {print:016x}", row.name).expect("so");
        }
    }
    held("options.txt", &text);
}

fn held(file: &str, text: &str) {
    snapshot::hold(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests").join(file), text);
}
