//! Good literals: those that win from a boundary on, whatever the other variables are.
//!
//! A literal over a variable at or above a boundary is *good* there if some choice of the next
//! level's exists-variables satisfies every clause of that level, whatever else is chosen above
//! or by others, and makes true a literal that is good at the next boundary; behind the last
//! level all are. By induction, a true good literal makes everything below worth 1: a decided
//! game is not played to its horizon.
//!
//! What else is true where the literal is follows by propagation within the clauses above the
//! level: those are all satisfied at the boundary. The choice then has two parts. Some variables
//! of the level get a fixed value, by propagation within its clauses, but never through a variable
//! above it: that one has its value already, perhaps the other one. The clauses that these do not satisfy must vanish by *blocked
//! clause elimination*: a clause is blocked on a literal of an exists-variable of the level if
//! each other remaining clause with the negation also holds another literal's negation, or is
//! true by it; then that variable can be chosen, last, so that the clause holds and none breaks.
//! Definitions that nothing depends on any more vanish so.
//!
//! Cost: bounded by a multiple of the size of the formula; what is not found in time is not good.
//! Source for blocked clauses: Kullmann, *On a generalization of extended resolution* (1999).

use qcnf::{Kind, Lit};

use super::number::Leveled;
use crate::rows::Rows;

/// How many levels above a level its literals are followed through.
const WINDOW: usize = 8;

