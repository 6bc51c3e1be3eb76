//! Sets of positions, as bits.

use std::ops::Range;

/// Positions of one ply: bits from some word on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reached {
    first: usize,
    words: Box<[u64]>,
}

impl Reached {
    /// One position.
    pub(super) fn single(position: usize) -> Self {
        Self { first: position / 64, words: Box::new([1 << (position % 64)]) }
    }

    /// Number of positions.
    pub(super) fn len(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        (size_of::<Self>() + size_of_val(&*self.words)) as u64
    }

    /// The words in which positions lie.
    pub(super) fn range(&self) -> Range<usize> {
        self.first..self.first + self.words.len()
    }

    /// The numbers of words with their bits, of those in a range.
    pub(super) fn words(&self, within: Range<usize>) -> impl Iterator<Item = (usize, u64)> + '_ {
        let own = self.range();
        assert!(own.start <= within.start && within.end <= own.end, "words of the set");
        let held = &self.words[within.start - self.first..within.end - self.first];
        held.iter().enumerate().map(move |(at, word)| (within.start + at, *word))
    }

    /// All words with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.words(self.range())
    }
}

/// The positions of set bits, in order.
pub(super) fn bits(word: usize, mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (bit < 64).then_some(64 * word + bit)
    })
}

/// A set that grows, with room that is used again.
#[derive(Debug, Default)]
pub(super) struct Growing {
    words: Vec<u64>,
    touched: Option<Range<usize>>,
}

impl Growing {
    /// Makes room for this many positions.
    pub(super) fn reserve(&mut self, positions: usize) {
        self.words.resize(self.words.len().max(positions.div_ceil(64)), 0);
    }

    /// Adds positions of one word.
    #[inline(always)]
    pub(super) fn add(&mut self, word: usize, bits: u64) {
        self.words[word] |= bits;
    }

    /// Adds the positions at a distance from those of one word; these lie in the words from the start
    /// up to the end that are told, which itself is one of them.
    #[inline(always)]
    pub(super) fn add_shifted(&mut self, word: usize, set: u64, distance: i64) -> Range<usize> {
        let from = 64 * word as i64 + distance;
        assert!(from >= 0, "a position has a number");
        let (at, by) = (from as usize / 64, from as usize % 64);
        self.words[at] |= set << by;
        // In two steps, since none may be of 64.
        let beyond = set >> 1 >> (63 - by);
        if beyond == 0 {
            return at..at;
        }
        self.words[at + 1] |= beyond;
        at..at + 1
    }

    /// Says in which words positions may have been added.
    pub(super) fn touch(&mut self, from: usize, to: usize) {
        assert!(from <= to && to < self.words.len(), "words that there is room for");
        let old = self.touched.take().unwrap_or(from..to + 1);
        self.touched = Some(old.start.min(from)..old.end.max(to + 1));
    }

    /// The set, and an empty one is left.
    pub(super) fn finish(&mut self) -> Reached {
        let touched = self.touched.take().unwrap_or(0..0);
        let held = &mut self.words[touched.clone()];
        let Some(low) = held.iter().position(|word| *word != 0) else { return Reached::default() };
        let high = held.iter().rposition(|word| *word != 0).expect("a word is set");
        let words = held[low..=high].into();
        held.fill(0);
        debug_assert!(self.words.iter().all(|word| *word == 0), "all that was added was told");
        Reached { first: touched.start + low, words }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.words) as u64
    }
}

/// Bits by position that are set once and read often; beyond the end all are clear.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks(Vec<u64>);

impl Marks {
    /// Makes room for this many positions.
    pub(super) fn reserve(&mut self, positions: usize) {
        self.0.resize(self.0.len().max(positions.div_ceil(64)), 0);
    }

    /// Sets a bit that there is room for.
    pub(super) fn set(&mut self, position: usize) {
        self.0[position / 64] |= 1 << (position % 64);
    }

    /// A word of them.
    #[inline(always)]
    pub(super) fn word(&self, at: usize) -> u64 {
        self.0.get(at).copied().unwrap_or(0)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_what_was_added_to_it() {
        let mut growing = Growing::default();
        growing.reserve(1000);
        assert!(growing.finish().is_empty());
        for positions in [vec![0, 999], vec![64, 65, 130], vec![700]] {
            for at in &positions {
                growing.add(at / 64, 1 << (at % 64));
                growing.touch(at / 64, at / 64);
            }
            let set = growing.finish();
            let held: Vec<usize> = set.all().flat_map(|(word, set)| bits(word, set)).collect();
            assert_eq!((held, set.len()), (positions.clone(), positions.len() as u64));
        }
        for (word, set, distance) in
            [(2, u64::MAX, -65), (0, 1 << 63, 1), (3, 0b1011, 64), (1, 9, 0)]
        {
            let at = growing.add_shifted(word, set, distance);
            growing.touch(at.start, at.end);
            let moved = growing.finish();
            let held: Vec<usize> = moved.all().flat_map(|(word, set)| bits(word, set)).collect();
            let wanted = bits(word, set).map(|at| (at as i64 + distance) as usize);
            assert_eq!(held, wanted.collect::<Vec<_>>());
        }
        assert_eq!(Reached::single(130).all().collect::<Vec<_>>(), [(2, 4)]);
    }

    #[test]
    fn marks_are_clear_beyond_their_end_and_words_are_counted() {
        let mut marks = Marks::default();
        assert_eq!((marks.word(0), marks.bytes()), (0, 0));
        marks.reserve(130);
        assert_eq!(marks.bytes(), 24);
        [0, 63, 64, 129].into_iter().for_each(|at| marks.set(at));
        marks.reserve(5);
        let words = [1 | 1 << 63, 1, 2, 0, 0];
        assert!((0..5).map(|at| marks.word(at)).eq(words), "less room takes nothing back");
        let mut growing = Growing::default();
        growing.reserve(6400);
        assert_eq!(growing.bytes(), 800);
        growing.reserve(10);
        assert_eq!(growing.bytes(), 800);
        growing.add(99, 1);
        growing.touch(0, 99);
        let set = growing.finish();
        assert_eq!((set.range(), set.len(), set.is_empty()), (99..100, 1, false));
        assert!(set.bytes() >= 8 && set.bytes() < 100);
        growing.add(3, 6);
        growing.add(90, 1);
        growing.touch(90, 91);
        growing.touch(2, 3);
        let set = growing.finish();
        assert_eq!((set.range(), set.len()), (3..91, 3));
        assert!(set.bytes() >= 8 * 88);
        assert_eq!(set.words(10..90).count(), 80);
        assert!(set.words(10..90).all(|(_, word)| word == 0));
        assert_eq!(set.words(90..91).collect::<Vec<_>>(), [(90, 1)]);
    }
}
