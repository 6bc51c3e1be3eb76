//! Cache: the value of what remains, under the values of the cut.
//!
//! Behind a level, all clauses above are satisfied (propagation would have ended the branch), and
//! the clauses that remain share with the past only the variables of the cut. Equal values of the
//! cut so mean equal values of the rest. Keys are stored whole, so there are no collisions; each
//! boundary has a table of its own with open addressing, its keys and values in flat vectors. A
//! boundary that is asked often and never answers gets coarser keys, where the formula has few
//! levels (`residual`), and is switched off if these do not help.

use index::Id;
use qcnf::Var;

use super::propagate::Propagator;
use super::residual::Residual;
use crate::faults::Fault;
use crate::options::Options;
use crate::problem::Problem;
use crate::stats::Stats;

/// The tables of all boundaries.
pub(crate) struct Caches {
    tables: Vec<Table>,
    key: Vec<u64>,
    patience: u64,
    /// Whether boundaries that keys of values do not help get keys of parts.
    tries_parts: bool,
    /// Whether a test wants literals beyond the boundary to hide parts.
    is_faulty: bool,
}

/// What a look-up found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The value is stored in this entry.
    Value(u32),
    /// The key is new; its value belongs into this entry.
    Missing(u32),
    /// This boundary keeps nothing.
    Off,
}

/// What a boundary's keys are made of.
enum Keys {
    /// The values of the cut.
    Values,
    /// The parts of clauses that are left.
    Parts(Residual),
    /// There are none.
    Off,
}

/// Levels beyond which keys are values or nothing: finding the clauses that cross a boundary
/// looks at all that lie beyond.
const MOST_LEVELS_FOR_PARTS: usize = 64;

struct Table {
    by: Keys,
    lookups: u64,
    hits: u64,
    key_words: usize,
    value_words: usize,
    /// Entry plus one, or 0; a power of two of them.
    slots: Vec<u32>,
    keys: Vec<u64>,
    values: Vec<u64>,
    /// Whether the value of each entry is known.
    known: Vec<bool>,
}

impl Caches {
    pub(crate) fn new(problem: &Problem, options: &Options) -> Self {
        let table = |boundary: usize| {
            let cut = problem.cuts.get(boundary);
            let chances = problem.chances_before[problem.formula.ends[boundary] as usize];
            Table {
                by: if options.frontier_cache > 0 && !cut.is_empty() {
                    Keys::Values
                } else {
                    Keys::Off
                },
                lookups: 0,
                hits: 0,
                key_words: cut.len().div_ceil(64),
                value_words: problem.scales.width_behind(chances as usize),
                slots: Vec::new(),
                keys: Vec::new(),
                values: Vec::new(),
                known: Vec::new(),
            }
        };
        let mut tables: Vec<Table> = (0..problem.cuts.len()).map(table).collect();
        let few = problem.formula.levels() <= MOST_LEVELS_FOR_PARTS;
        let tries_parts = few && options.residual_keys > 0;
        let is_faulty = options.plants(Fault::PartHidden);
        if tries_parts && options.residual_keys == 2 {
            let tables = tables.iter_mut().enumerate();
            tables.for_each(|(at, table)| table.coarsen(problem, at, (true, is_faulty)));
        }
        Self { tables, key: Vec::new(), patience: options.patience, tries_parts, is_faulty }
    }

    /// Looks up the values of the cut.
    pub(crate) fn look_up(
        &mut self,
        problem: &Problem,
        propagator: &Propagator,
        boundary: usize,
        stats: &mut Stats,
    ) -> Found {
        let table = &mut self.tables[boundary];
        if table.lookups >= self.patience && 64 * table.hits < table.lookups {
            stats.entries -= table.known.len() as u64;
            table.coarsen(problem, boundary, (self.tries_parts, self.is_faulty));
        }
        match &table.by {
            Keys::Off => return Found::Off,
            Keys::Values => pack(problem.cuts.get(boundary), propagator, &mut self.key),
            Keys::Parts(residual) => residual.pack(propagator, &mut self.key),
        }
        table.lookups += 1;
        stats.lookups += 1;
        let found = table.find(&self.key);
        match found {
            Found::Value(_) => {
                table.hits += 1;
                stats.hits += 1;
            }
            Found::Missing(_) => stats.entries += 1,
            Found::Off => {}
        }
        found
    }

    /// The value of an entry.
    pub(crate) fn load(&self, boundary: usize, entry: u32, value: &mut [u64]) {
        let table = &self.tables[boundary];
        debug_assert!(table.known[entry as usize]);
        let (near, far) = value.split_at_mut(table.value_words);
        near.copy_from_slice(&table.values[entry as usize * table.value_words..][..near.len()]);
        far.fill(0);
    }

