//! Trace: the frontier walk with a record that others can check ([`qcnf::trace::Trace::value`]).
//!
//! The walk is the same but for two things that a trace has no nodes for: windows, under which a
//! branch may come back with a bound, and good literals, whose proofs are sets of clauses that
//! vanish. So it takes longer, and its value is shown by nodes alone.

use exact::Ratio;
use qcnf::Qcnf;
use qcnf::trace::{Node, Trace};
use verdict::Watch;

use crate::learned::formula_of;
use crate::options::Options;
use crate::solver::{Halted, Solver};

/// A trace of the value of a formula.
///
/// Its formula is the prepared one: how that follows from the given one is not part of it.
///
/// # Errors
/// The limit that was met, with bounds on the value.
///
/// # Panics
/// When the formula has a flaw ([`Qcnf::flaw`]).
pub fn trace(formula: &Qcnf, options: &Options, watch: &Watch<'_>) -> Result<Trace, Halted> {
    let options = Options { bounds: 0, good_literals: 0, walk: 1, ..options.clone() };
    match Solver::new(formula, &options).record(watch)? {
        Some(trace) => Ok(trace),
        None => Ok(worthless()),
    }
}

/// The trace of a formula that preparation found to be worth 0.
fn worthless() -> Trace {
    let mut formula = Qcnf::new(0);
    formula.add_clause(&[]);
    let nodes = vec![Node::Zero];
    Trace { formula, boundaries: Vec::new(), factor: Ratio::one(), nodes }
}

impl Solver {
    /// The value by a recorded walk; none where preparation finds it to be 0.
    fn record(mut self, watch: &Watch<'_>) -> Result<Option<Trace>, Halted> {
        let Some((problem, nodes)) = self.walk_recorded(watch)? else { return Ok(None) };
        let mut boundaries = problem.formula.ends.clone();
        boundaries.pop();
        Ok(Some(Trace {
            formula: formula_of(&problem.formula),
            boundaries,
            factor: problem.factor.clone(),
            nodes,
        }))
    }
}
