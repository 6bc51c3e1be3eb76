//! Whole numbers of a fixed count of 64-bit limbs, least significant first, in plain slices.
//!
//! The sweep keeps the values of a ply as numerators over one common denominator, side by side in
//! one flat buffer. The limb count is chosen from the denominator before the ply is valued, so a
//! carry out of the last limb is our own fault and an assertion, never an answer. Slices and not a
//! type with an owner: millions of them live in one allocation. Fast paths for one and two limbs
//! are the caller's, who knows the count once for a whole ply.

use std::cmp::Ordering;

use dashu::integer::UBig;

/// `acc += x * factor`, where `x` may have fewer limbs.
///
/// # Panics
/// When `x` has more limbs or the sum does not fit.
#[inline]
pub fn mul_small_add(acc: &mut [u64], x: &[u64], factor: u64) {
    assert!(acc.len() >= x.len(), "a sum has at least the limbs of its terms");
    let (near, far) = acc.split_at_mut(x.len());
    let mut carry = 0u64;
    for (a, &x) in near.iter_mut().zip(x) {
        let wide = u128::from(x) * u128::from(factor) + u128::from(*a) + u128::from(carry);
        *a = wide as u64;
        carry = (wide >> 64) as u64;
    }
    for a in far {
        let (sum, over) = a.overflowing_add(carry);
        (*a, carry) = (sum, u64::from(over));
    }
    assert_eq!(carry, 0, "a scaled value outgrew its limbs");
}

/// `out = x * f + y * g`, where `x` and `y` have as many limbs as one another, `out` at least these.
/// One pass where two calls of [`mul_small_add`] take three.
///
/// # Panics
/// When the lengths are others or the sum does not fit.
#[inline]
pub fn mul_two(out: &mut [u64], (x, f): (&[u64], u32), (y, g): (&[u64], u32)) {
    assert!(
        x.len() == y.len() && out.len() >= x.len(),
        "a sum has at least the limbs of its terms"
    );
    let (near, far) = out.split_at_mut(x.len());
    let (f, g) = (u128::from(f), u128::from(g));
    // Below 2^33, so that a sum of both products and it stays below 2^98.
    let mut carry = 0u64;
    for ((out, &x), &y) in near.iter_mut().zip(x).zip(y) {
        let wide = u128::from(x) * f + u128::from(y) * g + u128::from(carry);
        *out = wide as u64;
        carry = (wide >> 64) as u64;
    }
    for out in far {
        (*out, carry) = (carry, 0);
    }
    assert_eq!(carry, 0, "a scaled value outgrew its limbs");
}

/// `x *= factor`.
///
/// # Panics
/// When the product does not fit.
#[inline]
pub fn mul_small(x: &mut [u64], factor: u64) {
    let mut carry = 0u64;
    for limb in x.iter_mut() {
        let wide = u128::from(*limb) * u128::from(factor) + u128::from(carry);
        *limb = wide as u64;
        carry = (wide >> 64) as u64;
    }
    assert_eq!(carry, 0, "a scaled value outgrew its limbs");
}

/// `x /= divisor`, which leaves no rest.
///
/// # Panics
/// When the divisor is 0 or does not divide `x`.
#[inline]
pub fn div_small_exact(x: &mut [u64], divisor: u64) {
    assert_ne!(divisor, 0, "division by 0");
    let mut rest = 0u64;
    for limb in x.iter_mut().rev() {
        let wide = u128::from(rest) << 64 | u128::from(*limb);
        *limb = (wide / u128::from(divisor)) as u64;
        rest = (wide % u128::from(divisor)) as u64;
    }
    assert_eq!(rest, 0, "a division that should be exact left a rest");
}

/// `x mod divisor`.
///
/// # Panics
/// When the divisor is 0.
#[inline]
pub fn rem_small(x: &[u64], divisor: u64) -> u64 {
    assert_ne!(divisor, 0, "division by 0");
    x.iter().rev().fold(0u64, |rest, &limb| {
        ((u128::from(rest) << 64 | u128::from(limb)) % u128::from(divisor)) as u64
    })
}

/// Which of two numbers of one limb count is larger.
///
/// # Panics
/// In debug builds, when the lengths differ.
#[inline]
pub fn compare(a: &[u64], b: &[u64]) -> Ordering {
    debug_assert_eq!(a.len(), b.len(), "two numbers of different limb counts");
    a.iter().rev().cmp(b.iter().rev())
}

