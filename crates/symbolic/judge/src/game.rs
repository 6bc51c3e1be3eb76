//! One formula of a game: the values of its first moves, under the solver's limits.

use exact::Ratio;
use qcnf::Lit;
use sqasp::{
    AtomId, Completion, GroundProgram, Line, Opening, Placement, Prefix, Value, complete_within,
};
use verdict::{HaltReason, Watch};
use xssat::{Options, Solver};

use crate::symbolic::Ended;

/// Bounds on a value, both included; equal where it is exact.
pub(crate) type Bounds = (Ratio, Ratio);

/// The formula of a ground program, its first moves free to be fixed.
pub(crate) struct Formula {
    pub(crate) prefix: Prefix,
    pub(crate) completion: Completion,
    solver: Solver,
}

impl Formula {
    /// The formula, and the first moves; `steps` of 0 has none.
    ///
    /// # Errors
    /// The limit that is met, or what is wrong with the prefix: a fault of the translation.
    pub(crate) fn new(
        ground: &GroundProgram,
        opening_of: impl Fn(&Completion) -> Opening,
        placement: Placement,
        watch: &Watch<'_>,
    ) -> Result<(Self, Opening), Ended> {
        let complete = |prefix: &Prefix| {
            complete_within(ground, prefix, placement, watch).map_err(Ended::Limit)
        };
        let mut prefix = Prefix::read(ground).map_err(|faults| Ended::broken(&faults[0].text))?;
        let mut completion = complete(&prefix)?;
        let opening = opening_of(&completion);
        if opening.minimise {
            prefix.pull_out(&opening.atoms);
            completion = complete(&prefix)?;
        }
        let solver = Solver::new(&completion.formula, &Options::default());
        Ok((Self { prefix, completion, solver }, opening))
    }

    /// The value under a first choice; none for that of the formula as it is.
    pub(crate) fn value(
        &mut self,
        line: Option<&Line>,
        watch: &Watch<'_>,
    ) -> (Bounds, Option<HaltReason>) {
        let fixed = line.map_or(&[][..], |line| &line.fixed);
        let Some(assumptions) = self.assumptions(fixed) else {
            return ((Ratio::zero(), Ratio::zero()), None);
        };
        match self.solver.solve(&assumptions, watch) {
            Ok(value) => ((value.clone(), value), None),
            Err(halted) => (halted.bounds, Some(halted.reason)),
        }
    }

    /// Literals that hold where the atoms have their values; none where one cannot. An atom that
    /// the formula does not need may have either value.
    fn assumptions(&self, fixed: &[(AtomId, bool)]) -> Option<Vec<Lit>> {
        let mut found = Vec::new();
        for (atom, wanted) in fixed {
            match self.completion.values[*atom] {
                Value::Literal(lit) => found.push(if *wanted { lit } else { !lit }),
                Value::Constant(value) if value != *wanted => return None,
                Value::Constant(_) | Value::Unneeded => {}
            }
        }
        Some(found)
    }

    /// Entries that the solver keeps.
    pub(crate) fn stored(&self) -> u64 {
        self.solver.stats().entries
    }
}
