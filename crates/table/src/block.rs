//! A block of entries, and the numbers that stand for it in a file.
//!
//! Keys ascend. The distinct numerators and the distinct sets of best moves of a block stand once,
//! in order, and each entry picks one of either, in as few bits as their number needs.
//!
//! Always: numbers that [`Block::parse`] takes are those that [`Block::new`] and the parts of it
//! make, so that what a block means is written in one way only.
//!
//! On boards of a few cells this takes three to five bytes an entry: neighbouring keys differ in their
//! low bytes, values repeat, and there are few sets of best moves.

use std::cmp::Ordering;

use exact::scaled;

/// Entries of a block, at most.
pub const BLOCK: usize = 4096;

/// The best moves of those who choose in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    /// How many roles choose; 0 where nobody does.
    pub choosers: u32,
    /// Their best joint choices one after the other, ascending: a move's number for each chooser.
    pub moves: Vec<u32>,
}

impl Choice {
    /// The joint choices.
    pub fn each(&self) -> impl Iterator<Item = &[u32]> {
        self.moves.chunks_exact(self.choosers.max(1) as usize)
    }

    /// Whether the choice is as it is written: somebody chooses and something is best, or neither.
    fn is_sound(&self) -> bool {
        let whole = match self.choosers {
            0 => self.moves.is_empty(),
            choosers => {
                !self.moves.is_empty() && self.moves.len().is_multiple_of(choosers as usize)
            }
        };
        whole && self.each().zip(self.each().skip(1)).all(|(left, right)| left < right)
    }
}

/// Entries of one layer with neighbouring keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    width: usize,
    limbs: usize,
    keys: Vec<u64>,
    values: Vec<u64>,
    choices: Vec<Choice>,
    picks: Vec<(u32, u32)>,
}

/// The numbers of a block, by frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) keys: Vec<u64>,
    pub(crate) values: Vec<u64>,
    pub(crate) sets: Vec<u32>,
    pub(crate) picks: Vec<u64>,
}

/// Bits that tell one of so many apart.
fn pick_bits(count: usize) -> usize {
    count.next_power_of_two().trailing_zeros() as usize
}

fn ascending(words: &[u64], stride: usize, compare: fn(&[u64], &[u64]) -> Ordering) -> bool {
    let mut pairs = words.chunks_exact(stride).zip(words.chunks_exact(stride).skip(1));
    pairs.all(|(left, right)| compare(left, right).is_lt())
}

/// The order of keys: by their words, the first one first.
pub(crate) fn key_order(left: &[u64], right: &[u64]) -> Ordering {
    left.cmp(right)
}

impl Block {
    /// A block from its entries: keys, numerators, and the place of each entry's choice.
    ///
    /// # Panics
    /// When keys do not ascend, or there are too many.
    pub(crate) fn new(
        width: usize,
        limbs: usize,
        keys: Vec<u64>,
        numerators: &[u64],
        choices: &[&Choice],
    ) -> Self {
        let entries = keys.len() / width;
        assert!((1..=BLOCK).contains(&entries) && choices.len() == entries, "entries of a block");
        assert!(ascending(&keys, width, key_order), "keys ascend");
        let mut distinct: Vec<&[u64]> = numerators.chunks_exact(limbs).collect();
        distinct.sort_unstable_by(|left, right| scaled::compare(left, right));
        distinct.dedup();
        let mut kinds: Vec<&Choice> = choices.to_vec();
        kinds.sort_unstable();
        kinds.dedup();
        let value = |held: &[u64]| {
            let found = distinct.binary_search_by(|other| scaled::compare(other, held));
            found.expect("a value of the block") as u32
        };
        let kind =
            |held: &Choice| kinds.binary_search(&held).expect("a choice of the block") as u32;
        let picks = numerators.chunks_exact(limbs).zip(choices);
        let picks = picks.map(|(held, choice)| (value(held), kind(choice))).collect();
        let values = distinct.concat();
        let choices = kinds.into_iter().cloned().collect();
        Self { width, limbs, keys, values, choices, picks }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.picks.len()
    }