/// Whether the number is 0.
#[inline]
pub fn is_zero(x: &[u64]) -> bool {
    x.iter().all(|&limb| limb == 0)
}

/// Bits up to the highest one that is set; 0 for the number 0.
#[inline]
pub fn bits(x: &[u64]) -> usize {
    x.iter().rposition(|&limb| limb != 0).map_or(0, |top| top * 64 + bit_length(x[top]))
}

fn bit_length(limb: u64) -> usize {
    64 - limb.leading_zeros() as usize
}

/// The number as a big integer.
pub fn to_big(x: &[u64]) -> UBig {
    let bytes: Vec<u8> = x.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    UBig::from_le_bytes(&bytes)
}

/// Writes a big integer into limbs, zeros above it.
///
/// # Panics
/// When it does not fit.
pub fn from_big(number: &UBig, out: &mut [u64]) {
    out.fill(0);
    for (index, chunk) in number.to_le_bytes().chunks(8).enumerate() {
        let mut limb = [0u8; 8];
        limb[..chunk.len()].copy_from_slice(chunk);
        assert!(index < out.len(), "a number of more limbs than there is room for");
        out[index] = u64::from_le_bytes(limb);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers whose limbs are mostly all zeros or all ones, where carries go wrong.
    fn samples(limbs: usize) -> Vec<Vec<u64>> {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            match state >> 62 {
                0 => 0,
                1 => u64::MAX,
                2 => state,
                _ => state >> 40,
            }
        };
        (0..200).map(|_| (0..limbs).map(|_| next()).collect()).collect()
    }

    fn widened(x: &[u64]) -> Vec<u64> {
        [x, &[0, 0]].concat()
    }

    #[test]
    fn two_products_are_summed_as_one_after_the_other() {
        for limbs in 1..5 {
            for pair in samples(limbs).windows(2) {
                let (f, g) = (pair[0][0] as u32, pair[1][0] as u32);
                let mut sum = vec![u64::MAX; limbs + 2];
                mul_two(&mut sum, (&pair[0], f), (&pair[1], g));
                let mut other = vec![0; limbs + 2];
                mul_small_add(&mut other, &pair[0], f.into());
                mul_small_add(&mut other, &pair[1], g.into());
                assert_eq!(sum, other, "{pair:?}");
            }
        }
    }

    #[test]
    fn arithmetic_agrees_with_big_integers() {
        for limbs in 1..5 {
            for pair in samples(limbs).windows(2) {
                let (a, b, factor) = (widened(&pair[0]), widened(&pair[1]), pair[1][0] | 1);
                let mut sum = a.clone();
                mul_small_add(&mut sum, &b, factor);
                assert_eq!(to_big(&sum), to_big(&a) + to_big(&b) * factor);
                let mut product = a.clone();
                mul_small(&mut product, factor);
                assert_eq!(to_big(&product), to_big(&a) * factor);
                assert_eq!(rem_small(&product, factor), 0);
                div_small_exact(&mut product, factor);
                assert_eq!(product, a);
                assert_eq!(compare(&a, &b), to_big(&a).cmp(&to_big(&b)));
            }
        }
    }

    #[test]
    fn conversion_goes_both_ways() {
        for x in samples(3) {
            let mut back = vec![u64::MAX; 4];
            from_big(&to_big(&x), &mut back);
            assert_eq!(back, [&x[..], &[0]].concat());
        }
        let mut one = [7u64];
        from_big(&UBig::ZERO, &mut one);
        assert!(is_zero(&one) && bits(&one) == 0);
    }

    #[test]
    fn bits_point_at_the_top() {
        assert_eq!((bits(&[1, 0]), bits(&[0, 1]), bits(&[u64::MAX, u64::MAX])), (1, 65, 128));
    }

    #[test]
    #[should_panic(expected = "outgrew its limbs")]
    fn a_carry_out_of_the_last_limb_is_caught() {
        mul_small_add(&mut [u64::MAX], &[1], 1);
    }

    #[test]
    #[should_panic(expected = "left a rest")]
    fn an_inexact_division_is_caught() {
        div_small_exact(&mut [5, 7], 2);
    }
}
