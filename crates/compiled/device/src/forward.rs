//! The forward pass over the newest ply, chunk by chunk.
//!
//! A chunk first tells which moves are legal somewhere in it and what is wrong with its states; then
//! its joint moves are listed, the update runs under each, and the children are made distinct:
//!
//! 1. `unpack`, the view, `deal`, `classes`: legality, ends, payments, chance moves that go together;
//! 2. `totals`, the update, `pack`: children as candidates, a slot for each joint move;
//! 3. `claim`, `rank`, `sum`, `total`, `scatter`, `resolve`: equal candidates share a slot of a table,
//!    the first of each is a new state, and edges become numbers of states.
//!
//! The table outlives the chunk, so that plies can be cut anywhere. Where one buffer does not hold the
//! next ply, 3 is done part by part ([`crate::parts`]); where keys are dense, a bitmap takes the place of
//! the table ([`crate::dense`]).

use std::time::Instant;

use solve::{FORWARD_SHARE, PlyCounts, SweepBackend, Trouble};
use verdict::{Progress, Watch};

use crate::arena::{Arena, Grown, Region};
use crate::backend::{Chunk, Plies, Ply, heard, locked};
use crate::batch::{Batch, View};
use crate::distinct::Place;
use crate::fault::unlike;
use crate::parts::{Crowded, NextPart};
use crate::profile::PlyRow;
use crate::stream::{Stage, Waiting};

/// Bytes of one scratch buffer, at most.
const MOST_SCRATCH: u64 = 1 << 27;

pub(crate) fn view(arena: &Arena, region: Region) -> View<'_> {
    let (buffer, offset) = arena.place(region);
    View { buffer, offset, bytes: region.bytes }
}

impl Plies {
    /// Begins a row of the profile.
    pub(crate) fn begin_row(&self, ply: usize, is_backward: bool) {
        let parts = self.plies[ply].parts.len();
        let row = PlyRow { ply, is_backward, parts, ..PlyRow::default() };
        locked(&self.profile).plies.push(row);
    }

    /// Ends it.
    pub(crate) fn end_row(&self, begun: Instant, states: u64, edges: u64, limbs: usize) {
        if let Some(row) = locked(&self.profile).plies.last_mut() {
            (row.states, row.edges, row.limbs, row.time) = (states, edges, limbs, begun.elapsed());
        }
    }

    /// Expands the newest ply into a new one, in as many parts as it needs.
    pub(crate) fn grow(&mut self, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        let newest = self.plies.len() - 1;
        self.take_infos(watch)?;
        let mark = self.edges.mark();
        let mut count = self.likely_parts();
        self.marking = self.bitmap();
        let (counts, next) = loop {
            let mut next = vec![NextPart::default(); count];
            let mut counts = PlyCounts { steps: 1, ..PlyCounts::default() };
            match self.expand(&mut next, &mut counts, watch)? {
                Ok(()) => break (counts, next),
                Err(_) if self.marking.is_some() => {
                    self.marking = None;
                    self.edges.cut(mark);
                    self.plies[newest].chunks.clear();
                }
                Err(_) if 2 * count <= self.part_size.most_parts() => {
                    count *= 2;
                    self.edges.cut(mark);
                    self.plies[newest].chunks.clear();
                }
                Err(crowded) => return Err(self.too_large(crowded.bytes)),
            }
        };
        self.plies[newest].is_expanded = true;
        self.plies[newest].totals = counts.totals.clone();
        self.plies[newest].edges = counts.edges;
        self.keys.swap(0, 1);
        self.plies.push(Ply::of(next.iter().map(|part| part.states)));
        Ok(counts)
    }

    /// In how many parts the next ply is begun: as many as the newest one has, or half as many where
    /// its states are far fewer than that.
    fn likely_parts(&self) -> usize {
        let newest = &self.plies[self.plies.len() - 1];
        let is_roomy = 8 * newest.states < newest.parts.len() * self.part_size.stride();
        let parts = if is_roomy { newest.parts.len() / 2 } else { newest.parts.len() };
        parts.max(1)
    }

    /// Expands all chunks of the newest ply, unless a part has no room.
    fn expand(
        &mut self,
        next: &mut [NextPart],
        counts: &mut PlyCounts,
        watch: &Watch<'_>,
    ) -> Result<Result<(), Crowded>, Trouble> {
        self.keys[1].resize_with(next.len(), Grown::default);
        self.scratch.slots.resize_with(next.len(), Grown::default);
        if let Some(bitmap) = self.marking {
            self.begin_marks(bitmap, watch)?;
        }
        let newest = self.plies.len() - 1;
        for part in 0..self.plies[newest].parts.len() {
            let mut first = 0;
            while first < self.plies[newest].parts[part].states {
                self.check(watch, 0, FORWARD_SHARE)?;
                self.tell(counts.states, watch);
                match self.expand_chunk((part, first), next, counts, watch)? {
                    Ok(states) => first += states,
                    Err(crowded) => return Ok(Err(crowded)),
                }
            }
        }
        match self.marking {
            Some(bitmap) => self.number_marks(bitmap, &mut next[0], counts.edges, watch),
            None => Ok(Ok(())),
        }
    }

    /// Looks at the newest ply without expanding it.
    pub(crate) fn look(&mut self, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        self.take_infos(watch)?;
        let mut counts = PlyCounts::default();
        let parts = self.plies[self.plies.len() - 1].parts.clone();
        for (at, part) in parts.iter().enumerate() {
            let mut first = 0;
            while first < part.states {
                self.check(watch, 0, FORWARD_SHARE)?;
                let size = self.chunk_states(1).min(part.states - first);
                let told = self.see((at, first), size, watch)?;
                self.add_seen(&told, size, &mut counts);
                first += size;
            }
        }
        Ok(counts)
    }

