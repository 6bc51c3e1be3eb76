//! The sweep's plies on the processor: keys in a hash table a ply, edges as child ids.
//!
//! Forward, a ply is expanded block by block; the children of a block are inserted into the next
//! ply's table, their ids recorded in the order of emission, and what the block showed is kept
//! ([`Trail`]). Backward ([`backward`]), both are read in the same order, so an edge costs 4 bytes
//! and one gather, and keys are needed only until their ply is expanded. Where memory is short the
//! trail leaves it; where there is a checkpoint, it is written as it comes.
//!
//! Always: ids of a ply are dense in order of discovery; a ply's edges are complete or absent;
//! only two plies of values exist at a time, in two buffers that are kept.
//!
//! Refused: finding children again by look-up in the backward pass (twice the misses), and
//! sorting keys within a ply (destroys the locality that discovery order has).

mod ahead;
mod backward;
mod batches;
mod counting;
mod fold;
mod forward;
mod resume;

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use kernel::{BLOCK_LANES, Expander, Expansion, Joint};
use store::HugeVec;
use verdict::{HaltReason, Watch};

use super::feed::{Feed, Marks};
use super::level::LevelTables;
use super::parts::Scatter;
use super::past::Past;
use super::record;
use super::runs::Window;
use super::symmetry::{Quotient, Reduction, Search};
use super::table::{PlyKeys, Slots};
use super::toss::Toss;
use super::trail::Trail;
use super::values::Values;
use crate::backend::{Leaf, PlyCounts, RootEdge, Scale, SweepBackend, Trouble};
use crate::crew::Crew;
use crate::limits::{FORWARD_SHARE, Limits, WHOLE, refused};
use ahead::Ahead;

/// One ply.
struct Layer<const W: usize> {
    /// Keys in memory; none once the ply is expanded, unless all are kept.
    keys: PlyKeys<W>,
    /// Where the keys are in the trail, if they are not in memory.
    keys_at: Option<Range<usize>>,
    /// Where they are in the trail as well, if all keys are wanted.
    written_at: Option<Range<usize>>,
    states: usize,
    /// Once it is expanded: where its blocks begin in the record, and its edges among all edges.
    expanded: Option<(usize, Range<usize>)>,
    /// The toss behind each child, where the children wait for one and are passed through.
    toss: Option<Toss>,
    /// Steps from the root.
    step: u32,
}

impl<const W: usize> Layer<W> {
    fn new(keys: PlyKeys<W>, step: u32) -> Self {
        let states = keys.len();
        Self { keys, keys_at: None, written_at: None, states, expanded: None, toss: None, step }
    }

    /// The keys of a block.
    fn block<'a>(
        &'a self,
        block: usize,
        width: usize,
        trail: &'a mut Trail,
        window: &'a mut Window<u64>,
    ) -> Result<&'a [u64], Trouble> {
        let from = block * BLOCK_LANES * width;
        let to = (self.states * width).min(from + BLOCK_LANES * width);
        match &self.keys_at {
            Some(places) => {
                assert_eq!(places.len(), self.states * width, "all keys of a ply, or none");
                Ok(trail.keys(places.start + from, places.start + to, window)?)
            }
            None => Ok(&self.keys.words()[from..to]),
        }
    }
}

/// What is read of the trail.
#[derive(Default)]
struct Windows {
    record: Window<u64>,
    edges: Window<u32>,
    keys: Window<u64>,
}

