//! The set of one ply's states: keys in discovery order, and a hash table of their ids.
//!
//! Always: `ids` of equal keys are equal, ids are dense from 0 in order of first insertion, so a
//! ply is the same whatever the table's size. A slot is 8 bytes, a 32-bit tag of the hash above a
//! 32-bit id (plus one; 0 is empty): a probe that meets another key almost never reads that key.
//!
//! Keys are inserted in batches in three passes (hash and prefetch the slot; read the slot and
//! prefetch the key behind a matching tag; resolve), so that the two cache misses of an insertion
//! overlap with those of its neighbours. That is worth a factor of three on tables beyond the
//! cache. The slot array is kept from ply to ply, since fresh memory costs more than clearing.

use store::{HugeVec, OutOfMemory};

/// Keys that are hashed together; enough to hide a miss, few enough to stay in the first cache.
const BATCH: usize = 256;
/// Slots from which on a table is far from the processor, so that prefetching pays.
const FAR: usize = 1 << 15;
/// Slots a key, at least.
const SPARE: usize = 3;
/// Slots of the smallest table.
const SMALLEST: usize = 1 << 10;

/// The hash slots, reused from ply to ply.
pub(crate) struct Slots {
    slots: HugeVec<u64>,
    mask: usize,
}

impl Slots {
    /// An empty table; nothing is allocated yet.
    pub(crate) fn new() -> Self {
        Self { slots: HugeVec::new(), mask: 0 }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.slots.bytes()
    }

    /// Empties the table and makes room for about `expected` keys.
    pub(crate) fn reset(&mut self, expected: usize) -> Result<(), OutOfMemory> {
        let size = (expected.max(1) * SPARE).next_power_of_two().max(SMALLEST);
        self.resize(size)
    }

    fn resize(&mut self, size: usize) -> Result<(), OutOfMemory> {
        assert!(size.is_power_of_two(), "slot counts are powers of two");
        if self.slots.len() < size {
            self.slots.clear();
            self.slots.resize(size, 0)?;
        } else {
            self.slots.as_mut_slice()[..size].fill(0);
        }
        self.mask = size - 1;
        Ok(())
    }
}

