//! The solver against the definition, and the faults that these tests must catch.

mod agreement;
mod canaries;
mod formulas;
mod limits;
mod parts;
mod switches;
mod traces;
mod work;

use std::sync::atomic::AtomicBool;

use exact::Ratio;
use qcnf::{Kind, Lit, Qcnf, Var, meaning};
use verdict::Watch;

use self::formulas::Dice;
use crate::{Options, Solver};

/// Calls with a watch that has no limits.
pub(crate) fn unwatched<T>(body: impl FnOnce(&Watch<'_>) -> T) -> T {
    let interrupt = AtomicBool::new(false);
    body(&Watch::unlimited(&interrupt))
}

/// The value under assumptions, by a new solver.
fn solve(formula: &Qcnf, options: &Options, assumptions: &[Lit]) -> Ratio {
    let mut solver = Solver::new(formula, options);
    unwatched(|watch| solver.solve(assumptions, watch)).expect("there is no limit")
}

/// Asks one solver for the value under four random sets of assumptions, each of which must be that
/// of the formula with units added; how many were asked, none where exists does not come first.
fn check_assumptions(dice: &mut Dice, formula: &Qcnf, options: &Options) -> usize {
    let first = formula.blocks().next().filter(|block| block.kind == Kind::Exists);
    let Some(block) = first else { return 0 };
    let vars: Vec<Var> = block.scopes.iter().flat_map(|scope| &scope.variables).copied().collect();
    let mut solver = Solver::new(formula, options);
    let asked = 4;
    for _ in 0..asked {
        let assumptions: Vec<Lit> = (0..1 + dice.roll(vars.len()))
            .map(|_| Lit::new(vars[dice.roll(vars.len())], dice.roll(2) == 0))
            .collect();
        let mut given = formula.clone();
        assumptions.iter().for_each(|&lit| {
            given.add_clause(&[lit]);
        });
        let found = unwatched(|watch| solver.solve(&assumptions, watch)).expect("no limit");
        let text = qcnf::text::print(formula);
        assert_eq!(found, meaning::value(&given), "{assumptions:?}, {options:?}:\n{text}");
    }
    asked
}
