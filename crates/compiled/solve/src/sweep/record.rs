//! What the view of each block showed, kept for the backward pass: blocks as runs of words.
//!
//! Reading it back costs a tenth of viewing the block again, and once it is written the ply's
//! keys are not needed any more, so their memory serves the next ply but one. A block is a flat
//! run of words: sizes and its length, the terminal mask, a mask a payment, then each joint entry as
//! its moves and shares and its mask. Masks keep only words that are not zero.
//!
//! Always: what is read is what was written, block by block in the same order.

use kernel::{BLOCK_WORDS, Expansion, Joint, Mask};
use store::{HugeVec, OutOfMemory};

use super::registers::for_lanes;

/// Flags of a joint entry, above its mask's 16 presence bits.
const LAST_OF_PAIR: u64 = 1 << 16;
const LAST_OF_ASKED: u64 = 1 << 17;

/// Words at the front of a block that tell its length.
pub(super) const HEAD: usize = 2;

/// Number of words of the block that begins with these.
pub(super) fn length(head: &[u64]) -> usize {
    (head[1] >> 32) as usize
}

/// Number of children, by all joint moves, of the states of a block, without reading it whole.
pub(super) fn children(words: &[u64]) -> usize {
    let mut at = HEAD;
    let mut population = |before: usize| {
        let from = at + before + 1;
        at = from + (words[from - 1] as u16).count_ones() as usize;
        words[from..at].iter().map(|word| word.count_ones() as usize).sum::<usize>()
    };
    population(0);
    for _ in 0..words[0] >> 32 {
        population(1);
    }
    let count = (0..words[1] as u32).map(|_| population(2)).sum();
    assert_eq!(at, words.len(), "a whole block was read");
    count
}

/// Appends a block of `lanes` states to a record.
pub(super) fn write(
    record: &mut HugeVec<u64>,
    lanes: usize,
    found: &Expansion,
) -> Result<(), OutOfMemory> {
    let payments = payments(found);
    let longest = 2 + BLOCK_WORDS;
    let parts = 1 + payments.len() + found.joints.len();
    record.reserve(HEAD + parts * (longest + 1))?;
    let start = record.len();
    record.push_within(lanes as u64 | (payments.len() as u64) << 32);
    record.push_within(found.joints.len() as u64);
    write_mask(record, 0, &found.terminal);
    for (payment, mask) in &payments {
        record.push_within(u64::from(*payment));
        write_mask(record, 0, mask);
    }
    for joint in &found.joints {
        let opponents = u64::from(joint.opponents);
        record.push_within(index::Id::index(joint.asked) as u64 | opponents << 32);
        record.push_within(u64::from(joint.weight) | u64::from(joint.total) << 32);
        let pair = if joint.last_of_pair { LAST_OF_PAIR } else { 0 };
        let asked = if joint.last_of_asked { LAST_OF_ASKED } else { 0 };
        write_mask(record, pair | asked, &joint.mask);
    }
    let length = (record.len() - start) as u64;
    assert!(length < 1 << 32 && found.joints.len() < 1 << 32, "a block is short");
    record.as_mut_slice()[start + 1] |= length << 32;
    Ok(())
}

fn write_mask(record: &mut HugeVec<u64>, flags: u64, mask: &Mask) {
    let words = mask.iter().enumerate();
    let present = words.fold(0, |sum, (at, word)| sum | u64::from(*word != 0) << at);
    record.push_within(flags | present);
    for word in mask.iter().filter(|word| **word != 0) {
        record.push_within(*word);
    }
}

/// Reads the block that the words hold into `out`; its number of states.
pub(super) fn read(words: &[u64], out: &mut Expansion) -> usize {
    let mut words = words.iter().copied();
    let mut next = || words.next().expect("a block is whole");
    let (head, joints) = (next(), next() as u32);
    let lanes = head as u32 as usize;
    (_, out.terminal) = read_mask(&mut next);
    out.payoff.clear();
    out.payoff.resize(lanes, 0);
    for _ in 0..head >> 32 {
        let payment = next() as u32;
        for_lanes(&read_mask(&mut next).1, |lane| out.payoff[lane] = payment);
    }
    out.joints.clear();
    for _ in 0..joints {
        let (moves, shares) = (next(), next());
        let (flags, mask) = read_mask(&mut next);
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
    assert!(lanes > 0 && words.next().is_none(), "a whole block was read");
    lanes
}

fn read_mask(next: &mut impl FnMut() -> u64) -> (u64, Mask) {
    let flags = next();
    let mut mask = [0; BLOCK_WORDS];
    for (at, word) in mask.iter_mut().enumerate() {
        if flags >> at & 1 == 1 {
            *word = next();
        }
    }
    (flags, mask)
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
        let mut record = HugeVec::new();
        write(&mut record, 1024, &found).expect("memory");
        let first = length(record.as_slice());
        assert_eq!(first, record.len());
        let short = Expansion { terminal: mask(0, 0b111), ..found.clone() };
        write(&mut record, 3, &short).expect("memory");
        assert_eq!(children(&record.as_slice()[..first]), 2, "a child for each lane of an entry");
        let mut out = Expansion::default();
        assert_eq!(read(&record.as_slice()[..first], &mut out), 1024);
        assert_eq!((out.terminal, out.payoff[1], out.payoff[2]), (mask(0, 0b110), 0, 50));
        assert_eq!(format!("{:?}", out.joints), format!("{:?}", found.joints));
        let rest = &record.as_slice()[first..];
        assert_eq!((length(rest), read(rest, &mut out)), (rest.len(), 3));
        assert_eq!(out.payoff, [9, 0, 50]);
    }
}
