//! The bench `formulas`: a folder of formulas of others, two seconds each, beside another solver.
//!
//! The folder has `index.tsv` with a line a formula: file, variables, clauses, quantifiers, the
//! peer's value and seconds; `-` where the peer gave none. Its values have seven digits at most, so
//! ours must lie within a hundred-thousandth. The formulas stay where they are.

use std::collections::BTreeMap;
use std::path::Path;

use exact::Ratio;

use super::formula::{field, value, within};
use crate::contest::Setup;
use crate::record::{Page, seconds};

/// Seconds a formula, as the peer had.
const SECONDS: u64 = 2;
/// How far a value of the peer may lie from ours, one over this.
const NEARNESS: u32 = 100_000;

/// A formula of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    file: String,
    quantifiers: String,
    /// The peer's value, where it had one in time.
    peer: Option<Ratio>,
}

/// What became of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    /// Our value, where there was one in time.
    value: Option<Ratio>,
    time: String,
    /// Why there is none.
    halted: String,
}

/// Counts of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    all: usize,
    ours: usize,
    peer: usize,
    both: usize,
}

/// Measures, compares, and fills the page.
///
/// # Errors
/// Where no folder is named, its index cannot be read, or a value differs from the peer's.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let folder = setup.formulas.as_deref().ok_or("name the folder of formulas: --dir FOLDER")?;
    let entries = index(folder)?;
    let mut outcomes = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let run = within(setup, &folder.join(&entry.file), SECONDS, &[])?;
        let found = value(&run.output).map(|text| text.parse::<Ratio>());
        let found = found.transpose().map_err(|_| "the solver printed no fraction")?;
        let halted = field(&run.output, "halted").and_then(|why| Some(why.as_str()?.to_owned()));
        let halted = halted.unwrap_or_else(|| "ended".into());
        if (at + 1).is_multiple_of(20) {
            eprintln!("formulas: {} of {}", at + 1, entries.len());
        }
        outcomes.push(Outcome { value: found, time: seconds(run.cpu), halted });
    }
    report(page, &entries, &outcomes);
    wrong(&entries, &outcomes)
}

fn index(folder: &Path) -> Result<Vec<Entry>, String> {
    let path = folder.join("index.tsv");
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let entries: Result<Vec<Entry>, String> = text.lines().skip(1).map(entry).collect();
    let entries = entries.map_err(|line| format!("{}: `{line}`", path.display()))?;
    if entries.is_empty() { Err(format!("{}: no formula", path.display())) } else { Ok(entries) }
}

/// A line of the index; the line itself where it is none.
fn entry(line: &str) -> Result<Entry, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [file, _, _, quantifiers, peer, _] = fields.as_slice() else { return Err(line.into()) };
    let peer = match *peer {
        "-" => None,
        text => Some(number(text).ok_or(line)?),
    };
    Ok(Entry { file: (*file).into(), quantifiers: (*quantifiers).into(), peer })
}

/// A decimal, perhaps with an exponent of ten.
fn number(text: &str) -> Option<Ratio> {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let number: Ratio = digits.parse().ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let ten = if exponent < 0 { Ratio::new(1u8, 10u8) } else { Ratio::new(10u8, 1u8) };
    Some((0..exponent.unsigned_abs().min(400)).fold(number, |number, _| number * &ten))
}

/// Whether two values are one, as far as the peer's digits tell.
fn is_near(ours: &Ratio, peer: &Ratio) -> bool {
    let apart = if ours > peer { ours.clone() - peer } else { peer.clone() - ours };
    apart <= Ratio::new(1u8, NEARNESS)
}

fn report(page: &mut Page, entries: &[Entry], outcomes: &[Outcome]) {
    let total = tally(entries.iter().zip(outcomes));
    let wrong = entries.iter().zip(outcomes).filter(|(entry, outcome)| differ(entry, outcome));
    page.say(&format!(
        "Of {} formulas {} were solved in {SECONDS} s of the processor each; SharpSSAT solved {} in the same time, \
         {} of which were solved here. {} values differ from the peer's by more than 1/{NEARNESS}.",
        total.all,
        total.ours,
        total.peer,
        total.both,
        wrong.count(),
    ));
    let mut kinds: BTreeMap<&str, Vec<(&Entry, &Outcome)>> = BTreeMap::new();
    for pair in entries.iter().zip(outcomes) {
        let kind = pair.0.file.split_once('/').map_or("", |(kind, _)| kind);
        kinds.entry(kind).or_default().push(pair);
    }
    let rows: Vec<Vec<String>> = kinds
        .iter()
        .map(|(kind, pairs)| {
            let tally = tally(pairs.iter().copied());
            let counts = [tally.all, tally.ours, tally.peer, tally.both];
            let counts = counts.iter().map(ToString::to_string);
            std::iter::once((*kind).to_owned()).chain(counts).collect()
        })
        .collect();
    page.table(&["folder", "formulas", "solved here", "by SharpSSAT", "by both"], &rows);
    named(page, entries, outcomes, "Solved by SharpSSAT and not here", |entry| {
        entry.peer.is_some()
    });
    named(page, entries, outcomes, "Solved by neither", |entry| entry.peer.is_none());
}