    /// Whether it has no entry, which no block of a file has.
    pub fn is_empty(&self) -> bool {
        self.picks.is_empty()
    }

    /// The key of an entry.
    pub fn key(&self, at: usize) -> &[u64] {
        &self.keys[at * self.width..(at + 1) * self.width]
    }

    /// The numerator of an entry.
    pub fn numerator(&self, at: usize) -> &[u64] {
        let pick = self.picks[at].0 as usize;
        &self.values[pick * self.limbs..(pick + 1) * self.limbs]
    }

    /// The distinct numerators, ascending.
    pub fn numerators(&self) -> impl Iterator<Item = &[u64]> {
        self.values.chunks_exact(self.limbs)
    }

    /// Which of the distinct numerators an entry has.
    pub fn pick(&self, at: usize) -> usize {
        self.picks[at].0 as usize
    }

    /// The best moves of an entry.
    pub fn choice(&self, at: usize) -> &Choice {
        &self.choices[self.picks[at].1 as usize]
    }

    /// The entry with a key.
    pub fn find(&self, key: &[u64]) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match key_order(self.key(middle), key) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some(middle),
                Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Bytes in memory, about.
    pub fn bytes(&self) -> u64 {
        let choices: usize = self.choices.iter().map(|choice| 40 + 4 * choice.moves.len()).sum();
        (8 * (self.keys.len() + self.values.len() + self.picks.len()) + choices) as u64
    }

    /// The numbers that stand for it.
    pub(crate) fn numbers(&self) -> Numbers {
        let mut sets = Vec::new();
        for choice in &self.choices {
            let count = choice.moves.len() as u32 / choice.choosers.max(1);
            sets.extend([choice.choosers, count]);
            sets.extend_from_slice(&choice.moves);
        }
        let low = pick_bits(self.values.len() / self.limbs);
        let bits = low + pick_bits(self.choices.len());
        let mut picks = vec![0u64; (bits * self.len()).div_ceil(64)];
        for (at, (value, choice)) in self.picks.iter().enumerate().filter(|_| bits > 0) {
            let pick = u64::from(*value) | u64::from(*choice) << low;
            let (word, shift) = (at * bits / 64, at * bits % 64);
            picks[word] |= pick << shift;
            if shift + bits > 64 {
                picks[word + 1] |= pick >> (64 - shift);
            }
        }
        Numbers { keys: self.keys.clone(), values: self.values.clone(), sets, picks }
    }

    /// Reads what [`Block::numbers`] wrote.
    pub(crate) fn parse(width: usize, limbs: usize, numbers: Numbers) -> Option<Self> {
        let Numbers { keys, values, sets, picks } = numbers;
        let entries = keys.len() / width;
        let whole = keys.len().is_multiple_of(width) && values.len().is_multiple_of(limbs);
        let sizes =
            (1..=BLOCK).contains(&entries) && (1..=entries).contains(&(values.len() / limbs));
        if !whole || !sizes || !ascending(&keys, width, key_order) {
            return None;
        }
        let choices = parse_choices(&sets)?;
        if !ascending(&values, limbs, scaled::compare) || choices.len() > entries {
            return None;
        }
        let picks = parse_picks(&picks, entries, values.len() / limbs, choices.len())?;
        Some(Self { width, limbs, keys, values, choices, picks })
    }
}

fn parse_choices(mut sets: &[u32]) -> Option<Vec<Choice>> {
    let mut choices: Vec<Choice> = Vec::new();
    while let Some((&[choosers, count], rest)) = sets.split_first_chunk::<2>() {
        let length = (choosers as usize).checked_mul(count as usize)?;
        let (moves, rest) = rest.split_at_checked(length)?;
        let choice = Choice { choosers, moves: moves.to_vec() };
        let follows = choices.last().is_none_or(|last| *last < choice);
        let counted = (choosers == 0) == (count == 0);
        if !follows || !counted || !choice.is_sound() {
            return None;
        }
        choices.push(choice);
        sets = rest;
    }
    (sets.is_empty() && !choices.is_empty()).then_some(choices)
}

