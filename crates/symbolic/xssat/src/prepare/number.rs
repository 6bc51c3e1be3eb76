//! Number: the variables that are left, in the order of the walk, and the clauses by level.
//!
//! Variables are renumbered level by level: first those that were put off to its start, then a
//! level's own, then those defined at it in the order of their definitions. A clause belongs to the level of its deepest variable;
//! its literals stand deepest first, so that the first two are the ones to watch.

use exact::Ratio;
use index::Id;
use qcnf::{Kind, Lit, Var};

use super::matrix::Matrix;
use crate::rows::Rows;

/// The formula in the order of the walk.
pub(crate) struct Leveled {
    kinds: Vec<Kind>,
    levels_of: Vec<u32>,
    /// One past the last variable of each level.
    pub(crate) ends: Vec<u32>,
    /// All clauses, by level.
    pub(crate) clauses: Rows<Lit>,
    /// One past the last clause of each level.
    clause_ends: Vec<u32>,
    occurs: Rows<u32>,
    /// Probabilities of the chance variables, in order.
    pub(crate) odds: Vec<Ratio>,
    /// For each variable of the input its number here, `u32::MAX` where it is gone.
    pub(crate) numbers: Vec<u32>,
}

/// Renumbers what is left of a matrix.
pub(crate) fn number(matrix: &Matrix) -> Leveled {
    let order = order(matrix);
    let prefix = &matrix.prefix;
    let mut numbers = vec![u32::MAX; prefix.len()];
    order.iter().enumerate().for_each(|(at, var)| numbers[var.index()] = at as u32);
    let mut levels_of = Vec::with_capacity(order.len());
    let mut ends: Vec<u32> = Vec::new();
    let mut before = None;
    for (at, &var) in order.iter().enumerate() {
        if before.replace(prefix.level(var)) != Some(prefix.level(var)) {
            ends.push(0);
        }
        levels_of.push(ends.len() as u32 - 1);
        *ends.last_mut().expect("a level was opened") = at as u32 + 1;
    }
    let chance = order.iter().filter(|var| prefix.kind(**var) == Kind::Chance);
    let odds = chance.map(|&var| prefix.odds(var).clone()).collect();
    let kinds = order.iter().map(|&var| prefix.kind(var)).collect();
    let (clauses, clause_ends) = clauses_by_level(matrix, &numbers, &levels_of, ends.len());
    let occurs = occurrences(&clauses, order.len());
    Leveled { kinds, levels_of, ends, clauses, clause_ends, occurs, odds, numbers }
}

/// The open variables that stand in a clause, as they are walked.
fn order(matrix: &Matrix) -> Vec<Var> {
    let mut used = vec![false; matrix.prefix.len()];
    for id in 0..matrix.end() {
        matrix.get(id).iter().for_each(|lit| used[lit.var().index()] = true);
    }
    let mut order: Vec<Var> = (0..used.len()).filter(|&at| used[at]).map(Var::from_index).collect();
    let prefix = &matrix.prefix;
    order.sort_by_key(|&var| (prefix.place(var), prefix.rank[var.index()]));
    debug_assert!(order.iter().all(|&var| prefix.is_open(var)));
    order
}

fn clauses_by_level(
    matrix: &Matrix,
    numbers: &[u32],
    levels_of: &[u32],
    levels: usize,
) -> (Rows<Lit>, Vec<u32>) {
    let level = |clause: &[Lit]| {
        clause.iter().map(|lit| levels_of[numbers[lit.var().index()] as usize]).max()
    };
    let mut ids: Vec<(u32, u32)> =
        (0..matrix.end()).filter_map(|id| Some((level(matrix.get(id))?, id))).collect();
    ids.sort_unstable();
    let mut clauses = Rows::default();
    let mut ends = vec![0; levels];
    let mut row: Vec<Lit> = Vec::new();
    for (level, id) in ids {
        row.clear();
        row.extend(matrix.get(id).iter().map(|lit| {
            Lit::new(Var::from_index(numbers[lit.var().index()] as usize), lit.is_positive())
        }));
        row.sort_unstable_by(|a, b| b.cmp(a));
        clauses.push(&row);
        ends[level as usize] = clauses.len() as u32;
    }
    for at in 1..ends.len() {
        ends[at] = ends[at].max(ends[at - 1]);
    }
    (clauses, ends)
}

fn occurrences(clauses: &Rows<Lit>, variables: usize) -> Rows<u32> {
    Rows::transposed(2 * variables, 0, || {
        (0..clauses.len())
            .flat_map(|id| clauses.get(id).iter().map(move |lit| (lit.code(), id as u32)))
    })
}

impl Leveled {
    pub(crate) fn variables(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn levels(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub(crate) fn kind(&self, var: Var) -> Kind {
        self.kinds[var.index()]
    }

    #[inline]
    pub(crate) fn level(&self, var: Var) -> usize {
        self.levels_of[var.index()] as usize
    }

    /// The clauses whose deepest variable is of this level.
    pub(crate) fn clauses_of(&self, level: usize) -> std::ops::Range<usize> {
        let start = level.checked_sub(1).map_or(0, |above| self.clause_ends[above]);
        start as usize..self.clause_ends[level] as usize
    }

    /// The clauses of a level that hold a literal.
    pub(crate) fn occurs_in(&self, lit: Lit, level: usize) -> &[u32] {
        self.occurs_between(lit, level, level)
    }

    /// The clauses of the levels from `first` to `last` that hold a literal.
    pub(crate) fn occurs_between(&self, lit: Lit, first: usize, last: usize) -> &[u32] {
        debug_assert!(first <= last);
        let range = self.clauses_of(first).start..self.clauses_of(last).end;
        let list = self.occurs.get(lit.code());
        let start = list.partition_point(|&id| (id as usize) < range.start);
        let len = list[start..].partition_point(|&id| (id as usize) < range.end);
        &list[start..start + len]
    }

    /// All clauses that hold a literal.
    pub(crate) fn occurs(&self, lit: Lit) -> &[u32] {
        self.occurs.get(lit.code())
    }
}
