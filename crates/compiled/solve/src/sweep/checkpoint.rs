//! A checkpoint: a folder that holds every finished ply of one solve.
//!
//! Files of it, each written aside and renamed: `manifest` (text: of which rules, which question,
//! which form of the game), `plies-N` (what the forward pass left of plies N and on, with the keys
//! of their children), `values-N` (the values of ply N; only the newest are kept), `counted` (the
//! distinct states, where plies share some), and `lock`. docs/checkpoint.md tells their form.
//!
//! Always: what is under its own name is whole, and `plies-N` follow one another without a gap,
//! each with a checksum of all before it; so a process that is killed loses the ply in work, and those that took less than a moment
//! before it. A folder is written to only when all in it is a checkpoint's, of the same rules and
//! the same question, and no other process holds it.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use store::{Coding, Frame, FrameFile, FrameWriter, HeldFolder, HoldError};
use verdict::Question;

use super::manifest::{Manifest, asked_lines};
use super::past::{Past, PastPly, PastValues};
use super::trail::tag;
use crate::game::{Game, TakenBack};
use crate::options::Options;
use crate::storage::{Storage, StorageFault};

const MANIFEST: &str = "manifest";
const COUNTED: &str = "counted";
const PLIES: &str = "plies-";
const VALUES: &str = "values-";
/// Bytes that are verified before a checkpoint is continued; more of them are verified when they
/// are read.
const VERIFIED_BYTES: u64 = 64 << 20;
/// What a values file adds to its ply in its name frame.
const OF_VALUES: u64 = 1 << 32;

/// Of which plies a file is: how many lie before it, and a checksum of all that is kept of them.
/// The place of a state in its ply is decided when the ply is found, by what memory there was as
/// well, so that beside other plies of the same game edges would lead to other states and values
/// would be theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Whole {
    pub(super) plies: usize,
    digest: u64,
}

impl Whole {
    /// The same plies and those of one more file, up to `plies`.
    pub(super) fn and(self, plies: usize, frames: &[Frame]) -> Self {
        let sums = frames.iter().map(Frame::sum);
        let numbers = [self.digest, plies as u64].into_iter().chain(sums);
        let bytes: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
        Self { plies, digest: store::checksum(&bytes) }
    }

    fn words(self) -> [u64; 2] {
        [self.plies as u64, self.digest]
    }
}

/// A checkpoint that this process holds.
pub(super) struct Checkpoint {
    folder: HeldFolder,
    path: PathBuf,
    /// Lines that tell the rules and the question, each with what it is about.
    asked: Vec<(&'static str, String)>,
    /// The manifest that is there.
    found: Option<Manifest>,
    /// Checksum of the manifest as it stands, which all files repeat.
    identity: u64,
    pace: Duration,
    value_bytes: AtomicU64,
    /// When values were kept last.
    kept_at: Mutex<Instant>,
}

/// Whether a name is one of a checkpoint's.
fn is_own(name: &str) -> bool {
    let numbered = |prefix| {
        let number: Option<&str> = name.strip_prefix(prefix);
        number.is_some_and(|digits| digits.parse::<u32>().is_ok())
    };
    let aside = name.ends_with(".part")
        && [MANIFEST, COUNTED, PLIES, VALUES, "oddsmith-scratch."]
            .iter()
            .any(|own| name.strip_prefix('.').is_some_and(|rest| rest.starts_with(own)));
    [MANIFEST, COUNTED, "lock"].contains(&name) || numbered(PLIES) || numbered(VALUES) || aside
}

impl Checkpoint {
    /// Takes the folder, if one is asked for, and compares what is in it with the question.
    pub(super) fn open(
        storage: &Storage,
        question: &Question,
        options: &Options,
    ) -> Result<Option<Self>, StorageFault> {
        let Some(path) = &storage.checkpoint else { return Ok(None) };
        refuse_foreign(path)?;
        let folder = HeldFolder::take(path).map_err(|error| match error {
            HoldError::Held => StorageFault::refused(
                "checkpoint-held",
                format!("another process works on the checkpoint `{}`", path.display()),
                "wait for its end, or give another folder",
            ),
            HoldError::System(error) => StorageFault::system("use the folder", path, &error),
        })?;
        let asked = asked_lines(question, options);
        let mut made = Self {
            folder,
            path: path.clone(),
            asked,
            found: None,
            identity: 0,
            pace: storage.pace,
            value_bytes: AtomicU64::new(0),
            kept_at: Mutex::new(Instant::now()),
        };
        made.found = made.read_manifest()?;
        if made.found.is_some() && !storage.resume {
            return Err(StorageFault::refused(
                "checkpoint-exists",
                format!("the folder `{}` already holds a checkpoint", path.display()),
                "`--resume` continues it; or give another folder",
            ));
        }
        Ok(Some(made))
    }

