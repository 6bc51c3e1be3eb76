//! Plies that wait for the way back, in the memory of this machine where the device has no room.
//!
//! What waits are edges and a word a state, buffer by buffer ([`crate::arena`]). A buffer goes when room
//! is needed and comes when a ply in it is valued; the keys of two plies, one table, the values of two
//! plies and what a chunk needs are on the device always. How much it may hold is told, or learned:
//! where it refuses a buffer, it gets less from there on, and the ply is begun again.
//!
//! Always: what goes has a copy first, and what is written has none; a copy counts as memory.

use std::time::Instant;

use solve::{BACKWARD_SHARE, Trouble};
use verdict::{HaltReason, Watch};

use crate::arena::{Arena, Region};
use crate::backend::{Plies, locked};
use crate::session::{Refusal, Session};

/// Bytes of a buffer that goes as a whole, at least; and of what is read at once, at most.
const LEAST_SLAB: u64 = 1 << 16;
const MOST_READ: u64 = 1 << 22;
/// Buffers that the device can hold at once, about.
const SLABS: u64 = 16;

/// Bytes of a buffer that is used again for each chunk, at least; the whole over the largest.
const LEAST_SCRATCH: u64 = 1 << 14;
const SCRATCH: u64 = 64;

/// Refusals after which the device gets no more than it held.
const MOST_REFUSALS: u32 = 12;

/// What must stay on the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// What is written: the newest ply.
    #[default]
    Forward,
    /// What is read: these buffers of edges and of words.
    Backward(Option<usize>, Option<usize>),
}

/// What lacked when memory did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lack {
    /// The device refused.
    Device,
    /// What must be on the device is more than it may hold.
    Most,
}

/// How much the device may hold, and what for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stream {
    /// Bytes; none where nothing may go elsewhere.
    most: Option<u64>,
    pub(crate) stage: Stage,
    refusals: u32,
    lack: Option<Lack>,
}

impl Stream {
    pub(crate) fn new(most: Option<u64>) -> Self {
        Self { most, ..Self::default() }
    }

    /// Bytes of a buffer that goes as a whole.
    pub(crate) fn slab_bytes(&self) -> u64 {
        self.most.map_or(u64::MAX, |most| (most / SLABS).max(LEAST_SLAB))
    }

    /// Bytes of a buffer that is used again for each chunk, at most: with room for the chunk's children in
    /// keys and table, all of them take a part of what may be held.
    pub(crate) fn scratch_bytes(&self) -> u64 {
        self.most.map_or(u64::MAX, |most| (most / SCRATCH).max(LEAST_SCRATCH))
    }

    /// Whether plies may go elsewhere.
    pub(crate) fn is_on(&self) -> bool {
        self.most.is_some()
    }

    /// Takes a refusal in; whether it makes sense to try again.
    fn learn(&mut self, Refusal { held, bytes }: Refusal) -> bool {
        // It has something between the two sums; halves come near it.
        let half = if self.refusals < MOST_REFUSALS { bytes / 2 } else { 0 };
        let is_less = self.most.is_some_and(|most| held + half < most);
        if is_less {
            self.most = Some(held + half);
            self.refusals += 1;
        } else {
            self.lack.get_or_insert(Lack::Device);
        }
        is_less
    }

    /// What a user can do where memory lacked on the device.
    pub(crate) fn advice(&self, reason: &HaltReason) -> Option<String> {
        let HaltReason::Memory { needed } = reason else { return None };
        let mib = needed.div_ceil(1 << 20);
        self.lack.map(|lack| match lack {
            Lack::Device if !self.is_on() => format!(
                "the graphics device refuses the {mib} MiB that are needed so far: `--stream` lets plies \
                 that wait go through the memory of this machine; or bound the play with `--horizon`"
            ),
            Lack::Device | Lack::Most => format!(
                "what must be on the graphics device at once is {mib} MiB: give `--stream` more where it \
                 has as much, or bound the play with `--horizon`; `--backend cpu` does without a device"
            ),
        })
    }
}

/// Which arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    Edges,
    Infos,
}

impl Plies {
    /// Makes room on the device for so many bytes more, where it may hold only so much.
    pub(crate) fn hold(&mut self, extra: u64, watch: &Watch<'_>) -> Result<(), Trouble> {
        if extra > 0 && self.excess(extra) > 0 {
            self.make_way(extra, watch)?;
            // What was learned is less than the device has; it says so itself where it has no more.
            if self.excess(extra) > 0 && self.stream.refusals == 0 {
                self.stream.lack.get_or_insert(Lack::Most);
                let needed = self.session.held() + extra;
                return Err(Trouble::Limit(HaltReason::Memory { needed }));
            }
        }
        Ok(())
    }

    /// Bytes of copies.
    pub(crate) fn copied(&self) -> u64 {
        self.edges.copied() + self.infos.copied()
    }

    /// Bytes beyond what the device may hold, if it held so many more.
    fn excess(&self, extra: u64) -> u64 {
        let most = self.stream.most.unwrap_or(u64::MAX);
        (self.session.held() + extra).saturating_sub(most)
    }

    /// Whether it was the device that refused memory, and less is tried from here on.
    pub(crate) fn is_less_enough(&mut self, trouble: &Trouble) -> bool {
        let is_lack = matches!(trouble, Trouble::Limit(HaltReason::Memory { .. }));
        let Some(refusal) = self.session.take_refusal().filter(|_| is_lack) else { return false };
        let learned = self.stream.learn(refusal);
        let slab_bytes = self.stream.slab_bytes();
        self.edges.limit(slab_bytes);
        self.infos.limit(slab_bytes);
        learned
    }

