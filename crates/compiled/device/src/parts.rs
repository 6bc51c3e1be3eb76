//! Plies in parts, since a shader sees only so many bytes of a buffer at once.
//!
//! A hash of its key tells to which part a state belongs, so that equal candidates meet in one part;
//! it is another than the one that finds slots. Each part has buffers of its own for keys, table and
//! values, and the passes that number states run part by part. A state's number is the number of its
//! part times [`PartSize::stride`] plus its place there, so that nothing is renumbered while parts grow.
//!
//! Refused: parts by place instead of by hash. Candidates would have to be compared with the states
//! of all parts, of which a shader does not see all at once, and a table cannot be cut by place.
//!
//! How many parts a ply needs is not known before it is made. It begins in as many as the ply before
//! it; when a part has no room it is begun again in twice as many, which costs at most as much as the
//! ply itself, and most plies nothing.

use crate::arena::Region;

/// Parts of a ply, at most; as many words tell what was found (`FOUND` in `shaders/params.wgsl`).
pub(crate) const MOST_PARTS: usize = 256;
/// States of a part are told from candidates by a tag, and candidates are numbered beside them.
const MOST_STATES: usize = (1 << 30) - 1;
/// Slots of the smallest table.
const LEAST_SLOTS: usize = 1 << 10;

/// What a part may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartSize {
    key_bytes: u64,
    seen_bytes: u64,
}

impl PartSize {
    /// Of keys of so many words of 32 bits, where a shader sees so many bytes of a buffer at once.
    pub(crate) fn new(words: usize, seen_bytes: u64) -> Self {
        assert!(seen_bytes >= 4 * LEAST_SLOTS as u64, "any device shows a shader the least table");
        Self { key_bytes: 4 * words as u64, seen_bytes }
    }

    /// Bytes of the keys and slots of the table that so many candidates beside so many states of a
    /// part need; the bytes of one buffer that is too much.
    pub(crate) fn room(&self, states: usize, candidates: usize) -> Result<(u64, usize), u64> {
        let all = states + candidates;
        let keys = all as u64 * self.key_bytes;
        // Two thirds full at most.
        let slots = (all * 3 / 2).next_power_of_two().max(LEAST_SLOTS);
        let largest = keys.max(4 * slots as u64);
        let fits = largest <= self.seen_bytes && all <= MOST_STATES;
        if fits { Ok((keys, slots)) } else { Err(largest) }
    }

    /// States of a part, at most; the numbers of the first states of two parts are so far apart.
    pub(crate) fn stride(&self) -> usize {
        let slots = 1usize << (self.seen_bytes / 4).ilog2();
        let by_keys = (self.seen_bytes / self.key_bytes) as usize;
        by_keys.min((2 * slots + 1) / 3).min(MOST_STATES)
    }

    /// Parts, at most: states are numbered in 32 bits.
    pub(crate) fn most_parts(&self) -> usize {
        let numbers = ((1u64 << 32) - 1) / self.stride() as u64;
        MOST_PARTS.min(1 << numbers.ilog2())
    }
}

/// One part of a ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) states: usize,
    /// A word a state, once the ply was looked at.
    pub(crate) infos: Option<Region>,
}

/// One part of the ply that is being made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NextPart {
    pub(crate) states: usize,
    /// Slots of the table that are in use; a power of two.
    pub(crate) slots: usize,
}

/// A part of the next ply has no room for the candidates of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crowded {
    /// Bytes of the buffer that it would need.
    pub(crate) bytes: u64,
}

/// States of parts together.
pub(crate) fn states_of(parts: &[NextPart]) -> usize {
    parts.iter().map(|part| part.states).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_holds_its_stride_and_not_one_state_more() {
        for seen in [1 << 12, 5000, 1 << 16, 1 << 27, (1 << 27) + 300, 1 << 32] {
            for words in [1, 2, 3, 7] {
                let size = PartSize::new(words, seen);
                let stride = size.stride();
                assert!(size.room(stride, 0).is_ok(), "{seen} bytes, {words} words");
                assert!(size.room(stride - 1, 2).is_err(), "{seen} bytes, {words} words");
            }
        }
    }

    #[test]
    fn numbers_of_states_fit_in_a_word() {
        for seen in [1u64 << 12, 1 << 27, (1 << 31) - 1, 1 << 32] {
            let size = PartSize::new(1, seen);
            let (parts, stride) = (size.most_parts() as u64, size.stride() as u64);
            assert!(parts.is_power_of_two() && parts <= MOST_PARTS as u64);
            // The last number is left for what is no edge.
            assert!(parts * stride < 1 << 32, "{seen}");
            assert!(parts == MOST_PARTS as u64 || 2 * parts * stride >= 1 << 31, "{seen}");
        }
    }
}
