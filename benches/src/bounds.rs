//! How much is known of a game when the time is over: bounds of the odds after some seconds.
//!
//! These are measured by the clock of the wall, since that is what a limit goes by, and on all
//! cores; how long the program really took stands beside.

use std::process::Command;
use std::time::Instant;

use crate::contest::Setup;
use crate::record::{Page, seconds};

/// Games, and the seconds given.
const GAMES: &[(&str, &[u32])] =
    &[("connect 5 4 4 --own 3/4", &[1, 2, 5, 10]), ("connect 5 5 4 --own 3/4", &[2, 5, 10])];

/// Measures all of them.
///
/// # Errors
/// Where a run fails, or bounds of more time are looser.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    for (game, limits) in GAMES {
        page.say(&format!("## {game}"));
        let sheet = setup.sheet(game)?;
        let mut rows = Vec::new();
        for engine in ["sweep", "search"] {
            for limit in *limits {
                rows.push(row(setup, &sheet, engine, *limit)?);
            }
        }
        page.table(&["engine", "--time", "wall s", "at least", "at most", "width"], &rows);
    }
    Ok(())
}

fn row(
    setup: &Setup,
    sheet: &std::path::Path,
    engine: &str,
    limit: u32,
) -> Result<Vec<String>, String> {
    let started = Instant::now();
    let output = Command::new(&setup.oddsmith)
        .arg("solve")
        .arg(sheet)
        .args(["--json", "--quiet", "--engine", engine, "--time", &format!("{limit}s")])
        .output()
        .map_err(|error| error.to_string())?;
    let time = started.elapsed();
    let object: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("no answer ({error}), status {}", output.status))?;
    let bound = |name: &str| -> Option<f64> {
        let (above, below) = object.get(name)?.as_str()?.split_once('/')?;
        Some(above.parse::<f64>().ok()? / below.parse::<f64>().ok()?)
    };
    let (lower, upper) =
        bound("lower").zip(bound("upper")).ok_or("an answer has bounds".to_owned())?;
    assert!(lower <= upper, "bounds in order");
    Ok(vec![
        engine.to_owned(),
        format!("{limit} s"),
        seconds(time),
        format!("{lower:.4}"),
        format!("{upper:.4}"),
        format!("{:.4}", upper - lower),
    ])
}
