//! A run of numbers, each addressed by its place in the whole run: the newest in memory, those
//! before in frames.
//!
//! Always: frames of a run follow one another without a gap; what is not in memory is in a finished
//! frame when it is read. It is read in order through a [`Window`], a frame at a time, so that no
//! frame is read twice.

use std::path::PathBuf;

use store::{Coding, Frame, FrameFile, FrameWriter, Framed, HugeVec, Plain};

use crate::storage::StorageFault;

/// Numbers of a frame.
pub(super) const FRAME: usize = 1 << 15;

/// Where frames lie.
#[derive(Clone)]
pub(super) enum Source {
    Scratch(FrameFile),
    Named(PathBuf),
}

/// A run of numbers.
pub(super) struct Run<T: Plain> {
    pub(super) held: HugeVec<T>,
    /// Place of the first number in memory.
    pub(super) base: usize,
    /// Numbers that were handed to the writer.
    pub(super) written: usize,
    /// Numbers in frames that are finished.
    pub(super) indexed: usize,
    /// Finished frames: the place of the first number, the source, the frame.
    frames: Vec<(usize, usize, Frame)>,
    pub(super) coding: Coding,
    pub(super) tag: u32,
}

impl<T: Plain + Framed> Run<T> {
    pub(super) fn new(tag: u32, coding: Coding) -> Self {
        let held = HugeVec::new();
        Self { held, base: 0, written: 0, indexed: 0, frames: Vec::new(), coding, tag }
    }

    pub(super) fn end(&self) -> usize {
        self.base + self.held.len()
    }

    /// Hands numbers up to a place to the writer, in frames of at least `least`.
    pub(super) fn pour(
        &mut self,
        writer: &mut FrameWriter,
        to: usize,
        least: usize,
    ) -> std::io::Result<()> {
        while to - self.written >= least.max(1) {
            let upto = to.min(self.written + FRAME);
            let numbers = &self.held.as_slice()[self.written - self.base..upto - self.base];
            writer.write(self.tag, self.coding, numbers)?;
            self.written = upto;
        }
        Ok(())
    }

    /// Drops from memory what was written.
    pub(super) fn forget_written(&mut self) {
        let count = self.written.saturating_sub(self.base).min(self.held.len());
        self.held.drop_front(count);
        self.base += count;
        self.held.shrink_to_fit();
    }

    pub(super) fn cut(&mut self, end: usize) {
        self.written = self.written.min(end);
        self.base = self.base.min(end);
        self.held.truncate(end - self.base);
    }

    pub(super) fn index(&mut self, source: usize, frame: Frame) {
        self.frames.push((self.indexed, source, frame));
        self.indexed += frame.count as usize;
    }

    /// The numbers from one place on, where they are in memory.
    pub(super) fn held_from(&self, place: usize) -> Option<&[T]> {
        self.held.as_slice().get(place.checked_sub(self.base)?..)
    }

    /// The numbers from one place to another, in memory or through a window.
    pub(super) fn slice<'a>(
        &'a self,
        shelf: &mut Shelf,
        from: usize,
        to: usize,
        window: &'a mut Window<T>,
    ) -> Result<&'a [T], StorageFault> {
        debug_assert!(from <= to && to <= self.end(), "numbers of the run");
        if from >= self.base {
            return Ok(&self.held.as_slice()[from - self.base..to - self.base]);
        }
        window.advance(from);
        while window.end() < to.min(self.base) {
            self.load(shelf, window)?;
        }
        if window.end() < to {
            let held = &self.held.as_slice()[window.end() - self.base..to - self.base];
            window.numbers.extend_from_slice(held);
        }
        Ok(&window.numbers[..to - from])
    }

    /// Appends the frame that holds the place behind a window.
    fn load(&self, shelf: &mut Shelf, window: &mut Window<T>) -> Result<(), StorageFault> {
        let (at, old) = (window.end(), window.numbers.len());
        let next = self.frames.partition_point(|(start, ..)| *start <= at);
        assert!(next > 0, "what is not in memory is in a finished frame");
        let (start, source, frame) = self.frames[next - 1];
        let end = start + frame.count as usize;
        assert!(at < end, "what is not in memory is in a finished frame");
        shelf.read(source, &frame, &mut window.numbers)?;
        assert_eq!(window.numbers.len() - old, frame.count as usize, "a frame is read whole");
        window.numbers.drain(old..old + at - start);
        // What lies beyond the base is read from memory, where it may have been cut since.
        window.numbers.truncate(old + end.min(self.base) - at);
        Ok(())
    }
}

/// A part of a run that is read in order.
#[derive(Default)]
pub(super) struct Window<T> {
    numbers: Vec<T>,
    /// Place of the first of them.
    start: usize,
}

impl<T> Window<T> {
    /// Drops what lies before a place; all, where the place is not in it.
    fn advance(&mut self, from: usize) {
        if from < self.start || from > self.start + self.numbers.len() {
            self.numbers.clear();
        } else {
            self.numbers.drain(..from - self.start);
        }
        self.start = from;
    }

    fn end(&self) -> usize {
        self.start + self.numbers.len()
    }
}

/// The files that frames lie in.
#[derive(Default)]
pub(super) struct Shelf {
    pub(super) sources: Vec<Source>,
    /// The file that was read last.
    opened: Option<(usize, FrameFile)>,
}

impl Shelf {
    fn read<T: Framed>(
        &mut self,
        source: usize,
        frame: &Frame,
        out: &mut Vec<T>,
    ) -> Result<(), StorageFault> {
        let path = match &self.sources[source] {
            Source::Scratch(file) => {
                return file.read(frame, out).map_err(|error| {
                    StorageFault::System(format!("cannot read a scratch file: {error}"))
                });
            }
            Source::Named(path) => path,
        };
        let failed = |error| StorageFault::reading(path, &error);
        if self.opened.as_ref().is_none_or(|(held, _)| *held != source) {
            self.opened = Some((source, FrameFile::reopen(path).map_err(failed)?));
        }
        let (_, file) = self.opened.as_ref().expect("just opened");
        file.read(frame, out).map_err(failed)
    }
}
