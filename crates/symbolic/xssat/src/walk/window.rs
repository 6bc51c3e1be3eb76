//! Bounds: the values between which it matters what a branch is worth.
//!
//! Always: replacing a value of at most `alpha` by any other value of at most `alpha`, or one of
//! at least `beta` by any other of at least `beta`, does not change the value of the whole. So a
//! branch may come back with any upper bound that is at most `alpha`, or any lower bound that is
//! at least `beta`. From 0 to 1 everything matters, and values are exact: so it is under a
//! boundary that keeps what it learns.
//!
//! At a chance variable the window of a value follows from what the other value can be at most
//! and at least, divided by the weight and rounded outward, in whole numbers.
//! Source: Knuth and Moore, *An analysis of alpha-beta pruning* (1975); Ballard, *The \*-minimax
//! search procedure for trees containing chance nodes* (1983).

use std::cmp::Ordering;

use exact::scaled;

/// Where a value matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) alpha: Vec<u64>,
    pub(crate) beta: Vec<u64>,
}

impl Window {
    /// Everything from 0 to 1 matters.
    pub(crate) fn open(&mut self, one: &[u64]) {
        self.alpha.fill(0);
        self.beta.copy_from_slice(one);
    }

    /// The window of a term: of `term * weight + rest`, where the rest lies between `least` and
    /// `most`, this window matters. `one` is the most a term can be.
    pub(crate) fn of_term(&mut self, weight: u64, least: &[u64], most: &[u64], one: &[u64]) {
        debug_assert!(weight > 0, "a weight of 0 has no branch");
        subtract(&mut self.alpha, most);
        divide(&mut self.alpha, weight);
        subtract(&mut self.beta, least);
        if divide(&mut self.beta, weight) > 0 {
            increment(&mut self.beta);
        }
        if scaled::compare(&self.beta, one) == Ordering::Greater {
            self.beta.copy_from_slice(one);
        }
    }

    /// No smaller value matters.
    pub(crate) fn raise(&mut self, floor: &[u64]) {
        if scaled::compare(floor, &self.alpha) == Ordering::Greater {
            self.alpha.copy_from_slice(floor);
        }
    }

    /// No larger value matters.
    pub(crate) fn lower(&mut self, ceiling: &[u64]) {
        if scaled::compare(ceiling, &self.beta) == Ordering::Less {
            self.beta.copy_from_slice(ceiling);
        }
    }

    /// Whether all values from this one on are the same.
    pub(crate) fn is_high(&self, value: &[u64]) -> bool {
        scaled::compare(value, &self.beta) != Ordering::Less
    }

    /// Whether all values up to this one are the same.
    pub(crate) fn is_low(&self, value: &[u64]) -> bool {
        scaled::compare(value, &self.alpha) != Ordering::Greater
    }
}

/// `x -= y`, 0 where y is larger.
fn subtract(x: &mut [u64], y: &[u64]) {
    if scaled::compare(x, y) != Ordering::Greater {
        x.fill(0);
        return;
    }
    let mut borrow = false;
    for (x, y) in x.iter_mut().zip(y) {
        let (rest, under) = x.overflowing_sub(*y);
        let (rest, again) = rest.overflowing_sub(u64::from(borrow));
        (*x, borrow) = (rest, under || again);
    }
    debug_assert!(!borrow, "the smaller was subtracted");
}

/// `x /= divisor`; the rest.
fn divide(x: &mut [u64], divisor: u64) -> u64 {
    x.iter_mut().rev().fold(0, |rest, limb| {
        let wide = u128::from(rest) << 64 | u128::from(*limb);
        *limb = (wide / u128::from(divisor)) as u64;
        (wide % u128::from(divisor)) as u64
    })
}

fn increment(x: &mut [u64]) {
    for limb in x {
        let (sum, over) = limb.overflowing_add(1);
        *limb = sum;
        if !over {
            return;
        }
    }
    debug_assert!(false, "a bound outgrew its limbs");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A term is outside of its window just where the sum is outside of the whole's.
    #[test]
    fn the_window_of_a_term_is_exact() {
        for alpha in 0..12u64 {
            for beta in alpha + 1..14 {
                for (weight, rest, term) in [(1, 0, 3), (2, 3, 2), (3, 1, 3), (5, 4, 1), (3, 0, 4)]
                {
                    let mut window = Window { alpha: vec![alpha, 0], beta: vec![beta, 0] };
                    window.of_term(weight, &[rest, 0], &[rest, 0], &[100, 0]);
                    let sum = weight * term + rest;
                    assert_eq!(window.is_high(&[term, 0]), sum >= beta, "{alpha} {beta} {weight}");
                    let low = alpha >= rest && window.is_low(&[term, 0]);
                    assert_eq!(low, sum <= alpha, "{alpha} {beta} {weight} {rest} {term}");
                }
            }
        }
    }
}
