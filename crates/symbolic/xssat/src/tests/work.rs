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

#[test]
fn the_work_on_fixed_formulas_is_what_is_on_file() {
    let mut text = String::new();
    for (name, formula) in formulas() {
        for (kind, options) in variants() {
            let mut solver = Solver::new(&formula, &options);
            let value = unwatched(|watch| solver.solve(&[], watch)).expect("there is no limit");
            write!(text, "{name}; {kind}: {value}").expect("a string takes all");
            for (count, number, _) in solver.stats().rows() {
                if number != 0 {
                    write!(text, " {count}={number}").expect("a string takes all");
                }
            }
            if let Some(learned) = solver.learned() {
                let (steps, clauses) = (learned.steps.len(), learned.clauses.len());
                let print = snapshot::print(&format!("{:?}", learned.steps));
                write!(text, " steps={steps} clauses={clauses} print={print:016x}").expect("so");
            }
            text.push('\n');
        }
    }
    snapshot::hold(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/work.txt"), &text);
}
