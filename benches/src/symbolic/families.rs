//! The bench `families`: formulas of growing size whose values theory knows, beside DepQBF.
//!
//! All sizes of a member that can grow are one number, which grows by half from row to row, so that a curve is
//! seen in few runs; a solver that was slow on one row is not asked for the next, which would take
//! most of the time and tell little. Every answer must be the value that is known. DepQBF reads
//! formulas without chance, and these alone are compared.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use exact::Ratio;
use qcnf::families::{FAMILIES, Family, Member, Size, Variant};
use qcnf::text::Dialect;

use super::formula::{value, within};
use crate::contest::Setup;
use crate::measure::attempt;
use crate::record::{Page, seconds};

/// Seconds a formula.
const SECONDS: u64 = 10;
/// A solver that took longer than this is not asked for a larger one.
const SLOW: Duration = Duration::from_secs(3);
/// The first size and the largest.
const SIZES: (usize, usize) = (4, 2_000);
/// The largest size of a quick run.
const QUICK: usize = 6;
/// A size that is always smaller stays at its usual value.
const FEW: usize = 100;
/// What DepQBF says by its exit status.
const TRUE: i32 = 10;
const FALSE: i32 = 20;

/// Time and value of a run, or none where its time was up.
type Answer = Option<(Duration, Ratio)>;

/// A solver with its column of the table.
struct Column {
    name: &'static str,
    /// Asks it for the value of a formula.
    ask: fn(&Setup, &Path) -> Result<Answer, String>,
    is_done: bool,
}

/// Measures, compares, and fills the page.
///
/// # Errors
/// Where a solver gives a value that is not the known one.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    let has_peer = Command::new("depqbf").arg("--version").output().is_ok();
    if !has_peer {
        page.say("DepQBF was left out: this machine has no `depqbf`.");
    }
    page.say(&format!(
        "CPU seconds of single runs, ended after {SECONDS} s. A solver that took more than {} s is \
         not asked for larger ones. Every value that was reached is the known one.",
        SLOW.as_secs()
    ));
    for family in FAMILIES {
        page.say(&format!("## {}\n\n{}; {}.", family.name, family.about, family.source));
        for variant in family.variants {
            eprintln!("families: {} {}", family.name, variant.name);
            curve(setup, page, (family, variant), has_peer)?;
        }
    }
    Ok(())
}

/// The table of a variant: a row a size.
fn curve(
    setup: &Setup,
    page: &mut Page,
    (family, variant): (&Family, &Variant),
    has_peer: bool,
) -> Result<(), String> {
    let mut columns = vec![Column { name: "xssat s", ask: ours, is_done: false }];
    let least = member(family, variant, SIZES.0)?;
    let is_plain = Dialect::Qdimacs.losses(&least.formula).is_ok();
    if is_plain && has_peer {
        columns.push(Column { name: "DepQBF s", ask: depqbf, is_done: false });
    }
    let mut rows = Vec::new();
    for size in sizes(family, if setup.quick { QUICK } else { SIZES.1 }) {
        if columns.iter().all(|column| column.is_done) {
            break;
        }
        let member = member(family, variant, size)?;
        let formula = &member.formula;
        let mut row = vec![
            size.to_string(),
            formula.variables().to_string(),
            formula.clauses.len().to_string(),
        ];
        let path = written(setup, &member, is_plain)?;
        let cells: Result<Vec<String>, String> =
            columns.iter_mut().map(|column| column.cell(setup, &path, &member)).collect();
        row.extend(cells.map_err(|fault| {
            format!("{} {size} --variant {}: {fault}", family.name, variant.name)
        })?);
        rows.push(row);
    }
    page.say(&format!("`--variant {}`, {}", variant.name, variant.value));
    let names = columns.iter().map(|column| column.name);
    let head: Vec<&str> = ["size", "variables", "clauses"].into_iter().chain(names).collect();
    page.table(&head, &rows);
    Ok(())
}

impl Column {
    fn cell(&mut self, setup: &Setup, path: &Path, member: &Member) -> Result<String, String> {
        if self.is_done {
            return Ok("-".into());
        }
        let Some((time, value)) = (self.ask)(setup, path)? else {
            self.is_done = true;
            return Ok(format!("> {SECONDS}"));
        };
        if value != member.value {
            return Err(format!("{} {value}, and not {}", self.name, member.value));
        }
        self.is_done = time > SLOW;
        Ok(seconds(time))
    }
}

/// The sizes that are asked for: each about half more than the one before.
fn sizes(family: &Family, most: usize) -> Vec<usize> {
    let grown = family.sizes.iter().filter(|size| grows(size));
    let most = grown.map(|size| size.range.1).fold(most, usize::min);
    let grown = std::iter::successors(Some(SIZES.0), |size| Some(size + size / 2));
    grown.take_while(|size| *size <= most).collect()
}

/// A member with all its sizes the same, but for those that cannot grow.
fn member(family: &Family, variant: &Variant, size: usize) -> Result<Member, String> {
    let taken = |row: &Size| if grows(row) { size.max(row.range.0) } else { row.usual };
    let sizes: Vec<usize> = family.sizes.iter().map(taken).collect();
    family.member(Some(variant.name), &sizes)
}

fn grows(size: &Size) -> bool {
    size.range.1 >= FEW
}

fn written(setup: &Setup, member: &Member, is_plain: bool) -> Result<PathBuf, String> {
    let path = setup.scratch.join("member.qdimacs");
    let dialect = if is_plain { Dialect::Qdimacs } else { Dialect::Exact };
    let mut text = Vec::new();
    qcnf::text::write(&member.formula, dialect, &mut text).map_err(|error| error.to_string())?;
    std::fs::write(&path, text).map_err(|error| error.to_string())?;
    Ok(path)
}

fn ours(setup: &Setup, path: &Path) -> Result<Answer, String> {
    let run = within(setup, path, SECONDS, &[])?;
    let value = value(&run.output).map(|text| text.parse::<Ratio>());
    let value = value.transpose().map_err(|_| "the solver printed no fraction")?;
    Ok(value.map(|value| (run.cpu, value)))
}

fn depqbf(_: &Setup, path: &Path) -> Result<Answer, String> {
    let words = ["depqbf".to_owned(), path.display().to_string()];
    let run = attempt(&words, SECONDS)?;
    match run.status {
        Some(TRUE) => Ok(Some((run.cpu, Ratio::one()))),
        Some(FALSE) => Ok(Some((run.cpu, Ratio::zero()))),
        None => Ok(None),
        Some(other) => Err(format!("DepQBF ended with status {other}: {}", run.output.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_by_half_within_the_range_of_the_family() {
        let parity = Family::named("parity").unwrap();
        assert_eq!(sizes(parity, 20), [4, 6, 9, 13, 19]);
        let ramsey = Family::named("ramsey").unwrap();
        assert!(sizes(ramsey, 2_000).last().is_some_and(|size| *size <= 200));
    }

    #[test]
    fn every_variant_has_a_member_of_the_first_size() {
        for family in FAMILIES {
            for variant in family.variants {
                assert!(member(family, variant, SIZES.0).is_ok(), "{}", family.name);
            }
        }
    }
}
