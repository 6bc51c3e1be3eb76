//! The children of a chunk: made under each joint move, and counted once they are distinct.
//!
//! Which passes those are stands in [`crate::forward`]; what updates are in [`crate::joints`], and how
//! children are made distinct in [`crate::distinct`].

use std::time::{Duration, Instant};

use solve::{PlyCounts, Trouble};
use verdict::Watch;

use crate::backend::{Chunk, Plies, heard, locked};
use crate::batch::{Batch, View};
use crate::fault::{DeviceFault, unfit, unlike};
use crate::forward::view;
use crate::joints::{OnCall, OnDevice};
use crate::parts::NextPart;
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
        next: &mut [NextPart],
        counts: &mut PlyCounts,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let begun = Instant::now();
        let candidates = 32 * chunk.groups() * joints.count;
        self.make_room(chunk, joints, next, watch)?;
        chunk.edges = self.edges.take(&self.session, 4 * candidates as u64)?;
        let told = self.run_chunk(chunk, joints, next, watch)?;
        self.believe(chunk.part, &told, watch)?;
        let found = &told[heard::FOUND..heard::FOUND + next.len()];
        let found: u64 = found.iter().map(|one| u64::from(*one)).sum();
        let edges = told[heard::EDGES];
        if found > u64::from(edges) || edges as usize > candidates || edges < live {
            return Err(unlike("the numbers of moves and states do not fit each other"));
        }
        for (part, found) in next.iter_mut().zip(&told[heard::FOUND..]) {
            part.states += *found as usize;
        }
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
    fn believe(&mut self, part: usize, told: &[u32], watch: &Watch<'_>) -> Result<(), Trouble> {
        if told[heard::FULL] != 0 {
            let what = "the table of states overflowed, which its size excludes";
            return Err(DeviceFault::Refused(what.to_owned()).into());
        }
        if told[heard::BROKEN] != 0 {
            return Err(self.flaw(part, !told[heard::BROKEN] as usize, watch));
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

    /// Runs the passes that make children; what they tell.
    fn run_chunk(
        &self,
        chunk: &Chunk,
        joints: &OnDevice,
        next: &[NextPart],
        watch: &Watch<'_>,
    ) -> Result<Vec<u32>, Trouble> {
        let (shape, scratch, passes) = (self.shape, &self.scratch, &self.passes);
        let newest = self.plies.len() - 1;
        let of_states = |rows: usize| 4 * (rows * chunk.groups()) as u64;
        let keys_of = |states: usize| 4 * (states * shape.words) as u64;
        let params = Params {
            joints: joints.count as u32,
            level: newest as u32 + 1,
            ..self.params(chunk.first, chunk.states)
        };
        let seen = View::of(scratch.seen.buffer(), of_states(shape.view_rows));
        let live = View::of(scratch.live.buffer(), of_states(1));
        let heard_bytes = 4 * shape.heard as u64;
        let told = View::of(scratch.heard.buffer(), heard_bytes);
        let infos = self.plies[newest].parts[chunk.part].infos.expect("taken before");
        let infos = view(&self.infos, infos);
        let chances = view(&self.tables, joints.chances);
        let mut batch = Batch::new(&self.session);
        batch.clear(told.buffer, heard_bytes);
        let views = [seen, live, chances, infos, told];
        batch.run(&passes.totals, params, &views, [params.states, 1, 1], 8 * chunk.states as u64);
        let keys = View::of(self.keys[0][chunk.part].buffer(), keys_of(chunk.first + chunk.states));
        self.record_children(&mut batch, joints, params, keys);
        match self.marking {
            Some(bitmap) => self.run_marks(&mut batch, chunk, params, bitmap),
            None => self.run_distinct(&mut batch, chunk, next, params),
        }
        let profile = self.locked_profile();
        batch.finish(&[(told.buffer, 0, heard_bytes)], watch, &mut locked(&profile))
    }

    /// Records the passes that make the children of viewed states as candidates, into room that there
    /// is.
    pub(crate) fn record_children(
        &self,
        batch: &mut Batch<'_>,
        joints: &OnDevice,
        params: Params,
        keys: View<'_>,
    ) {
        let (shape, scratch, passes) = (self.shape, &self.scratch, &self.passes);
        let (groups, count) = (params.groups, params.joints);
        let of_states = |rows: usize| 4 * (rows * groups as usize) as u64;
        let bytes = |rows: usize| of_states(rows) * u64::from(count);
        let planes = View::of(scratch.planes.buffer(), of_states(shape.bits));
        let seen = View::of(scratch.seen.buffer(), of_states(shape.view_rows));
        let live = View::of(scratch.live.buffer(), of_states(1));
        let held = View::of(scratch.held.buffer(), of_states(joints.held(shape.update_held)));
        let rows_made = if joints.by_tables() { 0 } else { shape.bits + 1 };
        let made = View::of(scratch.made.buffer(), bytes(rows_made));
        let candidates = View::of(scratch.candidates.buffer(), 32 * bytes(shape.words));
        let masks = View::of(scratch.masks.buffer(), bytes(1));
        let told = View::of(scratch.heard.buffer(), 4 * shape.heard as u64);
        let rows = view(&self.tables, joints.rows);
        let played = view(&self.tables, joints.played);
        if !joints.by_tables() {
            if self.view.as_ref().is_some_and(OnCall::is_tables) {
                let size = [groups, params.words, 1];
                batch.run(&passes.unpack, params, &[keys, planes], size, of_states(shape.bits));
            }
            let views = [planes, played, made, held];
            self.update_planes(batch, joints, params, &views);
            let views = [made, seen, live, rows, candidates, masks, told];
            let moved = bytes(shape.bits + 2) + candidates.bytes;
            batch.run(&passes.pack, params, &views, [groups, count, params.words], moved);
        }
        for (update, joint) in joints.alone.iter().flatten().zip(0..) {
            if let OnCall::Tables(tables) = &**update {
                let params = Params { start: joint, ..params };
                let views =
                    [keys, view(&self.tables, *tables), seen, live, rows, candidates, masks, told];
                let moved = 8 * u64::from(params.states * params.words);
                batch.run(&passes.step, params, &views, [groups, 1, 1], moved);
            }
        }
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