    /// Lets go what can be made again, then what has a copy or gets one, until so many bytes fit.
    fn make_way(&mut self, extra: u64, watch: &Watch<'_>) -> Result<(), Trouble> {
        if self.stream.stage != Stage::Forward {
            self.release_scratch();
        }
        for which in [Waiting::Edges, Waiting::Infos] {
            for slab in self.idle(which) {
                if self.excess(extra) == 0 {
                    return Ok(());
                }
                self.send(which, slab, watch)?;
            }
        }
        Ok(())
    }

    /// Buffers that may go, the one that is needed last first.
    fn idle(&self, which: Waiting) -> Vec<usize> {
        match (self.stream.stage, which) {
            (Stage::Forward, Waiting::Edges) => self.edges.idle(self.edges.open_slab(), None),
            (Stage::Forward, Waiting::Infos) => {
                let newest = &self.plies[self.plies.len() - 1];
                let written = newest.parts.iter().filter_map(|part| part.infos);
                let open = self.infos.open_slab();
                let end = written.map(|infos| infos.slab).min().unwrap_or(open).min(open);
                self.infos.idle(end, None)
            }
            (Stage::Backward(edges, _), Waiting::Edges) => {
                self.edges.idle(usize::MAX, edges).into_iter().rev().collect()
            }
            (Stage::Backward(_, infos), Waiting::Infos) => {
                self.infos.idle(usize::MAX, infos).into_iter().rev().collect()
            }
        }
    }

    /// On the way back: buffers that the way forward uses again for each chunk, and keys, unless the
    /// newest ply is still to be looked at.
    fn release_scratch(&mut self) {
        let scratch = &mut self.scratch;
        for buffer in [
            &mut scratch.planes,
            &mut scratch.seen,
            &mut scratch.held,
            &mut scratch.live,
            &mut scratch.made,
            &mut scratch.candidates,
            &mut scratch.masks,
            &mut scratch.chosen,
            &mut scratch.owners,
            &mut scratch.sums,
        ] {
            buffer.release();
        }
        scratch.slots.clear();
        self.keys[1].clear();
        if self.plies[self.plies.len() - 1].was_seen() {
            self.keys[0].clear();
        }
    }

    fn arena(&mut self, which: Waiting) -> &mut Arena {
        match which {
            Waiting::Edges => &mut self.edges,
            Waiting::Infos => &mut self.infos,
        }
    }

    /// Lets a buffer go.
    fn send(&mut self, which: Waiting, slab: usize, watch: &Watch<'_>) -> Result<(), Trouble> {
        let begun = Instant::now();
        let session = std::sync::Arc::clone(&self.session);
        let copy = match self.arena(which).uncopied(slab) {
            Some((buffer, bytes)) => Some(read(&session, buffer, bytes, watch)?),
            None => None,
        };
        let moved = copy.as_ref().map_or(0, |copy| copy.len() as u64);
        self.arena(which).send(slab, copy);
        if moved > 0 {
            locked(&self.profile).add("to_host", moved, begun.elapsed());
        }
        Ok(())
    }

    /// Makes sure that a region is on the device.
    pub(crate) fn bring(
        &mut self,
        which: Waiting,
        region: Region,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let missing = self.arena(which).missing(region);
        if missing == 0 {
            return Ok(());
        }
        self.check(watch, missing, BACKWARD_SHARE)?;
        let begun = Instant::now();
        let session = std::sync::Arc::clone(&self.session);
        let moved = self.arena(which).bring(&session, region)?;
        locked(&self.profile).add("from_host", moved, begun.elapsed());
        Ok(())
    }
}

/// The bytes of a buffer.
fn read(
    session: &Session,
    buffer: &wgpu::Buffer,
    bytes: u64,
    watch: &Watch<'_>,
) -> Result<Vec<u8>, Trouble> {
    let mut copy = Vec::with_capacity(bytes as usize);
    let piece = (bytes / 4).clamp(LEAST_SLAB, MOST_READ);
    while (copy.len() as u64) < bytes {
        let at = copy.len() as u64;
        let encoder = session.device.create_command_encoder(&Default::default());
        copy.extend(session.ask(encoder, &[(buffer, at, piece.min(bytes - at))], watch)?);
    }
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_come_near_to_what_a_device_has() {
        let has = 1000;
        let mut stream = Stream::new(Some(u64::MAX));
        let mut refused = 0;
        // Buffers as large as may be, on a device that holds 700 of its 1000 bytes.
        loop {
            let most = stream.most.expect("it is on");
            let bytes = most.min(5000) - 700;
            if 700 + bytes <= has {
                break;
            }
            refused += 1;
            assert!(stream.learn(Refusal { held: 700, bytes }));
        }
        assert!(refused <= 10, "{refused}");
        assert!(stream.most > Some(800), "{stream:?}");
        assert!(stream.slab_bytes() >= LEAST_SLAB);
    }

    #[test]
    fn a_refusal_that_nothing_helps_against_is_told() {
        let mut off = Stream::new(None);
        assert!(!off.learn(Refusal { held: 9, bytes: 9 }));
        let reason = HaltReason::Memory { needed: 7 << 20 };
        let advice = off.advice(&reason).expect("some");
        assert!(advice.contains("7 MiB") && advice.contains("--stream"), "{advice}");
        assert_eq!(off.advice(&HaltReason::Time), None);
        let mut on = Stream::new(Some(9));
        assert!(!on.learn(Refusal { held: 9, bytes: 0 }), "no less can be tried");
        assert!(on.advice(&reason).expect("some").contains("at once"));
        assert_eq!(Stream::new(None).advice(&reason), None, "a limit that the user set");
    }
}
