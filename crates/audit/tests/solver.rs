//! The solver against z3 on formulas without chance that are too large for the definition, and
//! against what theory knows of families; and z3 on what the solver learned.
#![cfg(feature = "z3")]

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use audit::{Limits, clauses_are_implied, qbf_value};
use exact::Ratio;
use index::Id;
use qcnf::derivation::derive;
use qcnf::families::{FAMILIES, Family};
use qcnf::random::{Dice, Shape, gated, plain};
use qcnf::{Kind, Lit, Qcnf, Quantifier, Var};
use verdict::Watch;
use xssat::{Options, Solver};

/// The solver's value; none where it takes over ten seconds.
fn solved(formula: &Qcnf) -> Option<Ratio> {
    solve(&mut Solver::new(formula, &Options::default()))
}

fn solve(solver: &mut Solver) -> Option<Ratio> {
    let interrupt = AtomicBool::new(false);
    let watch = Watch {
        started: Instant::now(),
        time: Some(Duration::from_secs(10)),
        memory: None,
        interrupt: &interrupt,
        progress: &|_| {},
    };
    solver.solve(&[], &watch).ok()
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
        let (mut asked, mut known) = (0, 0);
        for variant in family.variants {
            for sizes in sizes(family) {
                let member = family.member(Some(variant.name), &sizes).unwrap();
                let value = solved(&member.formula);
                let is_right = value.as_ref().is_none_or(|value| *value == member.value);
                assert!(is_right, "{} {} {sizes:?}: {value:?}", family.name, variant.name);
                asked += 1;
                known += usize::from(value.is_some());
            }
        }
        assert!(4 * known >= 3 * asked, "{}: {known} of {asked} were solved", family.name);
    }
}

/// The usual sizes of a family's members, and halves of them.
fn sizes(family: &Family) -> [Vec<usize>; 2] {
    [1, 2].map(|part| {
        let size = |size: &qcnf::families::Size| (size.usual / part).max(size.range.0);
        family.sizes.iter().map(size).collect()
    })
}

/// Clauses of three literals, close to where they stop having a model, so that much is learned.
fn threes(dice: &mut Dice, variables: usize) -> Qcnf {
    let mut formula = Qcnf::new(variables);
    for var in (0..variables).map(Var::from_index) {
        let quantifier = match dice.below(8) {
            0 => Quantifier::Forall,
            1 | 2 => Quantifier::Chance(Ratio::new(1u8, 3u8)),
            _ => Quantifier::Exists,
        };
        formula.quantify(quantifier, vec![var]);
    }
    let mut vars: Vec<Var> = (0..variables).map(Var::from_index).collect();
    for _ in 0..4 * variables {
        dice.shuffle(&mut vars);
        let clause: Vec<Lit> = vars[..3].iter().map(|v| Lit::new(*v, dice.percent(50))).collect();
        formula.add_clause(&clause);
    }
    formula
}

/// Every clause that was learned follows from the prepared ones, by its own derivation and by z3;
/// without its first literal it often would not.
#[test]
fn learned_clauses_are_implied() {
    let limits = Limits { time: Duration::from_secs(10) };
    let (mut learned_clauses, mut short) = (0, 0);
    for seed in 0..80 {
        let formula = threes(&mut Dice::new(seed), 36 + (seed % 20) as usize);
        let options = Options { walk: 2, trace: 1, rounds: seed % 2, ..Options::default() };
        let mut solver = Solver::new(&formula, &options);
        solve(&mut solver);
        let Some(learned) = solver.learned() else { continue };
        let derived = derive(&learned.formula, &learned.steps).expect("the steps are steps");
        let clauses: Vec<&[Lit]> =
            learned.clauses.iter().take(200).map(|step| &derived[*step].clause[..]).collect();
        let report = clauses_are_implied(&learned.formula, clauses.iter().copied(), limits);
        assert!(report.all_proven(), "seed {seed}: {report:?}");
        learned_clauses += report.proven;
        let shorter = clauses.iter().filter_map(|clause| Some(clause.split_first()?.1)).take(20);
        short += clauses_are_implied(&learned.formula, shorter, limits).refuted.len();
    }
    assert!(learned_clauses > 400 && short > 20, "{learned_clauses} learned, {short} refuted");
}
