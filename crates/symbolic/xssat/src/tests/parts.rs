//! The walk over parts against the definition, under every combination of its inferences.

use exact::{Ratio, UBig};
use index::Id;
use qcnf::derivation::derive;
use qcnf::random::any;
use qcnf::{Lit, Qcnf, Quantifier, Var, meaning};

use super::formulas::{Dice, Placement, halves, layered, plain};
use super::{check_assumptions, solve, unwatched};
use crate::{Options, Solver};

/// The inferences of this walk.
const SWITCHES: [&str; 7] =
    ["components", "part_cache", "learning", "satisfiability", "pure", "bounds", "relaxation"];

/// All combinations of the switches; half of them on the formula as it is and half on the prepared
/// one, half with nearly no learned clause kept.
fn combinations() -> Vec<Options> {
    let mut all = Vec::new();
    for bits in 0..1u64 << SWITCHES.len() {
        let mut options = Options { walk: 2, trace: 1, ..Options::default() };
        for (at, name) in SWITCHES.iter().enumerate() {
            options.set(name, bits >> at & 1).expect("a switch");
        }
        let rounds = if bits.count_ones() % 2 == 0 { 0 } else { options.rounds };
        all.push(Options { rounds, learned_limit: 3 + 4000 * (bits & 1), ..options });
    }
    all
}

fn check(formula: &Qcnf, options: &[Options]) {
    let expected = meaning::value(formula);
    for options in options {
        let found = solve(formula, options, &[]);
        assert_eq!(found, expected, "{options:?}:\n{}", qcnf::text::print(formula));
    }
}

#[test]
fn plain_formulas_have_their_value_by_parts() {
    let all = combinations();
    let mut dice = Dice::new(11);
    (0..800).for_each(|_| check(&plain(&mut dice, 12), &all));
}

#[test]
fn formulas_that_fall_apart_have_their_value_by_parts() {
    let all = combinations();
    let mut dice = Dice::new(14);
    (0..300).for_each(|round| check(&halves(&mut dice, 4 + round % 4), &all));
}

#[test]
fn formulas_of_all_kinds_have_their_value_by_parts() {
    let all = combinations();
    (0..800).for_each(|seed| check(&any(seed, 14), &all));
}

#[test]
fn layered_formulas_have_their_value_by_parts() {
    let all = combinations();
    for placement in [Placement::Innermost, Placement::Dependency] {
        let mut dice = Dice::new(12);
        for round in 0..100 {
            let (steps, bits) = [(3, 2), (2, 3), (4, 2), (3, 3)][round % 4];
            check(&layered(&mut dice, steps, bits, placement), &all);
        }
    }
}

/// Calls of one solver share what was learned and kept, under some combination each.
#[test]
fn assumptions_are_units_by_parts() {
    let all = combinations();
    let mut dice = Dice::new(13);
    let mut checked = 0;
    for round in 0..3000 {
        let formula = plain(&mut dice, 11);
        checked += check_assumptions(&mut dice, &formula, &all[round % all.len()]);
    }
    assert!(checked > 2000, "only {checked} assumptions were checked");
}

/// Many pairs of a choice and a coin of 1/3 that must differ, each worth 2/3: the value and all bounds
/// are numbers of many limbs.
#[test]
fn values_of_many_limbs_are_right_in_both_walks() {
    let pairs = 4000;
    let mut formula = Qcnf::new(2 * pairs);
    for at in 0..pairs {
        let [choice, coin] = [2 * at, 2 * at + 1].map(Var::from_index);
        formula.quantify(Quantifier::Exists, vec![choice]);
        formula.quantify(Quantifier::Chance(Ratio::new(1u8, 3u8)), vec![coin]);
        let (choice, coin) = (Lit::positive(choice), Lit::positive(coin));
        formula.add_clause(&[choice, coin]);
        formula.add_clause(&[!choice, !coin]);
    }
    let power = |base: u8| UBig::from(base).pow(pairs);
    for (walk, bounds) in [(1, 1), (2, 1), (2, 0)] {
        let value = solve(&formula, &Options { walk, bounds, ..Options::default() }, &[]);
        assert!(value == Ratio::new(power(2), power(3)), "walk {walk}, bounds {bounds}");
    }
}

