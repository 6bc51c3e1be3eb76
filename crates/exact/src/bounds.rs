//! Certified bounds: two fixed-point numbers that hold an exact value between them.
//!
//! A bound is a whole number over 2^63, so that 0, 1 and every dyadic probability down to that
//! grain are exact and 1 still fits in 64 bits. Always `0 <= lower <= value <= upper <= 1`: each
//! operation rounds the lower end down and the upper end up, so an error can widen the pair but
//! never lose the value. A weighted mean widens by at most one grain at each end, so `n` plies of
//! chance cost at most `2n` grains of width. Floats with directed rounding were refused: they need
//! a mode switch that the compiler does not see.

use dashu::base::DivRem;
use dashu::integer::UBig;

use crate::Ratio;

/// The fixed-point number that stands for 1.
const ONE: u64 = 1 << 63;

/// A value in [0, 1], bracketed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    lower: u64,
    upper: u64,
}

impl Bounds {
    /// Exactly 0.
    pub const ZERO: Self = Self { lower: 0, upper: 0 };
    /// Exactly 1.
    pub const ONE: Self = Self { lower: ONE, upper: ONE };
    /// Nothing is known: [0, 1].
    pub const UNKNOWN: Self = Self { lower: 0, upper: ONE };

    /// The tightest pair around a rational in [0, 1].
    ///
    /// # Panics
    /// When the value is outside [0, 1].
    pub fn exact(value: &Ratio) -> Self {
        assert!(value.is_probability(), "{value} is no probability");
        let (floor, rest) = (value.numerator() << 63).div_rem(value.denominator());
        let lower = narrow(&floor);
        Self::from_raw(lower, lower + u64::from(!rest.is_zero()))
    }

    /// The tightest pair around `numerator / denominator`.
    ///
    /// # Panics
    /// When the denominator is 0 or smaller than the numerator.
    #[inline]
    pub fn fraction(numerator: u64, denominator: u64) -> Self {
        assert!(denominator > 0 && numerator <= denominator, "no fraction in [0, 1]");
        let (wide, denominator) = (u128::from(numerator) << 63, u128::from(denominator));
        let lower = (wide / denominator) as u64;
        Self::from_raw(lower, lower + u64::from(!wide.is_multiple_of(denominator)))
    }

    /// The pair of two raw numbers over 2^63, as [`Self::raw`] gave them.
    ///
    /// # Panics
    /// When they are out of order or above 1.
    #[inline]
    pub fn from_raw(lower: u64, upper: u64) -> Self {
        assert!(lower <= upper && upper <= ONE, "bounds out of order");
        Self { lower, upper }
    }

    /// The two ends as whole numbers over 2^63.
    #[inline]
    pub fn raw(self) -> (u64, u64) {
        (self.lower, self.upper)
    }

    /// Bounds of the larger of two values.
    #[inline]
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.max(other.upper) }
    }

    /// Bounds of the smaller of two values.
    #[inline]
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self { lower: self.lower.min(other.lower), upper: self.upper.min(other.upper) }
    }

    /// Bounds of a value that both pairs bracket.
    ///
    /// # Panics
    /// When the pairs do not meet: one of them was unsound.
    #[inline]
    #[must_use]
    pub fn meet(self, other: Self) -> Self {
        Self::from_raw(self.lower.max(other.lower), self.upper.min(other.upper))
    }

    /// Bounds of the mean of values with whole weights.
    ///
    /// # Panics
    /// When the weights sum to 0, or to 2^64 or more.
    #[inline]
    pub fn mean(parts: impl IntoIterator<Item = (u32, Self)>) -> Self {
        let (mut total, mut lower, mut upper) = (0u64, 0u128, 0u128);
        for (weight, part) in parts {
            total = total.checked_add(u64::from(weight)).expect("weights below 2^64");
            lower += u128::from(weight) * u128::from(part.lower);
            upper += u128::from(weight) * u128::from(part.upper);
        }
        assert!(total > 0, "a mean of nothing");
        let total = u128::from(total);
        Self::from_raw((lower / total) as u64, upper.div_ceil(total) as u64)
    }

    /// Whether the two ends are one: the value is known exactly.
    #[inline]
    pub fn is_exact(self) -> bool {
        self.lower == self.upper
    }

    /// The lower end.
    pub fn lower(self) -> Ratio {
        Ratio::new(self.lower, ONE)
    }

    /// The upper end.
    pub fn upper(self) -> Ratio {
        Ratio::new(self.upper, ONE)
    }

    /// Upper less lower end.
    pub fn width(self) -> Ratio {
        Ratio::new(self.upper - self.lower, ONE)
    }

    /// Whether a value lies between the ends.
    pub fn contains(self, value: &Ratio) -> bool {
        self.lower() <= *value && *value <= self.upper()
    }
}

