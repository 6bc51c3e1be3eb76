//! The backward pass over one ply: one shader over the edges that the forward pass left.
//!
//! A state's value needs its children's alone, so that a ply can be cut anywhere; it is cut where
//! a buffer of values ends, and by the speed of the cut before, so that no call of the device lasts long.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use exact::Bounds;
use solve::{BACKWARD_SHARE, Leaf, Scale, Trouble};
use verdict::{HaltReason, Watch};

use crate::arena::Region;
use crate::backend::{Chunk, Plies, locked};
use crate::batch::{Batch, View};
use crate::fault::unfit;
use crate::forward::view;
use crate::parts::Part;
use crate::passes::{Params, WIDEST};
use crate::stream::{Stage, Waiting};
use crate::values::spans;

const LONG: Duration = Duration::from_millis(150);
const SHORT: Duration = Duration::from_millis(40);

/// What is done of a ply in one call.
pub(crate) struct Cut {
    pub(crate) chunk: usize,
    /// States of the chunk.
    pub(crate) states: Range<usize>,
}

impl Plies {
    /// Computes the values of a ply.
    pub(crate) fn value(
        &mut self,
        ply: usize,
        leaf: Leaf,
        scale: &Scale,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let at = ply % 2;
        if ply == 0 && leaf != Leaf::Expanded {
            return self.value_root(leaf, scale);
        }
        if scale.bounds {
            return Err(Trouble::Limit(HaltReason::Precision));
        }
        if leaf != Leaf::Expanded && !self.plies[ply].was_seen() {
            assert_eq!(ply + 1, self.plies.len(), "only the newest ply was never looked at");
            self.look(watch)?;
        }
        let limbs = 2 * scale.limbs;
        if limbs > WIDEST as usize {
            return Err(unfit(
                "device-value-width",
                format!("a value has {} bits, and a device does {}", 32 * limbs, 32 * WIDEST),
            ));
        }
        self.stream.stage = Stage::Backward(None, None);
        let seen = self.session.adapter().binding_bytes;
        let spans = spans(&self.plies[ply].parts, (seen / (4 * limbs as u64)) as usize);
        let session = Arc::clone(&self.session);
        self.check(watch, self.values[at].growth(&session, &spans, limbs), BACKWARD_SHARE)?;
        self.values[at].reserve(&session, spans, limbs)?;
        let profile = self.locked_profile();
        self.passes.back_up(&session, limbs as u32, watch, &mut locked(&profile))?;
        self.write_scale(ply, leaf, scale)?;
        if leaf == Leaf::Expanded {
            assert_eq!(self.values[1 - at].ply, Some(ply + 1), "plies back up in order");
        }
        let whole = |(part, one): (usize, &Part)| {
            let (states, edges) = (one.states, Region::default());
            Chunk { part, first: 0, states, joints: None, edges }
        };
        let chunks: Vec<Chunk> = match leaf {
            Leaf::Expanded => self.plies[ply].chunks.clone(),
            _ => self.plies[ply].parts.iter().enumerate().map(whole).collect(),
        };
        self.value_chunks(ply, &chunks, leaf, scale, watch)?;
        self.values[at].ply = Some(ply);
        if ply == 0 {
            self.keep_root(watch)?;
        }
        Ok(())
    }

