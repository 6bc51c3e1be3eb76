//! The solver against the definition, and the faults that these tests must catch.

mod agreement;
mod canaries;
mod formulas;
mod limits;
mod parts;
mod traces;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use exact::Ratio;
use qcnf::{Lit, Qcnf};
use verdict::Watch;

use crate::{Options, Solver};

/// Calls with a watch that has no limits.
fn unwatched<T>(body: impl FnOnce(&Watch<'_>) -> T) -> T {
    let interrupt = AtomicBool::new(false);
    body(&Watch {
        started: Instant::now(),
        time: None,
        memory: None,
        interrupt: &interrupt,
        progress: &|_| {},
    })
}

/// The value under assumptions, by a new solver.
fn solve(formula: &Qcnf, options: &Options, assumptions: &[Lit]) -> Ratio {
    let mut solver = Solver::new(formula, options);
    unwatched(|watch| solver.solve(assumptions, watch)).expect("there is no limit")
}
