//! Plies whose keys are dense: the set of states is a bitmap of all keys, and not a table.
//!
//! Candidates mark their keys, which takes neither slots nor comparisons; until all chunks of a ply have
//! done so, edges are keys. Then the marks below each word are counted, a state's number is the number
//! of marks before its own, keys are written in that order, and edges become numbers. So states are in
//! ascending order, whatever the chunks were.
//!
//! It costs a pass over the whole bitmap, and one more answer to wait for: it is done where keys have
//! one word and so few bits that the bitmap has few words for each state that is expected.
//! Where children go through the memory of this machine it is left, since edges are written twice.

use std::sync::Arc;

use solve::{FORWARD_SHARE, Trouble};
use verdict::Watch;

use crate::arena::Grown;
use crate::backend::{Chunk, Plies, heard, locked};
use crate::batch::{Batch, View};
use crate::fault::unlike;
use crate::forward::view;
use crate::parts::{Crowded, NextPart};
use crate::passes::Params;

/// Bits of a key, at most.
const MOST_BITS: usize = 26;
/// Keys for each state of the newest ply, at most: four words of the bitmap a state, which are read in
/// order, where a table is read here and there.
const MOST_KEYS: usize = 128;

/// Words of a bitmap of keys of so many bits, and of the counts of marks before its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bitmap {
    pub(crate) words: usize,
}

impl Bitmap {
    /// Of keys of so many bits; none where they have too many.
    pub(crate) fn of(bits: usize) -> Option<Self> {
        (bits <= MOST_BITS).then(|| Self { words: (1usize << bits).div_ceil(32) })
    }

    fn bytes(self) -> u64 {
        4 * self.words as u64
    }

    /// A count a word, then one for 64 words together.
    fn sums_bytes(self) -> u64 {
        4 * (self.words + self.words.div_ceil(64)) as u64
    }

    /// Whether it is worth it for about so many states.
    fn suits(self, states: usize) -> bool {
        32 * self.words <= MOST_KEYS * states
    }
}

impl Plies {
    /// The bitmap in which the next ply is marked; none where it gets a table.
    pub(crate) fn bitmap(&self) -> Option<Bitmap> {
        let newest = &self.plies[self.plies.len() - 1];
        let bitmap = Bitmap::of(self.shape.bits)?;
        let seen = self.session.adapter().binding_bytes;
        let fits = newest.parts.len() == 1 && bitmap.sums_bytes() <= seen && !self.stream.is_on();
        let is_wanted = self.dense.unwrap_or_else(|| bitmap.suits(newest.states));
        (fits && is_wanted).then_some(bitmap)
    }

    /// Makes an empty bitmap.
    pub(crate) fn begin_marks(&mut self, bitmap: Bitmap, watch: &Watch<'_>) -> Result<(), Trouble> {
        let session = Arc::clone(&self.session);
        let more = |old: &Grown, bytes: u64| old.size_for(&session, bytes) - old.bytes();
        let scratch = &self.scratch;
        let grown =
            more(&scratch.bitmap, bitmap.bytes()) + more(&scratch.ranks, bitmap.sums_bytes());
        self.check(watch, grown, FORWARD_SHARE)?;
        self.scratch.bitmap.reserve(&session, bitmap.bytes())?;
        self.scratch.ranks.reserve(&session, bitmap.sums_bytes())?;
        Ok(())
    }

    /// The pass that marks the candidates of a chunk.
    pub(crate) fn run_marks(
        &self,
        batch: &mut Batch<'_>,
        chunk: &Chunk,
        params: Params,
        bitmap: Bitmap,
    ) {
        let scratch = &self.scratch;
        let blocks = u64::from(params.groups * params.joints);
        let marks = View::of(scratch.bitmap.buffer(), bitmap.bytes());
        let before = &self.plies[self.plies.len() - 1].chunks;
        if before.iter().all(|chunk| chunk.joints.is_none()) {
            batch.clear(marks.buffer, marks.bytes);
        }
        let candidates = View::of(scratch.candidates.buffer(), 128 * blocks);
        let masks = View::of(scratch.masks.buffer(), 4 * blocks);
        let views = [candidates, masks, marks, view(&self.edges, chunk.edges)];
        let size = [32 * params.groups, params.joints, 1];
        batch.run(&self.passes.mark, params, &views, size, 3 * 128 * blocks);
    }

