//! Values of children side by side, where those of the next ply lie in several buffers.
//!
//! A state's children can lie in any of them, and a shader does not see all at once. So one pass for
//! each buffer copies the values that edges lead to into the order of the edges, and what folds them
//! then sees one buffer, with edges to places there. It costs a copy of each value that is read, and is
//! done only where there are several buffers.

use std::sync::Arc;

use solve::{BACKWARD_SHARE, Trouble};
use verdict::Watch;

use crate::arena::Grown;
use crate::backend::{Chunk, Plies, locked};
use crate::backward::Cut;
use crate::batch::{Batch, View};
use crate::passes::Params;
use crate::values::Values;

impl Plies {
    /// States with so many joint moves whose children's values may be gathered at once; all where
    /// they need not be.
    pub(crate) fn most_gathered(&self, below: &Values, joints: usize) -> usize {
        if below.is_whole() {
            return usize::MAX;
        }
        let states = self.most_scratch() / (4 * below.limbs.max(1) * joints) as u64;
        (states as usize / 32 * 32).max(32)
    }

    /// Makes sure of room for the values of the children of each cut.
    pub(crate) fn make_gathering(
        &mut self,
        ply: usize,
        chunks: &[Chunk],
        cuts: &[Cut],
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let edges = |cut: &Cut| {
            let joints = chunks[cut.chunk].joints.as_ref().map_or(0, |joints| joints.count);
            cut.states.len().next_multiple_of(32) * joints
        };
        let edges = cuts.iter().map(edges).max().unwrap_or(0);
        let limbs = self.values[1 - ply % 2].limbs;
        let (near, gathered) = (4 * edges as u64, 4 * (edges * limbs) as u64);
        if gathered > self.session.adapter().binding_bytes {
            return Err(self.too_large(gathered));
        }
        let session = Arc::clone(&self.session);
        let more = |old: &Grown, bytes: u64| old.size_for(&session, bytes) - old.bytes();
        let scratch = &self.scratch;
        let grown = more(&scratch.near, near) + more(&scratch.gathered, gathered);
        self.check(watch, grown, BACKWARD_SHARE)?;
        self.scratch.near.reserve(&session, near)?;
        self.scratch.gathered.reserve(&session, gathered)?;
        Ok(())
    }

    /// Gathers the values of the children of states; what the fold of these is then told, their edges,
    /// and the values.
    pub(crate) fn gather<'a>(
        &'a self,
        batch: &mut Batch<'a>,
        below: &Values,
        (params, edges): (Params, View<'_>),
        watch: &Watch<'_>,
    ) -> Result<(Params, View<'a>, View<'a>), Trouble> {
        let states = params.states.next_multiple_of(32);
        let count = (states * params.joints) as usize;
        let near = View::of(self.scratch.near.buffer(), 4 * count as u64);
        let gathered = View::of(self.scratch.gathered.buffer(), 4 * (count * below.limbs) as u64);
        for (at, span) in below.spans.iter().enumerate() {
            if batch.is_full() {
                let full = std::mem::replace(batch, Batch::new(&self.session));
                let profile = self.locked_profile();
                full.finish(&[(near.buffer, 0, 4)], watch, &mut locked(&profile))?;
            }
            let params = Params {
                part: at as u32,
                base: (span.part * self.part_size.stride() + span.first) as u32,
                before: span.states as u32,
                ..params
            };
            let views = [edges, below.view(at), near, gathered];
            let size = [params.states, params.joints, 1];
            // Each edge is read for each buffer, and its value moved once.
            let moved = 4 * count as u64 + gathered.bytes / below.spans.len() as u64;
            batch.run(&self.passes.gather, params, &views, size, moved);
        }
        let first = params.first + params.start;
        let params = Params { groups: states / 32, first, start: 0, ..params };
        Ok((params, near, gathered))
    }
}