fn narrow(number: &UBig) -> u64 {
    u64::try_from(number).expect("a number of at most 2^63")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fractions in [0, 1] with denominators that are and are not powers of two.
    fn fractions() -> impl Iterator<Item = (u64, u64)> {
        let mut state = 12345u64;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let denominator = (state >> 33) % 1000 + 1;
            ((state >> 7) % (denominator + 1), denominator)
        })
        .take(300)
    }

    fn parts() -> Vec<(Bounds, Ratio)> {
        fractions().map(|(n, d)| (Bounds::fraction(n, d), Ratio::new(n, d))).collect()
    }

    #[test]
    fn bounds_hold_the_fraction_and_are_a_grain_wide() {
        for (n, d) in fractions() {
            let (bounds, value) = (Bounds::fraction(n, d), Ratio::new(n, d));
            assert_eq!(bounds, Bounds::exact(&value));
            assert!(bounds.contains(&value));
            assert!(bounds.width() <= Ratio::new(1u8, ONE));
            assert_eq!(bounds.is_exact(), bounds.lower() == value && bounds.upper() == value);
        }
        assert_eq!(Bounds::fraction(u64::MAX, u64::MAX), Bounds::ONE);
        assert_eq!(Bounds::fraction(0, 3), Bounds::ZERO);
        assert!(Bounds::fraction(3, 8).is_exact() && !Bounds::fraction(1, 3).is_exact());
    }

    #[test]
    fn every_operation_keeps_the_value_inside() {
        let parts = parts();
        for pair in parts.windows(3) {
            let [(a, x), (b, y), (c, z)] = pair else { unreachable!("windows of three") };
            assert!(a.max(*b).contains(x.max(y)));
            assert!(a.min(*b).contains(x.min(y)));
            let mean = Bounds::mean([(1, *a), (u32::MAX, *b), (7, *c)]);
            let weights = Ratio::new(u64::from(u32::MAX) + 8, 1u8);
            let exact = (x + y.times(u64::from(u32::MAX)) + z.times(7)) / weights;
            assert!(mean.contains(&exact), "{exact} in {mean:?}");
            assert!(mean.width() <= Ratio::new(3u8, ONE));
        }
    }

    #[test]
    fn chains_of_means_stay_sound_and_narrow() {
        let (mut bounds, mut value) = (Bounds::ONE, Ratio::one());
        for (n, d) in fractions() {
            bounds = Bounds::mean([(1, bounds), (2, Bounds::fraction(n, d))]);
            value = (value + Ratio::new(n, d).times(2)) / Ratio::new(3u8, 1u8);
            assert!(bounds.contains(&value));
        }
        assert!(bounds.width() < Ratio::new(8u8, ONE));
    }

    #[test]
    fn what_is_unknown_is_narrowed_by_meeting() {
        let third = Bounds::fraction(1, 3);
        assert_eq!(Bounds::UNKNOWN.meet(third), third);
        let (lower, upper) = third.raw();
        assert_eq!(Bounds::from_raw(lower, upper), third);
        assert_eq!(Bounds::UNKNOWN.width(), Ratio::one());
    }

    #[test]
    #[should_panic(expected = "out of order")]
    fn pairs_that_do_not_meet_are_caught() {
        let _ = Bounds::ZERO.meet(Bounds::ONE);
    }
}
