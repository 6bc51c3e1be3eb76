//! Values of the positions of one ply, from those of the ply below.
//!
//! Four representations, as in the registers of blocks: one word, two, any number of words, and
//! certified bounds of one word each. Where nothing is tossed in a ply the denominator stays what it
//! is, and the value of a position is that of one of its children: wide values are not copied then
//! but referred to, so that such a ply costs a comparison a child.
//!
//! Always: a value is computed from the same children by the same sums on any number of threads.

use std::convert::Infallible;
use std::ops::Range;

use exact::{Bounds, scaled};
use store::{HugeVec, OutOfMemory};

use super::super::registers::Narrow;
use super::alike;
use super::moves::{Entry, Line, Moves};
use super::reached::{Reached, bits};
use crate::backend::{Leaf, Scale};
use crate::crew::Crew;

/// Words of a value from which on a ply without tosses refers to its children's.
const WIDE: usize = 3;
/// Marks a reference to a payment.
const PAID: u32 = 1 << 31;
/// Words of values, or references, below which one thread does a ply as fast as several.
const FEW: usize = 1 << 13;
/// Tasks a thread: the last one is short beside all.
const PARTS: usize = 6;

/// Values of one ply at a time, beside the buffer that the next is written to.
#[derive(Default)]
pub(super) struct Values {
    /// Whose values these are; none where there are none.
    pub(super) ply: Option<usize>,
    /// Words of a value.
    limbs: usize,
    buffers: [HugeVec<u64>; 2],
    /// Which of the buffers holds them, and the position of its first value.
    held: usize,
    first: usize,
    /// Where values are references: those, and the position of the first.
    shared: Option<(usize, Vec<u32>)>,
    paid: Paid,
}

/// Payments over the denominator at hand, made once for all that are referred to.
#[derive(Default)]
struct Paid {
    words: Vec<u64>,
    at: Vec<Option<u32>>,
}

/// Values that are read.
#[derive(Clone, Copy)]
struct Below<'a> {
    words: &'a [u64],
    limbs: usize,
    first: usize,
    shared: Option<(usize, &'a [u32])>,
    paid: &'a [u64],
}

impl<'a> Below<'a> {
    /// The words of a position's value.
    #[inline(always)]
    fn at(&self, position: usize) -> &'a [u64] {
        let reference = match self.shared {
            Some((first, references)) => references[position - first],
            None => (position - self.first) as u32,
        };
        self.behind(reference)
    }

    #[inline(always)]
    fn behind(&self, reference: u32) -> &'a [u64] {
        let (words, at) = match reference & PAID {
            0 => (self.words, reference as usize),
            _ => (self.paid, (reference & !PAID) as usize),
        };
        &words[at * self.limbs..(at + 1) * self.limbs]
    }
}

/// What all threads read for a ply.
struct Job<'a> {
    reached: &'a Reached,
    moves: &'a Moves,
    leaf: Leaf,
    scale: &'a Scale,
    below: Below<'a>,
    /// By entry of the moves: what a child is multiplied by.
    factors: Vec<u128>,
}

