//! The forward pass over one ply: its blocks expanded, their children made distinct.
//!
//! Where the children and their table fit in memory they are inserted as they come; else they are
//! scattered to parts and put together again. A ply that met a lack of memory on its way is begun
//! again in parts.
//!
//! Always: a ply is whole or absent; the guess that states determine their ply is checked on each.

use std::ops::Range;

use kernel::BLOCK_LANES;
use store::HugeVec;
use verdict::{HaltReason, Progress, Watch};

use super::super::parts::Scatter;
use super::super::past::PastPly;
use super::super::record;
use super::super::table::{PlyKeys, Slots};
use super::super::toss::{Distinct, Toss};
use super::{Layer, Layers, key_bits, reduce};
use crate::backend::{PlyCounts, SweepBackend, Trouble};
use crate::limits::{FORWARD_SHARE, WHOLE, refused};

/// Blocks after which progress is told.
const TOLD_BLOCKS: usize = 64;
/// Blocks that show whether a ply's tosses can be folded.
const TRIED_BLOCKS: usize = 4;
/// Share of a ply's blocks after which it is foreseen how many states follow.
const FORESEEING: usize = 16;
/// Bytes of the table for a state, about, while it is built.
const SLOT_BYTES: u64 = 24;

impl<const W: usize> Layers<W> {
    /// Checks the guess on all states of a step.
    pub(super) fn check_level(&self, words: &[u64], step: u32) -> Result<(), Trouble> {
        let Some(level) = &self.level else { return Ok(()) };
        let width = self.expander.words();
        let broken = words.chunks_exact(width).any(|key| level.level(key) != i64::from(step));
        if broken { Err(Trouble::LevelBroken) } else { Ok(()) }
    }

    /// Writes what is new, where it is written as it comes.
    fn pour(&mut self, next: &PlyKeys<W>) -> Result<(), Trouble> {
        if self.trail.is_streaming() {
            self.trail.pour()?;
            if self.trail.wants_keys() {
                self.keys_written +=
                    self.trail.pour_keys(&next.words()[self.keys_written..], false)?;
            }
        }
        Ok(())
    }

    /// About how many states the next ply will have, if plies go on growing as they did.
    pub(super) fn expected(&self) -> usize {
        let states = |back: usize| {
            self.plies.len().checked_sub(back).map_or(1, |ply| self.plies[ply].states.max(1))
        };
        let quarters = (4 * states(1) / states(2)).clamp(4, 12);
        states(1) * quarters / 4
    }

    /// Whether so many states with their table would not fit in memory, so that their ply is found
    /// part by part from the start.
    pub(super) fn is_too_large(&self, states: usize, watch: &Watch<'_>) -> bool {
        let kept = self.bytes() - self.trail.bytes() - self.slots.bytes() - self.spare.bytes();
        let needed = states as u64 * (8 * self.expander.words() as u64 + SLOT_BYTES);
        let met = self.limits.met(watch, kept + needed, WHOLE);
        let short = matches!(met, Some(HaltReason::Memory { .. })) || self.trail.is_thrifty();
        self.trail.can_spill() && short
    }

    /// Expands the newest ply into a new one; `parted` where it is found part by part. On an error
    /// nothing is left of it.
    pub(super) fn grow(
        &mut self,
        most_steps: u32,
        parted: bool,
        watch: &Watch<'_>,
    ) -> Result<PlyCounts, Trouble> {
        let grown = self.try_to_grow(most_steps, parted, watch);
        self.leave_ahead();
        self.scatter = None;
        match grown {
            // The trail cannot be written to any more.
            Err(Trouble::Storage(_)) | Ok(_) => grown,
            Err(trouble) => {
                self.trail.cut()?;
                if matches!(trouble, Trouble::Limit(HaltReason::Memory { .. })) {
                    self.give_back();
                }
                Err(trouble)
            }
        }
    }

