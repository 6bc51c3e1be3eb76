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
use std::time::{Duration, Instant};

use solve::{FORWARD_SHARE, PlyCounts, SweepBackend, Trouble};
use verdict::{Progress, Watch};

use crate::arena::{Arena, Region};
use crate::backend::{Chunk, Plies, Ply, heard, locked};
use crate::batch::{Batch, View};
use crate::fault::{DeviceFault, unfit, unlike};
use crate::joints::OnDevice;
use crate::passes::Params;
use crate::profile::PlyRow;

/// A batch that took longer makes the next chunks smaller, one that took less makes them larger.
const LONG: Duration = Duration::from_millis(150);
const SHORT: Duration = Duration::from_millis(40);
/// Bytes of one scratch buffer, at most.
const MOST_SCRATCH: u64 = 1 << 27;

/// The ply that is being made.
struct Next {
    states: usize,
    /// Slots of the table that are in use; a power of two.
    slots: usize,
}

fn view(arena: &Arena, region: Region) -> View<'_> {
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
            let joints = self.joints(&told, watch)?;
            let count = joints.as_ref().map_or(0, |joints| joints.count);
            self.usual_joints = count.max(1);
            let most = self.chunk_states(count);
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
        batch.run(&passes.unpack, params, &[keys, planes], [across, params.words, 1], moved);
        let moved = bytes(shape.bits + shape.view_rows) / passes.view.len() as u64;
        for piece in &passes.view {
            batch.run(piece, params, &[planes, game, seen, held], [across, 1, 1], moved);
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

    /// Makes the children of a chunk that was just viewed, distinct, and its edges; `live` of its
    /// states have not ended.
    fn make_children(
        &mut self,
        chunk: &mut Chunk,
        (joints, live): (&OnDevice, u32),
        next: &mut Next,
        counts: &mut PlyCounts,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let begun = Instant::now();
        let candidates = 32 * chunk.groups() * joints.count;
        self.make_room(chunk, joints, next, watch)?;
        chunk.edges = self.edges.take(&self.session, 4 * candidates as u64)?;
        let told = self.run_chunk(chunk, joints, next, watch)?;
        self.believe(&told, watch)?;
        let (found, edges) = (told[heard::FOUND], told[heard::EDGES]);
        if found > edges || edges as usize > candidates || edges < live {
            return Err(unlike("the numbers of moves and states do not fit each other"));
        }
        next.states += told[heard::FOUND] as usize;
        counts.edges += u64::from(told[heard::EDGES]);
        for total in 0..=4095u32 {
            let word = told[heard::TOTALS + total as usize / 32];
            if word >> (total % 32) & 1 == 1
                && let Err(place) = counts.totals.binary_search(&total)
            {
                counts.totals.insert(place, total);
            }
        }
        let took = begun.elapsed();
        if took > LONG {
            self.pace.candidates = (self.pace.candidates / 2).max(1 << 12);
        } else if took < SHORT && candidates * 2 > self.pace.candidates {
            self.pace.candidates = (self.pace.candidates * 2).min(1 << 24);
        }
        Ok(())
    }

    /// Reads every flag before anything else is believed.
    fn believe(&mut self, told: &[u32], watch: &Watch<'_>) -> Result<(), Trouble> {
        if told[heard::FULL] != 0 {
            let what = "the table of states overflowed, which its size excludes";
            return Err(DeviceFault::Refused(what.to_owned()).into());
        }
        if told[heard::BROKEN] != 0 {
            return Err(self.flaw(!told[heard::BROKEN] as usize, watch));
        }
        if told[heard::UNEVEN] != 0 {
            return Err(unfit(
                "device-chance-moves",
                "a state has more than 4095 chance moves that differ, or so many of equal effect"
                    .to_owned(),
            ));
        }
        if told[heard::LEVEL] != 0 {
            return Err(Trouble::LevelBroken);
        }
        Ok(())
    }

    /// Makes sure of room for the children of a chunk: buffers, keys and table.
    fn make_room(
        &mut self,
        chunk: &Chunk,
        joints: &OnDevice,
        next: &mut Next,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let (session, shape) = (Arc::clone(&self.session), self.shape);
        let groups = chunk.groups() * joints.count;
        let held = 4 * (joints.held(shape.update_held) * chunk.groups()) as u64;
        let candidates = 32 * groups;
        let bytes = |rows: usize| 4 * (rows * groups) as u64;
        let key_bytes = 4 * shape.words as u64;
        let keys = (next.states + candidates) as u64 * key_bytes;
        // Two thirds full at most, and no more than a tag and a candidate's number can tell apart.
        let slots = ((next.states + candidates) * 3 / 2).next_power_of_two().max(1 << 10);
        let most = session.adapter().binding_bytes;
        if keys > most || 4 * slots as u64 > most || next.states + candidates >= 1 << 30 {
            return Err(self.too_large(keys + 4 * slots as u64));
        }
        let sums = bytes(1) + 4 * groups.div_ceil(64) as u64;
        let edges = 4 * candidates as u64;
        let grown = self.keys[1].size_for(&session, keys) - self.keys[1].bytes()
            + self.scratch.slots.size_for(&session, 4 * slots as u64)
            - self.scratch.slots.bytes()
            + self.edges.growth(edges);
        self.check(watch, grown, FORWARD_SHARE)?;
        let scratch = &mut self.scratch;
        scratch.made.reserve(&session, bytes(shape.bits + 1))?;
        scratch.held.reserve(&session, held)?;
        scratch.candidates.reserve(&session, candidates as u64 * key_bytes)?;
        scratch.masks.reserve(&session, bytes(1))?;
        scratch.owners.reserve(&session, bytes(1))?;
        scratch.sums.reserve(&session, sums)?;
        let before = self.keys[1].reserve(&session, keys)?;
        if slots > next.slots || before.is_some() {
            scratch.slots.reserve(&session, 4 * slots as u64)?;
            let old =
                before.as_ref().map(|memory| (&memory.buffer, next.states as u64 * key_bytes));
            self.renew(slots, old, next, watch)?;
        }
        Ok(())
    }

    /// Copies the states of the next ply from a smaller buffer, where there was one, and puts them
    /// into an empty table.
    fn renew(
        &mut self,
        slots: usize,
        old: Option<(&wgpu::Buffer, u64)>,
        next: &mut Next,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let session = Arc::clone(&self.session);
        let table = View::of(self.scratch.slots.buffer(), 4 * slots as u64);
        let heard_bytes = 4 * self.shape.heard as u64;
        let told = View::of(self.scratch.heard.buffer(), heard_bytes);
        let mut batch = Batch::new(&session);
        if let Some((buffer, bytes)) = old {
            batch.copy(buffer, self.keys[1].buffer(), bytes);
        }
        if slots > next.slots {
            batch.clear(table.buffer, table.bytes);
            batch.clear(told.buffer, heard_bytes);
            let row = next.states.min(1 << 21) as u32;
            let params = Params {
                slots: slots as u32,
                before: next.states as u32,
                states: row,
                ..self.params(0, 0)
            };
            let key_bytes = 4 * (next.states * self.shape.words) as u64;
            let keys = View::of(self.keys[1].buffer(), key_bytes);
            if row > 0 {
                let size = [row, next.states.div_ceil(row as usize) as u32, 1];
                let moved = key_bytes + 4 * next.states as u64;
                batch.run(&self.passes.rehash, params, &[keys, table, told], size, moved);
            }
            next.slots = slots;
        }
        let profile = self.locked_profile();
        let read = [(told.buffer, 0, heard_bytes)];
        let told = batch.finish(&read, watch, &mut locked(&profile))?;
        if next.states > 0 && told[heard::FULL] != 0 {
            let what = "the table of states overflowed, which its size excludes";
            return Err(DeviceFault::Refused(what.to_owned()).into());
        }
        Ok(())
    }

    /// Runs the passes that make children; what they tell.
    fn run_chunk(
        &self,
        chunk: &Chunk,
        joints: &OnDevice,
        next: &Next,
        watch: &Watch<'_>,
    ) -> Result<Vec<u32>, Trouble> {
        let (shape, scratch, passes) = (self.shape, &self.scratch, &self.passes);
        let newest = self.plies.len() - 1;
        let blocks = chunk.groups() * joints.count;
        let bytes = |rows: usize| 4 * (rows * blocks) as u64;
        let of_states = |rows: usize| 4 * (rows * chunk.groups()) as u64;
        let keys_of = |states: usize| 4 * (states * shape.words) as u64;
        let params = Params {
            joints: joints.count as u32,
            slots: next.slots as u32,
            before: next.states as u32,
            level: newest as u32 + 1,
            ..self.params(chunk.first, chunk.states)
        };
        let planes = View::of(scratch.planes.buffer(), of_states(shape.bits));
        let seen = View::of(scratch.seen.buffer(), of_states(shape.view_rows));
        let live = View::of(scratch.live.buffer(), of_states(1));
        let held = View::of(scratch.held.buffer(), of_states(joints.held(shape.update_held)));
        let made = View::of(scratch.made.buffer(), bytes(shape.bits + 1));
        let candidates = View::of(scratch.candidates.buffer(), keys_of(32 * blocks));
        let masks = View::of(scratch.masks.buffer(), bytes(1));
        let owners = View::of(scratch.owners.buffer(), bytes(1));
        let tops = blocks.div_ceil(64);
        let sums = View::of(scratch.sums.buffer(), bytes(1) + 4 * tops as u64);
        let table = View::of(scratch.slots.buffer(), 4 * next.slots as u64);
        let heard_bytes = 4 * shape.heard as u64;
        let told = View::of(scratch.heard.buffer(), heard_bytes);
        let found = View::of(self.keys[1].buffer(), keys_of(next.states + 32 * blocks));
        let edges = view(&self.edges, chunk.edges);
        let infos = view(&self.infos, self.plies[newest].infos.expect("taken before"));
        let rows = view(&self.tables, joints.rows);
        let played = view(&self.tables, joints.played);
        let chances = view(&self.tables, joints.chances);
        let levels = view(&self.tables, self.levels);
        let (groups, count) = (params.groups, params.joints);
        let per_state = [32 * groups, count, 1];
        let slots = 32 * bytes(1);
        let mut batch = Batch::new(&self.session);
        batch.clear(told.buffer, heard_bytes);
        let views = [seen, live, chances, infos, told];
        batch.run(&passes.totals, params, &views, [params.states, 1, 1], 8 * chunk.states as u64);
        let views = [planes, played, made, held];
        let moved = of_states(shape.bits) + bytes(shape.bits + 1);
        match &joints.alone {
            None => {
                let moved = moved / passes.update.len() as u64;
                for piece in &passes.update {
                    batch.run(piece, params, &views, [groups, count, 1], moved);
                }
            }
            Some(updates) => {
                let moved = of_states(2 * shape.bits + 1);
                for (update, joint) in updates.iter().zip(0..) {
                    let params = Params { joints: joint, ..params };
                    for piece in &update.pieces {
                        let moved = moved / update.pieces.len() as u64;
                        batch.run(piece, params, &views, [groups, 1, 1], moved);
                    }
                }
            }
        }
        let views = [made, seen, live, rows, candidates, masks, told];
        let moved = bytes(shape.bits + 2) + candidates.bytes;
        batch.run(&passes.pack, params, &views, [groups, count, params.words], moved);
        let views = [candidates, masks, found, table, edges, told];
        batch.run(&passes.claim, params, &views, per_state, 2 * candidates.bytes + 2 * slots);
        let views = [masks, table, edges, owners, sums];
        batch.run(&passes.rank, params, &views, [groups, count, 1], 2 * slots + bytes(3));
        batch.run(&passes.sum, params, &[sums], [tops as u32, 1, 1], bytes(2));
        batch.run(&passes.total, params, &[sums, told], [1, 1, 1], 8 * tops as u64);
        let views = [candidates, owners, sums, edges, levels, found, table, told];
        batch.run(&passes.scatter, params, &views, per_state, bytes(2) + candidates.bytes);
        batch.run(&passes.resolve, params, &[table, edges], per_state, 3 * slots);
        let profile = self.locked_profile();
        batch.finish(&[(told.buffer, 0, heard_bytes)], watch, &mut locked(&profile))
    }
}
