//! Blocks of a ply backed up by several threads.
//!
//! The calling thread looks at the limits and finds where the next blocks begin, in the record and
//! among the edges; a thread then reads a stretch of them and writes its own part of the values.
//! Only what is in memory is shared: what was written to disk is read by one thread, as it came.
//!
//! Always: a value is computed from the same children by the same sums on any number of threads.

use std::convert::Infallible;

use kernel::{BLOCK_LANES, Expansion};
use verdict::Watch;

use super::super::record;
use super::super::registers::Children;
use super::super::toss::Toss;
use super::Layers;
use super::fold::{Folder, children};
use crate::backend::{Leaf, Scale, SweepBackend};
use crate::crew::Crew;
use crate::limits::BACKWARD_SHARE;

/// Blocks of a batch, a thread: some milliseconds of work between two looks at the limits.
const BATCH: usize = 64;
/// Stretches of a batch, a thread: the last one is short beside all.
const STRETCHES: usize = 8;
/// Blocks of a ply, times words of a value, below which threads cost more than they bring.
const FEW_WORDS: usize = 8;

/// Threads with what each of them needs for a ply.
pub(super) struct Team {
    pub(super) crew: Crew,
    workers: Vec<Worker>,
}

struct Worker {
    found: Expansion,
    folder: Folder,
}

/// Some blocks that follow one another.
struct Stretch<'a> {
    blocks: usize,
    record: &'a [u64],
    edges: &'a [u32],
}

/// Blocks that are backed up together.
pub(super) struct Batch<'a> {
    stretches: Vec<Stretch<'a>>,
    /// Number of blocks, words of their record, and edges.
    pub(super) blocks: usize,
    pub(super) record: usize,
    pub(super) edges: usize,
}

/// What all threads read.
pub(super) struct Common<'a> {
    pub(super) toss: Option<&'a Toss>,
    pub(super) scale: &'a Scale,
    /// Values of the children, and words of one.
    pub(super) below: (&'a [u64], usize),
}

impl Team {
    /// Backs up a batch; its values go to `out`.
    pub(super) fn back_up(&mut self, batch: Batch<'_>, common: &Common<'_>, out: &mut [u64]) {
        let (limbs, mut rest) = (common.scale.limbs, out);
        let mut tasks = Vec::with_capacity(batch.stretches.len());
        for stretch in batch.stretches {
            let words = rest.len().min(stretch.blocks * BLOCK_LANES * limbs);
            let (own, others) = rest.split_at_mut(words);
            tasks.push((stretch, own));
            rest = others;
        }
        assert!(rest.is_empty(), "a batch is backed up whole");
        let done = self.crew.share(&mut self.workers, tasks, |worker, (stretch, own)| {
            worker.back_up(&stretch, common, own);
            Ok::<_, Infallible>(())
        });
        assert!(done.is_ok(), "nothing fails");
    }
}

impl Worker {
    fn back_up(&mut self, stretch: &Stretch<'_>, common: &Common<'_>, out: &mut [u64]) {
        let Common { toss, scale, below: (values, limbs) } = *common;
        let (mut record, mut edges) = (stretch.record, stretch.edges);
        for out in out.chunks_mut(BLOCK_LANES * scale.limbs) {
            let (shown, later) = record.split_at(record::length(record));
            let lanes = record::read(shown, &mut self.found);
            assert_eq!(lanes * scale.limbs, out.len(), "a value a state");
            let count = children(&self.found) * outcomes(toss);
            let (ids, others) = edges.split_at(count);
            self.folder.fold(&self.found, toss, scale, &Children { values, limbs, ids }, None);
            self.folder.write(&self.found, Leaf::Expanded, scale, out);
            (record, edges) = (later, others);
        }
        assert!(record.is_empty() && edges.is_empty(), "each edge is read once");
    }
}

/// Number of children in the next ply for each state that a joint move leads to.
fn outcomes(toss: Option<&Toss>) -> usize {
    toss.map_or(1, |toss| toss.weights.len())
}

impl<const W: usize> Layers<W> {
    /// Threads for the values of an expanded ply, where they bring something and there is room for
    /// what they need beside `held` bytes.
    pub(super) fn team(
        &mut self,
        ply: usize,
        scale: &Scale,
        held: u64,
        watch: &Watch<'_>,
    ) -> Option<Team> {
        let blocks = self.blocks(ply);
        if blocks < 2 || blocks * scale.limbs < FEW_WORDS {
            return None;
        }
        let crew = self.crew.take().unwrap_or_else(|| Crew::new(self.threads, usize::MAX));
        let threads = crew.threads().min(blocks);
        let needed = self.bytes() + held + threads as u64 * Folder::bytes(scale);
        if threads == 1 || self.limits.met(watch, needed, BACKWARD_SHARE).is_some() {
            self.crew = Some(crew);
            return None;
        }
        let worker = || Worker { found: Expansion::default(), folder: Folder::new(scale) };
        Some(Team { workers: (0..threads).map(|_| worker()).collect(), crew })
    }

    /// The blocks of an expanded ply from one on, whose record and edges begin at these places;
    /// `None` where they are not in memory.
    pub(super) fn batch(
        &self,
        ply: usize,
        block: usize,
        places: (usize, usize),
        team: &Team,
    ) -> Option<Batch<'_>> {
        let (mut record, mut edges) = self.trail.held(places)?;
        let outcomes = outcomes(self.plies[ply].toss.as_ref());
        let blocks = (self.blocks(ply) - block).min(BATCH * team.workers.len());
        let each = blocks.div_ceil(STRETCHES * team.workers.len());
        let mut batch = Batch { stretches: Vec::new(), blocks, record: 0, edges: 0 };
        for from in (0..blocks).step_by(each) {
            let own = each.min(blocks - from);
            let (mut words, mut ids) = (0, 0);
            for _ in 0..own {
                let shown = &record[words..];
                let length = record::length(shown);
                ids += record::children(&shown[..length]) * outcomes;
                words += length;
            }
            let (shown, later) = record.split_at(words);
            let (read, others) = edges.split_at(ids);
            batch.stretches.push(Stretch { blocks: own, record: shown, edges: read });
            (batch.record, batch.edges) = (batch.record + words, batch.edges + ids);
            (record, edges) = (later, others);
        }
        Some(batch)
    }
}
