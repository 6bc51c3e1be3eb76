//! The backward pass over one ply: values of its blocks from what the forward pass kept.
//!
//! A block is read from the record (or viewed, where its ply was never expanded) and folded with
//! the recorded ids of the children ([`Folder`]), many blocks at a time by several threads where all
//! is in memory ([`Layers::batch`]). Values that do not fit in memory go to disk, and are looked up
//! range by range.
//!
//! Always: each recorded edge is read once; values of a ply are written as one run, in id order.

use std::ops::Range;

use kernel::BLOCK_LANES;
use store::{Coding, HugeVec};
use verdict::{HaltReason, Watch};

use super::super::feed::Feed;
use super::super::registers::Children;
use super::super::runs::FRAME;
use super::super::spool::{PIECE, Spool, Spooled};
use super::super::values::{Sink, ValueKeeper, Values};
use super::Layers;
use super::batches::Common;
use super::fold::{Folder, children};
use crate::backend::{Leaf, Scale, Trouble};
use crate::limits::{BACKWARD_SHARE, refused};
use crate::storage::StorageFault;

/// Values, in words, that are in memory in any case.
const ALWAYS_HELD: usize = 1 << 16;
/// Bytes of values that are looked up together, at least, and what looking up takes beside them.
const LEAST_RANGE: u64 = 1 << 20;
const RANGE_BUFFERS: u64 = 4 << 20;
/// Bytes of a range's values on their way to and from disk.
const PIECE_BYTES: u64 = (2 * PIECE * size_of::<u64>()) as u64;

impl<const W: usize> Layers<W> {
    /// Gives the memory that only the forward pass needs to values.
    pub(super) fn make_room_for_values(&mut self) {
        for (values, words) in
            self.values.iter_mut().zip([self.slots.take_words(), std::mem::take(&mut self.spare)])
        {
            if values.words.bytes() < words.bytes() && values.ply.is_none() {
                values.words = words;
                values.words.clear();
            }
        }
    }

    pub(super) fn back_up_blocks(
        &mut self,
        ply: usize,
        leaf: Leaf,
        scale: &Scale,
        below: &mut Values,
        out: &mut Values,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let mut sink = self.sink(ply, scale, below, out, watch)?;
        let mut held = below.bytes() + out.bytes();
        let gathered = match leaf == Leaf::Expanded && below.bytes_away().is_some() {
            true => Some(self.gather(ply, below, held, watch)?),
            false => None,
        };
        held += gathered.as_ref().map_or(0, |gathered| gathered.bytes);
        let in_memory = matches!(sink, Sink::Memory) && gathered.is_none();
        let mut lookup = Lookup { below, gathered, values: Vec::new(), ids: Vec::new() };
        let mut folder = Folder::new(scale);
        let (mut shown, edges) = self.plies[ply].expanded.clone().unwrap_or_default();
        let mut cursor = edges.start;
        let mut keeper = self.value_keeper(ply, scale.limbs)?;
        let mut apart = vec![0; BLOCK_LANES * scale.limbs];
        let exact = self.keeping_values && !scale.bounds;
        let feed = self.feed.clone().filter(|_| exact && self.plies[ply].states > 0);
        if let Some(feed) = &feed {
            feed.borrow_mut().begin(self.plies[ply].step, scale);
        }
        let several = leaf == Leaf::Expanded && feed.is_none() && in_memory;
        let mut team = if several { self.team(ply, scale, held, watch) } else { None };
        let mut block = 0;
        while block < self.blocks(ply) {
            self.check_limits(watch, held, BACKWARD_SHARE)?;
            let from = block * BLOCK_LANES * scale.limbs;
            if let Some(team) = &mut team
                && let Some(batch) = self.batch(ply, block, (shown, cursor), team)
            {
                (shown, cursor) = (shown + batch.record, cursor + batch.edges);
                block += batch.blocks;
                let to = out.words.len().min(block * BLOCK_LANES * scale.limbs);
                let target = &mut out.words.as_mut_slice()[from..to];
                let below = (lookup.below.words.as_slice(), lookup.below.limbs);
                let common = Common { toss: self.plies[ply].toss.as_ref(), scale, below };
                team.back_up(batch, &common, target);
                if let Some(keeper) = &mut keeper {
                    for values in target.chunks(BLOCK_LANES * scale.limbs) {
                        keeper.add(values)?;
                    }
                }
                continue;
            }
            let lanes = self.view(ply, block, &mut shown)?;
            if feed.is_some() {
                self.marks.begin(lanes);
            }
            if leaf == Leaf::Expanded {
                let outcomes = self.plies[ply].toss.as_ref().map_or(1, |toss| toss.weights.len());
                let count = children(&self.expansion) * outcomes;
                self.with_edges(cursor..cursor + count, |layers, ids| {
                    let below = lookup.of(ids)?;
                    let (found, toss) = (&layers.expansion, layers.plies[ply].toss.as_ref());
                    let marks = feed.is_some().then_some(&mut layers.marks);
                    folder.fold(found, toss, scale, &below, marks);
                    Ok(())
                })?;
                cursor += count;
            }
            let target = match &sink {
                Sink::Memory => &mut out.words.as_mut_slice()[from..from + lanes * scale.limbs],
                Sink::Away(_) => &mut apart[..lanes * scale.limbs],
            };
            folder.write(&self.expansion, leaf, scale, target);
            if let Some(keeper) = &mut keeper {
                keeper.add(target)?;
            }
            if let Some(feed) = &feed {
                self.feed_block(&mut feed.borrow_mut(), ply, block, target)?;
            }
            if let Sink::Away(spool) = &mut sink {
                spool.extend(0, target)?;
            }
            block += 1;
        }
        self.crew = team.map(|team| team.crew).or(self.crew.take());
        let read = if leaf == Leaf::Expanded { edges.end } else { edges.start };
        assert_eq!(cursor, read, "the backward pass reads each edge once");
        if let Some(feed) = &feed {
            feed.borrow_mut().end()?;
        }
        sink.finish(out)?;
        keeper.map_or(Ok(()), ValueKeeper::finish).map_err(Trouble::from)
    }

