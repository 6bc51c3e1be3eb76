//! The sweep's plies on the processor: keys in a hash table a ply, edges as child ids.
//!
//! Forward, a ply is expanded block by block; the children of a block are inserted into the next
//! ply's table, their ids recorded in the order of emission, and what the block showed is kept
//! ([`Record`]). Backward ([`backward`]), both are read in the same order, so an edge costs 4 bytes
//! and one gather, and keys are needed only until their ply is expanded.
//!
//! Always: ids of a ply are dense in order of discovery; a ply's edges are complete or absent;
//! only two plies of values exist at a time, in two buffers that are kept.
//!
//! Refused: finding children again by look-up in the backward pass (twice the misses), and
//! sorting keys within a ply (destroys the locality that discovery order has).

mod backward;

use std::ops::Range;

use kernel::{BLOCK_LANES, Expander, Expansion, Joint};
use store::HugeVec;
use verdict::Watch;

use super::level::LevelTables;
use super::record::{Cursor, Record};
use super::table::{PlyKeys, Slots};
use super::toss::{Distinct, Toss};
use crate::backend::{Leaf, PlyCounts, RootEdge, Scale, SweepBackend, Trouble};
use crate::limits::{FORWARD_SHARE, Limits, WHOLE, refused};

/// One ply.
struct Layer<const W: usize> {
    /// Keys; none once the ply is expanded, unless all are kept.
    keys: PlyKeys<W>,
    states: usize,
    /// Once it is expanded: where its blocks stand in the record, and its edges among all edges.
    expanded: Option<(Cursor, Range<usize>)>,
    /// The toss behind each child, where the children wait for one and are passed through.
    toss: Option<Toss>,
    /// Steps from the root.
    step: u32,
}

impl<const W: usize> Layer<W> {
    fn new(keys: PlyKeys<W>, step: u32) -> Self {
        let states = keys.len();
        Self { keys, states, expanded: None, toss: None, step }
    }
}

/// Values of one ply.
#[derive(Default)]
struct Values {
    ply: Option<usize>,
    limbs: usize,
    words: HugeVec<u64>,
}

/// Plies on the processor.
pub(crate) struct Layers<const W: usize> {
    expander: Box<dyn Expander>,
    level: Option<LevelTables>,
    plies: Vec<Layer<W>>,
    /// What the blocks of expanded plies showed.
    record: Record,
    /// Ids of children in the next ply, ply after ply, in order of emission.
    edges: HugeVec<u32>,
    /// Memory of keys that are not needed any more.
    spare: HugeVec<u64>,
    slots: Slots,
    expansion: Expansion,
    shares: Vec<(u32, u32)>,
    /// What the states behind a toss expand to, and their values.
    behind: Expansion,
    behind_values: Vec<u64>,
    /// Whether folding a toss is still worth trying.
    folding: bool,
    values: [Values; 2],
    limits: Limits,
    /// Bytes of plies that are not the newest.
    older_bytes: u64,
    largest: usize,
}

/// A backend for keys of the expander's width.
pub(crate) fn on_processor(
    expander: Box<dyn Expander>,
    level: Option<LevelTables>,
    root: &[u64],
    fold: bool,
) -> Result<Box<dyn SweepBackend>, Trouble> {
    Ok(match expander.words() {
        1 => Box::new(Layers::<1>::new(expander, level, root, fold)?),
        2 => Box::new(Layers::<2>::new(expander, level, root, fold)?),
        3 => Box::new(Layers::<3>::new(expander, level, root, fold)?),
        4 => Box::new(Layers::<4>::new(expander, level, root, fold)?),
        _ => Box::new(Layers::<0>::new(expander, level, root, fold)?),
    })
}

/// Bits of a key.
pub(super) fn key_bits(expander: &dyn Expander) -> usize {
    expander.fields().last().map_or(1, |field| field.end)
}

/// Weight and total of each joint entry in lowest terms with its pair.
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

fn gcd(mut left: u32, mut right: u32) -> u32 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

