//! The sweep on a graphics device beside the processor: three games, their times with and without
//! compiled shaders, and what each pass moved.
//!
//! On a device of software times say little of hardware, and bytes all the more: they are what
//! docs/gpu.md reckons with. Drivers keep compiled shaders on disk; where they are not to be had, Mesa
//! is told not to look. All cores are used: a device of software has threads of its own.

use std::path::Path;

use crate::contest::{Contender, Setup, on_all_cores};
use crate::measure::{Cores, run};
use crate::nim;
use crate::record::Page;

/// What tells Mesa not to look for compiled shaders.
const NOT_COMPILED: &str = "MESA_SHADER_CACHE_DISABLE=true";

/// A game: its heading, the words of its family, its value.
struct Game {
    title: &'static str,
    family: &'static str,
    value: fn() -> String,
    /// At most so many turns.
    turns: usize,
}

const GAMES: [Game; 3] = [
    Game {
        title: "Stochastic Connect-4 on 4x4, own colour with probability 4/5 (1.9 million states)",
        family: "connect 4 4 4 --own 4/5",
        value: || "40072762444/152587890625".to_owned(),
        turns: 5,
    },
    Game {
        title: "Stochastic Nim with a pile of 1000, p = 1/2 (3.5 million states, 4000 plies)",
        family: "nim 1000 --add 1/2",
        value: || nim::odds(1000, 1, 2),
        turns: 2,
    },
    Game {
        title: "Stochastic Connect-4 on 5x4, own colour with probability 4/5 (54.4 million states)",
        family: "connect 5 4 4 --own 4/5",
        value: || "37231191670101/95367431640625".to_owned(),
        turns: 2,
    },
];

/// Measures.
///
/// # Errors
/// Where there is no device, or a run fails or gives another answer.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let device = device(setup)?;
    page.say(&format!("On all cores. The device is {device}."));
    page.say(
        "The processor folds chance into decisions, which the device does not, and has a tier of its \
         own for boards. Of each pass: its calls, the bytes that it must move by its definition, its \
         time, and what part that is of the speed at which the device copies, which is its roofline here \
         (docs/gpu.md tells of operations).",
    );
    let games = if setup.quick { &GAMES[..1] } else { &GAMES[..] };
    for game in games {
        page.say(&format!("## {}", game.title));
        let sheet = setup.sheet(game.family)?;
        let value = (game.value)();
        page.costs(&on_all_cores(&contenders(setup, &sheet, game.turns), &value)?);
        passes(setup, &sheet, &value, page)?;
    }
    Ok(())
}

/// What the device is called, and whether it is hardware.
fn device(setup: &Setup) -> Result<String, String> {
    let words = [setup.gpu.display().to_string(), "devices".into(), "--json".into()];
    let said = run(&words, Cores::All)?.output;
    let listed: serde_json::Value =
        serde_json::from_str(&said).map_err(|wrong| wrong.to_string())?;
    let first = listed["devices"].get(0).ok_or("there is no graphics device")?;
    let text = |name: &str| first[name].as_str().unwrap_or("unknown").to_owned();
    let kind = match first["hardware"].as_bool() {
        Some(true) => "hardware",
        _ => "a program: no hardware was at hand",
    };
    Ok(format!("{} ({}), {kind}", text("name"), text("driver")))
}

fn contenders(setup: &Setup, sheet: &Path, turns: usize) -> Vec<Contender> {
    let turns = turns.min(setup.turns);
    let processor = setup.solver(sheet);
    let json = processor.value;
    let on_device = |name: &str, environment: &[&str]| {
        let solve = solve(setup, sheet).into_iter().chain(["--json".to_owned()]);
        let environment = environment.iter().map(|word| (*word).to_owned());
        let words = ["env".to_owned()].into_iter().chain(environment).chain(solve).collect();
        Contender { name: name.to_owned(), words, value: json, turns }
    };
    vec![
        Contender { name: "processor".to_owned(), ..processor },
        on_device("device, shaders compiled before", &[]),
        on_device("device, nothing compiled before", &[NOT_COMPILED]),
    ]
}

/// A solve on the device.
fn solve(setup: &Setup, sheet: &Path) -> Vec<String> {
    let (program, sheet) = (setup.gpu.display().to_string(), sheet.display().to_string());
    [program, "solve".into(), sheet, "--backend".into(), "gpu".into(), "--quiet".into()].to_vec()
}

/// What `--profile` tells of a solve: timing each pass takes time, so these are runs of their own.
fn profile(setup: &Setup, sheet: &Path, environment: &[&str]) -> Result<String, String> {
    let environment = environment.iter().map(|word| (*word).to_owned());
    let solve = solve(setup, sheet).into_iter().chain(["--profile".to_owned()]);
    let words: Vec<String> =
        ["env".to_owned()].into_iter().chain(environment).chain(solve).collect();
    Ok(run(&words, Cores::All)?.output)
}

/// Its line about the device.
fn device_line(said: &str) -> Result<&str, String> {
    let line = said.lines().find_map(|line| line.strip_prefix("device "));
    line.map(str::trim).ok_or_else(|| "`--profile` tells nothing of the device".to_owned())
}

/// What each pass did, and how long compiling takes.
fn passes(setup: &Setup, sheet: &Path, value: &str, page: &mut Page) -> Result<(), String> {
    let said = profile(setup, sheet, &[])?;
    let answers = said.lines().any(|line| line.split_whitespace().any(|word| word == value));
    // A long fraction is cut short in text, and was compared above.
    if !answers && value.len() < 100 {
        return Err("with `--profile` the device gives another answer".to_owned());
    }
    let rows: Vec<Vec<String>> = said.lines().filter_map(pass).collect();
    if rows.is_empty() {
        return Err("`--profile` tells nothing of passes".to_owned());
    }
    page.say(&format!("With `--profile`: {}.", device_line(&said)?));
    let anew = profile(setup, sheet, &[NOT_COMPILED])?;
    page.say(&format!("Nothing compiled before: {}.", device_line(&anew)?));
    page.table(&["pass", "calls", "bytes", "time", "of copying"], &rows);
    Ok(())
}

/// A line of a pass as cells: `pass NAME CALLS calls, BYTES, TIME[, PART % of copying]`.
fn pass(line: &str) -> Option<Vec<String>> {
    let rest = line.strip_prefix("pass ")?.trim();
    let (name, rest) = rest.split_once(' ')?;
    let (calls, rest) = rest.split_once(" calls, ")?;
    let mut cells = rest.split(", ").map(str::trim);
    let (bytes, time) = (cells.next()?, cells.next()?);
    let part = cells.next().and_then(|part| part.strip_suffix(" of copying")).unwrap_or("-");
    Some([name, calls, bytes, time, part].iter().map(|cell| cell.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::pass;

    #[test]
    fn lines_of_passes_are_cells() {
        let line = "pass      claim         4,000 calls,  109.5 MiB,   0.383 s, 12.5 % of copying";
        assert_eq!(pass(line).unwrap(), ["claim", "4,000", "109.5 MiB", "0.383 s", "12.5 %"]);
        let line = "pass      to_host           7 calls,    1.5 MiB,   0.004 s";
        assert_eq!(pass(line).unwrap(), ["to_host", "7", "1.5 MiB", "0.004 s", "-"]);
        assert_eq!(pass("ply 4     forward: 12 states, 3 edges"), None);
    }
}
