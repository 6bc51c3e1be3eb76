//! Random playouts on the kernel, many side by side on one core: states a second.
//!
//! A state counts where all roles choose a uniformly random legal move in it, its successor is
//! computed, and it is tested for the end; a play that has ended starts again. Each game's first
//! joint moves are compared with their known number before anything is measured.

use std::path::Path;
use std::time::{Duration, Instant};

use kernel::{BLOCK_WORDS, Isa, Machine, Playouts};

use crate::contest::Setup;
use crate::measure::{Cores, median, own_time, run};
use crate::reading::{Compiled, compile, first_moves};
use crate::record::Page;

/// Steps between looks at the clock.
const ROUND_STEPS: usize = 64;
/// CPU seconds of a measured run.
const SECONDS: &str = "1";

/// `benches playouts SHEET [SECONDS]`: plays for that long after a warm-up and prints the first
/// joint moves, states, finished plays, microseconds, those of the choice of moves (the view
/// included) and of the update, operations of view and update, and moves of all roles.
///
/// # Errors
/// Where the sheet is refused or the game is ill-formed.
pub(crate) fn play(words: &[String]) -> Result<(), String> {
    let path = words.first().ok_or("name a sheet")?;
    let seconds: f64 = words.get(1).map_or(Ok(1.0), |word| word.parse()).map_err(|_| "seconds")?;
    let Compiled { net, .. } = compile(Path::new(path))?;
    let moves = first_moves(&net, &mut Machine::new(net.clone(), Isa::detect(), 1));
    let mut plays = Playouts::new(&net, Isa::detect(), BLOCK_WORDS, 1);
    let mut shares = [Duration::ZERO; 2];
    round(&mut plays, &mut shares)?;
    let before = plays.stats().clone();
    shares = [Duration::ZERO; 2];
    let clock = Instant::now();
    let from = own_time(clock);
    while (own_time(clock) - from).as_secs_f64() < seconds {
        round(&mut plays, &mut shares)?;
    }
    let micros = (own_time(clock) - from).as_micros();
    let stats = plays.stats();
    let (states, finished) = (stats.states - before.states, stats.finished - before.finished);
    let [chosen, stepped] = shares.map(|share| share.as_micros());
    let [view, update] = plays.machine().operations();
    let all = net.inputs.len();
    println!("{moves} {states} {finished} {micros} {chosen} {stepped} {view} {update} {all}");
    Ok(())
}

fn round(plays: &mut Playouts, shares: &mut [Duration; 2]) -> Result<(), String> {
    for _ in 0..ROUND_STEPS {
        let started = Instant::now();
        let ended = plays.choose().map_err(|flaw| format!("{:?}", flaw.kind))?;
        let chosen = started.elapsed();
        plays.step(&ended);
        shares[0] += chosen;
        shares[1] += started.elapsed() - chosen;
    }
    Ok(())
}

/// A game: the number of its first joint moves, and the states a second (in thousands) of the best
/// public player in Java on its public sheet, on a core like those of the records.
struct Game {
    name: &'static str,
    sheet: &'static str,
    first_moves: &'static str,
    java_thousands: f64,
}

const fn game(
    name: &'static str,
    sheet: &'static str,
    first_moves: &'static str,
    java_thousands: f64,
) -> Game {
    Game { name, sheet, first_moves, java_thousands }
}

/// Sheets of a clone.
const OWN: &[Game] = &[
    game("tic-tac-toe", "tic-tac-toe 3 3 3", "9", 840.0),
    game("connect four, 8 columns", "connect 8 6 4", "8", 1280.0),
    game("breakthrough 8x8", "breakthrough", "22", 1060.0),
    game("checkers", "checkers", "7", 210.0),
    game("nim, four heaps", "nim-heaps", "12", 830.0),
];

