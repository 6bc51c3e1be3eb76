//! Bounds of positions that are alike, a word of them at a time.
//!
//! Where all 64 positions of a word have one shape, and children at the same distances
//! ([`Shift`]), their bounds are computed joint move by joint move, in loops over words that lie
//! side by side, instead of position by position.
//!
//! Always: the bounds are those that the positions have one by one.

use std::ops::Range;

use super::moves::{Entry, Shift};

/// Words of the bounds of 64 positions.
pub(super) const WORDS: usize = 128;

/// Share of the positions between the first and the last of a word that have to be asked for, for all
/// of them to be done.
const DENSE: u32 = 4;

/// Where the bounds of positions below lie: words of pairs, and the position of the first pair.
#[derive(Clone, Copy)]
pub(super) struct Lower<'a> {
    pub(super) words: &'a [u64],
    pub(super) first: usize,
}

/// Room for sums and least values of 64 positions.
pub(super) struct Room {
    mean: [u128; WORDS],
    value: [u64; WORDS],
    low: [u64; WORDS],
}

impl Default for Room {
    fn default() -> Self {
        Self { mean: [0; WORDS], value: [0; WORDS], low: [0; WORDS] }
    }
}

/// From the first to behind the last of a word's positions, where they lie densely enough.
#[inline(always)]
pub(super) fn hull(set: u64) -> Option<Range<usize>> {
    let range = set.trailing_zeros()..64 - set.leading_zeros();
    let dense = set != 0 && DENSE * set.count_ones() >= range.end - range.start;
    dense.then_some(range.start as usize..range.end as usize)
}

/// Bounds of positions from `first` on, two words each; the children of the first and of the last
/// have bounds below. What lies between them need not: it is computed from what is there, and read
/// by nobody.
///
/// # Panics
/// Where children of the first or of the last have no place below.
pub(super) fn bounds(
    room: &mut Room,
    first: usize,
    (entries, shift): (&[Entry], &Shift),
    below: Lower<'_>,
    out: &mut [u64],
) {
    let count = out.len();
    assert!(count <= WORDS && entries.len() == shift.distances.len(), "a word and its shape");
    let Room { mean, value, low } = room;
    let (mean, value, low) = (&mut mean[..count], &mut value[..count], &mut low[..count]);
    let child = |at: usize| {
        let place = first as i64 + shift.distances[at] - below.first as i64;
        &below.words[2 * usize::try_from(place).expect("a child lies below")..][..count]
    };
    let (mut start, mut lows, mut moves) = (0, 0, 0);
    for (at, entry) in entries.iter().enumerate() {
        if !entry.last_of_pair {
            continue;
        }
        let of_pair = match at - start {
            0 => child(at),
            1 => {
                let weights = [entries[start].weight, entry.weight];
                let (left, right) = (child(start).iter(), child(at));
                for (sum, (left, right)) in mean.iter_mut().zip(left.zip(right)) {
                    *sum = product(*left, weights[0]) + product(*right, weights[1]);
                }
                divide(mean, entry.total, value);
                &*value
            }
            _ => {
                mean.fill(0);
                for (place, outcome) in entries[start..=at].iter().enumerate() {
                    for (sum, child) in mean.iter_mut().zip(child(start + place)) {
                        *sum += product(*child, outcome.weight);
                    }
                }
                divide(mean, entry.total, value);
                &*value
            }
        };
        start = at + 1;
        keep(low, of_pair, lows == 0, u64::min);
        lows += 1;
        if entry.last_of_asked {
            keep(out, low, moves == 0, u64::max);
            (lows, moves) = (0, moves + 1);
        }
    }
    assert!(moves > 0 && start == entries.len(), "a shape has a move, and ends with one");
}

/// Keeps the better ones of two, or the new ones where they are the first.
#[inline(always)]
fn keep(kept: &mut [u64], new: &[u64], first: bool, better: impl Fn(u64, u64) -> u64) {
    if first {
        kept.copy_from_slice(new);
    } else {
        kept.iter_mut().zip(new).for_each(|(kept, new)| *kept = better(*kept, *new));
    }
}

#[inline(always)]
fn product(bound: u64, weight: u32) -> u128 {
    u128::from(bound) * u128::from(weight)
}

