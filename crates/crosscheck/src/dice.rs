//! The source of chance for all that is drawn: the same seed gives the same throws on every machine.

/// A pseudo-random sequence (a Weyl sequence through a mixing function).
pub struct Dice(u64);

impl Dice {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A whole number of `0..sides`.
    ///
    /// # Panics
    /// Where there is none.
    pub fn below(&mut self, sides: usize) -> usize {
        assert!(sides > 0, "a die without sides");
        (self.next() % sides as u64) as usize
    }

    /// A whole number of `least..=most`.
    ///
    /// # Panics
    /// Where there is none.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        assert!(least <= most, "an empty range");
        least + self.below(most - least + 1)
    }

    /// True in `percent` of a hundred throws.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    ///
    /// # Panics
    /// Where there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Puts the items in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
