//! What the generator must cover.

use std::collections::BTreeSet;

use exact::Ratio;

use super::*;
use crate::{Lit, meaning, text};

#[test]
fn formulas_come_back_from_their_text() {
    for seed in 0..2000 {
        let mut formula = any(seed, 30);
        if seed % 3 == 0 && formula.variables() > 0 {
            let last = Lit::from_code(2 * formula.variables() - 2).var();
            formula.set_name(last, &format!("name of {seed} \\ "));
        }
        let printed = text::print(&formula);
        let back = text::parse(printed.as_bytes()).unwrap_or_else(|faults| panic!("{faults}"));
        assert_eq!(back.formula, formula, "seed {seed}");
    }
}

#[test]
fn a_seed_fixes_the_formula() {
    let shape = Shape::default();
    assert_eq!(plain(7, &shape), plain(7, &shape));
    assert_ne!(plain(7, &shape), plain(8, &shape));
    assert_ne!(gated(7, &shape), gated(8, &shape));
    assert_ne!(layered(7, &shape), layered(8, &shape));
}

/// How many of the formulas are worth nothing, something between, and everything.
fn spread(make: impl Fn(u64) -> Qcnf) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in 0..400 {
        let value = meaning::value(&make(seed));
        let kind = usize::from(!value.is_zero()) + usize::from(value == Ratio::one());
        counts[kind] += 1;
    }
    counts
}

#[test]
fn values_are_spread() {
    let shape = Shape { variables: 9, clauses: 9, oddities: 3, ..Shape::default() };
    for (name, counts) in [
        ("plain", spread(|seed| plain(seed, &shape))),
        ("gated", spread(|seed| gated(seed, &shape))),
        ("layered", spread(|seed| layered(seed, &shape))),
        ("any", spread(|seed| any(seed, 10))),
    ] {
        assert!(counts.iter().all(|count| *count >= 20), "{name}: {counts:?}");
    }
}

#[test]
fn layered_formulas_have_many_values() {
    let shape = Shape { variables: 8, ..Shape::default() };
    let values: BTreeSet<Ratio> =
        (0..200).map(|seed| meaning::value(&layered(seed, &shape))).collect();
    assert!(values.len() > 50, "only {} values", values.len());
}

/// The oddities of real files all occur, and so does every order of two kinds of lines.
#[test]
fn every_oddity_and_every_order_of_lines_occurs() {
    let mut seen = BTreeSet::new();
    for seed in 0..1000 {
        let formula = any(seed, 14);
        for clause in formula.clauses.iter() {
            seen.insert(format!("width {}", clause.len()));
            for (at, lit) in clause.iter().enumerate() {
                let others = &clause[..at];
                if others.contains(lit) {
                    seen.insert("repeated".into());
                }
                if others.contains(&!*lit) {
                    seen.insert("opposed".into());
                }
            }
        }
        for pair in formula.prefix.windows(2) {
            seen.insert(format!("{:?} {:?}", pair[0].quantifier.kind(), pair[1].quantifier.kind()));
        }
        note_prefix(&formula, &mut seen);
    }
    let kinds = ["Exists", "Forall", "Chance"];
    let orders = kinds.iter().flat_map(|a| kinds.iter().map(move |b| format!("{a} {b}")));
    let widths = (0..=5).map(|width| format!("width {width}"));
    let words =
        ["repeated", "opposed", "unused", "empty line", "p 0/1", "p 1/1", "p 1/3", "no clause"];
    for wanted in orders.chain(widths).chain(words.map(String::from)) {
        assert!(seen.contains(&wanted), "`{wanted}` does not occur");
    }
}

fn note_prefix(formula: &Qcnf, seen: &mut BTreeSet<String>) {
    let bound: usize = formula.prefix.iter().map(|scope| scope.variables.len()).sum();
    if bound < formula.variables() {
        seen.insert("unused".into());
    }
    if formula.clauses.is_empty() {
        seen.insert("no clause".into());
    }
    for scope in &formula.prefix {
        if scope.variables.is_empty() {
            seen.insert("empty line".into());
        }
        if let Quantifier::Chance(p) = &scope.quantifier {
            seen.insert(format!("p {p}"));
        }
    }
}
