//! The entries of one layer on their way to a file: collected in any order, handed out by key.
//!
//! An entry is a row of words: key, numerator, and the number of its choice. Rows stay in memory up
//! to a budget; beyond it, sorted runs go to a scratch file and are merged. Costs the budget and
//! four bytes an entry of it, however many entries there are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::path::{Path, PathBuf};

use store::{Coding, Frame, FrameFile, FrameWriter, Scratch};

use crate::block::key_order;

/// Rows of a frame of a run.
const FRAME_ROWS: usize = 4096;

/// Rows of one layer.
pub(crate) struct Rows {
    /// Words of a row, and of the key that it begins with.
    row: usize,
    key: usize,
    held: Vec<u64>,
    budget: u64,
    folder: PathBuf,
    scratch: Option<Scratch>,
    runs: Vec<(FrameFile, Vec<Frame>)>,
    count: u64,
}

impl Rows {
    /// No rows; `budget` bytes of them stay in memory.
    pub(crate) fn new(key: usize, limbs: usize, budget: u64, folder: &Path) -> Self {
        Self {
            row: key + limbs + 1,
            key,
            held: Vec::new(),
            budget,
            folder: folder.to_owned(),
            scratch: None,
            runs: Vec::new(),
            count: 0,
        }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> u64 {
        self.count
    }

    /// Bytes of the rows in memory, and of what sorts them.
    pub(crate) fn held_bytes(&self) -> u64 {
        (8 * self.held.capacity() + 4 * self.held.len() / self.row) as u64
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, key: &[u64], numerator: &[u64], choice: u32) -> io::Result<()> {
        debug_assert_eq!(key.len() + numerator.len() + 1, self.row, "the words of a row");
        if !self.held.is_empty() && 8 * (self.held.len() + self.row) as u64 > self.budget {
            self.spill()?;
        }
        self.held.extend_from_slice(key);
        self.held.extend_from_slice(numerator);
        self.held.push(choice.into());
        self.count += 1;
        Ok(())
    }

    /// The rows in memory by key.
    fn order(&self) -> Vec<u32> {
        let key = |at: &u32| &self.held[*at as usize * self.row..][..self.key];
        let mut order: Vec<u32> = (0..(self.held.len() / self.row) as u32).collect();
        match self.key {
            1 => order.sort_unstable_by_key(|at| key(at)[0]),
            _ => order.sort_unstable_by(|left, right| key_order(key(left), key(right))),
        }
        order
    }

    fn in_memory(&self, at: u32) -> &[u64] {
        &self.held[at as usize * self.row..][..self.row]
    }

    /// Writes the rows in memory as a run.
    fn spill(&mut self) -> io::Result<()> {
        if self.scratch.is_none() {
            self.scratch = Some(Scratch::new(&self.folder)?);
        }
        let scratch = self.scratch.as_ref().expect("just made");
        let mut writer = FrameWriter::scratch(scratch);
        let order = self.order();
        let mut rows: Vec<u64> = Vec::new();
        for part in order.chunks(FRAME_ROWS) {
            rows.clear();
            part.iter().for_each(|at| rows.extend_from_slice(self.in_memory(*at)));
            writer.write(0, Coding::Plain, &rows)?;
        }
        self.runs.push(writer.finish(self.scratch.as_mut())?);
        self.held.clear();
        Ok(())
    }

    /// Hands out all rows by ascending key.
    pub(crate) fn drain(
        mut self,
        mut each: impl FnMut(&[u64]) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.runs.is_empty() {
            let order = self.order();
            return order.into_iter().try_for_each(|at| each(self.in_memory(at)));
        }
        if !self.held.is_empty() {
            self.spill()?;
        }
        self.held = Vec::new();
        let mut runs: Vec<Run> = Vec::new();
        let mut heap = BinaryHeap::new();
        for (at, (file, frames)) in self.runs.into_iter().enumerate() {
            let mut run =
                Run { file, frames: frames.into_iter(), row: self.row, rows: Vec::new(), at: 0 };
            if let Some(row) = run.next()? {
                heap.push(Reverse((row[..self.key].to_vec(), at)));
            }
            runs.push(run);
        }
        while let Some(Reverse((_, at))) = heap.pop() {
            let run = &mut runs[at];
            each(run.current())?;
            if let Some(row) = run.next()? {
                heap.push(Reverse((row[..self.key].to_vec(), at)));
            }
        }
        Ok(())
    }
}

/// A run that is read.
struct Run {
    file: FrameFile,
    frames: std::vec::IntoIter<Frame>,
    row: usize,
    rows: Vec<u64>,
    /// Words behind the row that was handed out last.
    at: usize,
}

impl Run {
    fn next(&mut self) -> io::Result<Option<&[u64]>> {
        if self.at == self.rows.len() {
            let Some(frame) = self.frames.next() else { return Ok(None) };
            self.rows.clear();
            self.file.read(&frame, &mut self.rows)?;
            self.at = 0;
        }
        self.at += self.row;
        Ok(Some(self.current()))
    }

    fn current(&self) -> &[u64] {
        &self.rows[self.at - self.row..self.at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_out_by_key_in_memory_and_through_runs() {
        for budget in [1 << 30, 40_000, 8000] {
            let mut rows = Rows::new(2, 1, budget, &std::env::temp_dir());
            for n in 0..3000u64 {
                let mixed = n * 7919 % 3001;
                rows.push(&[mixed / 10, mixed], &[mixed * mixed], mixed as u32 % 7).expect("taken");
            }
            assert_eq!(rows.len(), 3000);
            let mut last = None;
            let mut count = 0;
            rows.drain(|row| {
                let mixed = row[1];
                assert!(last < Some(mixed), "ascending");
                assert_eq!(row, [mixed / 10, mixed, mixed * mixed, mixed % 7]);
                (last, count) = (Some(mixed), count + 1);
                Ok(())
            })
            .expect("read back");
            assert_eq!(count, 3000);
        }
    }
}
