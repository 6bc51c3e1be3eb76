//! The sweep's plies on the processor: keys in a hash table a ply, edges as child ids.
//!
//! Forward, a ply is expanded block by block; the children of a block are inserted into the next
//! ply's table and their ids recorded in the order of emission. Backward, the same blocks are
//! viewed again (which costs a tenth of an expansion) and the recorded ids are read in the same
//! order, so an edge costs 4 bytes and one gather.
//!
//! Always: ids of a ply are dense in order of discovery; a ply's edges are complete or absent;
//! only two plies of values exist at a time, in two buffers that are kept.
//!
//! Refused: finding children again by look-up in the backward pass (twice the misses), and
//! sorting keys within a ply (destroys the locality that discovery order has).

use exact::Bounds;
use kernel::{BLOCK_LANES, Expander, Expansion, Joint};
use store::{HugeVec, OutOfMemory};
use verdict::{HaltReason, Watch};

use super::level::LevelTables;
use super::plies::{BACKWARD_SHARE, FORWARD_SHARE, over};
use super::registers::{
    BoundsRegisters, Children, NarrowRegisters, Registers, Share, WideRegisters,
    for_lanes,
};
use super::table::{PlyKeys, Slots};
use crate::backend::{Leaf, PlyCounts, RootEdge, Scale, SweepBackend, Trouble};

/// One ply.
struct Layer<const W: usize> {
    keys: PlyKeys<W>,
    /// Ids of children in the next ply, in order of emission; empty where not expanded.
    edges: HugeVec<u32>,
}

impl<const W: usize> Layer<W> {
    fn new(width: usize) -> Self {
        Self { keys: PlyKeys::new(width), edges: HugeVec::new() }
    }

    fn bytes(&self) -> u64 {
        self.keys.bytes() + self.edges.bytes()
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
    slots: Slots,
    expansion: Expansion,
    shares: Vec<(u32, u32)>,
    values: [Values; 2],
    /// Resident bytes of the process that are not counted here.
    base_bytes: u64,
    /// Bytes of plies that are not the newest.
    older_bytes: u64,
    largest: usize,
}

/// A backend for keys of the expander's width.
pub(crate) fn on_processor(
    expander: Box<dyn Expander>,
    level: Option<LevelTables>,
    root: &[u64],
) -> Result<Box<dyn SweepBackend>, Trouble> {
    Ok(match expander.words() {
        1 => Box::new(Layers::<1>::new(expander, level, root)?),
        2 => Box::new(Layers::<2>::new(expander, level, root)?),
        3 => Box::new(Layers::<3>::new(expander, level, root)?),
        4 => Box::new(Layers::<4>::new(expander, level, root)?),
        _ => Box::new(Layers::<0>::new(expander, level, root)?),
    })
}

fn refused(error: OutOfMemory) -> Trouble {
    Trouble::Limit(HaltReason::Memory { needed: error.bytes })
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
    ) -> Result<Self, Trouble> {
        let width = expander.words();
        assert_eq!(root.len(), width, "the root is one key");
        let mut slots = Slots::new();
        slots.reset(1).map_err(refused)?;
        let mut first = Layer::new(width);
        let mut ids = HugeVec::new();
        first.keys.insert_all(&mut slots, root, &mut ids).map_err(refused)?;
        let layers = Self {
            expander,
            level,
            plies: vec![first],
            slots,
            expansion: Expansion::default(),
            shares: Vec::new(),
            values: [Values::default(), Values::default()],
            base_bytes: store::resident_bytes().unwrap_or(0),
            older_bytes: 0,
            largest: 1,
        };
        layers.check_level(0)?;
        Ok(layers)
    }

    /// Checks the guess on every state of a ply.
    fn check_level(&self, ply: usize) -> Result<(), Trouble> {
        let Some(level) = &self.level else { return Ok(()) };
        let width = self.expander.words();
        let words = self.plies[ply].keys.words();
        let broken = words.chunks_exact(width).any(|key| level.level(key) != ply as i64);
        if broken { Err(Trouble::LevelBroken) } else { Ok(()) }
    }