    fn read_manifest(&self) -> Result<Option<Manifest>, StorageFault> {
        let path = self.folder.file(MANIFEST);
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| StorageFault::system("read", &path, &error))?,
        };
        let text = String::from_utf8_lossy(&bytes);
        let Some(manifest) = Manifest::parse(&text) else {
            let what = match text.lines().next() {
                Some(line) if line.starts_with("oddsmith checkpoint ") => {
                    "it is not as this version of the program writes it"
                }
                _ => "it is no manifest",
            };
            return Err(StorageFault::damaged(&path, &what));
        };
        self.compare(&manifest)?;
        Ok(Some(manifest))
    }

    /// Refuses a checkpoint of something else.
    fn compare(&self, manifest: &Manifest) -> Result<(), StorageFault> {
        let own = self.asked_text();
        if manifest.asked.len() != own.len() {
            return Err(StorageFault::damaged(&self.folder.file(MANIFEST), &"lines are missing"));
        }
        let mut pairs = self.asked.iter().zip(&manifest.asked).zip(&own);
        let Some((((about, asked), line), _)) = pairs.find(|((_, line), own)| line != own) else {
            return Ok(());
        };
        let held = line.strip_prefix(about).map_or(line.as_str(), str::trim);
        let path = self.path.display();
        let message = match *about {
            "rules" => format!("the checkpoint `{path}` is of other rules"),
            "program" => format!(
                "the checkpoint `{path}` was written by version {held} of the program, not {asked}"
            ),
            _ => format!(
                "the checkpoint `{path}` is of another question: its {about} is `{held}`, not \
                 `{asked}`"
            ),
        };
        let note = "ask as it was asked there, or give another folder";
        Err(StorageFault::refused("checkpoint-of-another-question", message, note))
    }

    fn asked_text(&self) -> Vec<String> {
        self.asked.iter().map(|(about, value)| format!("{about} {value}")).collect()
    }

    /// Guesses that had been taken back when the checkpoint was written.
    pub(super) fn taken_back(&self) -> &[TakenBack] {
        self.found.as_ref().map_or(&[], |manifest| &manifest.taken_back)
    }

    /// The group of which one state of each orbit is kept in what an attempt would continue, 0 where
    /// all states are; none where there is nothing to be continued.
    pub(super) fn group(&self, game: &Game) -> Option<u64> {
        let same = self.found.as_ref().filter(|found| found.taken_back == game.taken_back);
        same.map(|found| found.group)
    }

    /// Refuses a checkpoint of one state of each orbit where all states are wanted.
    pub(super) fn keeps_orbits(&self, wants: &str) -> StorageFault {
        let message = format!(
            "the checkpoint `{}` keeps one state of each set that symmetries of the game map to each \
             other, and {wants}",
            self.path.display()
        );
        let note = "continue it as it was begun, or give another folder and `--no-symmetry`";
        StorageFault::refused("checkpoint-of-orbits", message, note)
    }

    /// Begins an attempt on the compiled game, of which one state of each orbit under a group is
    /// kept: what is there of the same attempt is continued, what is there of an earlier one is taken
    /// away.
    pub(super) fn begin(
        &mut self,
        game: &Game,
        group: u64,
        compiled: u64,
    ) -> Result<Past, StorageFault> {
        let taken_back = game.taken_back.clone();
        let manifest = Manifest { asked: self.asked_text(), taken_back, group, compiled };
        self.identity = store::checksum(manifest.text().as_bytes());
        let found = self.found.replace(manifest.clone());
        if found.as_ref() == Some(&manifest) {
            return self.read_past();
        }
        if found.is_some_and(|found| found.taken_back == manifest.taken_back) {
            return Err(StorageFault::refused(
                "checkpoint-of-another-question",
                format!(
                    "the checkpoint `{}` was written where the game compiles to another form",
                    self.path.display()
                ),
                "continue it with the program and on the kind of machine that wrote it, or give \
                 another folder",
            ));
        }
        self.empty()?;
        let path = self.folder.file(MANIFEST);
        store::write_file(&path, manifest.text().as_bytes())
            .map_err(|error| StorageFault::system("write", &path, &error))?;
        Ok(Past::default())
    }

    /// Takes all files away but the manifest, those of plies last and from the newest on, so that
    /// no gap is ever left.
    fn empty(&self) -> Result<(), StorageFault> {
        let names = self.names()?;
        let others = names.iter().filter(|name| *name != MANIFEST && !name.starts_with(PLIES));
        others.chain(in_order(&names).into_iter().rev()).try_for_each(|name| self.remove(name))
    }

    fn names(&self) -> Result<Vec<String>, StorageFault> {
        self.folder.names().map_err(|error| StorageFault::system("read", &self.path, &error))
    }

    fn remove(&self, name: &str) -> Result<(), StorageFault> {
        let removed = self.folder.remove(name);
        removed.map_err(|error| StorageFault::system("remove", &self.folder.file(name), &error))
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.path
    }

    /// Finished plies that took less than this together are written together.
    pub(super) fn pace(&self) -> Duration {
        self.pace
    }

    /// Bytes of the values that are kept.
    pub(super) fn value_bytes(&self) -> u64 {
        self.value_bytes.load(Ordering::Relaxed)
    }

    /// The file of the plies from `first` on.
    pub(super) fn plies_path(&self, first: usize) -> PathBuf {
        self.folder.file(&format!("{PLIES}{first:06}"))
    }

    fn values_path(&self, ply: usize) -> PathBuf {
        self.folder.file(&format!("{VALUES}{ply:06}"))
    }

    fn create(&self, path: &Path, place: u64, of: Whole) -> Result<FrameWriter, StorageFault> {
        let begun = FrameWriter::create(path).and_then(|mut writer| {
            let [plies, digest] = of.words();
            let name = [self.identity, place, plies, digest];
            writer.write(tag::NAME, Coding::Plain, &name).map(|()| writer)
        });
        begun.map_err(|error| StorageFault::system("write", path, &error))
    }

    /// Begins the file of the plies that follow these.
    pub(super) fn begin_plies(&self, after: Whole) -> Result<FrameWriter, StorageFault> {
        self.create(&self.plies_path(after.plies), after.plies as u64, after)
    }

    /// Whether values are to be kept again.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        // A thread that panicked while it held the lock has ended the program.
        self.kept_at.lock().is_ok_and(|kept| now.duration_since(*kept) >= self.pace)
    }

    /// Begins the file of a ply's values.
    pub(super) fn begin_values(
        &self,
        ply: usize,
        (limbs, states): (usize, usize),
        of: Whole,
    ) -> Result<FrameWriter, StorageFault> {
        let path = self.values_path(ply);
        let mut writer = self.create(&path, ply as u64 | OF_VALUES, of)?;
        let written = writer.write(tag::PLY, Coding::Plain, &[limbs as u64, states as u64]);
        written.map_err(|error| StorageFault::system("write", &path, &error))?;
        Ok(writer)
    }

    /// Ends the file of a ply's values; those of other plies are then not needed any more.
    pub(super) fn end_values(&self, ply: usize, writer: FrameWriter) -> Result<(), StorageFault> {
        let path = self.values_path(ply);
        let finished = writer.finish(None);
        let (_, frames) = finished.map_err(|error| StorageFault::system("write", &path, &error))?;
        self.value_bytes.store(frames.iter().map(Frame::size).sum(), Ordering::Relaxed);
        if let Ok(mut kept) = self.kept_at.lock() {
            *kept = Instant::now();
        }
        for name in self.names()? {
            if name.starts_with(VALUES) && self.folder.file(&name) != path {
                self.remove(&name)?;
            }
        }
        Ok(())
    }

    /// Keeps the numbers of distinct states and decision states.
    pub(super) fn keep_counted(&self, counts: (u64, u64), of: Whole) -> Result<(), StorageFault> {
        let path = self.folder.file(COUNTED);
        let mut writer = self.create(&path, 0, of)?;
        let written = writer.write(tag::PLY, Coding::Plain, &[counts.0, counts.1]);
        written
            .and_then(|()| writer.finish(None).map(drop))
            .map_err(|error| StorageFault::system("write", &path, &error))
    }

    /// Opens a file whose name frame must be that of `place`, of the plies that are there.
    fn open_file(
        &self,
        path: &Path,
        place: u64,
        there: Whole,
    ) -> Result<(FrameFile, Vec<Frame>), StorageFault> {
        let failed = |error| StorageFault::reading(path, &error);
        let (file, frames) = FrameFile::open(path).map_err(failed)?;
        let mut name: Vec<u64> = Vec::new();
        match frames.first() {
            Some(first) if first.tag == tag::NAME => file.read(first, &mut name).map_err(failed)?,
            _ => return Err(StorageFault::damaged(path, &"it does not say what it is")),
        }
        let [identity, named, plies, digest] = name[..] else {
            return Err(StorageFault::damaged(path, &"it does not say what it is"));
        };
        if [identity, named] != [self.identity, place] {
            let what = "it belongs to another checkpoint or another ply";
            return Err(StorageFault::damaged(path, &what));
        }
        if plies > there.plies as u64 {
            return Err(StorageFault::damaged(&self.plies_path(there.plies), &"it is missing"));
        }
        if [plies, digest] != there.words() {
            return Err(StorageFault::damaged(path, &"it belongs to other plies"));
        }
        Ok((file, frames))
    }

    /// Reads what is known of all plies.
    fn read_past(&self) -> Result<Past, StorageFault> {
        let (mut past, mut verified) = (Past::default(), 0);
        let names = self.names()?;
        for name in in_order(&names) {
            let (path, first) = (self.folder.file(name), past.plies.len());
            if path != self.plies_path(first) {
                let missing = self.plies_path(first);
                return Err(StorageFault::damaged(&missing, &"it is missing"));
            }
            let (file, frames) = self.open_file(&path, first as u64, past.whole)?;
            verify(&path, &file, &frames, &mut verified)?;
            for frame in frames.iter().filter(|frame| frame.tag == tag::PLY) {
                let mut words: Vec<u64> = Vec::new();
                file.read(frame, &mut words)
                    .map_err(|error| StorageFault::reading(&path, &error))?;
                let ply = PastPly::parse(&words)
                    .ok_or_else(|| StorageFault::damaged(&path, &"a ply is not whole"))?;
                past.plies.push(ply);
            }
            past.whole = past.whole.and(past.plies.len(), &frames);
            past.files.push((path, frames, past.whole));
        }
        past.values = self.read_values(&names, past.whole, &mut verified)?;
        past.counted = self.read_counted(&names, past.whole)?;
        Ok(past)
    }

    fn read_values(
        &self,
        names: &[String],
        there: Whole,
        verified: &mut u64,
    ) -> Result<Option<PastValues>, StorageFault> {
        let number = |name: &String| name.strip_prefix(VALUES).and_then(|it| it.parse().ok());
        let Some(ply) = names.iter().filter_map(number).min() else { return Ok(None) };
        let path = self.values_path(ply);
        let (file, frames) = self.open_file(&path, ply as u64 | OF_VALUES, there)?;
        let (mut sizes, mut words): (Vec<u64>, u64) = (Vec::new(), 0);
        let failed = |error| StorageFault::reading(&path, &error);
        for frame in &frames {
            match frame.tag {
                tag::PLY => file.read(frame, &mut sizes).map_err(failed)?,
                tag::VALUES => words += u64::from(frame.count),
                _ => {}
            }
        }
        let [limbs, states] = sizes[..] else {
            return Err(StorageFault::damaged(&path, &"it is not whole"));
        };
        if limbs == 0 || limbs.checked_mul(states) != Some(words) {
            return Err(StorageFault::damaged(&path, &"it is not whole"));
        }
        verify(&path, &file, &frames, verified)?;
        self.value_bytes.store(frames.iter().map(Frame::size).sum(), Ordering::Relaxed);
        let frames = frames.into_iter().filter(|frame| frame.tag == tag::VALUES).collect();
        Ok(Some(PastValues { ply, limbs: limbs as usize, path, file, frames }))
    }

    fn read_counted(
        &self,
        names: &[String],
        there: Whole,
    ) -> Result<Option<(u64, u64)>, StorageFault> {
        if !names.iter().any(|name| name == COUNTED) {
            return Ok(None);
        }
        let path = self.folder.file(COUNTED);
        let (file, frames) = self.open_file(&path, 0, there)?;
        let mut words: Vec<u64> = Vec::new();
        for frame in frames.iter().filter(|frame| frame.tag == tag::PLY) {
            file.read(frame, &mut words).map_err(|error| StorageFault::reading(&path, &error))?;
        }
        match words[..] {
            [states, decisions] => Ok(Some((states, decisions))),
            _ => Err(StorageFault::damaged(&path, &"it is not whole")),
        }
    }
}