impl Values {
    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let shared = self.shared.as_ref().map_or(0, |(_, held)| size_of_val(&**held) as u64);
        self.buffers.iter().map(HugeVec::bytes).sum::<u64>()
            + shared
            + size_of_val(&*self.paid.words) as u64
    }

    /// Bytes that a ply needs beside, about.
    pub(super) fn needed(&self, reached: &Reached, scale: &Scale) -> u64 {
        let words = 64 * reached.range().len() * scale.limbs;
        let spare = self.buffers[1 - self.held].bytes_for(words);
        spare.saturating_sub(self.buffers[1 - self.held].bytes())
    }

    /// The words of a position's value.
    pub(super) fn at(&self, position: usize) -> &[u64] {
        self.below().at(position)
    }

    fn below(&self) -> Below<'_> {
        Below {
            words: self.buffers[self.held].as_slice(),
            limbs: self.limbs,
            first: self.first,
            shared: self.shared.as_ref().map(|(first, held)| (*first, &**held)),
            paid: &self.paid.words,
        }
    }

    /// Values a ply; the values held are those of the next one where its children were expanded.
    ///
    /// # Errors
    /// Where the system refuses memory; nothing is held then.
    pub(super) fn value(
        &mut self,
        ply: usize,
        (reached, moves): (&Reached, &Moves),
        leaf: Leaf,
        scale: &Scale,
        crew: &Crew,
    ) -> Result<(), OutOfMemory> {
        let expanded = leaf == Leaf::Expanded;
        assert!(!expanded || self.ply == Some(ply + 1), "plies back up in order");
        if expanded && scale.step == 1 && !scale.bounds && self.limbs >= WIDE {
            assert_eq!(scale.limbs, self.limbs, "a ply without tosses has the denominator below");
            self.refer(reached, moves, scale, crew);
        } else {
            self.ply = None;
            self.compute((reached, moves), leaf, scale, crew)?;
        }
        self.ply = Some(ply);
        Ok(())
    }

    /// Values of a ply in which nothing is tossed, as references.
    fn refer(&mut self, reached: &Reached, moves: &Moves, scale: &Scale, crew: &Crew) {
        let mut paid = std::mem::take(&mut self.paid);
        for (word, set) in reached.all() {
            for position in bits(word, set & moves.terminal.word(word)) {
                if let Line::Ended(payment) = moves.line(position) {
                    paid.make(payment, scale);
                }
            }
        }
        let below = Below { paid: &paid.words, ..self.below() };
        let range = reached.range();
        let mut references = vec![0u32; 64 * range.len()];
        let mut tasks = Vec::new();
        let mut rest = &mut references[..];
        for part in parts(&range, crew, references_cost(&range)) {
            let (own, others) = rest.split_at_mut(64 * part.len());
            tasks.push((part, own));
            rest = others;
        }
        let one = |position: usize| match moves.line(position) {
            Line::Ended(payment) => PAID | paid.at[payment as usize].expect("it was made"),
            Line::Open(entries, children) => referred(&moves.entries[entries], children, &below),
        };
        let done = crew.share(&mut vec![(); crew.threads()], tasks, |(), (part, own)| {
            let first = 64 * part.start;
            for (word, set) in reached.words(part) {
                bits(word, set).for_each(|position| own[position - first] = one(position));
            }
            Ok::<_, Infallible>(())
        });
        assert!(done.is_ok(), "nothing fails");
        self.paid = paid;
        self.shared = Some((64 * range.start, references));
    }

    fn compute(
        &mut self,
        (reached, moves): (&Reached, &Moves),
        leaf: Leaf,
        scale: &Scale,
        crew: &Crew,
    ) -> Result<(), OutOfMemory> {
        let range = reached.range();
        let mut out = std::mem::take(&mut self.buffers[1 - self.held]);
        out.clear();
        out.resize(64 * range.len() * scale.limbs, 0)?;
        let factor =
            |entry: &Entry| scale.step / u128::from(entry.total) * u128::from(entry.weight);
        let job = Job {
            reached,
            moves,
            leaf,
            scale,
            below: self.below(),
            factors: moves.entries.iter().map(factor).collect(),
        };
        let (mut tasks, mut rest) = (Vec::new(), out.as_mut_slice());
        for part in parts(&range, crew, 64 * range.len() * scale.limbs) {
            let (own, others) = rest.split_at_mut(64 * part.len() * scale.limbs);
            tasks.push((part, own));
            rest = others;
        }
        let mut workers: Vec<Wide> = (0..crew.threads()).map(|_| Wide::default()).collect();
        let done = crew.share(&mut workers, tasks, |wide, (part, own)| {
            match scale.limbs {
                _ if scale.bounds => job.run_bounds(part, own),
                1 => job.run(part, own, |place, line| job.narrow::<u64>(place, line)),
                2 => job.run(part, own, |place, line| job.narrow::<u128>(place, line)),
                _ => job.run(part, own, |place, line| wide.fold(&job, place, line)),
            }
            Ok::<_, Infallible>(())
        });
        assert!(done.is_ok(), "nothing fails");
        self.buffers[1 - self.held] = out;
        self.held = 1 - self.held;
        (self.first, self.limbs, self.shared) = (64 * range.start, scale.limbs, None);
        self.paid = Paid::default();
        Ok(())
    }
}

