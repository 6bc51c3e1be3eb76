//! Cache: the value of a part, under its open variables and its open clauses.
//!
//! All other literals of an open clause are false, so the two lists say what the part is. Keys are
//! stored whole, as differences in bytes, so there are no collisions. Memory is bounded: entries
//! live in two generations; when the younger is full the older is dropped, and what is found in the
//! older moves to the younger. An entry is named by a ticket, a number that only grows, so that
//! all entries since some moment can be dropped.
//!
//! Source: Sang et al., *Combining component caching and clause learning for effective model
//! counting* (2004).

use super::component::{Component, Components};
use super::frame::Valued;
use super::value::Value;
use crate::faults::Fault;
use crate::options::Options;

/// Names an entry for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

/// Values of parts.
pub(crate) struct Cache {
    young: Generation,
    old: Generation,
    key: Vec<u8>,
    is_on: bool,
    most_bytes: usize,
    forgets_variable: bool,
    takes_bounds: bool,
    keeps_all: bool,
}

/// What a look-up found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Value(Valued),
    /// The value belongs here once it is known.
    Missing(Option<Ticket>),
}

#[derive(Default)]
struct Generation {
    /// The ticket of the first entry.
    first: u64,
    entries: Vec<Entry>,
    keys: Vec<u8>,
    /// Entry plus one, or 0; a power of two of them.
    slots: Vec<u32>,
    value_bytes: usize,
}

struct Entry {
    hash: u64,
    key: (u32, u32),
    /// None until it is known, and once it is dropped.
    value: Option<Valued>,
}

impl Cache {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            young: Generation::default(),
            old: Generation::default(),
            key: Vec::new(),
            is_on: options.part_cache > 0,
            most_bytes: (options.part_memory as usize) << 20,
            forgets_variable: options.plants(Fault::KeyVariableMissing),
            takes_bounds: options.plants(Fault::PartBoundKeptAsExact),
            keeps_all: options.plants(Fault::PoisonKept),
        }
    }

    /// The ticket of the next entry.
    pub(crate) fn now(&self) -> Ticket {
        Ticket(self.young.first + self.young.entries.len() as u64)
    }

    /// Looks up a part, or its bound where exists may wait, of which values up to a floor are alike.
    pub(crate) fn look_up(
        &mut self,
        components: &Components,
        component: Component,
        (relaxed, floor): (bool, &Value),
    ) -> Found {
        if !self.is_on {
            return Found::Missing(None);
        }
        self.key.clear();
        if relaxed {
            self.key.push(0);
        }
        let vars = components.vars(component);
        let forgotten = usize::from(self.forgets_variable && vars.len() > 2);
        encode(&vars[..vars.len() - forgotten], &mut self.key);
        self.key.push(0);
        encode(components.clauses(component), &mut self.key);
        let hash = hash(&self.key);
        if let Some(value) = self.young.find(&self.key, hash, floor) {
            return Found::Value(value.clone());
        }
        let value = self.old.find(&self.key, hash, floor).cloned();
        let entry = self.insert(hash, value.clone());
        value.map_or(Found::Missing(Some(entry)), Found::Value)
    }

    fn insert(&mut self, hash: u64, value: Option<Valued>) -> Ticket {
        if 2 * self.young.bytes() > self.most_bytes {
            let first = self.now().0;
            self.old =
                std::mem::replace(&mut self.young, Generation { first, ..Default::default() });
        }
        let ticket = self.now();
        self.young.insert(&self.key, hash, value);
        ticket
    }

    /// Keeps the value of an entry, or a bound on it, if the entry is still there.
    pub(crate) fn store(&mut self, ticket: Ticket, value: &Valued) {
        for generation in [&mut self.young, &mut self.old] {
            let at = ticket.0.checked_sub(generation.first).map(|at| at as usize);
            if let Some(at) = at.filter(|&at| at < generation.entries.len()) {
                let is_exact = value.is_exact || self.takes_bounds;
                generation.put(at, Some(Valued { value: value.value.clone(), is_exact }));
                return;
            }
        }
    }

    /// Drops the values of all entries from a ticket on.
    pub(crate) fn drop_since(&mut self, ticket: Ticket) {
        let generations = [&mut self.young, &mut self.old];
        for generation in generations.into_iter().filter(|_| !self.keeps_all) {
            let first = ticket.0.saturating_sub(generation.first) as usize;
            (first..generation.entries.len()).for_each(|at| generation.put(at, None));
        }
    }

    /// Entries that are there.
    pub(crate) fn len(&self) -> usize {
        self.young.entries.len() + self.old.entries.len()
    }
}

impl Entry {
    fn serves(&self, floor: &Value) -> bool {
        let fits = |valued: &Valued| valued.is_exact || valued.value.is_at_most(floor);
        self.value.as_ref().is_some_and(fits)
    }
}

/// Ascending numbers as differences, seven bits a byte; no byte is 0.
fn encode(numbers: &[u32], out: &mut Vec<u8>) {
    let mut next = 0;
    for &number in numbers {
        debug_assert!(number >= next, "numbers ascend");
        let mut rest = number - next + 1;
        next = number + 1;
        while rest >= 128 {
            out.push((rest & 127) as u8 | 128);
            rest >>= 7;
        }
        out.push(rest as u8);
    }
}

