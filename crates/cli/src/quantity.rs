//! What a person types for a size, a duration or a probability, turned into exact numbers.
//!
//! A size is bytes: `8GiB`, `1.5GiB`, `200MB`, `64M` (binary, as most tools read it), `1048576`.
//! A duration is `500ms`, `60s`, `5m`, `2h`; a bare number is seconds. A probability is `A/B`, `0`
//! or `1`. All arithmetic is on integers: a decimal point is a shift by a power of ten, and what
//! does not fit is refused, never wrapped.

use std::time::Duration;

/// Powers of each size suffix, in lower case.
const SIZE_UNITS: &[(&str, u128)] = &[
    ("", 1),
    ("b", 1),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("k", 1 << 10),
    ("m", 1 << 20),
    ("g", 1 << 30),
    ("t", 1 << 40),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
];

/// Nanoseconds of each duration suffix.
const TIME_UNITS: &[(&str, u128)] = &[
    ("", 1_000_000_000),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Digits after the point that are read; more would be finer than a byte or a nanosecond.
const FRACTION_DIGITS: usize = 12;

/// A size in bytes.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    scaled(text, SIZE_UNITS)
        .and_then(|bytes| u64::try_from(bytes).ok())
        .ok_or_else(|| "write a size such as 8GiB, 512MiB, 200MB or a number of bytes".to_owned())
}

/// A duration.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    scaled(text, TIME_UNITS)
        .and_then(|nanos| u64::try_from(nanos).ok())
        .map(Duration::from_nanos)
        .ok_or_else(|| "write a duration such as 500ms, 60s, 5m or 2h".to_owned())
}

/// A probability as numerator and denominator, as written.
pub(crate) fn probability(text: &str) -> Result<(u32, u32), String> {
    let hint = || "write a probability as a fraction between 0 and 1, such as 3/4".to_owned();
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let above: u32 = above.trim().parse().map_err(|_| hint())?;
    let below: u32 = below.trim().parse().map_err(|_| hint())?;
    if below == 0 || above > below { Err(hint()) } else { Ok((above, below)) }
}

/// A whole number that is refused in words: `a horizon is a whole number of steps from 0 to 9`.
fn whole(text: &str, what: &str, least: u64, most: u64) -> Result<u64, String> {
    debug_assert!(least <= most, "some number is accepted");
    let read = text.trim().parse().ok().filter(|number| (least..=most).contains(number));
    read.ok_or_else(|| format!("{what} from {least} to {most}"))
}

/// A number of steps.
fn steps(text: &str, what: &str) -> Result<u32, String> {
    let number = whole(text, what, 0, u32::MAX.into())?;
    Ok(u32::try_from(number).expect("within the bounds"))
}

/// Steps of a horizon.
pub(crate) fn horizon(text: &str) -> Result<u32, String> {
    steps(text, "a horizon is a whole number of steps")
}

/// Steps of a search, or plies of a count.
pub(crate) fn depth(text: &str) -> Result<u32, String> {
    steps(text, "a depth is a whole number of steps")
}

/// Plays of a comparison.
pub(crate) fn plays(text: &str) -> Result<u32, String> {
    let number = whole(text, "plays are a whole number of games", 0, u32::MAX.into())?;
    Ok(u32::try_from(number).expect("within the bounds"))
}

/// Steps of a play of a comparison.
pub(crate) fn play_steps(text: &str) -> Result<u32, String> {
    steps(text, "steps are a whole number")
}

/// Random games to play.
pub(crate) fn playouts(text: &str) -> Result<u64, String> {
    whole(text, "playouts are a whole number of games", 0, 1_000_000_000)
}

/// Random things to compare.
pub(crate) fn things(text: &str) -> Result<u64, String> {
    whole(text, "a count is a whole number of things", 0, 1_000_000_000)
}

/// Steps of a random game; each has a counter.
pub(crate) fn playout_steps(text: &str) -> Result<u32, String> {
    let number = whole(text, "steps are a whole number", 0, 10_000_000)?;
    Ok(u32::try_from(number).expect("within the bounds"))
}