    /// Gives back what only a ply that did not fit needed: it may be more than the limit, and what
    /// follows, be it bounds, has to stay below it.
    fn give_back(&mut self) {
        (self.slots, self.spare) = (Slots::new(key_bits(&*self.expander)), HugeVec::new());
        self.trail.give_back();
    }

    fn try_to_grow(
        &mut self,
        most_steps: u32,
        parted: bool,
        watch: &Watch<'_>,
    ) -> Result<PlyCounts, Trouble> {
        if parted {
            self.trail.make_room()?;
            (self.slots, self.spare) = (Slots::new(key_bits(&*self.expander)), HugeVec::new());
        }
        let width = self.expander.words();
        let (shown, first_edge, first_key) = self.trail.ends();
        let mut next = PlyKeys::reusing(std::mem::take(&mut self.spare), width);
        let (counts, toss) = self.fill_somehow(&mut next, most_steps, parted, watch)?;
        let step = self.plies[self.plies.len() - 1].step + counts.steps;
        let mut layer = match self.scatter.take() {
            Some(scatter) => self.put_together(scatter, step, watch)?,
            None => {
                self.check_level(next.words(), step)?;
                if self.trail.wants_keys() {
                    self.trail.pour_keys(&next.words()[self.keys_written..], true)?;
                }
                self.largest = self.largest.max(next.len());
                Layer::new(next, step)
            }
        };
        let (shown_to, last_edge, last_key) = self.trail.ends();
        debug_assert_eq!((last_edge - first_edge) as u64, counts.edges, "an id an edge");
        layer.written_at = self.trail.wants_keys().then_some(first_key..last_key);
        let ply = PastPly {
            counts: counts.clone(),
            toss,
            record: (shown_to - shown) as u64,
            edges: (last_edge - first_edge) as u64,
            key_words: (last_key - first_key) as u64,
            children: layer.states as u64,
            folding: self.folding,
        };
        self.trail.seal(&ply.words())?;
        if layer.keys_at.is_some() {
            self.trail.close()?;
        }
        self.add(layer, (shown, first_edge..last_edge), ply.toss);
        Ok(counts)
    }

    /// Makes a ply the newest; the one before is expanded now.
    fn add(&mut self, layer: Layer<W>, expanded: (usize, Range<usize>), toss: Option<Toss>) {
        let width = self.expander.words();
        let parent = self.plies.last_mut().expect("the root at least");
        (parent.expanded, parent.toss) = (Some(expanded), toss);
        // Keys that are wanted stay until they are in the trail; those of the root never are.
        let written = parent.written_at.is_some() || !self.trail.wants_keys();
        if self.level.is_some() && written {
            self.spare = std::mem::replace(&mut parent.keys, PlyKeys::new(width)).into_words();
            parent.keys_at = parent.keys_at.take().or(parent.written_at.take());
        }
        self.older_bytes += parent.keys.bytes();
        self.plies.push(layer);
    }

    /// Fills the next ply, with a toss folded in if that can be.
    fn fill_somehow(
        &mut self,
        next: &mut PlyKeys<W>,
        most_steps: u32,
        parted: bool,
        watch: &Watch<'_>,
    ) -> Result<(PlyCounts, Option<Toss>), Trouble> {
        let expected = if parted { 1 } else { self.expected() };
        self.prepare(expected, parted)?;
        if self.folding
            && most_steps >= 2
            && let Some(filled) = self.fill_folded(next, watch)?
        {
            return Ok(filled);
        }
        self.trail.cut()?;
        let words = std::mem::replace(next, PlyKeys::new(self.expander.words())).into_words();
        *next = PlyKeys::reusing(words, self.expander.words());
        self.prepare(expected, parted)?;
        Ok((self.fill(next, watch)?, None))
    }

    /// Makes an empty table, or empty parts.
    fn prepare(&mut self, expected: usize, parted: bool) -> Result<(), Trouble> {
        self.keys_written = 0;
        self.slots.reset(expected).map_err(refused)?;
        if parted {
            self.scatter = Some(Scatter::new(&self.trail.folder(), self.expander.words())?);
        }
        Ok(())
    }

