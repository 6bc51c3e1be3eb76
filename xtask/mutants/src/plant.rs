//! Which faults are planted: a draw from a seed, less what does not compile.
//!
//! The compiler is asked again and again, each time without the faults in whose code it found an
//! error. An error that lies in no fault's code, but within a site, is one of the switch (a value that is
//! moved twice, a type that is no longer inferred): such faults are told apart, since they say nothing
//! about the fault itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::failure::Failure;
use crate::sites::{Site, sites, test_modules};
use crate::tree::{Package, Tree, files_in};
use crate::weave::{Place, Planted, Woven, switch, weave};

/// Builds of the compiler to get rid of what does not compile.
const ROUNDS: usize = 40;

/// What became of a fault that was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is in the build.
    Planted,
    /// Its code does not compile.
    Unviable,
    /// Its switch does not compile.
    Unswitched,
}

/// A fault that was drawn.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    /// The line of its file, from 1.
    pub(crate) line: usize,
    /// File, function and change: what tells it from others, wherever its line moves to.
    pub(crate) key: String,
    /// What became of it.
    pub(crate) standing: Standing,
    /// Its file, site and position there.
    at: (usize, usize, usize),
}

impl Drawn {
    /// Where it is and what it does, for people.
    pub(crate) fn name(&self) -> String {
        let (file, rest) = self.key.split_once(": ").expect("a key begins with its file");
        format!("{file}:{}: {rest}", self.line)
    }
}

/// A file with its sites.
#[derive(Debug)]
struct File {
    path: PathBuf,
    text: String,
    sites: Vec<Site>,
}

/// What is planted in a crate.
#[derive(Debug)]
pub(crate) struct Plan {
    /// All faults that there are in the crate.
    pub(crate) all: usize,
    /// The keys of all.
    pub(crate) keys: BTreeSet<String>,
    /// Those that were drawn; their position is their number.
    pub(crate) drawn: Vec<Drawn>,
    /// A number that differs where a file does, woven or not: what a fault came to under other tests
    /// says nothing.
    pub(crate) print: u64,
}

#[cfg(test)]
impl Plan {
    /// A plan in which faults of these keys are planted, each in line 1.
    pub(crate) fn of_keys(keys: &[&str]) -> Self {
        let standing = Standing::Planted;
        let one = |key: &&str| Drawn { line: 1, key: (*key).to_owned(), standing, at: (0, 0, 0) };
        let keys_of = keys.iter().map(|key| (*key).to_owned()).collect();
        Self { all: 9, keys: keys_of, drawn: keys.iter().map(one).collect(), print: 0 }
    }
}

/// Plants faults in a crate of the copy.
///
/// # Errors
/// Where a file is no Rust, or the crate does not compile.
pub(crate) fn plant(tree: &Tree, name: &str, count: usize, seed: u64) -> Result<Plan, Failure> {
    tree.restore()?;
    let package = tree.package(name)?;
    let files = read(package)?;
    let all: Vec<(usize, usize, usize)> = places(&files);
    let drawn = draw(all.len(), count, seed);
    let key = |at: (usize, usize, usize)| {
        let (file, site) = (&files[at.0], &files[at.0].sites[at.1]);
        let shown = tree.shown(&file.path).display();
        format!("{shown}: {}: {}", site.function, site.faults[at.2].change)
    };
    let one = |place: usize| {
        let at = all[place];
        let line = files[at.0].sites[at.1].line;
        Drawn { line, key: key(at), standing: Standing::Planted, at }
    };
    let drawn: Vec<Drawn> = drawn.into_iter().map(one).collect();
    let keys = all.iter().map(|at| key(*at)).collect();
    eprintln!("== {name}: {} of {} faults, from seed {seed}", drawn.len(), all.len());
    let mut plan = Plan { all: all.len(), keys, drawn, print: 0 };
    for _ in 0..ROUNDS {
        let woven = write(tree, package, &files, &plan.drawn)?;
        let errors = check(tree, name)?;
        if errors.is_empty() {
            plan.print = tree.print()?;
            return Ok(plan);
        }
        drop_faulty(&errors, &woven, &mut plan.drawn)?;
    }
    Err(Failure::environment(
        format!("{name} does not compile with faults after {ROUNDS} tries"),
        "take another seed",
    ))
}

