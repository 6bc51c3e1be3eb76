//! A rational in lowest terms, and how it is read and shown.
//!
//! Always: the denominator is positive and shares no factor with the numerator, so equality is
//! equality of the parts. The text form is `a/b` even for whole numbers (`1/1`, `0/1`), and
//! `parse(print(x)) == x`. Decimal text is rounded half to even in whole numbers, never through a
//! float; it costs one big division, so fractions of twenty thousand bits are quick.

use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::str::FromStr;

use dashu::base::{BitTest, DivRem, Signed, UnsignedAbs};
use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

use crate::scaled;

/// An exact rational.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio(RBig);

impl Ratio {
    /// 0.
    pub fn zero() -> Self {
        Self(RBig::ZERO)
    }

    /// 1.
    pub fn one() -> Self {
        Self(RBig::ONE)
    }

    /// `numerator / denominator`, brought to lowest terms.
    ///
    /// # Panics
    /// When the denominator is 0.
    pub fn new(numerator: impl Into<UBig>, denominator: impl Into<UBig>) -> Self {
        let denominator = denominator.into();
        assert!(!denominator.is_zero(), "a fraction over 0");
        Self(RBig::from_parts(IBig::from(numerator.into()), denominator))
    }

    /// The value of a scaled integer (little-endian limbs) over its denominator.
    ///
    /// # Panics
    /// When the denominator is 0.
    pub fn from_scaled(limbs: &[u64], denominator: &UBig) -> Self {
        Self::new(scaled::to_big(limbs), denominator.clone())
    }

    /// The numerator in lowest terms, without its sign.
    pub fn numerator(&self) -> UBig {
        self.0.numerator().unsigned_abs()
    }

    /// The denominator in lowest terms; never 0.
    pub fn denominator(&self) -> &UBig {
        self.0.denominator()
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether this is below 0.
    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// Whether this lies in [0, 1], as a probability must.
    pub fn is_probability(&self) -> bool {
        !self.is_negative() && self.numerator() <= *self.denominator()
    }

    /// This times a whole number; `times(100)` makes an expected goal of a value.
    pub fn times(&self, factor: u64) -> Self {
        Self(&self.0 * RBig::from(factor))
    }

    /// The largest multiple of 2^-`bits` that is not above this.
    ///
    /// # Panics
    /// When this is below 0.
    #[must_use]
    pub fn rounded_down(&self, bits: usize) -> Self {
        Self::new(self.parts(bits).0, UBig::ONE << bits)
    }

    /// The least multiple of 2^-`bits` that is not below this.
    ///
    /// # Panics
    /// When this is below 0.
    #[must_use]
    pub fn rounded_up(&self, bits: usize) -> Self {
        let (floor, rest) = self.parts(bits);
        Self::new(floor + u8::from(!rest.is_zero()), UBig::ONE << bits)
    }

    /// This in units of 2^-`bits`: the whole ones, and what is left over the denominator.
    fn parts(&self, bits: usize) -> (UBig, UBig) {
        assert!(!self.is_negative(), "only what is not negative is rounded");
        (self.numerator() << bits).div_rem(self.denominator())
    }

    /// Number of bits of the denominator.
    pub fn denominator_bits(&self) -> usize {
        self.denominator().bit_len()
    }

    /// Nearest float. For display and timing only: no decision may rest on it.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }

    /// The value as decimal text of at most `digits` significant digits, rounded half to even,
    /// without trailing zeros. Below 10^-7 in size it is written as `1.5e-9`.
    ///
    /// # Panics
    /// When `digits` is 0.
    pub fn decimal(&self, digits: usize) -> String {
        assert!(digits > 0, "a number of no digits");
        if self.is_zero() {
            return "0".into();
        }
        let sign = if self.is_negative() { "-" } else { "" };
        let (figures, exponent) = figures(&self.numerator(), self.denominator(), digits);
        format!("{sign}{}", place_point(&figures, exponent))
    }
}

/// Significant figures of `n / d` (without trailing zeros) and the exponent of the first.
fn figures(n: &UBig, d: &UBig, digits: usize) -> (String, isize) {
    let mut exponent = leading_exponent(n, d);
    let shift = digits as isize - 1 - exponent;
    let (n, d) = if shift >= 0 {
        (n * power_of_ten(shift), d.clone())
    } else {
        (n.clone(), d * power_of_ten(-shift))
    };
    let mut text = rounded_quotient(&n, &d).to_string();
    if text.len() > digits {
        // 999.. was rounded up to 1000..: one digit more, and all but the first are zero.
        exponent += 1;
    }
    text.truncate(text.trim_end_matches('0').len());
    debug_assert!(!text.is_empty() && text.len() <= digits);
    (text, exponent)
}

/// The `e` with `10^e <= n / d < 10^(e+1)`, by an estimate from the bit lengths and a correction.
fn leading_exponent(n: &UBig, d: &UBig) -> isize {
    let bits = n.bit_len() as i128 - d.bit_len() as i128;
    // log10(2) = 0.30102999566..; one off in either direction is corrected below.
    let mut exponent = (bits * 30_102_999_566 / 100_000_000_000) as isize;
    while !at_least_power(n, d, exponent) {
        exponent -= 1;
    }
    while at_least_power(n, d, exponent + 1) {
        exponent += 1;
    }
    exponent
}

/// Whether `n / d >= 10^exponent`.
fn at_least_power(n: &UBig, d: &UBig, exponent: isize) -> bool {
    if exponent >= 0 { *n >= d * power_of_ten(exponent) } else { n * power_of_ten(-exponent) >= *d }
}

fn power_of_ten(exponent: isize) -> UBig {
    debug_assert!(exponent >= 0);
    UBig::from(10u8).pow(exponent.unsigned_abs())
}

/// `n / d` rounded to the nearest whole number, half to even.
fn rounded_quotient(n: &UBig, d: &UBig) -> UBig {
    let (quotient, rest) = n.div_rem(d);
    let twice = rest * 2u8;
    let up = twice > *d || (twice == *d && quotient.bit(0));
    if up { quotient + 1u8 } else { quotient }
}

/// Puts the decimal point into significant figures whose first digit stands for `10^exponent`.
fn place_point(figures: &str, exponent: isize) -> String {
    if exponent < -7 {
        let (first, rest) = figures.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{first}{point}{rest}e{exponent}");
    }
    if exponent < 0 {
        return format!("0.{}{figures}", "0".repeat(exponent.unsigned_abs() - 1));
    }
    let whole = exponent.unsigned_abs() + 1;
    if figures.len() <= whole {
        return format!("{figures}{}", "0".repeat(whole - figures.len()));
    }
    let (before, after) = figures.split_at(whole);
    format!("{before}.{after}")
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0.numerator(), self.0.denominator())
    }
}

