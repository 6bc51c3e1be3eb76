//! Time to a first legal move: text to rulebook, ground rules, network, programs on planes, and
//! the legal moves of the initial state; each phase timed inside one process.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use index::Id;
use kernel::{Isa, Machine};
use net::{InputId, Net};

use crate::contest::{Setup, contest};
use crate::measure::own_time;
use crate::record::Page;

/// Gates that a network may have.
const GATE_LIMIT: usize = 40_000_000;

/// A sheet on its way to the kernel.
pub(crate) struct Compiled {
    /// The network.
    pub(crate) net: Arc<Net>,
    /// Ground rules.
    pub(crate) rules: usize,
    /// What reading, grounding and building took.
    pub(crate) times: [Duration; 3],
}

/// Reads and compiles a sheet.
///
/// # Errors
/// Where it is refused.
pub(crate) fn compile(path: &Path) -> Result<Compiled, String> {
    let clock = Instant::now();
    let from = own_time(clock);
    let spent = || own_time(clock) - from;
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let name = path.display().to_string();
    let source = gdl::Source::from_bytes(&name, &bytes).map_err(|fault| fault.message)?;
    let reading = gdl::read(source, &gdl::ReadOptions::default());
    let book = reading.rulebook.ok_or_else(|| format!("{name} is refused"))?;
    let read = spent();
    let limits = ground::GroundLimits::default();
    let rules = ground::ground(&book, &limits).map_err(|fault| fault.message)?;
    let grounded = spent();
    let net = net::lower(&rules, &net::LowerLimits { gates: GATE_LIMIT, ..Default::default() })
        .map_err(|fault| fault.to_string())?;
    let times = [read, grounded - read, spent() - grounded];
    Ok(Compiled { net: Arc::new(net), rules: rules.rules.len(), times })
}

/// Joint moves that are legal in the initial state, which lane 0 of a machine holds.
pub(crate) fn first_moves(net: &Net, machine: &mut Machine) -> usize {
    machine.look();
    let is_legal = |input: &InputId| machine.legal(*input)[0] & 1 == 1;
    let of =
        |role: &net::NetRole| role.inputs.clone().map(InputId::from_index).filter(is_legal).count();
    net.roles.iter().map(of).product()
}

/// `benches reading SHEET`: prints the first joint moves, ground rules, propositions, gates,
/// operations, and the microseconds of each phase.
///
/// # Errors
/// Where the sheet is refused.
pub(crate) fn read(words: &[String]) -> Result<(), String> {
    let path = words.first().ok_or("name a sheet")?;
    let Compiled { net, rules, times } = compile(Path::new(path))?;
    let clock = Instant::now();
    let from = own_time(clock);
    let mut machine = Machine::new(Arc::clone(&net), Isa::detect(), 1);
    let built = own_time(clock) - from;
    let moves = first_moves(&net, &mut machine);
    let seen = own_time(clock) - from - built;
    let [view, update] = machine.operations();
    print!("{moves} {rules} {} {} {}", net.bases.len(), net.gates.len(), view + update);
    for time in times.into_iter().chain([built, seen]) {
        print!(" {}", time.as_micros());
    }
    println!();
    Ok(())
}

/// A sheet, and the number of its first joint moves.
struct Sheet {
    /// A file below the games or the corpus, or the words of a family.
    name: &'static str,
    first_moves: u64,
}

const fn sheet(name: &'static str, first_moves: u64) -> Sheet {
    Sheet { name, first_moves }
}

/// Sheets of a clone, by size.
const OWN: &[Sheet] = &[
    sheet("nim-heaps", 12),
    sheet("tic-tac-toe 3 3 3", 9),
    sheet("connect 8 6 4", 8),
    sheet("breakthrough", 22),
    sheet("connect 16 16 4 --own 3/4", 16),
    sheet("checkers", 7),
    sheet("nim 1000 --add 1/2", 2),
    sheet("tic-tac-toe 20 20 5", 400),
    sheet("nim 10000 --add 1/2", 2),
    sheet("tic-tac-toe 64 64 5", 4096),
];

/// Public sheets, by size.
const PUBLIC: &[Sheet] = &[
    sheet("ggp-base-alexlandau-test/ticTacToe.kif", 9),
    sheet("ggp-base-alexlandau-test/connectFour.kif", 8),
    sheet("ggp-perl-base/breakthrough.kif", 22),
    sheet("ggp-repository/nim4.kif", 64),
    sheet("ggp-repository/checkers.kif", 7),
    sheet("nggp-base/checkers.kif", 7),
];

/// The bench: time to a first legal move.
///
/// # Errors
/// Where a sheet is refused or has other first moves.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    page.say(
        "From text to the first legal moves: parse and check, ground, build the network, compile \
         it to programs on planes, evaluate the initial state. Milliseconds of each phase, and the \
         CPU time of the whole process. Grounding does not grow with the product of domains but \
         with the least model: its time for each ground rule is in the last column.",
    );
    setup.own_and_public(page, HEAD, [OWN, PUBLIC], row)
}

const HEAD: &[&str] = &[
    "sheet",
    "ground rules",
    "propositions",
    "gates",
    "read ms",
    "ground ms",
    "network ms",
    "kernel ms",
    "first moves ms",
    "process ms",
    "ground, ns a rule",
];

fn row(setup: &Setup, sheet: &Sheet, public: Option<&Path>) -> Result<Vec<String>, String> {
    let path = setup.game(sheet.name, public)?;
    let contender = setup.own(sheet.name, &["reading", &path.display().to_string()])?;
    let costs = contest(&[contender], &sheet.first_moves.to_string())?;
    let figures: Vec<f64> =
        costs[0].output.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [_, rules, bases, gates, _, phases @ ..] = figures.as_slice() else {
        return Err(format!("{}: no figures", sheet.name));
    };
    let mut row = vec![sheet.name.to_owned()];
    row.extend([rules, bases, gates].map(|count| format!("{count:.0}")));
    row.extend(phases.iter().map(|micros| milliseconds(*micros)));
    row.push(milliseconds(costs[0].cpu.as_secs_f64() * 1e6));
    row.push(format!("{:.0}", phases[1] * 1e3 / rules));
    Ok(row)
}

fn milliseconds(micros: f64) -> String {
    format!("{:.*}", if micros < 1e5 { 1 } else { 0 }, micros / 1e3)
}