/// The files of a crate's library that are part of a plain build.
fn read(package: &Package) -> Result<Vec<File>, Failure> {
    let library = package.library.as_ref().ok_or_else(|| {
        Failure::input(format!("{} has no library", package.name), "name a crate that has one")
    })?;
    let folder = library.parent().expect("a file lies in a folder");
    let (mut files, mut left) = (Vec::new(), Vec::new());
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "rs");
    for path in files_in(folder)?.into_iter().filter(is_rust) {
        let text = fs::read_to_string(&path).map_err(|error| Failure::path(&path, &error))?;
        let no_rust = |error: syn::Error| {
            let place = format!("{}:{}", path.display(), error.span().start().line);
            Failure::input(format!("{place}: {error}"), "mend it: it does not compile either")
        };
        let own = match path.file_stem().and_then(|stem| stem.to_str()) {
            Some("mod" | "lib" | "main") => path.parent().expect("a folder").to_owned(),
            _ => path.with_extension(""),
        };
        left.extend(test_modules(&text).map_err(no_rust)?.into_iter().map(|name| own.join(name)));
        let sites = sites(&text).map_err(no_rust)?;
        files.push(File { path, text, sites });
    }
    let is_left = |path: &Path| {
        let own = path.with_extension("");
        left.iter().any(|one| own.starts_with(one))
    };
    files.retain(|file| !is_left(&file.path));
    Ok(files)
}

/// File, site and position of all faults.
fn places(files: &[File]) -> Vec<(usize, usize, usize)> {
    let mut all = Vec::new();
    for (at, file) in files.iter().enumerate() {
        for (place, site) in file.sites.iter().enumerate() {
            all.extend((0..site.faults.len()).map(|fault| (at, place, fault)));
        }
    }
    all
}

/// So many places, each as likely as any other, in their order (Fisher and Yates; SplitMix64).
fn draw(all: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut state = seed;
    let mut places: Vec<usize> = (0..all).collect();
    for first in 0..count.min(all) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let left = (all - first) as u64;
        places.swap(first, first + ((mixed ^ (mixed >> 31)) % left) as usize);
    }
    places.truncate(count);
    places.sort_unstable();
    places
}

/// Writes the crate with the faults that are planted; the woven texts by their paths from the root.
fn write(
    tree: &Tree,
    package: &Package,
    files: &[File],
    drawn: &[Drawn],
) -> Result<BTreeMap<PathBuf, Woven>, Failure> {
    let mut woven = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        let mut sites: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (number, fault) in drawn.iter().enumerate() {
            if fault.at.0 == at && fault.standing == Standing::Planted {
                sites.entry(fault.at.1).or_default().push((number, fault.at.2));
            }
        }
        let planted: Vec<Planted<'_>> = sites
            .into_iter()
            .map(|(site, faults)| Planted { site: &file.sites[site], faults })
            .collect();
        let mut text = weave(&file.text, &planted);
        if Some(&file.path) == package.library.as_ref() {
            text.text.push_str(&switch(drawn.len()));
        }
        tree.write(&file.path, text.text.as_bytes())?;
        woven.insert(tree.shown(&file.path).to_owned(), text);
    }
    Ok(woven)
}

/// An error of the compiler: where it says it is, the first places first, and its text.
#[derive(Debug)]
struct CompileError {
    places: Vec<(PathBuf, usize, usize)>,
    text: String,
}

