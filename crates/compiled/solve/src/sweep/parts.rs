//! A ply that does not fit in memory: its states are found part by part.
//!
//! Children go to parts by a hash of their keys as they come, and are written one after the other;
//! which part each went to is written as well. Then each part by itself is made distinct in a
//! table, sorted, and its children get their places; at last the places of all parts are put
//! together again in the order in which the children came. So a ply costs some passes over what
//! lies on disk, and no access to disk is at random.
//!
//! Always: the states of the ply are the parts one after the other, each sorted by key, and a
//! child's place is that of its key. Source: distribution sorting in external memory, J. S.
//! Vitter, "External memory algorithms and data structures", 2001.

use std::path::Path;

use store::{Coding, HugeVec};
use verdict::HaltReason;

use super::spool::{PIECE, Spool, Spooled};
use super::table::{PlyKeys, Slots};
use crate::backend::Trouble;
use crate::limits::refused;
use crate::storage::StorageFault;

/// Number of parts; each must fit in memory with its table.
const PARTS: usize = 64;

/// Children on their way to their parts.
pub(super) struct Scatter {
    width: usize,
    keys: Spool<u64>,
    order: Spool<u32>,
}

/// The states of a ply, part by part.
pub(super) struct Parts {
    width: usize,
    keys: Spooled<u64>,
    order: Spooled<u32>,
    ids: Spool<u32>,
    next: usize,
    /// States of the parts so far.
    states: usize,
}

/// The part of a key.
fn part(key: &[u64]) -> usize {
    let mixed = key
        .iter()
        .fold(0u64, |sum, word| (sum.rotate_left(25) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (mixed >> 58) as usize
}

const _: () = assert!(PARTS == 1 << (64 - 58));

impl Scatter {
    /// Bytes in memory, at most.
    pub(super) const BYTES: u64 = (2 * PARTS * PIECE * size_of::<u64>()) as u64;

    /// No children yet.
    pub(super) fn new(folder: &Path, width: usize) -> Result<Self, StorageFault> {
        let stride = u16::try_from(width).unwrap_or(1);
        Ok(Self {
            width,
            keys: Spool::new(folder, PARTS, Coding::Steps(stride))?,
            order: Spool::new(folder, 1, Coding::Plain)?,
        })
    }

    /// Takes in children.
    pub(super) fn take_in(&mut self, children: &[u64]) -> Result<(), StorageFault> {
        for key in children.chunks_exact(self.width) {
            let part = part(key);
            self.keys.extend(part, key)?;
            self.order.extend(0, &[part as u32])?;
        }
        Ok(())
    }

    /// Bytes on disk.
    pub(super) fn disk_bytes(&self) -> u64 {
        self.keys.disk_bytes() + self.order.disk_bytes()
    }

    /// All children have come.
    pub(super) fn finish(self, folder: &Path) -> Result<Parts, StorageFault> {
        Ok(Parts {
            width: self.width,
            keys: self.keys.finish()?,
            order: self.order.finish()?,
            ids: Spool::new(folder, PARTS, Coding::Plain)?,
            next: 0,
            states: 0,
        })
    }
}

impl Parts {
    /// The sorted keys of the next part; none after the last. `room` is asked, with the bytes held,
    /// whether the part may grow.
    pub(super) fn next<const W: usize>(
        &mut self,
        slots: &mut Slots,
        mut room: impl FnMut(u64) -> Result<(), Trouble>,
    ) -> Result<Option<Vec<u64>>, Trouble> {
        if self.next == PARTS {
            return Ok(None);
        }
        let (mut keys, mut ids) = (PlyKeys::<W>::new(self.width), HugeVec::new());
        slots.reset(1).map_err(refused)?;
        while let Some(piece) = self.keys.piece(self.next)? {
            // The sorted keys, their order and their ranks come on top.
            room(2 * keys.bytes() + 16 * keys.len() as u64 + slots.bytes() + ids.bytes())?;
            keys.insert_all(slots, piece, &mut ids).map_err(refused)?;
        }
        let words = keys.words();
        let key = |id: u32| &words[id as usize * self.width..][..self.width];
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by(|left, right| key(*left).cmp(key(*right)));
        let sorted: Vec<u64> = order.iter().flat_map(|id| key(*id)).copied().collect();
        let mut ranks = vec![0; order.len()];
        for (rank, id) in order.iter().enumerate() {
            let place = u32::try_from(self.states + rank);
            let needed = 8 * (self.states + rank) as u64;
            ranks[*id as usize] =
                place.map_err(|_| Trouble::Limit(HaltReason::Memory { needed }))?;
        }
        for id in ids.as_slice() {
            self.ids.extend(self.next, &[ranks[*id as usize]])?;
        }
        self.states += order.len();
        self.next += 1;
        Ok(Some(sorted))
    }

    /// The places of all children in the order in which they came.
    ///
    /// # Panics
    /// When some part was not asked for.
    pub(super) fn places(self) -> Result<Places, StorageFault> {
        assert_eq!(self.next, PARTS, "all parts have their places");
        Ok(Places { order: self.order, ids: self.ids.finish()? })
    }
}

/// Places of children, in the order in which they came.
pub(super) struct Places {
    order: Spooled<u32>,
    ids: Spooled<u32>,
}

impl Places {
    /// Appends some more places; `false` where there are none.
    pub(super) fn take(&mut self, out: &mut HugeVec<u32>) -> Result<bool, Trouble> {
        let Some(order) = self.order.piece(0)? else { return Ok(false) };
        out.reserve(order.len()).map_err(refused)?;
        for part in order {
            out.push_within(self.ids.next(*part as usize, 1)?[0]);
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enough for several pieces of a part.
    const COUNT: u64 = 300_000;

    #[test]
    fn places_are_those_of_the_keys() {
        let folder = std::env::temp_dir();
        for width in [1, 3] {
            let key =
                |n: u64| -> Vec<u64> { (0..width).map(|word| (n * n + word) % 5000).collect() };
            let mut scatter = Scatter::new(&folder, width as usize).expect("begun");
            (0..COUNT).for_each(|n| scatter.take_in(&key(n)).expect("taken in"));
            // What is on its way to disk does not count yet.
            let most = COUNT * (8 * width + 4) + (1 << 20);
            assert!(scatter.disk_bytes() <= most, "{} bytes", scatter.disk_bytes());
            let mut most_room = 0;
            let mut parts = scatter.finish(&folder).expect("finished");
            let (mut slots, mut all) = (Slots::new(128), Vec::new());
            while let Some(sorted) = parts
                .next::<0>(&mut slots, |bytes| {
                    most_room = bytes.max(most_room);
                    Ok(())
                })
                .expect("memory")
            {
                assert!(sorted.chunks(width as usize).is_sorted());
                all.extend(sorted);
            }
            let keys: Vec<&[u64]> = all.chunks(width as usize).collect();
            let distinct: std::collections::BTreeSet<&[u64]> = keys.iter().copied().collect();
            assert_eq!(distinct.len(), keys.len());
            // Of some hundred keys and some thousand places.
            assert!(most_room > 0 && most_room <= 2 << 20, "{most_room} bytes asked for");
            let (mut places, mut ids) = (parts.places().expect("read"), HugeVec::new());
            while places.take(&mut ids).expect("read") {}
            assert_eq!(ids.len() as u64, COUNT);
            let fits = |(n, id): (usize, &u32)| keys[*id as usize] == key(n as u64);
            assert!(ids.as_slice().iter().enumerate().all(fits));
        }
    }
}
