//! How long z3 may think about one question.

use std::time::Duration;

use z3::{Params, SatResult, Solver};

/// Limits of one question; a question that meets one stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time for one question.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(60) }
    }
}

impl Limits {
    /// A solver for clauses and gates under these limits.
    pub(crate) fn solver(self) -> Solver {
        let solver = Solver::new_for_logic("QF_FD").expect("z3 knows the logic of finite domains");
        self.set(&solver);
        solver
    }

    /// Puts a solver under these limits.
    pub(crate) fn set(self, solver: &Solver) {
        let mut parameters = Params::new();
        let milliseconds = u32::try_from(self.time.as_millis()).unwrap_or(u32::MAX);
        parameters.set_u32("timeout", milliseconds.max(1));
        solver.set_params(&parameters);
    }
}

/// What z3 says to a question: whether there is a model, or why that is open.
pub(crate) fn answer(solver: &Solver, result: SatResult) -> Result<bool, String> {
    match result {
        SatResult::Sat => Ok(true),
        SatResult::Unsat => Ok(false),
        SatResult::Unknown => {
            Err(solver.get_reason_unknown().unwrap_or_else(|| "no reason given".into()))
        }
    }
}
