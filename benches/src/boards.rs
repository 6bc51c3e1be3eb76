//! Stochastic tic-tac-toe beside a solver by hand, and what an edge costs as boards of connect grow.

use std::path::Path;

use crate::contest::{Contender, Cost, Setup, alike, contest, json_number};
use crate::measure::Cores;
use crate::record::{Page, megabytes, ratio, seconds};

/// Columns, rows and line of boards of connect: from 12 to 203 million of them to decide.
const SIZES: &[&str] = &["5 4 4", "4 6 4", "7 3 4", "5 5 4"];

/// Caches of common machines hold no more.
const IN_CACHES: u64 = 64 << 20;

/// Turns of runs that take many seconds.
const FEW_TURNS: usize = 2;

/// `oddsmith solve` with more words.
fn solver_with(setup: &Setup, sheet: &Path, name: &str, words: &[&str]) -> Contender {
    let mut contender = setup.solver(sheet);
    contender.name = name.to_owned();
    contender.words.extend(words.iter().map(|word| (*word).to_owned()));
    contender
}

fn seldom(contender: Contender) -> Contender {
    Contender { turns: contender.turns.min(FEW_TURNS), ..contender }
}

/// Stochastic tic-tac-toe on 4x4 with lines of three.
///
/// # Errors
/// Where a run fails or gives another answer.
pub(crate) fn tic_tac_toe(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let sheet = setup.sheet("tic-tac-toe 4 4 3 --own 4/5")?;
    let contenders = [
        setup.solver(&sheet),
        solver_with(
            setup,
            &sheet,
            "oddsmith, one state of each orbit (`--tier table`)",
            &["--tier", "table"],
        ),
        solver_with(
            setup,
            &sheet,
            "oddsmith, all places worked on (`--no-symmetry`)",
            &["--no-symmetry"],
        ),
        solver_with(
            setup,
            &sheet,
            "oddsmith, all states (`--no-symmetry --tier table`)",
            &["--no-symmetry", "--tier", "table"],
        ),
        setup.own("hand-written, hash", &["noughts", "4", "4", "3", "4/5"])?,
    ];
    let costs = contest(&contenders, "97319359948/152587890625")?;
    page.costs(&costs);
    page.say("States that are stored:");
    let stored = |cost: &Cost| {
        let stored = json_number(&cost.output, "stored");
        Some(vec![cost.name.clone(), stored?.to_string()])
    };
    let rows: Vec<Vec<String>> = costs.iter().filter_map(stored).collect();
    page.table(&["contender", "states"], &rows);
    Ok(())
}

/// What an edge costs, over boards of growing size and by tier.
///
/// # Errors
/// Where a run fails or the answers differ.
pub(crate) fn edges(setup: &Setup, page: &mut Page) -> Result<(), String> {
    page.say(
        "An edge leads from an unfinished board to a board after the toss: two for each open column. \
         The time of the whole process is divided by their number, which the solver by hand counts. \
         All states are worked on, whatever symmetry there is.",
    );
    let (mut rows, mut spreads) = (Vec::new(), [const { Vec::new() }; 2]);
    let sizes = if setup.quick { &SIZES[..1] } else { SIZES };
    for game in sizes {
        let sheet = setup.sheet(&format!("connect {game} --own 4/5"))?;
        let words = ["words"].into_iter().chain(game.split(' ')).chain(["4/5"]);
        let contenders = [
            setup.own("by hand", &words.collect::<Vec<_>>())?,
            solver_with(setup, &sheet, "dense", &["--no-symmetry", "--tier", "dense"]),
            solver_with(setup, &sheet, "table", &["--no-symmetry", "--tier", "table"]),
        ];
        let costs = alike(&contenders.map(seldom), Cores::One)?;
        let mut counts = costs[0].output.split_whitespace().skip(1);
        let mut count = || counts.next().and_then(|word| word.parse::<u64>().ok());
        let (Some(boards), Some(edges)) = (count(), count()) else {
            return Err("the solver by hand tells no edges".into());
        };
        for (cost, spread) in costs[1..].iter().zip(&mut spreads) {
            rows.push(edge_row(game, (boards, edges), cost));
            spread.push((cost.peak_bytes, cost.cpu.as_secs_f64() / edges as f64));
        }
    }
    let head =
        ["columns, rows, line", "tier", "boards to decide", "CPU s", "ns an edge", "peak MB"];
    page.table(&head, &rows);
    for (tier, spread) in ["dense", "table"].iter().zip(spreads) {
        let all = widest(spread.iter().map(|(_, cost)| *cost));
        let large = spread.iter().filter(|(bytes, _)| *bytes > IN_CACHES).map(|(_, cost)| *cost);
        page.say(&format!(
            "Tier {tier}: the dearest edge costs {all} times the cheapest; {} times where more than \
             {} MB are held, which no cache does.",
            widest(large),
            IN_CACHES >> 20,
        ));
    }
    Ok(())
}

/// The largest number over the smallest.
fn widest(costs: impl Iterator<Item = f64> + Clone) -> String {
    let (least, most) = (costs.clone().fold(f64::MAX, f64::min), costs.fold(0.0, f64::max));
    if most > 0.0 { format!("{:.2}", most / least) } else { "-".to_owned() }
}

fn edge_row(shape: &str, (boards, edges): (u64, u64), cost: &Cost) -> Vec<String> {
    vec![
        shape.to_owned(),
        cost.name.clone(),
        boards.to_string(),
        seconds(cost.cpu),
        ratio(cost.cpu, std::time::Duration::from_nanos(edges)),
        megabytes(cost.peak_bytes),
    ]
}