fn hash(key: &[u8]) -> u64 {
    let mut hash = key.len() as u64;
    for chunk in key.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let mixed = hash.rotate_left(29) ^ u64::from_le_bytes(word);
        hash = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

impl Generation {
    fn bytes(&self) -> usize {
        self.entries.len() * size_of::<Entry>()
            + self.keys.len()
            + self.slots.len() * size_of::<u32>()
            + self.value_bytes
    }

    fn key(&self, entry: &Entry) -> &[u8] {
        &self.keys[entry.key.0 as usize..entry.key.1 as usize]
    }

    /// What serves as the value of a key: one or a bound that is not above the floor. An entry that
    /// does not serve never answers, but another of the same key may.
    fn find(&self, key: &[u8], hash: u64, floor: &Value) -> Option<&Valued> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = (hash >> 20) as usize & mask;
        while let Some(at) = self.slots[slot].checked_sub(1) {
            let entry = &self.entries[at as usize];
            if entry.hash == hash && entry.serves(floor) && self.key(entry) == key {
                return entry.value.as_ref();
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    fn insert(&mut self, key: &[u8], hash: u64, value: Option<Valued>) {
        if 3 * (self.entries.len() + 1) > 2 * self.slots.len() {
            self.grow();
        }
        let start = self.keys.len() as u32;
        self.keys.extend_from_slice(key);
        let end = u32::try_from(self.keys.len()).expect("keys of over 4 GiB");
        self.entries.push(Entry { hash, key: (start, end), value: None });
        self.put(self.entries.len() - 1, value);
        self.seat(self.entries.len() as u32);
    }

    /// Gives an entry a value, or takes it.
    fn put(&mut self, at: usize, value: Option<Valued>) {
        let bytes = |value: &Option<Valued>| value.as_ref().map_or(0, |v| v.value.bytes());
        let entry = &mut self.entries[at];
        debug_assert!(self.value_bytes >= bytes(&entry.value), "what is there was counted");
        self.value_bytes += bytes(&value);
        self.value_bytes -= bytes(&entry.value);
        entry.value = value;
    }

    fn seat(&mut self, entry: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = (self.entries[entry as usize - 1].hash >> 20) as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = entry;
    }

    fn grow(&mut self) {
        let len = (2 * self.slots.len()).max(8);
        self.slots = vec![0; len];
        (1..=self.entries.len() as u32).for_each(|entry| self.seat(entry));
    }
}

#[cfg(test)]
mod tests {
    use exact::Ratio;

    use super::super::value::Odds;
    use super::*;

    /// The numbers of a code, by its definition.
    fn decode(code: &[u8]) -> Vec<u32> {
        let (mut numbers, mut next, mut rest, mut shift) = (Vec::new(), 0, 0u32, 0);
        for byte in code {
            assert_ne!(*byte, 0, "0 parts two lists");
            rest |= u32::from(byte & 127) << shift;
            shift += 7;
            if byte & 128 == 0 {
                numbers.push(next + rest - 1);
                (next, rest, shift) = (next + rest, 0, 0);
            }
        }
        assert_eq!(shift, 0, "the last number is whole");
        numbers
    }

    /// Two lists of one code would be one part, and one of them would get the other's value.
    #[test]
    fn lists_come_back_from_their_codes() {
        let far = [0, 127, 128, 254, 255, 16_383, 40_000, 2_100_000, 300_000_000, 300_000_001];
        for from in 0..far.len() {
            for to in from..=far.len() {
                let mut code = Vec::new();
                encode(&far[from..to], &mut code);
                assert_eq!(decode(&code), far[from..to], "{code:?}");
            }
        }
    }

    /// Bytes are those of the values that are there, however often one was given or taken.
    #[test]
    fn bytes_are_those_of_the_values() {
        let odds = Odds::new(&Ratio::new(1u8, 3u8));
        let values = [Value::One, Value::One.weighed(&odds, true), Value::Zero];
        let part = Value::One.weighed(&odds, true).bytes();
        assert!(part > 0);
        let mut generation = Generation::default();
        for key in 0..9u8 {
            generation.insert(&[key], hash(&[key]), Some(Valued::exact(values[1].clone())));
        }
        assert_eq!(generation.value_bytes, 9 * part);
        for round in 0..50 {
            let value = Valued::exact(values[round % 3].clone());
            generation.put(round % 7, (round % 4 > 0).then_some(value));
            let there = generation.entries.iter().filter_map(|entry| entry.value.as_ref());
            let bytes: usize = there.map(|valued| valued.value.bytes()).sum();
            assert_eq!(generation.value_bytes, bytes);
        }
        let mut cache = Cache::new(&Options::default());
        let start = cache.now();
        let ticket = cache.insert(hash(&[]), None);
        (0..3).for_each(|at| cache.store(ticket, &Valued::exact(values[at % 2].clone())));
        assert_eq!(cache.young.value_bytes, 0, "the last value was 1");
        cache.store(ticket, &Valued::exact(values[1].clone()));
        assert_eq!(cache.young.value_bytes, part);
        cache.drop_since(start);
        assert_eq!(cache.young.value_bytes, 0);
    }
    /// A third of the slots stay free, and they are as few as that allows.
    #[test]
    fn slots_and_bytes_grow_with_what_is_kept() {
        let (mut generation, mut keys) = (Generation::default(), 0);
        assert_eq!(generation.bytes(), 0);
        for count in 1..=3000u32 {
            let key = &count.to_le_bytes()[..1 + count as usize % 4];
            generation.insert(key, u64::from(count) << 20, None);
            keys += key.len();
            let (entries, slots) = (generation.entries.len(), generation.slots.len());
            assert!(3 * entries <= 2 * slots, "{entries} in {slots}");
            assert!(slots == 8 || 3 * entries > slots, "{entries} in {slots}");
            let bytes = entries * size_of::<Entry>() + 4 * slots + keys;
            assert_eq!(generation.bytes(), bytes, "nothing has a value");
        }
    }
}
