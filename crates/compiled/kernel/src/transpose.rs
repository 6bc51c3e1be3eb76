//! Keys to planes and back: 64x64 bit transposes, several side by side.
//!
//! Four blocks of 64 states are transposed at once, one in each 64-bit lane of a vector: then
//! every step of the butterfly is a plain vertical operation, which the compiler turns into AVX2
//! where it may and into baseline code elsewhere. Eight rows are held in registers for three
//! steps, so a block passes through memory twice, not six times.
//!
//! Lane `l` of a frame is bit `l % 64` of word `l / 64`. Bits of the last lanes, beyond the
//! states given, are zero on the way in and skipped on the way out.
//!
//! Cost: about a nanosecond a 64-bit word of key in each direction; a single state goes bit by
//! bit instead. Source: the recursive block transposition of bit matrices (Warren, *Hacker's
//! Delight*, 2nd ed. 2012, section 7-3).

use crate::expand::{BLOCK_LANES, BLOCK_WORDS, Mask};
use crate::frame::{Frame, Lit, lanes};
use crate::isa::{Isa, dispatch};

/// Rows of `N` blocks side by side.
type Rows<const N: usize> = [[u64; N]; 64];

/// Transposes `N` blocks of 64x64 bits: bit `c` of row `r` moves to bit `r` of row `c`.
#[inline(always)]
pub(crate) fn transpose<const N: usize>(rows: &mut Rows<N>) {
    for start in 0..8 {
        butterfly(rows, start, 8);
    }
    for start in (0..64).step_by(8) {
        butterfly(rows, start, 1);
    }
}

/// The masks of the steps, by distance: the low half of every pair of groups of bits.
const fn low_half(distance: usize) -> u64 {
    u64::MAX / ((1u64 << distance) + 1)
}

/// Exchanges the high bits of `a` with the low bits of `b`, in groups of `distance` bits.
#[inline(always)]
fn exchange<const N: usize>(a: [u64; N], b: [u64; N], distance: usize) -> ([u64; N], [u64; N]) {
    let mask = low_half(distance);
    let moved: [u64; N] = std::array::from_fn(|n| ((a[n] >> distance) ^ b[n]) & mask);
    let low = std::array::from_fn(|n| a[n] ^ (moved[n] << distance));
    (low, std::array::from_fn(|n| b[n] ^ moved[n]))
}

/// Three steps, at distances `4 * stride`, `2 * stride` and `stride`, over the eight rows
/// `start + i * stride`.
#[inline(always)]
fn butterfly<const N: usize>(rows: &mut Rows<N>, start: usize, stride: usize) {
    let mut held: [[u64; N]; 8] = std::array::from_fn(|i| rows[start + i * stride]);
    for step in [4, 2, 1] {
        for low in (0..8).filter(|low| low & step == 0) {
            let (a, b) = (held[low], held[low + step]);
            (held[low], held[low + step]) = exchange(a, b, step * stride);
        }
    }
    for (i, row) in held.into_iter().enumerate() {
        rows[start + i * stride] = row;
    }
}

/// Keys of `stride` words each into planes: bit `64 * w + b` of the keys goes to slot
/// `first + 64 * w + b`, for the first `bits` bits.
pub(crate) fn keys_to_planes(isa: Isa, keys: Keys<'_>, first: usize, frame: &mut Frame) {
    let words = frame.width();
    assert!(keys.data.len().is_multiple_of(keys.stride), "whole keys");
    assert!(keys.bits <= 64 * keys.stride, "bits lie in the key");
    let states = keys.data.len() / keys.stride;
    assert!(states >= 1 && states <= 64 * words, "states fit in the frame");
    assert!((first + keys.bits) <= frame.slots(), "planes lie in the frame");
    let planes = &mut frame.words_mut()[first * words..];
    if states == 1 {
        scatter_one(keys, planes, words);
    } else {
        keys_to_planes_wide(isa, keys, planes, words);
    }
}

/// Packed keys: `stride` words a state, of which the first `bits` bits are used.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'a> {
    /// The words.
    pub data: &'a [u64],
    /// Words a key.
    pub stride: usize,
    /// Bits a key.
    pub bits: usize,
}

/// One state: bit by bit.
fn scatter_one(keys: Keys<'_>, planes: &mut [u64], words: usize) {
    for bit in 0..keys.bits {
        planes[bit * words] = keys.data[bit / 64] >> (bit % 64) & 1;
    }
}

