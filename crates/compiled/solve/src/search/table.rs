//! The transposition table: bounds by state and steps left, shared by all threads.
//!
//! Always: `lower <= value <= upper` of every entry, whatever was cut off where; an entry only
//! gets tighter. Keys are stored whole, so there are no collisions.

use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use exact::Ratio;
use rustc_hash::FxBuildHasher;

/// Bounds on a value, equal where it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) lower: Ratio,
    pub(crate) upper: Ratio,
}

impl Interval {
    /// Nothing is known.
    pub(crate) fn unknown() -> Self {
        Self { lower: Ratio::zero(), upper: Ratio::one() }
    }

    /// A known value.
    pub(crate) fn exact(value: Ratio) -> Self {
        Self { lower: value.clone(), upper: value }
    }

    /// Whether the value is known.
    pub(crate) fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    /// The middle in units of 2^-32, rounded: good enough to try promising moves first.
    pub(crate) fn middle(&self) -> u64 {
        let (lower, _) = exact::Bounds::exact(&self.lower).raw();
        let (upper, _) = exact::Bounds::exact(&self.upper).raw();
        (lower / 2 + upper / 2) >> 31
    }

    /// Rounds bounds of too many bits outward: in a game that comes back each step adds some, and a
    /// value that is known only in the limit has no end of them. A known value stays as it is.
    pub(crate) fn shorten(&mut self) {
        if self.is_exact() {
            return;
        }
        if self.lower.denominator_bits() > MOST_BITS {
            self.lower = self.lower.rounded_down(MOST_BITS);
        }
        if self.upper.denominator_bits() > MOST_BITS {
            self.upper = self.upper.rounded_up(MOST_BITS);
        }
        debug_assert!(self.lower < self.upper && self.upper <= Ratio::one(), "rounded outward");
    }

    /// What two sound intervals say together.
    pub(crate) fn meet(&mut self, other: &Self) {
        if other.lower > self.lower {
            self.lower = other.lower.clone();
        }
        if other.upper < self.upper {
            self.upper = other.upper.clone();
        }
        assert!(self.lower <= self.upper, "sound intervals of one value meet");
    }
}

/// Bits of a denominator beyond which bounds of a play that comes back, and windows, are rounded.
pub(crate) const MOST_BITS: usize = 4096;

/// A position: a packed state, and the steps left under a horizon.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Position {
    pub(crate) key: Box<[u64]>,
    pub(crate) left: Option<u32>,
}

/// What is known about a position.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) interval: Interval,
    /// The bounds are as tight as a look of so many steps makes them where no window and no limit
    /// cuts it short; [`EVERY_STEP`] where nothing is left to find.
    pub(crate) depth: u32,
}

/// As deep as can be: the value is known.
pub(crate) const EVERY_STEP: u32 = u32::MAX;

/// Bytes of an entry beside its key words: two small ratios, hash table, boxes.
const ENTRY_BYTES: u64 = 224;

/// The table.
pub(crate) struct Transpositions {
    entries: DashMap<Position, Entry, FxBuildHasher>,
    bytes: AtomicU64,
}

impl Transpositions {
    /// An empty table.
    pub(crate) fn new() -> Self {
        let entries = DashMap::with_hasher(FxBuildHasher);
        Self { entries, bytes: AtomicU64::new(0) }
    }

    /// Number of positions.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Estimate of the bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// What is known about a position.
    pub(crate) fn get(&self, position: &Position) -> Option<Entry> {
        self.entries.get(position).map(|entry| entry.clone())
    }

    /// Whether a look of so many steps finds nothing more about a position.
    pub(crate) fn covers(&self, position: &Position, depth: u32) -> bool {
        self.entries.get(position).is_some_and(|entry| entry.depth >= depth)
    }

    /// The middle of what is known about a position; none where nothing is.
    pub(crate) fn middle(&self, position: &Position) -> Option<u64> {
        self.entries.get(position).map(|entry| entry.interval.middle())
    }

    /// Adds what was found; bounds of both are kept, and the greater depth: a position that is met at
    /// several depths in turn is else looked at again and again.
    pub(crate) fn put(&self, position: Position, found: Entry) {
        let words = position.key.len() as u64;
        match self.entries.entry(position) {
            dashmap::Entry::Occupied(mut held) => {
                let held = held.get_mut();
                held.interval.meet(&found.interval);
                held.depth = held.depth.max(found.depth);
                if held.interval.is_exact() {
                    held.depth = EVERY_STEP;
                }
            }
            dashmap::Entry::Vacant(place) => {
                self.bytes.fetch_add(ENTRY_BYTES + 8 * words, Ordering::Relaxed);
                place.insert(found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_only_get_tighter() {
        let table = Transpositions::new();
        let position = Position { key: Box::from([7]), left: None };
        let put = |lower: u64, upper: u64, depth: u32| {
            let interval =
                Interval { lower: Ratio::new(lower, 8_u64), upper: Ratio::new(upper, 8_u64) };
            table.put(position.clone(), Entry { interval, depth });
        };
        put(0, 6, 3);
        put(2, 8, 0);
        let Entry { interval: held, depth } = table.get(&position).expect("an entry");
        assert_eq!(depth, 3, "a look that was cut short takes nothing back");
        assert_eq!((held.lower, held.upper), (Ratio::new(2_u64, 8_u64), Ratio::new(6_u64, 8_u64)));
        assert_eq!(table.middle(&position), Some(1 << 31), "between 1/4 and 3/4");
        assert_eq!(table.len(), 1);
        let (first, held) = (table.bytes(), size_of::<(Position, Entry)>() as u64 + 8);
        assert!(first >= held && first <= 4 * held, "{first} bytes, of which {held} are certain");
        put(2, 2, 5);
        assert_eq!(table.get(&position).expect("an entry").depth, EVERY_STEP);
        assert_eq!(table.bytes(), first, "an entry that is there takes no more");
        let entry = Entry { interval: Interval::unknown(), depth: 0 };
        table.put(Position { key: Box::from([1, 2, 3, 4, 5]), left: None }, entry);
        assert_eq!(table.bytes() - first, first + 8 * 4, "four words more");
    }

    #[test]
    fn long_bounds_are_rounded_outward_and_values_are_not() {
        let half = Ratio::new(1_u8, 2_u8);
        let grain = (0..2 * MOST_BITS).fold(Ratio::one(), |power, _| &power * &half);
        let long = |grains: u64| &Ratio::new(1_u8, 4_u8) + &grain.times(grains);
        let sound = Interval { lower: long(1), upper: long(3) };
        let mut coarse = sound.clone();
        coarse.shorten();
        assert!(coarse.lower < sound.lower && sound.upper < coarse.upper);
        assert!(coarse.lower.denominator_bits() <= MOST_BITS + 1);
        assert!(coarse.upper.denominator_bits() <= MOST_BITS + 1);
        let mut known = Interval::exact(long(1));
        known.shorten();
        assert_eq!(known, Interval::exact(long(1)));
    }
}
