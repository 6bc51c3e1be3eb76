//! `cargo xtask corpus DIR`: every rulesheet below a folder, read, compiled and played beside its
//! rules, and a table of what came of it.
//!
//! Each sheet is one run of `oddsmith inspect` as a process of its own, under limits of time and
//! memory, so that nothing that happens to one sheet can keep the others from being run. Rows are
//! in the order of the names, whatever order the runs end in.

mod draw;
mod options;
mod report;
mod row;
mod runs;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::checkout::Checkout;
use crate::oddsmith;
use crate::report::Failure;
use options::Options;

/// Sheets of the sample that is part of the tests, and its seed.
const TESTED: (usize, u64) = (60, 3);
/// Time to compile a sheet of it: tests run with assertions, and beside other work.
const TESTED_TIME: Duration = Duration::from_secs(60);

/// Runs the corpus as the arguments ask for; exit code 1 where a sheet shows a fault of ours.
///
/// # Errors
/// On a wrong argument, a folder that cannot be read, or a program that does not build.
pub fn run(checkout: &Checkout, arguments: &[String]) -> Result<ExitCode, Failure> {
    let options = options::parse(arguments)?;
    let sheets = chosen(&options)?;
    oddsmith::build(checkout, "oddsmith")?;
    let rows = runs::run_all(&checkout.release_program("oddsmith"), &options, &sheets)?;
    let page = report::page(checkout, &options, &rows);
    match &options.out {
        None => print!("{page}"),
        Some(path) => std::fs::write(path, &page).map_err(|error| {
            Failure::environment(
                format!("{} cannot be written: {error}.", path.display()),
                "Name a file that can be written: `--out FILE`.",
            )
        })?,
    }
    Ok(verdict(&rows))
}

/// The sample that is part of `cargo xtask test`, on the program as tests build it; says in one
/// line that it was left out where the sheets are not there.
///
/// # Errors
/// Where the program does not build or the sheets cannot be read.
pub fn test(checkout: &Checkout) -> Result<u8, Failure> {
    let folder = shared(checkout).join("corpus");
    if !folder.is_dir() {
        eprintln!("corpus: left out, since {} is not there", folder.display());
        return Ok(0);
    }
    let (sample, seed) = TESTED;
    let (sample, time) = (Some(sample), TESTED_TIME);
    let options = Options { sample, seed, time, ..Options::of_folder(folder) };
    let sheets = chosen(&options)?;
    let program = oddsmith::build_for_tests(checkout)?;
    let rows = runs::run_all(&program, &options, &sheets)?;
    let unsound: Vec<_> = rows.iter().filter(|row| row.is_our_fault()).collect();
    unsound.iter().for_each(|row| eprintln!("corpus: {}", row.line()));
    eprintln!("{}", report::headline(&rows));
    Ok(u8::from(!unsound.is_empty() || !report::enough_built(&rows)))
}

/// Where material that is not part of the checkout lies.
fn shared(checkout: &Checkout) -> PathBuf {
    std::env::var_os("ODDSMITH_SHARED")
        .map_or_else(|| checkout.root.join("../shared"), PathBuf::from)
}

fn verdict(rows: &[row::Row]) -> ExitCode {
    eprintln!("{}", report::headline(rows));
    let sound = !rows.iter().any(row::Row::is_our_fault) && report::enough_built(rows);
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The names of the sheets to run, relative to the folder, in order.
fn chosen(options: &Options) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    collect(&options.folder, Path::new(""), &mut found).map_err(|error| {
        Failure::usage(
            format!("{} cannot be read: {error}.", options.folder.display()),
            "Name a folder of rulesheets: `cargo xtask corpus DIR`.",
        )
    })?;
    found.sort();
    if found.is_empty() {
        return Err(Failure::usage(
            format!("{} holds no sheet.", options.folder.display()),
            "Sheets are files named `*.gdl` or `*.kif`, in it or in a folder below it.",
        ));
    }
    if let Some(count) = options.sample {
        found = draw::sample(found, count, options.seed);
        found.sort();
    }
    Ok(found)
}

fn collect(root: &Path, below: &Path, found: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = below.join(entry.file_name());
        let is_sheet = name.extension().is_some_and(|kind| kind == "gdl" || kind == "kif");
        if entry.file_type()?.is_dir() {
            collect(root, &name, found)?;
        } else if is_sheet {
            found.push(name.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_are_found_in_folders_below_and_named_from_the_root() {
        let root = std::env::temp_dir().join(format!("corpus-{}", std::process::id()));
        std::fs::create_dir_all(root.join("b")).expect("a folder");
        for name in ["z.gdl", "b/a.kif", "b/notes.txt"] {
            std::fs::write(root.join(name), "").expect("a file");
        }
        let chosen = chosen(&Options::of_folder(root.clone())).expect("two sheets");
        std::fs::remove_dir_all(root).expect("the folder is ours");
        assert_eq!(chosen, ["b/a.kif", "z.gdl"]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_the_users_fault() {
        let failure = chosen(&Options::of_folder("/no/such/folder".into())).expect_err("no folder");
        assert_eq!(failure.code, 2);
    }
}
