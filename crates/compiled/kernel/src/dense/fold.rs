//! The values of a block from those of its children: the best over choices of sums of products.
//!
//! A lane's value is the largest, over the choices that are legal in it, of the sum over outcomes
//! of weight times the child's value; lanes whose chooser wants the smallest are flipped (all bits
//! inverted) before and after, so that all lanes do the same. Rows that are alike make a *band*:
//! what is to be decided is decided once a band, and its loops run over many rows. Bands go down, so
//! children in higher rows of the block are known. A choice of which no outcome changes the lane is
//! a loop over steps of 16 lanes; one that changes lanes goes by *runs* of lanes with constant
//! distance to their children, segment by segment from the top, so that children in the same row
//! are known.
//!
//! Always: a lane that is live has its children where the terms point; other lanes compute
//! garbage from whatever lies there, which no live lane reads.

use std::ops::Range;

use crate::dense::lane::Lane;
use crate::dense::runs::within;
use crate::expand::{BLOCK_LANES, Mask};
use crate::isa::{Isa, dispatch};
use store::prefetch;

/// Lanes of a step of the loops over rows; rows have a multiple of it.
const STEP: usize = 16;
/// Steps of a block.
const STEPS: usize = BLOCK_LANES / STEP;

/// The values of a block.
pub type Values<V> = [V; BLOCK_LANES];

/// Where the children of a term are.
#[derive(Clone, Copy, Debug)]
pub enum Child<'a, V> {
    /// In the block itself.
    Own,
    /// In another one.
    Held(&'a Values<V>),
    /// No state was reached there.
    Missing,
}

/// Rows that have the same numbers, lead by each term equally far, and not to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// Which rows.
    pub rows: Range<usize>,
    /// Where their numbers begin, behind those of the block.
    pub style: usize,
    /// For each term: which of its blocks of children, and the row there of the first row; none
    /// where it cannot be.
    pub to: Vec<Option<(usize, usize)>>,
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
    pub values: &'a mut Values<V>,
    /// Blocks of children.
    pub children: &'a [Child<'a, V>],
    /// For each term: its first block among `children`.
    pub firsts: &'a [usize],
    /// Lanes that stand for states.
    pub reached: &'a Mask,
    /// Those whose value is paid.
    pub terminal: &'a Mask,
    /// What is paid, in units.
    pub paid: &'a [(u64, Mask)],
    /// Rows of the block, the lowest first.
    pub bands: &'a [Band],
    /// Numbers of the block and of all levels above: for each a row of flips, one of units, then one
    /// of weights for each term.
    pub numbers: &'a [V],
    /// Choices.
    pub choices: &'a [Choice],
    /// Runs of choices that change the lane, from the lowest lanes on.
    pub segments: &'a [Segment],
}

