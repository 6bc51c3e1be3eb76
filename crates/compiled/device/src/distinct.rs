//! Children made distinct, and numbered: room for them, and the passes that do it, part by part.
//!
//! A table has room for every candidate of a chunk beside all states that its part found before, and
//! is made anew, larger, where it has not. Which part a candidate belongs to is not known before it is
//! made, so that each part has room for all of them.

use std::sync::Arc;

use solve::{FORWARD_SHARE, Trouble};
use verdict::Watch;

use crate::arena::Grown;
use crate::backend::{Chunk, Plies, heard, locked};
use crate::batch::{Batch, View};
use crate::fault::DeviceFault;
use crate::forward::view;
use crate::joints::OnDevice;
use crate::parts::{Crowded, NextPart, states_of};
use crate::passes::Params;

/// Part of a part's states that the candidates of a chunk may be, where less than all states of the
/// chunk can be taken: their room is kept free in all parts.
const MOST_OF_PART: usize = 8;

/// Whether there is a place for the children of a chunk.
pub(crate) enum Place {
    There,
    /// For those of fewer states there may be; else a buffer would need so many bytes.
    ForFewer(u64),
    /// Not in so few parts.
    Crowded(Crowded),
}

/// Bytes that a chunk needs while its children are made.
#[derive(Clone, Copy, Debug)]
struct Needs {
    /// Planes of the children.
    made: u64,
    /// What pieces of updates hand each other.
    held: u64,
    /// Keys of the children.
    candidates: u64,
    /// A bit a candidate.
    masks: u64,
    sums: u64,
    edges: u64,
}

impl Needs {
    fn largest(&self) -> u64 {
        self.made.max(self.held).max(self.candidates).max(self.edges)
    }
}

impl Plies {
    fn needs(&self, groups: usize, joints: &OnDevice) -> Needs {
        let shape = self.shape;
        let blocks = groups * joints.count;
        let bytes = |rows: usize| 4 * (rows * blocks) as u64;
        Needs {
            made: if joints.by_tables() { 4 } else { bytes(shape.bits + 1) },
            held: 4 * (joints.held(shape.update_held) * groups) as u64,
            candidates: bytes(32 * shape.words),
            masks: bytes(1),
            sums: bytes(1) + 4 * blocks.div_ceil(64) as u64,
            edges: bytes(32),
        }
    }

    /// Whether buffers can hold the children of so many groups of states.
    pub(crate) fn place_for(
        &self,
        next: &[NextPart],
        groups: usize,
        joints: Option<&OnDevice>,
    ) -> Place {
        let Some(joints) = joints else { return Place::There };
        let largest = self.needs(groups, joints).largest();
        if largest > self.session.adapter().binding_bytes {
            return Place::ForFewer(largest);
        }
        if self.marking.is_some() {
            return Place::There;
        }
        let candidates = 32 * groups * joints.count;
        let lack = next.iter().find_map(|part| self.part_size.room(part.states, candidates).err());
        let stride = self.part_size.stride();
        let is_much = candidates > stride / MOST_OF_PART;
        match lack {
            // More parts do not help where one alone does not hold them.
            Some(bytes) if candidates > stride => Place::ForFewer(bytes),
            Some(bytes) if is_much && groups > 1 => Place::ForFewer(bytes),
            Some(bytes) => Place::Crowded(Crowded { bytes }),
            None if is_much && next.len() > 1 && groups > 1 => Place::ForFewer(largest),
            None => Place::There,
        }
    }

    /// Makes sure of room for the children of a chunk: buffers, keys and tables.
    pub(crate) fn make_room(
        &mut self,
        chunk: &Chunk,
        joints: &OnDevice,
        next: &mut [NextPart],
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let session = Arc::clone(&self.session);
        let needs = self.needs(chunk.groups(), joints);
        let candidates = 32 * chunk.groups() * joints.count;
        let room = |part: &NextPart| self.part_size.room(part.states, candidates);
        // Marks need no room for keys before they are counted.
        let parts = if self.marking.is_some() { &next[..0] } else { &next[..] };
        let rooms: Result<Vec<(u64, usize)>, u64> = parts.iter().map(room).collect();
        let rooms = rooms.map_err(|bytes| self.too_large(bytes))?;
        let more = |old: &Grown, bytes: u64| old.size_for(&session, bytes) - old.bytes();
        let scratch = &self.scratch;
        let of_parts = rooms.iter().zip(&self.keys[1]).zip(&scratch.slots);
        let of_parts = of_parts
            .map(|((room, keys), slots)| more(keys, room.0) + more(slots, 4 * room.1 as u64));
        let grown = of_parts.sum::<u64>()
            + more(&scratch.made, needs.made)
            + more(&scratch.held, needs.held)
            + more(&scratch.candidates, needs.candidates)
            + more(&scratch.masks, needs.masks)
            + more(&scratch.chosen, needs.masks)
            + more(&scratch.owners, needs.masks)
            + more(&scratch.sums, needs.sums)
            + self.edges.growth(needs.edges);
        self.check(watch, grown, FORWARD_SHARE)?;
        let scratch = &mut self.scratch;
        scratch.made.reserve(&session, needs.made)?;
        scratch.held.reserve(&session, needs.held)?;
        scratch.candidates.reserve(&session, needs.candidates)?;
        scratch.masks.reserve(&session, needs.masks)?;
        scratch.chosen.reserve(&session, needs.masks)?;
        scratch.owners.reserve(&session, needs.masks)?;
        scratch.sums.reserve(&session, needs.sums)?;
        for (at, (keys, slots)) in rooms.into_iter().enumerate() {
            let before = self.keys[1][at].reserve(&session, keys)?;
            if slots > next[at].slots || before.is_some() {
                self.scratch.slots[at].reserve(&session, 4 * slots as u64)?;
                let old = before.as_ref().map(|memory| &memory.buffer);
                self.renew((at, &mut next[at]), slots, old, watch)?;
            }
        }
        Ok(())
    }

