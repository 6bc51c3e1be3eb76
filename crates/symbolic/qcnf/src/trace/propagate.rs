//! Propagation by counting, as plain as can be: it checks a solver that does it otherwise.
//!
//! For each clause the number of its true and of its open literals is kept. A clause without a
//! true literal and with one open literal makes that literal true; one without open literals is a
//! conflict; so is a literal of forall that would have to be true. Cost of an assignment: the
//! clauses that hold its variable.

use index::Id;

use crate::{ClauseId, Kind, Lit, Qcnf, Var};

/// An assignment and what follows from it.
pub(super) struct Assignment<'a> {
    formula: &'a Qcnf,
    kinds: &'a [Kind],
    /// For each literal the clauses that hold it.
    holds: Vec<Vec<u32>>,
    values: Vec<Option<bool>>,
    trail: Vec<Lit>,
    /// For each clause its true and its open literals.
    counts: Vec<[u32; 2]>,
    done: usize,
}

impl<'a> Assignment<'a> {
    pub(super) fn new(formula: &'a Qcnf, kinds: &'a [Kind]) -> Self {
        let mut holds = vec![Vec::new(); 2 * formula.variables()];
        for (id, clause) in formula.clauses.iter().enumerate() {
            clause.iter().for_each(|lit| holds[lit.code()].push(id as u32));
        }
        Self {
            formula,
            kinds,
            holds,
            values: vec![None; formula.variables()],
            trail: Vec::new(),
            counts: formula.clauses.iter().map(|clause| [0, clause.len() as u32]).collect(),
            done: 0,
        }
    }

    pub(super) fn value(&self, var: Var) -> Option<bool> {
        self.values[var.index()]
    }

    pub(super) fn is_true(&self, lit: Lit) -> bool {
        self.values[lit.var().index()] == Some(lit.is_positive())
    }

    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Draws what follows at the start; false on a conflict.
    pub(super) fn begin(&mut self) -> bool {
        (0..self.counts.len()).all(|id| self.look(id)) && self.propagate()
    }

    /// Makes an open literal true and draws what follows; false on a conflict.
    pub(super) fn assume(&mut self, lit: Lit) -> bool {
        self.set(lit);
        self.propagate()
    }

    fn set(&mut self, lit: Lit) {
        assert_eq!(self.value(lit.var()), None, "{lit} has a value");
        self.values[lit.var().index()] = Some(lit.is_positive());
        self.trail.push(lit);
        for &id in &self.holds[lit.code()] {
            self.counts[id as usize][0] += 1;
        }
        for &id in &self.holds[(!lit).code()] {
            self.counts[id as usize][1] -= 1;
        }
        for &id in &self.holds[lit.code()] {
            self.counts[id as usize][1] -= 1;
        }
    }

    fn propagate(&mut self) -> bool {
        while let Some(&lit) = self.trail.get(self.done) {
            self.done += 1;
            for at in 0..self.holds[(!lit).code()].len() {
                if !self.look(self.holds[(!lit).code()][at] as usize) {
                    return false;
                }
            }
        }
        true
    }

    /// Looks at one clause; false on a conflict.
    fn look(&mut self, id: usize) -> bool {
        match self.counts[id] {
            [0, 0] => false,
            [0, 1] => {
                let clause = self.formula.clauses.get(ClauseId::from_index(id));
                let open = clause.iter().find(|lit| self.values[lit.var().index()].is_none());
                let lit = *open.expect("one literal is open");
                if self.kinds[lit.var().index()] == Kind::Forall {
                    return false;
                }
                self.set(lit);
                true
            }
            _ => true,
        }
    }

    /// Whether an open clause holds a literal.
    pub(super) fn is_needed(&self, lit: Lit) -> bool {
        self.holds[lit.code()].iter().any(|&id| self.counts[id as usize][0] == 0)
    }

    /// Whether all clauses hold.
    pub(super) fn is_satisfied(&self) -> bool {
        self.counts.iter().all(|[held, _]| *held > 0)
    }

    /// Takes back all literals but the first ones.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            let Some(lit) = self.trail.pop() else { break };
            self.values[lit.var().index()] = None;
            for &id in &self.holds[lit.code()] {
                self.counts[id as usize][0] -= 1;
                self.counts[id as usize][1] += 1;
            }
            for &id in &self.holds[(!lit).code()] {
                self.counts[id as usize][1] += 1;
            }
        }
        self.done = self.trail.len();
    }
}
