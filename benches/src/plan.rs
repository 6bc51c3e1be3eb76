//! The benches: what is measured, against what, and the answer that each contender must give.

use std::path::Path;

use exact::Ratio;

use crate::boards;
use crate::bounds;
use crate::connect;
use crate::contest::{
    Contender, Cost, Setup, alike, contest, json_bounds, json_number, json_value,
};
use crate::gpu;
use crate::hours;
use crate::measure::Cores;
use crate::nim;
use crate::playouts;
use crate::reading;
use crate::record::{Page, megabytes, seconds};
use crate::recurrent;
use crate::symbolic;
use crate::unstructured;

/// A bench by name.
#[derive(Debug)]
pub(crate) struct Bench {
    /// Its name on the command line and of its record.
    pub(crate) name: &'static str,
    /// What else its command line needs.
    pub(crate) arguments: &'static str,
    /// What it shows.
    pub(crate) meaning: &'static str,
    /// Measures, asserts the answers, and fills the page.
    pub(crate) run: fn(&Setup, &mut Page) -> Result<(), String>,
}

impl Bench {
    /// Whether a folder of formulas is to be named.
    pub(crate) fn needs_dir(&self) -> bool {
        self.arguments.contains("--dir")
    }
}

/// All benches, the quick ones first.
pub(crate) const BENCHES: &[Bench] = &[
    Bench {
        name: "compile",
        arguments: "",
        meaning: "From text to network: reading, grounding and building, whole process \
                  (`oddsmith translate GAME --to propnet`).",
        run: compile,
    },
    Bench {
        name: "reading",
        arguments: "",
        meaning: "Time to a first legal move, over sheets of growing size.",
        run: reading::bench,
    },
    Bench {
        name: "playouts",
        arguments: "",
        meaning: "Random playouts on the kernel, many side by side: states a second.",
        run: playouts::bench,
    },
    Bench {
        name: "nim",
        arguments: "",
        meaning: "Stochastic nim, a piece added with probability 1/2 (1/4 in the largest): many \
                  propositions, few of which hold at a time.",
        run: nim,
    },
    Bench {
        name: "recurrent",
        arguments: "",
        meaning: "Games that come back, without a horizon: certified bounds and exact fractions.",
        run: recurrent::bench,
    },
    Bench {
        name: "bounds",
        arguments: "",
        meaning: "What is known of stochastic Connect-4, own colour with probability 3/4, when the \
                  time is over.",
        run: bounds::bench,
    },
    Bench {
        name: "linear",
        arguments: "",
        meaning: "Cost for each distinct GDL state, over stochastic connect of growing size.",
        run: linear,
    },
    Bench {
        name: "connect-4-4x4",
        arguments: "",
        meaning: "Stochastic Connect-4 on 4x4, own colour with probability 3/4, from GDL text to \
                  the exact odds of x.",
        run: connect::four_by_four,
    },
    Bench {
        name: "connect-4-5x4",
        arguments: "",
        meaning: "Stochastic Connect-4 on 5x4 (20.5 million boards), own colour with probability \
                  4/5, from GDL text to the exact odds of x.",
        run: connect::five_by_four,
    },
    Bench {
        name: "connect-4-5x5",
        arguments: "",
        meaning: "Stochastic Connect-4 on 5x5 (203 million boards to decide) and 6x4 (284 million), \
                  own colour with probability 4/5, from GDL text to the exact odds of x.",
        run: connect::five_by_five,
    },
    Bench {
        name: "tic-tac-toe-4x4",
        arguments: "",
        meaning: "Stochastic tic-tac-toe on 4x4 with lines of three (29.0 million boards, eight \
                  symmetries), own colour with probability 4/5, from GDL text to the exact odds of x.",
        run: boards::tic_tac_toe,
    },
    Bench {
        name: "edges",
        arguments: "",
        meaning: "Cost of an edge, over stochastic connect from 12 to 203 million boards, in each \
                  tier of the sweep.",
        run: boards::edges,
    },
    Bench {
        name: "unstructured",
        arguments: "",
        meaning: "Cost of an edge in games whose bits are mixed anew in each step, so that nothing \
                  factors: a shift register, random circuits, a cellular automaton.",
        run: unstructured::bench,
    },
    Bench {
        name: "hours",
        arguments: "",
        meaning: "What it costs to keep a solve on disk: a checkpoint, going on from one, plies \
                  that do not fit in memory; stochastic Connect-4 on 5x4, and what a checkpoint \
                  costs on 5x5.",
        run: hours::bench,
    },
    Bench {
        name: "symbolic",
        arguments: "",
        meaning: "The symbolic engine: games as quantified clauses, translated and solved, both \
                  placements of defined variables side by side, and each option of the solver off.",
        run: symbolic::games::bench,
    },
    Bench {
        name: "formulas",
        arguments: "--dir DIR",
        meaning: "Public formulas with exists, forall and chance, two seconds each, every value \
                  beside that of SharpSSAT.",
        run: symbolic::public::bench,
    },
    Bench {
        name: "families",
        arguments: "",
        meaning: "Families of formulas with known values, of growing size, beside DepQBF where \
                  there is no chance.",
        run: symbolic::families::bench,
    },
    Bench {
        name: "paper",
        arguments: "",
        meaning: "The experiments of He and Thielscher, An ASP-based approach to solving general \
                  stochastic two-player games (2026): games against a random opponent and \
                  stochastic games, both players, both placements, expectiminimax beside them.",
        run: symbolic::paper::bench,
    },
    Bench {
        name: "gpu",
        arguments: "",
        meaning: "The sweep on a graphics device beside the processor: times, with shaders compiled \
                  before and not, and the bytes that each pass moves.",
        run: gpu::bench,
    },
];

