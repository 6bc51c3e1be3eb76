//! What a sweep says of all states, counted from those that it keeps: where one state of each orbit is
//! kept, each counts for as many as its orbit has.

use kernel::Mask;

use super::{Layers, reduce};
use crate::backend::PlyCounts;

/// The first lanes of a block.
fn first_lanes(count: usize) -> Mask {
    let word = |at: usize| match count.saturating_sub(64 * at) {
        0 => 0,
        rest @ 1..64 => (1 << rest) - 1,
        _ => u64::MAX,
    };
    std::array::from_fn(word)
}

/// Number of lanes.
fn population(lanes: &Mask) -> u64 {
    lanes.iter().map(|word| u64::from(word.count_ones())).sum()
}

impl<const W: usize> Layers<W> {
    /// Looks for symmetries when it is time: they hold from the next ply on.
    pub(super) fn look_for_symmetries(&mut self) {
        let kept: usize = self.plies.iter().map(|ply| ply.states).sum();
        if let Some((_, search)) = self.search.take_if(|(after, _)| *after <= kept as u64) {
            self.quotient = search.run(&*self.expander);
            self.reduced_from = self.plies.len();
        }
    }

    /// Number of states that some lanes of the last expansion stand for.
    pub(super) fn states_of(&self, lanes: &Mask) -> u64 {
        self.quotient.as_ref().map_or_else(|| population(lanes), |it| it.states(lanes))
    }

    /// Adds what the last expansion of `lanes` lanes found to the counts.
    pub(super) fn count(&mut self, lanes: usize, counts: &mut PlyCounts) {
        let found = &self.expansion;
        let states = self.states_of(&first_lanes(lanes));
        let (terminal, waiting) = (self.states_of(&found.terminal), self.states_of(&found.waiting));
        counts.states += states;
        counts.terminal += terminal;
        counts.decisions += states - terminal - waiting;
        counts.simultaneous |= found.simultaneous;
        reduce(&found.joints, &mut self.shares);
        for (joint, &(_, total)) in found.joints.iter().zip(&self.shares) {
            counts.edges += population(&joint.mask);
            if let Err(place) = counts.totals.binary_search(&total) {
                counts.totals.insert(place, total);
            }
        }
    }
}
