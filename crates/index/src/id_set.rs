//! A set of ids as a bit vector that grows on insertion.

use std::marker::PhantomData;

use crate::Id;

/// A set of ids of one kind; membership costs one bit a possible id.
#[derive(Clone)]
pub struct IdSet<I> {
    words: Vec<u64>,
    kind: PhantomData<fn(I) -> I>,
}

impl<I: Id> IdSet<I> {
    /// The empty set.
    pub fn new() -> Self {
        Self { words: Vec::new(), kind: PhantomData }
    }

    /// Adds an id; `true` when it was not there.
    pub fn insert(&mut self, id: I) -> bool {
        let (word, bit) = (id.index() / 64, 1u64 << (id.index() % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let fresh = self.words[word] & bit == 0;
        self.words[word] |= bit;
        fresh
    }

    /// Takes an id out; `true` when it was there.
    pub fn remove(&mut self, id: I) -> bool {
        let held = self.contains(id);
        if held {
            self.words[id.index() / 64] &= !(1u64 << (id.index() % 64));
        }
        held
    }

    /// Whether the id is in the set.
    #[inline]
    pub fn contains(&self, id: I) -> bool {
        self.words.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    I::from_index(index * 64 + bit)
                })
            })
        })
    }

    /// Adds all members of `other`.
    pub fn union_with(&mut self, other: &Self) {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }
}

impl<I: Id> Default for IdSet<I> {
    fn default() -> Self {
        Self::new()
    }
}

/// Two sets are equal when they have the same members, however far each has grown.
impl<I: Id> PartialEq for IdSet<I> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<I: Id> Eq for IdSet<I> {}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<S: IntoIterator<Item = I>>(iter: S) -> Self {
        let mut set = Self::new();
        for id in iter {
            set.insert(id);
        }
        set
    }
}

impl<I: Id> std::fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::typed_id!(struct CellId, "c");

    fn id(index: usize) -> CellId {
        CellId::from_index(index)
    }

    #[test]
    fn members_come_back_in_order_across_words() {
        let set: IdSet<CellId> = [130, 3, 64, 63].into_iter().map(id).collect();
        assert_eq!(set.iter().map(Id::index).collect::<Vec<_>>(), [3, 63, 64, 130]);
        assert_eq!(set.len(), 4);
        assert!(set.contains(id(64)) && !set.contains(id(65)) && !set.contains(id(9999)));
    }

    #[test]
    fn equality_ignores_how_far_a_set_has_grown() {
        let mut grown: IdSet<CellId> = [id(1), id(500)].into_iter().collect();
        assert!(grown.remove(id(500)) && !grown.remove(id(500)));
        let small: IdSet<CellId> = [id(1)].into_iter().collect();
        assert_eq!(grown, small);
        let mut sum = IdSet::new();
        assert!(sum.is_empty());
        sum.union_with(&small);
        assert_eq!(sum, small);
    }
}
