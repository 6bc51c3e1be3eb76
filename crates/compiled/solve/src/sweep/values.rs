//! The values of one ply: in memory, or on disk where they do not fit; and on their way to a
//! checkpoint.
//!
//! The values of a large ply are written to the checkpoint while they are computed, those of a
//! small one only where some time has passed since the last, so that many small plies do not wait
//! for the disk.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use store::{Coding, Frame, FrameFile, FrameWriter, HugeVec};

use super::checkpoint::{Checkpoint, Whole};
use super::past::PastValues;
use super::runs::FRAME;
use super::spool::Spool;
use super::trail::tag;
use crate::backend::Trouble;
use crate::limits::refused;
use crate::storage::StorageFault;

/// Values, in words, that are written while they are computed.
const LARGE: usize = 1 << 17;

/// Asked before each frame that is read; an error ends the reading.
type Patience<'a> = dyn FnMut() -> Result<(), Trouble> + 'a;

/// Values of one ply.
#[derive(Default)]
pub(super) struct Values {
    /// Which; none where there are none.
    pub(super) ply: Option<usize>,
    /// Words of a value.
    pub(super) limbs: usize,
    /// The values, unless they are on disk.
    pub(super) words: HugeVec<u64>,
    away: Option<Away>,
}

/// Values on disk.
struct Away {
    /// Where the file lies, if it has a name: what is wrong with a scratch file is the system's.
    path: Option<PathBuf>,
    file: FrameFile,
    /// Frames with the place of their first word.
    frames: Vec<(usize, Frame)>,
    words: usize,
}

impl Away {
    fn new(
        path: Option<PathBuf>,
        file: FrameFile,
        frames: impl IntoIterator<Item = Frame>,
    ) -> Self {
        let (mut words, mut placed) = (0, Vec::new());
        for frame in frames {
            placed.push((words, frame));
            words += frame.count as usize;
        }
        Self { path, file, frames: placed, words }
    }

    fn read(&self, frame: &Frame, out: &mut Vec<u64>) -> Result<(), StorageFault> {
        self.file.read(frame, out).map_err(|error| match &self.path {
            Some(path) => StorageFault::reading(path, &error),
            None => StorageFault::System(format!("cannot read a scratch file: {error}")),
        })
    }
}

impl Values {
    /// The values that an earlier process computed last.
    pub(super) fn resumed(past: PastValues) -> Self {
        let away = Away::new(Some(past.path), past.file, past.frames);
        let words = HugeVec::new();
        Self { ply: Some(past.ply), limbs: past.limbs, words, away: Some(away) }
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        self.words.bytes()
    }

    /// Bytes that they would take in memory, where they are on disk.
    pub(super) fn bytes_away(&self) -> Option<u64> {
        self.away.as_ref().map(|away| 8 * away.words as u64)
    }

    /// Brings the values into memory, unless `patience` ends before.
    pub(super) fn bring_in(&mut self, patience: &mut Patience<'_>) -> Result<(), Trouble> {
        if let Some(words) = self.away.as_ref().map(|away| away.words) {
            self.words = self.read(0..words, patience)?;
            self.away = None;
        }
        Ok(())
    }

    /// Takes all values out.
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.away = None;
    }

    /// Words from one place to another, read from disk, unless `patience` ends before.
    ///
    /// # Panics
    /// When the values are in memory.
    pub(super) fn read(
        &self,
        places: Range<usize>,
        patience: &mut Patience<'_>,
    ) -> Result<HugeVec<u64>, Trouble> {
        let Range { start: from, end: to } = places;
        let away = self.away.as_ref().expect("values on disk");
        assert!(from <= to && to <= away.words, "words of the values");
        let mut words = HugeVec::new();
        words.reserve(to - from).map_err(refused)?;
        let first =
            away.frames.partition_point(|(start, frame)| start + frame.count as usize <= from);
        let mut numbers: Vec<u64> = Vec::new();
        for (start, frame) in away.frames[first..].iter().take_while(|(start, _)| *start < to) {
            patience()?;
            numbers.clear();
            away.read(frame, &mut numbers)?;
            let (low, high) = (from.saturating_sub(*start), numbers.len().min(to - start));
            words.extend_within(&numbers[low..high]);
        }
        assert_eq!(words.len(), to - from, "frames follow one another");
        Ok(words)
    }
}

/// Where the values of a ply go while they are computed.
pub(super) enum Sink {
    /// They stay in memory.
    Memory,
    /// They go to disk, a block at a time.
    Away(Spool<u64>),
}

