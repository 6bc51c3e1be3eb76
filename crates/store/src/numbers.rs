//! Runs of numbers as bytes: each number without its leading zero bytes, its length apart.
//!
//! Lengths (0 to 8, half a byte each) stand before the bytes, so that neither direction branches
//! on them. Under [`Coding::Steps`] a number is the step from the one `stride` places before it,
//! signs folded into the lowest bit: runs of neighbouring ids and of sorted keys become a byte or
//! two a number.
//!
//! Always: `unpack(pack(x))` is `x`; bytes that [`pack`] did not write are refused or give some
//! numbers, never a panic. Source: byte-aligned codes with separate lengths, as in J. Dean,
//! "Challenges in building large-scale information retrieval systems", 2009.

/// How numbers become smaller numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// As they are.
    Plain,
    /// As steps from the number so many places before; at least 1.
    Steps(u16),
}

/// A number that can be packed.
pub trait Number: Copy + Default {
    /// As a word.
    fn word(self) -> u64;
    /// From a word; higher bits are dropped.
    fn of(word: u64) -> Self;
}

impl Number for u32 {
    #[inline(always)]
    fn word(self) -> u64 {
        self.into()
    }
    #[inline(always)]
    fn of(word: u64) -> Self {
        word as Self
    }
}

impl Number for u64 {
    #[inline(always)]
    fn word(self) -> u64 {
        self
    }
    #[inline(always)]
    fn of(word: u64) -> Self {
        word
    }
}

/// Zero bytes at the end, so that eight bytes can be read wherever a number begins.
const PADDING: usize = 8;

/// Numbers that are made steps together.
const WORKED: usize = 256;
const _: () = assert!(WORKED.is_multiple_of(2), "lengths go by pairs");

#[inline(always)]
fn fold_sign(step: u64) -> u64 {
    (step << 1) ^ (((step as i64) >> 63) as u64)
}

#[inline(always)]
fn unfold_sign(folded: u64) -> u64 {
    (folded >> 1) ^ (folded & 1).wrapping_neg()
}

/// Numbers from a place on as they are (stride 0), or as steps with their signs folded; a loop of its
/// own, so that it is one of vectors.
#[inline]
fn steps<T: Number>(numbers: &[T], from: usize, stride: usize, words: &mut [u64]) {
    let piece = &numbers[from..from + words.len()];
    if stride == 0 {
        words.iter_mut().zip(piece).for_each(|(word, number)| *word = number.word());
        return;
    }
    let head = stride.saturating_sub(from).min(piece.len());
    for (word, number) in words.iter_mut().zip(&piece[..head]) {
        *word = fold_sign(number.word());
    }
    if head < piece.len() {
        let before = &numbers[from + head - stride..];
        for ((word, now), before) in words[head..].iter_mut().zip(&piece[head..]).zip(before) {
            *word = fold_sign(now.word().wrapping_sub(before.word()));
        }
    }
}

/// Appends the numbers as bytes.
///
/// # Panics
/// When steps have a stride of 0.
pub(crate) fn pack<T: Number>(numbers: &[T], coding: Coding, out: &mut Vec<u8>) {
    let (start, pairs) = (out.len(), numbers.len().div_ceil(2));
    // What is not written below is cut off: only the end of the buffer is filled twice.
    out.resize(start + pairs + 8 * numbers.len() + PADDING, 0);
    let (lengths, bytes) = out[start..].split_at_mut(pairs);
    let mut at = 0;
    let mut put = |word: u64| -> u8 {
        let length = ((71 - word.leading_zeros()) / 8) as usize;
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        at += length;
        length as u8
    };
    let stride = match coding {
        Coding::Plain => 0,
        Coding::Steps(stride) => {
            assert!(stride > 0, "a step goes to an earlier number");
            usize::from(stride)
        }
    };
    let mut words = [0; WORKED];
    for (piece, lengths) in lengths.chunks_mut(WORKED / 2).enumerate() {
        let from = piece * WORKED;
        let words = &mut words[..WORKED.min(numbers.len() - from)];
        steps(numbers, from, stride, words);
        let (pairs, odd) = words.as_chunks::<2>();
        for (lengths, [low, high]) in lengths.iter_mut().zip(pairs) {
            *lengths = put(*low) | put(*high) << 4;
        }
        if let [word] = odd {
            lengths[pairs.len()] = put(*word);
        }
    }
    bytes[at..at + PADDING].fill(0);
    let used = start + pairs + at + PADDING;
    out.truncate(used);
}