fn parse_picks(
    words: &[u64],
    entries: usize,
    values: usize,
    choices: usize,
) -> Option<Vec<(u32, u32)>> {
    let low = pick_bits(values);
    let bits = low + pick_bits(choices);
    if words.len() != (bits * entries).div_ceil(64) {
        return None;
    }
    let rest = bits * entries % 64;
    if rest > 0 && words.last().is_some_and(|word| word >> rest != 0) {
        return None;
    }
    let (mut used_values, mut used_choices) = (vec![false; values], vec![false; choices]);
    let mut picks = Vec::with_capacity(entries);
    for at in 0..entries {
        let (word, shift) = (at * bits / 64, at * bits % 64);
        let mut pick = words.get(word).map_or(0, |word| word >> shift);
        if shift + bits > 64 {
            pick |= words[word + 1] << (64 - shift);
        }
        let value = (pick & ((1 << low) - 1)) as usize;
        let choice = (pick >> low & ((1 << (bits - low)) - 1)) as usize;
        *used_values.get_mut(value)? = true;
        *used_choices.get_mut(choice)? = true;
        picks.push((value as u32, choice as u32));
    }
    let all = used_values.iter().chain(&used_choices).all(|used| *used);
    all.then_some(picks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(choosers: u32, moves: &[u32]) -> Choice {
        Choice { choosers, moves: moves.to_vec() }
    }

    fn block(entries: u64, values: u64) -> Block {
        let kinds = [choice(0, &[]), choice(1, &[4, 9]), choice(2, &[1, 2, 1, 3])];
        let keys: Vec<u64> = (0..entries).flat_map(|n| [n / 3, n]).collect();
        let numerators: Vec<u64> =
            (0..entries).flat_map(|n| [n % values, n * n % values]).collect();
        let choices: Vec<&Choice> = (0..entries).map(|n| &kinds[(n * n % 3) as usize]).collect();
        Block::new(2, 2, keys, &numerators, &choices)
    }

    #[test]
    fn a_block_is_read_as_it_was_written() {
        for (entries, values) in [(1, 1), (2, 1), (5, 3), (700, 90), (4096, 4096)] {
            let block = block(entries, values);
            let read = Block::parse(2, 2, block.numbers()).expect("as written");
            assert_eq!(read, block);
            for at in 0..block.len() {
                let n = at as u64;
                assert_eq!(read.find(&[n / 3, n]), Some(at));
                assert_eq!(read.numerator(at), [n % values, n * n % values]);
            }
            assert_eq!(read.find(&[entries, 0]), None);
        }
    }

    #[test]
    fn other_numbers_for_the_same_entries_are_refused() {
        let sound = block(700, 90).numbers();
        let refused = |change: &dyn Fn(&mut Numbers)| {
            let mut numbers = sound.clone();
            change(&mut numbers);
            assert_ne!(numbers, sound);
            Block::parse(2, 2, numbers).is_none()
        };
        assert!(refused(&|numbers| numbers.keys.swap(1, 3)));
        assert!(refused(&|numbers| numbers.keys.truncate(1399)));
        assert!(refused(&|numbers| numbers.values.extend([99, 99])));
        assert!(refused(&|numbers| numbers.sets.extend([3, 1, 1, 2, 3])));
        assert!(refused(&|numbers| numbers.sets.extend([7])));
        assert!(refused(&|numbers| numbers.picks.push(0)));
        assert!(refused(&|numbers| *numbers.picks.last_mut().expect("words") |= 1 << 63));
        assert!(!choice(0, &[1]).is_sound() && !choice(1, &[]).is_sound());
        assert!(!choice(1, &[3, 3]).is_sound() && !choice(2, &[1, 2, 3]).is_sound());
    }
}
