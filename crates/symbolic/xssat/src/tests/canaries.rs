//! Faults planted one by one: the formulas of these tests must show each.

use std::panic::{AssertUnwindSafe, catch_unwind};

use qcnf::{Qcnf, meaning};

use super::formulas::{Dice, Placement, halves, layered, plain};
use super::solve;
use crate::Options;
use crate::faults::Fault;

/// Whether a solver with the fault gives a wrong value, or stops in an assertion, on one of the
/// first formulas that the tests of agreement run.
fn is_caught(fault: Fault) -> bool {
    let planted = |options: &Options| Options { planted: Some(fault), ..options.clone() };
    // A fault in one part shows best where other parts do not hide it.
    let whole = Options { walk: 1, ..Options::default() };
    let bare = Options { rounds: 0, good_literals: 0, ..whole.clone() };
    let eager = Options { lookahead: 100, ..bare.clone() };
    let parts = Options { residual_keys: 2, lookahead: 1, ..bare.clone() };
    // Learned clauses, with and without the checks that make kept values right under them.
    let pieces = Options { walk: 2, ..bare.clone() };
    let unchecked = Options { satisfiability: 0, ..pieces.clone() };
    let impure = Options { pure: 0, ..unchecked.clone() };
    let variants = [&whole, &bare, &eager, &parts, &pieces, &unchecked, &impure].map(planted);
    let mut dice = Dice::new(7);
    (0..4000).any(|round| {
        let formula = match round % 4 {
            0 => plain(&mut dice, 11),
            1 => layered(&mut dice, 3, 3, Placement::Dependency),
            2 => layered(&mut dice, 4, 2, Placement::Innermost),
            _ => halves(&mut dice, 6),
        };
        let expected = meaning::value(&formula);
        variants.iter().any(|options| is_wrong(&formula, options, &expected))
    })
}

fn is_wrong(formula: &Qcnf, options: &Options, expected: &exact::Ratio) -> bool {
    let found = catch_unwind(AssertUnwindSafe(|| solve(formula, options, &[])));
    found.map_or(true, |found| found != *expected)
}

macro_rules! canaries {
    ($($name:ident: $fault:ident,)*) => {
        $(#[test]
        fn $name() {
            assert!(is_caught(Fault::$fault), "no formula shows the fault {:?}", Fault::$fault);
        })*
    };
}

canaries! {
    a_win_without_crossing_clauses_is_caught: WonWithoutCrossing,
    a_good_literal_through_a_variable_above_is_caught: GoodThroughAbove,
    a_missing_cut_variable_is_caught: CutVariableMissing,
    a_hidden_part_is_caught: PartHidden,
    a_weight_that_is_not_passed_is_caught: WeightOfUnpassed,
    a_bound_kept_as_exact_is_caught: BoundKeptAsExact,
    purity_by_fewer_clauses_is_caught: PureByFewerClauses,
    a_lost_literal_is_caught: ResolventLostLiteral,
    an_early_elimination_is_caught: EliminatedTooEarly,
    half_a_gate_is_caught: HalfGate,
    a_guess_without_proof_is_caught: GuessUnproven,
    a_choice_that_is_put_off_is_caught: ChoicePutOff,
    a_propagated_forall_is_caught: ForallPropagated,
    a_learned_clause_that_lost_a_literal_is_caught: LearnedLostLiteral,
    a_missing_variable_of_a_part_is_caught: KeyVariableMissing,
    a_bound_on_a_part_kept_as_exact_is_caught: PartBoundKeptAsExact,
    a_bound_from_choosing_sooner_is_caught: ChosenSooner,
    a_product_of_dependent_parts_is_caught: DependentParts,
    a_weight_of_an_implied_variable_that_is_lost_is_caught: WeightOfImplied,
}
