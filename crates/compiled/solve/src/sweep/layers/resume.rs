//! Plies that an earlier process finished: everything of them is on disk, and is read when needed.

use super::super::past::{Past, PastPly};
use super::super::table::PlyKeys;
use super::super::values::Values;
use super::{Layer, Layers};
use crate::backend::Trouble;

impl<const W: usize> Layers<W> {
    /// Takes up what an earlier process left.
    pub(super) fn take_up(&mut self, past: Past) -> Result<(), Trouble> {
        for (path, frames, plies) in past.files {
            self.trail.resume(path, &frames, plies);
        }
        let mut ends = (0, 0, 0);
        for ply in past.plies {
            ends = self.take_up_ply(ply, ends);
        }
        assert_eq!(self.trail.ends(), ends, "plies make up the trail");
        if let Some(values) = past.values {
            self.valued = Some(values.ply);
            let place = values.ply % 2;
            self.values[place] = Values::resumed(values);
        }
        self.counted = past.counted;
        Ok(())
    }

    /// Takes up a ply whose part of the trail begins at these places; where the next one's does.
    fn take_up_ply(
        &mut self,
        ply: PastPly,
        (record, edge, key): (usize, usize, usize),
    ) -> (usize, usize, usize) {
        let PastPly { counts, toss, children, .. } = ply;
        let width = self.expander.words();
        let edges = edge..edge + ply.edges as usize;
        let keys = key..key + ply.key_words as usize;
        assert_eq!(keys.len(), children as usize * width, "the keys of the children");
        let ends = (record + ply.record as usize, edges.end, keys.end);
        self.folding &= ply.folding;
        self.largest = self.largest.max(children as usize);
        let parent = self.plies.last_mut().expect("the root at least");
        (parent.expanded, parent.toss) = (Some((record, edges)), toss);
        let layer = Layer::new(PlyKeys::new(width), parent.step + counts.steps);
        let states = children as usize;
        self.plies.push(Layer { states, keys_at: Some(keys), ..layer });
        self.past.push(counts);
        ends
    }
}
