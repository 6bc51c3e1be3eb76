//! Values without fractions: whole numbers over the product of denominators still to come.
//!
//! Behind k chance variables a value is a whole number over the product of the denominators of the
//! others, so a mean is a sum of products and needs no division. Numbers are slices of as many
//! 64-bit limbs as the largest product needs, least significant first.
//!
//! Cost: a number for each chance variable, so the square of how many there are. Where that is too
//! much ([`Scales::fits`]) values must be fractions.

use exact::{Ratio, UBig, limbs, scaled};

use crate::rows::Rows;

/// Bytes of the numbers of all chance variables, at most. A walk keeps three numbers a frame, so with
/// more its stack would not fit either.
const MOST_BYTES: u64 = 1 << 29;

/// Weights of the chance variables, in the order of the walk, and what 1 is behind each.
pub(crate) struct Scales {
    width: usize,
    /// `1` behind so many chance variables.
    ones: Vec<u64>,
    /// For each chance variable the weights of false and true, and their sum.
    weights: Rows<u64>,
    chances: usize,
}

/// Which weight of a chance variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    False = 0,
    True = 1,
    /// Both: the variable makes no difference.
    Whole = 2,
}

impl Weight {
    pub(crate) fn of(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

impl Scales {
    pub(crate) fn new(odds: &[Ratio]) -> Self {
        debug_assert!(Self::fits(odds), "values of so many chance variables are fractions");
        let whole = odds.iter().fold(UBig::ONE, |product, ratio| product * ratio.denominator());
        let width = limbs(&whole);
        let mut ones = vec![0; width * (odds.len() + 1)];
        let mut product = UBig::ONE;
        for (at, out) in ones.chunks_exact_mut(width).enumerate().rev() {
            if let Some(ratio) = odds.get(at) {
                product *= ratio.denominator();
            }
            scaled::from_big(&product, out);
        }
        let mut weights = Rows::default();
        for ratio in odds {
            let (yes, whole) = (ratio.numerator(), ratio.denominator().clone());
            for weight in [&whole - &yes, yes, whole.clone()] {
                let mut row = vec![0; limbs(&weight)];
                scaled::from_big(&weight, &mut row);
                weights.push(&row);
            }
        }
        Self { width, ones, weights, chances: odds.len() }
    }

    /// Whether there is room for values over these odds.
    pub(crate) fn fits(odds: &[Ratio]) -> bool {
        Self::bytes(odds) <= MOST_BYTES
    }

    /// Bytes of the numbers, at most.
    pub(crate) fn bytes(odds: &[Ratio]) -> u64 {
        let bits = |ratio: &Ratio| match u64::try_from(ratio.denominator()) {
            Ok(small) => 64 - small.leading_zeros(),
            Err(_) => 64 * limbs(ratio.denominator()) as u32,
        };
        let bits: u64 = odds.iter().map(|ratio| u64::from(bits(ratio))).sum();
        (bits / 64 + 1).saturating_mul(8 * (odds.len() as u64 + 1))
    }

    /// Limbs of every value.
    #[inline]
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Limbs that are not always 0 behind so many chance variables.
    pub(crate) fn width_behind(&self, chances: usize) -> usize {
        scaled::bits(self.one(chances)).div_ceil(64)
    }

    /// What 1 is behind so many chance variables.
    #[inline]
    pub(crate) fn one(&self, chances: usize) -> &[u64] {
        debug_assert!(chances <= self.chances);
        &self.ones[chances * self.width..][..self.width]
    }

    /// A weight of a chance variable, where it is one limb and not 0.
    #[inline]
    pub(crate) fn small(&self, chance: usize, weight: Weight) -> Option<u64> {
        match *self.weights.get(3 * chance + weight as usize) {
            [limb] if limb > 0 => Some(limb),
            _ => None,
        }
    }

    /// `sum += value * weight` of a chance variable.
    #[inline]
    pub(crate) fn add(&self, sum: &mut [u64], value: &[u64], chance: usize, weight: Weight) {
        debug_assert_eq!((sum.len(), value.len()), (self.width, self.width));
        for (at, &limb) in self.weights.get(3 * chance + weight as usize).iter().enumerate() {
            let room = self.width - at;
            debug_assert!(scaled::is_zero(&value[room..]), "a value fits its scale");
            scaled::mul_small_add(&mut sum[at..], &value[..room], limb);
        }
    }

    /// `value *= weight` of a chance variable.
    #[inline]
    pub(crate) fn multiply(&self, value: &mut [u64], chance: usize, weight: Weight) {
        match *self.weights.get(3 * chance + weight as usize) {
            [1] => {}
            [limb] => scaled::mul_small(value, limb),
            _ => {
                let old = value.to_vec();
                value.fill(0);
                self.add(value, &old, chance, weight);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_many_limbs_add_up_to_one() {
        let huge = UBig::ONE << 130usize;
        let odds = [Ratio::new(3u8, 7u8), Ratio::new(UBig::from(5u8), huge)];
        let scales = Scales::new(&odds);
        for chance in [1, 0] {
            let mut sum = vec![0; scales.width()];
            scales.add(&mut sum, scales.one(chance + 1), chance, Weight::False);
            scales.add(&mut sum, scales.one(chance + 1), chance, Weight::True);
            assert_eq!(sum, scales.one(chance));
            let mut whole = scales.one(chance + 1).to_vec();
            scales.multiply(&mut whole, chance, Weight::Whole);
            assert_eq!(whole, scales.one(chance));
        }
        assert_eq!((scales.width_behind(0), scales.width_behind(2)), (3, 1));
        // 4/7 and 3/7; 5 of 2^130, whose other weight has three limbs.
        let small = |chance, weight| scales.small(chance, weight);
        assert_eq!([small(0, Weight::True), small(0, Weight::False)], [Some(3), Some(4)]);
        assert_eq!([small(1, Weight::True), small(1, Weight::False)], [Some(5), None]);
        let sure = Scales::new(&[Ratio::new(0u8, 1u8)]);
        assert_eq!([sure.small(0, Weight::True), sure.small(0, Weight::False)], [None, Some(1)]);
    }

    /// Room grows with the square of the chance variables, and is not asked for where it is not.
    #[test]
    fn room_is_bounded_whatever_the_number_of_chance_variables() {
        let coins = |count: usize| vec![Ratio::new(1u8, 3u8); count];
        let scales = Scales::new(&coins(2000));
        let bytes = 8 * scales.ones.len() as u64;
        assert!(bytes <= Scales::bytes(&coins(2000)) && bytes < 2_000_000, "{bytes}");
        assert!(Scales::fits(&coins(40_000)) && !Scales::fits(&coins(100_000)));
        let fine = vec![Ratio::new(1u8, UBig::ONE << 6400usize); 1000];
        assert!(!Scales::fits(&fine[..]) && Scales::fits(&fine[..100]));
    }
}
