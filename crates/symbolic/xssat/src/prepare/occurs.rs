//! Where each literal occurs: lists of clauses, all in one flat vector.
//!
//! A list that outgrows its room moves to the end with twice the room; the old place is lost.
//! Lists may name clauses that have died since, or that no longer hold the literal where the
//! caller said so: readers check.

use qcnf::Lit;

#[derive(Clone, Copy, Default)]
struct Span {
    start: u32,
    len: u32,
    room: u32,
}

/// For each literal the clauses that hold it.
#[derive(Default)]
pub(crate) struct Occurs {
    flat: Vec<u32>,
    spans: Vec<Span>,
}

impl Occurs {
    /// Empty lists with room for so many entries a literal.
    pub(crate) fn with_room(counts: &[u32]) -> Self {
        let mut start = 0u32;
        let spans = counts.iter().map(|&room| {
            let span = Span { start, len: 0, room };
            start = start.checked_add(room).expect("more than 2^32 occurrences");
            span
        });
        let spans = spans.collect();
        Self { flat: vec![0; start as usize], spans }
    }

    #[inline]
    pub(crate) fn get(&self, lit: Lit) -> &[u32] {
        let span = self.spans[lit.code()];
        &self.flat[span.start as usize..][..span.len as usize]
    }

    pub(crate) fn push(&mut self, lit: Lit, clause: u32) {
        if self.spans[lit.code()].len == self.spans[lit.code()].room {
            self.grow(lit);
        }
        let span = &mut self.spans[lit.code()];
        debug_assert!(span.len < span.room, "room was made");
        self.flat[(span.start + span.len) as usize] = clause;
        span.len += 1;
    }

    fn grow(&mut self, lit: Lit) {
        let span = self.spans[lit.code()];
        let start = u32::try_from(self.flat.len()).expect("more than 2^32 occurrences");
        let room = (2 * span.room).max(4);
        self.flat.extend_from_within(span.start as usize..(span.start + span.len) as usize);
        self.flat.resize((start + room) as usize, 0);
        self.spans[lit.code()] = Span { start, len: span.len, room };
    }

    pub(crate) fn remove(&mut self, lit: Lit, clause: u32) {
        let span = self.spans[lit.code()];
        let list = &mut self.flat[span.start as usize..][..span.len as usize];
        if let Some(at) = list.iter().position(|&id| id == clause) {
            list.swap(at, span.len as usize - 1);
            self.spans[lit.code()].len -= 1;
        }
    }

    /// Keeps the entries that `keep` wants.
    pub(crate) fn retain(&mut self, lit: Lit, mut keep: impl FnMut(u32) -> bool) {
        let span = self.spans[lit.code()];
        let list = &mut self.flat[span.start as usize..][..span.len as usize];
        let mut kept = 0;
        for at in 0..list.len() {
            if keep(list[at]) {
                list[kept] = list[at];
                kept += 1;
            }
        }
        debug_assert!(kept <= span.len as usize);
        self.spans[lit.code()].len = kept as u32;
    }
}

#[cfg(test)]
mod tests {
    use index::Id;
    use qcnf::Var;

    use super::*;

    #[test]
    fn lists_grow_and_shrink_apart_from_one_another() {
        let lit = |at: usize| Lit::new(Var::from_index(at / 2), at.is_multiple_of(2));
        let mut occurs = Occurs::with_room(&[1, 0, 3, 2]);
        let mut wanted: Vec<Vec<u32>> = vec![Vec::new(); 4];
        for clause in 0..40 {
            let at = (clause as usize * 7 / 3) % 4;
            occurs.push(lit(at), clause);
            wanted[at].push(clause);
        }
        let held = |occurs: &Occurs, at: usize| {
            let mut held = occurs.get(lit(at)).to_vec();
            held.sort_unstable();
            held
        };
        (0..4).for_each(|at| assert_eq!(held(&occurs, at), wanted[at]));
        for (at, wanted) in wanted.iter_mut().enumerate() {
            let gone = wanted.remove(wanted.len() / 2);
            occurs.remove(lit(at), gone);
            occurs.remove(lit(at), 1000);
            assert_eq!(held(&occurs, at), *wanted, "without {gone}");
        }
        wanted[2].retain(|clause| clause % 3 > 0);
        occurs.retain(lit(2), |clause| clause % 3 > 0);
        (0..4).for_each(|at| assert_eq!(held(&occurs, at), wanted[at]));
    }
}
