//! Fractions for people: whole where they are short, shortened where nobody would read them.
//!
//! The sign before a decimal tells whether it is the value (`=`) or near it (`≈`). Nothing here
//! decides anything: the exact text is always in `--json`.

use exact::Ratio;

/// Significant digits of a decimal.
pub(crate) const DECIMAL_DIGITS: usize = 12;
/// A rounded decimal shorter than this looks like an exact one.
const ROUND_TEXT: usize = 8;
/// Most digits that are shown to tell a value from a round number.
const DIGITS_MAX: usize = 4 * DECIMAL_DIGITS;
/// A fraction with more characters than this is shortened.
const LONG_TEXT: usize = 200;
/// Digits kept at the front and at the back of a shortened number.
const KEPT_DIGITS: usize = 12;

/// `243/512`, a whole number as `52`, or both parts shortened with the number of their digits.
pub(crate) fn fraction(value: &Ratio) -> String {
    let text = value.to_string();
    if let Some(whole) = text.strip_suffix("/1") {
        return shorten(whole);
    }
    if text.len() <= LONG_TEXT {
        return text;
    }
    let (above, below) = text.split_once('/').unwrap_or((&text, "1"));
    format!("{}/{} ({}/{} digits)", shorten(above), shorten(below), above.len(), below.len())
}

/// `= 0.474609375` or `≈ 0.333333333333`.
pub(crate) fn decimal(value: &Ratio) -> String {
    let text = plain_decimal(value);
    let exact = text.parse::<Ratio>().is_ok_and(|read| read == *value);
    format!("{} {text}", if exact { "=" } else { "≈" })
}

/// The decimal without a sign. A value a hair beside a round number gets more digits, so that it
/// does not look like that number.
pub(crate) fn plain_decimal(value: &Ratio) -> String {
    let looks_round = |text: &str| {
        text.len() < ROUND_TEXT && text.parse::<Ratio>().is_ok_and(|read| read != *value)
    };
    let mut digits = DECIMAL_DIGITS;
    while digits < DIGITS_MAX && looks_round(&value.decimal(digits)) {
        digits *= 2;
    }
    value.decimal(digits)
}

/// Significant digits with which two different bounds look different, twelve at least.
pub(crate) fn digits_apart(lower: &Ratio, upper: &Ratio) -> usize {
    let alike = |digits: usize| lower != upper && lower.decimal(digits) == upper.decimal(digits);
    (DECIMAL_DIGITS..=DIGITS_MAX).find(|&digits| !alike(digits)).unwrap_or(DIGITS_MAX)
}

/// The decimal of so many digits, with the sign that tells whether it is the value; none where the
/// fraction says the same.
pub(crate) fn signed(value: &Ratio, digits: usize) -> String {
    let text = value.decimal(digits);
    if fraction(value) == text {
        return String::new();
    }
    let exact = text.parse::<Ratio>().is_ok_and(|read| read == *value);
    format!("{} {text}", if exact { "=" } else { "≈" })
}

/// `243/512 = 0.474609375`; a whole number is its own decimal.
pub(crate) fn both(value: &Ratio) -> String {
    format!("{} {}", fraction(value), decimal_beside(value)).trim_end().to_owned()
}

/// The decimal that stands beside the fraction; none where that would say the same twice.
pub(crate) fn decimal_beside(value: &Ratio) -> String {
    if fraction(value) == plain_decimal(value) { String::new() } else { decimal(value) }
}

fn shorten(digits: &str) -> String {
    debug_assert!(digits.is_ascii(), "digits are cut by bytes");
    if digits.len() <= 2 * KEPT_DIGITS + 1 {
        return digits.to_owned();
    }
    format!("{}…{}", &digits[..KEPT_DIGITS], &digits[digits.len() - KEPT_DIGITS..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(text: &str) -> Ratio {
        text.parse().unwrap()
    }

    #[test]
    fn a_decimal_tells_whether_it_is_rounded() {
        assert_eq!(both(&ratio("243/512")), "243/512 = 0.474609375");
        assert_eq!(both(&ratio("1/3")), "1/3 ≈ 0.333333333333");
        assert_eq!(both(&ratio("1")), "1");
        assert_eq!(both(&ratio("0")), "0");
        assert_eq!(both(&ratio("52")), "52");
        let beside = Ratio::new(10u64.pow(15) / 2 - 1, 10u64.pow(15));
        assert_eq!(decimal(&beside), "= 0.499999999999999");
        let tiny = Ratio::new(1u8, 10u64.pow(15));
        assert!(decimal(&tiny).ends_with("1e-15"));
    }

    #[test]
    fn a_long_fraction_is_shortened_and_tells_its_length() {
        let long = Ratio::new(1u8, exact::UBig::from(3u8).pow(1000));
        assert_eq!(fraction(&long), "1/132207081948…902855220001 (1/478 digits)".to_owned());
    }
}
