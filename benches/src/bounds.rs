//! How much is known of a game when the time is over: bounds of the odds after some seconds.
//!
//! These are measured by the clock of the wall, since that is what a limit goes by, and on all
//! cores; how long the program really took stands beside. All bounds of a game, of either engine,
//! must hold its value where it is known, and have a value in common where it is not.

use std::process::Command;
use std::time::Instant;

use exact::Ratio;

use crate::contest::{Setup, json_bounds};
use crate::record::{Page, seconds};

/// A game, the odds of its first role if they are known from elsewhere, and the seconds given.
type Game = (&'static str, Option<&'static str>, &'static [u32]);

/// All of them; the odds are those of `tests/data/values.json`.
const GAMES: &[Game] = &[
    ("connect 5 4 4 --own 3/4", Some("57009793755/137438953472"), &[1, 2, 5, 10]),
    ("connect 5 5 4 --own 3/4", None, &[2, 5, 10]),
    ("connect 6 5 4 --own 3/4", None, &[10, 30]),
];

/// Seconds by which a limit may be passed.
const SLACK: f64 = 2.0;

/// Measures all of them.
///
/// # Errors
/// Where a run fails or takes much too long, and where bounds do not hold the value.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    page.say("Here by the clock of the wall and on all cores, one run a row.");
    for (game, value, limits) in GAMES {
        page.say(&format!("## {game}"));
        let sheet = setup.sheet(game)?;
        let mut rows = Vec::new();
        let known = value.map(|value| value.parse::<Ratio>().map_err(|_| format!("`{value}`")));
        let known = known.transpose()?;
        let mut common =
            known.map_or((Ratio::zero(), Ratio::one()), |value| (value.clone(), value));
        let quick = if setup.quick { 1 } else { limits.len() };
        for engine in ["sweep", "search"] {
            for limit in &limits[..quick] {
                let (row, bounds) = row(setup, &sheet, engine, *limit)?;
                common = meet(common, bounds).ok_or_else(|| {
                    format!("{game}: bounds of {engine} after {limit} s are wrong")
                })?;
                rows.push(row);
            }
        }
        page.table(&["engine", "--time", "wall s", "at least", "at most", "width"], &rows);
    }
    Ok(())
}

/// What two bounds of one value have in common: of a known value, itself.
fn meet(one: (Ratio, Ratio), other: (Ratio, Ratio)) -> Option<(Ratio, Ratio)> {
    let common = (one.0.max(other.0), one.1.min(other.1));
    (common.0 <= common.1).then_some(common)
}

fn row(
    setup: &Setup,
    sheet: &std::path::Path,
    engine: &str,
    limit: u32,
) -> Result<(Vec<String>, (Ratio, Ratio)), String> {
    let started = Instant::now();
    let output = Command::new(&setup.oddsmith)
        .arg("solve")
        .arg(sheet)
        .args(["--json", "--quiet", "--engine", engine, "--time", &format!("{limit}s")])
        .output()
        .map_err(|error| error.to_string())?;
    let time = started.elapsed();
    let (lower, upper) = json_bounds(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| format!("an answer has bounds, status {}", output.status))?;
    if lower > upper {
        return Err(format!("bounds of {engine} after {limit} s are not in order"));
    }
    if time.as_secs_f64() > f64::from(limit) + SLACK {
        return Err(format!("{engine} took {} s of {limit} s", seconds(time)));
    }
    let row = vec![
        engine.to_owned(),
        format!("{limit} s"),
        seconds(time),
        format!("{:.4}", lower.to_f64()),
        format!("{:.4}", upper.to_f64()),
        format!("{:.4}", (&upper - &lower).to_f64()),
    ];
    Ok((row, (lower, upper)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_without_a_common_value_are_wrong() {
        let of = |low: u8, high: u8| (Ratio::new(low, 8u8), Ratio::new(high, 8u8));
        assert_eq!(meet(of(1, 6), of(2, 7)), Some(of(2, 6)));
        assert_eq!(meet(of(3, 3), of(2, 7)), Some(of(3, 3)));
        assert_eq!(meet(of(3, 3), of(4, 7)), None);
        for (game, value, limits) in GAMES {
            assert!(limits.is_sorted() && !limits.is_empty(), "{game}");
            let value = value.map(|value| value.parse::<Ratio>());
            assert!(value.is_none_or(|value| value.is_ok_and(|value| value.is_probability())));
        }
    }
}
