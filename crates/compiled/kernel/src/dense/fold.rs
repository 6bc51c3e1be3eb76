//! The values of a block from those of its children: the best over choices of sums of products.
//!
//! A lane's value is the largest, over the choices that are legal in it, of the sum over outcomes
//! of weight times the child's value; lanes whose chooser wants the smallest are flipped (all bits
//! inverted) before and after, so that all lanes do the same. Rows go down, so children in higher
//! rows of the block are known. A choice of which no outcome changes the lane is a loop over whole
//! rows of 16 lanes; one that changes lanes goes by *runs* of lanes with constant distance to their
//! children, segment by segment from the top, so that children in the same row are known.
//!
//! Always: a lane that is live has its children where the terms point; other lanes compute
//! garbage from whatever lies there, which no live lane reads.

use std::ops::Range;

use crate::dense::lane::Lane;
use crate::expand::{BLOCK_LANES, Mask};
use crate::isa::{Isa, dispatch};
use store::prefetch;

/// Lanes of a step of the loops over rows; rows have a multiple of it.
const STEP: usize = 16;

/// A row without children.
pub const NO_ROW: u32 = u32::MAX;

/// An outcome: where the children of a row lie.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// For each row of the block: the row of children, counted over the blocks from `first` on;
    /// [`NO_ROW`] where there is none.
    pub rows: &'a [u32],
    /// Its first block among [`Fold::children`].
    pub first: usize,
}

/// A choice, and where it may be made.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Live lanes in which it is legal.
    pub legal: Mask,
    /// Its terms.
    pub terms: Range<usize>,
    /// Whether some term changes the lane.
    pub runs: bool,
}

/// Lanes of a row in which a choice has each term at a constant distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which choice.
    pub choice: usize,
    /// Which lanes.
    pub lanes: Range<usize>,
    /// For each of the choice's terms: how far the child's lane is.
    pub distances: Vec<i32>,
}

/// Lanes whose children in the same row lie in later segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Which lanes.
    pub lanes: Range<usize>,
    /// What leads from them to other lanes.
    pub runs: Vec<Run>,
}

/// A block to be valued.
pub struct Fold<'a, V> {
    /// Lanes of a row.
    pub lanes: usize,
    /// The values of the block, which are written.
    pub values: &'a mut [V],
    /// Blocks of children; none stands for the block itself.
    pub children: &'a [Option<&'a [V]>],
    /// Lanes that stand for states.
    pub reached: &'a Mask,
    /// Those whose value is paid.
    pub terminal: &'a Mask,
    /// What is paid, in units.
    pub paid: &'a [(u64, Mask)],
    /// For each row: where its numbers begin in `numbers`.
    pub styles: &'a [usize],
    /// For each style: a row of flips, one of units, then one of weights for each term.
    pub numbers: &'a [V],
    /// Outcomes of all choices.
    pub terms: &'a [Term<'a>],
    /// Choices.
    pub choices: &'a [Choice],
    /// Runs of choices that change the lane, from the lowest lanes on.
    pub segments: &'a [Segment],
}

