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
//! The table outlives the chunk, so that plies can be cut anywhere. It has room for every candidate
//! of the chunk beside all states found before, and is made anew, larger, where it has not.

use std::sync::Arc;
use std::time::Instant;

use solve::{FORWARD_SHARE, PlyCounts, SweepBackend, Trouble};
use verdict::{Progress, Watch};

use crate::arena::{Arena, Grown, Region};
use crate::backend::{Chunk, Plies, Ply, heard, locked};
use crate::batch::{Batch, View};
use crate::fault::unlike;
use crate::joints::OnCall;
use crate::passes::Params;
use crate::profile::PlyRow;

/// Bytes of one scratch buffer, at most.
const MOST_SCRATCH: u64 = 1 << 27;

/// The ply that is being made.
pub(crate) struct Next {
    pub(crate) states: usize,
    /// Slots of the table that are in use; a power of two.
    pub(crate) slots: usize,
}

pub(crate) fn view(arena: &Arena, region: Region) -> View<'_> {
    let (buffer, offset) = arena.place(region);
    View { buffer, offset, bytes: region.bytes }
}

impl Plies {
    /// Begins a row of the profile.
    pub(crate) fn begin_row(&self, ply: usize, is_backward: bool) {
        locked(&self.profile).plies.push(PlyRow { ply, is_backward, ..PlyRow::default() });
    }

    /// Ends it.
    pub(crate) fn end_row(&self, begun: Instant, states: u64, edges: u64, limbs: usize) {
        if let Some(row) = locked(&self.profile).plies.last_mut() {
            (row.states, row.edges, row.limbs, row.time) = (states, edges, limbs, begun.elapsed());
        }
    }

    /// Expands the newest ply into a new one.
    pub(crate) fn grow(&mut self, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        let newest = self.plies.len() - 1;
        let states = self.plies[newest].states;
        let infos = self.take_infos(states, watch)?;
        self.plies[newest].infos = Some(infos);
        let mut counts = PlyCounts { steps: 1, ..PlyCounts::default() };
        let mut next = Next { states: 0, slots: 0 };
        let mut first = 0;
        while first < states {
            self.check(watch, 0, FORWARD_SHARE)?;
            self.tell(first, watch);
            first += self.expand_chunk(first, &mut next, &mut counts, watch)?;
        }
        self.plies[newest].is_expanded = true;
        self.plies[newest].totals = counts.totals.clone();
        self.plies[newest].edges = counts.edges;
        self.keys.swap(0, 1);
        self.plies.push(Ply { states: next.states, ..Ply::default() });
        Ok(counts)
    }

    /// Looks at the newest ply without expanding it.
    pub(crate) fn look(&mut self, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        let newest = self.plies.len() - 1;
        let states = self.plies[newest].states;
        let infos = match self.plies[newest].infos {
            Some(infos) => infos,
            None => self.take_infos(states, watch)?,
        };
        let mut counts = PlyCounts::default();
        let mut first = 0;
        while first < states {
            self.check(watch, 0, FORWARD_SHARE)?;
            let size = self.chunk_states(1).min(states - first);
            let told = self.see(first, size, infos, watch)?;
            self.add_seen(&told, size, &mut counts);
            first += size;
        }
        self.plies[newest].infos = Some(infos);
        Ok(counts)
    }

    fn take_infos(&mut self, states: usize, watch: &Watch<'_>) -> Result<Region, Trouble> {
        let bytes = 4 * states as u64;
        if bytes > self.session.adapter().binding_bytes {
            return Err(self.too_large(bytes));
        }
        self.check(watch, self.infos.growth(bytes), FORWARD_SHARE)?;
        self.infos.take(&self.session, bytes)
    }

    fn tell(&self, states: usize, watch: &Watch<'_>) {
        let bytes = self.bytes();
        (watch.progress)(&Progress { states: states as u64, bytes, ..Progress::default() });
    }

