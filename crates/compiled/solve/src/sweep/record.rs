//! What the view of each block showed, kept for the backward pass; one record for all plies.
//!
//! Reading it back costs a tenth of viewing the block again, and once it is written the ply's
//! keys are not needed any more, so their memory serves the next ply but one. A block is a flat
//! run of words: sizes, the terminal mask, a mask a payment, then each joint entry as its moves
//! and shares and its mask. Masks keep only words that are not zero.
//!
//! Always: what is read is what was written, block by block in the same order.

use kernel::{BLOCK_WORDS, Expansion, Joint, Mask};
use store::{HugeVec, OutOfMemory};

use super::registers::for_lanes;

/// Blocks, one after the other.
#[derive(Default)]
pub(super) struct Record {
    words: HugeVec<u64>,
}

/// A position in a record.
#[derive(Clone, Copy, Default)]
pub(super) struct Cursor(usize);

/// Flags of a joint entry, above its mask's 16 presence bits.
const LAST_OF_PAIR: u64 = 1 << 16;
const LAST_OF_ASKED: u64 = 1 << 17;

impl Record {
    /// Where the next block will stand.
    pub(super) fn end(&self) -> Cursor {
        Cursor(self.words.len())
    }

    /// Takes back all blocks from a position on.
    pub(super) fn cut(&mut self, end: Cursor) {
        self.words.truncate(end.0);
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.words.bytes()
    }

    /// Appends a block of `lanes` states.
    pub(super) fn write(&mut self, lanes: usize, found: &Expansion) -> Result<(), OutOfMemory> {
        let payments = payments(found);
        let longest = 2 + BLOCK_WORDS;
        let parts = 1 + payments.len() + found.joints.len();
        self.words.reserve(2 + parts * (longest + 1))?;
        self.words.push_within(lanes as u64 | (payments.len() as u64) << 32);
        self.words.push_within(found.joints.len() as u64);
        self.write_mask(0, &found.terminal);
        for (payment, mask) in &payments {
            self.words.push_within(u64::from(*payment));
            self.write_mask(0, mask);
        }
        for joint in &found.joints {
            let opponents = u64::from(joint.opponents);
            self.words.push_within(index::Id::index(joint.asked) as u64 | opponents << 32);
            self.words.push_within(u64::from(joint.weight) | u64::from(joint.total) << 32);
            let pair = if joint.last_of_pair { LAST_OF_PAIR } else { 0 };
            let asked = if joint.last_of_asked { LAST_OF_ASKED } else { 0 };
            self.write_mask(pair | asked, &joint.mask);
        }
        Ok(())
    }

    fn write_mask(&mut self, flags: u64, mask: &Mask) {
        let words = mask.iter().enumerate();
        let present = words.fold(0, |sum, (at, word)| sum | u64::from(*word != 0) << at);
        self.words.push_within(flags | present);
        for word in mask.iter().filter(|word| **word != 0) {
            self.words.push_within(*word);
        }
    }

    /// Reads the block at the cursor into `out` and moves on; its number of states.
    pub(super) fn read(&self, cursor: &mut Cursor, out: &mut Expansion) -> usize {
        let (head, joints) = (self.word(cursor), self.word(cursor));
        let lanes = head as u32 as usize;
        (_, out.terminal) = self.read_mask(cursor);
        out.payoff.clear();
        out.payoff.resize(lanes, 0);
        for _ in 0..head >> 32 {
            let payment = self.word(cursor) as u32;
            for_lanes(&self.read_mask(cursor).1, |lane| out.payoff[lane] = payment);
        }
        out.joints.clear();
        for _ in 0..joints {
            let (moves, shares) = (self.word(cursor), self.word(cursor));
            let (flags, mask) = self.read_mask(cursor);
            out.joints.push(Joint {
                mask,
                asked: index::Id::from_index(moves as u32 as usize),
                opponents: (moves >> 32) as u32,
                weight: shares as u32,
                total: (shares >> 32) as u32,
                last_of_pair: flags & LAST_OF_PAIR != 0,
                last_of_asked: flags & LAST_OF_ASKED != 0,
                first_child: 0,
            });
        }
        assert!(lanes > 0 && cursor.0 <= self.words.len(), "a whole block was read");
        lanes
    }

    fn word(&self, cursor: &mut Cursor) -> u64 {
        cursor.0 += 1;
        self.words.as_slice()[cursor.0 - 1]
    }

    fn read_mask(&self, cursor: &mut Cursor) -> (u64, Mask) {
        let flags = self.word(cursor);
        let mut mask = [0; BLOCK_WORDS];
        for (at, word) in mask.iter_mut().enumerate() {
            if flags >> at & 1 == 1 {
                *word = self.word(cursor);
            }
        }
        (flags, mask)
    }
}

/// The payments that are not 0, each with the terminal lanes that get it.
fn payments(found: &Expansion) -> Vec<(u32, Mask)> {
    let mut payments: Vec<(u32, Mask)> = Vec::new();
    for_lanes(&found.terminal, |lane| {
        let payment = found.payoff[lane];
        if payment == 0 {
            return;
        }
        let place = payments.iter().position(|(held, _)| *held == payment);
        let place = place.unwrap_or_else(|| {
            payments.push((payment, [0; BLOCK_WORDS]));
            payments.len() - 1
        });
        payments[place].1[lane / 64] |= 1 << (lane % 64);
    });
    payments
}

#[cfg(test)]
mod tests {
    use index::Id;

    use super::*;

    #[test]
    fn blocks_come_back_as_they_were_written() {
        let mask = |word: usize, bits: u64| {
            let mut mask = [0; BLOCK_WORDS];
            mask[word] = bits;
            mask
        };
        let joint = Joint {
            mask: mask(15, 1 << 63),
            asked: net::InputId::from_index(7),
            opponents: u32::MAX,
            weight: 3,
            total: 4,
            last_of_pair: true,
            last_of_asked: false,
            first_child: 0,
        };
        let mut found = Expansion { terminal: mask(0, 0b110), ..Expansion::default() };
        found.payoff = vec![9; 1024];
        (found.payoff[1], found.payoff[2]) = (0, 50);
        found.joints = vec![joint, Joint { last_of_asked: true, ..joint }];
        let mut record = Record::default();
        assert_eq!(record.end().0, 0);
        record.write(1024, &found).expect("memory");
        record.write(3, &Expansion { terminal: mask(0, 0b111), ..found.clone() }).expect("memory");
        let (mut cursor, mut read) = (Cursor::default(), Expansion::default());
        assert_eq!(record.read(&mut cursor, &mut read), 1024);
        assert_eq!((read.terminal, read.payoff[1], read.payoff[2]), (mask(0, 0b110), 0, 50));
        assert_eq!(format!("{:?}", read.joints), format!("{:?}", found.joints));
        assert_eq!(record.read(&mut cursor, &mut read), 3);
        assert_eq!(read.payoff, [9, 0, 50]);
        assert_eq!(cursor.0, record.end().0);
        record.cut(Cursor::default());
        assert_eq!(record.end().0, 0);
    }
}