/// Atoms that a game may ground to.
pub(crate) fn ground_limit(text: &str) -> Result<u64, String> {
    whole(text, "a ground limit is a whole number of atoms", 1, u64::MAX)
}

/// Threads to work on.
pub(crate) fn threads(text: &str) -> Result<u16, String> {
    let number = whole(text, "threads are a whole number", 1, 1024)?;
    Ok(u16::try_from(number).expect("within the bounds"))
}

/// The seed of a random generator.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    whole(text, "a seed is a whole number", 0, u64::MAX)
}

/// Pieces of a pile.
pub(crate) fn pile(text: &str) -> Result<u32, String> {
    let most = crosscheck::families::PILE_MAX;
    let number = whole(text, "a pile is a whole number of pieces", 1, most.into())?;
    Ok(u32::try_from(number).expect("within the bounds"))
}

/// Points of a target.
pub(crate) fn target(text: &str) -> Result<u32, String> {
    let most = crosscheck::families::TARGET_MAX;
    let number = whole(text, "a target is a whole number of points", 1, most.into())?;
    Ok(u32::try_from(number).expect("within the bounds"))
}

/// Faces of a die.
pub(crate) fn die(text: &str) -> Result<u32, String> {
    let most = crosscheck::families::DIE_MAX;
    let number = whole(text, "a die has a whole number of faces", 2, most.into())?;
    Ok(u32::try_from(number).expect("within the bounds"))
}

/// Digits of the least width of bounds: a grain of them is about 1e-19, and some add up.
const WIDTH_DIGITS: u32 = 17;

/// A width of bounds, such as 1e-12, 0.001 or 1/1000, rounded down in units of 2^-63.
pub(crate) fn width(text: &str) -> Result<u64, String> {
    let hint = "a width is a number above 0 and at most 1, such as 1e-12 or 1/1000";
    let (number, power) = match text.trim().split_once(['e', 'E']) {
        Some((number, power)) => (number, power.parse::<i64>().map_err(|_| hint.to_owned())?),
        None => (text.trim(), 0),
    };
    let number = if number.starts_with('.') { format!("0{number}") } else { number.to_owned() };
    let ratio: exact::Ratio = number.parse().map_err(|_| hint.to_owned())?;
    let shift = power.unsigned_abs().min(40) as usize;
    let ratio = ratio / exact::Ratio::new(exact::UBig::from(10u8).pow(shift), 1u8);
    if power > 0 || ratio.is_zero() || !ratio.is_probability() {
        return Err(hint.to_owned());
    }
    if ratio < exact::Ratio::new(1u8, 10u64.pow(WIDTH_DIGITS)) {
        return Err(format!("the least width is 1e-{WIDTH_DIGITS}"));
    }
    Ok(exact::Bounds::exact(&ratio).raw().0.max(1))
}

/// Columns, rows or the length of a line; how many there may be is the family's to say.
pub(crate) fn side(text: &str) -> Result<u32, String> {
    let hint = || "columns, rows and line are whole numbers of cells, such as 3".to_owned();
    text.trim().parse().map_err(|_| hint())
}

/// `number unit` times the unit's worth, rounded down; none where it cannot be read.
fn scaled(text: &str, units: &[(&str, u128)]) -> Option<u128> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = unit.trim().to_ascii_lowercase();
    let worth = units.iter().find(|(name, _)| *name == unit)?.1;
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || part.len() > FRACTION_DIGITS || (number.ends_with('.')) {
        return None;
    }
    let whole: u128 = whole.parse::<u64>().ok()?.into();
    let part_value: u128 = if part.is_empty() { 0 } else { part.parse::<u64>().ok()?.into() };
    let shift = 10u128.pow(part.len() as u32);
    debug_assert!(part_value < shift, "a part is below one");
    Some(whole.checked_mul(worth)? + part_value * worth / shift)
}

