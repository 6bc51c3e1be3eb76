//! What can be played in the positions of one class of steps, expanded once for all of them.
//!
//! A position's *shape* is how the values of its children fold (whose moves, which weights); most
//! positions of a class share a few shapes. Beside it stand the children, by number.

use std::ops::Range;

use kernel::{BLOCK_LANES, Expansion};
use rustc_hash::FxHashMap;

use super::super::layers::gcd;
use super::super::registers::for_lanes;
use super::reached::Marks;
use super::single::Found;

/// Positions of a word that is not (yet) shifted as a whole.
const UNEVEN: u32 = u32::MAX;

/// How one child enters the fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    /// The outcome's weight, in lowest terms with `total`.
    pub(super) weight: u32,
    /// The sum of the weights of its pair of moves.
    pub(super) total: u32,
    /// Whether it is the last outcome of its pair of moves.
    pub(super) last_of_pair: bool,
    /// Whether it is the last of the asked role's move.
    pub(super) last_of_asked: bool,
}

/// What a position leads to.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Its shape; [`ENDED`] where it is terminal.
    shape: u32,
    /// Where its children begin; its payment where it is terminal.
    first: u32,
}

/// The shape of a terminal position.
const ENDED: u32 = u32::MAX;

/// A position, as it is read.
pub(super) enum Line<'a> {
    /// It is terminal, with this payment.
    Ended(u32),
    /// Its shape, as a range of [`Moves::entries`], with the children in order.
    Open(Range<usize>, &'a [u32]),
}

/// What 64 positions of one word have in common, where they do: one shape, and children at the same
/// distances from each.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shift {
    /// Their shape, as a range of [`Moves::entries`].
    pub(super) entries: Range<usize>,
    /// By entry: what a child's number is beyond the position's.
    pub(super) distances: Box<[i64]>,
}

/// What can be played in the positions of a class.
#[derive(Debug, Default)]
pub(super) struct Moves {
    /// Positions that were expanded.
    pub(super) known: Marks,
    /// Terminal ones.
    pub(super) terminal: Marks,
    /// Neither terminal nor waiting for chance alone.
    pub(super) deciding: Marks,
    /// Whether in some position the asked role and an opponent choose at once.
    pub(super) simultaneous: bool,
    /// The entries of all shapes.
    pub(super) entries: Vec<Entry>,
    /// The totals that occur, ascending.
    pub(super) totals: Vec<u32>,
    rows: Vec<Row>,
    edges: Vec<u32>,
    shapes: Vec<Range<u32>>,
    numbers: FxHashMap<Vec<Entry>, u32>,
    /// Shifts that occur, and by word which it has.
    shifts: Vec<Shift>,
    shift_of: Vec<u32>,
    expanded: u64,
}

impl Moves {
    /// Number of positions that were expanded.
    pub(super) fn len(&self) -> u64 {
        self.expanded
    }

    /// Bytes held, about.
    pub(super) fn bytes(&self) -> u64 {
        let marks = self.known.bytes() + self.terminal.bytes() + self.deciding.bytes();
        let lists = size_of_val(&*self.rows) + size_of_val(&*self.edges);
        marks + (lists + 2 * size_of_val(&*self.entries) + size_of_val(&*self.shift_of)) as u64
    }

    /// What all 64 positions of a word have in common.
    #[inline(always)]
    pub(super) fn shift(&self, word: usize) -> Option<&Shift> {
        self.shifts.get(*self.shift_of.get(word)? as usize)
    }

