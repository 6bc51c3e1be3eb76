//! The page of a corpus: a summary, what was refused or halted and why, and a row for each sheet.
//!
//! Nothing on it names a place of this machine: sheets are named from their folder.

use std::fmt::Write;
use std::process::Command;

use crate::checkout::Checkout;

use super::options::Options;
use super::row::{Outcome, Row};

/// The stages from text to kernel.
pub(super) const STAGES: [&str; 4] = ["read", "ground", "network", "kernel"];

/// Of a hundred sheets that are accepted, how many must be compiled within the limits.
const ENOUGH: usize = 95;

fn of(rows: &[Row], outcome: Outcome) -> impl Iterator<Item = &Row> {
    rows.iter().filter(move |row| row.outcome == outcome)
}

fn count(rows: &[Row], outcome: Outcome) -> usize {
    of(rows, outcome).count()
}

/// Whether enough of the accepted sheets were compiled within the limits.
pub(super) fn enough_built(rows: &[Row]) -> bool {
    let built = rows.iter().filter(|row| row.to_kernel().is_some()).count();
    let accepted = rows.len() - count(rows, Outcome::Refused);
    100 * built >= ENOUGH * accepted
}

/// The whole in a line.
pub(super) fn headline(rows: &[Row]) -> String {
    let states: u64 = rows.iter().filter_map(|row| row.count("states")).sum();
    format!(
        "corpus: {} sheets: {} agree with their rules in {states} states, {} refused, {} halted, \
         {} differ, {} broken; text to kernel: {}",
        rows.len(),
        count(rows, Outcome::Agrees),
        count(rows, Outcome::Refused),
        count(rows, Outcome::Halted),
        count(rows, Outcome::Differs),
        count(rows, Outcome::Broken),
        percentiles(rows),
    )
}

/// Median, ninetieth percentile and longest of the times to a kernel; a sheet that has none took
/// longer than all that have.
fn percentiles(rows: &[Row]) -> String {
    let accepted = rows.iter().filter(|row| row.outcome != Outcome::Refused);
    let mut times: Vec<f64> =
        accepted.map(|row| row.to_kernel().unwrap_or(f64::INFINITY)).collect();
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| match times.get(((times.len() * percent).div_ceil(100)).max(1) - 1) {
        Some(time) if time.is_finite() => format!("{time:.3} s"),
        _ => "none".to_owned(),
    };
    format!("median {}, 90 % within {}, longest {}", at(50), at(90), at(100))
}

/// The page, as Markdown.
pub(super) fn page(checkout: &Checkout, options: &Options, rows: &[Row]) -> String {
    let mut page = String::from("# The corpus\n\n");
    page += &preamble(checkout, options);
    page += &summary(rows);
    for (title, outcome) in [
        ("Differ from their rules", Outcome::Differs),
        ("Broken runs", Outcome::Broken),
        ("Halted", Outcome::Halted),
        ("Refused", Outcome::Refused),
    ] {
        page += &reasons(title, of(rows, outcome));
    }
    page += &information(rows);
    page += "## All sheets\n\n";
    page += "States are those in which the compiled game and the rules were compared; seconds are \
             those of one core from text to kernel, memory the peak until then.\n\n";
    page += "| sheet | result | propositions | moves | gates | seconds | MiB | states |\n";
    page += "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    rows.iter().for_each(|row| page += &table_row(row));
    page
}

fn preamble(checkout: &Checkout, options: &Options) -> String {
    let mut flags = String::new();
    if let Some(count) = options.sample {
        flags = format!(" --sample {count} --seed {}", options.seed);
    }
    format!(
        "Public rulesheets of many authors, each read, checked, grounded, compiled, and then \
         played at random beside the rules themselves, with every state, legal move, end and goal \
         compared. Written by `cargo xtask corpus DIR{flags} --jobs {}` at commit {} on {}; each \
         sheet is a process of one thread with {} s and {} to compile.\n\n",
        options.jobs,
        commit(checkout),
        machine(),
        options.time.as_secs(),
        options.memory,
    )
}

fn commit(checkout: &Checkout) -> String {
    let mut command = Command::new("git");
    command.args(["rev-parse", "--short", "HEAD"]).current_dir(&checkout.root);
    let output = command.output().ok().filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.unwrap_or_else(|| "(unknown)".into())
}

