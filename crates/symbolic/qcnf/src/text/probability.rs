//! Probabilities as text: read exactly, and written as decimals where they are decimals.
//!
//! Read: `0.25`, `.25`, `1.`, `1`, `3/4`, `2.5e-1`; never through a float. Written: the decimal
//! where the denominator has no prime factor but 2 and 5, since every tool reads that, else `a/b`.
//! The digits and the exponent that are read are bounded, so that a short text cannot ask for a
//! number of millions of digits.

use exact::Ratio;

/// Characters of a probability, at most.
const LENGTH_LIMIT: usize = 4_000;
/// Size of a decimal exponent, at most.
const EXPONENT_LIMIT: u32 = 4_000;
/// Decimals of up to so many places are written in full; longer ones as a fraction.
const PLACES_LIMIT: usize = 60;

/// The number that a text writes, whether it is a probability or not.
///
/// # Errors
/// What is wrong with it, as the end of a sentence that names it.
pub(super) fn parse(text: &str) -> Result<Ratio, String> {
    if text.len() > LENGTH_LIMIT {
        return Err(format!("has {} characters, and {LENGTH_LIMIT} are read", text.len()));
    }
    let Some((digits, exponent)) = text.split_once(['e', 'E']) else { return plain(text) };
    let (negative, size) = match exponent.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, exponent.strip_prefix('+').unwrap_or(exponent)),
    };
    let size: u32 = match size.parse() {
        Ok(size) if size <= EXPONENT_LIMIT && !size_has_sign(exponent) => size,
        _ => return Err(format!("has an exponent that is no number up to {EXPONENT_LIMIT}")),
    };
    if digits.contains('/') {
        return Err("is a fraction with an exponent".into());
    }
    let power = power_of_ten(size as usize);
    let number = plain(digits)?;
    Ok(if negative { number / power } else { number * power })
}

/// Whether a sign follows the sign, which `u32` would read.
fn size_has_sign(exponent: &str) -> bool {
    exponent.get(1..).is_some_and(|rest| rest.starts_with(['+', '-']))
}

fn power_of_ten(exponent: usize) -> Ratio {
    let text = format!("1{}", "0".repeat(exponent));
    text.parse().expect("a one and zeros are a number")
}

/// A decimal or a fraction; a digit may be missing on one side of the point.
fn plain(text: &str) -> Result<Ratio, String> {
    let (sign, size) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let filled = match size.split_once('.') {
        Some(("", places)) if !places.is_empty() => format!("{sign}0.{places}"),
        Some((whole, "")) if !whole.is_empty() => format!("{sign}{whole}"),
        _ => format!("{sign}{size}"),
    };
    match filled.parse() {
        Ok(number) => Ok(number),
        Err(_) if text.ends_with("/0") => Err("has the denominator 0".into()),
        Err(_) => Err("is not a number".into()),
    }
}

/// The decimal that is equal to a probability, if there is one of at most 60 places.
pub(super) fn exact_decimal(value: &Ratio) -> Option<String> {
    debug_assert!(value.is_probability());
    let digits = value.decimal(PLACES_LIMIT);
    let text = positional(&digits);
    (parse(&text).as_ref() == Ok(value)).then_some(text)
}

/// The nearest decimal of so many significant digits, without an exponent.
pub(super) fn nearest_decimal(value: &Ratio, digits: usize) -> String {
    positional(&value.decimal(digits))
}

/// Turns `1.5e-9` into `0.0000000015`.
fn positional(decimal: &str) -> String {
    let Some((digits, exponent)) = decimal.split_once("e-") else { return decimal.to_owned() };
    let zeros: usize = exponent.parse().expect("a decimal's exponent is a number");
    debug_assert!(zeros > 0 && digits.find('.').is_none_or(|at| at == 1));
    format!("0.{}{}", "0".repeat(zeros - 1), digits.replace('.', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(text: &str) -> Ratio {
        text.parse().unwrap()
    }

    #[test]
    fn every_way_to_write_a_number_is_read_exactly() {
        for (text, value) in [
            ("0.5", "1/2"),
            (".25", "1/4"),
            ("1.", "1"),
            ("3/4", "3/4"),
            ("06/08", "3/4"),
            ("2.5e-1", "1/4"),
            ("1E0", "1"),
            ("5e+1", "50"),
            ("+0.1", "1/10"),
            ("-1", "-1"),
            ("-.5", "-1/2"),
            (
                "0.333333333333333333333333333333",
                "333333333333333333333333333333/1000000000000000000000000000000",
            ),
        ] {
            assert_eq!(parse(text), Ok(ratio(value)), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "", ".", "x", "1/", "/2", "1/0", "1e", "1e--1", "1e+-1", "1e5000", "1/2e1", "0x1",
            "1,5", "nan",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("1/0"), Err("has the denominator 0".into()));
        assert!(parse(&"1".repeat(5000)).unwrap_err().contains("5000 characters"));
        assert!(parse("1e999999999999").unwrap_err().contains("exponent"));
    }

    #[test]
    fn decimals_are_written_where_they_are_exact() {
        for (value, text) in [
            ("1/2", Some("0.5")),
            ("0", Some("0")),
            ("1", Some("1")),
            ("1/3", None),
            ("1/1000000000", Some("0.000000001")),
            ("15/10000000000", Some("0.0000000015")),
        ] {
            assert_eq!(exact_decimal(&ratio(value)).as_deref(), text);
        }
        assert_eq!(nearest_decimal(&ratio("2/3"), 4), "0.6667");
        assert_eq!(nearest_decimal(&ratio("2/3000000000"), 3), "0.000000000667");
    }
}