    /// Hands a block with its values to the table.
    fn feed_block(
        &mut self,
        feed: &mut Feed,
        ply: usize,
        block: usize,
        values: &[u64],
    ) -> Result<(), Trouble> {
        let width = self.expander.words();
        let window = &mut self.windows.keys;
        let keys = self.plies[ply].block(block, width, &mut self.trail, window)?;
        feed.learn(&self.expansion, &*self.expander);
        Ok(feed.add(keys, values, &self.marks)?)
    }

    /// Makes room for the values of a ply: in memory where they fit, the children's too if they do.
    fn sink(
        &mut self,
        ply: usize,
        scale: &Scale,
        below: &mut Values,
        out: &mut Values,
        watch: &Watch<'_>,
    ) -> Result<Sink, Trouble> {
        out.clear();
        if let Some(bytes) = below.bytes_away()
            && self.fits(watch, bytes + out.bytes())?
        {
            below.bring_in(&mut self.patience(watch))?;
        }
        let words = self.plies[ply].states * scale.limbs;
        let held = below.bytes() + out.words.bytes_for(words);
        let small = if self.trail.is_thrifty() { 64 } else { ALWAYS_HELD };
        if words > small && !self.fits(watch, held)? {
            out.words = HugeVec::new();
            return Ok(Sink::away(&self.trail.folder())?);
        }
        out.words.resize(words, 0).map_err(refused)?;
        Ok(Sink::Memory)
    }