/// Reads `count` numbers to the end of `out`; `false` where the bytes are not so many numbers,
/// `out` then holds nothing of use.
#[must_use]
pub(crate) fn unpack<T: Number>(
    bytes: &[u8],
    count: usize,
    coding: Coding,
    out: &mut Vec<T>,
) -> bool {
    /// What is kept of eight bytes, by length; lengths above 8 do not occur.
    const MASKS: [u64; 16] = {
        let mut masks = [u64::MAX; 16];
        let mut length = 0;
        while length < 8 {
            masks[length] = (1 << (8 * length)) - 1;
            length += 1;
        }
        masks
    };
    let Some((lengths, bytes)) = bytes.split_at_checked(count.div_ceil(2)) else { return false };
    let (start, mut at) = (out.len(), 0);
    let mut next = |place: usize| -> Option<u64> {
        let length = usize::from(lengths[place / 2] >> (4 * (place & 1)) & 15);
        let word = bytes.get(at..at + 8)?.try_into().map(u64::from_le_bytes).ok()?;
        at += length;
        Some(word & MASKS[length])
    };
    out.reserve(count);
    let stride = if let Coding::Steps(stride) = coding { usize::from(stride) } else { 0 };
    if coding == Coding::Steps(0) {
        return false;
    }
    for place in 0..count {
        let Some(word) = next(place) else { return false };
        let word = match coding {
            Coding::Plain => word,
            Coding::Steps(_) if place < stride => unfold_sign(word),
            Coding::Steps(_) => out[start + place - stride].word().wrapping_add(unfold_sign(word)),
        };
        out.push(T::of(word));
    }
    at + PADDING == bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round<T: Number + PartialEq + std::fmt::Debug>(numbers: &[T], coding: Coding) -> usize {
        let mut bytes = vec![7];
        pack(numbers, coding, &mut bytes);
        let mut read = vec![T::default()];
        assert!(unpack(&bytes[1..], numbers.len(), coding, &mut read));
        assert_eq!(&read[1..], numbers);
        bytes.len() - 1
    }

    #[test]
    fn what_is_packed_comes_back() {
        let wide = [0, 1, u64::MAX, 1 << 63, 255, 256, u64::MAX - 1, 3];
        for coding in [Coding::Plain, Coding::Steps(1), Coding::Steps(3), Coding::Steps(20)] {
            round(&wide, coding);
            round::<u64>(&[], coding);
            round(&[5u32, u32::MAX, 0, 1 << 31, 9], coding);
            for count in [WORKED - 1, WORKED, WORKED + 1, 2 * WORKED + 3] {
                let mixed = (0..count as u64).map(|n| (n * n * n) << (n % 40));
                round(&mixed.collect::<Vec<u64>>(), coding);
            }
        }
    }

    #[test]
    fn neighbours_are_short() {
        let ids: Vec<u32> = (1_000_000..1_010_000).collect();
        assert!(round(&ids, Coding::Steps(1)) < 16_000);
        assert!(round(&ids, Coding::Plain) > 34_000);
    }

    #[test]
    fn bytes_that_are_no_numbers_are_refused() {
        let mut bytes = Vec::new();
        pack(&[1u64, 2, 300], Coding::Plain, &mut bytes);
        let mut out: Vec<u64> = Vec::new();
        for cut in 0..bytes.len() {
            assert!(!unpack(&bytes[..cut], 3, Coding::Plain, &mut out));
        }
        assert!(!unpack(&bytes, 2, Coding::Plain, &mut out));
        assert!(!unpack(&bytes, 5, Coding::Plain, &mut out));
        assert!(!unpack(&bytes, 3, Coding::Steps(0), &mut out));
        assert!(!unpack(&[0xff; 40], 3, Coding::Plain, &mut out));
    }
}