dispatch! {
    /// Values a block of 32-bit numbers.
    fn narrow(job: &mut Fold<'_, u32>, best: &mut Values<u32>) = fold_block
}

dispatch! {
    /// Values a block of 64-bit numbers.
    fn wide(job: &mut Fold<'_, u64>, best: &mut Values<u64>) = fold_block
}

/// Values a block; `best` is room for what is known of it meanwhile, whatever it holds.
///
/// # Panics
/// When a live lane has no children.
pub fn fold<V: Lane>(isa: Isa, job: &mut Fold<'_, V>, best: &mut Values<V>) {
    V::fold(isa, job, best);
}

/// Values a block of 32-bit numbers.
pub(crate) fn fold_narrow(isa: Isa, job: &mut Fold<'_, u32>, best: &mut Values<u32>) {
    narrow(isa, job, best);
}

/// Values a block of 64-bit numbers.
pub(crate) fn fold_wide(isa: Isa, job: &mut Fold<'_, u64>, best: &mut Values<u64>) {
    wide(isa, job, best);
}

/// Whether some lane of a range is in a mask.
#[inline(always)]
pub(super) fn any(mask: &Mask, lanes: Range<usize>) -> bool {
    let (first, last) = (lanes.start / 64, (lanes.end - 1) / 64);
    let low = u64::MAX << (lanes.start % 64);
    let high = u64::MAX >> (63 - (lanes.end - 1) % 64);
    if first == last {
        return mask[first] & low & high != 0;
    }
    let between = mask[first + 1..last].iter().any(|word| *word != 0);
    between || mask[first] & low != 0 || mask[last] & high != 0
}

/// Most terms of a block.
pub(crate) const MOST_TERMS: usize = 256;

#[inline(always)]
fn fold_block<V: Lane>(job: &mut Fold<'_, V>, best: &mut Values<V>) {
    let lanes = job.lanes;
    assert!(lanes.is_multiple_of(STEP) && BLOCK_LANES.is_multiple_of(lanes), "rows fit a block");
    assert!(job.firsts.len() <= MOST_TERMS, "the caller bounds the terms");
    for band in job.bands.iter().rev() {
        let all = band.rows.start * lanes..band.rows.end * lanes;
        if !any(job.reached, all.clone()) {
            continue;
        }
        best[all.clone()].fill(V::ZERO);
        let mut runs = false;
        for choice in job.choices {
            if any(&choice.legal, all.clone()) {
                runs |= choice.runs;
                match choice.terms.len() {
                    _ if choice.runs => {}
                    1 => whole_rows::<V, 1>(job, band, choice, best),
                    2 => whole_rows::<V, 2>(job, band, choice, best),
                    _ => whole_rows::<V, 0>(job, band, choice, best),
                }
            }
        }
        finish(job, band, best);
        if runs {
            within(job, band, best);
        }
    }
}

/// The children of a band's first row by a term: their block, and how many lanes further.
#[inline(always)]
fn source<'a, V: Lane>(job: &'a Fold<'_, V>, band: &Band, term: usize) -> (&'a Values<V>, usize) {
    let (block, row) = band.to[term].expect("a live lane has its children");
    let block = match job.children[job.firsts[term] + block] {
        Child::Own => &*job.values,
        Child::Held(values) => values,
        Child::Missing => panic!("a live lane has its children"),
    };
    (block, row * job.lanes)
}

#[inline(always)]
fn step<V: Lane>(block: &Values<V>, at: usize) -> &[V; STEP] {
    let first = at % STEPS * STEP;
    block[first..first + STEP].try_into().expect("a step of lanes")
}

#[inline(always)]
fn step_mut<V: Lane>(block: &mut Values<V>, at: usize) -> &mut [V; STEP] {
    let first = at % STEPS * STEP;
    (&mut block[first..first + STEP]).try_into().expect("a step of lanes")
}

/// 16 numbers of a row of numbers.
#[inline(always)]
fn numbers<V: Lane>(all: &[V], at: usize) -> &[V; STEP] {
    all[at..at + STEP].try_into().expect("a step of lanes")
}

/// The lanes of a step in a mask.
#[inline(always)]
fn bits(mask: &Mask, at: usize) -> u32 {
    let at = at % STEPS;
    (mask[at / 4] >> (at % 4 * STEP)) as u32 & 0xFFFF
}

/// A choice that leaves the lane as it is: of `K` terms, of any number where `K` is 0.
#[inline(always)]
fn whole_rows<V: Lane, const K: usize>(
    job: &Fold<'_, V>,
    band: &Band,
    choice: &Choice,
    best: &mut Values<V>,
) {
    if K == 0 {
        return any_terms(job, band, choice, best);
    }
    let lanes = job.lanes;
    let (across, first) = (lanes / STEP, band.rows.start * lanes / STEP);
    let count = band.rows.len() * across;
    let sources: [(&Values<V>, usize); K] =
        std::array::from_fn(|at| source(job, band, choice.terms.start + at));
    for column in 0..across {
        let style = band.style + column * STEP;
        // By value, so that they stay in registers.
        let flips = *numbers(job.numbers, style);
        let weights: [[V; STEP]; K] = std::array::from_fn(|at| {
            *numbers(job.numbers, style + (2 + choice.terms.start + at) * lanes)
        });
        for at in (column..count).step_by(across) {
            let legal = bits(&choice.legal, first + at);
            if legal == 0 {
                continue;
            }
            let mut sum = [V::ZERO; STEP];
            for (&(block, further), weight) in sources.iter().zip(&weights) {
                let child = step(block, further / STEP + at);
                // The band below reads on where this one begins.
                prefetch(block, (further + at * STEP).wrapping_sub(count * STEP));
                for lane in 0..STEP {
                    sum[lane] = sum[lane].plus(child[lane].times(weight[lane]));
                }
            }
            take_best(step_mut(best, first + at), &sum, &flips, legal);
        }
    }
}

/// Raises what is known by a choice.
#[inline(always)]
pub(super) fn take_best<V: Lane, const N: usize>(
    best: &mut [V; N],
    sum: &[V; N],
    flips: &[V; N],
    legal: u32,
) {
    for lane in 0..N {
        let mine = sum[lane].flip(flips[lane]).when(legal >> lane & 1 != 0);
        best[lane] = best[lane].max(mine);
    }
}

/// As [`whole_rows`], for any number of terms.
#[inline(always)]
fn any_terms<V: Lane>(job: &Fold<'_, V>, band: &Band, choice: &Choice, best: &mut Values<V>) {
    let lanes = job.lanes;
    let (across, first) = (lanes / STEP, band.rows.start * lanes / STEP);
    for at in 0..band.rows.len() * across {
        let legal = bits(&choice.legal, first + at);
        if legal == 0 {
            continue;
        }
        let style = band.style + at % across * STEP;
        let mut sum = [V::ZERO; STEP];
        for term in choice.terms.clone() {
            let (block, further) = source(job, band, term);
            let child = step(block, further / STEP + at);
            let weight = numbers(job.numbers, style + (2 + term) * lanes);
            for lane in 0..STEP {
                sum[lane] = sum[lane].plus(child[lane].times(weight[lane]));
            }
        }
        take_best(step_mut(best, first + at), &sum, numbers(job.numbers, style), legal);
    }
}

/// The values of a band by what was found so far, and of the states that are paid.
#[inline(always)]
fn finish<V: Lane>(job: &mut Fold<'_, V>, band: &Band, best: &Values<V>) {
    let across = job.lanes / STEP;
    for column in 0..across {
        let style = band.style + column * STEP;
        let flips = *numbers(job.numbers, style);
        let rows = band.rows.start * across + column..band.rows.end * across;
        for at in rows.step_by(across) {
            let ended = bits(job.terminal, at);
            let mut values = *step(best, at);
            for lane in 0..STEP {
                values[lane] = values[lane].flip(flips[lane]).when(ended >> lane & 1 == 0);
            }
            if ended != 0 {
                let units = numbers(job.numbers, style + job.lanes);
                for (payment, mask) in job.paid {
                    let paid = bits(mask, at) & ended;
                    for lane in 0..STEP {
                        let pay = units[lane].times(V::of(*payment)).when(paid >> lane & 1 != 0);
                        values[lane] = values[lane].max(pay);
                    }
                }
            }
            *step_mut(job.values, at) = values;
        }
    }
}