    /// What ends a long reading of values at an interrupt and in time.
    fn patience<'a>(
        &self,
        watch: &'a Watch<'_>,
    ) -> impl FnMut() -> Result<(), Trouble> + use<'a, W> {
        let (limits, watch) = (self.limits, Watch { memory: None, ..*watch });
        move || limits.check(&watch, 0, BACKWARD_SHARE)
    }

    /// Whether so many bytes fit; where nothing may be kept on disk, it is a limit if they do not.
    fn fits(&mut self, watch: &Watch<'_>, bytes: u64) -> Result<bool, Trouble> {
        match self.check_limits(watch, bytes, BACKWARD_SHARE) {
            Err(Trouble::Limit(HaltReason::Memory { .. })) if self.trail.can_spill() => Ok(false),
            checked => checked.map(|()| !self.trail.is_thrifty()),
        }
    }

    /// Looks all children of a ply up in values that are on disk: range by range, each range in
    /// memory while all edges pass by. `held` bytes are held beside.
    fn gather(
        &mut self,
        ply: usize,
        below: &Values,
        held: u64,
        watch: &Watch<'_>,
    ) -> Result<Gathered, Trouble> {
        let limbs = below.limbs;
        let bytes = below.bytes_away().expect("values on disk");
        let span = match self.trail.is_thrifty() {
            true => 1 << 12,
            false => span_of(bytes, |needed| self.fits(watch, held + needed))?,
        };
        let states = (bytes / 8) as usize / limbs;
        let span = (span as usize / 8 / limbs).clamp(1, states.max(1));
        let ranges = states.div_ceil(span).max(1);
        let mut spool = Spool::new(&self.trail.folder(), ranges, Coding::Plain)?;
        let (_, edges) = self.plies[ply].expanded.clone().unwrap_or_default();
        for range in 0..ranges {
            let places = range * span..((range + 1) * span).min(states);
            let words = places.start * limbs..places.end * limbs;
            let values = below.read(words, &mut self.patience(watch))?;
            for from in edges.clone().step_by(FRAME) {
                self.check_limits(watch, held + values.bytes() + spool.bytes(), BACKWARD_SHARE)?;
                self.with_edges(from..edges.end.min(from + FRAME), |_, ids| {
                    for id in ids.iter().filter(|id| places.contains(&(**id as usize))) {
                        let at = (*id as usize - places.start) * limbs;
                        spool.extend(range, &values.as_slice()[at..at + limbs])?;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(Gathered { spooled: spool.finish()?, span, bytes: ranges as u64 * PIECE_BYTES })
    }

    /// Lets `work` read edges.
    fn with_edges(
        &mut self,
        places: Range<usize>,
        work: impl FnOnce(&mut Self, &[u32]) -> Result<(), StorageFault>,
    ) -> Result<(), Trouble> {
        let mut trail = std::mem::take(&mut self.trail);
        let mut window = std::mem::take(&mut self.windows.edges);
        let read = trail.edges(places.start, places.end, &mut window);
        let read = read.and_then(|ids| work(self, ids));
        self.windows.edges = window;
        self.trail = trail;
        Ok(read?)
    }

    /// What keeps the values of a ply for a later process, where they are kept.
    fn value_keeper(&self, ply: usize, limbs: usize) -> Result<Option<ValueKeeper>, Trouble> {
        let sizes = (limbs, self.plies[ply].states);
        match self.trail.checkpoint() {
            Some(checkpoint) if self.keeping_values && ply > 0 => {
                Ok(ValueKeeper::new(checkpoint, ply, sizes, self.trail.plies())?)
            }
            _ => Ok(None),
        }
    }
}

/// The values of all children of a ply in the order of its edges, apart by ranges of places.
struct Gathered {
    spooled: Spooled<u64>,
    /// Places of a range.
    span: usize,
    /// Bytes in memory, at most.
    bytes: u64,
}

/// Bytes of values that are looked up together, where there are `bytes` of them: as many as fit.
/// Each range costs a piece of its own until the ply is done, so that below some size more ranges
/// take more memory.
fn span_of(bytes: u64, mut fits: impl FnMut(u64) -> Result<bool, Trouble>) -> Result<u64, Trouble> {
    let needed = |span: u64| span + bytes.div_ceil(span) * PIECE_BYTES + RANGE_BUFFERS;
    let mut span = bytes.max(LEAST_RANGE);
    while span / 2 >= LEAST_RANGE && needed(span / 2) < needed(span) && !fits(needed(span))? {
        span /= 2;
    }
    Ok(span)
}

/// Where the values of children are found.
struct Lookup<'a> {
    below: &'a Values,
    /// Where they are on disk.
    gathered: Option<Gathered>,
    /// The values of a block's children, and 0, 1, ... as their places.
    values: Vec<u64>,
    ids: Vec<u32>,
}

impl Lookup<'_> {
    /// The children at these places, which are asked for in the order of the edges.
    fn of<'a>(&'a mut self, ids: &'a [u32]) -> Result<Children<'a>, StorageFault> {
        let limbs = self.below.limbs;
        let Some(gathered) = &mut self.gathered else {
            return Ok(Children { values: self.below.words.as_slice(), limbs, ids });
        };
        self.values.clear();
        for id in ids {
            let range = *id as usize / gathered.span;
            self.values.extend_from_slice(gathered.spooled.next(range, limbs)?);
        }
        self.ids.extend(self.ids.len() as u32..ids.len() as u32);
        Ok(Children { values: &self.values, limbs, ids: &self.ids[..ids.len()] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_as_large_as_fit_and_not_so_many_that_they_take_more() {
        let within = |bytes: u64, room: u64| span_of(bytes, |needed| Ok(needed <= room));
        let span = |bytes, room| within(bytes, room).expect("no limit");
        assert_eq!(span(1 << 30, u64::MAX), 1 << 30);
        assert_eq!(span(1 << 30, 300 << 20), 1 << 28);
        // Nothing fits: the pieces of all ranges and a range take about as much.
        let (bytes, least) = (1 << 34, span(1 << 34, 0));
        assert!(bytes / least * PIECE_BYTES <= 2 * least, "{least} bytes a range");
        assert_eq!(span(5, 0), LEAST_RANGE);
    }
}