/// Mixes a key to 64 bits; both halves are used (index from the top, tag from the bottom).
#[inline(always)]
fn hash(key: &[u64]) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for &word in key {
        let wide = u128::from(state ^ word) * 0xd6e8_feb8_6659_fd93_u128;
        state = (wide as u64) ^ ((wide >> 64) as u64) ^ word.rotate_left(23);
    }
    (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Where a probe of this hash starts.
#[inline(always)]
fn start(hash: u64, mask: usize) -> usize {
    (hash >> 32) as usize & mask
}

/// The keys of a ply in discovery order. A key has `W` words, or `width` where `W` is 0.
pub(crate) struct PlyKeys<const W: usize> {
    keys: HugeVec<u64>,
    width: usize,
}

impl<const W: usize> PlyKeys<W> {
    /// No keys yet, of `width` words each.
    pub(crate) fn new(width: usize) -> Self {
        assert!(width > 0 && (W == 0 || W == width), "the width is the one compiled for");
        Self { keys: HugeVec::new(), width }
    }

    /// No keys yet, in memory that held others before.
    pub(crate) fn reusing(mut words: HugeVec<u64>, width: usize) -> Self {
        words.clear();
        Self { keys: words, ..Self::new(width) }
    }

    /// The memory of the keys.
    pub(crate) fn into_words(self) -> HugeVec<u64> {
        self.keys
    }

    #[inline(always)]
    fn width(&self) -> usize {
        if W > 0 { W } else { self.width }
    }

    /// Number of states.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.keys.len() / self.width()
    }

    /// All keys, one after the other.
    pub(crate) fn words(&self) -> &[u64] {
        self.keys.as_slice()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.keys.bytes()
    }

    #[inline(always)]
    fn key(&self, id: usize) -> &[u64] {
        let width = self.width();
        &self.keys.as_slice()[id * width..(id + 1) * width]
    }

    /// Adds the keys that are new and appends each one's id to `ids`.
    pub(crate) fn insert_all(
        &mut self,
        slots: &mut Slots,
        keys: &[u64],
        ids: &mut HugeVec<u32>,
    ) -> Result<(), OutOfMemory> {
        let width = self.width();
        debug_assert!(keys.len().is_multiple_of(width), "whole keys only");
        for batch in keys.chunks(BATCH * width) {
            let count = batch.len() / width;
            if (self.len() + count) * SPARE > slots.mask + 1 {
                self.grow(slots, count)?;
            }
            self.insert_batch(slots, batch, ids)?;
        }
        Ok(())
    }

    fn insert_batch(
        &mut self,
        slots: &mut Slots,
        batch: &[u64],
        ids: &mut HugeVec<u32>,
    ) -> Result<(), OutOfMemory> {
        let width = self.width();
        let count = batch.len() / width;
        self.keys.reserve(batch.len())?;
        ids.reserve(count)?;
        let mut found = [0; BATCH];
        if slots.mask < FAR {
            for (id, key) in found.iter_mut().zip(batch.chunks_exact(width)) {
                *id = self.find_or_add(slots, hash(key), key);
            }
        } else {
            let hashes = self.approach(slots, batch);
            for ((id, key), hashed) in found.iter_mut().zip(batch.chunks_exact(width)).zip(hashes) {
                *id = self.find_or_add(slots, hashed, key);
            }
        }
        ids.extend_within(&found[..count]);
        Ok(())
    }

    /// Hashes a batch and brings near the slots, then the keys behind matching tags.
    fn approach(&self, slots: &Slots, batch: &[u64]) -> [u64; BATCH] {
        let (width, mask) = (self.width(), slots.mask);
        let mut hashes = [0; BATCH];
        for (hashed, key) in hashes.iter_mut().zip(batch.chunks_exact(width)) {
            *hashed = hash(key);
            store::prefetch(slots.slots.as_slice(), start(*hashed, mask));
        }
        for &hashed in &hashes[..batch.len() / width] {
            let slot = slots.slots.as_slice()[start(hashed, mask)];
            if slot >> 32 == hashed & 0xffff_ffff && slot != 0 {
                store::prefetch(self.keys.as_slice(), (slot as u32 - 1) as usize * width);
            }
        }
        hashes
    }

    /// The id of a key whose hash is known. Room for it was made before.
    #[inline(always)]
    fn find_or_add(&mut self, slots: &mut Slots, hashed: u64, key: &[u64]) -> u32 {
        let mask = slots.mask;
        let tag = hashed & 0xffff_ffff;
        let mut at = start(hashed, mask);
        loop {
            let slot = slots.slots.as_slice()[at];
            if slot as u32 == 0 {
                let id = self.len() as u32;
                assert!(id < u32::MAX - 1, "a ply holds fewer than 2^32 states");
                self.keys.extend_within(key);
                slots.slots.as_mut_slice()[at] = tag << 32 | u64::from(id + 1);
                return id;
            }
            if slot >> 32 == tag && self.key((slot as u32 - 1) as usize) == key {
                return slot as u32 - 1;
            }
            at = (at + 1) & mask;
        }
    }

    /// Rebuilds the slots with room for `more` further keys.
    fn grow(&mut self, slots: &mut Slots, more: usize) -> Result<(), OutOfMemory> {
        let mut size = (slots.mask + 1).max(SMALLEST);
        while (self.len() + more) * SPARE > size {
            size *= 2;
        }
        slots.resize(size)?;
        let mask = slots.mask;
        for id in 0..self.len() {
            let hashed = hash(self.key(id));
            let mut at = start(hashed, mask);
            while slots.slots.as_slice()[at] as u32 != 0 {
                at = (at + 1) & mask;
            }
            slots.slots.as_mut_slice()[at] = (hashed & 0xffff_ffff) << 32 | (id as u64 + 1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_dense_in_order_of_first_insertion() {
        let mut slots = Slots::new();
        slots.reset(0).expect("memory");
        let mut keys: PlyKeys<2> = PlyKeys::new(2);
        let mut ids = HugeVec::new();
        let words: Vec<u64> = [7, 1, 7, 2, 7, 1, 0, 0, 7, 2].to_vec();
        keys.insert_all(&mut slots, &words, &mut ids).expect("memory");
        assert_eq!(ids.as_slice(), [0, 1, 0, 2, 1]);
        assert_eq!(keys.len(), 3);
    }

    #[test]
    fn growth_and_reuse_lose_nothing() {
        let mut slots = Slots::new();
        for round in 0..2 {
            slots.reset(0).expect("memory");
            let mut keys: PlyKeys<0> = PlyKeys::new(1);
            let mut ids = HugeVec::new();
            let words: Vec<u64> = (0..200_000_u64).map(|n| (n % 50_000) << 7 | round).collect();
            keys.insert_all(&mut slots, &words, &mut ids).expect("memory");
            assert_eq!(keys.len(), 50_000);
            assert!(ids.as_slice().iter().enumerate().all(|(n, id)| *id as usize == n % 50_000));
        }
    }
}
