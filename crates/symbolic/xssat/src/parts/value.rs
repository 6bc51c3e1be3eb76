//! Value: an exact number from 0 to 1, as a fraction that is brought down only where it must be.
//!
//! Most values of a formula are 0 or 1, so these are cases of their own and cost nothing. Others
//! are a numerator over a denominator that divides the product of the denominators of the chance
//! variables that were decided to get there: variables that no clause needs leave no trace, and
//! parts of a formula that share no variable multiply without a common divisor being sought. Only
//! a mean of fractions of different denominators takes a greatest common divisor.

use std::cmp::Ordering;

use exact::{Ratio, UBig, gcd_big, lcm_big, limbs};

/// Limbs beyond which numbers are long.
const LONG: usize = 64;

/// A number from 0 to 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Zero,
    One,
    /// Neither: a numerator and a larger denominator.
    Part(Box<(UBig, UBig)>),
}

/// The probability that a chance variable is true: `yes` of `whole`, neither none nor all.
#[derive(Clone, Debug)]
pub(crate) struct Odds {
    yes: UBig,
    no: UBig,
    whole: UBig,
}

impl Odds {
    pub(crate) fn new(ratio: &Ratio) -> Self {
        let (yes, whole) = (ratio.numerator(), ratio.denominator().clone());
        assert!(yes > UBig::ZERO && yes < whole, "a probability of 0 or 1 decides its variable");
        let no = &whole - &yes;
        Self { yes, no, whole }
    }

    fn of(&self, value: bool) -> &UBig {
        if value { &self.yes } else { &self.no }
    }
}

impl Value {
    pub(crate) fn is_zero(&self) -> bool {
        *self == Self::Zero
    }

    pub(crate) fn is_one(&self) -> bool {
        *self == Self::One
    }

    fn fraction(&self) -> (UBig, UBig) {
        match self {
            Self::Zero => (UBig::ZERO, UBig::ONE),
            Self::One => (UBig::ONE, UBig::ONE),
            Self::Part(part) => (**part).clone(),
        }
    }

    fn of(numerator: UBig, denominator: UBig) -> Self {
        debug_assert!(numerator <= denominator, "a value is at most 1");
        if numerator == UBig::ZERO {
            Self::Zero
        } else if numerator == denominator {
            Self::One
        } else {
            Self::Part(Box::new((numerator, denominator)))
        }
    }

