//! What a run over random things has counted: a file that the same run goes on from, and the report.
//!
//! Always: what was done are the seeds from the first one on, so a log and a seed say what is next; a
//! file is written whole or not at all, so a run that is killed loses at most the last few seconds.
//! Answers that a limit cut short are counted as halted, never as agreement. A file whose counts no
//! run can have is refused, since what is counted is added to them.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::quantity::{show_count, show_size};
use crate::report::visible::visible;

/// The form of the file; a file of another form is refused.
const FORM: u32 = 1;
/// Larger files are refused unread: a log of a disagreement a seed is far from it.
const MAX_BYTES: u64 = 256 << 20;

/// A run over random things.
#[derive(Debug, Serialize, Deserialize, PartialEq)]
pub(super) struct Log {
    /// The form of this file.
    form: u32,
    /// The version of the program.
    version: String,
    /// The first seed.
    pub(super) seed: u64,
    /// Games.
    pub(super) games: Section,
    /// Formulas.
    pub(super) formulas: Section,
    /// Logic programs.
    pub(super) programs: Section,
    /// Seconds that were spent, all runs together.
    pub(super) seconds: f64,
}

/// What was counted of one kind of things.
#[derive(Debug, Default, Serialize, Deserialize, PartialEq)]
pub(super) struct Section {
    /// Things that were compared, one a seed.
    pub(super) done: u64,
    /// Questions that were asked about them.
    pub(super) asked: u64,
    /// Of these, those that two engines and more answered exactly, and all the same.
    pub(super) agreed: u64,
    /// How each engine ended, over all questions.
    pub(super) engines: BTreeMap<String, Ends>,
    /// How many things had each feature.
    pub(super) features: BTreeMap<String, u64>,
    /// Disagreements, each with the seed that shows it.
    pub(super) disagreements: Vec<Disagreement>,
}

/// How an engine ended.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub(super) struct Ends {
    /// With an exact answer.
    pub(super) exact: u64,
    /// At a limit, with bounds.
    pub(super) halted: u64,
    /// With a fault of the game.
    pub(super) faulty: u64,
    /// Not at all: something was missing.
    pub(super) absent: u64,
}

/// A disagreement.
#[derive(Debug, Serialize, Deserialize, PartialEq)]
pub(super) struct Disagreement {
    /// The seed.
    pub(super) seed: u64,
    /// What was asked, and how the answers differ.
    pub(super) text: String,
    /// Where the game lies that was cut down.
    pub(super) shrunk: Option<String>,
}

impl Section {
    /// Counts one thing with its features.
    pub(super) fn add_thing<T: ToString>(&mut self, features: impl IntoIterator<Item = T>) {
        self.done += 1;
        features
            .into_iter()
            .for_each(|one| *self.features.entry(one.to_string()).or_default() += 1);
        debug_assert!(self.features.values().all(|count| *count <= self.done));
    }

    /// Whether a run that began with this seed can have counted this.
    fn is_possible(&self, first: u64) -> bool {
        let within = |ends: &Ends| {
            let Ends { exact, halted, faulty, absent } = *ends;
            let all = [exact, halted, faulty, absent].map(u128::from);
            all.iter().sum::<u128>() <= self.asked.into()
        };
        first.checked_add(self.done).is_some()
            && self.asked <= self.done
            && self.agreed <= self.asked
            && self.engines.values().all(within)
            && self.features.values().all(|count| *count <= self.done)
    }

    /// The counts of an engine.
    pub(super) fn engine(&mut self, name: &str) -> &mut Ends {
        self.engines.entry(name.to_owned()).or_default()
    }
}

impl Log {
    fn new(seed: u64) -> Self {
        Self {
            form: FORM,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed,
            games: Section::default(),
            formulas: Section::default(),
            programs: Section::default(),
            seconds: 0.0,
        }
    }