impl fmt::Debug for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a text is not a fraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseRatioError {
    text: String,
    why: &'static str,
}

impl fmt::Display for ParseRatioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a fraction: {}; write `3/4`, `1` or `0.75`", self.text, self.why)
    }
}

impl std::error::Error for ParseRatioError {}

impl FromStr for Ratio {
    type Err = ParseRatioError;

    fn from_str(text: &str) -> Result<Self, ParseRatioError> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let size = parse_unsigned(unsigned)
            .map_err(|why| ParseRatioError { text: text.to_owned(), why })?;
        Ok(if negative { -size } else { size })
    }
}

/// `a/b`, `a` or `a.b`, without a sign.
fn parse_unsigned(text: &str) -> Result<Ratio, &'static str> {
    if let Some((numerator, denominator)) = text.split_once('/') {
        let denominator = parse_digits(denominator)?;
        if denominator.is_zero() {
            return Err("its denominator is 0");
        }
        return Ok(Ratio::new(parse_digits(numerator)?, denominator));
    }
    let Some((whole, part)) = text.split_once('.') else {
        return Ok(Ratio::new(parse_digits(text)?, 1u8));
    };
    parse_digits(whole)?;
    parse_digits(part)?;
    let scale = UBig::from(10u8).pow(part.len());
    Ok(Ratio::new(parse_digits(&format!("{whole}{part}"))?, scale))
}

fn parse_digits(text: &str) -> Result<UBig, &'static str> {
    if text.is_empty() {
        return Err("a number is missing");
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("it holds something other than digits");
    }
    UBig::from_str_radix(text, 10).map_err(|_| "its digits cannot be read")
}

impl Neg for Ratio {
    type Output = Ratio;
    fn neg(self) -> Ratio {
        Ratio(-self.0)
    }
}

/// Each operator for the four mixes of owned and borrowed operands.
macro_rules! operators {
    ($($trait:ident $method:ident $sign:tt),* $(,)?) => { $(
        impl $trait<&Ratio> for &Ratio {
            type Output = Ratio;
            fn $method(self, other: &Ratio) -> Ratio { Ratio(&self.0 $sign &other.0) }
        }
        impl $trait<Ratio> for Ratio {
            type Output = Ratio;
            fn $method(self, other: Ratio) -> Ratio { Ratio(self.0 $sign other.0) }
        }
        impl $trait<&Ratio> for Ratio {
            type Output = Ratio;
            fn $method(self, other: &Ratio) -> Ratio { Ratio(self.0 $sign &other.0) }
        }
        impl $trait<Ratio> for &Ratio {
            type Output = Ratio;
            fn $method(self, other: Ratio) -> Ratio { Ratio(&self.0 $sign other.0) }
        }
    )* };
}

