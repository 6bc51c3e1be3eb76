//! The backward pass over one ply: one shader over the edges that the forward pass left.
//!
//! A state's value needs its children's alone, so that a ply can be cut anywhere; it is cut by the
//! speed of the cut before, so that no call of the device lasts long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use exact::Bounds;
use solve::{BACKWARD_SHARE, Leaf, Scale, Trouble};
use verdict::{HaltReason, Watch};

use crate::backend::{Chunk, Plies, locked};
use crate::batch::{Batch, View};
use crate::fault::unfit;
use crate::passes::{Params, WIDEST};

const LONG: Duration = Duration::from_millis(150);
const SHORT: Duration = Duration::from_millis(40);

/// What is done of a ply in one call.
struct Cut {
    chunk: usize,
    /// States of the chunk.
    states: std::ops::Range<usize>,
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
        if leaf != Leaf::Expanded && self.plies[ply].infos.is_none() {
            assert_eq!(ply + 1, self.plies.len(), "only the newest ply was never looked at");
            self.look(watch)?;
        }
        let (states, limbs) = (self.plies[ply].states, 2 * scale.limbs);
        if limbs > WIDEST as usize {
            return Err(unfit(
                "device-value-width",
                format!("a value has {} bits, and a device does {}", 32 * limbs, 32 * WIDEST),
            ));
        }
        let bytes = 4 * (states * limbs) as u64;
        if bytes > self.session.adapter().binding_bytes {
            return Err(self.too_large(bytes));
        }
        let session = Arc::clone(&self.session);
        let grown = self.values[at].words.size_for(&session, bytes) - self.values[at].words.bytes();
        self.check(watch, grown, BACKWARD_SHARE)?;
        self.values[at].ply = None;
        self.values[at].words.reserve(&session, bytes)?;
        let profile = self.locked_profile();
        self.passes.back_up(&session, limbs as u32, watch, &mut locked(&profile))?;
        self.write_scale(ply, leaf, scale)?;
        if leaf == Leaf::Expanded {
            assert_eq!(self.values[1 - at].ply, Some(ply + 1), "plies back up in order");
        }
        let whole = [Chunk { first: 0, states, joints: None, edges: Default::default() }];
        let chunks: Vec<Chunk> = match leaf {
            Leaf::Expanded => self.plies[ply].chunks.clone(),
            _ => whole.to_vec(),
        };
        self.value_chunks(ply, &chunks, leaf, scale, watch)?;
        (self.values[at].ply, self.values[at].limbs) = (Some(ply), limbs);
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
        self.scratch.scale.reserve(&self.session, 4 * words.len() as u64)?;
        let buffer = self.scratch.scale.buffer();
        self.session.queue.write_buffer(buffer, 0, bytemuck::cast_slice(&words));
        Ok(())
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
                let joints = chunks[at].joints.as_ref().map_or(1, |joints| joints.count);
                let fits = (room / (joints * limbs)).clamp(64, 1 << 20);
                let end = chunks[at].states.min(start + fits);
                cuts.push(Cut { chunk: at, states: start..end });
                room = room.saturating_sub((end - start) * joints * limbs);
                (at, start) = if end == chunks[at].states { (at + 1, 0) } else { (at, end) };
            }
            let begun = Instant::now();
            self.value_cuts(ply, chunks, &cuts, leaf, scale, watch)?;
            let took = begun.elapsed();
            if took > LONG {
                self.pace.products = (self.pace.products / 2).max(1 << 14);
            } else if took < SHORT && room == 0 {
                self.pace.products = (self.pace.products * 2).min(1 << 34);
            }
        }
        Ok(())
    }

    fn value_cuts(
        &self,
        ply: usize,
        chunks: &[Chunk],
        cuts: &[Cut],
        leaf: Leaf,
        scale: &Scale,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let session = &self.session;
        let limbs = 2 * scale.limbs;
        let values = &self.values[ply % 2].words;
        let below = &self.values[1 - ply % 2];
        let out = View::of(values.buffer(), 4 * (self.plies[ply].states * limbs) as u64);
        let spare = &session.spare[0];
        let nothing = View::of(&spare.buffer, spare.bytes());
        let below_bytes = self.plies.get(ply + 1).map_or(0, |next| next.states * below.limbs);
        let children = match leaf {
            Leaf::Expanded if below_bytes > 0 => {
                View::of(below.words.buffer(), 4 * below_bytes as u64)
            }
            _ => nothing,
        };
        let infos = self.plies[ply].infos.expect("the ply was looked at");
        let (buffer, offset) = self.infos.place(infos);
        let infos = View { buffer, offset, bytes: infos.bytes };
        let scale_view = View::of(self.scratch.scale.buffer(), self.scratch.scale.bytes());
        let kernel = self.passes.ready(limbs as u32);
        let mut batch = Batch::new(session);
        for cut in cuts {
            let chunk = &chunks[cut.chunk];
            let joints = chunk.joints.as_ref();
            let (edges, rows) = match joints {
                Some(joints) => {
                    let (buffer, offset) = self.edges.place(chunk.edges);
                    let edges = View { buffer, offset, bytes: chunk.edges.bytes };
                    let (buffer, offset) = self.tables.place(joints.rows);
                    (edges, View { buffer, offset, bytes: joints.rows.bytes })
                }
                None => (nothing, nothing),
            };
            let count = joints.map_or(0, |joints| joints.count);
            let states = cut.states.len();
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
                ..self.params(chunk.first, 0)
            };
            let share =
                self.plies[ply].edges * states as u64 / self.plies[ply].states.max(1) as u64;
            let moved = 4 * (states * (1 + limbs + count)) as u64
                + 4 * share * if leaf == Leaf::Expanded { below.limbs as u64 } else { 0 };
            let views = [infos, edges, rows, children, scale_view, out];
            batch.run(kernel, params, &views, [states as u32, 1, 1], moved);
        }
        let profile = self.locked_profile();
        let told = batch.finish(&[(out.buffer, 0, 4)], watch, &mut locked(&profile))?;
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