/// Sums over a total, lower ends rounded down and upper ones up.
#[inline(always)]
fn divide(sums: &[u128], total: u32, out: &mut [u64]) {
    let places = out.chunks_exact_mut(2).zip(sums.chunks_exact(2));
    if total.is_power_of_two() {
        let (shift, more) = (total.trailing_zeros(), u128::from(total - 1));
        for (place, sums) in places {
            (place[0], place[1]) = ((sums[0] >> shift) as u64, ((sums[1] + more) >> shift) as u64);
        }
    } else {
        let total = u128::from(total);
        for (place, sums) in places {
            (place[0], place[1]) = ((sums[0] / total) as u64, sums[1].div_ceil(total) as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use net::random::Random;

    use super::*;

    /// A shape whose last move is the asked role's, of a few pairs and outcomes.
    fn shape(random: &mut Random) -> Vec<Entry> {
        let mut entries = Vec::new();
        let (moves, pairs) = (1 + random.below(3), 1 + random.below(3));
        for pair in 0..moves * pairs {
            let weights: Vec<u32> =
                (0..1 + random.below(4)).map(|_| 1 + random.below(5) as u32).collect();
            let total = weights.iter().sum();
            let count = weights.len();
            entries.extend(weights.into_iter().enumerate().map(|(at, weight)| Entry {
                weight: if count == 1 { 1 } else { weight },
                total: if count == 1 { 1 } else { total },
                last_of_pair: at + 1 == count,
                last_of_asked: at + 1 == count && pair % pairs + 1 == pairs,
            }));
        }
        entries
    }

    /// Bounds of one position, by their definition.
    fn one_by_one(entries: &[Entry], child: impl Fn(usize, usize) -> u64) -> [u64; 2] {
        [0, 1].map(|end| {
            let (mut best, mut low, mut mean) = (0, u64::MAX, 0);
            for (at, entry) in entries.iter().enumerate() {
                mean += u128::from(entry.weight) * u128::from(child(at, end));
                if entry.last_of_pair {
                    let (whole, rest) =
                        (mean / u128::from(entry.total), mean % u128::from(entry.total));
                    let rounded = whole as u64 + u64::from(end == 1 && rest > 0);
                    (low, mean) = (low.min(rounded), 0);
                }
                if entry.last_of_asked {
                    (best, low) = (best.max(low), u64::MAX);
                }
            }
            best
        })
    }

    #[test]
    fn positions_that_are_alike_have_the_bounds_that_they_have_alone() {
        let mut random = Random::new(5);
        let (mut tossed, mut room) = (0, Room::default());
        for _ in 0..400 {
            let entries = shape(&mut random);
            tossed += usize::from(entries.iter().any(|entry| entry.total > 1));
            let distances = entries.iter().map(|_| random.below(300) as i64 - 150).collect();
            let shift = Shift { entries: 0..entries.len(), distances };
            let (first, place) = (1000 + random.below(64), 800);
            let words: Vec<u64> = (0..1200)
                .map(|_| random.below(1 << 30) as u64 * random.below(1 << 32) as u64)
                .collect();
            let count = 1 + random.below(64);
            let mut out = vec![7; 2 * count];
            let below = Lower { words: &words, first: place };
            bounds(&mut room, first, (&entries, &shift), below, &mut out);
            for position in first..first + count {
                let wanted = one_by_one(&entries, |at, end| {
                    words[2 * (position as i64 + shift.distances[at]) as usize - 2 * place + end]
                });
                assert_eq!(out[2 * (position - first)..][..2], wanted, "{entries:?}");
            }
        }
        assert!((100..400).contains(&tossed));
    }

    #[test]
    fn words_are_done_as_a_whole_where_most_of_their_positions_are_asked_for() {
        assert_eq!(hull(0), None);
        assert_eq!(hull(u64::MAX), Some(0..64));
        assert_eq!(hull(1 << 63), Some(63..64));
        assert_eq!(hull(0b1001_1000), Some(3..8));
        assert_eq!(hull(0b1_0001), Some(0..5));
        assert_eq!(hull(0b1_0000_0001), None);
    }
}
