//! Chance folded in: a ply whose states all wait for chance is passed through without being kept.
//!
//! Where every child of a ply waits for chance alone, and all of them have the same outcomes with
//! the same weights (a *toss*), the children's children are stored instead. What the sweep says of
//! the states passed through stays true: each is expanded and checked, and counted exactly. The
//! count needs no table where a joint move changes the same bits of the key in all states of the
//! ply (`child = parent xor mask`), these bits are the same in all those states, and different
//! moves change different bits: then different parents or moves have different children. A level
//! then rises by the same amount in all states, so that one child a move shows it. All of this is
//! checked on every state; a ply that fails is expanded without folding.
//!
//! Worth a factor of two to three in memory and time on games in which each move is followed by a
//! toss.

use kernel::{Expansion, Joint};
use rustc_hash::FxHashMap;

use super::registers::for_lanes;

/// The outcomes that all states of a ply have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Toss {
    /// Weights in lowest terms, in the order of expansion.
    pub(super) weights: Vec<u32>,
    /// Sum of the weights.
    pub(super) total: u32,
}

/// Most joint moves of a ply whose masks are compared.
const MOST_MOVES: usize = 512;

impl Toss {
    /// The toss of a block of `lanes` states, if they all wait for the same one.
    pub(super) fn of(found: &Expansion, shares: &[(u32, u32)], lanes: usize) -> Option<Self> {
        let full = |mask: &kernel::Mask| {
            mask.iter().map(|word| word.count_ones() as usize).sum::<usize>() == lanes
        };
        let one_pair = found.joints.iter().filter(|joint| joint.last_of_pair).count() == 1;
        if !one_pair || !full(&found.waiting) || !found.joints.iter().all(|it| full(&it.mask)) {
            return None;
        }
        let weights: Vec<u32> = shares.iter().map(|share| share.0).collect();
        let total = shares[0].1;
        assert_eq!(weights.iter().sum::<u32>(), total, "a pair has all its outcomes");
        Some(Self { weights, total })
    }
}

/// Evidence that different (state, move) of a ply have different children.
pub(super) struct Distinct<const W: usize> {
    /// Words of a key where `W` is 0.
    width: usize,
    /// By joint move of the choosers: the bits that it changes.
    masks: FxHashMap<(net::InputId, u32), Vec<u64>>,
    /// Bits that are one in all states seen, and in some.
    all: Vec<u64>,
    some: Vec<u64>,
}

impl<const W: usize> Distinct<W> {
    #[inline(always)]
    fn width(&self) -> usize {
        if W > 0 { W } else { self.width }
    }

    /// No states yet; keys have `width` words.
    pub(super) fn new(width: usize) -> Self {
        let (all, some) = (vec![u64::MAX; width], vec![0; width]);
        Self { width, masks: FxHashMap::default(), all, some }
    }

    /// Takes in a block with its children; `false` where the form breaks.
    pub(super) fn take_in(&mut self, parents: &[u64], joints: &[Joint], children: &[u64]) -> bool {
        for key in parents.chunks_exact(self.width()) {
            for (word, bits) in key.iter().enumerate() {
                self.all[word] &= bits;
                self.some[word] |= bits;
            }
        }
        let mut rest = children;
        joints.iter().all(|joint| {
            let count: u32 = joint.mask.iter().map(|word| word.count_ones()).sum();
            let (mine, others) = rest.split_at(count as usize * self.width());
            rest = others;
            self.has_one_mask(parents, joint, mine)
        })
    }

    fn has_one_mask(&mut self, parents: &[u64], joint: &Joint, children: &[u64]) -> bool {
        let width = self.width();
        let (masks, place) = (&mut self.masks, (joint.asked, joint.opponents));
        let first = joint.mask.iter().position(|word| *word != 0).expect("an entry has lanes");
        let lane = first * 64 + joint.mask[first].trailing_zeros() as usize;
        let parent = &parents[lane * width..(lane + 1) * width];
        let mask = masks
            .entry(place)
            .or_insert_with(|| parent.iter().zip(children).map(|(old, new)| old ^ new).collect());
        let (mut news, mut different) = (children.chunks_exact(width), 0);
        for_lanes(&joint.mask, |lane| {
            let old = &parents[lane * width..(lane + 1) * width];
            let new = news.next().expect("one child a lane");
            for ((old, new), mask) in old.iter().zip(new).zip(&*mask) {
                different |= old ^ new ^ mask;
            }
        });
        different == 0
    }

    /// Whether no two moves lead to one child, and moves change only bits that all states share.
    pub(super) fn holds(&self) -> bool {
        let masks: Vec<&Vec<u64>> = self.masks.values().collect();
        let shared = |mask: &[u64]| {
            let bits = self.all.iter().zip(&self.some).zip(mask);
            bits.fold(0, |sum, ((all, some), mask)| sum | (mask & !all & some)) == 0
        };
        masks.len() <= MOST_MOVES
            && masks.iter().all(|mask| shared(mask))
            && masks.iter().enumerate().all(|(at, mask)| !masks[..at].contains(mask))
    }

    /// The children of one state by each move met, legal there or not.
    pub(super) fn sample(&self, parent: &[u64]) -> Vec<u64> {
        let child = |mask: &Vec<u64>| {
            parent.iter().zip(mask).map(|(old, mask)| old ^ mask).collect::<Vec<_>>()
        };
        self.masks.values().flat_map(child).collect()
    }
}

#[cfg(test)]
mod tests {
    use index::Id;

    use super::*;

    fn joint(input: usize, lanes: u64) -> Joint {
        let mut mask = [0; kernel::BLOCK_WORDS];
        mask[0] = lanes;
        Joint {
            mask,
            asked: net::InputId::from_index(input),
            opponents: 0,
            weight: 1,
            total: 1,
            last_of_pair: true,
            last_of_asked: true,
            first_child: 0,
        }
    }

    #[test]
    fn masks_on_shared_bits_keep_children_apart() {
        let parents = [0b0001, 0b0010, 0b0011];
        let mut evidence = Distinct::<1>::new(1);
        let joints = [joint(0, 0b111), joint(1, 0b101)];
        let children = [0b0101, 0b0110, 0b0111, 0b1001, 0b1011];
        assert!(evidence.take_in(&parents, &joints, &children));
        assert!(evidence.holds());
        let mut sample = evidence.sample(&[0b0001]);
        sample.sort_unstable();
        assert_eq!(sample, [0b0101, 0b1001]);
    }

    #[test]
    fn masks_on_bits_that_vary_may_collide() {
        // 01 xor 01 = 00 = 10 xor 10.
        let parents = [0b01, 0b10];
        let mut evidence = Distinct::<0>::new(1);
        let joints = [joint(0, 0b01), joint(1, 0b10)];
        assert!(evidence.take_in(&parents, &joints, &[0b00, 0b00]));
        assert!(!evidence.holds());
    }

    #[test]
    fn a_move_that_changes_other_bits_elsewhere_breaks_the_form() {
        let mut evidence = Distinct::<1>::new(1);
        assert!(!evidence.take_in(&[1, 2], &[joint(0, 0b11)], &[5, 10]));
        let mut evidence = Distinct::<1>::new(1);
        assert!(evidence.take_in(&[1], &[joint(0, 1)], &[5]));
        assert!(!evidence.take_in(&[2], &[joint(0, 1)], &[10]));
    }
}