    /// The log in a file, or a new one. A seed that is given must be that of the file.
    pub(super) fn open(path: Option<&Path>, seed: Option<u64>) -> Result<Self, Failure> {
        let fresh = || Self::new(seed.unwrap_or(1));
        let Some(path) = path else { return Ok(fresh()) };
        let shown = path.display();
        let no_log = |what: String| {
            Failure::input("bad-log", format!("{shown} {what}"))
                .note("name a file that is not there yet, or take this one away")
        };
        let unreadable = |error: std::io::Error| {
            Failure::input("unreadable-file", format!("cannot read {shown}: {error}"))
        };
        match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(fresh()),
            Err(error) => return Err(unreadable(error)),
            // A device or a pipe may never come to an end, and keeps nothing.
            Ok(held) if !held.is_file() => {
                return Err(no_log("is no file that keeps what is written to it".to_owned()));
            }
            Ok(held) if held.len() > MAX_BYTES => {
                return Err(no_log(format!("holds more than {}", show_size(MAX_BYTES))));
            }
            Ok(_) => {}
        }
        let text = std::fs::read(path).map_err(unreadable)?;
        let log: Self = serde_json::from_slice(&text)
            .map_err(|error| no_log(format!("is no log of this program: {error}")))?;
        if log.form != FORM || log.version != env!("CARGO_PKG_VERSION") {
            return Err(no_log(format!("is a log of version {}", log.version)));
        }
        let is_possible = |(_, section): &(_, &Section)| section.is_possible(log.seed);
        if !log.sections().iter().all(is_possible) {
            return Err(no_log("has counts that no run can have".to_owned()));
        }
        match seed {
            Some(seed) if seed != log.seed => {
                Err(no_log(format!("counts from seed {}, not from {seed}", log.seed)))
            }
            _ => Ok(log),
        }
    }

    /// Writes the log.
    pub(super) fn save(&self, path: &Path) -> Result<(), Failure> {
        let mut text = serde_json::to_vec_pretty(self).map_err(std::io::Error::from)?;
        text.push(b'\n');
        store::write_file(path, &text).map_err(|error| {
            Failure::Environment(format!("cannot write {}: {error}", path.display()))
        })
    }

    /// Whether all that was asked about agreed.
    pub(super) fn is_clean(&self) -> bool {
        self.sections().iter().all(|(_, section)| section.disagreements.is_empty())
    }

    fn sections(&self) -> [(&'static str, &Section); 3] {
        [
            ("random games", &self.games),
            ("random formulas", &self.formulas),
            ("random logic programs", &self.programs),
        ]
    }

    /// Prints what was counted.
    pub(super) fn show(&self, out: &mut dyn Write) -> Result<(), Failure> {
        for (name, section) in self.sections() {
            if section.done > 0 {
                show_section(out, name, self.seed, section)?;
            }
        }
        Ok(out.flush()?)
    }
}

fn show_section(
    out: &mut dyn Write,
    name: &str,
    seed: u64,
    section: &Section,
) -> Result<(), Failure> {
    let last = seed + section.done - 1;
    writeln!(
        out,
        "{} {name} (seeds {seed} to {last}), {} questions, {} agreed, {} disagreements",
        show_count(section.done),
        show_count(section.asked),
        show_count(section.agreed),
        show_count(section.disagreements.len() as u64)
    )?;
    writeln!(out, "  {:<34} {:>9} {:>9} {:>9} {:>9}", "", "exact", "halted", "faulty", "not run")?;
    for (engine, ends) in &section.engines {
        let Ends { exact, halted, faulty, absent } = *ends;
        writeln!(out, "  {engine:<34} {exact:>9} {halted:>9} {faulty:>9} {absent:>9}")?;
    }
    for (feature, count) in &section.features {
        let share = 100 * count / section.done;
        writeln!(out, "  {feature:<34} {count:>9} {share:>8}%")?;
    }
    for found in &section.disagreements {
        writeln!(out, "  seed {}: {}", found.seed, visible(&found.text))?;
        if let Some(path) = &found.shrunk {
            writeln!(out, "    cut down: {}", visible(path))?;
        }
    }
    Ok(())
}
