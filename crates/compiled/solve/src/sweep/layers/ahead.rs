//! Blocks of a ply expanded ahead by other threads, while the calling one makes children distinct.
//!
//! The table of a ply's states is filled by one thread, in the order of discovery, and misses the
//! caches; what leads there (kernel, orbits, the states behind a toss) needs no more than a block's
//! keys. Batches of blocks are copied out, expanded by whoever is free, the calling thread too
//! where it would wait, and taken in order.
//!
//! Always: blocks are taken one after the other, each as one thread would have expanded it; so
//! states, their numbers and the first flaw do not depend on threads.

use std::collections::VecDeque;
use std::mem::swap;
use std::sync::Arc;

use kernel::{BLOCK_LANES, Expander, Expansion, FlawKind, Joint, Orbits};

use super::super::symmetry::Weighed;
use super::Layers;
use crate::backend::Trouble;
use crate::crew::{Begun, Crew};

/// Blocks of a batch: enough that handing them over costs nothing beside.
const BATCH: usize = 4;
/// Blocks of a ply that are left, below which this is not worth its start.
const FEW: usize = if cfg!(test) { 2 } else { 24 };
/// Most threads beside the calling one: more of them fill no table faster.
const MOST: usize = 4;

/// A flawed state, and what is wrong with it.
type Flawed = (Vec<u64>, FlawKind);

/// What a block showed.
#[derive(Default)]
struct Look {
    found: Expansion,
    weighed: Weighed,
    flaw: Option<Flawed>,
    /// Where tosses are folded: what each block of children expands to.
    behind: Vec<(Expansion, Option<Flawed>)>,
    lanes: usize,
}

/// What expands blocks.
struct Worker {
    expander: Box<dyn Expander>,
    orbits: Option<Arc<Orbits>>,
    /// Whether states stand for their orbits already.
    reduced: bool,
    /// Whether what lies behind the children is looked at.
    folds: bool,
}

struct Batch {
    worker: Worker,
    keys: Vec<u64>,
    looks: Vec<Look>,
}

/// A batch in the queue.
enum Queued {
    Begun(Begun<Batch>),
    Done(Batch),
}

/// Blocks of one ply that are expanded ahead.
pub(super) struct Ahead {
    crew: Crew,
    queue: VecDeque<Queued>,
    idle: Vec<Batch>,
    /// The batch at hand, and which of its looks is next.
    current: Option<(Batch, usize)>,
    /// The first block that nobody has.
    next: usize,
    /// Bytes of the largest look, and how many looks there are.
    largest: u64,
    looks: u64,
}

impl Worker {
    fn look(&mut self, keys: &[u64], look: &mut Look) {
        let width = self.expander.words();
        look.lanes = keys.len() / width;
        look.flaw = expand(&mut *self.expander, keys, &mut look.found);
        if look.flaw.is_some() {
            return;
        }
        if let Some(orbits) = &self.orbits {
            match self.reduced {
                true => look.weighed.weigh(orbits, keys),
                false => look.weighed.take_all(look.lanes),
            }
        }
        let children = &mut look.found.children;
        if !self.folds {
            if let Some(orbits) = &self.orbits {
                orbits.lessen(children);
            }
            return;
        }
        let blocks = children.len().div_ceil(BLOCK_LANES * width);
        look.behind.resize_with(look.behind.len().max(blocks), Default::default);
        let blocks = children.chunks(BLOCK_LANES * width);
        for (keys, (found, flaw)) in blocks.zip(&mut look.behind) {
            *flaw = expand(&mut *self.expander, keys, found);
            if let Some(orbits) = self.orbits.as_ref().filter(|_| flaw.is_none()) {
                orbits.lessen(&mut found.children);
            }
        }
    }
}

fn expand(expander: &mut dyn Expander, keys: &[u64], found: &mut Expansion) -> Option<Flawed> {
    let flaw = expander.expand(keys, true, found).err()?;
    let width = expander.words();
    Some((keys[flaw.lane * width..(flaw.lane + 1) * width].to_vec(), flaw.kind))
}

impl Batch {
    fn run(&mut self) {
        let width = self.worker.expander.words();
        let blocks = self.keys.chunks(BLOCK_LANES * width);
        self.looks.resize_with(blocks.len(), Look::default);
        blocks.zip(&mut self.looks).for_each(|(keys, look)| self.worker.look(keys, look));
    }
}

impl Look {
    fn bytes(&self) -> u64 {
        let of = |found: &Expansion| {
            8 * found.children.capacity() + size_of::<Joint>() * found.joints.capacity()
        };
        (of(&self.found) + self.behind.iter().map(|(found, _)| of(found)).sum::<usize>()) as u64
    }
}