    /// Keeps the value of an entry that was missing.
    pub(crate) fn store(&mut self, boundary: usize, entry: u32, value: &[u64]) {
        let table = &mut self.tables[boundary];
        debug_assert!(!matches!(table.by, Keys::Off), "an entry was made");
        debug_assert!(
            exact::scaled::is_zero(&value[table.value_words..]),
            "a value fits its scale"
        );
        let words = table.value_words;
        table.values[entry as usize * words..][..words].copy_from_slice(&value[..words]);
        table.known[entry as usize] = true;
    }
}

fn pack(cut: &[u32], propagator: &Propagator, key: &mut Vec<u64>) {
    key.clear();
    key.extend(cut.chunks(64).map(|chunk| {
        chunk.iter().enumerate().fold(0u64, |word, (at, &var)| {
            word | u64::from(propagator.value(Var::from_index(var as usize))) << at
        })
    }));
}

fn hash(key: &[u64]) -> u64 {
    let mixed = key.iter().fold(0u64, |hash, &word| {
        (hash.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

impl Table {
    /// Finds a key, or makes an entry for it.
    fn find(&mut self, key: &[u64]) -> Found {
        debug_assert_eq!(key.len(), self.key_words);
        if 3 * (self.known.len() + 1) > 2 * self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = (hash(key) >> 20) as usize & mask;
        while let Some(entry) = self.slots[slot].checked_sub(1) {
            if self.keys[entry as usize * self.key_words..][..self.key_words] == *key {
                let known = self.known[entry as usize];
                return if known { Found::Value(entry) } else { Found::Missing(entry) };
            }
            slot = (slot + 1) & mask;
        }
        let entry = self.known.len() as u32;
        assert!(entry < u32::MAX, "more than 2^32 entries");
        self.slots[slot] = entry + 1;
        self.keys.extend_from_slice(key);
        self.values.resize(self.values.len() + self.value_words, 0);
        self.known.push(false);
        Found::Missing(entry)
    }

    fn grow(&mut self) {
        let len = (2 * self.slots.len()).max(8);
        debug_assert!(len.is_power_of_two());
        self.slots = vec![0; len];
        for entry in 0..self.known.len() {
            let key = &self.keys[entry * self.key_words..][..self.key_words];
            let mut slot = (hash(key) >> 20) as usize & (len - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = entry as u32 + 1;
        }
    }

    /// Forgets everything, and takes coarser keys where there are any to try.
    fn coarsen(&mut self, problem: &Problem, boundary: usize, tries: (bool, bool)) {
        let (tries_parts, faulty) = tries;
        let by = match self.by {
            Keys::Values if tries_parts => Keys::Parts(Residual::new(problem, boundary, faulty)),
            _ => Keys::Off,
        };
        *self = Self {
            key_words: if let Keys::Parts(residual) = &by { residual.words() } else { 0 },
            by,
            lookups: 0,
            hits: 0,
            value_words: self.value_words,
            slots: Vec::new(),
            keys: Vec::new(),
            values: Vec::new(),
            known: Vec::new(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A third of the slots stay free, and they are as few as that allows.
    #[test]
    fn keys_are_found_again_in_slots_that_grow() {
        for words in [1, 3] {
            let mut table = Table {
                by: Keys::Values,
                lookups: 0,
                hits: 0,
                key_words: words,
                value_words: 2,
                slots: Vec::new(),
                keys: Vec::new(),
                values: Vec::new(),
                known: Vec::new(),
            };
            let key = |number: u64| -> Vec<u64> {
                (0..words as u64).map(|word| (number + word) << 30).collect()
            };
            for number in 0..2000 {
                assert_eq!(table.find(&key(number)), Found::Missing(number as u32));
                let (entries, slots) = (table.known.len(), table.slots.len());
                assert!(3 * entries <= 2 * slots, "{entries} in {slots}");
                assert!(slots == 8 || 3 * entries > slots, "{entries} in {slots}");
                assert_eq!(table.values.len(), 2 * entries);
                // Until its value is known, a key is missing.
                let earlier = number / 2;
                let found = match table.known[earlier as usize] {
                    true => Found::Value(earlier as u32),
                    false => Found::Missing(earlier as u32),
                };
                assert_eq!(table.find(&key(earlier)), found);
                table.known[number as usize] = number % 3 > 0;
            }
        }
    }
}
