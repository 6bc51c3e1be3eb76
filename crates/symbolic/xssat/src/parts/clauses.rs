//! Clauses: the formula's own and the learned ones, with two watched literals each.
//!
//! A watched literal that is false has a true partner, or the clause was seen as unit or false:
//! taking literals back needs no work. Own clauses come first, under their numbers in the
//! formula; a learned clause keeps its number for good, also when it is forgotten.
//!
//! Source: Moskewicz et al., *Chaff* (2001); Een and Sorensson, *MiniSat* (2003) for blockers.

use qcnf::Lit;

use super::trail::Trail;
use crate::prepare::Leveled;

#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    /// Some literal of the clause: where it is true there is nothing to do.
    blocker: Lit,
}

#[derive(Clone, Copy)]
struct Span {
    start: u32,
    len: u32,
}

/// All clauses that propagate.
pub(crate) struct Clauses {
    literals: Vec<Lit>,
    spans: Vec<Span>,
    own: u32,
    watches: Vec<Vec<Watch>>,
    /// Literals drawn so far, for statistics.
    pub(crate) drawn: u64,
}

impl Clauses {
    pub(crate) fn new(formula: &Leveled) -> Self {
        let mut clauses = Self {
            literals: Vec::new(),
            spans: Vec::new(),
            own: formula.clauses.len() as u32,
            watches: vec![Vec::new(); 2 * formula.variables()],
            drawn: 0,
        };
        for id in 0..formula.clauses.len() {
            debug_assert!(formula.clauses.get(id).len() > 1, "units are settled before");
            clauses.add(formula.clauses.get(id));
        }
        clauses
    }

    /// Adds a clause whose first two literals are to be watched.
    pub(crate) fn add(&mut self, clause: &[Lit]) -> u32 {
        let id = self.spans.len() as u32;
        let start = u32::try_from(self.literals.len()).expect("more than 2^32 literals");
        self.literals.extend_from_slice(clause);
        self.spans.push(Span { start, len: clause.len() as u32 });
        if let [first, second, ..] = *clause {
            self.watches[first.code()].push(Watch { clause: id, blocker: second });
            self.watches[second.code()].push(Watch { clause: id, blocker: first });
        }
        id
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> &[Lit] {
        let span = self.spans[id as usize];
        &self.literals[span.start as usize..][..span.len as usize]
    }

    /// Forgets learned clauses; their numbers stay taken.
    pub(crate) fn forget(&mut self, is_forgotten: impl Fn(u32) -> bool) {
        for watches in &mut self.watches {
            watches.retain(|watch| !is_forgotten(watch.clause));
        }
        let mut kept = Vec::with_capacity(self.literals.len());
        for (id, span) in self.spans.iter_mut().enumerate() {
            let clause = &self.literals[span.start as usize..][..span.len as usize];
            span.start = kept.len() as u32;
            if id >= self.own as usize && is_forgotten(id as u32) {
                span.len = 0;
            } else {
                kept.extend_from_slice(clause);
            }
        }
        self.literals = kept;
    }

    /// Draws all consequences; the clause that is false, where there is one.
    pub(crate) fn propagate(&mut self, trail: &mut Trail) -> Option<u32> {
        while let Some(lit) = trail.draw() {
            let conflict = self.visit(trail, !lit);
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Visits the clauses that watch a literal which became false.
    fn visit(&mut self, trail: &mut Trail, falsified: Lit) -> Option<u32> {
        let mut watches = std::mem::take(&mut self.watches[falsified.code()]);
        let mut conflict = None;
        let (mut kept, mut next) = (0, 0);
        while next < watches.len() && conflict.is_none() {
            let watch = watches[next];
            next += 1;
            if trail.is_true(watch.blocker) {
                watches[kept] = watch;
                kept += 1;
                continue;
            }
            let Some(other) = self.rewatch(trail, watch.clause, falsified) else { continue };
            watches[kept] = Watch { clause: watch.clause, blocker: other };
            kept += 1;
            if trail.is_false(other) {
                conflict = Some(watch.clause);
            } else if !trail.is_true(other) {
                self.drawn += 1;
                trail.set(other, watch.clause);
            }
        }
        watches.copy_within(next.., kept);
        watches.truncate(kept + watches.len() - next);
        self.watches[falsified.code()] = watches;
        conflict
    }

    /// Looks for another literal to watch in place of a false one; the other watched literal where
    /// there is none, or where it is true.
    fn rewatch(&mut self, trail: &Trail, clause: u32, falsified: Lit) -> Option<Lit> {
        let span = self.spans[clause as usize];
        let literals = &mut self.literals[span.start as usize..][..span.len as usize];
        if literals[0] == falsified {
            literals.swap(0, 1);
        }
        debug_assert_eq!(literals[1], falsified, "watched literals stand first");
        let other = literals[0];
        if trail.is_true(other) {
            return Some(other);
        }
        let at = (2..literals.len()).find(|&at| !trail.is_false(literals[at]));
        let Some(at) = at else { return Some(other) };
        literals.swap(1, at);
        self.watches[literals[1].code()].push(Watch { clause, blocker: other });
        None
    }
}
