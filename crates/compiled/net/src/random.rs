//! A tiny generator of pseudo-random numbers: the same seed gives the same numbers everywhere.
//!
//! Always: the state is a counter, so no seed is bad and the period is 2^64. Good enough for
//! playouts and tests, for nothing that needs secrecy. A crate was refused: its streams change
//! with its versions, and samples must not.
//! Source: Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014.

/// The generator: a Weyl sequence with a mixing function.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator that starts at this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..bound`, off from uniform by less than `bound / 2^64`.
    ///
    /// # Panics
    /// When the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "no number is below 0");
        let scaled = (u128::from(self.bits()) * bound as u128) >> 64;
        debug_assert!((scaled as usize) < bound);
        scaled as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_the_stream_and_every_number_below_is_met() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..200).map(|_| random.below(6)).collect::<Vec<_>>()
        };
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
        assert!((0..6).all(|face| draw(5).contains(&face)));
    }
}