    /// What the shader multiplies by: a payment of 1, and the step over each total of chance.
    fn write_scale(&mut self, ply: usize, leaf: Leaf, scale: &Scale) -> Result<(), Trouble> {
        let mut words: Vec<u32> =
            scale.unit.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).collect();
        if leaf == Leaf::Expanded {
            let totals = &self.plies[ply].totals;
            let most = totals.last().copied().unwrap_or(0);
            for total in 0..=most {
                let known = totals.binary_search(&total).is_ok();
                let share = if known { scale.step / u128::from(total) } else { 0 };
                assert!(!known || share * u128::from(total) == scale.step, "steps are multiples");
                words.extend((0..4).map(|word| (share >> (32 * word)) as u32));
            }
        }
        assert_eq!(self.scale_bytes(ply, leaf, scale), 4 * words.len() as u64);
        self.scratch.scale.reserve(&self.session, 4 * words.len() as u64)?;
        let buffer = self.scratch.scale.buffer();
        self.session.queue.write_buffer(buffer, 0, bytemuck::cast_slice(&words));
        Ok(())
    }

    /// Bytes of that.
    fn scale_bytes(&self, ply: usize, leaf: Leaf, scale: &Scale) -> u64 {
        let totals = match leaf {
            Leaf::Expanded => 1 + self.plies[ply].totals.last().map_or(0, |total| *total as usize),
            _ => 0,
        };
        4 * (2 * scale.unit.len() + 4 * totals) as u64
    }

    /// Values the chunks, as many in one call as the pace allows.
    fn value_chunks(
        &mut self,
        ply: usize,
        chunks: &[Chunk],
        leaf: Leaf,
        scale: &Scale,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let limbs = 2 * scale.limbs;
        let (mut at, mut start) = (0, 0);
        while at < chunks.len() {
            self.check(watch, 0, BACKWARD_SHARE)?;
            let (mut cuts, mut room) = (Vec::new(), self.pace.products);
            while at < chunks.len() && room > 0 && cuts.len() < 64 {
                if cuts.first().is_some_and(|first: &Cut| {
                    self.is_apart(ply, &chunks[first.chunk], &chunks[at])
                }) {
                    break;
                }
                let joints = chunks[at].joints.as_ref().map_or(1, |joints| joints.count);
                let fits = (room / (joints * limbs)).clamp(64, 1 << 20);
                let fits = fits.min(self.most_gathered(&self.values[1 - ply % 2], joints));
                let states = self.in_one_span(ply, &chunks[at], start..start + fits);
                room = room.saturating_sub(states.len() * joints * limbs);
                let end = states.end;
                if !states.is_empty() {
                    cuts.push(Cut { chunk: at, states });
                }
                (at, start) = if end == chunks[at].states { (at + 1, 0) } else { (at, end) };
            }
            if let Some(first) = cuts.first() {
                self.bring_waiting(ply, &chunks[first.chunk], watch)?;
            }
            let begun = Instant::now();
            self.value_cuts(ply, chunks, &cuts, (leaf, scale), watch)?;
            let took = begun.elapsed();
            if took > LONG {
                self.pace.products = (self.pace.products / 2).max(1 << 14);
            } else if took < SHORT && room == 0 {
                self.pace.products = (self.pace.products * 2).min(1 << 34);
            }
        }
        Ok(())
    }

    /// The buffers in which a chunk's edges and its part's words lie.
    fn waiting_slabs(&self, ply: usize, chunk: &Chunk) -> (Option<usize>, Option<usize>) {
        let edges = chunk.joints.as_ref().map(|_| chunk.edges.slab);
        (edges, self.plies[ply].parts[chunk.part].infos.map(|infos| infos.slab))
    }

    /// Whether two chunks are not valued in one call, since what they need may be away.
    fn is_apart(&self, ply: usize, one: &Chunk, other: &Chunk) -> bool {
        self.stream.is_on() && self.waiting_slabs(ply, one) != self.waiting_slabs(ply, other)
    }

    /// Makes sure that what a chunk's values are made from is on the device.
    fn bring_waiting(
        &mut self,
        ply: usize,
        chunk: &Chunk,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let (edges, infos) = self.waiting_slabs(ply, chunk);
        self.stream.stage = Stage::Backward(edges, infos);
        if chunk.joints.is_some() {
            self.bring(Waiting::Edges, chunk.edges, watch)?;
        }
        let infos = self.plies[ply].parts[chunk.part].infos.expect("the ply was looked at");
        self.bring(Waiting::Infos, infos, watch)
    }

    /// The first of these states of a chunk whose values lie in one buffer.
    fn in_one_span(&self, ply: usize, chunk: &Chunk, states: Range<usize>) -> Range<usize> {
        let end = states.end.min(chunk.states);
        if states.start >= end {
            return states.start..end;
        }
        let values = &self.values[ply % 2];
        let first = chunk.first + states.start;
        let span = values.spans[values.span_of(chunk.part, first)];
        states.start..end.min(span.first + span.states - chunk.first)
    }

    fn value_cuts(
        &mut self,
        ply: usize,
        chunks: &[Chunk],
        cuts: &[Cut],
        (leaf, scale): (Leaf, &Scale),
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let gathers = leaf == Leaf::Expanded && !self.values[1 - ply % 2].is_whole();
        if gathers {
            self.make_gathering(ply, chunks, cuts, watch)?;
        }
        let session = Arc::clone(&self.session);
        let limbs = 2 * scale.limbs;
        let (values, below) = (&self.values[ply % 2], &self.values[1 - ply % 2]);
        let spare = &session.spare[0];
        let nothing = View::of(&spare.buffer, spare.bytes());
        let children = match leaf {
            Leaf::Expanded if !gathers && !below.spans.is_empty() => below.view(0),
            _ => nothing,
        };
        let scale_bytes = self.scale_bytes(ply, leaf, scale);
        let scale_view = View::of(self.scratch.scale.buffer(), scale_bytes);
        let kernel = self.passes.ready(limbs as u32);
        let mut batch = Batch::new(&session);
        for cut in cuts {
            let chunk = &chunks[cut.chunk];
            let joints = chunk.joints.as_ref();
            let (edges, rows) = match joints {
                Some(joints) => (view(&self.edges, chunk.edges), view(&self.tables, joints.rows)),
                None => (nothing, nothing),
            };
            let count = joints.map_or(0, |joints| joints.count);
            let states = cut.states.len();
            let first = chunk.first + cut.states.start;
            let span = values.span_of(chunk.part, first);
            let params = Params {
                groups: chunk.groups() as u32,
                joints: count as u32,
                states: states as u32,
                limbs: limbs as u32,
                below: below.limbs as u32,
                leaf: match leaf {
                    Leaf::Expanded => 0,
                    Leaf::Worthless => 1,
                    Leaf::Won => 2,
                },
                start: cut.states.start as u32,
                spare: scale.top,
                place: (first - values.spans[span].first) as u32,
                ..self.params(chunk.first, 0)
            };
            let share =
                self.plies[ply].edges * states as u64 / self.plies[ply].states.max(1) as u64;
            let moved = 4 * (states * (1 + limbs + count)) as u64
                + 4 * share * if leaf == Leaf::Expanded { below.limbs as u64 } else { 0 };
            let (params, edges, children) = match gathers && count > 0 {
                true => self.gather(&mut batch, below, (params, edges), watch)?,
                false => (params, edges, children),
            };
            let infos = self.plies[ply].parts[chunk.part].infos.expect("the ply was looked at");
            let infos = view(&self.infos, infos);
            let views = [infos, edges, rows, children, scale_view, values.view(span)];
            batch.run(kernel, params, &views, [states as u32, 1, 1], moved);
        }
        let profile = self.locked_profile();
        let told = batch.finish(&[(nothing.buffer, 0, 4)], watch, &mut locked(&profile))?;
        assert_eq!(told.len(), 1, "a word was asked for, to know that it is done");
        Ok(())
    }

    /// A root that is a leaf: known without the device, so that there are bounds where it was given up.
    fn value_root(&mut self, leaf: Leaf, scale: &Scale) -> Result<(), Trouble> {
        let payment = match self.look_at_root()? {
            Some(payment) => payment,
            None if leaf == Leaf::Won => scale.top,
            None => 0,
        };
        if scale.bounds {
            let (low, high) = Bounds::fraction(payment.into(), scale.top.into()).raw();
            self.set_root(vec![low, high]);
            return Ok(());
        }
        let mut carry = 0u128;
        let times = |word: &u64| {
            carry += u128::from(*word) * u128::from(payment);
            let low = carry as u64;
            carry >>= 64;
            low
        };
        let value = scale.unit.iter().map(times).collect();
        self.set_root(value);
        Ok(())
    }
}
