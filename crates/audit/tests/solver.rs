//! The solver against z3 on formulas without chance that are too large for the definition, and
//! against what theory knows of families.
#![cfg(feature = "z3")]

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use audit::{Limits, qbf_value};
use exact::Ratio;
use qcnf::families::FAMILIES;
use qcnf::random::{Shape, gated, plain};
use qcnf::{Kind, Qcnf};
use verdict::Watch;
use xssat::{Options, Solver};

/// The solver's value; none where it takes over ten seconds.
fn solved(formula: &Qcnf) -> Option<Ratio> {
    let interrupt = AtomicBool::new(false);
    let watch = Watch {
        started: Instant::now(),
        time: Some(Duration::from_secs(10)),
        memory: None,
        interrupt: &interrupt,
        progress: &|_| {},
    };
    Solver::new(formula, &Options::default()).solve(&[], &watch).ok()
}

#[test]
fn values_without_chance_agree_with_z3() {
    let mut counts = [0; 2];
    let limits = Limits { time: Duration::from_secs(5) };
    for seed in 0..150 {
        let variables = 14 + (seed % 12) as usize;
        let shape = Shape {
            variables,
            clauses: variables * 2,
            lines: 5,
            width: 4,
            kinds: vec![Kind::Exists, Kind::Exists, Kind::Forall],
            oddities: 2,
            ..Shape::default()
        };
        let formula = if seed % 2 == 0 { plain(seed, &shape) } else { gated(seed, &shape) };
        let (Ok(right), Some(value)) = (qbf_value(&formula, limits), solved(&formula)) else {
            continue;
        };
        assert_eq!(value == Ratio::one(), right, "seed {seed}:\n{}", qcnf::text::print(&formula));
        assert!(value.is_zero() || right, "a formula without chance is worth 0 or 1");
        counts[usize::from(right)] += 1;
    }
    assert!(counts.iter().all(|count| *count >= 15), "{counts:?}");
}

#[test]
fn members_of_families_are_worth_what_theory_says() {
    for family in FAMILIES {
        for variant in family.variants {
            let member = family.member(Some(variant.name), &[]).unwrap();
            if let Some(value) = solved(&member.formula) {
                assert_eq!(value, member.value, "{} {}", family.name, variant.name);
            } else {
                println!("{} {} takes over ten seconds", family.name, variant.name);
            }
        }
    }
}
