//! The value of a formula without chance, by z3's own quantifiers.

use index::Id;
use qcnf::{Kind, Lit, Qcnf, Var};
use z3::ast::{Ast, Bool, exists_const, forall_const};
use z3::{Solver, Tactic};

use crate::limits::{Limits, answer};

/// Whether a formula without chance is true.
///
/// # Errors
/// Why the question stays open.
///
/// # Panics
/// When the formula is not well-formed, or has a line of chance.
pub fn qbf_value(formula: &Qcnf, limits: Limits) -> Result<bool, String> {
    assert_eq!(formula.flaw(), None, "the formula is not well-formed");
    let symbols: Vec<Bool> = (0..formula.variables()).map(|_| Bool::fresh_const("v")).collect();
    let symbol = |lit: &Lit| {
        let symbol = &symbols[lit.var().index()];
        if lit.is_positive() { symbol.clone() } else { symbol.not() }
    };
    let clauses: Vec<Bool> = formula
        .clauses
        .iter()
        .map(|clause| Bool::or(&clause.iter().map(symbol).collect::<Vec<_>>()))
        .collect();
    let mut closed = Bool::and(&clauses);
    for scope in formula.prefix.iter().rev() {
        let bound = |var: &Var| -> &dyn Ast { &symbols[var.index()] };
        let vars: Vec<&dyn Ast> = scope.variables.iter().map(bound).collect();
        closed = match scope.quantifier.kind() {
            Kind::Exists => exists_const(&vars, &[], &closed),
            Kind::Forall => forall_const(&vars, &[], &closed),
            Kind::Chance => panic!("z3 knows no chance"),
        };
    }
    let solver: Solver = Tactic::new("qsat").solver();
    limits.set(&solver);
    solver.assert(&closed);
    answer(&solver, solver.check())
}

#[cfg(test)]
mod tests {
    use exact::Ratio;
    use qcnf::meaning;
    use qcnf::random::{Shape, gated, plain};

    use super::*;

    #[test]
    fn values_agree_with_the_definition() {
        let mut counts = [0; 2];
        for seed in 0..200 {
            let drawn = Shape::drawn(seed, 9);
            let shape = Shape { kinds: vec![Kind::Exists, Kind::Forall], ..drawn };
            let formula = if seed % 2 == 0 { plain(seed, &shape) } else { gated(seed, &shape) };
            let value = qbf_value(&formula, Limits::default()).expect("small formulas are decided");
            assert_eq!(meaning::value(&formula) == Ratio::one(), value, "seed {seed}");
            counts[usize::from(value)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
    }
}
