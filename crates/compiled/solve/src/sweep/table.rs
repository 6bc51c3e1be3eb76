//! The set of one ply's states: keys in discovery order, and a hash table of their ids.
//!
//! Always: `ids` of equal keys are equal, ids are dense from 0 in order of first insertion, so a
//! ply is the same whatever the table's size. A slot is 8 bytes: a tag of the hash above the id
//! plus one; 0 is empty.
//!
//! Keys of up to [`EXACT_BITS`] bits are mixed by a bijection. The slot where a probe starts is
//! the top of the mixed key; the tag is all the rest of it and the low [`REACH_BITS`] bits of that
//! start. Since no key is ever further from its start than these bits can tell apart (the table
//! grows before), equal tags mean equal keys, and the keys themselves are never read: one cache
//! miss an insertion. What is left of a slot's bits numbers the ply, so that a table is emptied by
//! counting up and not by clearing. (Source: quotienting, D. E. Knuth, The Art of Computer Programming, volume
//! 3, section 6.4, exercise 13.) Longer keys have a 32-bit tag, and are compared where tags match.
//!
//! Keys are inserted in batches: all are mixed, then each is resolved while the slot of a later one
//! is fetched, so that the cache misses of an insertion overlap with the work on its neighbours.
//! That is worth a factor of three on tables beyond the cache. The slot array is kept from ply to
//! ply, since fresh memory costs more than clearing.

use store::{HugeVec, OutOfMemory};

/// Keys that are mixed together; few enough that their places stay in the first cache.
const BATCH: usize = 512;
/// How many keys ahead of the one at hand a slot is fetched.
const AHEAD: usize = 20;
/// Slots from which on a table is far from the processor, so that prefetching pays.
const FAR: usize = 1 << 15;
/// Slots of the smallest table.
const SMALLEST: usize = 1 << 10;
/// Bits of a probe's start that an exact tag holds.
const REACH_BITS: u32 = 7;
/// Longest key that a slot can hold whole, with at least one bit for the epoch.
const EXACT_BITS: u32 = 63 - REACH_BITS;
/// Most bits of an epoch.
const MOST_EPOCH_BITS: u32 = 16;

const _: () = assert!(SMALLEST >= 1 << REACH_BITS);

/// Slots that so many keys need, at least. A third of them stay free: a fuller table probes longer,
/// an emptier one takes more pages, and their misses cost more.
fn needed(keys: usize) -> usize {
    keys + keys / 2
}

/// The hash slots, reused from ply to ply.
pub(crate) struct Slots {
    slots: HugeVec<u64>,
    /// Number of slots in use, a power of two, as its logarithm.
    log: u32,
    /// Bits of a key where slots hold keys whole; 0 where they hold tags.
    exact: u32,
    /// What the top bits of a slot hold where it is in use and slots hold keys whole; at least 1.
    epoch: u64,
    /// About how many keys there will be, where that is known; 0 where it is not.
    foreseen: usize,
}

/// Where a key belongs, and what marks it there.
#[derive(Clone, Copy, Default)]
struct Place {
    start: usize,
    tag: u64,
}

impl Slots {
    /// An empty table for keys of this many bits; nothing is allocated yet.
    pub(crate) fn new(key_bits: usize) -> Self {
        let exact = if key_bits as u64 <= u64::from(EXACT_BITS) { key_bits as u32 } else { 0 };
        Self { slots: HugeVec::new(), log: 0, exact, epoch: 1, foreseen: 0 }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.slots.bytes()
    }

    /// The memory of the slots; the table holds nothing afterwards.
    pub(crate) fn take_words(&mut self) -> HugeVec<u64> {
        self.log = 0;
        std::mem::take(&mut self.slots)
    }

    /// Empties the table and makes room for about `expected` keys.
    pub(crate) fn reset(&mut self, expected: usize) -> Result<(), OutOfMemory> {
        self.foreseen = 0;
        self.resize(needed(expected.max(1)).next_power_of_two().max(SMALLEST))
    }

    /// Says about how many keys there will be, so that a table that has to grow does so once.
    pub(crate) fn foresee(&mut self, keys: usize) {
        self.foreseen = keys;
    }

    fn resize(&mut self, size: usize) -> Result<(), OutOfMemory> {
        assert!(size.is_power_of_two(), "slot counts are powers of two");
        self.log = size.ilog2();
        if self.slots.len() < size {
            self.slots.clear();
            self.slots.resize(size, 0)?;
            self.epoch = 1;
        } else if self.exact == 0 {
            self.slots.as_mut_slice()[..size].fill(0);
        } else {
            self.epoch += 1;
            if self.epoch >> self.epoch_bits() != 0 {
                self.slots.as_mut_slice().fill(0);
                self.epoch = 1;
            }
        }
        Ok(())
    }