    /// A position that was expanded.
    #[inline(always)]
    pub(super) fn line(&self, position: usize) -> Line<'_> {
        let Row { shape, first } = self.rows[position];
        if shape == ENDED {
            return Line::Ended(first);
        }
        let entries = &self.shapes[shape as usize];
        let first = first as usize;
        Line::Open(
            entries.start as usize..entries.end as usize,
            &self.edges[first..first + entries.len()],
        )
    }

    /// Takes in what was found of some positions, with the numbers of all children in order of
    /// emission; `count` positions are known in all.
    pub(super) fn take(
        &mut self,
        positions: &[usize],
        found: &Expansion,
        children: &[u32],
        count: usize,
    ) {
        assert!(positions.len() <= BLOCK_LANES, "positions of one block");
        self.reserve(count);
        self.simultaneous |= found.simultaneous;
        // The entries of each lane, in their order: first how many, then which.
        let mut ends = vec![0usize; positions.len() + 1];
        for joint in &found.joints {
            for_lanes(&joint.mask, |lane| ends[lane + 1] += 1);
        }
        (1..ends.len()).for_each(|at| ends[at] += ends[at - 1]);
        let mut lists = vec![(0u32, 0u32); children.len()];
        let (mut next, mut cursor) = (ends.clone(), 0);
        for (number, joint) in found.joints.iter().enumerate() {
            for_lanes(&joint.mask, |lane| {
                lists[next[lane]] = (number as u32, children[cursor]);
                next[lane] += 1;
                cursor += 1;
            });
        }
        assert_eq!(cursor, children.len(), "a child for each lane of a joint move");
        let mut shape = Vec::new();
        for (lane, &position) in positions.iter().enumerate() {
            let held = |mask: &kernel::Mask| mask[lane / 64] >> (lane % 64) & 1 == 1;
            if held(&found.terminal) {
                self.end(position, found.payoff[lane]);
                continue;
            }
            let list = &lists[ends[lane]..ends[lane + 1]];
            shape_of(list, found, &mut shape);
            let children = list.iter().map(|(_, child)| *child);
            self.open(position, &shape, children, held(&found.waiting));
        }
    }

    /// Takes in what was found of one position, with the numbers of its children; `count` positions
    /// are known in all.
    pub(super) fn take_single(
        &mut self,
        position: usize,
        found: &Found,
        children: &[u32],
        count: usize,
    ) {
        self.reserve(count);
        self.simultaneous |= found.simultaneous;
        match found.payment {
            Some(payment) => self.end(position, payment),
            None => self.open(position, &found.shape, children.iter().copied(), found.waiting),
        }
    }

    fn reserve(&mut self, count: usize) {
        for marks in [&mut self.known, &mut self.terminal, &mut self.deciding] {
            marks.reserve(count);
        }
        self.rows.resize(self.rows.len().max(count), Row { shape: ENDED, first: 0 });
    }

    fn end(&mut self, position: usize, payment: u32) {
        self.known.set(position);
        self.expanded += 1;
        self.terminal.set(position);
        self.rows[position] = Row { shape: ENDED, first: payment };
    }

    fn open(
        &mut self,
        position: usize,
        shape: &[Entry],
        children: impl Iterator<Item = u32>,
        waiting: bool,
    ) {
        self.known.set(position);
        self.expanded += 1;
        if !waiting {
            self.deciding.set(position);
        }
        let first = self.edges.len();
        self.edges.extend(children);
        assert_eq!(self.edges.len(), first + shape.len(), "an entry a child");
        let first = u32::try_from(first).expect("less than 2^32 edges of a class");
        self.rows[position] = Row { shape: self.number(shape), first };
        if self.known.word(position / 64) == u64::MAX {
            self.find_shift(position / 64);
        }
    }

    /// Looks whether the positions of a word, all of which are known, are alike.
    fn find_shift(&mut self, word: usize) {
        let shape = self.rows[64 * word].shape;
        let rows = &self.rows[64 * word..64 * (word + 1)];
        if shape == ENDED || rows.iter().any(|row| row.shape != shape) {
            return;
        }
        let far = |position: usize| match self.line(position) {
            Line::Open(entries, children) => {
                let distance = |child: &u32| i64::from(*child) - position as i64;
                Shift { entries, distances: children.iter().map(distance).collect() }
            }
            Line::Ended(_) => unreachable!("it has the shape of a position that is open"),
        };
        let shift = far(64 * word);
        if (64 * word + 1..64 * (word + 1)).any(|position| far(position) != shift) {
            return;
        }
        let known = self.shifts.iter().rposition(|one| *one == shift);
        let number = known.unwrap_or_else(|| {
            self.shifts.push(shift);
            self.shifts.len() - 1
        });
        self.shift_of.resize(self.shift_of.len().max(word + 1), UNEVEN);
        self.shift_of[word] = number as u32;
    }

    fn number(&mut self, shape: &[Entry]) -> u32 {
        if let Some(number) = self.numbers.get(shape) {
            return *number;
        }
        let number = self.shapes.len() as u32;
        assert!(number < ENDED, "a shape has a number");
        let first = self.entries.len() as u32;
        self.entries.extend_from_slice(shape);
        self.shapes.push(first..self.entries.len() as u32);
        for entry in shape {
            if let Err(place) = self.totals.binary_search(&entry.total) {
                self.totals.insert(place, entry.total);
            }
        }
        self.numbers.insert(shape.to_vec(), number);
        number
    }
}

