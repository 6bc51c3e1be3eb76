//! What it costs to keep a solve on disk: a checkpoint, going on from one, and plies that do not
//! fit in memory, each beside the same solve in memory.
//!
//! Folders are emptied by a shell before each run, whose cost is in the figures and can be
//! neglected. Wall-clock time tells what waiting for the disk costs, CPU what packing costs; both
//! are of the whole process with its writing thread, on one core. The long solve has all cores, as
//! a solve of hours has: its writing thread then works beside it.

use std::path::Path;

use crate::contest::{Contender, Setup, alike, contest, json_value};
use crate::measure::Cores;
use crate::record::Page;

/// Sheets: columns, rows, line; the odds of x; and the limit under which plies go to disk.
const SHEETS: &[(&str, &str, &str)] = &[("5 4 4", "37231191670101/95367431640625", "256MiB")];

/// A solve of a minute or more, of which only the cost of a checkpoint is measured, twice: its
/// odds are known from nowhere else.
const LONG: &str = "5 5 4";

/// Measures.
///
/// # Errors
/// Where a run fails or gives another answer.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    page.say(
        "All by the tier of tables, the one that keeps plies: the dense tier, where it fits, solves \
         these games in a tenth of the time, and has nothing to keep.",
    );
    short(setup, page)?;
    if setup.quick {
        return Ok(());
    }
    let sheet = setup.sheet(&format!("connect {LONG} --own 4/5"))?;
    page.say(&format!("## Stochastic Connect-4, {LONG}"));
    let three = contenders(setup, &sheet, "8GiB").into_iter().take(3);
    let three: Vec<Contender> = three.map(|each| Contender { turns: 2, ..each }).collect();
    page.say("On all cores: what is kept is packed and written beside the solve.");
    page.costs(&alike(&three, Cores::All)?);
    Ok(())
}

fn short(setup: &Setup, page: &mut Page) -> Result<(), String> {
    for (size, value, memory) in SHEETS {
        let sheet = setup.sheet(&format!("connect {size} --own 4/5"))?;
        page.say(&format!("## Stochastic Connect-4, {size}"));
        page.costs(&contest(&contenders(setup, &sheet, memory), value)?);
    }
    Ok(())
}

fn contenders(setup: &Setup, sheet: &Path, memory: &str) -> Vec<Contender> {
    let (oddsmith, sheet) = (setup.oddsmith.display(), sheet.display());
    let solve = format!("'{oddsmith}' solve '{sheet}' --tier table --json");
    let kept = setup.scratch.join("kept");
    let kept = kept.display();
    let fresh = format!("rm -rf '{kept}' &&");
    let named = |name: &str, line: String| Contender {
        name: name.to_owned(),
        words: ["sh".to_owned(), "-c".to_owned(), line].to_vec(),
        value: json_value,
        turns: setup.turns,
    };
    let spill = setup.scratch.display();
    vec![
        named("in memory", format!("exec {solve}")),
        named("with a checkpoint", format!("{fresh} exec {solve} --checkpoint '{kept}'")),
        named(
            "a finished checkpoint again",
            format!("exec {solve} --checkpoint '{kept}' --resume"),
        ),
        named(
            "stopped after a second, and continued",
            format!(
                "{fresh} {solve} --checkpoint '{kept}' --time 1s > /dev/null; \
                 exec {solve} --checkpoint '{kept}' --resume"
            ),
        ),
        named(
            &format!("from disk, under {memory}"),
            format!("exec {solve} --memory {memory} --spill '{spill}'"),
        ),
        named("from disk, under 64MiB", format!("exec {solve} --memory 64MiB --spill '{spill}'")),
    ]
}