/// Public sheets of the same games.
const PUBLIC: &[Game] = &[
    game("tic-tac-toe", "ggp-base-alexlandau-test/ticTacToe.kif", "9", 840.0),
    game("connect four, 8 columns", "ggp-base-alexlandau-test/connectFour.kif", "8", 1280.0),
    game("breakthrough 8x8", "ggp-perl-base/breakthrough.kif", "22", 1060.0),
    game("checkers", "ggp-repository/checkers.kif", "7", 210.0),
    game("nim, four heaps", "ggp-repository/nim4.kif", "64", 830.0),
];

const HEAD: &[&str] = &[
    "game",
    "sheet",
    "million states/s",
    "ns a state",
    "view and choice ns",
    "update ns",
    "moves of all roles",
    "operations",
    "states a play",
    "best public Java player, million/s",
    "times as fast",
];

/// The bench: states a second of random playouts.
///
/// # Errors
/// Where a game is refused or has other first moves.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let lanes = 64 * BLOCK_WORDS;
    page.say(&format!(
        "{lanes} plays side by side on one core, instruction set {}. A state counts where every \
         role chooses a uniformly random legal move, the next state is computed by the general \
         update, and the end is tested for; plays that have ended start again. Medians of {} \
         runs of {SECONDS} s of CPU time. The Java figures were measured elsewhere, on such a core.",
        Isa::detect().name(),
        setup.turns,
    ));
    setup.own_and_public(page, HEAD, [OWN, PUBLIC], row)
}

/// What a run printed after the first joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Figures {
    /// First, so that runs are ordered by it.
    states_a_second: u64,
    states: u64,
    finished: u64,
    micros: u64,
    shares: [u64; 2],
    operations: u64,
    moves: u64,
}

fn figures(output: &str, first_moves: &str) -> Option<Figures> {
    let words: Vec<&str> = output.split_whitespace().collect();
    let (moves, rest) = words.split_first()?;
    let rest: Option<Vec<u64>> = rest.iter().map(|word| word.parse().ok()).collect();
    let [states, finished, micros, chosen, stepped, view, update, all] = rest?[..] else {
        return None;
    };
    (*moves == first_moves && micros > 0).then_some(Figures {
        states_a_second: states * 1_000_000 / micros,
        states,
        finished,
        micros,
        shares: [chosen, stepped],
        operations: view + update,
        moves: all,
    })
}

fn row(setup: &Setup, game: &Game, public: Option<&Path>) -> Result<Vec<String>, String> {
    let path = setup.game(game.sheet, public)?;
    let words = ["playouts", &path.display().to_string(), SECONDS];
    let contender = setup.own(game.name, &words)?;
    let mut runs = Vec::new();
    for _ in 0..setup.turns {
        let output = run(&contender.words, Cores::One)?.output;
        let held = figures(&output, game.first_moves);
        runs.push(held.ok_or_else(|| format!("{}: not so: {output}", game.name))?);
    }
    let held = median(runs.into_iter());
    let millions = held.states_a_second as f64 / 1e6;
    let share = |at: usize| {
        let all: u64 = held.shares.iter().sum();
        1e3 / millions * held.shares[at] as f64 / all as f64
    };
    let sheet = if game.sheet.contains(' ') { "`generate` " } else { "" };
    Ok(vec![
        game.name.to_owned(),
        format!("{sheet}{}", game.sheet),
        format!("{millions:.1}"),
        format!("{:.1}", 1e3 / millions),
        format!("{:.1}", share(0)),
        format!("{:.1}", share(1)),
        held.moves.to_string(),
        held.operations.to_string(),
        format!("{:.1}", held.states as f64 / held.finished as f64),
        format!("{:.2}", game.java_thousands / 1e3),
        format!("{:.0}", 1e3 * millions / (game.java_thousands)),
    ])
}

#[cfg(test)]
mod tests {
    use super::figures;

    #[test]
    fn figures_need_the_known_first_moves() {
        let held = figures("9 3000 300 1000 600 400 10 20 18\n", "9").unwrap();
        assert_eq!((held.states_a_second, held.operations, held.moves), (3_000_000, 30, 18));
        assert_eq!(figures("8 3000 300 1000 600 400 10 20 18\n", "9"), None);
        assert_eq!(figures("9 3000 300\n", "9"), None);
    }
}