dispatch! {
    fn keys_to_planes_wide(keys: Keys<'_>, planes: &mut [u64], words: usize) = keys_to_planes_body
}

#[inline(always)]
fn keys_to_planes_body(keys: Keys<'_>, planes: &mut [u64], words: usize) {
    match words {
        1 => gather_groups::<1>(keys, planes, words),
        2 => gather_groups::<2>(keys, planes, words),
        _ => gather_groups::<4>(keys, planes, words),
    }
}

#[inline(always)]
fn gather_groups<const N: usize>(keys: Keys<'_>, planes: &mut [u64], words: usize) {
    debug_assert!(words.is_multiple_of(N), "groups fill the width");
    let states = keys.data.len() / keys.stride;
    for word in 0..keys.bits.div_ceil(64) {
        let rows_used = (keys.bits - 64 * word).min(64);
        for group in (0..words).step_by(N) {
            let mut rows: Rows<N> = [[0; N]; 64];
            if 64 * (group + N) <= states {
                load_full(&keys.data[64 * group * keys.stride + word..], keys.stride, &mut rows);
            } else {
                load_part(keys, word, 64 * group, &mut rows);
            }
            transpose(&mut rows);
            for (bit, row) in rows.iter().enumerate().take(rows_used) {
                let at = (64 * word + bit) * words + group;
                planes[at..at + N].copy_from_slice(row);
            }
        }
    }
}

/// Loads `64 * N` states that are all there.
#[inline(always)]
fn load_full<const N: usize>(data: &[u64], stride: usize, rows: &mut Rows<N>) {
    let data = &data[..(64 * N - 1) * stride + 1];
    for (lane, row) in rows.iter_mut().enumerate() {
        *row = std::array::from_fn(|n| data[(64 * n + lane) * stride]);
    }
}

/// Loads the states from `first` on, zeros beyond the last.
#[inline(always)]
fn load_part<const N: usize>(keys: Keys<'_>, word: usize, first: usize, rows: &mut Rows<N>) {
    let states = keys.data.len() / keys.stride;
    for lane in first..states.min(first + 64 * N) {
        let (n, row) = ((lane - first) / 64, (lane - first) % 64);
        rows[row][n] = keys.data[lane * keys.stride + word];
    }
}

dispatch! {
    /// Appends to `out` the keys of the lanes in `mask`, in lane order: bit `b` of a key is the
    /// literal `bits[b]`, and a key is `stride` words.
    fn planes_to_keys(planes: &Planes<'_>, mask: &Mask, out: &mut Vec<u64>) = planes_to_keys_body
}

#[inline(always)]
fn planes_to_keys_body(planes: &Planes<'_>, mask: &Mask, out: &mut Vec<u64>) {
    assert!(planes.bits.len() <= 64 * planes.stride, "bits fit in the key");
    let count: usize = mask.iter().map(|word| word.count_ones() as usize).sum();
    out.reserve(count * planes.stride + SLACK);
    if count <= FEW_LANES {
        lanes(mask).for_each(|lane| gather_one(planes, lane, out));
        return;
    }
    match planes.frame.width() {
        1 => scatter_groups::<1>(planes, mask, out),
        2 => scatter_groups::<2>(planes, mask, out),
        _ => scatter_groups::<4>(planes, mask, out),
    }
}

/// Key bits as literals of a frame.
pub(crate) struct Planes<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// The literal of each key bit.
    pub bits: &'a [Lit],
    /// Words a key.
    pub stride: usize,
}

/// Up to this many lanes are gathered bit by bit.
const FEW_LANES: usize = 4;
/// Words that a compressed store may write beyond its last.
const SLACK: usize = 4;

fn gather_one(planes: &Planes<'_>, lane: usize, out: &mut Vec<u64>) {
    for word in 0..planes.stride {
        let from = (64 * word).min(planes.bits.len());
        let upto = (from + 64).min(planes.bits.len());
        let (frame, width) = (planes.frame.words(), planes.frame.width());
        let bit_of = |lit: Lit| {
            let held = frame[lit.slot() * width + lane / 64] ^ lit.flip();
            held >> (lane % 64) & 1
        };
        let bits = planes.bits[from..upto].iter().enumerate();
        out.push(bits.fold(0, |key, (at, &lit)| key | bit_of(lit) << at));
    }
}

#[inline(always)]
fn scatter_groups<const N: usize>(planes: &Planes<'_>, mask: &Mask, out: &mut Vec<u64>) {
    if planes.stride == 1 {
        for group in (0..planes.frame.width()).step_by(N) {
            if mask[group..group + N].iter().any(|&word| word != 0) {
                let rows = transposed_rows::<N>(planes, 0, group);
                append_narrow(&rows, &mask[group..group + N], out);
            }
        }
    } else {
        scatter_wide_keys::<N>(planes, mask, out);
    }
}

/// The rows of one word of the keys of `N` groups, transposed: row `r` holds lane `r` of each.
#[inline(always)]
fn transposed_rows<const N: usize>(planes: &Planes<'_>, word: usize, group: usize) -> Rows<N> {
    let mut rows: Rows<N> = [[0; N]; 64];
    let (frame, width) = (planes.frame.words(), planes.frame.width());
    let bits = &planes.bits[64 * word..planes.bits.len().min(64 * word + 64)];
    for (row, lit) in rows.iter_mut().zip(bits) {
        let at = lit.slot() * width + group;
        let (held, flip) = (&frame[at..at + N], lit.flip());
        *row = std::array::from_fn(|n| held[n] ^ flip);
    }
    transpose(&mut rows);
    rows
}

/// Appends keys of one word: every lane's key is stored, and the end moves on for lanes of the
/// mask only, so there is no branch a lane.
#[inline(always)]
fn append_narrow<const N: usize>(rows: &Rows<N>, mask: &[u64], out: &mut Vec<u64>) {
    for (n, &lanes) in mask.iter().enumerate() {
        if lanes == 0 {
            continue;
        }
        let count = lanes.count_ones() as usize;
        let mut end = out.len();
        assert!(end + count < out.capacity(), "room for the keys and one more");
        let base = out.as_mut_ptr();
        for (lane, row) in rows.iter().enumerate() {
            // SAFETY: `end` is at most the old length plus `count`, below the capacity asserted
            // above; the store beyond the last key falls in the slack.
            unsafe { base.add(end).write(row[n]) };
            end += (lanes >> lane & 1) as usize;
        }
        // SAFETY: `end` is the old length plus `count`, and all words below it were written.
        unsafe { out.set_len(end) };
    }
}

/// Keys of several words: transposed word by word into a table, then copied lane by lane.
#[inline(always)]
fn scatter_wide_keys<const N: usize>(planes: &Planes<'_>, mask: &Mask, out: &mut Vec<u64>) {
    let used = planes.bits.len().div_ceil(64);
    let mut table: Vec<Rows<N>> = Vec::with_capacity(used);
    for group in (0..planes.frame.width()).step_by(N) {
        if mask[group..group + N].iter().all(|&word| word == 0) {
            continue;
        }
        table.clear();
        table.extend((0..used).map(|word| transposed_rows::<N>(planes, word, group)));
        for n in 0..N {
            let mut rest = mask[group + n];
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                out.extend(table.iter().map(|rows| rows[lane][n]));
                out.extend(std::iter::repeat_n(0, planes.stride - used));
            }
        }
    }
}

