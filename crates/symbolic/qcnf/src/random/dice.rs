//! A tiny generator of pseudo-random numbers: the same seed gives the same numbers everywhere.
//!
//! The state is a counter, so no seed is bad. A crate was refused: its streams change with its
//! versions, and a seed that showed a fault must show it for good.
//! Source: Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014.

/// The generator: a Weyl sequence with a mixing function.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// A generator that starts at this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0xD134_2543_DE82_EF95) }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..bound`.
    ///
    /// # Panics
    /// When the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "no number is below 0");
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number from `least` to `most`, both included.
    ///
    /// # Panics
    /// When `most` is below `least`.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        assert!(least <= most, "there is no number from {least} to {most}");
        least + self.below(most - least + 1)
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, percent: u8) -> bool {
        self.below(100) < usize::from(percent)
    }

    /// One of the items.
    ///
    /// # Panics
    /// When there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Brings the items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let other = self.below(at + 1);
            items.swap(at, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_the_stream_and_every_number_is_met() {
        let draw = |seed| {
            let mut dice = Dice::new(seed);
            (0..200).map(|_| dice.between(1, 6)).collect::<Vec<_>>()
        };
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
        assert!((1..=6).all(|face| draw(5).contains(&face)));
        let mut items: Vec<u8> = (0..50).collect();
        Dice::new(1).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<u8>>());
    }
}