    /// The states of a ply from its parts; the places of all children go to the trail.
    fn put_together(
        &mut self,
        scatter: Scatter,
        step: u32,
        watch: &Watch<'_>,
    ) -> Result<Layer<W>, Trouble> {
        let (_, _, first_key) = self.trail.ends();
        let mut parts = scatter.finish(&self.trail.folder())?;
        let mut slots = std::mem::replace(&mut self.slots, Slots::new(key_bits(&*self.expander)));
        while let Some(sorted) =
            parts.next::<W>(&mut slots, |bytes| self.check_limits(watch, bytes, FORWARD_SHARE))?
        {
            self.check_level(&sorted, step)?;
            self.trail.pour_keys(&sorted, true)?;
        }
        self.slots = slots;
        let mut places = parts.places()?;
        while places.take(self.trail.tails().1)? {
            self.trail.pour()?;
            self.check_limits(watch, self.trail.bytes() / 4, FORWARD_SHARE)?;
        }
        let (_, _, last_key) = self.trail.ends();
        let width = self.expander.words();
        let states = (last_key - first_key) / width;
        let layer = Layer::new(PlyKeys::new(width), step);
        Ok(Layer { states, keys_at: Some(first_key..last_key), ..layer })
    }

    /// Checks the limits before a block of the newest ply grows the next one.
    fn check_growth(&mut self, next: &PlyKeys<W>, watch: &Watch<'_>) -> Result<(), Trouble> {
        let growing = next.bytes() + self.trail.bytes();
        // Values that do not fit can be kept on disk, if anything can.
        let reserved = if self.trail.can_spill() { 0 } else { self.largest.max(next.len()) };
        let extra = next.bytes() + growing / 4 + 16 * reserved as u64;
        // What is expanded ahead takes room, and a ply goes on without.
        if self.ahead.is_some()
            && let Some(HaltReason::Memory { .. }) =
                self.limits.met(watch, self.bytes() + extra, FORWARD_SHARE)
        {
            self.leave_ahead();
        }
        self.check_limits(watch, extra, FORWARD_SHARE)
    }

    /// Says about how many states there will be, once some blocks are done. Those that are left lead to
    /// fewer new ones: three quarters as many as those before `block`.
    fn foresee(&mut self, ply: usize, block: usize, states: usize) {
        let blocks = self.blocks(ply);
        if block >= blocks.div_ceil(FORESEEING) {
            let left = (states as u128 * (blocks - block) as u128 / block as u128) as usize;
            self.slots.foresee(states + left / 4 * 3);
        }
    }

    /// Tells now and then how far a ply has come.
    fn tell(&self, watch: &Watch<'_>, block: usize) {
        if block % TOLD_BLOCKS == TOLD_BLOCKS - 1 {
            (watch.progress)(&Progress {
                states: (block * BLOCK_LANES) as u64,
                bytes: self.bytes(),
                disk: self.disk_bytes(),
                ..Progress::default()
            });
        }
    }

    /// Expands a block of the newest ply, or takes it from those that were expanded ahead.
    fn next_block(&mut self, newest: usize, block: usize) -> Result<usize, Trouble> {
        if self.ahead.is_some() { self.take_look(newest) } else { self.expand(newest, block, true) }
    }