const NIM_100: &str = "12554203470773007428152367236699823980238291007384044310099/\
                       25108406941546723055343157692830665664409421777856138051584";

/// Sizes of the linear bench: columns, rows, line, probability, odds of x.
const CONNECT: &[(&str, &str, &str)] = &[
    ("3 3 3", "4/5", "825088/1953125"),
    ("4 3 3", "4/5", "29360697/48828125"),
    ("4 4 3", "4/5", "92697510376/152587890625"),
    ("4 4 4", "4/5", "40072762444/152587890625"),
    ("5 4 3", "4/5", "58761825700648/95367431640625"),
    ("5 4 4", "4/5", "37231191670101/95367431640625"),
];

fn nim(setup: &Setup, page: &mut Page) -> Result<(), String> {
    for (pile, value) in [("100", NIM_100.to_owned()), ("1000", nim::odds(1000, 1, 2))] {
        let sheet = setup.sheet(&format!("nim {pile} --add 1/2"))?;
        page.say(&format!("## A pile of {pile}"));
        let mut contenders = vec![
            setup.solver(&sheet),
            setup.own("recurrence over big numbers, for this game", &["nim", pile, "1/2"])?,
        ];
        if pile == "100" {
            against_prolog(setup, &sheet, setup.turns, &mut contenders, page)?;
        }
        page.costs(&contest(&contenders, &value)?);
    }
    if setup.quick { Ok(()) } else { large_nim(setup, page) }
}