impl<const W: usize> Layers<W> {
    fn new(
        expander: Box<dyn Expander>,
        level: Option<LevelTables>,
        root: &[u64],
        fold: bool,
    ) -> Result<Self, Trouble> {
        let width = expander.words();
        assert_eq!(root.len(), width, "the root is one key");
        let mut slots = Slots::new(key_bits(&*expander));
        slots.reset(1).map_err(refused)?;
        let mut keys = PlyKeys::new(width);
        keys.insert_all(&mut slots, root, &mut HugeVec::new()).map_err(refused)?;
        let layers = Self {
            expander,
            folding: fold && level.is_some(),
            level,
            plies: vec![Layer::new(keys, 0)],
            record: Record::default(),
            edges: HugeVec::new(),
            spare: HugeVec::new(),
            slots,
            expansion: Expansion::default(),
            shares: Vec::new(),
            behind: Expansion::default(),
            behind_values: Vec::new(),
            values: [Values::default(), Values::default()],
            limits: Limits::new(),
            older_bytes: 0,
            largest: 1,
        };
        layers.check_level(layers.plies[0].keys.words(), 0)?;
        Ok(layers)
    }

    /// Checks the guess on all states of a step.
    fn check_level(&self, words: &[u64], step: u32) -> Result<(), Trouble> {
        let Some(level) = &self.level else { return Ok(()) };
        let width = self.expander.words();
        let broken = words.chunks_exact(width).any(|key| level.level(key) != i64::from(step));
        if broken { Err(Trouble::LevelBroken) } else { Ok(()) }
    }

    fn check_limits(&self, watch: &Watch<'_>, extra: u64, share: f64) -> Result<(), Trouble> {
        self.limits.check(watch, self.bytes() + extra, share)
    }

    /// Expands or views a block, turning a flaw into trouble.
    fn expand(&mut self, ply: usize, block: usize, children: bool) -> Result<usize, Trouble> {
        let width = self.expander.words();
        let words = self.plies[ply].keys.words();
        let from = block * BLOCK_LANES * width;
        let keys = &words[from..words.len().min(from + BLOCK_LANES * width)];
        match self.expander.expand(keys, children, &mut self.expansion) {
            Ok(()) => Ok(keys.len() / width),
            Err(flaw) => {
                let key = keys[flaw.lane * width..(flaw.lane + 1) * width].to_vec();
                Err(Trouble::Flaw { key, kind: flaw.kind })
            }
        }
    }

    fn blocks(&self, ply: usize) -> usize {
        self.plies[ply].states.div_ceil(BLOCK_LANES)
    }

    /// About how many states the next ply will have, if plies go on growing as they did.
    fn expected(&self) -> usize {
        let states = |back: usize| {
            self.plies.len().checked_sub(back).map_or(1, |ply| self.plies[ply].states.max(1))
        };
        let quarters = (4 * states(1) / states(2)).clamp(4, 12);
        states(1) * quarters / 4
    }

    /// Shows a block again, from the record where there is one.
    fn view(&mut self, ply: usize, block: usize, cursor: &mut Cursor) -> Result<usize, Trouble> {
        if self.plies[ply].expanded.is_none() {
            return self.expand(ply, block, false);
        }
        Ok(self.record.read(cursor, &mut self.expansion))
    }

    /// Adds what the last expansion of `lanes` lanes found to the counts.
    fn count(&mut self, lanes: usize, counts: &mut PlyCounts) {
        let found = &self.expansion;
        let population = |mask: &kernel::Mask| -> u64 {
            mask.iter().map(|word| u64::from(word.count_ones())).sum()
        };
        let (terminal, waiting) = (population(&found.terminal), population(&found.waiting));
        counts.states += lanes as u64;
        counts.terminal += terminal;
        counts.decisions += lanes as u64 - terminal - waiting;
        counts.simultaneous |= found.simultaneous;
        reduce(&found.joints, &mut self.shares);
        for (joint, &(_, total)) in found.joints.iter().zip(&self.shares) {
            counts.edges += population(&joint.mask);
            if let Err(place) = counts.totals.binary_search(&total) {
                counts.totals.insert(place, total);
            }
        }
    }