    /// Whether a limit is met, with `extra` bytes about to be used.
    fn check_limits(&self, watch: &Watch<'_>, extra: u64, share: f64) -> Result<(), Trouble> {
        if watch.interrupted() {
            return Err(Trouble::Limit(HaltReason::Interrupt));
        }
        if over(watch, share) {
            return Err(Trouble::Limit(HaltReason::Time));
        }
        if let Some(limit) = watch.memory {
            let needed = self.base_bytes + self.bytes() + extra;
            if needed > limit {
                return Err(Trouble::Limit(HaltReason::Memory { needed }));
            }
        }
        Ok(())
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
        self.plies[ply].keys.len().div_ceil(BLOCK_LANES)
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
    fn fill(
        &mut self,
        next: &mut PlyKeys<W>,
        edges: &mut HugeVec<u32>,
        watch: &Watch<'_>,
    ) -> Result<PlyCounts, Trouble> {
        let newest = self.plies.len() - 1;
        let mut counts = PlyCounts::default();
        for block in 0..self.blocks(newest) {
            let growing = next.bytes() + edges.bytes();
            let values = 16 * self.largest.max(next.len()) as u64;
            self.check_limits(watch, growing + growing / 4 + values, FORWARD_SHARE)?;
            let lanes = self.expand(newest, block, true)?;
            self.count(lanes, &mut counts);
            next.insert_all(&mut self.slots, &self.expansion.children, edges).map_err(refused)?;
        }
        debug_assert_eq!(edges.len() as u64, counts.edges, "one id an edge");
        Ok(counts)
    }

    /// Makes the registers that a scale asks for.
    fn registers(scale: &Scale) -> Box<dyn Registers> {
        match scale.limbs {
            _ if scale.bounds => Box::new(BoundsRegisters::new()),
            1 => Box::new(NarrowRegisters::<u64>::new()),
            2 => Box::new(NarrowRegisters::<u128>::new()),
            limbs => Box::new(WideRegisters::new(limbs)),
        }
    }

    /// Folds the joint moves of the block viewed last; `cursor` counts the edges read.
    fn fold(
        &self,
        registers: &mut dyn Registers,
        ply: usize,
        scale: &Scale,
        below: &Values,
        cursor: &mut usize,
    ) {
        let edges = self.plies[ply].edges.as_slice();
        registers.begin_block();
        let (mut first_of_asked, mut first) = (true, true);
        let mut asked_mask = [0; kernel::BLOCK_WORDS];
        for (joint, &(weight, total)) in self.expansion.joints.iter().zip(&self.shares) {
            if first_of_asked {
                registers.begin_asked();
                asked_mask.fill(0);
            }
            let count: u32 = joint.mask.iter().map(|word| word.count_ones()).sum();
            let ids = &edges[*cursor..*cursor + count as usize];
            *cursor += count as usize;
            let children =
                Children { values: below.words.as_slice(), limbs: below.limbs, ids };
            let factor = scale.step / u128::from(total) * u128::from(weight);
            registers.add(&joint.mask, &children, Share { factor, weight, total, first });
            for (sum, word) in asked_mask.iter_mut().zip(&joint.mask) {
                *sum |= word;
            }
            (first, first_of_asked) = (joint.last_of_pair, joint.last_of_asked);
            if joint.last_of_pair {
                registers.end_pair(&joint.mask, 1);
            }
            if joint.last_of_asked {
                registers.end_asked(&asked_mask);
            }
        }
    }

    /// Writes the values of a block of `lanes` states.
    fn write_block(
        &self,
        registers: &dyn Registers,
        lanes: usize,
        leaf: Leaf,
        scale: &Scale,
        out: &mut [u64],
    ) {
        let limbs = scale.limbs;
        for (lane, value) in out.chunks_exact_mut(limbs).enumerate().take(lanes) {
            match leaf {
                Leaf::Expanded => registers.store(lane, value),
                Leaf::Worthless => value.fill(0),
                Leaf::Won => pay(value, scale.top, scale),
            }
        }
        for_lanes(&self.expansion.terminal, |lane| {
            let value = &mut out[lane * limbs..(lane + 1) * limbs];
            pay(value, self.expansion.payoff[lane], scale);
        });
    }

    fn back_up_blocks(
        &mut self,
        ply: usize,
        leaf: Leaf,
        scale: &Scale,
        below: &Values,
        out: &mut Values,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let states = self.plies[ply].keys.len();
        let needed = out.words.bytes_for(states * scale.limbs) - out.words.bytes();
        self.check_limits(watch, needed, BACKWARD_SHARE)?;
        out.words.resize(states * scale.limbs, 0).map_err(refused)?;
        let mut registers = Self::registers(scale);
        let mut cursor = 0;
        for block in 0..self.blocks(ply) {
            self.check_limits(watch, 0, BACKWARD_SHARE)?;
            let lanes = self.expand(ply, block, false)?;
            if leaf == Leaf::Expanded {
                reduce(&self.expansion.joints, &mut self.shares);
                self.fold(&mut *registers, ply, scale, below, &mut cursor);
            }
            let from = block * BLOCK_LANES * scale.limbs;
            let target = &mut out.words.as_mut_slice()[from..from + lanes * scale.limbs];
            self.write_block(&*registers, lanes, leaf, scale, target);
        }
        let read = if leaf == Leaf::Expanded { self.plies[ply].edges.len() } else { 0 };
        assert_eq!(cursor, read, "the backward pass reads each edge once");
        Ok(())
    }
}

/// Writes `payment` over the scale's denominator.
fn pay(value: &mut [u64], payment: u32, scale: &Scale) {
    if scale.bounds {
        (value[0], value[1]) = Bounds::fraction(payment.into(), scale.top.into()).raw();
        return;
    }
    let mut carry = 0u128;
    for (word, &unit) in value.iter_mut().zip(&scale.unit) {
        carry += u128::from(unit) * u128::from(payment);
        *word = carry as u64;
        carry >>= 64;
    }
    assert_eq!(carry, 0, "a payment fits in the ply's denominator");
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
        self.plies[ply].keys.len() as u64
    }

