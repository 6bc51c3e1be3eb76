//! A set of tuples of one arity, numbered in the order of arrival.
//!
//! Always: rows are pairwise different, and a row never moves. Tuples lie flat in one vector and
//! the hash table holds row numbers only, so a tuple costs 4 bytes a column and about 5 beside.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::TermId;
use index::Id;

/// The hash of a sequence of terms.
#[inline]
pub(crate) fn hash_terms(terms: impl IntoIterator<Item = TermId>) -> u64 {
    let mut hasher = FxHasher::default();
    for term in terms {
        hasher.write_u32(term.index() as u32);
    }
    hasher.finish()
}

/// Distinct tuples.
#[derive(Clone, Debug, Default)]
pub(crate) struct TupleSet {
    stride: usize,
    len: usize,
    data: Vec<TermId>,
    table: HashTable<u32>,
}

impl TupleSet {
    pub(crate) fn new(stride: usize) -> Self {
        Self { stride, ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[TermId] {
        assert!(row < self.len, "row past the end");
        &self.data[row * self.stride..(row + 1) * self.stride]
    }

    /// The row of a tuple.
    #[inline]
    pub(crate) fn find(&self, tuple: &[TermId]) -> Option<u32> {
        debug_assert_eq!(tuple.len(), self.stride);
        let hash = hash_terms(tuple.iter().copied());
        self.table.find(hash, |&row| self.row(row as usize) == tuple).copied()
    }

    /// The row of a tuple, and whether it is new.
    pub(crate) fn insert(&mut self, tuple: &[TermId]) -> (u32, bool) {
        assert_eq!(tuple.len(), self.stride, "tuple of another arity");
        let hash = hash_terms(tuple.iter().copied());
        let (data, stride) = (&self.data, self.stride);
        let at = |row: u32| &data[row as usize * stride..(row as usize + 1) * stride];
        let entry = self.table.entry(
            hash,
            |&row| at(row) == tuple,
            |&row| hash_terms(at(row).iter().copied()),
        );
        let row = self.len as u32;
        match entry {
            hashbrown::hash_table::Entry::Occupied(held) => return (*held.get(), false),
            hashbrown::hash_table::Entry::Vacant(free) => free.insert(row),
        };
        self.data.extend_from_slice(tuple);
        self.len += 1;
        assert!(self.len < u32::MAX as usize, "more rows than row numbers");
        (row, true)
    }

    /// Takes all tuples out and takes tuples of this arity from now on.
    pub(crate) fn reset(&mut self, stride: usize) {
        self.stride = stride;
        self.len = 0;
        self.data.clear();
        self.table.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuple(items: &[usize]) -> Vec<TermId> {
        items.iter().map(|&item| TermId::from_index(item)).collect()
    }

    #[test]
    fn rows_are_numbered_by_first_arrival() {
        let mut set = TupleSet::new(2);
        assert_eq!(set.insert(&tuple(&[1, 2])), (0, true));
        assert_eq!(set.insert(&tuple(&[2, 1])), (1, true));
        assert_eq!(set.insert(&tuple(&[1, 2])), (0, false));
        assert_eq!(set.find(&tuple(&[2, 1])), Some(1));
        assert_eq!(set.find(&tuple(&[2, 2])), None);
        assert_eq!((set.len(), set.row(1)), (2, &tuple(&[2, 1])[..]));
    }

    #[test]
    fn the_empty_tuple_is_held_once() {
        let mut set = TupleSet::new(0);
        assert_eq!(set.find(&[]), None);
        assert_eq!(set.insert(&[]), (0, true));
        assert_eq!(set.insert(&[]), (0, false));
        set.reset(1);
        assert_eq!((set.len(), set.find(&tuple(&[4]))), (0, None));
    }

    #[test]
    fn many_tuples_survive_growth_of_the_table() {
        let mut set = TupleSet::new(2);
        for item in 0..5000 {
            assert_eq!(set.insert(&tuple(&[item, item * 7 % 13])), (item as u32, true));
        }
        assert!(
            (0..5000).all(|item| set.find(&tuple(&[item, item * 7 % 13])) == Some(item as u32))
        );
    }
}