    /// Room for a word a state of the newest ply.
    fn take_infos(&mut self, watch: &Watch<'_>) -> Result<(), Trouble> {
        self.stream.stage = Stage::Forward;
        let newest = self.plies.len() - 1;
        for part in 0..self.plies[newest].parts.len() {
            let one = self.plies[newest].parts[part];
            match one.infos {
                Some(infos) => {
                    self.bring(Waiting::Infos, infos, watch)?;
                    self.infos.write(infos);
                }
                None => {
                    let bytes = 4 * one.states as u64;
                    self.check(watch, self.infos.growth(bytes), FORWARD_SHARE)?;
                    let infos = self.infos.take(&self.session, bytes)?;
                    self.plies[newest].parts[part].infos = Some(infos);
                }
            }
        }
        Ok(())
    }

    fn tell(&self, states: u64, watch: &Watch<'_>) {
        let bytes = self.bytes();
        (watch.progress)(&Progress { states, bytes, ..Progress::default() });
    }

    /// Bytes of one scratch buffer, at most: on a device that holds little, a small part of that.
    pub(crate) fn most_scratch(&self) -> u64 {
        let seen = self.session.adapter().binding_bytes;
        MOST_SCRATCH.min(seen).min(self.stream.scratch_bytes())
    }

    /// States of a chunk with so many joint moves, by the pace and the limits of buffers.
    pub(crate) fn chunk_states(&self, joints: usize) -> usize {
        let most = self.most_scratch();
        let shape = &self.shape;
        // Bytes of the largest scratch buffer, for 32 candidates.
        let rows = (shape.bits + 1).max(shape.update_held).max(32 * shape.words);
        let by_bytes = most / (4 * rows as u64) / joints.max(1) as u64;
        let rows = shape.view_rows.max(shape.view_held).max(1);
        let by_view = most / (4 * rows as u64);
        let by_pace = (self.pace.candidates / 32 / joints.max(1)) as u64;
        // A dispatch has at most 65,535 workgroups in a row.
        let groups = by_bytes.min(by_view).min(by_pace).clamp(1, 1 << 15);
        32 * groups as usize
    }

    /// Expands a chunk of a part from `first` on; its number of states.
    fn expand_chunk(
        &mut self,
        (part, first): (usize, usize),
        next: &mut [NextPart],
        counts: &mut PlyCounts,
        watch: &Watch<'_>,
    ) -> Result<Result<usize, Crowded>, Trouble> {
        let newest = self.plies.len() - 1;
        let left = self.plies[newest].parts[part].states - first;
        let mut size = self.chunk_states(self.usual_joints).min(left);
        let (told, joints) = loop {
            let told = self.see((part, first), size, watch)?;
            // Fewer states have fewer moves among them, and less room is then needed at once.
            let half = (size / 2).next_multiple_of(32);
            let joints = match self.joints(&told, watch)? {
                Ok(joints) => joints,
                Err(_) if half < size => {
                    size = half;
                    continue;
                }
                Err(many) => return Err(many.refused()),
            };
            let count = joints.as_ref().map_or(0, |joints| joints.count);
            self.usual_joints = count.max(1);
            let most = match self.place_for(next, size.div_ceil(32), joints.as_deref()) {
                Place::There => self.chunk_states(count),
                Place::ForFewer(_) if half < size => half,
                Place::ForFewer(bytes) => return Err(self.too_large(bytes)),
                Place::Crowded(crowded) => return Ok(Err(crowded)),
            };
            if size <= most {
                break (told, joints);
            }
            size = most;
        };
        let ended = told[heard::TERMINAL] as usize;
        if ended > size || (joints.is_none() && ended < size) {
            return Err(unlike("states without a move have not ended"));
        }
        self.add_seen(&told, size, counts);
        let mut chunk = Chunk { part, first, states: size, joints, edges: Region::default() };
        if let Some(joints) = chunk.joints.clone() {
            let live = (size - ended) as u32;
            self.make_children(&mut chunk, (&joints, live), next, counts, watch)?;
        }
        self.plies[newest].chunks.push(chunk);
        Ok(Ok(size))
    }

    fn add_seen(&self, told: &[u32], states: usize, counts: &mut PlyCounts) {
        counts.states += states as u64;
        counts.terminal += u64::from(told[heard::TERMINAL]);
        counts.decisions += u64::from(told[heard::DECISIONS]);
        counts.simultaneous |= told[heard::SIMULTANEOUS] != 0;
    }

    /// Views a chunk; what it tells.
    fn see(
        &mut self,
        (part, first): (usize, usize),
        states: usize,
        watch: &Watch<'_>,
    ) -> Result<Vec<u32>, Trouble> {
        self.reserve_views(states, watch)?;
        let key_bytes = 4 * ((first + states) * self.shape.words) as u64;
        let keys = View::of(self.keys[0][part].buffer(), key_bytes);
        let newest = self.plies.len() - 1;
        let infos = self.plies[newest].parts[part].infos.expect("taken before");
        let infos = view(&self.infos, infos);
        let mut batch = Batch::new(&self.session);
        self.record_views(&mut batch, self.params(first, states), keys, infos);
        let read = [(self.scratch.heard.buffer(), 0, 4 * self.shape.heard as u64)];
        let profile = self.locked_profile();
        let told = batch.finish(&read, watch, &mut locked(&profile))?;
        match told[heard::FLAWED] {
            0 => Ok(told),
            flawed => Err(self.flaw(part, !flawed as usize, watch)),
        }
    }
}
