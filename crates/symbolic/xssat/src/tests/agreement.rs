//! Every formula under every option has the value that the definition gives it.

use index::Id;
use qcnf::{Lit, Qcnf, Var, meaning};

use super::formulas::{Dice, Placement, layered, plain};
use super::{check_assumptions, solve};
use crate::Options;

/// Both walks in turns with all options at their defaults; the walk in order with each switch alone
/// flipped and all off; then other values of some options, with the rest at their defaults and with
/// the cache alone.
pub(super) fn configurations() -> Vec<(String, Options)> {
    let frontier = Options { walk: 1, ..Options::default() };
    let mut bare = frontier.clone();
    let mut all = vec![("default".to_owned(), Options::default())];
    for row in Options::TABLE.iter().filter(|row| row.range == (0, 1)) {
        let mut options = frontier.clone();
        options.set(row.name, 1 - row.default).expect("a switch");
        all.push((format!("{} flipped", row.name), options));
        bare.set(row.name, 0).expect("a switch");
    }
    all.push(("everything off".to_owned(), bare.clone()));
    for (name, value) in
        [("lookahead", 0), ("lookahead", 100), ("rounds", 0), ("patience", 1), ("residual_keys", 2)]
    {
        let mut options = frontier.clone();
        options.set(name, value).expect("in range");
        all.push((format!("{name} {value}"), options));
        let mut options = bare.clone();
        options.set(name, value).expect("in range");
        options.set("frontier_cache", 1).expect("a switch");
        all.push((format!("cache alone, {name} {value}"), options));
    }
    all
}

fn check(formula: &Qcnf, configurations: &[(String, Options)]) {
    let expected = meaning::value(formula);
    for (name, options) in configurations {
        let found = solve(formula, options, &[]);
        assert_eq!(found, expected, "{name}:\n{}", qcnf::text::print(formula));
    }
}

#[test]
fn plain_formulas_have_their_value() {
    let configurations = configurations();
    let mut dice = Dice::new(1);
    for _ in 0..3000 {
        check(&plain(&mut dice, 11), &configurations);
    }
}

#[test]
fn layered_formulas_have_their_value() {
    let configurations = configurations();
    for placement in [Placement::Innermost, Placement::Dependency] {
        let mut dice = Dice::new(2);
        for round in 0..600 {
            let (steps, bits) = [(3, 2), (2, 3), (4, 2), (3, 3)][round % 4];
            check(&layered(&mut dice, steps, bits, placement), &configurations);
        }
    }
}

#[test]
fn placements_of_defined_variables_have_one_value() {
    for seed in 0..400 {
        let formula = |placement| layered(&mut Dice::new(seed), 12, 4, placement);
        let options = Options::default();
        let innermost = solve(&formula(Placement::Innermost), &options, &[]);
        let dependency = solve(&formula(Placement::Dependency), &options, &[]);
        assert_eq!(innermost, dependency, "seed {seed}");
        let uncached = Options { frontier_cache: 0, good_literals: 0, ..Options::default() };
        if seed % 8 == 0 {
            let formula = layered(&mut Dice::new(seed), 9, 3, Placement::Dependency);
            assert_eq!(solve(&formula, &options, &[]), solve(&formula, &uncached, &[]));
        }
    }
}

/// Calls of one solver share caches; each must have the value of the formula with units added.
#[test]
fn assumptions_are_units() {
    let mut dice = Dice::new(3);
    let mut checked = 0;
    for round in 0..4000 {
        let formula = match round % 2 {
            0 => plain(&mut dice, 10),
            _ => layered(&mut dice, 3, 2, Placement::Dependency),
        };
        checked += check_assumptions(&mut dice, &formula, &Options::default());
    }
    assert!(checked > 2000, "only {checked} assumptions were checked");
}

#[test]
fn formulas_without_variables_or_clauses_have_a_value() {
    let mut formula = Qcnf::new(0);
    assert_eq!(solve(&formula, &Options::default(), &[]), exact::Ratio::one());
    formula.add_clause(&[]);
    assert_eq!(solve(&formula, &Options::default(), &[]), exact::Ratio::zero());
}

/// A chain of implications 300,000 variables long, through alternating quantifiers.
#[test]
fn deep_formulas_do_not_overflow_the_stack() {
    let count = 300_000;
    let mut formula = Qcnf::new(count);
    for at in 0..count {
        let quantifier = match at % 3 {
            0 => qcnf::Quantifier::Exists,
            1 => qcnf::Quantifier::Forall,
            _ => qcnf::Quantifier::Exists,
        };
        formula.quantify(quantifier, vec![Var::from_index(at)]);
    }
    for at in 2..count {
        let lit = |at: usize| Lit::positive(Var::from_index(at));
        if at % 3 == 2 {
            formula.add_clause(&[lit(at - 2), lit(at - 1), !lit(at)]);
            formula.add_clause(&[!lit(at - 2), lit(at - 1), lit(at)]);
        }
    }
    for rounds in [0, 3] {
        let options = Options { rounds, ..Options::default() };
        assert_eq!(solve(&formula, &options, &[]), exact::Ratio::one());
    }
}