impl Sink {
    /// A sink on disk.
    pub(super) fn away(folder: &Path) -> Result<Self, StorageFault> {
        Ok(Self::Away(Spool::new(folder, 1, Coding::Plain)?))
    }

    /// Ends the values.
    pub(super) fn finish(self, values: &mut Values) -> Result<(), StorageFault> {
        if let Self::Away(spool) = self {
            let (file, frames) = spool.finish_one()?;
            values.away = Some(Away::new(None, file, frames));
        }
        Ok(())
    }
}

/// Keeps the values of one ply for a later process.
pub(super) struct ValueKeeper {
    checkpoint: Arc<Checkpoint>,
    ply: usize,
    writer: FrameWriter,
    waiting: Vec<u64>,
}

impl ValueKeeper {
    /// Begins, unless the ply is small and the last one was kept a moment ago. The values of ply 1
    /// are always kept: the answer follows from them at once.
    pub(super) fn new(
        checkpoint: &Arc<Checkpoint>,
        ply: usize,
        (limbs, states): (usize, usize),
        of: Whole,
    ) -> Result<Option<Self>, StorageFault> {
        if ply > 1 && states * limbs < LARGE && !checkpoint.is_due(Instant::now()) {
            return Ok(None);
        }
        let writer = checkpoint.begin_values(ply, (limbs, states), of)?;
        Ok(Some(Self { checkpoint: Arc::clone(checkpoint), ply, writer, waiting: Vec::new() }))
    }

    /// Takes in the next values.
    pub(super) fn add(&mut self, values: &[u64]) -> Result<(), StorageFault> {
        self.waiting.extend_from_slice(values);
        if self.waiting.len() >= FRAME { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), StorageFault> {
        let sent = self.writer.write(tag::VALUES, Coding::Plain, &self.waiting);
        self.waiting.clear();
        let folder = self.checkpoint.folder();
        sent.map_err(|error| StorageFault::system("write to", folder, &error))
    }

    /// Makes the values durable.
    pub(super) fn finish(mut self) -> Result<(), StorageFault> {
        if !self.waiting.is_empty() {
            self.write()?;
        }
        self.checkpoint.end_values(self.ply, self.writer)
    }
}

#[cfg(test)]
mod tests {
    use verdict::HaltReason;

    use super::*;

    /// What cannot be read is told for what it is: a file of a checkpoint that was changed since it
    /// was verified is damaged, a scratch file that fails is the system's.
    #[test]
    fn what_cannot_be_read_is_told_for_what_it_is() {
        let name = format!("oddsmith-values-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut writer = FrameWriter::create(&path).expect("begun");
        writer.write(tag::VALUES, Coding::Plain, &[7u64, 8, 9]).expect("written");
        let (file, frames) = writer.finish(None).expect("finished");
        let past = |file: FrameFile, frames: Vec<Frame>| {
            Values::resumed(PastValues { ply: 3, limbs: 1, path: path.clone(), file, frames })
        };
        let kept = past(file.clone(), frames.clone());
        assert_eq!(kept.read(1..3, &mut || Ok(())).expect("whole").as_slice(), [8, 9]);
        let ended = Trouble::Limit(HaltReason::Interrupt);
        let mut kept = kept;
        assert_eq!(kept.bring_in(&mut || Err(ended.clone())), Err(ended.clone()));
        assert_eq!(kept.bytes_away(), Some(24), "they stay where they are");
        std::fs::write(&path, b"something else of some length, but no frames").expect("written");
        let changed = FrameFile::reopen(&path).expect("there");
        match past(changed.clone(), frames.clone()).read(0..3, &mut || Ok(())) {
            Err(Trouble::Storage(StorageFault::Refused { code, message, .. })) => {
                assert_eq!(code, "checkpoint-damaged");
                assert!(message.contains("oddsmith-values"), "{message}");
            }
            other => panic!("damage was expected: {other:?}"),
        }
        let away = Some(Away::new(None, changed, frames));
        let scratch = Values { ply: Some(3), limbs: 1, words: HugeVec::new(), away };
        match scratch.read(0..3, &mut || Ok(())) {
            Err(Trouble::Storage(StorageFault::System(message))) => {
                assert!(message.contains("scratch"), "{message}");
            }
            other => panic!("the system's fault was expected: {other:?}"),
        }
        std::fs::remove_file(&path).ok();
    }
}
