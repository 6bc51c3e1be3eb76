//! Faults planted one by one: the formulas of these tests must show each.

use exact::Ratio;
use index::Id;
use qcnf::{Lit, Var, meaning};

use super::formulas::{Dice, Placement, halves, layered, plain};
use super::{solve, unwatched};
use crate::faults::Fault;
use crate::{Options, Solver};

/// Whether a solver with the fault gives a wrong value on one of the first formulas that the tests of
/// agreement run. One that stops in an assertion before it does shows nothing, and the test fails.
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
        variants.iter().any(|options| solve(&formula, options, &[]) != expected)
    })
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

/// Two parts that hang together where x is false: A, worth 1/4 where a is true and 1/2 where it is
/// false, and B, which has no model where x and s are true, though propagation does not see it.
const POISON: &[u8] = b"p cnf 9 8
e 1 2 3 4 5 6 7 0
r 1/2 8 0
r 1/4 9 0
1 8 0
-1 9 0
2 3 0
-5 2 4 0
-5 2 -4 0
-2 -6 7 0
-2 -6 -7 0
1 -3 5 0
";

/// Under not a, the first call learns `a or b` (1, 2): not b makes c (3), that x (5), and that d (4)
/// both true and false. Where x and s (6) are true it holds only because B has no model, and makes
/// a look necessary: so A seems to be worth 1/4. Under not s B has a model, and A is met again.
#[test]
fn a_value_found_beside_a_part_without_a_model_is_caught() {
    let formula = qcnf::text::parse(POISON).expect("a formula").formula;
    let lits = |numbers: &[i64]| -> Vec<Lit> {
        let lit = |&n: &i64| Lit::new(Var::from_index(n.unsigned_abs() as usize - 1), n > 0);
        numbers.iter().map(lit).collect()
    };
    let value = |planted| {
        let (rounds, deferral, satisfiability, bounds) = (0, 0, 0, 0);
        let options = Options {
            walk: 2,
            rounds,
            deferral,
            satisfiability,
            bounds,
            planted,
            ..Options::default()
        };
        let mut solver = Solver::new(&formula, &options);
        let asked = [lits(&[-1]), lits(&[5, 6]), lits(&[5, -6])];
        asked.map(|lits| unwatched(|watch| solver.solve(&lits, watch)).expect("no limit"))
    };
    let [half, quarter] = [2u8, 4].map(|whole| Ratio::new(1u8, whole));
    assert_eq!(value(None), [half.clone(), Ratio::zero(), half.clone()]);
    assert_eq!(value(Some(Fault::PoisonKept)), [half, Ratio::zero(), quarter]);
}