/// Verifies the frames of a file, as long as not enough of the checkpoint is verified.
fn verify(
    path: &Path,
    file: &FrameFile,
    frames: &[Frame],
    verified: &mut u64,
) -> Result<(), StorageFault> {
    for frame in frames {
        *verified += frame.size();
        if *verified <= VERIFIED_BYTES {
            file.verify(frame).map_err(|error| StorageFault::reading(path, &error))?;
        }
    }
    Ok(())
}

/// The files of plies, by the number of their first ply: names of a million plies are longer.
fn in_order(names: &[String]) -> Vec<&String> {
    let number = |name: &&String| name.strip_prefix(PLIES).and_then(|it| it.parse::<u64>().ok());
    let mut files: Vec<&String> = names.iter().filter(|name| name.starts_with(PLIES)).collect();
    files.sort_by_key(number);
    files
}

/// Refuses a folder that holds anything else, before anything is written to it.
fn refuse_foreign(path: &Path) -> Result<(), StorageFault> {
    let names = match store::folder_names(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(StorageFault::refused(
                "checkpoint-foreign",
                format!("`{}` is no folder", path.display()),
                "give an empty or a new folder",
            ));
        }
        names => names.map_err(|error| StorageFault::system("read the folder", path, &error))?,
    };
    let has_manifest = names.iter().any(|name| name == MANIFEST);
    let plies = names.iter().any(|name| name.starts_with(PLIES) || name.starts_with(VALUES));
    let foreign = names.iter().find(|name| !is_own(name));
    let message = match foreign {
        Some(name) => format!(
            "the folder `{}` holds what is no part of a checkpoint, such as `{name}`",
            path.display()
        ),
        None if plies && !has_manifest => {
            format!("the checkpoint `{}` has lost its manifest", path.display())
        }
        None => return Ok(()),
    };
    Err(StorageFault::refused("checkpoint-foreign", message, "give an empty or a new folder"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_plies_are_in_the_order_of_their_plies() {
        let names = ["counted", "plies-000000", "plies-1000000", "plies-999999", "values-000001"];
        let names = names.map(str::to_owned);
        assert_eq!(in_order(&names), ["plies-000000", "plies-999999", "plies-1000000"]);
    }

    #[test]
    fn only_a_checkpoints_names_are_its_own() {
        let own = ["manifest", "lock", "plies-000000", "values-000012", "counted"];
        assert!(own.iter().all(|name| is_own(name)));
        assert!(is_own(".plies-000003.77-0.part") && is_own(".manifest.1-2.part"));
        let foreign =
            ["plies-", "plies-x", "thesis.tex", ".thesis.1-0.part", "manifest.txt", "src"];
        assert!(foreign.iter().all(|name| !is_own(name)));
    }
}
