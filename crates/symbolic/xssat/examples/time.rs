//! Times the solver on files, for measuring: `time FILE.. [--opt NAME=VALUE].. [--seconds N]`.
//!
//! Prints a line a file: value, seconds of the solver, peak memory; with `--stats` the counts.

use std::fmt::Write;
use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use verdict::Watch;
use xssat::{Options, Solver};

fn main() -> Result<(), String> {
    let mut options = Options::default();
    let mut seconds = None;
    let mut stats = false;
    let mut files = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--opt" => {
                let pair = words.next().ok_or("--opt takes NAME=VALUE")?;
                let (name, value) = pair.split_once('=').ok_or("--opt takes NAME=VALUE")?;
                options.set(name, value.parse().map_err(|_| "a value is a number")?)?;
            }
            "--seconds" => seconds = words.next().and_then(|n| n.parse().ok()),
            "--stats" => stats = true,
            _ => files.push(word),
        }
    }
    // Options count wherever they stand.
    for file in &files {
        print!("{}", time(file, &options, seconds, stats)?);
    }
    Ok(())
}

fn time(
    file: &str,
    options: &Options,
    seconds: Option<u64>,
    stats: bool,
) -> Result<String, String> {
    let text = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let formula = qcnf::text::parse(&text).map_err(|faults| format!("{file}: {faults}"))?.formula;
    drop(text);
    let interrupt = AtomicBool::new(false);
    let started = Instant::now();
    let watch = Watch {
        started,
        time: seconds.map(Duration::from_secs),
        memory: None,
        interrupt: &interrupt,
        progress: &|_| {},
    };
    let mut solver = Solver::new(&formula, options);
    let answer = match solver.solve(&[], &watch) {
        Ok(value) => value.decimal(9),
        Err(halted) => {
            format!("halted[{},{}]", halted.bounds.0.decimal(6), halted.bounds.1.decimal(6))
        }
    };
    let millis = started.elapsed().as_millis();
    let peak = store::peak_bytes().unwrap_or(0) >> 20;
    let mut line = format!("{file}\t{answer}\t{}.{:03}\t{peak} MB\n", millis / 1000, millis % 1000);
    if stats {
        for (name, count, _) in solver.stats().rows() {
            let _ = writeln!(line, "    {name} {count}");
        }
    }
    Ok(line)
}