    /// Expands the newest ply into `next`.
    fn fill(&mut self, next: &mut PlyKeys<W>, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        let newest = self.plies.len() - 1;
        let mut counts = PlyCounts { steps: 1, ..PlyCounts::default() };
        for block in 0..self.blocks(newest) {
            let growing = next.bytes() + self.edges.bytes();
            let values = 16 * self.largest.max(next.len()) as u64;
            self.check_limits(watch, next.bytes() + growing / 4 + values, FORWARD_SHARE)?;
            let lanes = self.expand(newest, block, true)?;
            self.count(lanes, &mut counts);
            self.record.write(lanes, &self.expansion).map_err(refused)?;
            next.insert_all(&mut self.slots, &self.expansion.children, &mut self.edges)
                .map_err(refused)?;
        }
        Ok(counts)
    }

    /// Expands the newest ply into `next` through a toss; `None` where it cannot be folded.
    fn fill_folded(
        &mut self,
        next: &mut PlyKeys<W>,
        watch: &Watch<'_>,
    ) -> Result<Option<(PlyCounts, Option<Toss>)>, Trouble> {
        let newest = self.plies.len() - 1;
        let (width, step) = (self.expander.words(), self.plies[newest].step);
        let mut counts = PlyCounts { steps: 2, ..PlyCounts::default() };
        let (mut toss, mut distinct) = (None, Distinct::new(width));
        for block in 0..self.blocks(newest) {
            let growing = next.bytes() + self.edges.bytes();
            let values = 16 * self.largest.max(next.len()) as u64;
            self.check_limits(watch, next.bytes() + growing / 4 + values, FORWARD_SHARE)?;
            let lanes = self.expand(newest, block, true)?;
            self.count(lanes, &mut counts);
            self.record.write(lanes, &self.expansion).map_err(refused)?;
            let children = std::mem::take(&mut self.expansion.children);
            let from = block * BLOCK_LANES * width;
            let parents = &self.plies[newest].keys.words()[from..from + lanes * width];
            let folds = counts.totals.iter().all(|total| *total == 1)
                && distinct.take_in(parents, &self.expansion)
                && self.pass_through(&children, &mut toss, next)?;
            if !folds {
                // A ply that breaks late would cost twice at each step from here on.
                self.folding &= block < 4;
                return Ok(None);
            }
            counts.folded += (children.len() / width) as u64;
            self.expansion.children = children;
        }
        let Some(toss) = toss.filter(|_| distinct.holds()) else { return Ok(None) };
        let first = &self.plies[newest].keys.words()[..width];
        self.check_level(&distinct.sample(first), step + 1)?;
        counts.edges = counts.folded * toss.weights.len() as u64;
        counts.totals = vec![toss.total];
        Ok(Some((counts, Some(toss))))
    }

    /// Expands states that wait for a toss; `false` where they do not, or not for the same one.
    fn pass_through(
        &mut self,
        children: &[u64],
        toss: &mut Option<Toss>,
        next: &mut PlyKeys<W>,
    ) -> Result<bool, Trouble> {
        let width = self.expander.words();
        for keys in children.chunks(BLOCK_LANES * width) {
            self.expander.expand(keys, true, &mut self.behind).map_err(|flaw| Trouble::Flaw {
                key: keys[flaw.lane * width..(flaw.lane + 1) * width].to_vec(),
                kind: flaw.kind,
            })?;
            reduce(&self.behind.joints, &mut self.shares);
            let found = Toss::of(&self.behind, &self.shares, keys.len() / width);
            if found.is_none() || toss.as_ref().is_some_and(|toss| Some(toss) != found.as_ref()) {
                return Ok(false);
            }
            *toss = found;
            next.insert_all(&mut self.slots, &self.behind.children, &mut self.edges)
                .map_err(refused)?;
        }
        Ok(true)
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
        let keys = self.older_bytes + newest + self.spare.bytes();
        keys + self.slots.bytes() + self.edges.bytes() + self.record.bytes() + values
    }