impl Paid {
    fn make(&mut self, payment: u32, scale: &Scale) {
        if self.at.len() <= payment as usize {
            self.at.resize(payment as usize + 1, None);
        }
        if self.at[payment as usize].is_none() {
            let at = self.words.len();
            self.at[payment as usize] = Some((at / scale.limbs) as u32);
            self.words.resize(at + scale.limbs, 0);
            pay(&mut self.words[at..], payment, scale);
        }
    }
}

/// What a ply of references costs, in words of values.
fn references_cost(range: &Range<usize>) -> usize {
    // Two comparisons of far words a position.
    64 * range.len() * 16
}

/// The words of a set in parts for threads.
fn parts(range: &Range<usize>, crew: &Crew, cost: usize) -> impl Iterator<Item = Range<usize>> {
    let count = if cost < FEW { 1 } else { PARTS * crew.threads() };
    let each = range.len().div_ceil(count).max(1);
    let end = range.end;
    range.clone().step_by(each).map(move |from| from..end.min(from + each))
}

/// The child whose value a position has where nothing is tossed, as a reference.
fn referred(entries: &[Entry], children: &[u32], below: &Below<'_>) -> u32 {
    let reference = |child: u32| match below.shared {
        Some((first, references)) => references[child as usize - first],
        None => (child as usize - below.first) as u32,
    };
    let less = |left: u32, right: u32| {
        left != right && scaled::compare(below.behind(left), below.behind(right)).is_lt()
    };
    let (mut best, mut low): (Option<u32>, Option<u32>) = (None, None);
    for (entry, child) in entries.iter().zip(children) {
        assert_eq!(entry.total, 1, "nothing is tossed");
        let this = reference(*child);
        low = Some(low.map_or(this, |low| if less(this, low) { this } else { low }));
        if entry.last_of_asked {
            let this = low.take().expect("a move has an answer");
            best = Some(best.map_or(this, |best| if less(best, this) { this } else { best }));
        }
    }
    best.expect("a position has a move")
}

/// Writes `payment` over the scale's denominator.
fn pay(value: &mut [u64], payment: u32, scale: &Scale) {
    if scale.bounds {
        (value[0], value[1]) = Bounds::fraction(payment.into(), scale.top.into()).raw();
        return;
    }
    value.copy_from_slice(&scale.unit);
    scaled::mul_small(value, payment.into());
}

