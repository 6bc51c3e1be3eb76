//! Residual keys: which clauses are left of those that cross a boundary.
//!
//! A clause that crosses is satisfied above the boundary, or it leaves the part of it that lies
//! beyond. What follows depends only on the set of parts that are left, so that set is a key:
//! coarser than the values of the cut, since it forgets variables that no longer matter, and
//! dearer, since every crossing clause is looked at. It pays in formulas where choices become
//! irrelevant rather than where they meet in one state.
//!
//! Only literals at or above the boundary count as satisfying: what propagation drew beyond it is
//! a consequence of the parts, and must not hide them.

use std::collections::HashMap;

use qcnf::Lit;

use super::propagate::Propagator;
use crate::problem::Problem;
use crate::rows::Rows;

/// The clauses that cross one boundary.
pub(crate) struct Residual {
    /// Of each clause the literals at or above the boundary.
    above: Rows<Lit>,
    /// Of each clause the number of the part beyond.
    part: Vec<u32>,
    parts: usize,
}

impl Residual {
    /// Finds them. `is_faulty`: a test wants all literals of a clause to satisfy it.
    pub(crate) fn new(problem: &Problem, boundary: usize, is_faulty: bool) -> Self {
        let formula = &problem.formula;
        let mut numbers: HashMap<Vec<Lit>, u32> = HashMap::new();
        let mut above = Rows::default();
        let mut part = Vec::new();
        for id in formula.clauses_of(boundary + 1).start..formula.clauses.len() {
            let is_beyond = |lit: &&Lit| formula.level(lit.var()) > boundary;
            let (beyond, near): (Vec<Lit>, Vec<Lit>) =
                formula.clauses.get(id).iter().partition(is_beyond);
            debug_assert!(!beyond.is_empty(), "clauses stand by their deepest level");
            if !near.is_empty() {
                let next = numbers.len() as u32;
                part.push(*numbers.entry(beyond).or_insert(next));
                above.push(if is_faulty { formula.clauses.get(id) } else { &near });
            }
        }
        Self { above, part, parts: numbers.len() }
    }

    /// Words of a key.
    pub(crate) fn words(&self) -> usize {
        self.parts.div_ceil(64)
    }

    /// Packs the parts that are left into a key.
    pub(crate) fn pack(&self, propagator: &Propagator, key: &mut Vec<u64>) {
        key.clear();
        key.resize(self.words(), 0);
        for (at, &part) in self.part.iter().enumerate() {
            if !self.above.get(at).iter().any(|&lit| propagator.is_true(lit)) {
                key[part as usize / 64] |= 1 << (part % 64);
            }
        }
    }
}
