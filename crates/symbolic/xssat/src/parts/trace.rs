//! Trace: how each learned clause was derived, for a checker that does not trust the solver.
//!
//! A derivation names a false clause and resolutions with earlier ones; `qcnf::derivation` follows
//! them. Clauses are numbered as the prepared formula has them, learned ones after.

use index::Id;
use qcnf::ClauseId;
use qcnf::derivation::{Step, StepId};

use super::analyze::{Analyzer, Link};

/// How one clause was learned.
struct Derivation {
    start: u32,
    chain: Vec<Link>,
}

/// The learned clauses in order.
pub(crate) struct Trace {
    own: u32,
    is_kept: bool,
    derivations: Vec<Derivation>,
}

impl Trace {
    pub(crate) fn new(own: u32, is_kept: bool) -> Self {
        Self { own, is_kept, derivations: Vec::new() }
    }

    /// Records what the analyzer found last.
    pub(crate) fn record(&mut self, id: u32, analyzer: &Analyzer) {
        if self.is_kept {
            debug_assert_eq!(id as usize, self.own as usize + self.derivations.len());
            self.derivations
                .push(Derivation { start: analyzer.start, chain: analyzer.chain.clone() });
        }
    }

    /// All steps, the formula's own clauses first, and the step that derives each learned clause.
    pub(crate) fn steps(&self) -> (Vec<Step>, Vec<StepId>) {
        let own = 0..self.own as usize;
        let mut steps: Vec<Step> = own.clone().map(input).collect();
        let mut derived: Vec<StepId> = own.map(StepId::from_index).collect();
        for derivation in &self.derivations {
            let mut last = derived[derivation.start as usize];
            for link in &derivation.chain {
                let reason = derived[link.clause as usize];
                let (positive, negative) =
                    if link.is_positive { (reason, last) } else { (last, reason) };
                steps.push(Step::Resolve { positive, negative, pivot: link.pivot });
                last = StepId::from_index(steps.len() - 1);
            }
            derived.push(last);
        }
        let learned = derived.split_off(self.own as usize);
        (steps, learned)
    }
}

fn input(at: usize) -> Step {
    Step::Input(ClauseId::from_index(at))
}
