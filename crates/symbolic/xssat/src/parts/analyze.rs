//! Analyze: from a false clause to a learned one, by resolution along the trail.
//!
//! The false clause is resolved with the reasons of its deepest literals, last first, until one
//! literal of that depth is left: the *first unique implication point*. Then literals that the
//! others imply by their own reasons go, and those that hold without any choice. Each step is a
//! resolution, so the clause is implied by the formula's own clauses whatever the quantifiers say;
//! the chain of steps can be kept and followed by a checker.
//!
//! Source: Marques-Silva and Sakallah, *GRASP* (1996); Zhang et al., *Efficient conflict driven
//! learning in a Boolean satisfiability solver* (2001).

use index::Id;
use qcnf::{Lit, Var};

use super::activity::Activity;
use super::clauses::Clauses;
use super::trail::{CHOSEN, Trail};

/// One resolution: with this clause, on this variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) clause: u32,
    pub(crate) pivot: Var,
    /// Whether the clause holds the variable unnegated.
    pub(crate) is_positive: bool,
}

/// What is derived from a conflict.
#[derive(Default)]
pub(crate) struct Analyzer {
    seen: Vec<bool>,
    marked: Vec<Var>,
    /// The learned clause: the literal that it makes true first, then the deepest other.
    pub(crate) clause: Vec<Lit>,
    /// The false clause that the chain starts from.
    pub(crate) start: u32,
    /// The resolutions, in order.
    pub(crate) chain: Vec<Link>,
    /// Marked variables of the conflict's depth that are still to be resolved.
    pending: usize,
}

/// Where a learned clause takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Learned {
    /// The depth of the conflict.
    pub(crate) conflict: u32,
    /// The depth at which the clause has one literal left.
    pub(crate) unit: u32,
    /// How many depths its literals are of.
    pub(crate) glue: u32,
}

impl Analyzer {
    pub(crate) fn new(variables: usize) -> Self {
        Self { seen: vec![false; variables], ..Self::default() }
    }

    /// Learns from a false clause.
    pub(crate) fn analyze(
        &mut self,
        conflict: u32,
        clauses: &Clauses,
        trail: &Trail,
        activity: &mut Activity,
    ) -> Learned {
        debug_assert!(clauses.get(conflict).iter().all(|&lit| trail.is_false(lit)));
        let depth = |lit: &Lit| trail.depth_of(lit.var());
        let top = clauses.get(conflict).iter().map(depth).max().unwrap_or(0);
        self.clause.clear();
        self.chain.clear();
        self.start = conflict;
        self.mark(clauses.get(conflict), None, top, trail);
        if top > 0 {
            self.resolve_to_one(top, clauses, trail);
            self.minimize(clauses, trail);
        }
        self.resolve_unchosen(clauses, trail);
        self.marked.iter().for_each(|&var| activity.bump(var));
        activity.age();
        self.marked.drain(..).for_each(|var| self.seen[var.index()] = false);
        self.arrange(top, trail)
    }

    /// Takes the literals of a clause in, but the pivot's.
    fn mark(&mut self, clause: &[Lit], pivot: Option<Var>, top: u32, trail: &Trail) {
        for &lit in clause.iter().filter(|lit| Some(lit.var()) != pivot) {
            if std::mem::replace(&mut self.seen[lit.var().index()], true) {
                continue;
            }
            self.marked.push(lit.var());
            match trail.depth_of(lit.var()) {
                0 => {}
                depth if depth == top => self.pending += 1,
                _ => self.clause.push(lit),
            }
        }
    }

    fn resolve(&mut self, var: Var, top: u32, clauses: &Clauses, trail: &Trail) {
        let reason = trail.reason(var);
        debug_assert_ne!(reason, CHOSEN, "a choice is not resolved");
        self.chain.push(Link { clause: reason, pivot: var, is_positive: trail.value(var) });
        self.mark(clauses.get(reason), Some(var), top, trail);
    }

    /// Resolves the literals of the conflict's depth, last first, until one is left.
    fn resolve_to_one(&mut self, top: u32, clauses: &Clauses, trail: &Trail) {
        for &lit in trail.since(top).iter().rev() {
            if !self.seen[lit.var().index()] || trail.depth_of(lit.var()) != top {
                continue;
            }
            self.pending -= 1;
            if self.pending == 0 {
                self.clause.push(!lit);
                let last = self.clause.len() - 1;
                return self.clause.swap(0, last);
            }
            self.resolve(lit.var(), top, clauses, trail);
        }
        unreachable!("a conflict holds a literal of its depth");
    }

    /// Drops literals whose reasons hold nothing but other literals of the clause.
    fn minimize(&mut self, clauses: &Clauses, trail: &Trail) {
        let is_redundant = |seen: &[bool], lit: Lit| {
            let reason = trail.reason(lit.var());
            let known = |other: &Lit| seen[other.var().index()] || trail.depth_of(other.var()) == 0;
            reason != CHOSEN && clauses.get(reason).iter().all(known)
        };
        // A variable of the conflict's depth that was resolved away is seen and not in the clause,
        // but deeper than all that is tested here.
        let (seen, rest) = (&self.seen, &self.clause[1..]);
        let mut gone: Vec<Lit> =
            rest.iter().copied().filter(|&lit| is_redundant(seen, lit)).collect();
        gone.sort_unstable_by_key(|lit| std::cmp::Reverse(trail.place(lit.var())));
        self.clause.retain(|lit| !gone.contains(lit));
        for lit in gone {
            self.resolve(lit.var(), u32::MAX, clauses, trail);
        }
    }

    /// Resolves literals that are false without any choice.
    fn resolve_unchosen(&mut self, clauses: &Clauses, trail: &Trail) {
        let mut vars: Vec<Var> =
            self.marked.iter().copied().filter(|&var| trail.depth_of(var) == 0).collect();
        if vars.is_empty() {
            return;
        }
        let last = vars.iter().map(|&var| trail.place(var)).max().unwrap_or(0);
        vars.clear();
        for &lit in trail.literals()[..=last].iter().rev() {
            if self.seen[lit.var().index()] {
                self.resolve(lit.var(), u32::MAX, clauses, trail);
            }
        }
    }

    /// Puts the deepest other literal second.
    fn arrange(&mut self, conflict: u32, trail: &Trail) -> Learned {
        debug_assert_eq!(self.pending, 0);
        let mut depths: Vec<u32> =
            self.clause.iter().map(|lit| trail.depth_of(lit.var())).collect();
        let deepest = (1..depths.len()).max_by_key(|&at| depths[at]);
        let unit = deepest.map_or(0, |at| depths[at]);
        if let Some(at) = deepest {
            self.clause.swap(1, at);
        }
        depths.sort_unstable();
        depths.dedup();
        debug_assert!(unit < conflict || conflict == 0);
        Learned { conflict, unit, glue: depths.len() as u32 }
    }
}