impl Job<'_> {
    /// Values some words of positions.
    fn run(
        &self,
        part: Range<usize>,
        out: &mut [u64],
        mut fold: impl FnMut(&mut [u64], (Range<usize>, &[u32])),
    ) {
        let (first, limbs) = (64 * part.start, self.scale.limbs);
        for (word, set) in self.reached.words(part) {
            for position in bits(word, set) {
                let place = &mut out[(position - first) * limbs..(position - first + 1) * limbs];
                match (self.moves.line(position), self.leaf) {
                    (Line::Ended(payment), _) => pay(place, payment, self.scale),
                    (_, Leaf::Worthless) => place.fill(0),
                    (_, Leaf::Won) => pay(place, self.scale.top, self.scale),
                    (Line::Open(entries, children), Leaf::Expanded) => {
                        fold(place, (entries, children));
                    }
                }
            }
        }
    }

    /// Bounds of some words of positions; those whose positions are alike are done as a whole.
    fn run_bounds(&self, part: Range<usize>, out: &mut [u64]) {
        let mut room = alike::Room::default();
        let below = alike::Lower { words: self.below.words, first: self.below.first };
        let start = part.start;
        for (word, set) in self.reached.words(part) {
            let own = &mut out[alike::WORDS * (word - start)..][..alike::WORDS];
            let shift = self.moves.shift(word).filter(|_| self.leaf == Leaf::Expanded);
            match (shift, alike::hull(set)) {
                (Some(shift), Some(hull)) => {
                    let entries = &self.moves.entries[shift.entries.clone()];
                    let first = 64 * word + hull.start;
                    let own = &mut own[2 * hull.start..2 * hull.end];
                    alike::bounds(&mut room, first, (entries, shift), below, own);
                }
                _ => self.run(word..word + 1, own, |place, line| self.bounds(place, line)),
            }
        }
    }

    #[inline(always)]
    fn narrow<T: Narrow>(&self, place: &mut [u64], (range, children): (Range<usize>, &[u32])) {
        let Below { words, limbs, first, .. } = self.below;
        let (mut best, mut low, mut mean) = (T::default(), T::TOP, T::default());
        let entries = self.moves.entries[range.clone()].iter().zip(&self.factors[range]);
        for ((entry, factor), child) in entries.zip(children) {
            let child = T::read(words, limbs, *child as usize - first);
            mean = child.add_product(mean, T::factor(*factor));
            if entry.last_of_pair {
                (low, mean) = (low.min(mean), T::default());
            }
            if entry.last_of_asked {
                (best, low) = (best.max(low), T::TOP);
            }
        }
        best.write(place);
    }

    #[inline(always)]
    fn bounds(&self, place: &mut [u64], (range, children): (Range<usize>, &[u32])) {
        let (mut best, mut low, mut mean) = ([0u64; 2], [u64::MAX; 2], [0u128; 2]);
        for (entry, child) in self.moves.entries[range].iter().zip(children) {
            let at = 2 * (*child as usize - self.below.first);
            let weight = u128::from(entry.weight);
            mean[0] += weight * u128::from(self.below.words[at]);
            mean[1] += weight * u128::from(self.below.words[at + 1]);
            if entry.last_of_pair {
                let [lower, upper] = divided(mean, entry.total);
                low = [low[0].min(lower), low[1].min(upper)];
                mean = [0; 2];
            }
            if entry.last_of_asked {
                best = [best[0].max(low[0]), best[1].max(low[1])];
                low = [u64::MAX; 2];
            }
        }
        // Not a copy of a slice: one of a length unknown to the compiler costs a call a position.
        (place[0], place[1]) = (best[0], best[1]);
    }
}

/// Both ends over a total, rounded outward.
#[inline(always)]
fn divided([lower, upper]: [u128; 2], total: u32) -> [u64; 2] {
    if total.is_power_of_two() {
        let shift = total.trailing_zeros();
        return [(lower >> shift) as u64, ((upper + u128::from(total - 1)) >> shift) as u64];
    }
    let total = u128::from(total);
    [(lower / total) as u64, upper.div_ceil(total) as u64]
}

/// Room for folding values of many words.
#[derive(Default)]
struct Wide {
    mean: Vec<u64>,
    low: Vec<u64>,
    best: Vec<u64>,
}

/// Where a value under way is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Nowhere yet.
    None,
    /// It is a child's.
    Child(usize),
    /// In the room for it.
    Own,
}

impl Wide {
    fn fold(
        &mut self,
        job: &Job<'_>,
        place: &mut [u64],
        (range, children): (Range<usize>, &[u32]),
    ) {
        let (entries, factors) = (&job.moves.entries[range.clone()], &job.factors[range]);
        let limbs = place.len();
        if entries[..entries.len() - 1].iter().all(|entry| !entry.last_of_pair) {
            average(place, factors, children, &job.below);
            return;
        }
        for room in [&mut self.mean, &mut self.low, &mut self.best] {
            room.resize(limbs, 0);
        }
        // A child of fewer words than are asked for is copied, so that lengths are equal.
        let whole = job.below.limbs == limbs;
        let (mut best, mut low, mut start) = (Kept::None, Kept::None, 0);
        for (at, entry) in entries.iter().enumerate() {
            if !entry.last_of_pair {
                continue;
            }
            let mean = if start == at && factors[at] == 1 && whole {
                Kept::Child(children[at] as usize)
            } else {
                average(&mut self.mean, &factors[start..=at], &children[start..=at], &job.below);
                Kept::Own
            };
            start = at + 1;
            let words = |kept, own: &'_ [u64]| -> std::cmp::Ordering {
                scaled::compare(read(mean, &self.mean, &job.below), read(kept, own, &job.below))
            };
            if low == Kept::None || words(low, &self.low).is_lt() {
                if mean == Kept::Own {
                    std::mem::swap(&mut self.mean, &mut self.low);
                }
                low = mean;
            }
            if entry.last_of_asked {
                let (old, new) =
                    (read(best, &self.best, &job.below), read(low, &self.low, &job.below));
                if best == Kept::None || scaled::compare(old, new).is_lt() {
                    if low == Kept::Own {
                        std::mem::swap(&mut self.low, &mut self.best);
                    }
                    best = low;
                }
                low = Kept::None;
            }
        }
        assert!(best != Kept::None, "a position has a move");
        place.copy_from_slice(read(best, &self.best, &job.below));
    }
}

