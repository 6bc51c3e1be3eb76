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
    /// Number of chance variables before each variable.
    pub(crate) chances_before: Vec<u32>,
    pub(crate) scales: Scales,
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
        let problem = Self {
            implied: implications(&formula),
            chances_before: chances_before(&formula),
            scales: Scales::new(&formula.odds),
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
            chances_before: Vec::new(),
            scales: Scales::new(&[]),
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

fn chances_before(formula: &Leveled) -> Vec<u32> {
    let mut count = 0;
    let mut before = vec![0];
    for at in 0..formula.variables() {
        count += u32::from(formula.kind(Var::from_index(at)) == Kind::Chance);
        before.push(count);
    }
    before
}

/// The cuts; one that is larger than the limit is left empty, and not used as a key.
fn cuts(formula: &Leveled, options: &Options) -> Rows<u32> {
    let mut reach = vec![0u32; formula.variables()];
    for level in 0..formula.levels() {
        for clause in formula.clauses_of(level).map(|id| formula.clauses.get(id)) {
            clause.iter().for_each(|lit| reach[lit.var().index()] = level as u32);
        }
    }
    let mut rows = Rows::default();
    let mut cut: Vec<u32> = Vec::new();
    let mut var = 0;
    for boundary in 0..formula.levels().saturating_sub(1) {
        cut.retain(|&var| reach[var as usize] > boundary as u32);
        let level = var..formula.ends[boundary];
        var = formula.ends[boundary];
        cut.extend(level.filter(|&var| reach[var as usize] > boundary as u32));
        let fits = cut.len() as u64 <= options.cut_limit;
        rows.push(if fits { &cut } else { &[] });
        if options.plants(Fault::CutVariableMissing) {
            rows.pop();
            rows.push(&cut[..cut.len().saturating_sub(1)]);
        }
    }
    debug_assert!(cut.is_sorted());
    rows
}