/// The processor, where the system says.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unnamed processor", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model} ({cores} threads)")
}

fn summary(rows: &[Row]) -> String {
    let accepted = rows.len() - count(rows, Outcome::Refused);
    let built = rows.iter().filter(|row| row.to_kernel().is_some()).count();
    let total = |field: &str| rows.iter().filter_map(|row| row.count(field)).sum::<u64>();
    let mut text = String::from("| | |\n| --- | ---: |\n");
    let mut line = |name: &str, what: String| writeln!(text, "| {name} | {what} |").is_ok();
    line("sheets", rows.len().to_string());
    line("accepted", accepted.to_string());
    line("refused", count(rows, Outcome::Refused).to_string());
    line("compiled within the limits", built.to_string());
    line("halted at a limit", count(rows, Outcome::Halted).to_string());
    line("differ from their rules", count(rows, Outcome::Differs).to_string());
    line("broken runs", count(rows, Outcome::Broken).to_string());
    line("states compared", total("states").to_string());
    line("plays, finished", format!("{}, {}", total("plays"), total("finished")));
    line("text to kernel", percentiles(rows));
    for stage in STAGES {
        let seconds: f64 = rows.iter().filter_map(|row| row.seconds(stage)).sum();
        line(&format!("all sheets, {stage}"), format!("{seconds:.1} s"));
    }
    text + "\n"
}

fn reasons<'a>(title: &str, rows: impl Iterator<Item = &'a Row>) -> String {
    let mut text = String::new();
    for row in rows {
        let (code, reason) = (row.text("code").unwrap_or("-"), row.text("reason").unwrap_or("-"));
        let reason = reason.replace('|', "\\|");
        text += &format!("| {} | {code} | {reason} |\n", row.sheet);
    }
    if text.is_empty() {
        return text;
    }
    format!("## {title}\n\n| sheet | code | reason |\n| --- | --- | --- |\n{text}\n")
}

/// The sheets with `sees` rules.
fn information(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let solved = match row.text("sees") {
            Some("all") => "all moves are shown to every role: it is solved",
            Some(_) => "some moves are hidden: solving needs `--perfect-information`",
            None => continue,
        };
        text += &format!("| {} | {solved} |\n", row.sheet);
    }
    if text.is_empty() {
        return text;
    }
    format!("## Sheets with `sees`\n\n| sheet | what the roles see |\n| --- | --- |\n{text}\n")
}

fn table_row(row: &Row) -> String {
    let count = |field: &str| row.count(field).map_or(String::new(), |count| count.to_string());
    let seconds = row.to_kernel().map_or(String::new(), |seconds| format!("{seconds:.3}"));
    let memory = row.count("peak_bytes").map_or(String::new(), |bytes| (bytes >> 20).to_string());
    let cells = [
        row.sheet.clone(),
        row.result().to_owned(),
        count("propositions"),
        count("moves"),
        count("gates"),
        seconds,
        memory,
        count("states"),
    ];
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(seconds: f64) -> Row {
        let stages: String = STAGES
            .iter()
            .map(|stage| format!("  \"{stage}_seconds\": {},\n", seconds / 4.0))
            .collect();
        Row::of_report("a.gdl", &format!("{{\n  \"result\": \"agrees\",\n{stages}}}\n"))
    }

    fn refused() -> Row {
        Row::of_report("bad.gdl", "  \"result\": \"refused\",\n  \"reason\": \"no | roles\"\n")
    }

    #[test]
    fn refused_sheets_count_for_no_percentile_and_halted_ones_do() {
        let mut rows: Vec<Row> = (1..=9).map(|tenth| built(f64::from(tenth) / 10.0)).collect();
        rows.push(refused());
        assert_eq!(percentiles(&rows), "median 0.500 s, 90 % within 0.900 s, longest 0.900 s");
        assert!(enough_built(&rows));
        rows.push(Row::of_report("slow.gdl", "  \"result\": \"halted\"\n"));
        assert_eq!(percentiles(&rows), "median 0.500 s, 90 % within 0.900 s, longest none");
        assert!(!enough_built(&rows));
    }

    #[test]
    fn a_reason_cannot_break_its_table() {
        let text = reasons("Refused", [refused()].iter());
        assert!(text.contains("| bad.gdl | - | no \\| roles |"), "{text}");
    }
}