/// A size for people: `1.5 GiB`.
pub(crate) fn show_size(bytes: u64) -> String {
    const NAMES: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let step = (0..NAMES.len() - 1).take_while(|step| bytes >> (10 * (step + 1)) > 0).count();
    if step == 0 {
        return format!("{bytes} B");
    }
    format!("{:.1} {}", bytes as f64 / (1u64 << (10 * step)) as f64, NAMES[step])
}

/// A duration for people: `0.021 s`, `3 min 20 s`.
pub(crate) fn show_duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 120.0 {
        return format!("{seconds:.3} s");
    }
    format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60)
}

/// A count with commas between thousands.
pub(crate) fn show_count(count: u64) -> String {
    group_thousands(&count.to_string())
}

/// A count with its noun: `1 step`, `2,000 steps`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", show_count(count), if count == 1 { "" } else { "s" })
}

/// Commas between thousands of a row of decimal digits of any length.
pub(crate) fn group_thousands(digits: &str) -> String {
    debug_assert!(digits.bytes().all(|byte| byte.is_ascii_digit()), "only digits are grouped");
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_fractions_decimals_or_powers() {
        assert_eq!(width("1/2"), Ok(1 << 62));
        assert_eq!(width(" .5 "), width("5e-1"));
        assert_eq!(width("1"), Ok(1 << 63));
        for bad in ["0", "-1", "2", "1e3", "abc", "1e-", "e-3", ""] {
            assert!(width(bad).unwrap_err().contains("such as"), "{bad}");
        }
        for small in ["1e-30", "1e-400", "1e-99999999999"] {
            assert!(width(small).unwrap_err().contains("least width"), "{small}");
        }
    }

    #[test]
    fn sizes_are_read_in_binary_and_decimal_units() {
        assert_eq!(size("8GiB"), Ok(8 << 30));
        assert_eq!(size("1.5 gib"), Ok(3 << 29));
        assert_eq!(size("200MB"), Ok(200_000_000));
        assert_eq!(size("64M"), Ok(64 << 20));
        assert_eq!(size("4096"), Ok(4096));
        for bad in ["", "GiB", "-1", "8 parsecs", "1e9", "99999999TiB", "1..2", "1.", "nan"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn durations_are_read_with_their_unit() {
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert!(duration("1 fortnight").is_err() && duration("99999999999h").is_err());
    }

    #[test]
    fn probabilities_lie_between_nothing_and_one() {
        assert_eq!(probability("3/4"), Ok((3, 4)));
        assert_eq!(probability("0"), Ok((0, 1)));
        assert!(probability("5/4").is_err() && probability("1/0").is_err());
        assert!(probability("0.75").is_err() && probability("-1/2").is_err());
    }

    #[test]
    fn whole_numbers_are_refused_with_their_range() {
        assert_eq!((horizon("0"), pile("7")), (Ok(0), Ok(7)));
        let refused = "a horizon is a whole number of steps from 0 to 4294967295";
        for bad in ["-1", "4294967296", "99999999999999999999", "1.5", "", "soon"] {
            assert_eq!(horizon(bad), Err(refused.to_owned()), "{bad}");
        }
        let refused = "threads are a whole number from 1 to 1024";
        for bad in ["0", "-1", "1025", "18446744073709551616", "all"] {
            assert_eq!(threads(bad), Err(refused.to_owned()), "{bad}");
        }
        assert_eq!((threads("1"), threads("1024"), things("0")), (Ok(1), Ok(1024), Ok(0)));
        assert!(ground_limit("0").is_err() && pile("0").is_err() && side("-3").is_err());
        assert_eq!((seed("18446744073709551615"), depth("3")), (Ok(u64::MAX), Ok(3)));
    }

    #[test]
    fn shown_numbers_are_grouped_and_carry_a_unit() {
        assert_eq!(show_count(1234567), "1,234,567");
        assert_eq!(show_count(12), "12");
        assert_eq!(show_size(1536), "1.5 KiB");
        assert_eq!(show_size(12), "12 B");
        assert_eq!(show_duration(Duration::from_secs(200)), "3 min 20 s");
    }
}