/// The counts of the two walks are kept apart: each decides by its own.
#[test]
fn each_walk_counts_its_own_branches() {
    let mut branches = 0;
    for seed in 0..40 {
        let formula = halves(&mut Dice::new(seed), 6);
        let stats = [1, 2].map(|walk| {
            let mut solver = Solver::new(&formula, &Options { walk, ..Options::default() });
            unwatched(|watch| solver.solve(&[], watch)).expect("no limit");
            solver.stats().clone()
        });
        let [in_order, by_parts] = &stats;
        assert_eq!((in_order.part_decisions, in_order.part_cutoffs), (0, 0));
        assert_eq!((by_parts.decisions, by_parts.cutoffs), (0, 0));
        branches += in_order.decisions.min(by_parts.part_decisions);
    }
    assert!(branches > 20, "{branches}");
}

/// Every learned clause follows by the steps that were recorded, and no value changes when it is
/// added.
#[test]
fn learned_clauses_are_derived() {
    let mut learned_clauses = 0;
    for seed in 0..600 {
        let formula = halves(&mut Dice::new(seed), 7);
        let options = Options { walk: 2, trace: 1, rounds: seed % 2, ..Options::default() };
        let mut solver = Solver::new(&formula, &options);
        let value = unwatched(|watch| solver.solve(&[], watch)).expect("no limit");
        let Some(learned) = solver.learned() else { continue };
        let derived = derive(&learned.formula, &learned.steps).expect("the steps are steps");
        let models = meaning::count_models(&learned.formula);
        for &step in learned.clauses.iter().take(8) {
            assert!(derived[step].is_implied);
            let mut more = learned.formula.clone();
            more.add_clause(&derived[step].clause);
            assert_eq!(meaning::count_models(&more), models, "seed {seed}");
        }
        assert_eq!(learned.clauses.len() as u64, solver.stats().learned);
        assert_eq!(value, meaning::value(&formula), "seed {seed}");
        learned_clauses += learned.clauses.len();
    }
    assert!(learned_clauses > 500, "only {learned_clauses} clauses were learned");
}

/// No more learned clauses are kept than the limit says, at whatever step the walk is cut off.
#[test]
fn learned_clauses_stay_within_their_limit() {
    let (mut seen, mut forgotten) = (0, 0);
    for seed in 0..300 {
        let formula = halves(&mut Dice::new(seed), 12);
        let expected = solve(&formula, &Options::default(), &[]);
        let satisfiability = seed % 2;
        let options =
            Options { walk: 2, rounds: 0, learned_limit: 4, satisfiability, ..Options::default() };
        let mut solver = Solver::new(&formula, &options);
        let found = unwatched(|watch| {
            (1..).find_map(|steps| {
                let found = solver.solve_steps(steps, watch);
                let (kept, limit) = solver.kept().unwrap_or_default();
                assert!(kept <= limit, "seed {seed}: {kept} clauses are kept, {limit} may be");
                seen += 1;
                found.ok()
            })
        });
        assert_eq!(found, Some(expected), "seed {seed}");
        let stats = solver.stats();
        let (kept, _) = solver.kept().unwrap_or_default();
        assert_eq!(stats.learned - stats.forgotten, kept as u64);
        forgotten += stats.forgotten;
    }
    assert!(seen > 1000 && forgotten > 1000, "{seen} looks, {forgotten} forgotten");
}

/// A walk by parts that is cut off anywhere has bounds that hold, and goes on to the value.
#[test]
fn halts_leave_bounds_around_the_value() {
    let mut halts = 0;
    for seed in 0..400 {
        let formula = match seed % 2 {
            0 => any(seed, 14),
            _ => layered(&mut Dice::new(seed), 6, 3, Placement::Innermost),
        };
        let value = solve(&formula, &Options::default(), &[]);
        for satisfiability in [0, 1] {
            let options = Options { walk: 2, rounds: 0, satisfiability, ..Options::default() };
            let mut solver = Solver::new(&formula, &options);
            unwatched(|watch| {
                for steps in 1..60 {
                    let Err(halted) = solver.solve_steps(steps, watch) else { continue };
                    let (lower, upper) = halted.bounds;
                    assert!(lower <= value && value <= upper, "seed {seed}, {steps}");
                    halts += 1;
                }
                assert_eq!(solver.solve_steps(u64::MAX, watch), Ok(value.clone()), "seed {seed}");
            });
        }
    }
    assert!(halts > 3000, "{halts}");
}