dispatch! {
    /// Values a block of 32-bit numbers.
    fn narrow(job: &mut Fold<'_, u32>) = fold_block
}

dispatch! {
    /// Values a block of 64-bit numbers.
    fn wide(job: &mut Fold<'_, u64>) = fold_block
}

/// Values a block.
///
/// # Panics
/// When a live lane has no children.
pub fn fold<V: Lane>(isa: Isa, job: &mut Fold<'_, V>) {
    V::fold(isa, job);
}

/// Values a block of 32-bit numbers.
pub(crate) fn fold_narrow(isa: Isa, job: &mut Fold<'_, u32>) {
    narrow(isa, job);
}

/// Values a block of 64-bit numbers.
pub(crate) fn fold_wide(isa: Isa, job: &mut Fold<'_, u64>) {
    wide(isa, job);
}

/// Up to 16 lanes of a mask.
#[inline(always)]
fn bits(mask: &Mask, lane: usize) -> u32 {
    (mask[lane / 64] >> (lane % 64)) as u32 & 0xFFFF
}

/// Whether a row has a lane in a mask.
#[inline(always)]
fn any(mask: &Mask, first: usize, lanes: usize) -> bool {
    if lanes >= 64 {
        mask[first / 64..(first + lanes) / 64].iter().any(|word| *word != 0)
    } else {
        mask[first / 64] >> (first % 64) & ((1 << lanes) - 1) != 0
    }
}

/// Where the children of a row lie by one term.
#[derive(Clone, Copy)]
enum Source<'a, V> {
    /// In the row itself.
    Here,
    /// In another one.
    Row(&'a [V]),
}

#[inline(always)]
fn fold_block<V: Lane>(job: &mut Fold<'_, V>) {
    if job.terms.len() <= FEW_TERMS {
        fold_rows::<V, FEW_TERMS>(job);
    } else {
        fold_rows::<V, MOST_TERMS>(job);
    }
}

/// The values of a block with at most `N` terms.
#[inline(always)]
fn fold_rows<V: Lane, const N: usize>(job: &mut Fold<'_, V>) {
    let (lanes, rows) = (job.lanes, BLOCK_LANES / job.lanes);
    assert!(lanes.is_multiple_of(STEP) && BLOCK_LANES.is_multiple_of(lanes), "rows fit a block");
    assert!(job.terms.len() <= N, "the caller bounds the terms");
    assert!(job.values.len() == BLOCK_LANES, "a block of values");
    // Rows of a block are a power of two, which a division would not know.
    let shift = rows.trailing_zeros();
    let values = std::mem::take(&mut job.values);
    let (mut own, mut best) = ([V::ZERO; BLOCK_LANES], [V::ZERO; BLOCK_LANES]);
    for row in (0..rows).rev() {
        let first = row * lanes;
        if !any(job.reached, first, lanes) {
            continue;
        }
        let (until, later) = values.split_at_mut(first + lanes);
        let mut sources = [Source::Here; N];
        let mut runs = false;
        for choice in job.choices {
            if any(&choice.legal, first, lanes) {
                runs |= choice.runs;
                for at in choice.terms.clone() {
                    let term = &job.terms[at];
                    let held = term.rows[row] as usize;
                    assert!(held != NO_ROW as usize, "a live lane has its children");
                    let (block, to) = (held >> shift, held % (1 << shift) * lanes);
                    sources[at] = match job.children[term.first + block] {
                        Some(block) => Source::Row(&block[to..to + lanes]),
                        None if to == first => Source::Here,
                        None => Source::Row(&later[to - first - lanes..to - first]),
                    };
                    coming(job, term, row, shift);
                }
            }
        }
        self::rows(job, row, &sources, &mut own, &mut best);
        if runs {
            within(job, row, &sources, &mut own, &mut best);
        }
        until[first..].copy_from_slice(&own[..lanes]);
    }
    job.values = values;
}

/// Asks for the children of the row after next: a block is a page or two, too short for the
/// processor to see where it is going.
#[inline(always)]
fn coming<V: Lane>(job: &Fold<'_, V>, term: &Term<'_>, row: usize, shift: u32) {
    const AHEAD: usize = 2;
    let Some(row) = row.checked_sub(AHEAD) else { return };
    let held = term.rows[row];
    if held != NO_ROW
        && let Some(block) = job.children[term.first + (held >> shift) as usize]
    {
        let first = held as usize % (1 << shift) * job.lanes;
        for at in (0..job.lanes).step_by(64 / size_of::<V>()) {
            prefetch(block, first + at);
        }
    }
}

/// Terms of most games; so few are not worth clearing room for more.
const FEW_TERMS: usize = 32;
/// Most terms of a block.
pub(crate) const MOST_TERMS: usize = 256;

#[inline(always)]
fn chunk<V: Lane>(all: &[V], at: usize) -> &[V; STEP] {
    all[at..at + STEP].try_into().expect("a step of lanes")
}

/// The choices that leave the lane as it is, then the value by them alone.
#[inline(always)]
fn rows<V: Lane, const N: usize>(
    job: &Fold<'_, V>,
    row: usize,
    sources: &[Source<'_, V>; N],
    own: &mut [V; BLOCK_LANES],
    out: &mut [V; BLOCK_LANES],
) {
    let (lanes, first, style) = (job.lanes, row * job.lanes, job.styles[row]);
    for at in (0..lanes).step_by(STEP) {
        let mut best = [V::ZERO; STEP];
        let flips = chunk(job.numbers, style + at);
        for choice in job.choices {
            let legal = bits(&choice.legal, first + at);
            if choice.runs || legal == 0 {
                continue;
            }
            let mut sum = [V::ZERO; STEP];
            for term in choice.terms.clone() {
                let Source::Row(child) = sources[term] else {
                    unreachable!("what leaves the lane as it is leaves the row")
                };
                let child = chunk(child, at);
                let weight = chunk(job.numbers, style + (2 + term) * lanes + at);
                for lane in 0..STEP {
                    sum[lane] = sum[lane].plus(child[lane].times(weight[lane]));
                }
            }
            for lane in 0..STEP {
                let mine = sum[lane].flip(flips[lane]).when(legal >> lane & 1 != 0);
                best[lane] = best[lane].max(mine);
            }
        }
        out[at..at + STEP].copy_from_slice(&best);
        let units = chunk(job.numbers, style + lanes + at);
        let ended = bits(job.terminal, first + at);
        for lane in 0..STEP {
            best[lane] = best[lane].flip(flips[lane]).when(ended >> lane & 1 == 0);
        }
        if ended != 0 {
            for (payment, mask) in job.paid {
                let paid = bits(mask, first + at) & ended;
                for lane in 0..STEP {
                    let pay = units[lane].times(V::of(*payment)).when(paid >> lane & 1 != 0);
                    best[lane] = best[lane].max(pay);
                }
            }
        }
        own[at..at + STEP].copy_from_slice(&best);
    }
}

/// The choices that change the lane, from the top segment down.
#[inline(always)]
fn within<V: Lane, const T: usize>(
    job: &Fold<'_, V>,
    row: usize,
    sources: &[Source<'_, V>; T],
    own: &mut [V; BLOCK_LANES],
    best: &mut [V; BLOCK_LANES],
) {
    let (first, style) = (row * job.lanes, job.styles[row]);
    for segment in job.segments.iter().rev() {
        for run in &segment.runs {
            let choice = &job.choices[run.choice];
            if !any(&choice.legal, first, job.lanes) {
                continue;
            }
            let mut at = run.lanes.start;
            while at + 8 <= run.lanes.end {
                along::<V, T, 8>(job, run, (first, style, at), sources, own, best);
                at += 8;
            }
            if at + 4 <= run.lanes.end {
                along::<V, T, 4>(job, run, (first, style, at), sources, own, best);
                at += 4;
            }
            while at < run.lanes.end {
                along::<V, T, 1>(job, run, (first, style, at), sources, own, best);
                at += 1;
            }
        }
        if segment.runs.is_empty() {
            continue;
        }
        let mut at = segment.lanes.start;
        while at + 8 <= segment.lanes.end {
            settle::<V, 8>(job, (first, style, at), own, best);
            at += 8;
        }
        if at + 4 <= segment.lanes.end {
            settle::<V, 4>(job, (first, style, at), own, best);
            at += 4;
        }
        while at < segment.lanes.end {
            settle::<V, 1>(job, (first, style, at), own, best);
            at += 1;
        }
    }
}

/// `N` lanes of a mask, in the low bits.
#[inline(always)]
fn some_bits<const N: usize>(mask: &Mask, lane: usize) -> u64 {
    let low = mask[lane / 64] >> (lane % 64);
    if lane % 64 + N > 64 { low | mask[lane / 64 + 1] << (64 - lane % 64) } else { low }
}

/// The values of some lanes of a segment, which are known now.
#[inline(always)]
fn settle<V: Lane, const N: usize>(
    job: &Fold<'_, V>,
    (first, style, at): (usize, usize, usize),
    own: &mut [V; BLOCK_LANES],
    best: &[V; BLOCK_LANES],
) {
    let ended = some_bits::<N>(job.terminal, first + at);
    let flips: &[V; N] = job.numbers[style + at..style + at + N].try_into().expect("N lanes");
    let best: &[V; N] = best[at..at + N].try_into().expect("N lanes");
    let values: &mut [V; N] = (&mut own[at..at + N]).try_into().expect("N lanes");
    for lane in 0..N {
        let ended = ended >> lane & 1 != 0;
        values[lane] = if ended { values[lane] } else { best[lane].flip(flips[lane]) };
    }
}

/// Some lanes of a run.
#[inline(always)]
fn along<V: Lane, const T: usize, const N: usize>(
    job: &Fold<'_, V>,
    run: &Run,
    (first, style, at): (usize, usize, usize),
    sources: &[Source<'_, V>; T],
    own: &[V; BLOCK_LANES],
    best: &mut [V; BLOCK_LANES],
) {
    let choice = &job.choices[run.choice];
    let mut sum = [V::ZERO; N];
    for (term, distance) in choice.terms.clone().zip(&run.distances) {
        let row = match sources[term] {
            Source::Here => &own[..job.lanes],
            Source::Row(row) => row,
        };
        let from = at.wrapping_add_signed(*distance as isize);
        let child: &[V; N] = row[from..from + N].try_into().expect("N lanes");
        let from = style + (2 + term) * job.lanes + at;
        let weight: &[V; N] = job.numbers[from..from + N].try_into().expect("N lanes");
        for lane in 0..N {
            sum[lane] = sum[lane].plus(child[lane].times(weight[lane]));
        }
    }
    let flips: &[V; N] = job.numbers[style + at..style + at + N].try_into().expect("N lanes");
    let best: &mut [V; N] = (&mut best[at..at + N]).try_into().expect("N lanes");
    let place = first + at;
    let legal = some_bits::<N>(&choice.legal, place);
    for lane in 0..N {
        let mine = sum[lane].flip(flips[lane]).when(legal >> lane & 1 != 0);
        best[lane] = best[lane].max(mine);
    }
}
