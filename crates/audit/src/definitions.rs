//! Variables as functions of those before them, so that a choice has at most one extension.
//!
//! A variable is defined where no values of the variables before it allow both of its own: the
//! clauses in which it is the last one, with its literal taken out, cannot all hold for both signs.
//! Where each variable that is no choice is defined, two models that agree on the choices agree on
//! everything, by induction along the order. That needs the clauses of one variable at a time, where
//! a copy of all of them beside themselves takes z3 minutes. The order is that of the numbers, which
//! is right for formulas that are written along their definitions; else nothing is proven here.

use std::time::Instant;

use index::Id;
use qcnf::{Lit, Var};
use z3::ast::Bool;

use crate::limits::answer;
use crate::matrix::Matrix;

/// Variables that are asked about at once.
const BATCH: usize = 256;

impl Matrix<'_> {
    /// Whether each of the variables that are no choices and occur is defined by those before it.
    ///
    /// # Errors
    /// Why the question stays open.
    pub(crate) fn are_defined(&self, chosen: &[bool], occurs: &[bool]) -> Result<bool, String> {
        let last = self.clauses_by_last();
        let begun = Instant::now();
        let vars = (0..self.formula.variables()).filter(|at| occurs[*at] && !chosen[*at]);
        let vars: Vec<Var> = vars.map(Var::from_index).collect();
        for batch in vars.chunks(BATCH) {
            if begun.elapsed() > self.limits.time {
                return Err("timeout".into());
            }
            let solver = self.limits.solver();
            let free: Vec<Bool> =
                batch.iter().map(|var| self.is_free(*var, &last[var.index()])).collect();
            solver.assert(Bool::or(&free));
            if answer(&solver, solver.check())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// That the clauses allow both values of a variable.
    fn is_free(&self, var: Var, clauses: &[usize]) -> Bool {
        let rest = |clause: &usize| {
            let lits = self.formula.clauses.get(Id::from_index(*clause)).iter();
            let others: Vec<Lit> = lits.copied().filter(|lit| lit.var() != var).collect();
            self.clause(&others)
        };
        Bool::and(&clauses.iter().map(rest).collect::<Vec<_>>())
    }

    /// By variable, the clauses in which it is the last one.
    fn clauses_by_last(&self) -> Vec<Vec<usize>> {
        let mut last = vec![Vec::new(); self.formula.variables()];
        for (at, clause) in self.formula.clauses.iter().enumerate() {
            let is_true = clause.iter().any(|lit| clause.contains(&!*lit));
            if let Some(var) = clause.iter().map(|lit| lit.var().index()).max().filter(|_| !is_true)
            {
                last[var].push(at);
            }
        }
        last
    }
}
