//! The formula as the walk sees it: clauses for propagation, cuts, good literals, scales.

use exact::{Ratio, UBig};
use index::Id;
use qcnf::{Kind, Lit, Var};

use crate::faults::Fault;
use crate::options::Options;
use crate::prepare::{Leveled, good_literals};
use crate::rows::Rows;
use crate::scales::Scales;
use crate::stats::Stats;

/// Everything about the simplified formula that does not change during a walk.
pub(crate) struct Problem {
    pub(crate) formula: Leveled,
    /// For each literal, those that it implies by binary clauses.
    pub(crate) implied: Rows<Lit>,
    /// For each literal the pairs of which one has to hold where it does, by clauses of three.
    pub(crate) pairs: Rows<[Lit; 2]>,
    /// Number of chance variables before each variable.
    pub(crate) chances_before: Vec<u32>,
    pub(crate) scales: Scales,
    /// Whether the formula can be walked in order: there is room for the scales that this needs.
    pub(crate) has_scales: bool,
    /// For each boundary behind a level but the last, the variables at or above it that share a
    /// clause with one below, ascending.
    pub(crate) cuts: Rows<u32>,
    /// For each boundary the literals that win there.
    pub(crate) good: Rows<Lit>,
    /// What the value is to be multiplied by.
    pub(crate) factor: Ratio,
}

impl Problem {
    pub(crate) fn new(
        formula: Leveled,
        factor: Ratio,
        options: &Options,
        stats: &mut Stats,
    ) -> Self {
        let boundaries = formula.levels().saturating_sub(1);
        let good = match options.good_literals {
            0 => Rows::from_rows(vec![Vec::new(); boundaries]),
            _ => good_literals(&formula, options.plants(Fault::GoodThroughAbove)),
        };
        let has_scales = Scales::fits(&formula.odds);
        let problem = Self {
            implied: implications(&formula),
            pairs: pairs(&formula),
            chances_before: chances_before(&formula),
            scales: Scales::new(if has_scales { &formula.odds } else { &[] }),
            has_scales,
            cuts: cuts(&formula, options),
            good,
            factor,
            formula,
        };
        debug_assert_eq!(problem.cuts.len(), boundaries);
        debug_assert_eq!(problem.good.len(), boundaries);
        stats.variables_left = problem.formula.variables() as u64;
        stats.clauses_left = problem.formula.clauses.len() as u64;
        stats.levels = problem.formula.levels() as u64;
        stats.good = problem.good.items() as u64;
        problem
    }

    /// One for propagation alone: no cuts, no good literals, no scales.
    pub(crate) fn bare(formula: Leveled) -> Self {
        Self {
            implied: implications(&formula),
            pairs: pairs(&formula),
            chances_before: Vec::new(),
            scales: Scales::new(&[]),
            has_scales: false,
            cuts: Rows::default(),
            good: Rows::default(),
            factor: Ratio::one(),
            formula,
        }
    }

    /// The value of whole numbers over the scale of the first variable.
    pub(crate) fn value(&self, limbs: &[u64]) -> Ratio {
        let whole: UBig = exact::scaled::to_big(self.scales.one(0));
        &Ratio::from_scaled(limbs, &whole) * &self.factor
    }
}

fn implications(formula: &Leveled) -> Rows<Lit> {
    let binaries = || {
        (0..formula.clauses.len()).filter_map(|id| match *formula.clauses.get(id) {
            [a, b] => Some((a, b)),
            _ => None,
        })
    };
    Rows::transposed(2 * formula.variables(), Lit::from_code(0), || {
        binaries().flat_map(|(a, b)| [((!a).code(), b), ((!b).code(), a)])
    })
}

fn pairs(formula: &Leveled) -> Rows<[Lit; 2]> {
    let blank = [Lit::from_code(0); 2];
    let ternaries = || {
        (0..formula.clauses.len()).filter_map(|id| match *formula.clauses.get(id) {
            [a, b, c] => Some((a, b, c)),
            _ => None,
        })
    };
    Rows::transposed(2 * formula.variables(), blank, || {
        ternaries().flat_map(|(a, b, c)| {
            [((!a).code(), [b, c]), ((!b).code(), [a, c]), ((!c).code(), [a, b])]
        })
    })
}

fn chances_before(formula: &Leveled) -> Vec<u32> {
    let mut count = 0;
    let mut before = vec![0];
    for at in 0..formula.variables() {
        count += u32::from(formula.kind(Var::from_index(at)) == Kind::Chance);
        before.push(count);
    }
    before
}

/// Variables in the keys of all boundaries together, at most: half a gibibyte.
const MOST_IN_KEYS: u64 = 1 << 27;

/// The cuts; one that is larger than the limit is left empty, and not used as a key. Cost: linear in
/// the formula and in the cuts that are used.
fn cuts(formula: &Leveled, options: &Options) -> Rows<u32> {
    let mut reach = vec![0u32; formula.variables()];
    for level in 0..formula.levels() {
        for clause in formula.clauses_of(level).map(|id| formula.clauses.get(id)) {
            clause.iter().for_each(|lit| reach[lit.var().index()] = level as u32);
        }
    }
    let boundaries = formula.levels().saturating_sub(1);
    let most = options.cut_limit.min(MOST_IN_KEYS / boundaries.max(1) as u64);
    let sizes = cut_sizes(formula, &reach);
    let mut rows = Rows::default();
    // While cuts are too large it only grows: sifting it at each boundary would cost the square.
    let mut cut: Vec<u32> = Vec::new();
    let mut var = 0;
    for (boundary, &size) in sizes.iter().enumerate() {
        let level = var..formula.ends[boundary];
        var = formula.ends[boundary];
        cut.extend(level.filter(|&var| reach[var as usize] > boundary as u32));
        if u64::from(size) > most {
            rows.push(&[]);
            continue;
        }
        cut.retain(|&var| reach[var as usize] > boundary as u32);
        debug_assert_eq!(cut.len(), size as usize);
        rows.push(&cut);
        if options.plants(Fault::CutVariableMissing) {
            rows.pop();
            rows.push(&cut[..cut.len().saturating_sub(1)]);
        }
    }
    debug_assert!(cut.is_sorted());
    rows
}

/// How many variables are in the cut of each boundary: from its own level up to the deepest one that
/// it shares a clause with.
fn cut_sizes(formula: &Leveled, reach: &[u32]) -> Vec<u32> {
    let mut sizes = vec![0u32; formula.levels()];
    for (at, &last) in reach.iter().enumerate() {
        let first = formula.level(Var::from_index(at));
        debug_assert!(first <= last as usize, "each variable stands in a clause");
        sizes[first] = sizes[first].wrapping_add(1);
        sizes[last as usize] = sizes[last as usize].wrapping_sub(1);
    }
    let mut size = 0u32;
    sizes.iter_mut().for_each(|change| {
        size = size.wrapping_add(*change);
        *change = size;
    });
    sizes.pop();
    sizes
}