const _: () = assert!(BLOCK_LANES == 64 * BLOCK_WORDS && SLACK >= 1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{first_lanes, width_for};
    use net::random::Random;

    fn naive(rows: &Rows<1>) -> Rows<1> {
        let bit = |row: usize, column: usize| rows[row][0] >> column & 1;
        std::array::from_fn(|r| [(0..64).fold(0, |word, c| word | bit(c, r) << c)])
    }

    #[test]
    fn a_transpose_moves_every_bit_to_its_place() {
        let mut random = Random::new(1);
        let rows: Rows<1> = std::array::from_fn(|_| [random.bits()]);
        let mut turned = rows;
        transpose(&mut turned);
        assert_eq!(turned, naive(&rows));
        transpose(&mut turned);
        assert_eq!(turned, rows);
    }

    fn round_trip(isa: Isa, states: usize, stride: usize, bits: usize, random: &mut Random) {
        let keep = |word: usize| match bits.saturating_sub(64 * word) {
            0 => 0,
            left if left >= 64 => u64::MAX,
            left => (1 << left) - 1,
        };
        let data: Vec<u64> =
            (0..states * stride).map(|at| random.bits() & keep(at % stride)).collect();
        let mut frame = Frame::new(1 + bits);
        frame.set_width(width_for(states));
        keys_to_planes(isa, Keys { data: &data, stride, bits }, 1, &mut frame);
        let lits: Vec<Lit> = (0..bits).map(|bit| Lit::of_slot(1 + bit)).collect();
        let planes = Planes { frame: &frame, bits: &lits, stride };
        let mut mask = first_lanes(states);
        let mut back = Vec::new();
        planes_to_keys(isa, &planes, &mask, &mut back);
        assert_eq!(back, data, "{states} states of {bits} bits");
        mask.iter_mut().for_each(|word| *word &= random.bits());
        back.clear();
        planes_to_keys(isa, &planes, &mask, &mut back);
        let chosen: Vec<u64> = lanes(&mask)
            .flat_map(|lane| data[lane * stride..(lane + 1) * stride].to_vec())
            .collect();
        assert_eq!(back, chosen);
    }

    #[test]
    fn keys_come_back_from_planes_under_every_width_and_instruction_set() {
        let mut random = Random::new(2);
        for isa in Isa::available() {
            for states in [1, 2, 5, 64, 65, 130, 300, 1000, 1024] {
                for (stride, bits) in [(1, 1), (1, 37), (1, 64), (2, 65), (3, 100), (2, 128)] {
                    round_trip(isa, states, stride, bits, &mut random);
                }
            }
        }
    }

    #[test]
    fn inverted_literals_are_inverted_in_the_keys() {
        let mut frame = Frame::new(2);
        frame.set_width(1);
        frame.slot_mut(1)[0] = 0b01;
        let bits = [Lit::of_slot(1), Lit::of_slot(1).invert_if(true), Lit::FALSE.invert_if(true)];
        let planes = Planes { frame: &frame, bits: &bits, stride: 1 };
        let mut out = Vec::new();
        planes_to_keys(Isa::detect(), &planes, &first_lanes(2), &mut out);
        assert_eq!(out, [0b101, 0b110]);
    }
}
