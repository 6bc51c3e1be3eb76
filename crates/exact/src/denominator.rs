//! Common denominators: the integer arithmetic behind scaled values.
//!
//! The denominator of a ply is the product, over the plies below it, of the least common multiple
//! of the branch counts that occur there. Everything here is exact; what may not fit in 64 bits
//! says so or is a big integer.

use dashu::base::{BitTest, Gcd};
use dashu::integer::UBig;

/// The greatest common divisor; `gcd(0, n)` is `n`.
pub fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The least common multiple, or none where it does not fit in 64 bits; 0 where either is 0.
pub fn lcm(a: u64, b: u64) -> Option<u64> {
    if a == 0 || b == 0 {
        return Some(0);
    }
    (a / gcd(a, b)).checked_mul(b)
}

/// The greatest common divisor of two big integers; `gcd_big(0, n)` is `n`.
pub fn gcd_big(a: &UBig, b: &UBig) -> UBig {
    match (a.is_zero(), b.is_zero()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => a.gcd(b),
    }
}

/// The least common multiple of two big integers; 0 where either is 0.
pub fn lcm_big(a: &UBig, b: &UBig) -> UBig {
    if a.is_zero() || b.is_zero() {
        return UBig::ZERO;
    }
    a / gcd_big(a, b) * b
}

/// The product of the factors; 1 where there are none.
pub fn product(factors: &[u64]) -> UBig {
    match factors {
        [] => UBig::ONE,
        [only] => UBig::from(*only),
        _ => {
            let (low, high) = factors.split_at(factors.len() / 2);
            product(low) * product(high)
        }
    }
}

/// `suffix_products(f)[i]` is the product of `f[i..]`; one entry more than factors, the last is 1.
pub fn suffix_products(factors: &[u64]) -> Vec<UBig> {
    let mut products = vec![UBig::ONE; factors.len() + 1];
    for (index, factor) in factors.iter().enumerate().rev() {
        products[index] = &products[index + 1] * *factor;
    }
    debug_assert_eq!(products[0], product(factors));
    products
}

/// Limbs of 64 bits that a number needs; at least one.
pub fn limbs(number: &UBig) -> usize {
    number.bit_len().div_ceil(64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_divisors_and_multiples() {
        assert_eq!((gcd(12, 18), gcd(0, 7), gcd(7, 0)), (6, 7, 7));
        assert_eq!((lcm(4, 6), lcm(0, 9), lcm(u64::MAX, 2)), (Some(12), Some(0), None));
    }

    #[test]
    fn big_ones_agree_with_small_ones() {
        for a in 0..40u64 {
            for b in 0..40u64 {
                assert_eq!(gcd_big(&a.into(), &b.into()), UBig::from(gcd(a, b)));
                assert_eq!(lcm_big(&a.into(), &b.into()), UBig::from(lcm(a, b).unwrap()));
            }
        }
    }

    #[test]
    fn suffix_products_shrink_to_one() {
        let chain = suffix_products(&[4, 3, u64::MAX]);
        assert_eq!(chain.len(), 4);
        assert_eq!(chain[3], UBig::ONE);
        assert_eq!(chain[1], UBig::from(u64::MAX) * 3u64);
        assert_eq!((limbs(&chain[3]), limbs(&chain[2]), limbs(&chain[1])), (1, 1, 2));
        assert_eq!(limbs(&UBig::ZERO), 1);
    }
}