    /// The value of a conjunction of parts that share no variable.
    pub(crate) fn times(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Zero, _) | (_, Self::Zero) => Self::Zero,
            (Self::One, _) => other.clone(),
            (value, Self::One) => value,
            (Self::Part(a), Self::Part(b)) => Self::Part(Box::new((&a.0 * &b.0, &a.1 * &b.1))),
        }
    }

    /// Times the probability that a chance variable has a value.
    pub(crate) fn weighed(self, odds: &Odds, value: bool) -> Self {
        let weight = odds.of(value);
        match self {
            Self::Zero => Self::Zero,
            Self::One => Self::of(weight.clone(), odds.whole.clone()),
            Self::Part(part) => Self::of(&part.0 * weight, &part.1 * &odds.whole),
        }
    }

    /// The mean over a chance variable of its value under true and under false.
    pub(crate) fn mean(odds: &Odds, under_true: &Self, under_false: &Self) -> Self {
        match (under_true, under_false) {
            (Self::Zero, Self::Zero) => return Self::Zero,
            (Self::One, Self::One) => return Self::One,
            (_, Self::Zero) => return under_true.clone().weighed(odds, true),
            (Self::Zero, _) => return under_false.clone().weighed(odds, false),
            _ => {}
        }
        let ((a, da), (b, db)) = (under_true.fraction(), under_false.fraction());
        let (yes, no) = (a * &odds.yes, b * &odds.no);
        if da == db {
            return Self::of(yes + no, da * &odds.whole);
        }
        let common = lcm_big(&da, &db);
        let sum = yes * (&common / da) + no * (&common / db);
        Self::of(sum, common * &odds.whole)
    }

    /// What a factor of at most 1 has to be for its product with `factor`, which is larger, to be
    /// this.
    pub(crate) fn over(&self, factor: &Self) -> Self {
        debug_assert!(!factor.is_at_most(self), "the product is less than its factor");
        let ((a, da), (b, db)) = (self.fraction(), factor.fraction());
        let (numerator, denominator) = (a * db, da * b);
        let common = gcd_big(&numerator, &denominator);
        Self::of(numerator / &common, denominator / common)
    }

    /// Whether this is no larger than the other.
    pub(crate) fn is_at_most(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Zero, _) | (_, Self::One) => true,
            (_, Self::Zero) | (Self::One, _) => false,
            _ => self.compare(other) != Ordering::Greater,
        }
    }

    /// Orders two values.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        if let Some(order) = self.compare_lengths(other) {
            return order;
        }
        let ((a, da), (b, db)) = (self.fraction(), other.fraction());
        if da == db { a.cmp(&b) } else { (a * db).cmp(&(b * da)) }
    }

    /// The order where the lengths of the numbers show it: products of as many limbs as their
    /// factors have together, or of one less.
    fn compare_lengths(&self, other: &Self) -> Option<Ordering> {
        let (Self::Part(a), Self::Part(b)) = (self, other) else { return None };
        let (this, that) = (limbs(&a.0) + limbs(&b.1), limbs(&b.0) + limbs(&a.1));
        let is_clear = this.abs_diff(that) > 1;
        is_clear.then(|| this.cmp(&that))
    }

    /// Whether its numbers are so long that dividing by it costs more than knowing the quotient saves.
    pub(super) fn is_long(&self) -> bool {
        matches!(self, Self::Part(part) if limbs(&part.1) > LONG)
    }

    /// As a fraction in lowest terms.
    pub(crate) fn to_ratio(&self) -> Ratio {
        let (numerator, denominator) = self.fraction();
        Ratio::new(numerator, denominator)
    }

    /// Bytes on the heap, about.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Zero | Self::One => 0,
            Self::Part(part) => 64 + 8 * (limbs(&part.0) + limbs(&part.1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means, products and weights against rationals.
    #[test]
    fn values_are_rationals() {
        let ratio = |a: u8, b: u8| Ratio::new(a, b);
        let values: Vec<Value> = [(0, 1), (1, 1), (1, 2), (3, 4), (2, 3), (5, 12)]
            .map(|(a, b): (u8, u8)| Value::of(UBig::from(a), UBig::from(b)))
            .to_vec();
        let (p, q) = (ratio(2, 5), ratio(3, 5));
        let odds = Odds::new(&p);
        for a in &values {
            assert_eq!(a.clone().weighed(&odds, true).to_ratio(), &a.to_ratio() * &p);
            assert_eq!(a.clone().weighed(&odds, false).to_ratio(), &a.to_ratio() * &q);
            for b in &values {
                let (x, y) = (a.to_ratio(), b.to_ratio());
                assert_eq!(Value::mean(&odds, a, b).to_ratio(), &(&x * &p) + &(&y * &q));
                assert_eq!(a.clone().times(b).to_ratio(), &x * &y);
                assert_eq!(a.compare(b), x.cmp(&y));
                assert_eq!(a.is_at_most(b), x <= y);
                if x < y {
                    assert_eq!(&a.over(b).to_ratio() * &y, x);
                }
            }
        }
        assert!(values[0].is_zero() && values[1].is_one() && values[1].bytes() == 0);
    }

    /// Numbers of different lengths, up to where the lengths alone show the order.
    #[test]
    fn long_values_are_in_order() {
        let thirds = |count: usize| {
            let power = |base: u8| UBig::from(base).pow(count);
            Value::of(power(2), power(3))
        };
        let counts = [1, 60, 110, 220, 300, 500, 4000];
        for (at, &a) in counts.iter().enumerate() {
            for (other, &b) in counts.iter().enumerate() {
                assert_eq!(thirds(a).compare(&thirds(b)), other.cmp(&at), "{a} {b}");
            }
        }
        assert!(thirds(4000).compare_lengths(&thirds(1)) == Some(Ordering::Less));
        assert!(thirds(60).compare_lengths(&thirds(110)).is_none());
        assert!(thirds(4000).is_long() && !thirds(1000).is_long() && !Value::One.is_long());
    }

    /// Powers of 3 and 7 have no common factor, and about 1.58 and 2.81 bits a factor.
    #[test]
    fn bytes_are_those_of_both_numbers() {
        for (three, seven) in [(1, 1), (400, 300), (4000, 2300), (1, 900)] {
            let value = Value::of(UBig::from(3u8).pow(three), UBig::from(7u8).pow(seven));
            let least = (three * 158 + seven * 280) / 800;
            let (bytes, most) = (value.bytes(), least + least / 50 + 100);
            assert!((least..=most).contains(&bytes), "{bytes} bytes, {least} of them certain");
        }
    }
}
