//! What a chunk of states shows: which moves are legal, what has ended and what it pays.
//!
//! The passes `unpack`, the view in its form, `deal` and `classes`; a sweep and a search run them alike.

use solve::{FORWARD_SHARE, Trouble};
use verdict::Watch;

use crate::arena::Grown;
use crate::backend::Plies;
use crate::batch::{Batch, View};
use crate::forward::view;
use crate::joints::OnCall;
use crate::passes::Params;

impl Plies {
    /// Makes sure of room for what so many states show.
    pub(crate) fn reserve_views(
        &mut self,
        states: usize,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let (session, shape) = (&self.session, self.shape);
        let groups = states.div_ceil(32);
        let bytes = |rows: usize| 4 * (rows * groups) as u64;
        let scratch = &self.scratch;
        let more = |old: &Grown, bytes: u64| old.size_for(session, bytes) - old.bytes();
        let grown = more(&scratch.planes, bytes(shape.bits))
            + more(&scratch.seen, bytes(shape.view_rows))
            + more(&scratch.held, bytes(shape.view_held))
            + more(&scratch.live, bytes(1));
        self.check(watch, grown, FORWARD_SHARE)?;
        let (session, scratch) = (&self.session, &mut self.scratch);
        scratch.planes.reserve(session, bytes(shape.bits))?;
        scratch.seen.reserve(session, bytes(shape.view_rows))?;
        scratch.held.reserve(session, bytes(shape.view_held))?;
        scratch.live.reserve(session, bytes(1))?;
        Ok(())
    }

    /// Records the passes by which the states of a chunk are viewed, into room that there is.
    pub(crate) fn record_views(
        &self,
        batch: &mut Batch<'_>,
        params: Params,
        keys: View<'_>,
        infos: View<'_>,
    ) {
        let (scratch, shape, passes) = (&self.scratch, self.shape, &self.passes);
        let bytes = |rows: usize| 4 * (rows * params.groups as usize) as u64;
        let key_bytes = 4 * u64::from(params.states * params.words);
        let planes = View::of(scratch.planes.buffer(), bytes(shape.bits));
        let seen = View::of(scratch.seen.buffer(), bytes(shape.view_rows));
        let held = View::of(scratch.held.buffer(), bytes(shape.view_held));
        let live = View::of(scratch.live.buffer(), bytes(1));
        let told = View::of(scratch.heard.buffer(), 4 * shape.heard as u64);
        let game = view(&self.tables, self.game);
        let across = params.groups;
        batch.clear(told.buffer, told.bytes);
        if !self.view.as_ref().is_some_and(OnCall::is_tables) {
            let size = [across, params.words, 1];
            batch.run(&passes.unpack, params, &[keys, planes], size, key_bytes + bytes(shape.bits));
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
                let params = Params { bits: rows as u32, ..params };
                batch.run(&passes.peek, params, &views, size, key_bytes + bytes(rows));
            }
            Some(OnCall::Tape(tape, _)) => {
                let views = [planes, game, view(&self.tables, *tape), seen, held];
                batch.run(&passes.tape, params, &views, [across, 1, 1], moved);
            }
        }
        let moved = bytes(shape.view_rows + 1) + 4 * u64::from(params.states);
        batch.run(&passes.deal, params, &[seen, game, told, infos, live], [across, 1, 1], moved);
        if self.seating.classes() > 0 {
            let views = [seen, live, game, told];
            batch.run(&passes.classes, params, &views, [across, 1, 1], bytes(2));
        }
    }
}