    /// Copies the states of a part from a smaller buffer, where there was one, and puts them into an
    /// empty table.
    fn renew(
        &mut self,
        (at, part): (usize, &mut NextPart),
        slots: usize,
        old: Option<&wgpu::Buffer>,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let session = Arc::clone(&self.session);
        let table = View::of(self.scratch.slots[at].buffer(), 4 * slots as u64);
        let heard_bytes = 4 * self.shape.heard as u64;
        let told = View::of(self.scratch.heard.buffer(), heard_bytes);
        let key_bytes = 4 * (part.states * self.shape.words) as u64;
        let keys = View::of(self.keys[1][at].buffer(), key_bytes);
        let mut batch = Batch::new(&session);
        if let Some(buffer) = old {
            batch.copy(buffer, keys.buffer, key_bytes);
        }
        if slots > part.slots {
            batch.clear(table.buffer, table.bytes);
            batch.clear(told.buffer, heard_bytes);
            let row = part.states.min(1 << 21) as u32;
            let params = Params {
                slots: slots as u32,
                before: part.states as u32,
                states: row,
                ..self.params(0, 0)
            };
            if row > 0 {
                let size = [row, part.states.div_ceil(row as usize) as u32, 1];
                let moved = key_bytes + 4 * part.states as u64;
                batch.run(&self.passes.rehash, params, &[keys, table, told], size, moved);
            }
            part.slots = slots;
        }
        let profile = self.locked_profile();
        let read = [(told.buffer, 0, heard_bytes)];
        let told = batch.finish(&read, watch, &mut locked(&profile))?;
        if part.states > 0 && told[heard::FULL] != 0 {
            let what = "the table of states overflowed, which its size excludes";
            return Err(DeviceFault::Refused(what.to_owned()).into());
        }
        Ok(())
    }

    /// The passes that make the candidates of a chunk distinct, each part's in turn.
    pub(crate) fn run_distinct(
        &self,
        batch: &mut Batch<'_>,
        chunk: &Chunk,
        next: &[NextPart],
        params: Params,
    ) {
        let (scratch, passes) = (&self.scratch, &self.passes);
        let blocks = (params.groups * params.joints) as usize;
        let bytes = |rows: usize| 4 * (rows * blocks) as u64;
        let tops = blocks.div_ceil(64);
        let keys_of = |states: usize| 4 * (states * self.shape.words) as u64;
        let candidates = View::of(scratch.candidates.buffer(), keys_of(32 * blocks));
        let all = View::of(scratch.masks.buffer(), bytes(1));
        let chosen = View::of(scratch.chosen.buffer(), bytes(1));
        let owners = View::of(scratch.owners.buffer(), bytes(1));
        let sums = View::of(scratch.sums.buffer(), bytes(1) + 4 * tops as u64);
        let told = View::of(scratch.heard.buffer(), 4 * self.shape.heard as u64);
        let edges = view(&self.edges, chunk.edges);
        let levels = view(&self.tables, self.levels);
        let per_group = [params.groups, params.joints, 1];
        let per_state = [32 * params.groups, params.joints, 1];
        let slots = bytes(32);
        debug_assert!(states_of(next) < u32::MAX as usize, "states are numbered in 32 bits");
        for (at, part) in next.iter().enumerate() {
            let params = Params {
                slots: part.slots as u32,
                before: part.states as u32,
                parts: next.len() as u32,
                part: at as u32,
                base: (at * self.part_size.stride()) as u32,
                ..params
            };
            let table = View::of(scratch.slots[at].buffer(), 4 * part.slots as u64);
            let found = View::of(self.keys[1][at].buffer(), keys_of(part.states + 32 * blocks));
            let masks = if next.len() > 1 { chosen } else { all };
            if next.len() > 1 {
                let moved = bytes(2) + candidates.bytes;
                batch.run(&passes.part, params, &[candidates, all, chosen], per_group, moved);
            }
            // Of several parts each has about as many candidates.
            let share = next.len() as u64;
            let views = [candidates, masks, found, table, edges, told];
            let moved = (2 * candidates.bytes + 2 * slots) / share;
            batch.run(&passes.claim, params, &views, per_state, moved);
            let views = [masks, table, edges, owners, sums];
            batch.run(&passes.rank, params, &views, per_group, 2 * slots / share + bytes(3));
            batch.run(&passes.sum, params, &[sums], [tops as u32, 1, 1], bytes(2));
            batch.run(&passes.total, params, &[sums, told], [1, 1, 1], 8 * tops as u64);
            let views = [candidates, owners, sums, edges, levels, found, table, told];
            let moved = bytes(2) + candidates.bytes / share;
            batch.run(&passes.scatter, params, &views, per_state, moved);
            let moved = bytes(1) + 3 * slots / share;
            batch.run(&passes.resolve, params, &[masks, table, edges], per_state, moved);
        }
    }
}
