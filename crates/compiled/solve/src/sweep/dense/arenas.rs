//! Values that are held: an arena for each slab and width, from a pool.
//!
//! Always: a block has room only if some state of it was reached; each task has the part of the arenas for
//! its blocks to itself.

use kernel::BLOCK_LANES;
use kernel::dense::Values;
use store::{HugeVec, OutOfMemory};

use super::Dense;
use super::reached::Reached;
use super::shelf::{Shelf, grown};

/// Numbers of two widths.
pub(super) struct Numbers {
    pub(super) narrow: HugeVec<u32>,
    pub(super) wide: HugeVec<u64>,
}

/// The values of a slab.
pub(super) struct Slab {
    /// By block: 0 where there is none, else 1 and twice its place in its task's part, odd ones
    /// wide.
    slots: Vec<u32>,
    /// By task: where its part begins, in blocks of each width.
    firsts: Vec<[usize; 2]>,
    pub(super) numbers: Numbers,
}

/// The values that are held.
pub(super) struct Arenas {
    pub(super) slabs: Vec<Option<Slab>>,
    /// Blocks of a slab.
    pub(super) blocks: usize,
    pub(super) tasks: usize,
}

/// The part of a slab that a task writes.
#[derive(Default)]
pub(super) struct Part<'a> {
    pub(super) slots: &'a mut [u32],
    pub(super) narrow: &'a mut [u32],
    pub(super) wide: &'a mut [u64],
}
/// A finished block of values.
#[derive(Clone, Copy)]
pub(super) enum Finished<'a> {
    Narrow(&'a Values<u32>),
    Wide(&'a Values<u64>),
}

fn block_of<V>(numbers: &[V], place: usize) -> &Values<V> {
    numbers[place * BLOCK_LANES..(place + 1) * BLOCK_LANES].try_into().expect("a block of values")
}

/// The block in a slot, from where places are counted.
pub(super) fn in_slot<'a>(slot: u32, narrow: &'a [u32], wide: &'a [u64]) -> Option<Finished<'a>> {
    let held = slot.checked_sub(1)?;
    let place = (held / 2) as usize;
    Some(match held % 2 {
        0 => Finished::Narrow(block_of(narrow, place)),
        _ => Finished::Wide(block_of(wide, place)),
    })
}

impl Slab {
    /// Room for the blocks of a slab that were reached.
    pub(super) fn new(dense: &Dense<'_>, reached: &Reached, slab: usize, numbers: Numbers) -> Self {
        let tasks = dense.schedule.tasks;
        let mut sum = [0; 2];
        let firsts = reached.sizes[slab * tasks..(slab + 1) * tasks].iter().map(|sizes| {
            let first = sum;
            sum.iter_mut().zip(sizes).for_each(|(sum, size)| *sum += *size as usize);
            first
        });
        let firsts = firsts.collect();
        Self { slots: vec![0; tasks * dense.schedule.inner], firsts, numbers }
    }

    /// The parts of tasks.
    pub(super) fn parts(&mut self, sizes: &[[u32; 2]], inner: usize) -> Vec<Part<'_>> {
        let (mut narrow, mut wide) =
            (self.numbers.narrow.as_mut_slice(), self.numbers.wide.as_mut_slice());
        let slots = self.slots.chunks_exact_mut(inner);
        let part = |(slots, sizes): (_, &[u32; 2])| Part {
            slots,
            narrow: take(&mut narrow, sizes[0]),
            wide: take(&mut wide, sizes[1]),
        };
        slots.zip(sizes).map(part).collect()
    }

    pub(super) fn values(&self, task: usize, at: usize) -> Option<Finished<'_>> {
        let [narrow, wide] = self.firsts[task];
        let inner = self.slots.len() / self.firsts.len();
        let held = self.numbers.narrow.as_slice().get(narrow * BLOCK_LANES..).unwrap_or(&[]);
        let wide = self.numbers.wide.as_slice().get(wide * BLOCK_LANES..).unwrap_or(&[]);
        in_slot(self.slots[task * inner + at], held, wide)
    }
}

fn take<'a, V>(rest: &mut &'a mut [V], blocks: u32) -> &'a mut [V] {
    let (mine, others) = std::mem::take(rest).split_at_mut(blocks as usize * BLOCK_LANES);
    *rest = others;
    mine
}

impl Arenas {
    /// The value at a place.
    pub(super) fn value(&self, block: usize, lane: usize) -> u64 {
        let slab = self.slabs[block / self.blocks].as_ref().expect("a slab that is held");
        let (inner, at) = (self.blocks / self.tasks, block % self.blocks);
        match slab.values(at / inner, at % inner).expect("a place that was reached") {
            Finished::Narrow(values) => u64::from(values[lane]),
            Finished::Wide(values) => values[lane],
        }
    }
}

/// Arenas that are free.
#[derive(Default)]
pub(super) struct Pool {
    narrow: Shelf<HugeVec<u32>>,
    wide: Shelf<HugeVec<u64>>,
}

impl Pool {
    /// Arenas for the blocks of some tasks.
    pub(super) fn take(&mut self, sizes: &[[u32; 2]]) -> Result<Numbers, OutOfMemory> {
        let lanes = |width: usize| {
            sizes.iter().map(|sizes| sizes[width] as usize).sum::<usize>() * BLOCK_LANES
        };
        let narrow = self.narrow.try_take(lanes(0), grown)?;
        Ok(Numbers { narrow, wide: self.wide.try_take(lanes(1), grown)? })
    }

    pub(super) fn put(&mut self, mut numbers: Numbers) {
        if cfg!(debug_assertions) {
            // So that it shows where a state reads what it does not lead to.
            numbers.narrow.as_mut_slice().fill(u32::MAX);
            numbers.wide.as_mut_slice().fill(u64::MAX);
        }
        self.narrow.put(numbers.narrow);
        self.wide.put(numbers.wide);
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.narrow.total * size_of::<u32>() + self.wide.total * size_of::<u64>()) as u64
    }
}

/// A place in a task's part, as a slot has it.
pub(super) fn slot(place: usize, wide: bool) -> u32 {
    (place * 2 + usize::from(wide)) as u32 + 1
}
