//! Within a row: choices that change the lane, by runs of lanes with constant distance to their
//! children.
//!
//! Segments go from the top down, so that children in the same row are known. Where one run has a
//! segment to itself, its lanes are valued in the same loop that finds what the choice is worth.
//! Pieces of 8, 4, 2 and 1 lanes have a loop each, of constant length.

use crate::dense::fold::{Band, Child, Fold, Run, Values, any, take_best};
use crate::dense::lane::Lane;
use crate::expand::Mask;

/// Calls a function for lanes in pieces of 8, 4, 2 and 1.
macro_rules! in_pieces {
    ($lanes:expr, $at:ident, $count:ident, $body:expr) => {{
        let mut $at = $lanes.start;
        while $at + 8 <= $lanes.end {
            const $count: usize = 8;
            $body;
            $at += 8;
        }
        if $at + 4 <= $lanes.end {
            const $count: usize = 4;
            $body;
            $at += 4;
        }
        if $at + 2 <= $lanes.end {
            const $count: usize = 2;
            $body;
            $at += 2;
        }
        if $at < $lanes.end {
            const $count: usize = 1;
            $body;
        }
    }};
}

/// The choices that change the lane, from the top segment down.
#[inline(always)]
pub(super) fn within<V: Lane>(job: &mut Fold<'_, V>, band: &Band, best: &mut Values<V>) {
    let all = band.rows.start * job.lanes..band.rows.end * job.lanes;
    let (segments, choices) = (job.segments, job.choices);
    for segment in segments.iter().rev() {
        if let [run] = &segment.runs[..]
            && run.lanes == segment.lanes
        {
            if any(&choices[run.choice].legal, all.clone()) {
                in_pieces!(run.lanes, at, COUNT, along::<V, COUNT, true>(job, band, run, at, best));
            }
            continue;
        }
        for run in &segment.runs {
            if any(&choices[run.choice].legal, all.clone()) {
                in_pieces!(
                    run.lanes,
                    at,
                    COUNT,
                    along::<V, COUNT, false>(job, band, run, at, best)
                );
            }
        }
        if !segment.runs.is_empty() {
            in_pieces!(segment.lanes, at, COUNT, settle::<V, COUNT>(job, band, at, best));
        }
    }
}

/// `N` lanes of a mask, in the low bits.
#[inline(always)]
fn some_bits<const N: usize>(mask: &Mask, lane: usize) -> u32 {
    let low = mask[lane / 64] >> (lane % 64);
    let both = if lane % 64 + N > 64 { low | mask[lane / 64 + 1] << (64 - lane % 64) } else { low };
    both as u32 & ((1 << N) - 1)
}

#[inline(always)]
fn some<V: Lane, const N: usize>(all: &[V], at: usize) -> &[V; N] {
    all[at..at + N].try_into().expect("N lanes")
}

/// The values of some lanes of a segment, which are known now.
#[inline(always)]
fn settle<V: Lane, const N: usize>(
    job: &mut Fold<'_, V>,
    band: &Band,
    at: usize,
    best: &Values<V>,
) {
    let flips: &[V; N] = some(job.numbers, band.style + at);
    for row in band.rows.clone() {
        let place = row * job.lanes + at;
        let ended = some_bits::<N>(job.terminal, place);
        let values = (&mut job.values[place..place + N]).try_into().expect("N lanes");
        settle_lanes::<V, N>(values, some(best, place), flips, ended);
    }
}

/// Values of lanes that have not ended.
#[inline(always)]
fn settle_lanes<V: Lane, const N: usize>(
    values: &mut [V; N],
    best: &[V; N],
    flips: &[V; N],
    ended: u32,
) {
    for lane in 0..N {
        // One of both is zero: no branch.
        let ended = ended >> lane & 1 != 0;
        let mine = best[lane].flip(flips[lane]).when(!ended);
        values[lane] = values[lane].when(ended).max(mine);
    }
}

/// Some lanes of a run, in all rows of a band; `ALONE` where no other run has these lanes, so that
/// their values are known then.
#[inline(always)]
fn along<V: Lane, const N: usize, const ALONE: bool>(
    job: &mut Fold<'_, V>,
    band: &Band,
    run: &Run,
    at: usize,
    best: &mut Values<V>,
) {
    let (lanes, children, numbers) = (job.lanes, job.children, job.numbers);
    let terms = job.choices[run.choice].terms.clone();
    let firsts = job.firsts;
    let weight = |term: usize| *some::<V, N>(numbers, band.style + (2 + term) * lanes + at);
    let child = |term: usize, distance: i32| {
        let (block, row) = band.to[term].expect("a live lane has its children");
        let further = (row * lanes + at).wrapping_add_signed(distance as isize);
        (&children[firsts[term] + block], further)
    };
    if let [left, right] = run.distances[..] {
        let places = [child(terms.start, left), child(terms.start + 1, right)];
        let weights = [weight(terms.start), weight(terms.start + 1)];
        each_row::<V, N, ALONE>(job, band, (run.choice, at), best, |values, row| {
            let [left, right] = places.map(|place| of_row::<V, N>(values, place, row * lanes));
            let mut sum = [V::ZERO; N];
            for lane in 0..N {
                let mine = left[lane].times(weights[0][lane]);
                sum[lane] = mine.plus(right[lane].times(weights[1][lane]));
            }
            sum
        });
        return;
    }
    each_row::<V, N, ALONE>(job, band, (run.choice, at), best, |values, row| {
        let mut sum = [V::ZERO; N];
        for (term, distance) in terms.clone().zip(&run.distances) {
            let child = of_row::<V, N>(values, child(term, *distance), row * lanes);
            let weight = weight(term);
            for lane in 0..N {
                sum[lane] = sum[lane].plus(child[lane].times(weight[lane]));
            }
        }
        sum
    });
}

/// Children of some lanes, so many lanes further.
#[inline(always)]
fn of_row<V: Lane, const N: usize>(
    own: &Values<V>,
    (child, from): (&Child<'_, V>, usize),
    further: usize,
) -> [V; N] {
    *some(
        match child {
            Child::Own => own,
            Child::Held(values) => *values,
            Child::Missing => panic!("a live lane has its children"),
        },
        from + further,
    )
}

/// Takes what a choice is worth, as `mean` tells from the block's values and the row, for some lanes of
/// all rows of a band.
#[inline(always)]
fn each_row<V: Lane, const N: usize, const ALONE: bool>(
    job: &mut Fold<'_, V>,
    band: &Band,
    (choice, at): (usize, usize),
    best: &mut Values<V>,
    mean: impl Fn(&Values<V>, usize) -> [V; N],
) {
    let flips: [V; N] = *some(job.numbers, band.style + at);
    let legal_lanes = &job.choices[choice].legal;
    for row in 0..band.rows.len() {
        let place = (band.rows.start + row) * job.lanes + at;
        let legal = some_bits::<N>(legal_lanes, place);
        if legal == 0 {
            // Where it is alone, nothing is better than what `finish` knew.
            continue;
        }
        let sum = mean(job.values, row);
        let best: &mut [V; N] = (&mut best[place..place + N]).try_into().expect("N lanes");
        take_best::<V, N>(best, &sum, &flips, legal);
        if ALONE {
            let ended = some_bits::<N>(job.terminal, place);
            let values = (&mut job.values[place..place + N]).try_into().expect("N lanes");
            settle_lanes::<V, N>(values, best, &flips, ended);
        }
    }
}