/// Plies on the processor.
pub(crate) struct Layers<const W: usize> {
    expander: Box<dyn Expander>,
    level: Option<LevelTables>,
    /// What makes states of one orbit one, and from which ply on; how it is found, and after how many
    /// states.
    quotient: Option<Quotient>,
    reduced_from: usize,
    search: Option<(u64, Box<Search>)>,
    plies: Vec<Layer<W>>,
    /// What the blocks of expanded plies showed, and the ids of children in the next ply, ply after
    /// ply, in order of emission.
    trail: Trail,
    windows: Windows,
    /// Words of the newest ply's keys that were written.
    keys_written: usize,
    /// Where the children of the newest ply go, if they do not fit in memory.
    scatter: Option<Scatter>,
    past: Vec<PlyCounts>,
    valued: Option<usize>,
    counted: Option<(u64, u64)>,
    keeping_values: bool,
    /// The table that an exact pass is written to.
    feed: Option<Rc<RefCell<Feed>>>,
    marks: Marks,
    /// Memory of keys that are not needed any more.
    spare: HugeVec<u64>,
    slots: Slots,
    expansion: Expansion,
    shares: Vec<(u32, u32)>,
    /// What the states behind a toss expand to.
    behind: Expansion,
    /// Whether folding a toss is still worth trying.
    folding: bool,
    /// Blocks of the newest ply that other threads expand.
    ahead: Option<Ahead>,
    values: [Values; 2],
    /// How many threads are asked for, and they, once there was work for several.
    threads: Option<usize>,
    crew: Option<Crew>,
    limits: Limits,
    /// Bytes of plies that are not the newest.
    older_bytes: u64,
    largest: usize,
}

/// How states are told apart and which are kept.
#[derive(Default)]
pub(super) struct Manner {
    /// Tells the ply of a state.
    pub(super) level: Option<LevelTables>,
    /// Whether one state of each orbit is kept.
    pub(super) reduction: Reduction,
    /// Whether states that wait for chance are passed through.
    pub(super) fold: bool,
    /// Threads; as many as there are processors where no number is given.
    pub(super) threads: Option<usize>,
}

/// A backend for keys of the expander's width, all in memory.
pub(super) fn on_processor(
    expander: Box<dyn Expander>,
    root: &[u64],
    manner: Manner,
) -> Result<Box<dyn SweepBackend>, Trouble> {
    continued(expander, root, manner, (Trail::default(), Past::default(), None))
}

/// A backend that leaves a trail, goes on where an earlier process ended, and writes a table.
pub(super) fn continued(
    expander: Box<dyn Expander>,
    root: &[u64],
    manner: Manner,
    (trail, past, feed): (Trail, Past, Option<Rc<RefCell<Feed>>>),
) -> Result<Box<dyn SweepBackend>, Trouble> {
    fn boxed<const W: usize>(
        layers: Result<Layers<W>, Trouble>,
        past: Past,
        feed: Option<Rc<RefCell<Feed>>>,
    ) -> Result<Box<dyn SweepBackend>, Trouble> {
        let mut layers = layers?;
        layers.take_up(past)?;
        layers.feed = feed;
        Ok(Box::new(layers))
    }
    match expander.words() {
        1 => boxed(Layers::<1>::new(expander, root, manner, trail), past, feed),
        2 => boxed(Layers::<2>::new(expander, root, manner, trail), past, feed),
        3 => boxed(Layers::<3>::new(expander, root, manner, trail), past, feed),
        4 => boxed(Layers::<4>::new(expander, root, manner, trail), past, feed),
        _ => boxed(Layers::<0>::new(expander, root, manner, trail), past, feed),
    }
}

/// Bits of a key.
pub(super) fn key_bits(expander: &dyn Expander) -> usize {
    expander.fields().last().map_or(1, |field| field.end)
}

/// Weight and total of each joint entry in lowest terms with its pair.
pub fn shares(joints: &[Joint]) -> Vec<(u32, u32)> {
    let mut shares = Vec::new();
    reduce(joints, &mut shares);
    shares
}

/// The same into a list that is kept.
pub(super) fn reduce(joints: &[Joint], shares: &mut Vec<(u32, u32)>) {
    shares.clear();
    let mut start = 0;
    for (index, joint) in joints.iter().enumerate() {
        if !joint.last_of_pair {
            continue;
        }
        let pair = &joints[start..=index];
        let common = pair.iter().fold(joint.total, |sum, entry| gcd(sum, entry.weight));
        debug_assert_eq!(
            pair.iter().map(|entry| entry.weight).sum::<u32>(),
            joint.total,
            "the outcomes of a pair are all there"
        );
        shares.extend(pair.iter().map(|entry| (entry.weight / common, entry.total / common)));
        start = index + 1;
    }
    assert_eq!(shares.len(), joints.len(), "the last entry ends a pair");
}