    /// Expands the newest ply into `next`.
    fn fill(&mut self, next: &mut PlyKeys<W>, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        let newest = self.plies.len() - 1;
        let mut counts = PlyCounts { steps: 1, ..PlyCounts::default() };
        self.look_ahead(newest, 0, false);
        for block in 0..self.blocks(newest) {
            self.check_growth(next, watch)?;
            self.tell(watch, block);
            self.foresee(newest, block, next.len());
            let lanes = self.next_block(newest, block)?;
            self.count(lanes, &mut counts);
            if let Some(quotient) = self.quotient.as_ref().filter(|_| self.ahead.is_none()) {
                quotient.lessen(&mut self.expansion.children);
            }
            let (record, edges) = self.trail.tails();
            record::write(record, lanes, &self.expansion).map_err(refused)?;
            let children = &self.expansion.children;
            match &mut self.scatter {
                Some(scatter) => scatter.take_in(children)?,
                None => next.insert_all(&mut self.slots, children, edges).map_err(refused)?,
            }
            self.pour(next)?;
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
        let (mut toss, mut distinct, mut passed) = (None, Distinct::new(width), 0);
        for block in 0..self.blocks(newest) {
            if block == TRIED_BLOCKS {
                self.look_ahead(newest, block, true);
            }
            self.check_growth(next, watch)?;
            self.tell(watch, block);
            self.foresee(newest, block, next.len());
            let lanes = self.next_block(newest, block)?;
            self.count(lanes, &mut counts);
            let (record, _) = self.trail.tails();
            record::write(record, lanes, &self.expansion).map_err(refused)?;
            let children = std::mem::take(&mut self.expansion.children);
            let window = &mut self.windows.keys;
            let parents = self.plies[newest].block(block, width, &mut self.trail, window)?;
            let folds = counts.totals.iter().all(|total| *total == 1)
                && distinct.take_in(parents, &self.expansion)
                && self.counts_by_orbits(newest, &distinct)
                && self.pass_through(&children, &mut toss, next)?;
            if !folds {
                // A ply that breaks late would cost twice at each step from here on.
                self.folding &= block < TRIED_BLOCKS;
                return Ok(None);
            }
            passed += (children.len() / width) as u64;
            counts.folded +=
                self.expansion.joints.iter().map(|it| self.states_of(&it.mask)).sum::<u64>();
            self.expansion.children = children;
            self.pour(next)?;
        }
        let Some(toss) = toss.filter(|_| distinct.holds()) else { return Ok(None) };
        let window = &mut self.windows.keys;
        let first = &self.plies[newest].block(0, width, &mut self.trail, window)?[..width];
        let sample = distinct.sample(first);
        self.check_level(&sample, step + 1)?;
        counts.edges = passed * toss.weights.len() as u64;
        counts.totals = vec![toss.total];
        Ok(Some((counts, Some(toss))))
    }

    /// Whether what is passed through behind a ply is counted by its states.
    fn counts_by_orbits(&self, ply: usize, distinct: &Distinct) -> bool {
        let quotient = self.quotient.as_ref().filter(|_| ply >= self.reduced_from);
        quotient.is_none_or(|quotient| quotient.counts(distinct))
    }

    /// Expands states that wait for a toss; `false` where they do not, or not for the same one.
    fn pass_through(
        &mut self,
        children: &[u64],
        toss: &mut Option<Toss>,
        next: &mut PlyKeys<W>,
    ) -> Result<bool, Trouble> {
        let width = self.expander.words();
        for (at, keys) in children.chunks(BLOCK_LANES * width).enumerate() {
            if self.ahead.is_some() {
                self.take_behind(at)?;
            } else {
                let expanded = self.expander.expand(keys, true, &mut self.behind);
                expanded.map_err(|flaw| Trouble::flaw(keys, width, flaw))?;
            }
            reduce(&self.behind.joints, &mut self.shares);
            let found = Toss::of(&self.behind, &self.shares, keys.len() / width);
            if found.is_none() || toss.as_ref().is_some_and(|toss| Some(toss) != found.as_ref()) {
                return Ok(false);
            }
            *toss = found;
            if let Some(quotient) = self.quotient.as_ref().filter(|_| self.ahead.is_none()) {
                quotient.lessen(&mut self.behind.children);
            }
            let (children, (_, edges)) = (&self.behind.children, self.trail.tails());
            match &mut self.scatter {
                Some(scatter) => scatter.take_in(children)?,
                None => next.insert_all(&mut self.slots, children, edges).map_err(refused)?,
            }
        }
        Ok(true)
    }
}
