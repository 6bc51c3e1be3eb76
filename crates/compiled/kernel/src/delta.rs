//! Joint moves that change the same bits in all lanes: children without a transpose.
//!
//! Where every bit of the child's key is the parent's bit, or differs from it in all lanes of the
//! mask or in none, the children are `parent xor delta`, which is taken from the parents' keys
//! directly. Most bits are known to be unchanged from their literals alone; the others cost one
//! pass over their planes. A choice that only names its move ("column 3 is pending") is of this
//! form; worth a twentieth of a solve of stochastic Connect-4.

use crate::expand::{BLOCK_WORDS, Delta, Mask};
use crate::frame::{Frame, Lit, any};

/// Longest key, in words, that is tried.
const MOST_WORDS: usize = size_of::<Delta>() / 8;

/// The bits that change in every lane of the mask, if no bit changes in some lanes only. Key bit
/// `b` of the parents lies in slot `first + b`; `bits` are the children's.
pub(crate) fn delta(frame: &Frame, first: usize, bits: &[Lit], mask: &Mask) -> Option<Delta> {
    debug_assert!(any(mask), "an entry has lanes");
    let mut delta = [0; MOST_WORDS];
    if bits.len() > 64 * MOST_WORDS {
        return None;
    }
    for (bit, &lit) in bits.iter().enumerate() {
        let parent = Lit::of_slot(first + bit);
        if lit == parent {
            continue;
        }
        let differs = changed(&frame.masked(parent, mask), &frame.masked(lit, mask), mask)?;
        delta[bit / 64] |= u64::from(differs) << (bit % 64);
    }
    Some(delta)
}

/// Whether the lanes of the mask differ in all or in none; `None` where only some do.
fn changed(old: &Mask, new: &Mask, mask: &Mask) -> Option<bool> {
    let (mut some, mut all) = (0, 0);
    for word in 0..BLOCK_WORDS {
        let different = old[word] ^ new[word];
        some |= different;
        all |= different ^ mask[word];
    }
    if some == 0 { Some(false) } else { (all == 0).then_some(true) }
}

/// Appends the children of the lanes of the mask.
pub(crate) fn append(keys: &[u64], stride: usize, delta: &Delta, mask: &Mask, out: &mut Vec<u64>) {
    let delta = &delta[..stride];
    if let [delta] = *delta {
        append_narrow(keys, delta, mask, out);
        return;
    }
    for lane in crate::frame::lanes(mask) {
        let parent = &keys[lane * stride..(lane + 1) * stride];
        out.extend(parent.iter().zip(delta).map(|(word, change)| word ^ change));
    }
}

fn append_narrow(keys: &[u64], delta: u64, mask: &Mask, out: &mut Vec<u64>) {
    for (&lanes, parents) in mask.iter().zip(keys.chunks(64)) {
        if lanes == u64::MAX {
            out.extend(parents.iter().map(|parent| parent ^ delta));
            continue;
        }
        let mut rest = lanes;
        while rest != 0 {
            out.push(parents[rest.trailing_zeros() as usize] ^ delta);
            rest &= rest - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_counts_where_it_changes_in_all_lanes_of_the_mask() {
        let mut frame = Frame::new(8);
        let planes: [u64; 4] = [0b1100, 0b1010, 0b0011, 0b1011];
        for (slot, plane) in planes.iter().enumerate() {
            frame.slot_mut(1 + slot)[0] = *plane;
        }
        let mut mask = Mask::default();
        mask[0] = 0b0110;
        let lit = Lit::of_slot;
        // In lanes 1 and 2: slot 1 is 0, 1; slot 2 is 1, 0; slot 3 is 1, 0; slot 4 is 1, 0.
        assert_eq!(delta(&frame, 1, &[lit(1), lit(2)], &mask), Some([0; 4]));
        assert_eq!(delta(&frame, 1, &[lit(2), lit(3)], &mask), Some([1, 0, 0, 0]));
        assert_eq!(delta(&frame, 1, &[lit(1), lit(0)], &mask), None);
        let mut out = Vec::new();
        append(&[10, 20, 30, 40], 1, &[1, 0, 0, 0], &mask, &mut out);
        assert_eq!(out, [21, 31]);
        out.clear();
        mask[0] = 0b10;
        append(&[1, 2, 3, 4], 2, &[0, 8, 0, 0], &mask, &mut out);
        assert_eq!(out, [3, 12]);
    }
}