pub(super) fn gcd(mut left: u32, mut right: u32) -> u32 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

impl<const W: usize> Layers<W> {
    fn new(
        expander: Box<dyn Expander>,
        root: &[u64],
        manner: Manner,
        trail: Trail,
    ) -> Result<Self, Trouble> {
        let Manner { level, reduction, fold, threads } = manner;
        let (quotient, search) = match reduction {
            Reduction::None => (None, None),
            Reduction::Later(after, search) => (None, Some((after, search))),
            Reduction::Now(quotient) => (Some(*quotient), None),
        };
        let width = expander.words();
        assert_eq!(root.len(), width, "the root is one key");
        assert!(
            quotient.as_ref().is_none_or(|quotient| quotient.is_alone(root)),
            "automorphisms leave the root as it is"
        );
        let mut slots = Slots::new(key_bits(&*expander));
        slots.reset(1).map_err(refused)?;
        let mut keys = PlyKeys::new(width);
        keys.insert_all(&mut slots, root, &mut HugeVec::new()).map_err(refused)?;
        let layers = Self {
            expander,
            folding: fold && level.is_some(),
            level,
            quotient,
            reduced_from: 0,
            search,
            plies: vec![Layer::new(keys, 0)],
            trail,
            windows: Windows::default(),
            keys_written: 0,
            scatter: None,
            past: Vec::new(),
            valued: None,
            counted: None,
            keeping_values: false,
            feed: None,
            marks: Marks::default(),
            spare: HugeVec::new(),
            slots,
            expansion: Expansion::default(),
            shares: Vec::new(),
            behind: Expansion::default(),
            ahead: None,
            values: [Values::default(), Values::default()],
            threads,
            crew: None,
            limits: Limits::new(),
            older_bytes: 0,
            largest: 1,
        };
        layers.check_level(layers.plies[0].keys.words(), 0)?;
        Ok(layers)
    }

    /// Checks the limits; where memory is short the trail leaves it, if it may.
    fn check_limits(&mut self, watch: &Watch<'_>, extra: u64, share: f64) -> Result<(), Trouble> {
        match self.limits.met(watch, self.bytes() + extra, share) {
            Some(HaltReason::Memory { .. }) if self.trail.can_yield() => {
                self.trail.make_room()?;
                self.limits.check(watch, self.bytes() + extra, share)
            }
            Some(reason) => Err(Trouble::Limit(reason)),
            None => Ok(()),
        }
    }

    /// Expands or views a block, turning a flaw into trouble.
    fn expand(&mut self, ply: usize, block: usize, children: bool) -> Result<usize, Trouble> {
        let width = self.expander.words();
        let keys = self.plies[ply].block(block, width, &mut self.trail, &mut self.windows.keys)?;
        let expanded = self.expander.expand(keys, children, &mut self.expansion);
        expanded.map_err(|flaw| Trouble::flaw(keys, width, flaw))?;
        match &mut self.quotient {
            Some(quotient) if ply >= self.reduced_from => quotient.weigh(keys),
            Some(quotient) => quotient.weighed.take_all(keys.len() / width),
            None => {}
        }
        Ok(keys.len() / width)
    }

    fn blocks(&self, ply: usize) -> usize {
        self.plies[ply].states.div_ceil(BLOCK_LANES)
    }

    /// Shows a block again, from the record where there is one.
    fn view(&mut self, ply: usize, block: usize, cursor: &mut usize) -> Result<usize, Trouble> {
        if self.plies[ply].expanded.is_none() {
            return self.expand(ply, block, false);
        }
        let (at, window) = (*cursor, &mut self.windows.record);
        let length = record::length(self.trail.record(at, at + record::HEAD, window)?);
        let words = self.trail.record(at, at + length, window)?;
        *cursor += length;
        Ok(record::read(words, &mut self.expansion))
    }
}

