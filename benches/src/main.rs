//! Measures `oddsmith` against baselines of our own, as whole processes on one core.
//!
//! `benches run` is what `cargo xtask bench` starts: it makes the sheets, runs the contenders in
//! turns, asserts that all give the known answer, and writes a page for each bench into
//! `benches/record`. The other commands are the baselines and the middleman that measures, each a
//! process of its own so that its time and memory are its alone.
#![forbid(unsafe_code)]

mod boards;
mod bounds;
mod connect;
mod contest;
mod gpu;
mod handwritten;
mod hash;
mod hours;
mod measure;
mod nim;
mod noughts;
mod pig;
mod plan;
mod playouts;
mod prolog;
mod reading;
mod record;
mod recurrent;
mod symbolic;
mod unstructured;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use contest::Setup;
use handwritten::Connect;
use hash::{Odds, Side};
use noughts::Noughts;
use plan::{BENCHES, Bench};
use record::Page;
use store::OutOfMemory;

/// Turns of each contender.
const TURNS: usize = 5;

const USAGE: &str = "benches plan [--help] ..\n\
                     benches run [--root FOLDER] [--symbolic PROGRAM] [--gpu PROGRAM] [--dir FOLDER]\n\
                     \x20           [--turns N] [--quick] [NAME]...\n\
                     benches handwritten|bitmap|words COLUMNS ROWS LINE A/B [x|o]\n\
                     benches noughts COLUMNS ROWS LINE A/B [x|o]\n\
                     benches nim PILE A/B\n\
                     benches pig TARGET DIE\n\
                     benches playouts SHEET [SECONDS]\n\
                     benches reading SHEET\n\
                     benches xssat FORMULA [--seconds N] [--set OPTION=NUMBER]...\n\
                     benches measure [--seconds N] [--all-cores] PROGRAM ARGUMENT...";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) =
        words.split_first().map_or(("", &[] as &[String]), |(first, rest)| (first.as_str(), rest));
    let outcome = match command {
        "measure" => return measure::middleman(rest),
        "warm" => measure::warm(),
        "run" => run(rest),
        "plan" => explain(rest),
        "handwritten" => connect(handwritten::solve).run(rest),
        "bitmap" => connect(handwritten::bitmap::solve).run(rest),
        "words" => connect(handwritten::words::solve).run(rest),
        "noughts" => tic_tac_toe().run(rest),
        "nim" => solve_nim(rest),
        "pig" => solve_pig(rest),
        "playouts" => playouts::play(rest),
        "reading" => reading::read(rest),
        "xssat" => symbolic::formula::solve(rest),
        _ => Err(format!("usage:\n{USAGE}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("benches: {message}");
            ExitCode::from(2)
        }
    }
}

fn number<T: std::str::FromStr>(word: Option<&String>) -> Result<T, String> {
    let word = word.ok_or_else(|| format!("an argument is missing; usage:\n{USAGE}"))?;
    word.parse().map_err(|_| format!("`{word}` is not such a number"))
}

fn fraction<T: std::str::FromStr>(word: Option<&String>) -> Result<(T, T), String> {
    let word = word.ok_or_else(|| format!("a probability is missing; usage:\n{USAGE}"))?;
    let parts = word.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parts.ok_or_else(|| format!("`{word}` is not a fraction such as 3/4"))
}

/// A game of boards and a solver for it alone.
struct ByHand<G> {
    /// The game, of columns, rows and line, and of own colour with probability a/b.
    game: fn([u32; 3], [u64; 2]) -> G,
    /// Why the solver cannot take it.
    fault: fn(G) -> Option<&'static str>,
    solve: fn(G, Side) -> Result<Odds, OutOfMemory>,
}

impl<G: Copy> ByHand<G> {
    fn run(&self, words: &[String]) -> Result<(), String> {
        let (own, of) = fraction(words.get(3))?;
        let sizes = [number(words.first())?, number(words.get(1))?, number(words.get(2))?];
        let (game, side) = ((self.game)(sizes, [own, of]), side(words.get(4))?);
        if let Some(fault) = (self.fault)(game) {
            return Err(fault.to_owned());
        }
        let odds = (self.solve)(game, side).map_err(|lack| lack.to_string())?;
        println!("{} {} {}", lowest_terms(odds), odds.boards, odds.edges);
        Ok(())
    }
}

fn connect(solve: fn(Connect, Side) -> Result<Odds, OutOfMemory>) -> ByHand<Connect> {
    ByHand {
        game: |[columns, rows, line], [own, of]| Connect { columns, rows, line, own, of },
        fault: Connect::fault,
        solve,
    }
}

fn tic_tac_toe() -> ByHand<Noughts> {
    ByHand {
        game: |[columns, rows, line], [own, of]| Noughts { columns, rows, line, own, of },
        fault: Noughts::fault,
        solve: noughts::solve,
    }
}

