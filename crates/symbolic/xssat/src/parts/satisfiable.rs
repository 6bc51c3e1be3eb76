//! Satisfiable: whether the clauses have a model under the assignment, quantifiers aside.
//!
//! Where they have none the value is 0 at once, whatever the quantifiers. Where they have one, two
//! things follow. A part that only exists-variables are left in is worth 1. And what a learned
//! clause makes true in one part, it makes true by that part alone: if two parts together imply
//! `a or b`, with `a` about the one and `b` about the other, and both have models, then one of them
//! implies its side. So values of parts are right under learned clauses and may be kept.
//!
//! The search keeps a model that agrees with its assignment, so half of the checks are free: the
//! first value that a variable gets is the model's. Only variables of one part are chosen here,
//! since the model stays as it is on the others.
//!
//! Source: Marques-Silva and Sakallah, *GRASP* (1996); Luby, Sinclair and Zuckerman, *Optimal
//! speedup of Las Vegas algorithms* (1993) for restarts.

use index::Id;
use qcnf::{Lit, Var};
use verdict::HaltReason;

use super::reasoner::Reasoner;
use crate::clock::Clock;
use crate::stats::Stats;

/// Conflicts between restarts, times Luby's numbers.
const UNIT: u64 = 64;

impl Reasoner {
    /// Whether a model agrees with the assignment, which is propagated without a conflict; a model
    /// found is kept. The part's variables and clauses are given; on all else the model at hand is
    /// one. Up to the depth `agrees` it agrees with the assignment on the part as well.
    ///
    /// # Errors
    /// The limit that is met.
    pub(crate) fn satisfy(
        &mut self,
        (vars, clauses): (&[u32], &[u32]),
        agrees: u32,
        clock: &mut Clock<'_>,
        stats: &mut Stats,
    ) -> Result<bool, HaltReason> {
        debug_assert!(self.trail.is_drawn(), "a check before all was propagated");
        stats.checks += 1;
        if clauses.iter().all(|&id| self.holds(id)) {
            self.take_model(agrees);
            return Ok(true);
        }
        let base = self.trail.depth();
        let mut open: Vec<u32> = vars.to_vec();
        open.retain(|&var| self.trail.is_open(Var::from_index(var as usize)));
        self.activity.fill(open.iter().copied());
        let mut run = 0;
        loop {
            run += 1;
            match self.probe(base, &open, UNIT * luby(run), clock) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    if found {
                        self.take_model(agrees);
                    }
                    self.undo(base);
                    stats.refuted += u64::from(!found);
                    return Ok(found);
                }
                Err(reason) => {
                    self.undo(base);
                    return Err(reason);
                }
            }
            self.undo(base);
            self.activity.fill(open.iter().copied());
        }
    }

    /// One run of so many conflicts; none where it was not enough.
    fn probe(
        &mut self,
        base: u32,
        open: &[u32],
        most: u64,
        clock: &mut Clock<'_>,
    ) -> Result<Option<bool>, HaltReason> {
        let mut conflicts = 0;
        loop {
            clock.tick()?;
            self.tidy();
            let Some(lit) = self.candidate() else { return Ok(Some(true)) };
            let mut conflict = self.choose(lit);
            while let Some(clause) = conflict {
                conflicts += 1;
                clock.tick()?;
                if !self.repair(base, clause, open) {
                    return Ok(Some(false));
                }
                conflict = self.clauses.propagate(&mut self.trail);
            }
            if conflicts >= most {
                return Ok(None);
            }
        }
    }

    fn candidate(&mut self) -> Option<Lit> {
        loop {
            let var = self.activity.pop()?;
            if self.trail.is_open(var) {
                return Some(Lit::new(var, self.phases[var.index()]));
            }
        }
    }

    /// Learns from a conflict and asserts what was learned; false where no model is left.
    fn repair(&mut self, base: u32, conflict: u32, open: &[u32]) -> bool {
        let (id, learned) = self.learn(conflict);
        if learned.unit < base || learned.conflict <= base {
            self.keep_late(id);
        }
        if learned.conflict <= base {
            return false;
        }
        let depth = learned.unit.max(base);
        let Self { trail, phases, activity, .. } = self;
        trail.undo(depth, |lit| {
            phases[lit.var().index()] = lit.is_positive();
            if open.binary_search(&(lit.var().index() as u32)).is_ok() {
                activity.insert(lit.var());
            }
        });
        let asserted = self.clauses.get(id)[0];
        self.trail.set(asserted, id);
        true
    }

    /// Whether a clause holds where open variables have the values of the model at hand.
    fn holds(&self, id: u32) -> bool {
        let fits = |lit: Lit| self.model[lit.var().index()] == lit.is_positive();
        let holds =
            |lit: Lit| self.trail.is_true(lit) || self.trail.is_open(lit.var()) && fits(lit);
        self.clauses.get(id).iter().any(|&lit| holds(lit))
    }

    fn take_model(&mut self, agrees: u32) {
        for lit in self.trail.since(agrees) {
            self.model[lit.var().index()] = lit.is_positive();
        }
    }
}

/// Luby's sequence 1 1 2 1 1 2 4 .. from its first place on.
fn luby(mut place: u64) -> u64 {
    debug_assert!(place > 0);
    loop {
        let size = place.ilog2() + 1;
        if place == (1 << size) - 1 {
            return 1 << (size - 1);
        }
        place -= (1 << (size - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn runs_grow_as_luby_says() {
        let sequence: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(sequence, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
