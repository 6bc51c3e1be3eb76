//! The children of a chunk: made under each joint move, made distinct, and numbered.
//!
//! Which passes those are stands in [`crate::forward`]; what updates are in [`crate::joints`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use solve::{FORWARD_SHARE, PlyCounts, Trouble};
use verdict::Watch;

use crate::arena::Grown;
use crate::backend::{Chunk, Plies, heard, locked};
use crate::batch::{Batch, View};
use crate::fault::{DeviceFault, unfit, unlike};
use crate::forward::{Next, view};
use crate::joints::{OnCall, OnDevice};
use crate::passes::Params;

/// A batch that took longer makes the next chunks smaller, one that took less makes them larger.
const LONG: Duration = Duration::from_millis(150);
const SHORT: Duration = Duration::from_millis(40);

impl Plies {
    /// Makes the children of a chunk that was just viewed, distinct, and its edges; `live` of its
    /// states have not ended.
    pub(crate) fn make_children(
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
        if self.pace.is_fixed {
            return Ok(());
        }
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

    /// Bytes of the keys and slots of the table that so many candidates beside so many states need; the
    /// bytes of one buffer that is too much.
    pub(crate) fn room(&self, states: usize, candidates: usize) -> Result<(u64, usize), u64> {
        let all = states + candidates;
        let keys = 4 * (all * self.shape.words) as u64;
        // Two thirds full at most, and no more than a tag and a candidate's number can tell apart.
        let slots = (all * 3 / 2).next_power_of_two().max(1 << 10);
        let largest = keys.max(4 * slots as u64);
        let fits = largest <= self.session.adapter().binding_bytes && all < 1 << 30;
        if fits { Ok((keys, slots)) } else { Err(largest) }
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
        let (keys, slots) =
            self.room(next.states, candidates).map_err(|bytes| self.too_large(bytes))?;
        let sums = bytes(1) + 4 * groups.div_ceil(64) as u64;
        let edges = 4 * candidates as u64;
        let made = if joints.by_tables() { 4 } else { bytes(shape.bits + 1) };
        let grown = {
            let scratch = &self.scratch;
            let more = |old: &Grown, bytes: u64| old.size_for(&session, bytes) - old.bytes();
            more(&self.keys[1], keys)
                + more(&scratch.slots, 4 * slots as u64)
                + more(&scratch.made, made)
                + more(&scratch.held, held)
                + more(&scratch.candidates, candidates as u64 * key_bytes)
                + more(&scratch.masks, bytes(1))
                + more(&scratch.owners, bytes(1))
                + more(&scratch.sums, sums)
                + self.edges.growth(edges)
        };
        self.check(watch, grown, FORWARD_SHARE)?;
        let scratch = &mut self.scratch;
        scratch.made.reserve(&session, made)?;
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
        let rows_made = if joints.by_tables() { 0 } else { shape.bits + 1 };
        let made = View::of(scratch.made.buffer(), bytes(rows_made));
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
        let keys = View::of(self.keys[0].buffer(), keys_of(chunk.first + chunk.states));
        if !joints.by_tables() {
            if self.view.as_ref().is_some_and(OnCall::is_tables) {
                let size = [groups, params.words, 1];
                batch.run(&passes.unpack, params, &[keys, planes], size, of_states(shape.bits));
            }
            let views = [planes, played, made, held];
            self.update_planes(&mut batch, joints, params, &views);
            let views = [made, seen, live, rows, candidates, masks, told];
            let moved = bytes(shape.bits + 2) + candidates.bytes;
            batch.run(&passes.pack, params, &views, [groups, count, params.words], moved);
        }
        for (update, joint) in joints.alone.iter().flatten().zip(0..) {
            if let OnCall::Tables(tables) = &**update {
                let params = Params { start: joint, ..params };
                let views =
                    [keys, view(&self.tables, *tables), seen, live, rows, candidates, masks, told];
                let moved = 2 * keys_of(chunk.states);
                batch.run(&passes.step, params, &views, [groups, 1, 1], moved);
            }
        }
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

    /// Runs the update over planes, under all joint moves at once or under each in turn.
    fn update_planes<'a>(
        &self,
        batch: &mut Batch<'_>,
        joints: &OnDevice,
        params: Params,
        views: &[View<'a>; 4],
    ) where
        Self: 'a,
    {
        let [planes, played, made, held] = *views;
        let (passes, groups) = (&self.passes, params.groups);
        let rows = |count: u32| 4 * u64::from((count * (params.bits + 1) + params.bits) * groups);
        match (&joints.alone, self.general) {
            (Some(updates), _) => {
                let moved = rows(1);
                for (update, joint) in updates.iter().zip(0..) {
                    let OnCall::Tape(tape, _) = &**update else {
                        unreachable!("one without planes has no place among those with them")
                    };
                    let params = Params { joints: 1, start: joint, ..params };
                    let views = [planes, played, view(&self.tables, *tape), made, held];
                    batch.run(&passes.tape, params, &views, [groups, 1, 1], moved);
                }
            }
            (None, Some(tape)) => {
                let views = [planes, played, view(&self.tables, tape), made, held];
                let size = [groups, params.joints, 1];
                batch.run(&passes.tape, params, &views, size, rows(params.joints));
            }
            (None, None) => {
                let moved = rows(params.joints) / passes.update.len() as u64;
                for piece in &passes.update {
                    let size = [groups, params.joints, 1];
                    batch.run(piece, params, views, size, moved);
                }
            }
        }
    }
}
