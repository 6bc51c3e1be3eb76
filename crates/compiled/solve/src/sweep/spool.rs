//! Sequences that are written side by side and then read side by side, each in its own order: a
//! scratch file of their own, gone with the value.
//!
//! It is how a ply that does not fit in memory is cut into parts, and put together again: what is
//! hit at random is in memory part by part, all else only passes by.
//!
//! Costs [`PIECE`] numbers of memory a sequence, in either direction.

use std::path::{Path, PathBuf};

use store::{Coding, Frame, FrameFile, FrameWriter, Framed, Scratch};

use crate::storage::StorageFault;

/// Numbers of a sequence that are written together.
pub(super) const PIECE: usize = 1 << 13;

/// Sequences that are written.
pub(super) struct Spool<T> {
    folder: PathBuf,
    scratch: Scratch,
    writer: FrameWriter,
    coding: Coding,
    buffers: Vec<Vec<T>>,
}

/// Sequences that are read.
pub(super) struct Spooled<T> {
    folder: PathBuf,
    file: FrameFile,
    lanes: Vec<Lane<T>>,
}

struct Lane<T> {
    frames: std::vec::IntoIter<Frame>,
    numbers: Vec<T>,
    at: usize,
}

fn failed(folder: &Path, error: &std::io::Error) -> StorageFault {
    StorageFault::system("use a scratch file in", folder, error)
}

impl<T: Framed> Spool<T> {
    /// Empty sequences in a folder.
    pub(super) fn new(folder: &Path, lanes: usize, coding: Coding) -> Result<Self, StorageFault> {
        let scratch = Scratch::new(folder)
            .map_err(|error| StorageFault::system("make a scratch file in", folder, &error))?;
        let writer = FrameWriter::scratch(&scratch);
        let (folder, buffers) = (folder.to_owned(), vec![Vec::new(); lanes]);
        Ok(Self { folder, scratch, writer, coding, buffers })
    }

    /// Appends numbers to a sequence.
    #[inline]
    pub(super) fn extend(&mut self, lane: usize, numbers: &[T]) -> Result<(), StorageFault> {
        let buffer = &mut self.buffers[lane];
        buffer.extend_from_slice(numbers);
        if buffer.len() >= PIECE {
            let sent = self.writer.write(lane as u32, self.coding, buffer);
            sent.map_err(|error| failed(&self.folder, &error))?;
            buffer.clear();
        }
        Ok(())
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| (buffer.capacity() * size_of::<T>()) as u64).sum()
    }

    /// Bytes written by now.
    pub(super) fn disk_bytes(&self) -> u64 {
        self.writer.bytes()
    }

    /// Ends the sequences.
    pub(super) fn finish(mut self) -> Result<Spooled<T>, StorageFault> {
        for (lane, buffer) in self.buffers.iter().enumerate().filter(|(_, held)| !held.is_empty()) {
            let sent = self.writer.write(lane as u32, self.coding, buffer);
            sent.map_err(|error| failed(&self.folder, &error))?;
        }
        let finished = self.writer.finish(Some(&mut self.scratch));
        let (file, frames) = finished.map_err(|error| failed(&self.folder, &error))?;
        let mut lanes: Vec<Vec<Frame>> = vec![Vec::new(); self.buffers.len()];
        frames.into_iter().for_each(|frame| lanes[frame.tag as usize].push(frame));
        let lane =
            |frames: Vec<Frame>| Lane { frames: frames.into_iter(), numbers: Vec::new(), at: 0 };
        let lanes = lanes.into_iter().map(lane).collect();
        Ok(Spooled { folder: self.folder, file, lanes })
    }
}

impl<T: Framed> Spool<T> {
    /// Ends the only sequence; its file, and its frames in order.
    pub(super) fn finish_one(self) -> Result<(FrameFile, Vec<Frame>), StorageFault> {
        let mut spooled = self.finish()?;
        let lane = spooled.lanes.pop().expect("one sequence");
        assert!(spooled.lanes.is_empty(), "one sequence");
        Ok((spooled.file, lane.frames.collect()))
    }
}

impl<T: Framed> Spooled<T> {
    /// The next numbers of a sequence, some thousand at most; none at its end.
    pub(super) fn piece(&mut self, lane: usize) -> Result<Option<&[T]>, StorageFault> {
        let lane = &mut self.lanes[lane];
        debug_assert_eq!(lane.at, lane.numbers.len(), "a sequence is read by pieces or by numbers");
        let Some(frame) = lane.frames.next() else { return Ok(None) };
        lane.numbers.clear();
        let read = self.file.read(&frame, &mut lane.numbers);
        read.map_err(|error| failed(&self.folder, &error))?;
        lane.at = lane.numbers.len();
        Ok(Some(&lane.numbers))
    }

    /// The next `count` numbers of a sequence, which were written together.
    ///
    /// # Panics
    /// When there are no more.
    #[inline]
    pub(super) fn next(&mut self, lane: usize, count: usize) -> Result<&[T], StorageFault> {
        let lane = &mut self.lanes[lane];
        if lane.at == lane.numbers.len() {
            let frame = lane.frames.next().expect("what is read was written");
            lane.numbers.clear();
            lane.at = 0;
            let read = self.file.read(&frame, &mut lane.numbers);
            read.map_err(|error| failed(&self.folder, &error))?;
        }
        lane.at += count;
        Ok(&lane.numbers[lane.at - count..lane.at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_come_back_each_in_its_order() {
        let folder = std::env::temp_dir();
        let mut spool = Spool::new(&folder, 3, Coding::Steps(2)).expect("begun");
        let lane = |n: u64| (n * n % 3) as usize;
        for n in 0..50_000u64 {
            spool.extend(lane(n), &[n, n ^ 7]).expect("written");
        }
        assert!(spool.disk_bytes() < 1 << 20);
        let mut spooled = spool.finish().expect("finished");
        for n in 0..50_000u64 {
            assert_eq!(spooled.next(lane(n), 2).expect("read"), [n, n ^ 7]);
        }
        assert!((0..3).all(|lane| spooled.piece(lane).expect("read").is_none()));
    }
}