impl<const W: usize> SweepBackend for Layers<W> {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn tier(&self) -> &'static str {
        self.expander.tier()
    }

    fn plies(&self) -> usize {
        self.plies.len()
    }

    fn states(&self, ply: usize) -> u64 {
        self.plies[ply].states as u64
    }

    fn bytes(&self) -> u64 {
        let values: u64 = self.values.iter().map(|values| values.words.bytes()).sum();
        let newest = self.plies.last().map_or(0, |layer| layer.keys.bytes());
        let scatter = self.scatter.as_ref().map_or(0, |_| Scatter::BYTES);
        let keys = self.older_bytes + newest + self.spare.bytes() + scatter;
        let waiting = self.feed.as_ref().map_or(0, |feed| feed.borrow().bytes());
        let ahead = self.ahead.as_ref().map_or(0, Ahead::bytes);
        waiting + keys + self.slots.bytes() + self.trail.bytes() + values + ahead
    }

    fn advance(&mut self, most_steps: u32, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        self.look_for_symmetries();
        let parted = self.is_too_large(self.expected(), watch);
        match self.grow(most_steps, parted, watch) {
            Err(Trouble::Limit(HaltReason::Memory { .. })) if !parted && self.trail.can_spill() => {
                self.grow(most_steps, true, watch)
            }
            grown => grown,
        }
    }

    fn inspect(&mut self, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        let newest = self.plies.len() - 1;
        let mut counts = PlyCounts::default();
        for block in 0..self.blocks(newest) {
            self.check_limits(watch, 0, FORWARD_SHARE)?;
            let lanes = self.expand(newest, block, false)?;
            self.count(lanes, &mut counts);
        }
        Ok(PlyCounts { edges: 0, totals: Vec::new(), ..counts })
    }

    fn disk_bytes(&self) -> u64 {
        self.trail.disk_bytes() + self.scatter.as_ref().map_or(0, Scatter::disk_bytes)
    }

    fn resumed(&self) -> &[PlyCounts] {
        &self.past
    }

    fn valued(&self) -> Option<usize> {
        // A table takes the values of all plies.
        self.valued.filter(|_| self.keeping_values && self.feed.is_none())
    }

    fn keep_values(&mut self, keep: bool) {
        self.keeping_values = keep;
    }

    fn settle(&mut self) -> Result<(), Trouble> {
        self.trail.close().map_err(Trouble::from)
    }

    fn back_up(
        &mut self,
        ply: usize,
        leaf: Leaf,
        scale: &Scale,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        self.settle()?;
        self.make_room_for_values();
        let mut below = std::mem::take(&mut self.values[(ply + 1) % 2]);
        let mut out = std::mem::take(&mut self.values[ply % 2]);
        assert!(leaf != Leaf::Expanded || below.ply == Some(ply + 1), "plies back up in order");
        let outcome = self.back_up_blocks(ply, leaf, scale, &mut below, &mut out, watch);
        below.ply = below.ply.filter(|_| outcome.is_err() || leaf == Leaf::Expanded);
        out.ply = outcome.is_ok().then_some(ply);
        out.limbs = scale.limbs;
        self.values[(ply + 1) % 2] = below;
        self.values[ply % 2] = out;
        outcome
    }

    fn root_edges(&mut self) -> Result<Vec<RootEdge>, Trouble> {
        assert!(self.plies.len() > 1, "the root was expanded");
        self.settle()?;
        self.view(0, 0, &mut 0)?;
        reduce(&self.expansion.joints, &mut self.shares);
        let edges = self.plies[0].expanded.as_ref().map_or(0..0, |(_, edges)| edges.clone());
        if self.values[1].ply == Some(1) {
            // No more than the root has children.
            self.values[1].bring_in(&mut || Ok(()))?;
        }
        let below = &self.values[1];
        let value = |id: u32| match below.ply {
            Some(1) => {
                let from = id as usize * below.limbs;
                below.words.as_slice()[from..from + below.limbs].to_vec()
            }
            _ => Vec::new(),
        };
        let ids = self.trail.edges(edges.start, edges.end, &mut self.windows.edges)?;
        let entries = self.expansion.joints.iter().zip(&self.shares);
        let count = self.expansion.joints.len();
        let single = Toss { weights: vec![1], total: 1 };
        let toss = self.plies[0].toss.as_ref().unwrap_or(&single);
        let edge = |(at, (joint, &(weight, total))): (usize, (&Joint, &(u32, u32)))| {
            // Blocks behind a toss hold the outcomes one after the other.
            let (block, lane) = (at / BLOCK_LANES, at % BLOCK_LANES);
            let lanes = (count - block * BLOCK_LANES).min(BLOCK_LANES);
            let first = block * BLOCK_LANES * toss.weights.len() + lane;
            let outcomes = toss.weights.iter().enumerate();
            let (asked, opponents) = (joint.asked, joint.opponents);
            let edges = outcomes.map(|(outcome, share)| RootEdge {
                asked,
                opponents,
                weight: weight * share,
                total: total * toss.total,
                value: value(ids[first + outcome * lanes]),
            });
            edges.collect::<Vec<_>>()
        };
        Ok(entries.enumerate().flat_map(edge).collect())
    }

    fn root_value(&self) -> Option<Vec<u64>> {
        let root = &self.values[0];
        (root.ply == Some(0)).then(|| root.words.as_slice()[..root.limbs].to_vec())
    }

    fn distinct_states(&mut self, watch: &Watch<'_>) -> Result<(u64, u64), Trouble> {
        assert!(self.level.is_none(), "keys are kept where plies may share states");
        if let Some(counted) = self.counted {
            return Ok(counted);
        }
        let width = self.expander.words();
        let mut all: PlyKeys<W> = PlyKeys::new(width);
        let (mut ids, mut least) = (HugeVec::new(), Vec::new());
        self.slots.reset(self.largest).map_err(refused)?;
        for ply in 0..self.plies.len() {
            for block in 0..self.blocks(ply) {
                self.check_limits(watch, all.bytes() + all.bytes() / 4, WHOLE)?;
                let window = &mut self.windows.keys;
                let block = self.plies[ply].block(block, width, &mut self.trail, window)?;
                ids.clear();
                least.clear();
                least.extend_from_slice(block);
                if let Some(quotient) = &self.quotient {
                    quotient.lessen(&mut least);
                }
                all.insert_all(&mut self.slots, &least, &mut ids).map_err(refused)?;
            }
        }
        let mut counts = PlyCounts::default();
        for block in all.words().chunks(BLOCK_LANES * width) {
            self.check_limits(watch, all.bytes(), WHOLE)?;
            let lanes = block.len() / width;
            let expanded = self.expander.expand(block, false, &mut self.expansion);
            expanded.map_err(|flaw| Trouble::flaw(block, width, flaw))?;
            if let Some(quotient) = &mut self.quotient {
                quotient.weigh(block);
            }
            self.count(lanes, &mut counts);
        }
        let counted = (counts.states, counts.decisions);
        if let Some(checkpoint) = self.trail.checkpoint() {
            checkpoint.keep_counted(counted, self.trail.plies())?;
        }
        Ok(counted)
    }
}

#[cfg(test)]
mod tests {
    use index::Id;
    use kernel::BLOCK_WORDS;
    use net::InputId;

    use super::*;

    #[test]
    fn weights_are_in_lowest_terms_pair_by_pair() {
        let joint = |weight, total, last_of_pair| Joint {
            mask: [1; BLOCK_WORDS],
            asked: InputId::from_index(0),
            opponents: 0,
            weight,
            total,
            last_of_pair,
            last_of_asked: false,
            first_child: 0,
        };
        let joints = [
            joint(2, 6, false),
            joint(4, 6, true),
            joint(1, 1, true),
            joint(1, 4, false),
            joint(3, 4, true),
            joint(6, 18, false),
            joint(12, 18, true),
        ];
        assert_eq!(shares(&joints), [(1, 3), (2, 3), (1, 1), (1, 4), (3, 4), (1, 3), (2, 3)]);
        assert!(shares(&[]).is_empty());
        assert_eq!((gcd(12, 18), gcd(7, 1), gcd(0, 5), gcd(5, 0)), (6, 1, 5, 5));
    }
}
