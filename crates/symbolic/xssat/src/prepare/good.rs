//! Good literals: those that win from a boundary on, whatever the other variables are.
//!
//! A literal over a variable at or above a boundary is *good* there if some choice of the next
//! level's exists-variables, made from the literal alone, satisfies every clause of that level by
//! itself and makes true a literal that is good at the next boundary; behind the last level all
//! are. By induction, a true good literal makes everything below worth 1: a decided game is not
//! played to its horizon.
//!
//! The choice is found by propagation from the literal, within the clauses of that level, and
//! never through a variable above it: that one has its value already, perhaps the other one.
//! Whatever propagation finds, the condition on the clauses is checked by itself.
//!
//! Cost: bounded by a multiple of the size of the formula; what is not found in time is not good.

use qcnf::{Kind, Lit};

use super::number::Leveled;
use crate::rows::Rows;

/// Finds good literals: for each boundary, those that win there. The last level has no boundary.
pub(crate) fn good_literals(formula: &Leveled) -> Rows<Lit> {
    let levels = formula.levels();
    let mut search = Search {
        formula,
        stamp: vec![0; 2 * formula.variables()],
        seen: vec![0; formula.clauses.len()],
        time: 0,
        closure: Vec::new(),
        budget: 64 * (formula.clauses.items() + 1000),
    };
    let mut good: Vec<Vec<Lit>> = vec![Vec::new(); levels.saturating_sub(1)];
    let mut below: Option<Vec<Lit>> = None;
    for level in (1..levels).rev() {
        let found = search.level(level, below.as_deref());
        good[level - 1].clone_from(&found);
        below = Some(found);
        if search.budget == 0 || good[level - 1].is_empty() {
            break;
        }
    }
    Rows::from_rows(good)
}

struct Search<'a> {
    formula: &'a Leveled,
    /// Literals of the closure at hand.
    stamp: Vec<u32>,
    /// Clauses that the closure at hand satisfies.
    seen: Vec<u32>,
    time: u32,
    closure: Vec<Lit>,
    budget: usize,
}

impl Search<'_> {
    /// The literals that win at the boundary above `level`; `below`: those of the next boundary,
    /// none where there is none.
    fn level(&mut self, level: usize, below: Option<&[Lit]>) -> Vec<Lit> {
        let mut candidates = match self.formula.clauses_of(level).len() {
            0 => below.unwrap_or_default().to_vec(),
            _ => self.neighbours(level),
        };
        candidates.retain(|lit| self.formula.level(lit.var()) < level);
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&lit| self.wins(lit, level, below));
        candidates
    }

    /// Literals over the variables of the level's clauses, in both signs: a literal may satisfy a
    /// clause, or falsify part of one and so choose.
    fn neighbours(&self, level: usize) -> Vec<Lit> {
        let clauses = self.formula.clauses_of(level).map(|id| self.formula.clauses.get(id));
        clauses.flatten().flat_map(|&lit| [lit, !lit]).collect()
    }

    fn wins(&mut self, lit: Lit, level: usize, below: Option<&[Lit]>) -> bool {
        self.time += 1;
        self.closure.clear();
        self.take(lit);
        if !self.close(level) {
            return false;
        }
        let mut satisfied = 0;
        for at in 0..self.closure.len() {
            for &id in self.formula.occurs_in(self.closure[at], level) {
                self.spend(1);
                satisfied += usize::from(self.seen[id as usize] != self.time);
                self.seen[id as usize] = self.time;
            }
        }
        let all = satisfied == self.formula.clauses_of(level).len();
        all && below.is_none_or(|good| good.iter().any(|l| self.stamp[l.code()] == self.time))
    }

    fn take(&mut self, lit: Lit) {
        self.stamp[lit.code()] = self.time;
        self.closure.push(lit);
    }

    fn spend(&mut self, steps: usize) {
        self.budget = self.budget.saturating_sub(steps);
    }

    /// Propagates within the level; false where that fails.
    fn close(&mut self, level: usize) -> bool {
        let mut next = 0;
        while let Some(&lit) = self.closure.get(next) {
            next += 1;
            for &id in self.formula.occurs_in(!lit, level) {
                if self.budget == 0 {
                    return false;
                }
                self.spend(1);
                match self.unit(id) {
                    Unit::Falsified => return false,
                    Unit::Only(lit) if !self.may_choose(lit, level) => return false,
                    Unit::Only(lit) => self.take(lit),
                    Unit::Open => {}
                }
            }
        }
        true
    }

    fn may_choose(&self, lit: Lit, level: usize) -> bool {
        let exists = self.formula.kind(lit.var()) == Kind::Exists;
        exists && self.formula.level(lit.var()) == level
    }

    fn unit(&self, id: u32) -> Unit {
        let mut only = None;
        for &lit in self.formula.clauses.get(id as usize) {
            if self.stamp[lit.code()] == self.time {
                return Unit::Open;
            }
            if self.stamp[(!lit).code()] != self.time && only.replace(lit).is_some() {
                return Unit::Open;
            }
        }
        only.map_or(Unit::Falsified, Unit::Only)
    }
}

/// What the closure leaves of a clause.
enum Unit {
    Falsified,
    Only(Lit),
    /// Satisfied, or with two literals open.
    Open,
}
