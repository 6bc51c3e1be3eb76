//! What the forward pass leaves for the backward pass: records, edges, and keys that left memory.
//!
//! Three runs of numbers, each addressed by the place of a number in the whole run. The newest
//! numbers of a run are in memory; those before `base` were written to frames: of a checkpoint's
//! files, or of a scratch file. Where there is a checkpoint, all is written as it comes, on a
//! thread of its own, and stays in memory too as long as the limit allows; else nothing is written
//! before memory is short.
//!
//! Always: once a ply is sealed none of its numbers shares a frame with another ply's, so that a
//! ply that breaks off can be cut off; frames of a run follow one another without a gap.
//!
//! Costs nothing but a comparison a block while all fits.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use store::{Coding, Frame, FrameWriter, HugeVec, Scratch};

use super::checkpoint::{Checkpoint, Whole};
use super::runs::{FRAME, Run, Shelf, Source, Window};
use crate::storage::StorageFault;

/// Tags of frames.
pub(super) mod tag {
    /// What file of what checkpoint it is.
    pub(in crate::sweep) const NAME: u32 = 0;
    /// Words of the record.
    pub(in crate::sweep) const RECORD: u32 = 1;
    /// Ids of children.
    pub(in crate::sweep) const EDGES: u32 = 2;
    /// Words of keys.
    pub(in crate::sweep) const KEYS: u32 = 3;
    /// The end of a ply: what is known of it as a whole.
    pub(in crate::sweep) const PLY: u32 = 4;
    /// Words of values.
    pub(in crate::sweep) const VALUES: u32 = 5;
}

/// Bytes in memory that are worth being written for the room.
const WORTH_BYTES: u64 = 4 << 20;
/// Written bytes after which a checkpoint's file is closed, however short it took.
const SEGMENT_BYTES: u64 = 64 << 20;

/// The runs of a sweep; see the module's header.
pub(super) struct Trail {
    record: Run<u64>,
    edges: Run<u32>,
    keys: Run<u64>,
    shelf: Shelf,
    writer: Option<FrameWriter>,
    /// Whether numbers are written as they come.
    streaming: bool,
    /// Frames of the open writer that belong to sealed plies, and where the ply in work begins.
    sealed_frames: usize,
    sealed: (usize, usize, usize),
    /// Plies sealed, and those in files that are closed.
    plies: usize,
    closed: Whole,
    opened_at: Instant,
    spill: Option<PathBuf>,
    thrift: bool,
    /// Where keys are kept for a table: the folder for them.
    keys_in: Option<PathBuf>,
    scratch: Option<Scratch>,
    checkpoint: Option<Arc<Checkpoint>>,
    /// Bytes in closed files.
    closed_bytes: u64,
}

impl Default for Trail {
    fn default() -> Self {
        Self::new(None, None, 1)
    }
}

impl Trail {
    /// An empty trail; `width` is the number of words of a key.
    pub(super) fn new(
        checkpoint: Option<Arc<Checkpoint>>,
        spill: Option<PathBuf>,
        width: usize,
    ) -> Self {
        let stride = u16::try_from(width).unwrap_or(1);
        Self {
            record: Run::new(tag::RECORD, Coding::Plain),
            edges: Run::new(tag::EDGES, Coding::Steps(1)),
            keys: Run::new(tag::KEYS, Coding::Steps(stride)),
            shelf: Shelf::default(),
            writer: None,
            streaming: checkpoint.is_some(),
            sealed_frames: 0,
            sealed: (0, 0, 0),
            plies: 0,
            closed: Whole::default(),
            opened_at: Instant::now(),
            spill,
            thrift: false,
            keys_in: None,
            scratch: None,
            checkpoint,
            closed_bytes: 0,
        }
    }

    /// The same trail, which leaves memory also where memory is not short.
    pub(super) fn thrifty(self, thrift: bool) -> Self {
        Self { thrift, ..self }
    }

    /// The same trail, which keeps all keys, if a folder is given for them.
    pub(super) fn keeping_keys(self, folder: Option<PathBuf>) -> Self {
        Self { keys_in: folder, ..self }
    }

    /// Whether memory is to be taken for short.
    pub(super) fn is_thrifty(&self) -> bool {
        self.thrift
    }

    /// Places behind the newest word of the record, edge, and word of keys.
    pub(super) fn ends(&self) -> (usize, usize, usize) {
        (self.record.end(), self.edges.end(), self.keys.end())
    }

    /// What records and edges are appended to.
    pub(super) fn tails(&mut self) -> (&mut HugeVec<u64>, &mut HugeVec<u32>) {
        (&mut self.record.held, &mut self.edges.held)
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        self.record.held.bytes() + self.edges.held.bytes() + self.keys.held.bytes()
    }