/// A pile of 10,000: numbers of twenty thousand bits, and bounds of them.
fn large_nim(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let sheet = setup.sheet("nim 10000 --add 1/4")?;
    page.say("## A pile of 10000, a piece added with probability 1/4");
    page.say("The exact odds, on all cores, one run each; the recurrence uses one.");
    let once = |contender: Contender| Contender { turns: 1, ..contender };
    let recurrence = setup
        .own("recurrence over big numbers, for this game", &["nim", "10000", "1/4"])
        .map(once)?;
    let exact = alike(&[once(setup.solver(&sheet)), recurrence], Cores::All)?;
    page.costs(&exact);
    page.say(&format!("Bounds not wider than {NARROW:e}, which hold the odds above, on one core."));
    let mut bounded = setup.solver(&sheet);
    bounded.name = "oddsmith --approximate".into();
    bounded.words.extend(["--approximate".into(), "--width".into(), format!("{NARROW:e}")]);
    bounded.value = |output| json_bounds(output).map(|_| String::new());
    let bounded = contest(&[bounded], "")?;
    let odds = json_value(&exact[0].output).and_then(|text| text.parse::<Ratio>().ok());
    let odds = odds.ok_or("the exact odds are a fraction")?;
    let (lower, upper) = json_bounds(&bounded[0].output).ok_or("there are bounds")?;
    if lower > odds || odds > upper || (&upper - &lower).to_f64() > NARROW {
        return Err("bounds of nim do not hold its odds, or are too wide".into());
    }
    page.costs(&bounded);
    Ok(())
}

/// The width that is asked of bounds of a large pile.
const NARROW: f64 = 1e-15;

/// Adds the Prolog baseline on a sheet, or says that there is none.
///
/// # Errors
/// Where the sheet cannot be translated.
pub(crate) fn against_prolog(
    setup: &Setup,
    sheet: &Path,
    turns: usize,
    contenders: &mut Vec<Contender>,
    page: &mut Page,
) -> Result<(), String> {
    match setup.prolog(sheet, turns)? {
        Some(contender) => contenders.push(contender),
        None => page.say("The Prolog baseline was left out: this machine has no `swipl`."),
    }
    Ok(())
}

fn compile(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let mut sheets = Vec::new();
    let folder = std::fs::read_dir(setup.root.join("games")).map_err(|error| error.to_string())?;
    for entry in folder {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "gdl") {
            sheets.push(path);
        }
    }
    sheets.sort();
    sheets.push(setup.sheet("nim 1000 --add 1/2")?);
    let rows: Result<Vec<_>, String> =
        sheets.iter().map(|sheet| compile_row(setup, sheet)).collect();
    page.table(&["game", "CPU s", "peak MB"], &rows?);
    Ok(())
}

fn compile_row(setup: &Setup, sheet: &Path) -> Result<Vec<String>, String> {
    let program = setup.oddsmith.display().to_string();
    let words = [program, "translate".into(), sheet.display().to_string()];
    let more = ["--to", "propnet"].map(str::to_owned);
    let contender = Contender {
        name: "oddsmith".into(),
        words: words.into_iter().chain(more).collect(),
        // The network is the answer; that it is not empty is all that is asked of it here.
        value: |output| (output.len() > 100).then(String::new),
        turns: setup.turns,
    };
    let costs = contest(&[contender], "")?;
    let name = sheet.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(vec![name, seconds(costs[0].cpu), megabytes(costs[0].peak_bytes)])
}

fn linear(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let mut rows = Vec::new();
    for (shape, own, value) in CONNECT {
        let sheet = setup.sheet(&format!("connect {shape} --own {own}"))?;
        let costs = contest(&[setup.solver(&sheet)], value)?;
        rows.push(linear_row(shape, &costs[0])?);
    }
    let head =
        ["columns, rows, line", "GDL states", "CPU s", "ns a state", "peak MB", "bytes a state"];
    page.table(&head, &rows);
    Ok(())
}

fn linear_row(shape: &str, cost: &Cost) -> Result<Vec<String>, String> {
    let states = json_number(&cost.output, "states").ok_or("the answer has no count of states")?;
    let nanoseconds = cost.cpu.as_secs_f64() * 1e9 / states as f64;
    Ok(vec![
        shape.to_owned(),
        states.to_string(),
        seconds(cost.cpu),
        format!("{nanoseconds:.0}"),
        megabytes(cost.peak_bytes),
        format!("{:.0}", cost.peak_bytes as f64 / states as f64),
    ])
}