impl Ahead {
    /// Bytes held, about.
    pub(super) fn bytes(&self) -> u64 {
        self.largest * self.looks
    }

    /// Copies the next batch out of the keys of the ply; `None` where none is left, or no room.
    fn fill(&mut self, keys: &[u64]) -> Option<Batch> {
        let mut batch = self.idle.pop()?;
        let width = batch.worker.expander.words();
        let from = self.next * BLOCK_LANES * width;
        if from >= keys.len() {
            self.idle.push(batch);
            return None;
        }
        let to = keys.len().min(from + BATCH * BLOCK_LANES * width);
        batch.keys.clear();
        batch.keys.extend_from_slice(&keys[from..to]);
        self.next += BATCH;
        Some(batch)
    }

    /// The look at the next block.
    fn take(&mut self, keys: &[u64]) -> &mut Look {
        if self.current.as_ref().is_none_or(|(batch, at)| *at == batch.looks.len()) {
            self.idle.extend(self.current.take().map(|(batch, _)| batch));
            // One batch stays for the calling thread.
            while self.idle.len() > 1
                && let Some(mut batch) = self.fill(keys)
            {
                let run = move || {
                    batch.run();
                    batch
                };
                self.queue.push_back(Queued::Begun(self.crew.begin(run)));
            }
            if let Some(Queued::Begun(begun)) = self.queue.front_mut()
                && !begun.is_done()
                && let Some(mut batch) = self.fill(keys)
            {
                batch.run();
                self.queue.push_back(Queued::Done(batch));
            }
            let batch = match self.queue.pop_front().expect("a block is left") {
                Queued::Begun(begun) => begun.wait(),
                Queued::Done(batch) => batch,
            };
            self.current = Some((batch, 0));
        }
        let (batch, at) = self.current.as_mut().expect("a batch is at hand");
        *at += 1;
        let look = &mut batch.looks[*at - 1];
        self.largest = self.largest.max(look.bytes());
        look
    }
}

impl<const W: usize> Layers<W> {
    /// Lets other threads expand the blocks of a ply from `block` on, where there are threads and
    /// blocks enough.
    pub(super) fn look_ahead(&mut self, ply: usize, block: usize, folds: bool) {
        self.leave_ahead();
        if self.plies[ply].keys_at.is_some() || self.blocks(ply) < block + FEW {
            return;
        }
        let crew = self.crew.take().unwrap_or_else(|| Crew::new(self.threads, usize::MAX));
        let helpers = (crew.threads() - 1).min(MOST);
        if helpers == 0 {
            self.crew = Some(crew);
            return;
        }
        let worker = || Worker {
            expander: self.expander.fork(),
            orbits: self.quotient.as_ref().map(|quotient| quotient.orbits()),
            reduced: ply >= self.reduced_from,
            folds,
        };
        let batch = |_| Batch { worker: worker(), keys: Vec::new(), looks: Vec::new() };
        // One at hand, one for the calling thread, and one that waits.
        let idle: Vec<Batch> = (0..helpers + 3).map(batch).collect();
        self.ahead = Some(Ahead {
            looks: (idle.len() * BATCH) as u64,
            crew,
            queue: VecDeque::new(),
            idle,
            current: None,
            next: block,
            largest: 0,
        });
    }

    /// Ends looking ahead; what others are still at is forgotten.
    pub(super) fn leave_ahead(&mut self) {
        if let Some(ahead) = self.ahead.take() {
            self.crew = Some(ahead.crew);
        }
    }

    /// Takes the next block's expansion and weights, its children lessened where nothing is folded;
    /// its lanes.
    pub(super) fn take_look(&mut self, ply: usize) -> Result<usize, Trouble> {
        let Self { plies, ahead, expansion, quotient, .. } = self;
        let ahead = ahead.as_mut().expect("it is looked ahead");
        let look = ahead.take(plies[ply].keys.words());
        if let Some((key, kind)) = look.flaw.take() {
            return Err(Trouble::Flaw { key, kind });
        }
        swap(expansion, &mut look.found);
        if let Some(quotient) = quotient {
            swap(&mut quotient.weighed, &mut look.weighed);
        }
        Ok(look.lanes)
    }

    /// Takes what a block of the children expands to, of the block taken last.
    pub(super) fn take_behind(&mut self, at: usize) -> Result<(), Trouble> {
        let ahead = self.ahead.as_mut().expect("it is looked ahead");
        let (batch, next) = ahead.current.as_mut().expect("a block was taken");
        let (found, flaw) = &mut batch.looks[*next - 1].behind[at];
        if let Some((key, kind)) = flaw.take() {
            return Err(Trouble::Flaw { key, kind });
        }
        swap(&mut self.behind, found);
        Ok(())
    }
}
