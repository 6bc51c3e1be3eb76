//! Random planes: 64 fair bits for every word of a plane, from generators side by side.
//!
//! Always: a seed gives the same planes under every instruction set and width of frame, since
//! word `w` of a plane comes from generator `w` and all generators step together. The period is
//! 2^256 - 1, and every one of the 64 bits is used. Shifts, rotations and additions only, so that
//! the loop over generators becomes vector instructions where those have no 64-bit product.
//! Source: Blackman and Vigna, *Scrambled linear pseudorandom number generators*, 2021 (xoshiro
//! with the `++` scrambler); seeded, as they advise, by a generator of another kind.

use net::random::Random;

use crate::expand::BLOCK_WORDS;
use crate::isa::{Isa, dispatch};

/// A plane of random bits.
pub(crate) type RandomPlane = [u64; BLOCK_WORDS];

/// One generator for each word of a plane.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    state: [RandomPlane; 4],
}

impl Stream {
    /// Generators whose states a seed decides.
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut state = [[0; BLOCK_WORDS]; 4];
        state.iter_mut().flatten().for_each(|word| *word = random.bits());
        let dead = |word: usize| state.iter().all(|plane| plane[word] == 0);
        assert!(!(0..BLOCK_WORDS).any(dead), "no generator stands still");
        Self { state }
    }

    /// Fills planes with fresh bits.
    pub(crate) fn fill(&mut self, isa: Isa, planes: &mut [RandomPlane]) {
        fill(isa, &mut self.state, planes);
    }
}

dispatch! {
    /// Steps the generators once for each plane.
    fn fill(state: &mut [RandomPlane; 4], planes: &mut [RandomPlane]) = fill_body
}

#[inline(always)]
fn fill_body(state: &mut [RandomPlane; 4], planes: &mut [RandomPlane]) {
    let [mut a, mut b, mut c, mut d] = *state;
    for plane in planes {
        for w in 0..BLOCK_WORDS {
            plane[w] = a[w].wrapping_add(d[w]).rotate_left(23).wrapping_add(a[w]);
            let shifted = b[w] << 17;
            c[w] ^= a[w];
            d[w] ^= b[w];
            b[w] ^= c[w];
            a[w] ^= d[w];
            c[w] ^= shifted;
            d[w] = d[w].rotate_left(45);
        }
    }
    *state = [a, b, c, d];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_the_same_under_every_instruction_set_and_split() {
        let (mut whole, mut parts) = ([[0; BLOCK_WORDS]; 20], [[0; BLOCK_WORDS]; 20]);
        Stream::new(3).fill(Isa::PORTABLE, &mut whole);
        let mut stream = Stream::new(3);
        let (first, rest) = parts.split_at_mut(7);
        stream.fill(Isa::detect(), first);
        stream.fill(Isa::detect(), rest);
        assert_eq!(whole, parts);
        Stream::new(4).fill(Isa::detect(), &mut parts);
        assert!(whole.iter().zip(&parts).all(|(a, b)| a != b));
    }

    /// The first output of a generator in state 1, 2, 3, 4, worked out by hand:
    /// rotate(1 + 4, 23) + 1 = 5 * 2^23 + 1.
    #[test]
    fn a_step_is_the_published_one() {
        let mut state = [1, 2, 3, 4].map(|word| [word; BLOCK_WORDS]);
        let mut planes = [[0; BLOCK_WORDS]];
        fill(Isa::PORTABLE, &mut state, &mut planes);
        assert_eq!(planes[0], [(5 << 23) + 1; BLOCK_WORDS]);
        let after: [u64; 4] = [7, 0, (2 << 17) ^ 2, 6u64.rotate_left(45)];
        assert_eq!(state, after.map(|word| [word; BLOCK_WORDS]));
    }

    #[test]
    fn bits_are_fair_in_every_word_and_between_planes() {
        let mut planes = vec![[0u64; BLOCK_WORDS]; 4000];
        Stream::new(8).fill(Isa::detect(), &mut planes);
        let near_half = |ones: u32, of: u32| {
            // Six standard deviations of a fair coin.
            u64::from(ones.abs_diff(of / 2)).pow(2) < 9 * u64::from(of)
        };
        for word in 0..BLOCK_WORDS {
            let ones: u32 = planes.iter().map(|plane| plane[word].count_ones()).sum();
            let equal: u32 =
                planes.windows(2).map(|pair| (pair[0][word] ^ pair[1][word]).count_ones()).sum();
            assert!(near_half(ones, 64 * 4000) && near_half(equal, 64 * 3999), "word {word}");
        }
    }
}
