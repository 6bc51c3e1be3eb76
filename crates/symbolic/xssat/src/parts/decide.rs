//! Decide: the variable of a part that is branched on, and its first value.
//!
//! Any variable of the part's outermost block will do. The most active comes first, and among
//! equals the one that stands first. Its first value is the model's: where checks are made it needs
//! none. Under option `bounds` the search prefers the other value for exists where that loses less to
//! chance at once.

use index::Id;
use qcnf::{Kind, Lit, Var};

use super::reasoner::Reasoner;
use crate::problem::Problem;

/// Orders variables by who is chosen first: a level's own variables before those defined at it.
fn depth(problem: &Problem, var: Var) -> (usize, bool) {
    (problem.formula.level(var), problem.formula.kind(var) == Kind::Exists)
}

/// The literal to try first; `vars` are those of the part.
pub(crate) fn decide(problem: &Problem, reasoner: &Reasoner, vars: &[u32]) -> Lit {
    let var = |at: u32| Var::from_index(at as usize);
    let outermost = depth(problem, var(vars[0]));
    let block = vars.iter().map(|&at| var(at)).take_while(|&v| depth(problem, v) == outermost);
    let key = |v: &Var| (reasoner.activity.score(*v), std::cmp::Reverse(v.index()));
    let chosen = block.max_by_key(key).expect("a part has a variable");
    Lit::new(chosen, reasoner.model[chosen.index()])
}