    fn advance(&mut self, most_steps: u32, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        let newest = self.plies.len() - 1;
        let (width, step) = (self.expander.words(), self.plies[newest].step);
        let expected = self.expected();
        let (shown, first_edge) = (self.record.end(), self.edges.len());
        let mut next = PlyKeys::reusing(std::mem::take(&mut self.spare), width);
        self.slots.reset(expected).map_err(refused)?;
        let mut outcome = match self.folding && most_steps >= 2 {
            true => self.fill_folded(&mut next, watch),
            false => Ok(None),
        };
        if let Ok(None) = outcome {
            self.record.cut(shown);
            self.edges.truncate(first_edge);
            next = PlyKeys::reusing(next.into_words(), width);
            self.slots.reset(expected).map_err(refused)?;
            outcome = self.fill(&mut next, watch).map(|counts| Some((counts, None)));
        }
        let (counts, toss) = match outcome {
            Ok(filled) => filled.expect("a ply is filled with or without folding"),
            Err(trouble) => {
                self.record.cut(shown);
                self.edges.truncate(first_edge);
                return Err(trouble);
            }
        };
        debug_assert_eq!((self.edges.len() - first_edge) as u64, counts.edges, "an id an edge");
        self.check_level(next.words(), step + counts.steps)?;
        self.largest = self.largest.max(next.len());
        let layer = &mut self.plies[newest];
        (layer.expanded, layer.toss) = (Some((shown, first_edge..self.edges.len())), toss);
        if self.level.is_some() {
            self.spare = std::mem::replace(&mut layer.keys, PlyKeys::new(width)).into_words();
        }
        self.older_bytes += layer.keys.bytes();
        self.plies.push(Layer::new(next, step + counts.steps));
        Ok(counts)
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

    fn back_up(
        &mut self,
        ply: usize,
        leaf: Leaf,
        scale: &Scale,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        self.make_room_for_values();
        let mut below = std::mem::take(&mut self.values[(ply + 1) % 2]);
        let mut out = std::mem::take(&mut self.values[ply % 2]);
        assert!(leaf != Leaf::Expanded || below.ply == Some(ply + 1), "plies back up in order");
        let outcome = self.back_up_blocks(ply, leaf, scale, &below, &mut out, watch);
        below.ply = below.ply.filter(|_| outcome.is_err() || leaf == Leaf::Expanded);
        out.ply = outcome.is_ok().then_some(ply);
        out.limbs = scale.limbs;
        self.values[(ply + 1) % 2] = below;
        self.values[ply % 2] = out;
        outcome
    }

    fn root_edges(&mut self) -> Result<Vec<RootEdge>, Trouble> {
        assert!(self.plies.len() > 1, "the root was expanded");
        self.view(0, 0, &mut Cursor::default())?;
        reduce(&self.expansion.joints, &mut self.shares);
        let below = &self.values[1];
        let value = |id: u32| match below.ply {
            Some(1) => {
                let from = id as usize * below.limbs;
                below.words.as_slice()[from..from + below.limbs].to_vec()
            }
            _ => Vec::new(),
        };
        let ids = self.edges.as_slice();
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
        let width = self.expander.words();
        let mut all: PlyKeys<W> = PlyKeys::new(width);
        let mut ids = HugeVec::new();
        self.slots.reset(self.largest).map_err(refused)?;
        for ply in 0..self.plies.len() {
            for block in self.plies[ply].keys.words().chunks(BLOCK_LANES * width) {
                self.check_limits(watch, all.bytes() + all.bytes() / 4, WHOLE)?;
                ids.clear();
                all.insert_all(&mut self.slots, block, &mut ids).map_err(refused)?;
            }
        }
        let mut counts = PlyCounts::default();
        for block in all.words().chunks(BLOCK_LANES * width) {
            let lanes = block.len() / width;
            self.expander.expand(block, false, &mut self.expansion).map_err(|flaw| {
                let key = block[flaw.lane * width..(flaw.lane + 1) * width].to_vec();
                Trouble::Flaw { key, kind: flaw.kind }
            })?;
            self.count(lanes, &mut counts);
        }
        Ok((counts.states, counts.decisions))
    }
}