operators!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<'a> std::iter::Sum<&'a Ratio> for Ratio {
    fn sum<S: Iterator<Item = &'a Ratio>>(parts: S) -> Self {
        parts.fold(Ratio::zero(), |sum, part| sum + part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(text: &str) -> Ratio {
        text.parse().unwrap()
    }

    #[test]
    fn fractions_are_shown_in_lowest_terms_and_read_back() {
        for (text, shown) in
            [("6/8", "3/4"), ("1", "1/1"), ("0", "0/1"), ("0.25", "1/4"), ("-2/4", "-1/2")]
        {
            assert_eq!(ratio(text).to_string(), shown);
            assert_eq!(ratio(shown), ratio(text));
        }
    }

    #[test]
    fn rounding_to_bits_keeps_to_its_side() {
        for (text, down, up) in [
            ("1/3", "85/256", "43/128"),
            ("3/4", "3/4", "3/4"),
            ("0", "0", "0"),
            ("1", "1", "1"),
            ("1/1000", "0", "1/256"),
        ] {
            let value = ratio(text);
            assert_eq!((value.rounded_down(8), value.rounded_up(8)), (ratio(down), ratio(up)));
        }
        assert_eq!(ratio("3/8").denominator_bits(), 4);
    }

    #[test]
    fn what_is_no_fraction_is_refused_with_the_reason() {
        for text in ["", "/", "1/", "/2", "1/0", "x", "1.x", "1_0", "+1", "1/-2", ".5", "5.", "--1"]
        {
            let error = text.parse::<Ratio>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
        assert!("1/0".parse::<Ratio>().unwrap_err().to_string().contains("denominator is 0"));
    }

    #[test]
    fn arithmetic_is_exact() {
        let (a, b) = (ratio("1/3"), ratio("1/6"));
        assert_eq!(&a + &b, ratio("1/2"));
        assert_eq!(&a - &b, ratio("1/6"));
        assert_eq!(&b - &a, ratio("-1/6"));
        assert_eq!(&a * &b, ratio("1/18"));
        assert_eq!(&a / &b, ratio("2"));
        assert!(a > b && b.is_probability() && !(&b - &a).is_probability());
        assert_eq!(a.times(100), ratio("100/3"));
        assert_eq!([a, b].iter().sum::<Ratio>(), ratio("1/2"));
    }

    #[test]
    fn decimals_are_rounded_half_to_even_and_trimmed() {
        for (text, digits, shown) in [
            ("1/3", 4, "0.3333"),
            ("2/3", 4, "0.6667"),
            ("1/8", 2, "0.12"),
            ("3/8", 2, "0.38"),
            ("1/2", 12, "0.5"),
            ("1", 12, "1"),
            ("0", 3, "0"),
            ("100", 12, "100"),
            ("12345", 2, "12000"),
            ("199/2", 2, "100"),
            ("9999/10000", 3, "1"),
            ("995/10000", 1, "0.1"),
            ("100/3", 5, "33.333"),
            ("1/30000000", 3, "3.33e-8"),
            ("-1/3", 2, "-0.33"),
        ] {
            assert_eq!(ratio(text).decimal(digits), shown, "{text}");
        }
        assert_eq!(ratio("1/10000000").decimal(3), "0.0000001");
    }

    #[test]
    fn decimals_agree_with_whole_number_division() {
        let (mut n, mut d) = (1u64, 7u64);
        for _ in 0..2000 {
            n = n.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            d = d.wrapping_mul(3202034522624059733).wrapping_add(1);
            let (small, large) = ((n >> 20).min(d >> 20), (n >> 20).max(d >> 20).max(1));
            let exact = Ratio::new(small, large);
            let shown: Ratio = match exact.decimal(12).split_once('e') {
                None => ratio(&exact.decimal(12)),
                Some((front, tail)) => {
                    let power = UBig::from(10u8).pow(tail[1..].parse().unwrap());
                    ratio(front) * Ratio::new(1u8, power)
                }
            };
            let error = if shown > exact { &shown - &exact } else { &exact - &shown };
            assert!(error <= exact * Ratio::new(1u8, 100_000_000_000u64));
        }
    }

    #[test]
    fn a_fraction_of_twenty_thousand_bits_is_shown_quickly() {
        let power = UBig::from(3u8).pow(13_000);
        let value = Ratio::new(&power - 1u8, power.clone());
        assert_eq!(value.decimal(12), "1");
        assert_eq!(Ratio::new(1u8, power.clone()).decimal(4).split_once('e').unwrap().1, "-6203");
        assert!(Ratio::new(power, 1u8).decimal(12).len() > 6000);
    }
}