/// The unsolved formulas of a kind, named.
fn named(
    page: &mut Page,
    entries: &[Entry],
    outcomes: &[Outcome],
    title: &str,
    is_meant: impl Fn(&Entry) -> bool,
) {
    let pairs = entries.iter().zip(outcomes);
    let lost = pairs.filter(|(entry, outcome)| outcome.value.is_none() && is_meant(entry));
    let rows: Vec<Vec<String>> = lost
        .map(|(entry, outcome)| {
            let (quantifiers, time) = (entry.quantifiers.clone(), outcome.time.clone());
            vec![entry.file.clone(), quantifiers, outcome.halted.clone(), time]
        })
        .collect();
    page.say(&format!("## {title}: {}", rows.len()));
    if !rows.is_empty() {
        page.table(&["formula", "quantifiers", "ended by", "CPU s"], &rows);
    }
}

fn tally<'a>(pairs: impl Iterator<Item = (&'a Entry, &'a Outcome)>) -> Tally {
    pairs.fold(Tally::default(), |tally, (entry, outcome)| {
        let (ours, peer) = (outcome.value.is_some(), entry.peer.is_some());
        Tally {
            all: tally.all + 1,
            ours: tally.ours + usize::from(ours),
            peer: tally.peer + usize::from(peer),
            both: tally.both + usize::from(ours && peer),
        }
    })
}

fn differ(entry: &Entry, outcome: &Outcome) -> bool {
    let both = outcome.value.as_ref().zip(entry.peer.as_ref());
    both.is_some_and(|(ours, peer)| !is_near(ours, peer))
}

/// An error that names all values that differ.
fn wrong(entries: &[Entry], outcomes: &[Outcome]) -> Result<(), String> {
    let pairs = entries.iter().zip(outcomes).filter(|(entry, outcome)| differ(entry, outcome));
    let texts: Vec<String> = pairs
        .filter_map(|(entry, outcome)| {
            let (ours, peer) = (outcome.value.as_ref()?, entry.peer.as_ref()?);
            Some(format!("{}: {}, peer {}", entry.file, ours.decimal(9), peer.decimal(9)))
        })
        .collect();
    if texts.is_empty() { Ok(()) } else { Err(format!("values differ: {}", texts.join("; "))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_index_are_read() {
        let line = entry("a/b.sdimacs\t5\t6\taer\t1.525879e-05\t0.1").unwrap();
        assert_eq!(line.file, "a/b.sdimacs");
        assert_eq!(line.peer, Some(Ratio::new(1_525_879u32, 100_000_000_000u64)));
        assert_eq!(entry("a\t5\t6\te\t-\t>2").unwrap().peer, None);
        assert!(entry("a\t5\t6\te\tlarge\t1").is_err() && entry("a\t5").is_err());
    }

    #[test]
    fn a_value_that_differs_is_an_error_that_names_it() {
        let of = |text: &str| Some(number(text).unwrap());
        let entry = |peer| Entry { file: "a/b".into(), quantifiers: "er".into(), peer };
        let outcome = |value| Outcome { value, time: "1".into(), halted: "time".into() };
        assert!(wrong(&[entry(of("0.500004"))], &[outcome(of("0.5"))]).is_ok());
        assert!(wrong(&[entry(None)], &[outcome(of("0.5"))]).is_ok());
        assert!(wrong(&[entry(of("0.50004"))], &[outcome(of("0.5"))]).unwrap_err().contains("a/b"));
        let one = tally([(&entry(of("1")), &outcome(None))].into_iter());
        assert_eq!(one, Tally { all: 1, ours: 0, peer: 1, both: 0 });
    }
}