fn check(tree: &Tree, name: &str) -> Result<Vec<CompileError>, Failure> {
    let mut command = tree.cargo(&["check", "--quiet", "--lib", "--message-format=json"]);
    command.args(["--package", name]);
    let output = command.output().map_err(|error| Failure::start("cargo", &error))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors: Vec<CompileError> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|value| value["message"]["level"] == "error")
        .map(|value| compile_error(&value["message"]))
        .filter(|error| !error.places.is_empty())
        .collect();
    if output.status.success() || !errors.is_empty() {
        return Ok(errors);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Failure::environment(format!("{name} does not build: {said}"), "try `cargo check` first"))
}

fn compile_error(message: &Value) -> CompileError {
    let mut places = Vec::new();
    let own = message["spans"].as_array().cloned().unwrap_or_default();
    let (primary, rest): (Vec<Value>, Vec<Value>) =
        own.into_iter().partition(|span| span["is_primary"] == true);
    for span in primary.iter().chain(&rest) {
        let number = |key: &str| span[key].as_u64().unwrap_or(0) as usize;
        let file = PathBuf::from(span["file_name"].as_str().unwrap_or(""));
        places.push((file, number("byte_start"), number("byte_end")));
    }
    let text = message["rendered"].as_str().unwrap_or("an error").to_owned();
    CompileError { places, text }
}

/// Takes the faults out that the errors lie in.
fn drop_faulty(
    errors: &[CompileError],
    woven: &BTreeMap<PathBuf, Woven>,
    drawn: &mut [Drawn],
) -> Result<(), Failure> {
    for error in errors {
        let found = guilty(error, woven);
        if found.is_empty() {
            return Err(Failure::environment(
                format!("the crate does not compile with its switch:\n{}", error.text),
                "try `cargo check` first: it must compile as it is",
            ));
        }
        for (fault, standing) in found {
            drawn[fault].standing = standing;
        }
    }
    Ok(())
}

fn guilty(error: &CompileError, woven: &BTreeMap<PathBuf, Woven>) -> Vec<(usize, Standing)> {
    let places = |of: &(PathBuf, usize, usize)| -> &[Place] {
        woven.get(&of.0).map_or(&[], |woven| &woven.places)
    };
    for of in &error.places {
        let inside = |place: &&Place| place.code.start <= of.1 && of.2 <= place.code.end;
        if let Some(place) = places(of).iter().find(inside) {
            return vec![(place.fault, Standing::Unviable)];
        }
    }
    for of in &error.places {
        let around = |place: &&Place| place.whole.start <= of.1 && of.2 <= place.whole.end;
        let size = |place: &&Place| place.whole.len();
        if let Some(least) = places(of).iter().filter(around).min_by_key(size) {
            let same = |place: &&Place| place.whole == least.whole;
            return places(of)
                .iter()
                .filter(same)
                .map(|place| (place.fault, Standing::Unswitched))
                .collect();
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_places_and_each_once() {
        let drawn = draw(500, 40, 7);
        assert_eq!((drawn.len(), &drawn), (40, &draw(500, 40, 7)));
        assert_ne!(drawn, draw(500, 40, 8));
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(drawn[0] < 100 && drawn[39] > 400, "from all over: {drawn:?}");
        assert_eq!(draw(5, 900, 1), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn errors_are_laid_to_the_fault_they_lie_in_and_else_to_the_switch() {
        let place = |fault, code, whole| Place { fault, code, whole };
        let places = vec![place(3, 20..30, 10..90), place(4, 50..60, 40..80)];
        let woven = Woven { text: String::new(), places };
        let woven = BTreeMap::from([(PathBuf::from("a.rs"), woven)]);
        let error = |from, to| CompileError {
            places: vec![(PathBuf::from("a.rs"), from, to)],
            text: String::new(),
        };
        assert_eq!(guilty(&error(22, 25), &woven), [(3, Standing::Unviable)]);
        assert_eq!(guilty(&error(62, 65), &woven), [(4, Standing::Unswitched)]);
        assert_eq!(guilty(&error(85, 88), &woven), [(3, Standing::Unswitched)]);
        assert_eq!(guilty(&error(95, 99), &woven), []);
    }
}