    /// Top bits of a slot that hold the epoch, where slots hold keys whole.
    fn epoch_bits(&self) -> u32 {
        (64 - REACH_BITS - self.exact).min(MOST_EPOCH_BITS)
    }

    /// Whether nothing of this epoch lies in a slot.
    #[inline(always)]
    fn is_empty<const EXACT: bool>(&self, slot: u64) -> bool {
        if EXACT { slot >> (64 - self.epoch_bits()) != self.epoch } else { slot == 0 }
    }

    /// Number of slots in use.
    fn len(&self) -> usize {
        if self.slots.is_empty() { 0 } else { 1 << self.log }
    }

    /// Where a key belongs.
    #[inline(always)]
    fn place<const EXACT: bool>(&self, key: &[u64]) -> Place {
        if EXACT {
            let mixed = mix(key[0], self.exact);
            let rest = self.exact.saturating_sub(self.log);
            let mask = (1 << (rest + REACH_BITS)) - 1;
            let epoch = self.epoch << (64 - self.epoch_bits() - self.log);
            return Place { start: (mixed >> rest) as usize, tag: mixed & mask | epoch };
        }
        let hashed = hash(key);
        Place { start: (hashed >> 32) as usize & ((1 << self.log) - 1), tag: hashed & 0xffff_ffff }
    }

    /// Bits of a slot below its tag.
    #[inline(always)]
    fn id_bits<const EXACT: bool>(&self) -> u32 {
        if EXACT { self.log } else { 32 }
    }
}

/// A bijection on numbers of `bits` bits whose top bits depend on all of them.
#[inline(always)]
fn mix(key: u64, bits: u32) -> u64 {
    debug_assert!(bits > 0 && bits < 64 && key >> bits == 0, "a key has {bits} bits");
    let mask = (1 << bits) - 1;
    let half = bits.div_ceil(2);
    let once = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask;
    let folded = once ^ (once >> half);
    folded.wrapping_mul(0xd6e8_feb8_6659_fd93) & mask
}