/// Finds good literals: for each boundary, those that win there. The last level has no boundary.
pub(crate) fn good_literals(formula: &Leveled, is_faulty: bool) -> Rows<Lit> {
    let levels = formula.levels();
    let mut search = Search {
        formula,
        is_faulty,
        stamp: vec![0; 2 * formula.variables()],
        seen: vec![0; formula.clauses.len()],
        time: 0,
        closure: Vec::new(),
        known: vec![0; 2 * formula.variables()],
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
    /// Whether a test wants variables above the boundary closed through.
    is_faulty: bool,
    /// Literals of the closure at hand.
    stamp: Vec<u32>,
    /// Clauses that the closure at hand satisfies, or that vanished.
    seen: Vec<u32>,
    time: u32,
    closure: Vec<Lit>,
    /// The level above which each literal was found to be good last.
    known: Vec<u32>,
    budget: usize,
}

impl<'a> Search<'a> {
    /// The literals that win at the boundary above `level`; `below`: those of the next boundary,
    /// none where there is none.
    fn level(&mut self, level: usize, below: Option<&[Lit]>) -> Vec<Lit> {
        let mut candidates = match below {
            Some(good) => self.leading(good, level),
            None => self.neighbours(level),
        };
        candidates.retain(|lit| self.formula.level(lit.var()) < level);
        candidates.retain(|&lit| {
            let wins = self.wins(lit, level, below);
            if wins {
                self.known[lit.code()] = level as u32;
            }
            wins
        });
        candidates
    }

    /// Literals over the variables of the level's clauses, in both signs: a literal may satisfy a
    /// clause, or falsify part of one and so choose.
    fn neighbours(&self, level: usize) -> Vec<Lit> {
        let clauses = self.formula.clauses_of(level).map(|id| self.formula.clauses.get(id));
        let mut lits: Vec<Lit> = clauses.flatten().flat_map(|&lit| [lit, !lit]).collect();
        lits.sort_unstable();
        lits.dedup();
        lits
    }

    /// Good literals and those that imply one through binary clauses.
    fn leading(&mut self, good: &[Lit], level: usize) -> Vec<Lit> {
        self.time += 1;
        self.closure.clear();
        good.iter().for_each(|&lit| self.stamp[(!lit).code()] = self.time);
        self.closure.extend(good.iter().map(|&lit| !lit));
        let mut next = 0;
        while let Some(&lit) = self.closure.get(next) {
            next += 1;
            for &id in self.window(!lit, level) {
                self.spend(1);
                if let [a, b] = *self.formula.clauses.get(id as usize) {
                    let implied = if a == !lit { b } else { a };
                    if !self.is_taken(implied) {
                        self.stamp[implied.code()] = self.time;
                        self.closure.push(implied);
                    }
                }
            }
        }
        self.closure.iter().map(|&lit| !lit).collect()
    }

    /// The clauses of the level and some above that hold a literal.
    fn window(&self, lit: Lit, level: usize) -> &'a [u32] {
        self.formula.occurs_between(lit, level.saturating_sub(WINDOW), level)
    }

    fn wins(&mut self, lit: Lit, level: usize, below: Option<&[Lit]>) -> bool {
        self.time += 1;
        self.closure.clear();
        self.take(lit);
        let closed = self.close(level);
        let leads = below.is_none_or(|good| good.iter().any(|&lit| self.is_taken(lit)));
        if !closed || !leads {
            return false;
        }
        let left = self.unsatisfied(level);
        self.vanish(left, level)
    }

    fn take(&mut self, lit: Lit) {
        debug_assert!(!self.is_taken(!lit), "a closure is consistent");
        self.stamp[lit.code()] = self.time;
        self.closure.push(lit);
    }

    #[inline]
    fn is_taken(&self, lit: Lit) -> bool {
        self.stamp[lit.code()] == self.time
    }

    fn spend(&mut self, steps: usize) {
        self.budget = self.budget.saturating_sub(steps);
    }

    /// Propagates within the level and above; false where that fails, and where it meets a good
    /// literal: that one is true then as well, and enough.
    fn close(&mut self, level: usize) -> bool {
        let mut next = 0;
        while let Some(&lit) = self.closure.get(next) {
            next += 1;
            if self.known[lit.code()] == level as u32 {
                return false;
            }
            for &id in self.window(!lit, level) {
                if self.budget == 0 {
                    return false;
                }
                self.spend(1);
                let is_above = (id as usize) < self.formula.clauses_of(level).start;
                match self.unit(id) {
                    Unit::Falsified => return false,
                    Unit::Only(lit) if is_above || self.may_choose(lit, level) => self.take(lit),
                    Unit::Only(_) | Unit::Open => {}
                }
            }
        }
        true
    }

    fn may_choose(&self, lit: Lit, level: usize) -> bool {
        let exists = self.formula.kind(lit.var()) == Kind::Exists;
        exists && (self.formula.level(lit.var()) == level || self.is_faulty)
    }

    fn unit(&self, id: u32) -> Unit {
        let mut only = None;
        for &lit in self.formula.clauses.get(id as usize) {
            if self.is_taken(lit) {
                return Unit::Open;
            }
            if !self.is_taken(!lit) && only.replace(lit).is_some() {
                return Unit::Open;
            }
        }
        only.map_or(Unit::Falsified, Unit::Only)
    }

    /// The clauses of the level that the closure does not satisfy; the others are marked as seen.
    fn unsatisfied(&mut self, level: usize) -> Vec<u32> {
        let range = self.formula.clauses_of(level);
        self.spend(range.len());
        for at in 0..self.closure.len() {
            for &id in self.formula.occurs_in(self.closure[at], level) {
                self.seen[id as usize] = self.time;
            }
        }
        range.filter(|&id| self.seen[id] != self.time).map(|id| id as u32).collect()
    }

    /// Whether all these clauses vanish, blocked one after the other.
    fn vanish(&mut self, mut left: Vec<u32>, level: usize) -> bool {
        loop {
            let before = left.len();
            let mut kept = Vec::with_capacity(before);
            for &id in &left {
                if self.is_blocked(id, level) {
                    self.seen[id as usize] = self.time;
                } else {
                    kept.push(id);
                }
            }
            left = kept;
            if left.is_empty() || left.len() == before || self.budget == 0 {
                return left.is_empty();
            }
        }
    }

    fn is_blocked(&mut self, id: u32, level: usize) -> bool {
        let clause = self.formula.clauses.get(id as usize);
        clause.iter().any(|&lit| {
            self.may_choose(lit, level)
                && !self.is_taken(!lit)
                && self.is_blocked_on(id, lit, level)
        })
    }

    /// Whether every remaining clause with the negation resolves with this one to a tautology.
    fn is_blocked_on(&mut self, id: u32, lit: Lit, level: usize) -> bool {
        let clause = self.formula.clauses.get(id as usize);
        let others = self.formula.occurs_in(!lit, level);
        self.spend(1 + others.len());
        others.iter().filter(|&&other| self.seen[other as usize] != self.time).all(|&other| {
            let other = self.formula.clauses.get(other as usize);
            other.iter().any(|&l| l != !lit && !self.is_taken(!l) && clause.contains(&!l))
        })
    }
}

/// What the closure leaves of a clause.
enum Unit {
    Falsified,
    Only(Lit),
    /// Satisfied, or with two literals open.
    Open,
}
