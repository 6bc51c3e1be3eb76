//! Stochastic connect beside solvers that are written by hand for it, and nothing else.

use crate::contest::{Contender, Setup, alike, contest};
use crate::measure::Cores;
use crate::plan::against_prolog;
use crate::record::{Page, ratio};

/// Turns of what takes many seconds.
const FEW: usize = 3;

/// 4x4, from GDL text to the odds, beside a Prolog search as well.
///
/// # Errors
/// Where a run fails or gives another answer.
pub(crate) fn four_by_four(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let sheet = setup.sheet("connect 4 4 4 --own 3/4")?;
    let mut all = contenders(setup, "4 4 4", "3/4")?;
    against_prolog(setup, &sheet, 1, &mut all, page)?;
    page.costs(&contest(&all, "1253113609/4294967296")?);
    Ok(())
}

/// 5x4.
///
/// # Errors
/// Where a run fails or gives another answer.
pub(crate) fn five_by_four(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let mut all = contenders(setup, "5 4 4", "4/5")?;
    let mut tables = with(&all[0], "oddsmith, tables of packed states", &["--tier", "table"]);
    // What the game comes apart into, and what it looks like from elsewhere, is not used.
    tables.words.push("--no-symmetry".into());
    let plain = with(&all[0], "oddsmith, all places worked on", &["--no-symmetry"]);
    all.splice(1..1, [plain, tables]);
    page.costs(&contest(&all, "37231191670101/95367431640625")?);
    page.say("## On all cores");
    for contender in &all[..3] {
        by_threads(contender, page)?;
    }
    Ok(())
}

/// One thread beside two, and beside two processes of one thread, which share nothing but the machine.
fn by_threads(contender: &Contender, page: &mut Page) -> Result<(), String> {
    let mut costs = alike(&[threads(contender, 1), threads(contender, 2)], Cores::All)?;
    let twice = with(&threads(contender, 1), &format!("{}, two at once", contender.name), &[]);
    costs.extend(alike(&[twice], Cores::Both)?);
    let [one, two, both] = [0, 1, 2].map(|at| costs[at].wall);
    page.costs(&costs);
    page.say(&format!(
        "Two threads are {} times as fast as one; two processes at once do {} times as much as one.",
        ratio(one, two),
        ratio(2 * one, both),
    ));
    Ok(())
}

/// 5x5 and 6x4.
///
/// # Errors
/// Where a run fails, or the contenders do not agree: the odds are known from nowhere else.
pub(crate) fn five_by_five(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let shapes: &[&str] = if setup.quick { &["4 3 3"] } else { &["5 5 4", "6 4 4"] };
    for shape in shapes {
        let columns_rows = shape.rsplit_once(' ').map_or(*shape, |(board, _)| board);
        page.say(&format!("## {}, on one core", columns_rows.replace(' ', "x")));
        let mut all = contenders(setup, shape, "4/5")?;
        // Two numbers a board and an edge each: the table alone is larger than memory.
        all.retain(|contender| !contender.name.contains("hash"));
        all.iter_mut().for_each(|contender| contender.turns = contender.turns.min(FEW));
        page.costs(&alike(&all, Cores::One)?);
        page.say(&format!("## {}, on all cores", columns_rows.replace(' ', "x")));
        by_threads(&all[0], page)?;
    }
    Ok(())
}

/// `oddsmith`, and the solvers by hand.
fn contenders(setup: &Setup, shape: &str, own: &str) -> Result<Vec<Contender>, String> {
    let sheet = setup.sheet(&format!("connect {shape} --own {own}"))?;
    let words = |kind| [kind].into_iter().chain(shape.split(' ')).chain([own]).collect::<Vec<_>>();
    Ok(vec![
        setup.solver(&sheet),
        setup.own("hand-written, hash", &words("handwritten"))?,
        setup.own("hand-written, bitmap and rank", &words("bitmap"))?,
        setup.own("hand-written, 64 boards a word", &words("words"))?,
    ])
}

fn with(contender: &Contender, name: &str, more: &[&str]) -> Contender {
    let words = contender.words.iter().cloned().chain(more.iter().map(|word| (*word).to_owned()));
    Contender { name: name.to_owned(), words: words.collect(), ..*contender }
}

/// The same on so many threads.
pub(crate) fn threads(contender: &Contender, count: usize) -> Contender {
    let turns = contender.turns;
    let name = format!("{}, {count} thread{}", contender.name, if count == 1 { "" } else { "s" });
    Contender { turns, ..with(contender, &name, &["--threads", &count.to_string()]) }
}
