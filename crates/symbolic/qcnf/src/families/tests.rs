//! The documented value of every member that is small enough for the definition.

use std::collections::BTreeSet;

use super::*;
use crate::{meaning, text};

/// Sizes near the least.
fn small_sizes(family: &Family) -> Vec<Vec<usize>> {
    let (first, rest) = family.sizes.split_first().expect("a family has a size");
    let seconds: Vec<Vec<usize>> = match rest {
        [] => vec![vec![]],
        [second] => (second.range.0..second.range.0 + 3).map(|size| vec![size]).collect(),
        _ => unreachable!("families have one size or two"),
    };
    let firsts = first.range.0..first.range.0 + 4;
    firsts.flat_map(|size| seconds.iter().map(move |rest| [&[size], &rest[..]].concat())).collect()
}

/// Whether the oracle takes it; most variables of a family are defined, and cost it little.
fn is_small(formula: &Qcnf) -> bool {
    let bound: usize = formula.prefix.iter().map(|scope| scope.variables.len()).sum();
    bound <= meaning::VARIABLES_LIMIT
}

#[test]
fn values_are_those_of_the_definition() {
    for family in FAMILIES {
        for variant in family.variants {
            let mut checked = 0;
            for sizes in small_sizes(family) {
                let member = family.member(Some(variant.name), &sizes).unwrap();
                if is_small(&member.formula) {
                    let value = meaning::value(&member.formula);
                    assert_eq!(value, member.value, "{} {} {sizes:?}", family.name, variant.name);
                    checked += 1;
                }
            }
            assert!(checked >= 3, "{} {}: only {checked} checked", family.name, variant.name);
        }
    }
}

#[test]
fn members_come_back_from_their_text_and_grow() {
    for family in FAMILIES {
        for variant in family.variants {
            let usual = family.member(Some(variant.name), &[]).unwrap();
            let read = text::parse(text::print(&usual.formula).as_bytes()).unwrap();
            assert_eq!(read.formula, usual.formula);
            let sizes: Vec<usize> = family.sizes.iter().map(|size| size.usual + 1).collect();
            let larger = family.member(Some(variant.name), &sizes).unwrap();
            assert!(larger.formula.clauses.len() > usual.formula.clauses.len());
        }
    }
}

/// Names are of use only where no two variables share one.
#[test]
fn names_are_distinct() {
    for family in FAMILIES {
        let member = family.member(None, &[]).unwrap();
        let names: BTreeSet<&str> = member.formula.named().map(|(_, name)| name).collect();
        assert_eq!(names.len(), member.formula.variables(), "{}", family.name);
    }
}

#[test]
fn what_is_not_there_is_refused_in_a_sentence() {
    assert!(Family::named("parities").unwrap_err().contains("kbkf, parity"));
    let parity = Family::named("parity").unwrap();
    assert!(parity.member(Some("maybe"), &[]).unwrap_err().contains("it has false, true, chance"));
    assert!(parity.member(None, &[0]).unwrap_err().contains("1 to 100000"));
    assert!(parity.member(None, &[3, 4]).unwrap_err().contains("has 1 sizes: length"));
}