    /// Bytes on disk.
    pub(super) fn disk_bytes(&self) -> u64 {
        let values = self.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.value_bytes());
        self.closed_bytes + values + self.writer.as_ref().map_or(0, FrameWriter::bytes)
    }

    /// Whether numbers are written as they come.
    pub(super) fn is_streaming(&self) -> bool {
        self.streaming
    }

    /// Whether keys are kept in the trail.
    pub(super) fn wants_keys(&self) -> bool {
        self.checkpoint.is_some() || self.keys_in.is_some()
    }

    /// The plies, which are all in closed files.
    pub(super) fn plies(&self) -> Whole {
        assert_eq!(self.closed.plies, self.plies, "files are closed before more is told of them");
        self.closed
    }

    /// The checkpoint, where there is one.
    pub(super) fn checkpoint(&self) -> Option<&Arc<Checkpoint>> {
        self.checkpoint.as_ref()
    }

    /// Whether what does not fit in memory may be kept on disk.
    pub(super) fn can_spill(&self) -> bool {
        self.spill.is_some()
    }

    /// Folder for scratch files.
    pub(super) fn folder(&self) -> PathBuf {
        let given = self.spill.as_ref().or(self.keys_in.as_ref());
        given.cloned().unwrap_or_else(std::env::temp_dir)
    }

    /// Whether room can be made by writing.
    pub(super) fn can_yield(&self) -> bool {
        let possible = self.streaming || self.spill.is_some();
        possible && self.record.held.bytes() + self.edges.held.bytes() >= WORTH_BYTES
    }

    fn writer(&mut self) -> Result<&mut FrameWriter, StorageFault> {
        if self.writer.is_none() {
            let writer = match &self.checkpoint {
                Some(checkpoint) => checkpoint.begin_plies(self.closed)?,
                None => FrameWriter::scratch(self.scratch()?),
            };
            self.sealed_frames = writer.frames();
            self.opened_at = Instant::now();
            self.writer = Some(writer);
        }
        Ok(self.writer.as_mut().expect("just made"))
    }

    /// The scratch file.
    pub(super) fn scratch(&mut self) -> Result<&Scratch, StorageFault> {
        if self.scratch.is_none() {
            let folder = self.folder();
            let made = Scratch::new(&folder);
            self.scratch = Some(made.map_err(|error| {
                StorageFault::system("make a scratch file in", &folder, &error)
            })?);
        }
        Ok(self.scratch.as_ref().expect("just made"))
    }

    /// Where the open writer writes, for messages.
    fn place(&self) -> PathBuf {
        let folder = self.checkpoint.as_ref().map(|held| held.folder().to_owned());
        folder.unwrap_or_else(|| self.folder())
    }

    fn failed(&self, error: &std::io::Error) -> StorageFault {
        StorageFault::system("write to", &self.place(), error)
    }

    /// Writes full frames of what is new, where numbers are written as they come.
    pub(super) fn pour(&mut self) -> Result<(), StorageFault> {
        if self.streaming
            && self.record.end() + self.edges.end() - self.record.written - self.edges.written
                >= FRAME
        {
            self.pour_from(FRAME)?;
        }
        Ok(())
    }

    fn pour_from(&mut self, least: usize) -> Result<(), StorageFault> {
        self.writer()?;
        let writer = self.writer.as_mut().expect("just made");
        let (record, edges) = (self.record.end(), self.edges.end());
        let poured = self.record.pour(writer, record, least);
        let poured = poured.and_then(|()| self.edges.pour(writer, edges, least));
        poured.map_err(|error| self.failed(&error))
    }

    /// Writes keys, which do not stay in memory; `rest` also those that fill no frame. Returns how
    /// many words were written.
    pub(super) fn pour_keys(&mut self, words: &[u64], rest: bool) -> Result<usize, StorageFault> {
        debug_assert!(self.keys.held.is_empty(), "keys stay with their ply");
        let Coding::Steps(width) = self.keys.coding else { unreachable!("keys are steps") };
        let whole = FRAME / usize::from(width) * usize::from(width);
        let mut done = 0;
        while words.len() - done >= if rest { 1 } else { whole } {
            let to = words.len().min(done + whole);
            let (tag, coding) = (self.keys.tag, self.keys.coding);
            let sent = self.writer()?.write(tag, coding, &words[done..to]);
            sent.map_err(|error| self.failed(&error))?;
            done = to;
        }
        self.keys.base += done;
        self.keys.written += done;
        Ok(done)
    }

    /// Ends a ply: what follows belongs to the next. `words` tell what is known of the ply.
    pub(super) fn seal(&mut self, words: &[u64]) -> Result<(), StorageFault> {
        self.plies += 1;
        if self.streaming {
            self.pour_from(1)?;
            if self.checkpoint.is_some() {
                let sent = self.writer()?.write(tag::PLY, Coding::Plain, words);
                sent.map_err(|error| self.failed(&error))?;
            }
        }
        self.sealed_frames = self.writer.as_ref().map_or(0, FrameWriter::frames);
        self.sealed = self.ends();
        let due = self.checkpoint.as_ref().is_some_and(|checkpoint| {
            let bytes = self.writer.as_ref().map_or(0, FrameWriter::bytes);
            self.opened_at.elapsed() >= checkpoint.pace() || bytes >= SEGMENT_BYTES
        });
        if due { self.close() } else { Ok(()) }
    }

    /// Takes back everything since the last sealed ply.
    pub(super) fn cut(&mut self) -> Result<(), StorageFault> {
        let (record, edges, keys) = self.sealed;
        self.record.cut(record);
        self.edges.cut(edges);
        self.keys.cut(keys);
        let frames = self.sealed_frames;
        let outcome = self.writer.as_mut().map_or(Ok(()), |writer| writer.cut(frames));
        outcome.map_err(|error| self.failed(&error))
    }

    /// Gives back memory that holds nothing.
    pub(super) fn give_back(&mut self) {
        self.record.held.shrink_to_fit();
        self.edges.held.shrink_to_fit();
        self.keys.held.shrink_to_fit();
    }

    /// Writes what is in memory, as far as it is not yet written, and drops it.
    pub(super) fn make_room(&mut self) -> Result<(), StorageFault> {
        if !self.streaming {
            self.streaming = true;
            self.writer()?;
            let (record, edges, _) = self.sealed;
            let writer = self.writer.as_mut().expect("just made");
            let poured = self.record.pour(writer, record, 1);
            let poured = poured.and_then(|()| self.edges.pour(writer, edges, 1));
            self.sealed_frames = writer.frames();
            poured.map_err(|error| self.failed(&error))?;
        }
        self.pour_from(1)?;
        self.record.forget_written();
        self.edges.forget_written();
        Ok(())
    }

    /// Closes the file that is being written: its plies are then durable, and can be read.
    pub(super) fn close(&mut self) -> Result<(), StorageFault> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        assert_eq!(writer.frames(), self.sealed_frames, "a file is closed between plies");
        if self.checkpoint.is_some() && self.plies == self.closed.plies {
            return Ok(());
        }
        let finished = writer.finish(self.scratch.as_mut());
        let (file, frames) = finished.map_err(|error| self.failed(&error))?;
        let source = match &self.checkpoint {
            Some(checkpoint) => Source::Named(checkpoint.plies_path(self.closed.plies)),
            None => Source::Scratch(file),
        };
        self.add(source, &frames);
        self.closed = self.closed.and(self.plies, &frames);
        Ok(())
    }

    /// Takes in the frames of a finished file.
    fn add(&mut self, source: Source, frames: &[Frame]) {
        let at = self.shelf.sources.len();
        self.shelf.sources.push(source);
        for frame in frames {
            self.closed_bytes += frame.size();
            match frame.tag {
                tag::RECORD => self.record.index(at, *frame),
                tag::EDGES => self.edges.index(at, *frame),
                tag::KEYS => self.keys.index(at, *frame),
                _ => {}
            }
        }
    }

    /// Takes in a checkpoint's file, the next one; with it the plies are `closed`. Everything in it
    /// is on disk only.
    pub(super) fn resume(&mut self, path: PathBuf, frames: &[Frame], closed: Whole) {
        self.add(Source::Named(path), frames);
        for run in [&mut self.record, &mut self.keys] {
            (run.base, run.written) = (run.indexed, run.indexed);
        }
        (self.edges.base, self.edges.written) = (self.edges.indexed, self.edges.indexed);
        (self.plies, self.closed) = (closed.plies, closed);
        self.sealed = self.ends();
    }

    /// Record words and edges from these places on, where all of them are in memory.
    pub(super) fn held(&self, (record, edges): (usize, usize)) -> Option<(&[u64], &[u32])> {
        Some((self.record.held_from(record)?, self.edges.held_from(edges)?))
    }

    /// Record words from one place to another.
    pub(super) fn record<'a>(
        &'a mut self,
        from: usize,
        to: usize,
        window: &'a mut Window<u64>,
    ) -> Result<&'a [u64], StorageFault> {
        self.record.slice(&mut self.shelf, from, to, window)
    }

    /// Edges from one place to another.
    pub(super) fn edges<'a>(
        &'a mut self,
        from: usize,
        to: usize,
        window: &'a mut Window<u32>,
    ) -> Result<&'a [u32], StorageFault> {
        self.edges.slice(&mut self.shelf, from, to, window)
    }

    /// Words of keys from one place to another, which lie in finished frames.
    pub(super) fn keys<'a>(
        &'a mut self,
        from: usize,
        to: usize,
        window: &'a mut Window<u64>,
    ) -> Result<&'a [u64], StorageFault> {
        self.keys.slice(&mut self.shelf, from, to, window)
    }
}
