//! The backward pass over one ply: values of its blocks from what the forward pass kept.
//!
//! A block is read from the record (or viewed, where its ply was never expanded), its joint moves
//! are folded in registers while the recorded ids of the children are read in order, and terminal
//! lanes are paid. Behind a toss, the means of the states passed through are formed first.
//!
//! Always: each recorded edge is read once; values of a ply are written as one run, in id order.

use exact::Bounds;
use kernel::BLOCK_LANES;
use verdict::Watch;

use super::super::registers::{
    BoundsRegisters, Children, NarrowRegisters, Registers, Share, WideRegisters, for_lanes,
};
use super::super::toss::Toss;
use super::{Layers, Values, reduce};
use crate::backend::{Leaf, Scale, Trouble};
use crate::limits::{BACKWARD_SHARE, refused};

impl<const W: usize> Layers<W> {
    /// Values of the states behind the tosses of the block viewed last, in order.
    fn value_behind(
        &mut self,
        registers: &mut dyn Registers,
        toss: &Toss,
        scale: &Scale,
        below: &Values,
        cursor: &mut usize,
    ) {
        let edges = self.edges.as_slice();
        let children: usize = self
            .expansion
            .joints
            .iter()
            .map(|joint| joint.mask.iter().map(|word| word.count_ones() as usize).sum::<usize>())
            .sum();
        self.behind_values.resize(children * scale.limbs, 0);
        let mut outcomes = Vec::with_capacity(toss.weights.len());
        for values in self.behind_values.chunks_mut(BLOCK_LANES * scale.limbs) {
            let lanes = values.len() / scale.limbs;
            outcomes.clear();
            for (at, &weight) in toss.weights.iter().enumerate() {
                let ids = &edges[*cursor..*cursor + lanes];
                *cursor += lanes;
                let children = Children { values: below.words.as_slice(), limbs: below.limbs, ids };
                let factor = scale.step / u128::from(toss.total) * u128::from(weight);
                let share = Share { factor, weight, total: toss.total, first: at == 0 };
                outcomes.push((children, share));
            }
            registers.average(lanes, &outcomes, values);
        }
    }

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

    /// Makes the registers that a scale asks for.
    fn registers(scale: &Scale) -> Box<dyn Registers> {
        match scale.limbs {
            _ if scale.bounds => Box::new(BoundsRegisters::new()),
            1 => Box::new(NarrowRegisters::<u64>::new()),
            2 => Box::new(NarrowRegisters::<u128>::new()),
            limbs => Box::new(WideRegisters::new(limbs)),
        }
    }

    /// Folds the joint moves of the block viewed last. `edges` are the children's ids in order,
    /// `step` the ply's denominator over that of the children's values.
    fn fold(&self, registers: &mut dyn Registers, children: &Children<'_>, step: u128) -> usize {
        registers.begin_block();
        let (mut first_of_asked, mut first, mut cursor) = (true, true, 0);
        let mut asked_mask = [0; kernel::BLOCK_WORDS];
        for (joint, &(weight, total)) in self.expansion.joints.iter().zip(&self.shares) {
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
        cursor
    }

    /// Folds the block viewed last, through a toss where there is one.
    fn fold_block(
        &mut self,
        registers: &mut dyn Registers,
        ply: usize,
        scale: &Scale,
        below: &Values,
        cursor: &mut usize,
    ) {
        reduce(&self.expansion.joints, &mut self.shares);
        let Some(toss) = self.plies[ply].toss.take() else {
            let ids = &self.edges.as_slice()[*cursor..];
            let children = Children { values: below.words.as_slice(), limbs: below.limbs, ids };
            *cursor += self.fold(registers, &children, scale.step);
            return;
        };
        self.value_behind(registers, &toss, scale, below, cursor);
        let count = self.behind_values.len() / scale.limbs;
        let ids: Vec<u32> = (0..count as u32).collect();
        let children = Children { values: &self.behind_values, limbs: scale.limbs, ids: &ids };
        let read = self.fold(registers, &children, 1);
        assert_eq!(read, count, "each state behind a toss is read once");
        self.plies[ply].toss = Some(toss);
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

    pub(super) fn back_up_blocks(
        &mut self,
        ply: usize,
        leaf: Leaf,
        scale: &Scale,
        below: &Values,
        out: &mut Values,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let states = self.plies[ply].states;
        let needed = out.words.bytes_for(states * scale.limbs) - out.words.bytes();
        self.check_limits(watch, needed, BACKWARD_SHARE)?;
        out.words.resize(states * scale.limbs, 0).map_err(refused)?;
        let mut registers = Self::registers(scale);
        let (mut shown, edges) = self.plies[ply].expanded.clone().unwrap_or_default();
        let mut cursor = edges.start;
        for block in 0..self.blocks(ply) {
            self.check_limits(watch, 0, BACKWARD_SHARE)?;
            let lanes = self.view(ply, block, &mut shown)?;
            if leaf == Leaf::Expanded {
                self.fold_block(&mut *registers, ply, scale, below, &mut cursor);
            }
            let from = block * BLOCK_LANES * scale.limbs;
            let target = &mut out.words.as_mut_slice()[from..from + lanes * scale.limbs];
            self.write_block(&*registers, lanes, leaf, scale, target);
        }
        let read = if leaf == Leaf::Expanded { edges.end } else { edges.start };
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