    fn bytes(&self) -> u64 {
        let values: u64 = self.values.iter().map(|values| values.words.bytes()).sum();
        let newest = self.plies.last().map_or(0, Layer::bytes);
        self.older_bytes + newest + self.slots.bytes() + values
    }

    fn advance(&mut self, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        let newest = self.plies.len() - 1;
        self.slots.reset(self.plies[newest].keys.len()).map_err(refused)?;
        let mut next = PlyKeys::new(self.expander.words());
        let mut edges = HugeVec::new();
        let counts = self.fill(&mut next, &mut edges, watch)?;
        next.shrink();
        edges.shrink_to_fit();
        self.largest = self.largest.max(next.len());
        self.plies[newest].edges = edges;
        self.older_bytes += self.plies[newest].bytes();
        self.plies.push(Layer { keys: next, edges: HugeVec::new() });
        let checked = self.check_level(newest + 1);
        debug_assert!(checked.is_err() || self.plies.len() == newest + 2);
        checked.map(|()| counts)
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
        _below: &Scale,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
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
        self.expand(0, 0, false)?;
        reduce(&self.expansion.joints, &mut self.shares);
        let below = &self.values[1];
        let value = |id: u32| match below.ply {
            Some(1) => {
                let from = id as usize * below.limbs;
                below.words.as_slice()[from..from + below.limbs].to_vec()
            }
            _ => Vec::new(),
        };
        let entries = self.expansion.joints.iter().zip(&self.shares);
        Ok(entries
            .zip(self.plies[0].edges.as_slice())
            .map(|((joint, &(weight, total)), &id)| RootEdge {
                asked: joint.asked,
                opponents: joint.opponents,
                weight,
                total,
                value: value(id),
            })
            .collect())
    }

    fn root_value(&self) -> Option<Vec<u64>> {
        let root = &self.values[0];
        (root.ply == Some(0)).then(|| root.words.as_slice()[..root.limbs].to_vec())
    }

    fn distinct_states(&mut self, watch: &Watch<'_>) -> Result<(u64, u64), Trouble> {
        let width = self.expander.words();
        let mut all: PlyKeys<W> = PlyKeys::new(width);
        let mut ids = HugeVec::new();
        self.slots.reset(self.largest).map_err(refused)?;
        for ply in 0..self.plies.len() {
            for block in self.plies[ply].keys.words().chunks(BLOCK_LANES * width) {
                self.check_limits(watch, all.bytes() + all.bytes() / 4, 1.0)?;
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
