//! Stochastic nim by a recurrence of its own, for the answers that no table has.
//!
//! `v(t, m)` is the value for x when `t` turns are made and `m` pieces are left, as a whole number
//! over `of^(2n - t)`. Two rows are held. It is a baseline of ten lines with big numbers, and the
//! witness of the answer for a pile of 1000.

use dashu::integer::UBig;

/// The numerator and denominator of x's odds, in lowest terms, as text.
pub(crate) fn odds(pile: usize, add: u32, of: u32) -> String {
    assert!(pile > 0 && add <= of && of > 0, "a pile and a probability");
    let mut below = vec![UBig::ZERO; pile + 1];
    let mut scale = UBig::ONE;
    for turn in (0..2 * pile).rev() {
        let next_scale = &scale * of;
        let value = |taken: usize, left: usize| {
            let rest = left - taken;
            match (rest, turn % 2) {
                (0, 0) => next_scale.clone(),
                (0, _) => UBig::ZERO,
                _ => &below[rest + 1] * add + &below[rest] * (of - add),
            }
        };
        let row = |left: usize| match (left, turn % 2) {
            (0, _) => UBig::ZERO,
            (1, _) => value(1, left),
            (_, 0) => value(1, left).max(value(2, left)),
            _ => value(1, left).min(value(2, left)),
        };
        below = (0..=pile).map(row).collect();
        scale = next_scale;
    }
    let odds = dashu::rational::RBig::from_parts(below[pile].clone().into(), scale);
    format!("{}/{}", odds.numerator(), odds.denominator())
}

#[cfg(test)]
mod tests {
    use super::odds;

    #[test]
    fn small_piles_have_their_known_odds() {
        assert_eq!(odds(1, 1, 2), "1/1");
        assert_eq!(odds(3, 1, 2), "5/16");
        assert_eq!(odds(10, 1, 2), "129417/262144");
        assert_eq!(odds(20, 1, 2), "137366896075/274877906944");
    }
}
