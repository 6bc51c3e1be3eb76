//! Planes and the frame that holds them: one bit of up to 1024 states side by side.
//!
//! A frame is one aligned allocation cut into *slots* of `words` 64-bit words each, where `words`
//! is 1, 2, 4, 8 or 16: a narrow block stays dense in the cache. Slot 0 always holds zeros, so a
//! constant is a literal like any other. A *literal* is a slot and whether it is read inverted,
//! `2 * slot + inverted`; negation therefore costs no gate.
//!
//! Bits of lanes beyond the states of the block hold garbage: every reader masks them.

use crate::expand::{BLOCK_WORDS, Mask};

/// A full plane: 1024 lanes, two cache lines.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(crate) struct Plane([u64; BLOCK_WORDS]);

const _: () = assert!(size_of::<Plane>() == 8 * BLOCK_WORDS, "slots are dense");

/// A slot read plainly (even) or inverted (odd).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Lit(u32);

impl Lit {
    /// The constant false: slot 0.
    pub(crate) const FALSE: Self = Self(0);

    /// The slot, not inverted.
    pub(crate) fn of_slot(slot: usize) -> Self {
        assert!(slot < (1 << 30), "a frame has fewer than 2^30 slots");
        Self((slot as u32) << 1)
    }

    /// Which slot is read.
    #[inline]
    pub(crate) fn slot(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// All ones where the literal reads its slot inverted, else zero.
    #[inline]
    pub(crate) fn flip(self) -> u64 {
        0u64.wrapping_sub(u64::from(self.0 & 1))
    }

    /// The literal inverted where `inverted`.
    #[inline]
    pub(crate) fn invert_if(self, inverted: bool) -> Self {
        Self(self.0 ^ u32::from(inverted))
    }
}

/// Slots of planes.
#[derive(Clone)]
pub(crate) struct Frame {
    planes: Vec<Plane>,
    width: usize,
    epoch: u64,
}

impl Frame {
    /// A frame of this many slots, all zero.
    pub(crate) fn new(slots: usize) -> Self {
        Self { planes: vec![Plane([0; BLOCK_WORDS]); slots.max(1)], width: BLOCK_WORDS, epoch: 0 }
    }

    /// Cuts the frame into slots of another width. All slots but 0 then hold garbage.
    pub(crate) fn set_width(&mut self, width: usize) {
        assert!(width.is_power_of_two() && width <= BLOCK_WORDS, "a width of 1, 2, 4, 8 or 16");
        if width != self.width {
            self.width = width;
            self.epoch += 1;
            self.words_mut()[..width].fill(0);
        }
        debug_assert!(self.words()[..width].iter().all(|&word| word == 0), "slot 0 is zero");
    }

    /// Words of a slot.
    #[inline]
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Makes room for at least this many slots; what the frame held may be lost, but for slot 0.
    pub(crate) fn reserve(&mut self, slots: usize) {
        if slots > self.planes.len() {
            self.planes.resize(slots, Plane([0; BLOCK_WORDS]));
        }
    }

    /// Number of slots of full width.
    pub(crate) fn slots(&self) -> usize {
        self.planes.len()
    }

    /// Counts the changes of width: what was written in an earlier epoch is lost.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// All words, slot after slot.
    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        let len = self.planes.len() * BLOCK_WORDS;
        // SAFETY: a `Plane` is `repr(C)` over an array of words, without padding (asserted
        // above), so the planes are `len` initialised words; the borrow is the frame's.
        unsafe { std::slice::from_raw_parts(self.planes.as_ptr().cast(), len) }
    }

    /// All words, slot after slot, to be written.
    #[inline]
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        let len = self.planes.len() * BLOCK_WORDS;
        // SAFETY: as in `words`; the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.planes.as_mut_ptr().cast(), len) }
    }

    /// The words of a slot.
    #[inline]
    pub(crate) fn slot_mut(&mut self, slot: usize) -> &mut [u64] {
        debug_assert!(slot > 0, "slot 0 is the constant");
        let from = slot * self.width;
        let to = from + self.width;
        &mut self.words_mut()[from..to]
    }

    /// Sets all lanes of a slot to one bit.
    pub(crate) fn fill(&mut self, slot: usize, bit: bool) {
        self.slot_mut(slot).fill(0u64.wrapping_sub(u64::from(bit)));
    }

    /// The lanes of a literal that are in `within`.
    #[inline]
    pub(crate) fn masked(&self, lit: Lit, within: &Mask) -> Mask {
        let from = lit.slot() * self.width;
        let (plane, flip) = (&self.words()[from..from + self.width], lit.flip());
        let mut mask = [0; BLOCK_WORDS];
        for ((out, word), keep) in mask.iter_mut().zip(plane).zip(within) {
            *out = (word ^ flip) & keep;
        }
        mask
    }
}

