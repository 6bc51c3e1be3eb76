//! Common denominators, ply by ply.
//!
//! The denominator of a ply is the product, over it and the plies below, of the least common
//! multiple of the totals of chance (in lowest terms) that occur there, times the payment that
//! stands for 1. A value is then a whole number of as many words as its own ply's denominator
//! needs, not as the root's. Source: DESIGN notes in ARCHITECTURE.md, "Values".

use exact::{Ratio, UBig};

use crate::backend::{PlyCounts, Scale};

/// Scales of plies 0 to the last, with their denominators.
pub(crate) struct Scales {
    /// One a ply; the last ply has a step of 1.
    pub(crate) plies: Vec<Scale>,
    denominators: Vec<UBig>,
}

/// Least common multiple of the totals; `None` where it does not fit in 128 bits.
fn common(totals: &[u32]) -> Option<u128> {
    totals.iter().try_fold(1u128, |sum, &total| {
        let (mut left, mut right) = (sum, u128::from(total));
        while right != 0 {
            (left, right) = (right, left % right);
        }
        (sum / left).checked_mul(total.into())
    })
}

fn words(number: &UBig, limbs: usize) -> Vec<u64> {
    let mut out = vec![0; limbs];
    exact::scaled::from_big(number, &mut out);
    out
}

impl Scales {
    /// Exact scales for plies 0 to `last`, whose chance totals are in `counts` (one a ply that
    /// was expanded). `None` where a step does not fit in 128 bits.
    pub(crate) fn exact(counts: &[PlyCounts], last: usize, top: u32) -> Option<Self> {
        assert!(top > 0 && counts.len() >= last, "one count a ply below the last");
        let mut unit = UBig::from(1u8);
        let (mut plies, mut denominators) = (Vec::new(), Vec::new());
        for ply in (0..=last).rev() {
            let step = if ply == last { 1 } else { common(&counts[ply].totals)? };
            unit *= UBig::from(step);
            let denominator = &unit * UBig::from(top);
            let limbs = exact::limbs(&denominator).max(1);
            plies.push(Scale { limbs, step, unit: words(&unit, limbs), top, bounds: false });
            denominators.push(denominator);
        }
        plies.reverse();
        denominators.reverse();
        Some(Self { plies, denominators })
    }

    /// Scales of certified bounds.
    pub(crate) fn bounds(last: usize, top: u32) -> Self {
        let scale = Scale { limbs: 2, step: 0, unit: Vec::new(), top, bounds: true };
        Self { plies: vec![scale; last + 1], denominators: Vec::new() }
    }

    /// A value of a ply as lower and upper bound, equal where values are exact.
    pub(crate) fn ratios(&self, ply: usize, value: &[u64]) -> (Ratio, Ratio) {
        if self.plies[ply].bounds {
            let pair = exact::Bounds::from_raw(value[0], value[1]);
            return (pair.lower(), pair.upper());
        }
        let ratio = Ratio::from_scaled(value, &self.denominators[ply]);
        debug_assert!(ratio.is_probability(), "a value lies in [0, 1]");
        (ratio.clone(), ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ply(totals: &[u32]) -> PlyCounts {
        PlyCounts { totals: totals.to_vec(), ..PlyCounts::default() }
    }

    #[test]
    fn a_denominator_grows_only_where_chance_plays() {
        let counts = [ply(&[1]), ply(&[4, 6]), ply(&[1]), ply(&[5])];
        let scales = Scales::exact(&counts, 4, 100).expect("small steps");
        let steps: Vec<u128> = scales.plies.iter().map(|scale| scale.step).collect();
        assert_eq!(steps, [1, 12, 1, 5, 1]);
        assert_eq!(scales.plies[0].unit, [60]);
        assert_eq!(scales.ratios(0, &[3000]).0.to_string(), "1/2");
        assert_eq!(scales.ratios(4, &[25]).0.to_string(), "1/4");
    }

    #[test]
    fn words_grow_with_the_denominator() {
        let counts: Vec<PlyCounts> = (0..200).map(|_| ply(&[2])).collect();
        let scales = Scales::exact(&counts, 200, 1).expect("small steps");
        assert_eq!(scales.plies[0].limbs, 4);
        assert_eq!(scales.plies[200].limbs, 1);
    }

    #[test]
    fn a_step_that_fits_nowhere_is_refused() {
        let primes = [4294967291, 4294967279, 4294967231, 4294967197, 4294967189];
        assert!(Scales::exact(&[ply(&primes)], 1, 1).is_none());
    }
}
