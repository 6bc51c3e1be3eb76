//! Reasoner: the assignment with all that propagates, learns and takes back.
//!
//! A learned clause is asserted as deep as the search stands, though it may hold further out: what
//! was found meanwhile is kept. Such a clause waits in `late`, and is asserted again each time that
//! the search comes back to where it holds.

use index::Id;
use qcnf::{Lit, Var};

use super::activity::Activity;
use super::analyze::{Analyzer, Learned};
use super::clauses::Clauses;
use super::trace::Trace;
use super::trail::Trail;
use crate::faults::Fault;
use crate::options::Options;
use crate::problem::Problem;

/// Clauses that may wait to be asserted further out.
const MOST_LATE: usize = 256;

/// A clause that is kept for a while.
#[derive(Clone, Copy, Debug)]
struct Kept {
    clause: u32,
    glue: u32,
}

/// The assignment, the clauses and what was learned.
pub(crate) struct Reasoner {
    pub(crate) trail: Trail,
    pub(crate) clauses: Clauses,
    pub(crate) activity: Activity,
    analyzer: Analyzer,
    /// A model of all clauses that agrees with the assignment, where checks are made.
    pub(crate) model: Vec<bool>,
    /// The value that each variable had last.
    pub(crate) phases: Vec<bool>,
    kept: Vec<Kept>,
    late: Vec<u32>,
    /// Whether clauses may wait: only where a model is known, so that they never clash.
    waits: bool,
    limit: usize,
    /// Whether the formula's clauses have no model.
    pub(crate) is_refuted: bool,
    pub(crate) trace: Trace,
    loses_literals: bool,
    /// Clauses learned, and forgotten, since somebody asked.
    pub(crate) learned: u64,
    pub(crate) forgotten: u64,
}

impl Reasoner {
    pub(crate) fn new(problem: &Problem, options: &Options) -> Self {
        let variables = problem.formula.variables();
        Self {
            trail: Trail::new(variables),
            clauses: Clauses::new(&problem.formula),
            activity: Activity::new(variables),
            analyzer: Analyzer::new(variables),
            model: vec![false; variables],
            phases: vec![false; variables],
            kept: Vec::new(),
            late: Vec::new(),
            waits: options.satisfiability > 0,
            limit: options.learned_limit as usize,
            is_refuted: false,
            trace: Trace::new(problem.formula.clauses.len() as u32, options.trace > 0),
            loses_literals: options.plants(Fault::LearnedLostLiteral),
            learned: 0,
            forgotten: 0,
        }
    }

    /// Makes a choice and draws what follows; the clause that is false then.
    pub(crate) fn choose(&mut self, lit: Lit) -> Option<u32> {
        self.trail.choose(lit);
        self.clauses.propagate(&mut self.trail)
    }

    /// Takes back the choices from a depth on.
    pub(crate) fn undo(&mut self, depth: u32) {
        let Self { trail, phases, .. } = self;
        trail.undo(depth, |lit| phases[lit.var().index()] = lit.is_positive());
    }

    /// Comes back to a depth and asserts what was learned meanwhile; the clause that is false.
    pub(crate) fn return_to(&mut self, depth: u32) -> Option<u32> {
        self.undo(depth);
        let mut conflict = None;
        let mut late = std::mem::take(&mut self.late);
        late.retain(|&id| {
            let clause = self.clauses.get(id);
            let mut open = clause.iter().filter(|lit| !self.trail.is_false(**lit));
            match (open.next(), open.next()) {
                (None, _) => {
                    conflict = Some(id);
                    true
                }
                (Some(&lit), None) => {
                    if self.trail.is_open(lit.var()) {
                        self.trail.set(lit, id);
                    }
                    true
                }
                _ => false,
            }
        });
        self.late = late;
        conflict.or_else(|| self.clauses.propagate(&mut self.trail))
    }

    /// Learns from a false clause. Returns the new clause and where it takes effect; it is empty
    /// where the formula's clauses have no model.
    pub(crate) fn learn(&mut self, conflict: u32) -> (u32, Learned) {
        let learned =
            self.analyzer.analyze(conflict, &self.clauses, &self.trail, &mut self.activity);
        if self.loses_literals && self.analyzer.clause.len() > 2 {
            self.analyzer.clause.pop();
        }
        let id = self.clauses.add(&self.analyzer.clause);
        self.trace.record(id, &self.analyzer);
        self.kept.push(Kept { clause: id, glue: learned.glue });
        self.learned += 1;
        self.is_refuted |= learned.conflict == 0;
        (id, learned)
    }

    /// Remembers a clause that was asserted deeper than it holds.
    pub(crate) fn keep_late(&mut self, id: u32) {
        if self.late.len() == MOST_LATE {
            self.late.remove(0);
        }
        if self.waits {
            self.late.push(id);
        }
    }

    /// Forgets half of the learned clauses once there are too many: those whose literals are of
    /// many depths, the oldest first. Never those of two depths, nor reasons: where these are most,
    /// the limit grows beyond them, so that it holds and the next one does not bring all this again.
    pub(crate) fn tidy(&mut self) {
        if self.kept.len() <= self.limit {
            return;
        }
        let mut order = self.kept.clone();
        order.sort_unstable_by_key(|kept| (kept.glue, std::cmp::Reverse(kept.clause)));
        let gone = order.split_off(order.len() / 2);
        let gone = gone.into_iter().filter(|kept| kept.glue > 2 && !self.is_reason(kept.clause));
        self.forget(gone.map(|kept| kept.clause).collect());
        self.limit = (self.limit + self.limit / 16).max(self.kept.len() + 1);
    }

    /// Forgets all learned clauses that are the reason of nothing.
    pub(crate) fn forget_all(&mut self) {
        let all = self.kept.iter().map(|kept| kept.clause);
        let gone: Vec<u32> = all.filter(|&id| !self.is_reason(id)).collect();
        if !gone.is_empty() {
            self.forget(gone);
        }
    }

    fn forget(&mut self, mut gone: Vec<u32>) {
        gone.sort_unstable();
        self.forgotten += gone.len() as u64;
        let is_gone = |id: u32| gone.binary_search(&id).is_ok();
        self.clauses.forget(is_gone);
        self.kept.retain(|kept| !is_gone(kept.clause));
        self.late.retain(|&id| !is_gone(id));
    }

    /// How many learned clauses are kept, and how many may be.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> (usize, usize) {
        (self.kept.len(), self.limit)
    }

    fn is_reason(&self, id: u32) -> bool {
        let is_its = |lit: &Lit| !self.trail.is_open(lit.var()) && self.reason_is(lit.var(), id);
        self.clauses.get(id).iter().any(is_its)
    }

    fn reason_is(&self, var: Var, id: u32) -> bool {
        self.trail.reason(var) == id
    }
}