    /// Numbers the states that are marked, once all chunks have marked theirs, unless a buffer does not
    /// hold their keys.
    pub(crate) fn number_marks(
        &mut self,
        bitmap: Bitmap,
        next: &mut NextPart,
        edges: u64,
        watch: &Watch<'_>,
    ) -> Result<Result<(), Crowded>, Trouble> {
        let session = Arc::clone(&self.session);
        let chunks = &self.plies[self.plies.len() - 1].chunks;
        if chunks.iter().all(|chunk| chunk.joints.is_none()) {
            return Ok(Ok(()));
        }
        // There are no more states than edges, and no more than keys.
        let bytes = 4 * edges.min(32 * bitmap.words as u64);
        if bytes > session.adapter().binding_bytes {
            return Ok(Err(Crowded { bytes }));
        }
        let grown = self.keys[1][0].size_for(&session, bytes) - self.keys[1][0].bytes();
        self.check(watch, grown, FORWARD_SHARE)?;
        self.keys[1][0].reserve(&session, bytes)?;
        let told = self.run_numbers(bitmap, bytes, watch)?;
        if told[heard::LEVEL] != 0 {
            return Err(Trouble::LevelBroken);
        }
        next.states = told[heard::FOUND] as usize;
        if next.states as u64 > edges || (edges > 0 && next.states == 0) {
            return Err(unlike("the numbers of moves and states do not fit each other"));
        }
        Ok(Ok(()))
    }

    /// Counts marks, writes keys, numbers edges; what that tells.
    fn run_numbers(
        &self,
        bitmap: Bitmap,
        key_bytes: u64,
        watch: &Watch<'_>,
    ) -> Result<Vec<u32>, Trouble> {
        let (scratch, passes) = (&self.scratch, &self.passes);
        let newest = self.plies.len() - 1;
        let words = bitmap.words as u32;
        let params = Params { groups: words, level: newest as u32 + 1, ..self.params(0, 0) };
        let marks = View::of(scratch.bitmap.buffer(), bitmap.bytes());
        let sums = View::of(scratch.ranks.buffer(), bitmap.sums_bytes());
        let heard_bytes = 4 * self.shape.heard as u64;
        let told = View::of(scratch.heard.buffer(), heard_bytes);
        let found = View::of(self.keys[1][0].buffer(), key_bytes);
        let levels = view(&self.tables, self.levels);
        let mut batch = Batch::new(&self.session);
        batch.clear(told.buffer, heard_bytes);
        let (tops, all) = (words.div_ceil(64), [words, 1, 1]);
        batch.run(&passes.count, params, &[marks, sums], all, 2 * marks.bytes);
        batch.run(&passes.sum, params, &[sums], [tops, 1, 1], 2 * marks.bytes);
        batch.run(&passes.total, params, &[sums, told], [1, 1, 1], 8 * u64::from(tops));
        let views = [marks, sums, levels, found, told];
        batch.run(&passes.spread, params, &views, all, 2 * marks.bytes + key_bytes);
        for chunk in &self.plies[newest].chunks {
            let Some(joints) = &chunk.joints else { continue };
            if batch.is_full() {
                let full = std::mem::replace(&mut batch, Batch::new(&self.session));
                let profile = self.locked_profile();
                full.finish(&[(marks.buffer, 0, 4)], watch, &mut locked(&profile))?;
            }
            let params = Params { slots: words, ..self.params(chunk.first, chunk.states) };
            let edges = view(&self.edges, chunk.edges);
            let size = [32 * params.groups, joints.count as u32, 1];
            let moved = 3 * 128 * (chunk.groups() * joints.count) as u64;
            batch.run(&passes.number, params, &[marks, sums, edges], size, moved);
        }
        let profile = self.locked_profile();
        batch.finish(&[(told.buffer, 0, heard_bytes)], watch, &mut locked(&profile))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bitmap_has_a_bit_a_key() {
        assert_eq!(Bitmap::of(0), Some(Bitmap { words: 1 }));
        assert_eq!(Bitmap::of(11), Some(Bitmap { words: 64 }));
        let largest = Bitmap::of(MOST_BITS).expect("the largest");
        assert_eq!((largest.bytes(), largest.sums_bytes()), (8 << 20, (8 << 20) + (1 << 17)));
        assert_eq!(Bitmap::of(MOST_BITS + 1), None);
        // A row of workgroups of 64, one invocation a word.
        assert!(largest.words / 64 <= 65_535);
    }

    #[test]
    fn it_is_used_where_it_has_few_words_a_state() {
        let bitmap = Bitmap::of(20).expect("few bits");
        assert!(bitmap.suits(1 << 13) && !bitmap.suits((1 << 13) - 1));
    }
}