/// Mixes a key to 64 bits; both halves are used (start from the top, tag from the bottom).
#[inline(always)]
fn hash(key: &[u64]) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for &word in key {
        let wide = u128::from(state ^ word) * 0xd6e8_feb8_6659_fd93_u128;
        state = (wide as u64) ^ ((wide >> 64) as u64) ^ word.rotate_left(23);
    }
    (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
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
            self.keys.reserve(batch.len())?;
            ids.reserve(count)?;
            let exact = width == 1 && slots.exact > 0;
            if needed(self.len() + count) > slots.len() {
                self.grow(slots, count)?;
            }
            match exact {
                true => self.insert_batch::<true>(slots, batch, ids)?,
                false => self.insert_batch::<false>(slots, batch, ids)?,
            }
        }
        Ok(())
    }

    fn insert_batch<const EXACT: bool>(
        &mut self,
        slots: &mut Slots,
        batch: &[u64],
        ids: &mut HugeVec<u32>,
    ) -> Result<(), OutOfMemory> {
        let width = self.width();
        let count = batch.len() / width;
        let mut places = [Place::default(); BATCH];
        for (place, key) in places.iter_mut().zip(batch.chunks_exact(width)) {
            *place = slots.place::<EXACT>(key);
        }
        let far = slots.len() >= FAR;
        if far {
            for place in &places[..count.min(AHEAD)] {
                store::prefetch(slots.slots.as_slice(), place.start);
            }
        }
        let mut log = slots.log;
        for (at, key) in batch.chunks_exact(width).enumerate() {
            if far && at + AHEAD < count {
                store::prefetch(slots.slots.as_slice(), places[at + AHEAD].start);
                if !EXACT {
                    self.prefetch_key(slots, places[at + AHEAD / 2]);
                }
            }
            let mut place = places[at];
            let id = loop {
                if slots.log != log {
                    place = slots.place::<EXACT>(key);
                }
                if let Some(id) = self.find_or_add::<EXACT>(slots, place, key) {
                    break id;
                }
                // Out of an exact tag's reach: a larger table is less crowded.
                self.grow(slots, slots.len())?;
                log = u32::MAX;
            };
            ids.push_within(id);
        }
        Ok(())
    }

    /// Brings the key behind a matching tag near.
    #[inline(always)]
    fn prefetch_key(&self, slots: &Slots, place: Place) {
        let slot = slots.slots.as_slice()[place.start];
        if slot != 0 && slot >> slots.id_bits::<false>() == place.tag {
            store::prefetch(self.keys.as_slice(), (slot as u32 - 1) as usize * self.width());
        }
    }

    /// The id of a key, room for which was made before; `None` where an exact tag reaches no
    /// further.
    #[inline(always)]
    fn find_or_add<const EXACT: bool>(
        &mut self,
        slots: &mut Slots,
        place: Place,
        key: &[u64],
    ) -> Option<u32> {
        let (mask, id_bits) = (slots.len() - 1, slots.id_bits::<EXACT>());
        let id_mask = (1 << id_bits) - 1;
        let mut at = place.start;
        loop {
            let slot = slots.slots.as_slice()[at];
            if slots.is_empty::<EXACT>(slot) {
                let id = self.len() as u64;
                assert!(id < id_mask && id < u64::from(u32::MAX), "an id fits in its slot");
                self.keys.extend_within(key);
                slots.slots.as_mut_slice()[at] = place.tag << id_bits | (id + 1);
                return Some(id as u32);
            }
            if slot >> id_bits == place.tag {
                let id = (slot & id_mask) - 1;
                if EXACT || self.key(id as usize) == key {
                    return Some(id as u32);
                }
            }
            at = (at + 1) & mask;
            if EXACT && at.wrapping_sub(place.start) & mask >= 1 << REACH_BITS {
                return None;
            }
        }
    }

    /// Rebuilds the slots with room for `more` further keys.
    fn grow(&mut self, slots: &mut Slots, more: usize) -> Result<(), OutOfMemory> {
        let mut size = slots.len().max(SMALLEST);
        let most = (self.len() + more).max(slots.foreseen);
        while needed(most) > size {
            size *= 2;
        }
        loop {
            slots.resize(size)?;
            let filled = match self.width() == 1 && slots.exact > 0 {
                true => self.refill::<true>(slots),
                false => self.refill::<false>(slots),
            };
            if filled {
                return Ok(());
            }
            size *= 2;
        }
    }

    /// Enters all keys into empty slots; `false` where one would lie out of reach.
    fn refill<const EXACT: bool>(&self, slots: &mut Slots) -> bool {
        let (mask, id_bits) = (slots.len() - 1, slots.id_bits::<EXACT>());
        let far = slots.len() >= FAR;
        let place = |slots: &Slots, id: usize| slots.place::<EXACT>(self.key(id));
        (0..self.len()).all(|id| {
            if far && id + AHEAD < self.len() {
                store::prefetch(slots.slots.as_slice(), place(slots, id + AHEAD).start);
            }
            let place = place(slots, id);
            let mut at = place.start;
            while !slots.is_empty::<EXACT>(slots.slots.as_slice()[at]) {
                at = (at + 1) & mask;
            }
            slots.slots.as_mut_slice()[at] = place.tag << id_bits | (id as u64 + 1);
            !EXACT || at.wrapping_sub(place.start) & mask < 1 << REACH_BITS
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_dense_in_order_of_first_insertion() {
        let mut slots = Slots::new(128);
        slots.reset(0).expect("memory");
        let mut keys: PlyKeys<2> = PlyKeys::new(2);
        let mut ids = HugeVec::new();
        let words: Vec<u64> = [7, 1, 7, 2, 7, 1, 0, 0, 7, 2].to_vec();
        keys.insert_all(&mut slots, &words, &mut ids).expect("memory");
        assert_eq!(ids.as_slice(), [0, 1, 0, 2, 1]);
        assert_eq!(keys.len(), 3);
    }

    /// Spreads 50,000 keys by `place` and inserts each four times.
    fn insert_four_times(bits: usize, place: impl Fn(u64) -> u64) {
        let mut slots = Slots::new(bits);
        for round in 0..2 {
            slots.reset(0).expect("memory");
            let mut keys: PlyKeys<0> = PlyKeys::new(1);
            let mut ids = HugeVec::new();
            let words: Vec<u64> =
                (0..200_000_u64).map(|n| place(n % 50_000) ^ (round & 1)).collect();
            keys.insert_all(&mut slots, &words, &mut ids).expect("memory");
            assert_eq!(keys.len(), 50_000);
            assert!(ids.as_slice().iter().enumerate().all(|(n, id)| *id as usize == n % 50_000));
        }
    }

    #[test]
    fn growth_and_reuse_lose_nothing() {
        insert_four_times(64, |n| n << 7);
        insert_four_times(57, |n| n << 40);
        insert_four_times(56, |n| n << 40);
        insert_four_times(30, |n| n << 1);
        insert_four_times(17, |n| n);
        insert_four_times(16, |n| n);
    }

    #[test]
    fn epochs_run_out_and_start_again() {
        let mut slots = Slots::new(54);
        for round in 0..40_u64 {
            slots.reset(0).expect("memory");
            let (mut keys, mut ids): (PlyKeys<1>, _) = (PlyKeys::new(1), HugeVec::new());
            let words: Vec<u64> = (0..300).map(|n| n % 100 + round % 3).collect();
            keys.insert_all(&mut slots, &words, &mut ids).expect("memory");
            assert_eq!(keys.len(), 100, "round {round}");
        }
        assert!(slots.epoch >> slots.epoch_bits() == 0);
    }

    /// Keys whose mixed forms are neighbours crowd the slots, so that the table must grow.
    #[test]
    fn keys_that_crowd_are_told_apart() {
        let (bits, mut by_mixed) = (20_u32, Vec::new());
        by_mixed.extend((0..1_u64 << bits).map(|key| (mix(key, bits), key)));
        by_mixed.sort_unstable();
        assert!(
            by_mixed.iter().enumerate().all(|(at, (mixed, _))| *mixed == at as u64),
            "bijective"
        );
        let crowd: Vec<u64> = by_mixed[5000..8000].iter().map(|pair| pair.1).collect();
        let mut slots = Slots::new(bits as usize);
        slots.reset(0).expect("memory");
        let (mut keys, mut ids): (PlyKeys<1>, _) = (PlyKeys::new(1), HugeVec::new());
        for _ in 0..2 {
            keys.insert_all(&mut slots, &crowd, &mut ids).expect("memory");
        }
        assert_eq!(keys.words(), crowd);
        let again: Vec<u32> = (0..2).flat_map(|_| 0..crowd.len() as u32).collect();
        assert_eq!(ids.as_slice(), again);
    }

    #[test]
    fn all_that_is_held_is_counted_and_slots_are_few_beside_keys() {
        let mut slots = Slots::new(200);
        assert_eq!(slots.bytes(), 0, "nothing is taken before it is needed");
        for (count, width) in [(5_000_u64, 4), (40_000, 2), (300_000, 1)] {
            slots.reset(count as usize).expect("memory");
            let (least, most) = (8 * count * 3 / 2, 8 * (count * 3 + SMALLEST as u64));
            assert!(slots.bytes() >= least, "{} bytes for {count} keys", slots.bytes());
            assert!(slots.len() as u64 * 8 <= most, "{} slots for {count} keys", slots.len());
            let mut keys: PlyKeys<0> = PlyKeys::new(width);
            let words: Vec<u64> = (0..count * width as u64).collect();
            let before = slots.len();
            keys.insert_all(&mut slots, &words, &mut HugeVec::new()).expect("memory");
            assert_eq!(slots.len(), before, "what was asked for was enough");
            assert!(keys.bytes() >= 8 * words.len() as u64);
        }
        assert_eq!(slots.take_words().bytes() / 8 / 300_000, 1);
        assert_eq!(slots.bytes(), 0);
    }

    /// Keys that differ in a few bits only spread over all slots and tags.
    #[test]
    fn long_keys_are_mixed_well() {
        for width in [2_usize, 3] {
            for shift in [0, 17, 40] {
                let key = |n: u64| {
                    let mut key = vec![0; width];
                    key[n as usize % width] = (n / width as u64) << shift;
                    key
                };
                let hashes: Vec<u64> = (0..4096).map(|n| hash(&key(n + 1))).collect();
                let distinct = |of: &dyn Fn(u64) -> u64| {
                    hashes.iter().map(|it| of(*it)).collect::<std::collections::BTreeSet<_>>().len()
                };
                // Of 4096 balls in 4096 boxes some 2589 boxes are met.
                for place in [32, 40, 52] {
                    let met = distinct(&|it| it >> place & 4095);
                    assert!((2400..2800).contains(&met), "{met} at bit {place}, shift {shift}");
                }
                let tags = distinct(&|it| it & 0xffff_ffff);
                assert!(tags >= 4094, "{tags} tags, shift {shift}");
            }
        }
    }
}