    /// States of a chunk with so many joint moves, by the pace and the limits of buffers.
    fn chunk_states(&self, joints: usize) -> usize {
        let adapter = self.session.adapter();
        let most = MOST_SCRATCH.min(adapter.binding_bytes);
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

    /// Expands a chunk from `first` on; its number of states.
    fn expand_chunk(
        &mut self,
        first: usize,
        next: &mut Next,
        counts: &mut PlyCounts,
        watch: &Watch<'_>,
    ) -> Result<usize, Trouble> {
        let newest = self.plies.len() - 1;
        let infos = self.plies[newest].infos.expect("taken before");
        let left = self.plies[newest].states - first;
        let mut size = self.chunk_states(self.usual_joints).min(left);
        let (told, joints) = loop {
            let told = self.see(first, size, infos, watch)?;
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
            let candidates = count * 32 * size.div_ceil(32);
            let most = match self.room(next.states, candidates) {
                Err(_) if half < size => half,
                Err(bytes) => return Err(self.too_large(bytes)),
                Ok(_) => self.chunk_states(count),
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
        let mut chunk = Chunk { first, states: size, joints, edges: Region::default() };
        if let Some(joints) = chunk.joints.clone() {
            let live = (size - ended) as u32;
            self.make_children(&mut chunk, (&joints, live), next, counts, watch)?;
        }
        self.plies[newest].chunks.push(chunk);
        Ok(size)
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
        first: usize,
        states: usize,
        infos: Region,
        watch: &Watch<'_>,
    ) -> Result<Vec<u32>, Trouble> {
        let (session, shape) = (Arc::clone(&self.session), self.shape);
        let groups = states.div_ceil(32);
        let bytes = |rows: usize| 4 * (rows * groups) as u64;
        let scratch = &self.scratch;
        let more = |old: &Grown, bytes: u64| old.size_for(&session, bytes) - old.bytes();
        let grown = more(&scratch.planes, bytes(shape.bits))
            + more(&scratch.seen, bytes(shape.view_rows))
            + more(&scratch.held, bytes(shape.view_held))
            + more(&scratch.live, bytes(1));
        self.check(watch, grown, FORWARD_SHARE)?;
        let scratch = &mut self.scratch;
        scratch.planes.reserve(&session, bytes(shape.bits))?;
        scratch.seen.reserve(&session, bytes(shape.view_rows))?;
        scratch.held.reserve(&session, bytes(shape.view_held))?;
        scratch.live.reserve(&session, bytes(1))?;
        let scratch = &self.scratch;
        let planes = View::of(scratch.planes.buffer(), bytes(shape.bits));
        let seen = View::of(scratch.seen.buffer(), bytes(shape.view_rows));
        let held = View::of(scratch.held.buffer(), bytes(shape.view_held));
        let live = View::of(scratch.live.buffer(), bytes(1));
        let heard_bytes = 4 * shape.heard as u64;
        let told = View::of(scratch.heard.buffer(), heard_bytes);
        let game = view(&self.tables, self.game);
        let key_bytes = 4 * ((first + states) * shape.words) as u64;
        let keys = View::of(self.keys[0].buffer(), key_bytes);
        let infos = view(&self.infos, infos);
        let params = self.params(first, states);
        let (across, passes) = (params.groups, &self.passes);
        let mut batch = Batch::new(&session);
        batch.clear(told.buffer, heard_bytes);
        let moved = 4 * (states * shape.words) as u64 + bytes(shape.bits);
        if !self.view.as_ref().is_some_and(OnCall::is_tables) {
            let size = [across, params.words, 1];
            batch.run(&passes.unpack, params, &[keys, planes], size, moved);
        }
        let moved = bytes(shape.bits + shape.view_rows);
        match &self.view {
            None => {
                let moved = moved / passes.view.len() as u64;
                for piece in &passes.view {
                    batch.run(piece, params, &[planes, game, seen, held], [across, 1, 1], moved);
                }
            }
            Some(OnCall::Tables(tables)) => {
                let rows = shape.view_rows;
                let views = [keys, view(&self.tables, *tables), seen];
                let size = [across, rows.div_ceil(32) as u32, 1];
                let moved = 4 * (states * shape.words) as u64 + bytes(rows);
                let params = Params { bits: rows as u32, ..params };
                batch.run(&passes.peek, params, &views, size, moved);
            }
            Some(OnCall::Tape(tape, _)) => {
                let views = [planes, game, view(&self.tables, *tape), seen, held];
                batch.run(&passes.tape, params, &views, [across, 1, 1], moved);
            }
        }
        let moved = bytes(shape.view_rows + 1) + 4 * states as u64;
        batch.run(&passes.deal, params, &[seen, game, told, infos, live], [across, 1, 1], moved);
        if self.seating.classes() > 0 {
            let views = [seen, live, game, told];
            batch.run(&passes.classes, params, &views, [across, 1, 1], bytes(2));
        }
        let profile = self.locked_profile();
        let told = batch.finish(&[(told.buffer, 0, heard_bytes)], watch, &mut locked(&profile))?;
        match told[heard::FLAWED] {
            0 => Ok(told),
            flawed => Err(self.flaw(!flawed as usize, watch)),
        }
    }
}
