//! Grounds the sheets named on the command line and prints a line on each: sizes and time, or why
//! there are none. `--text` prints the ground rules as well.

use std::time::{Duration, Instant};

use gdl::{ReadOptions, Source, read};
use ground::{GroundLimits, ground, verify};

fn main() {
    let text = std::env::args().any(|arg| arg == "--text");
    for path in std::env::args().skip(1).filter(|arg| arg != "--text") {
        match survey(&path, text) {
            Ok(line) => println!("{path}: {line}"),
            Err(line) => println!("{path}: - {line}"),
        }
    }
}

fn survey(path: &str, text: bool) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let source = Source::from_bytes(path, &bytes).map_err(|fault| fault.message)?;
    let reading = read(source, &ReadOptions::default());
    let rulebook = reading.rulebook.ok_or_else(|| {
        let first = reading.diagnostics.iter().find(|fault| fault.is_error());
        format!("refused: {}", first.map_or("", |fault| fault.message.as_str()))
    })?;
    let start = Instant::now();
    let deadline = Some(start + Duration::from_secs(12));
    let rules = ground(&rulebook, &GroundLimits { deadline, ..Default::default() });
    let seconds = start.elapsed().as_secs_f64();
    let rules = rules.map_err(|fault| {
        let place = fault.span.map_or("", |span| span.of(&reading.source.text));
        format!("{seconds:.3} s: {}: {} {place}", fault.code, fault.message)
    })?;
    verify(&rules)?;
    if text {
        print!("{rules}");
    }
    Ok(format!(
        "{seconds:.3} s, {} bases, {} inputs, {} atoms, {} rules",
        rules.bases.len(),
        rules.inputs.len(),
        rules.atoms.len(),
        rules.rules.len()
    ))
}