/// The width of frame that holds this many lanes: a power of two of words.
pub(crate) fn width_for(lanes: usize) -> usize {
    assert!((1..=64 * BLOCK_WORDS).contains(&lanes), "a block has 1 to 1024 lanes");
    lanes.div_ceil(64).next_power_of_two()
}

/// The mask of the first `lanes` lanes.
pub(crate) fn first_lanes(lanes: usize) -> Mask {
    let mut mask = [0; BLOCK_WORDS];
    mask[..lanes / 64].fill(u64::MAX);
    if !lanes.is_multiple_of(64) {
        mask[lanes / 64] = (1 << (lanes % 64)) - 1;
    }
    mask
}

/// Lanes in both.
#[inline]
pub(crate) fn both(a: &Mask, b: &Mask) -> Mask {
    std::array::from_fn(|i| a[i] & b[i])
}

/// Lanes in `a` and not in `b`.
#[inline]
pub(crate) fn without(a: &Mask, b: &Mask) -> Mask {
    std::array::from_fn(|i| a[i] & !b[i])
}

/// Adds the lanes of `b` to `a`.
#[inline]
pub(crate) fn add(a: &mut Mask, b: &Mask) {
    for (mine, theirs) in a.iter_mut().zip(b) {
        *mine |= theirs;
    }
}

/// Whether a lane is in the mask.
#[inline]
pub(crate) fn any(mask: &Mask) -> bool {
    mask.iter().fold(0, |seen, word| seen | word) != 0
}

/// How many lanes a mask has.
#[inline]
pub(crate) fn count(mask: &Mask) -> u64 {
    mask.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// The lanes of a mask, ascending.
pub(crate) fn lanes(mask: &Mask) -> impl Iterator<Item = usize> + '_ {
    mask.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                64 * index + bit
            })
        })
    })
}

/// The first lane of a mask.
pub(crate) fn first_lane(mask: &Mask) -> Option<usize> {
    lanes(mask).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_a_prefix_are_the_prefix() {
        for count in [1, 63, 64, 65, 1000, 1024] {
            let mask = first_lanes(count);
            assert!(lanes(&mask).eq(0..count));
            assert_eq!(first_lane(&mask), Some(0));
        }
        assert_eq!(first_lane(&[0; BLOCK_WORDS]), None);
    }

    #[test]
    fn widths_are_powers_of_two_that_hold_the_lanes() {
        let widths = [1, 64, 65, 200, 300, 512, 513, 1024].map(width_for);
        assert_eq!(widths, [1, 1, 2, 4, 8, 8, 16, 16]);
    }

    #[test]
    fn a_literal_reads_its_slot_inverted_and_never_a_lane_outside() {
        let mut frame = Frame::new(3);
        frame.set_width(1);
        frame.slot_mut(2)[0] = 0b1010;
        let lit = Lit::of_slot(2);
        let within = first_lanes(4);
        assert_eq!(frame.masked(lit, &within)[0], 0b1010);
        assert_eq!(frame.masked(lit.invert_if(true), &within)[0], 0b0101);
        assert_eq!(frame.masked(Lit::FALSE.invert_if(true), &within), within);
        assert!(!any(&frame.masked(Lit::FALSE, &within)));
    }

    #[test]
    fn the_constant_stays_zero_when_the_width_changes() {
        let mut frame = Frame::new(3);
        for width in [1, 16, 2, 4, 1, 8] {
            frame.set_width(width);
            frame.fill(1, true);
            frame.fill(2, true);
            assert!(!any(&frame.masked(Lit::FALSE, &first_lanes(1024))));
        }
    }

    #[test]
    fn set_operations_act_lane_by_lane() {
        let (a, b) = (first_lanes(100), first_lanes(70));
        assert_eq!(both(&a, &b), b);
        assert_eq!((count(&a), count(&without(&a, &b))), (100, 30));
        assert_eq!(lanes(&without(&a, &b)).collect::<Vec<_>>(), (70..100).collect::<Vec<_>>());
        let mut sum = b;
        add(&mut sum, &a);
        assert_eq!(sum, a);
    }
}
