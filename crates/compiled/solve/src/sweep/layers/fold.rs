//! The values of one block of states, from those of its children.
//!
//! The joint moves of the block are folded in registers while the ids of the children are read in
//! order of emission; behind a toss, the means of the states passed through are formed first; then
//! terminal lanes are paid. A folder is all that a thread needs of its own.

use exact::Bounds;
use kernel::{BLOCK_LANES, Expansion};

use super::super::feed::Marks;
use super::super::registers::{
    BoundsRegisters, Children, NarrowRegisters, Registers, Share, WideRegisters, for_lanes,
};
use super::super::toss::Toss;
use super::reduce;
use crate::backend::{Leaf, Scale};

/// Number of children, by all joint moves, of a block.
pub(super) fn children(found: &Expansion) -> usize {
    let joints = found.joints.iter();
    joints
        .map(|joint| joint.mask.iter().map(|word| word.count_ones() as usize).sum::<usize>())
        .sum()
}

/// Folds blocks of one ply, one after the other.
pub(super) struct Folder {
    registers: Box<dyn Registers>,
    shares: Vec<(u32, u32)>,
    /// Values of the states behind a toss, and 0, 1, ... as their places.
    behind: Vec<u64>,
    places: Vec<u32>,
}

impl Folder {
    /// Makes the registers that a scale asks for.
    pub(super) fn new(scale: &Scale) -> Self {
        let registers: Box<dyn Registers> = match scale.limbs {
            _ if scale.bounds => Box::new(BoundsRegisters::new()),
            1 => Box::new(NarrowRegisters::<u64>::new()),
            2 => Box::new(NarrowRegisters::<u128>::new()),
            limbs => Box::new(WideRegisters::new(limbs)),
        };
        Self { registers, shares: Vec::new(), behind: Vec::new(), places: Vec::new() }
    }

    /// Bytes that a folder holds, about.
    pub(super) fn bytes(scale: &Scale) -> u64 {
        let registers = if scale.bounds { 4 } else { 3 };
        (registers * BLOCK_LANES * scale.limbs * size_of::<u64>()) as u64
    }

    /// Folds a block, through a toss where there is one; who chose what is left in `marks`.
    pub(super) fn fold(
        &mut self,
        found: &Expansion,
        toss: Option<&Toss>,
        scale: &Scale,
        below: &Children<'_>,
        marks: Option<&mut Marks>,
    ) {
        reduce(&found.joints, &mut self.shares);
        let Some(toss) = toss else {
            self.fold_joints(found, below, scale.step);
            self.mark(found, below, (scale.step, scale.limbs), marks);
            return;
        };
        self.value_behind(children(found), toss, scale, below);
        let (behind, mut places) =
            (std::mem::take(&mut self.behind), std::mem::take(&mut self.places));
        let count = behind.len() / scale.limbs;
        places.extend(places.len() as u32..count as u32);
        let children = Children { values: &behind, limbs: scale.limbs, ids: &places[..count] };
        self.fold_joints(found, &children, 1);
        self.mark(found, &children, (1, scale.limbs), marks);
        (self.behind, self.places) = (behind, places);
    }

    fn mark(
        &self,
        found: &Expansion,
        children: &Children<'_>,
        scale: (u128, usize),
        marks: Option<&mut Marks>,
    ) {
        if let Some(marks) = marks {
            marks.fold(found, &self.shares, children, &*self.registers, scale);
        }
    }

    /// Values of the `count` states behind the tosses of a block, in order.
    fn value_behind(&mut self, count: usize, toss: &Toss, scale: &Scale, below: &Children<'_>) {
        let (edges, mut cursor) = (below.ids, 0);
        self.behind.resize(count * scale.limbs, 0);
        let mut outcomes = Vec::with_capacity(toss.weights.len());
        for values in self.behind.chunks_mut(BLOCK_LANES * scale.limbs) {
            let lanes = values.len() / scale.limbs;
            outcomes.clear();
            for (at, &weight) in toss.weights.iter().enumerate() {
                let ids = &edges[cursor..cursor + lanes];
                cursor += lanes;
                let children = Children { ids, ..*below };
                let factor = scale.step / u128::from(toss.total) * u128::from(weight);
                let share = Share { factor, weight, total: toss.total, first: at == 0 };
                outcomes.push((children, share));
            }
            self.registers.average(lanes, &outcomes, values);
        }
        assert_eq!(cursor, edges.len(), "each edge behind a toss is read once");
    }

    /// Folds the joint moves of a block. `step` is the ply's denominator over that of the children's
    /// values.
    fn fold_joints(&mut self, found: &Expansion, children: &Children<'_>, step: u128) {
        let registers = &mut *self.registers;
        registers.begin_block();
        let (mut first_of_asked, mut first, mut cursor) = (true, true, 0);
        let mut asked_mask = [0; kernel::BLOCK_WORDS];
        for (joint, &(weight, total)) in found.joints.iter().zip(&self.shares) {
            let count: u32 = joint.mask.iter().map(|word| word.count_ones()).sum();
            let ids = &children.ids[cursor..cursor + count as usize];
            cursor += count as usize;
            let factor = step / u128::from(total) * u128::from(weight);
            if first_of_asked && joint.last_of_asked {
                registers.raise(&joint.mask, &Children { ids, ..*children }, factor);
                continue;
            }
            if first_of_asked {
                registers.begin_asked();
                asked_mask.fill(0);
            }
            let share = Share { factor, weight, total, first };
            registers.add(&joint.mask, &Children { ids, ..*children }, share);
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
        assert_eq!(cursor, children.ids.len(), "each edge is read once");
    }

    /// Writes the values of a block: those folded last where its children were expanded.
    pub(super) fn write(&self, found: &Expansion, leaf: Leaf, scale: &Scale, out: &mut [u64]) {
        let limbs = scale.limbs;
        for (lane, value) in out.chunks_exact_mut(limbs).enumerate() {
            match leaf {
                Leaf::Expanded => self.registers.store(lane, value),
                Leaf::Worthless => value.fill(0),
                Leaf::Won => pay(value, scale.top, scale),
            }
        }
        for_lanes(&found.terminal, |lane| {
            let value = &mut out[lane * limbs..(lane + 1) * limbs];
            pay(value, found.payoff[lane], scale);
        });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_holds_some_values_for_each_lane() {
        for (limbs, bounds) in [(1, false), (2, false), (5, false), (2, true)] {
            let scale = Scale { limbs, step: 1, unit: vec![1; limbs], top: 1, bounds };
            // A mean, the least of an answer and the best of a move.
            let value = (8 * limbs * BLOCK_LANES) as u64;
            let bytes = Folder::bytes(&scale);
            assert!((3 * value..=4 * value).contains(&bytes), "{bytes} bytes, {limbs} words");
        }
    }
}