fn read<'a>(kept: Kept, own: &'a [u64], below: &Below<'a>) -> &'a [u64] {
    match kept {
        Kept::None => &[],
        Kept::Child(position) => below.at(position),
        Kept::Own => own,
    }
}

/// The sum of children times factors.
fn average(out: &mut [u64], factors: &[u128], children: &[u32], below: &Below<'_>) {
    let child = |at: usize| below.at(children[at] as usize);
    let small = |factor: u128| u32::try_from(factor).ok();
    if let ([first, second, ..], [_, _, ..]) = (factors, children)
        && let (Some(first), Some(second)) = (small(*first), small(*second))
    {
        scaled::mul_two(out, (child(0), first), (child(1), second));
    } else {
        out.fill(0);
        add(out, child(0), factors[0]);
        if factors.len() > 1 {
            add(out, child(1), factors[1]);
        }
    }
    for (at, factor) in factors.iter().enumerate().skip(2) {
        add(out, child(at), *factor);
    }
}

fn add(out: &mut [u64], child: &[u64], factor: u128) {
    scaled::mul_small_add(out, child, factor as u64);
    if factor >> 64 != 0 {
        scaled::mul_small_add(&mut out[1..], child, (factor >> 64) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_payments_are_counted() {
        let mut values = Values::default();
        assert_eq!(values.bytes(), 0);
        values.shared = Some((0, vec![7; 1000]));
        assert_eq!(values.bytes(), 4000);
        values.paid.words = vec![1; 30];
        assert_eq!(values.bytes(), 4240);
        values.buffers[1].resize(5000, 1).expect("memory");
        assert_eq!(values.bytes(), 4240 + values.buffers[1].bytes());
        values.shared = None;
        assert_eq!(values.bytes(), 240 + values.buffers[1].bytes());
    }

    #[test]
    fn values_are_read_from_where_they_are() {
        let (words, paid) = ([10, 0, 11, 0, 12, 0], [90, 0, 91, 0]);
        let references = [2, PAID | 1, 0];
        let plain = Below { words: &words, limbs: 2, first: 128, shared: None, paid: &paid };
        assert_eq!([128, 129, 130].map(|at| plain.at(at)[0]), [10, 11, 12]);
        let shared = Below { shared: Some((64, &references)), ..plain };
        assert_eq!([64, 65, 66].map(|at| shared.at(at)[0]), [12, 91, 10]);
        assert_eq!(shared.behind(PAID)[0], 90);
        let entry =
            |last_of_asked| Entry { weight: 1, total: 1, last_of_pair: true, last_of_asked };
        // Two moves of two answers each: the larger of the smaller values.
        let entries = [false, true, false, true].map(entry);
        assert_eq!(referred(&entries, &[130, 129, 130, 128], &plain), 1);
        assert_eq!(referred(&entries, &[64, 65, 66, 64], &shared), 2);
        assert_eq!(referred(&entries, &[65, 65, 64, 65], &shared), PAID | 1);
    }

    #[test]
    fn bounds_are_rounded_outward() {
        for total in [1, 3, 4, 6, 7, 8, 1 << 20] {
            for sum in [0u128, 1, 5, 8, 1000, u128::from(u64::MAX)] {
                let [lower, upper] = divided([sum, sum], total);
                let (low, high) = (u128::from(lower), u128::from(upper));
                let total = u128::from(total);
                assert!(low * total <= sum && sum <= high * total, "{sum} / {total}");
                assert!(sum - low * total < total && high * total - sum < total, "{sum} / {total}");
            }
        }
    }
}