/// How the joint moves of one lane fold.
fn shape_of(list: &[(u32, u32)], found: &Expansion, shape: &mut Vec<Entry>) {
    assert!(!list.is_empty(), "what is not terminal has a joint move");
    let joint = |at: usize| &found.joints[list[at].0 as usize];
    shape.clear();
    let mut start = 0;
    for at in 0..list.len() {
        let this = joint(at);
        let (mut last_of_pair, mut last_of_asked) = (true, true);
        if at + 1 < list.len() {
            let next = joint(at + 1);
            last_of_asked = next.asked != this.asked;
            last_of_pair = last_of_asked || next.opponents != this.opponents;
        }
        let (weight, total) = (this.weight, this.total);
        shape.push(Entry { weight, total, last_of_pair, last_of_asked });
        if last_of_pair {
            let pair = &mut shape[start..];
            let sum: u64 = pair.iter().map(|entry| u64::from(entry.weight)).sum();
            assert_eq!(sum, u64::from(total), "the outcomes of a pair are all there");
            let common = pair.iter().fold(total, |sum, entry| gcd(sum, entry.weight));
            for entry in pair {
                (entry.weight, entry.total) = (entry.weight / common, entry.total / common);
            }
            start = at + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Entry = Entry { weight: 1, total: 1, last_of_pair: true, last_of_asked: true };

    /// 128 positions that lead three back and one on, but for what `odd` says.
    fn chain(odd: impl Fn(usize) -> Option<Found>) -> Moves {
        let mut moves = Moves::default();
        // The last one first: a word is looked at when all of it is known, in any order.
        for position in (64..192).rev() {
            let usual = Found { shape: vec![ONE; 2], ..Found::default() };
            let children = [position as u32 - 3, position as u32 + 1];
            moves.take_single(position, &odd(position).unwrap_or(usual), &children, 200);
        }
        moves
    }

    #[test]
    fn words_of_positions_that_are_alike_are_found() {
        let moves = chain(|_| None);
        let shift = moves.shift(1).expect("64 positions are alike");
        assert_eq!((&*shift.distances, shift.entries.clone()), (&[-3, 1][..], 0..2));
        assert_eq!(moves.shift(2), moves.shift(1));
        assert!([0, 3, 4].iter().all(|word| moves.shift(*word).is_none()), "nobody knows these");
    }

    #[test]
    fn a_word_with_one_that_differs_is_not_alike() {
        for at in [64, 90, 127] {
            let ended = Found { payment: Some(100), ..Found::default() };
            let half = Entry { weight: 1, total: 2, last_of_pair: false, last_of_asked: false };
            let last = Entry { total: 2, ..ONE };
            let tossed = Found { shape: vec![half, last], ..Found::default() };
            for found in [ended, tossed] {
                let moves = chain(|position| (position == at).then(|| found.clone()));
                assert_eq!(moves.shift(1), None, "{found:?} at {at}");
                assert!(moves.shift(2).is_some());
            }
        }
        let mut moves = chain(|_| None);
        let far = Found { shape: vec![ONE; 2], ..Found::default() };
        for position in 0..64 {
            let farther = u32::from(position == 40);
            moves.take_single(
                position,
                &far,
                &[position as u32 + farther, 9 + position as u32],
                200,
            );
        }
        assert_eq!(moves.shift(0), None, "one child is farther");
    }
}