/// Whose odds are asked for.
fn side(word: Option<&String>) -> Result<Side, String> {
    match word.map(String::as_str) {
        None | Some("x") => Ok(Side::First),
        Some("o") => Ok(Side::Second),
        Some(other) => Err(format!("`{other}` is neither x nor o")),
    }
}

fn lowest_terms(odds: Odds) -> String {
    let (mut larger, mut smaller) = (odds.denominator, odds.numerator);
    while smaller != 0 {
        (larger, smaller) = (smaller, larger % smaller);
    }
    format!("{}/{}", odds.numerator / larger, odds.denominator / larger)
}

fn solve_nim(words: &[String]) -> Result<(), String> {
    let (add, of) = fraction(words.get(1))?;
    let pile: usize = number(words.first())?;
    if pile == 0 || of == 0 || add > of {
        return Err("a pile has a piece, and a probability lies in 0..1".into());
    }
    println!("{} {}", nim::odds(pile, add, of), pile);
    Ok(())
}

fn solve_pig(words: &[String]) -> Result<(), String> {
    let (target, die): (usize, usize) = (number(words.first())?, number(words.get(1))?);
    if target == 0 || die < 2 {
        return Err("a target is at least 1, a die has two faces".into());
    }
    println!("{} {target}", pig::odds(target, die));
    Ok(())
}

fn run(words: &[String]) -> Result<(), String> {
    let (setup, names) = plan(words)?;
    std::fs::create_dir_all(&setup.scratch).map_err(|error| error.to_string())?;
    let outcome = names.into_iter().try_for_each(|bench| record(&setup, bench));
    // The sheets can be made again; that they could not be removed changes no figure.
    let _ = std::fs::remove_dir_all(&setup.scratch);
    outcome
}

/// Says nothing where what is asked for can be run; with `--help`, what there is to run.
fn explain(words: &[String]) -> Result<(), String> {
    if words.iter().any(|word| ["--help", "-h"].contains(&word.as_str())) {
        println!("cargo xtask bench [NAME]... [--dir FOLDER] [--turns N] [--quick]\n");
        BENCHES.iter().for_each(|bench| println!("  {:<16} {}", bench.name, bench.meaning));
        return Ok(());
    }
    plan(words).map(|_| ())
}

/// What is to be run, and with what.
fn plan(words: &[String]) -> Result<(Setup, Vec<&'static Bench>), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let oddsmith = program.with_file_name(format!("oddsmith{}", std::env::consts::EXE_SUFFIX));
    let scratch = std::env::temp_dir().join(format!("oddsmith-bench-{}", std::process::id()));
    let (symbolic, gpu) = (oddsmith.clone(), oddsmith.clone());
    let root = PathBuf::from(".");
    let (formulas, quick) = (None, false);
    let mut setup = Setup { root, scratch, oddsmith, symbolic, gpu, formulas, turns: TURNS, quick };
    let mut names = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut path = || rest.next().map(PathBuf::from).ok_or(format!("{word} needs a path"));
        match word.as_str() {
            "--root" => setup.root = path()?,
            "--symbolic" => setup.symbolic = path()?,
            "--gpu" => setup.gpu = path()?,
            "--dir" => setup.formulas = Some(path()?),
            "--quick" => setup.quick = true,
            "--turns" => setup.turns = number::<usize>(rest.next())?.max(1),
            name => names.push(chosen(name)?),
        }
    }
    if names.is_empty() {
        names.extend(BENCHES.iter().filter(|bench| setup.formulas.is_some() || !bench.needs_dir()));
    }
    Ok((setup, names))
}

fn chosen(name: &str) -> Result<&'static Bench, String> {
    BENCHES.iter().find(|bench| bench.name == name).ok_or_else(|| {
        let names: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
        format!("there is no bench `{name}`; there are {}", names.join(", "))
    })
}

fn record(setup: &Setup, bench: &Bench) -> Result<(), String> {
    eprintln!("bench: {}", bench.name);
    let mut page = Page::new(bench.name, bench.arguments, bench.meaning, &setup.root);
    (bench.run)(setup, &mut page).map_err(|message| format!("{}: {message}", bench.name))?;
    println!("{}\n", page.text());
    if setup.quick {
        return Ok(());
    }
    let path = setup.root.join(Path::new("benches/record").join(format!("{}.md", bench.name)));
    let folder = path.parent().expect("a record lies in a folder");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, format!("{}\n", page.text())))
        .map_err(|error| format!("{} could not be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{Odds, chosen, fraction, lowest_terms};

    #[test]
    fn fractions_are_shortened() {
        let odds = Odds { numerator: 6, denominator: 8, boards: 1, edges: 1 };
        assert_eq!(lowest_terms(odds), "3/4");
        assert_eq!(lowest_terms(Odds { numerator: 0, ..odds }), "0/1");
    }

    #[test]
    fn unknown_names_and_numbers_are_refused() {
        assert!(chosen("nim").is_ok());
        assert!(chosen("chess").unwrap_err().contains("connect-4-4x4"));
        assert!(fraction::<u64>(Some(&"3:4".to_owned())).is_err());
    }
}
