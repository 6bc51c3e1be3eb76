//! Eliminate: resolve variables away that are chosen last in all their clauses.
//!
//! A variable that exists and stands in no clause with a deeper one commutes with everything
//! below it, so it may be chosen right after the others in its clauses: then it is worth exactly
//! the resolvents on it. Done only where clauses do not become more. A variable in one sign is
//! settled the same way, at any depth: where it exists its clauses go, where it is bound by forall
//! its literals go.
//!
//! Source: Davis and Putnam (1960); Een and Biere, *Effective preprocessing in SAT through variable
//! and clause elimination* (2005).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use index::Id;
use qcnf::{Kind, Lit, Var};
use verdict::HaltReason;

use super::matrix::{Matrix, VarIndex};
use super::prefix::Fate;
use super::settle::{assume, settle};
use crate::clock::Clock;
use crate::faults::Fault;
use crate::options::Options;

/// Occurrences in one sign beyond which a variable is left alone.
const MOST_OCCURRENCES: usize = 12;
/// Literals of a resolvent beyond which a variable is left alone.
const LONGEST: usize = 40;
/// Literals by which all clauses together may grow. Resolvents of long clauses are few and long;
/// each is dear to propagate.
const MORE_LITERALS: usize = 8;
/// Blocks from which on a formula is long. A short one is split into parts (`parts`), and a
/// variable that links two groups of others may hold them apart once it has its value, which its
/// resolvents do not: there it goes only where a third of the literals go with it.
const LONG: usize = 16;

struct Work<'a> {
    options: &'a Options,
    /// Variables by cost at the time they were pushed.
    heap: BinaryHeap<Reverse<(u32, u32)>>,
    mark: Vec<u32>,
    stamp: u32,
}

/// Eliminates variables; says how many.
///
/// # Errors
/// The limit that is met; the matrix is whole then as well.
pub(crate) fn eliminate(
    matrix: &mut Matrix,
    options: &Options,
    clock: &mut Clock<'_>,
) -> Result<u64, HaltReason> {
    let mut work =
        Work { options, heap: BinaryHeap::new(), mark: vec![0; 2 * matrix.prefix.len()], stamp: 0 };
    for var in (0..matrix.prefix.len()).map(Var::from_index) {
        work.offer(matrix, var);
    }
    let mut eliminated = 0;
    while let Some(Reverse((_, var))) = work.heap.pop() {
        clock.tick()?;
        if matrix.is_zero {
            break;
        }
        let var = Var::from_index(var as usize);
        if matrix.prefix.is_open(var) && !matrix.prefix.is_frozen(var) {
            eliminated += u64::from(try_eliminate(matrix, var, &mut work));
            settle(matrix);
        }
    }
    Ok(eliminated)
}

impl Work<'_> {
    fn offer(&mut self, matrix: &mut Matrix, var: Var) {
        if !matrix.prefix.is_open(var) || matrix.prefix.is_frozen(var) {
            return;
        }
        let positive = matrix.tidy(Lit::positive(var));
        let negative = matrix.tidy(Lit::negative(var));
        if fits(positive, negative) {
            let cost = (positive * negative) as u32;
            self.heap.push(Reverse((cost, var.index() as u32)));
        }
    }
}

fn fits(positive: usize, negative: usize) -> bool {
    let (few, many) = (positive.min(negative), positive.max(negative));
    few <= 1 || many <= MOST_OCCURRENCES
}

fn try_eliminate(matrix: &mut Matrix, var: Var, work: &mut Work<'_>) -> bool {
    let (lit, kind) = (Lit::positive(var), matrix.prefix.kind(var));
    let positive = matrix.tidy(lit);
    let negative = matrix.tidy(!lit);
    if positive == 0 || negative == 0 {
        return settle_pure(matrix, if negative == 0 { lit } else { !lit }, work);
    }
    if kind != Kind::Exists || !fits(positive, negative) {
        return false;
    }
    if !is_last(matrix, var) && !work.options.plants(Fault::EliminatedTooEarly) {
        return false;
    }
    match resolvents(matrix, lit, work, positive + negative) {
        Some(resolvents) => {
            replace(matrix, lit, &resolvents, work);
            true
        }
        None => false,
    }
}

/// Settles a literal whose negation occurs nowhere.
fn settle_pure(matrix: &mut Matrix, lit: Lit, work: &mut Work<'_>) -> bool {
    debug_assert!(matrix.occurs.get(!lit).is_empty());
    let clauses: Vec<u32> = matrix.occurs.get(lit).to_vec();
    let neighbours: Vec<Var> =
        clauses.iter().flat_map(|&id| matrix.get(id)).map(|lit| lit.var()).collect();
    match matrix.prefix.kind(lit.var()) {
        _ if clauses.is_empty() => matrix.prefix.fate[lit.var_index()] = Fate::Gone,
        Kind::Exists => assume(matrix, lit),
        Kind::Forall => assume(matrix, !lit),
        Kind::Chance => return false,
    }
    neighbours.into_iter().for_each(|var| work.offer(matrix, var));
    true
}

/// Whether no clause of the variable holds one that is chosen later.
fn is_last(matrix: &Matrix, var: Var) -> bool {
    let depth = matrix.prefix.last_depth(var);
    let lit = Lit::positive(var);
    [lit, !lit]
        .iter()
        .flat_map(|&lit| matrix.occurs.get(lit))
        .all(|&id| matrix.get(id).iter().all(|other| matrix.prefix.depth(other.var()) <= depth))
}

/// All resolvents on the literal, unless they are more than `limit` or too long.
fn resolvents(
    matrix: &Matrix,
    lit: Lit,
    work: &mut Work<'_>,
    limit: usize,
) -> Option<Vec<Vec<Lit>>> {
    let mut resolvents = Vec::new();
    let both = [lit, !lit];
    let old: usize =
        both.iter().flat_map(|&lit| matrix.occurs.get(lit)).map(|&id| matrix.get(id).len()).sum();
    let is_short = matrix.prefix.blocks() < LONG;
    let mut room = if is_short { old - old / 3 } else { old + MORE_LITERALS };
    for left in matrix.occurs.get(lit).iter().map(|&id| matrix.get(id)) {
        work.stamp += 1;
        left.iter().for_each(|lit| work.mark[lit.code()] = work.stamp);
        for right in matrix.occurs.get(!lit).iter().map(|&id| matrix.get(id)) {
            let clash = |l: &Lit| *l != !lit && work.mark[(!*l).code()] == work.stamp;
            if right.iter().any(clash) {
                continue;
            }
            let fresh = |l: &&Lit| **l != !lit && work.mark[l.code()] != work.stamp;
            let mut resolvent: Vec<Lit> = left
                .iter()
                .filter(|l| **l != lit)
                .chain(right.iter().filter(fresh))
                .copied()
                .collect();
            if work.options.plants(Fault::ResolventLostLiteral) {
                resolvent.pop();
            }
            if resolvent.len() > LONGEST || resolvents.len() == limit || resolvent.len() > room {
                return None;
            }
            room -= resolvent.len();
            resolvents.push(resolvent);
        }
    }
    Some(resolvents)
}

fn replace(matrix: &mut Matrix, lit: Lit, resolvents: &[Vec<Lit>], work: &mut Work<'_>) {
    let old: Vec<u32> =
        [lit, !lit].iter().flat_map(|&lit| matrix.occurs.get(lit)).copied().collect();
    let mut neighbours: Vec<Var> = old
        .iter()
        .flat_map(|&id| matrix.get(id))
        .map(|other| other.var())
        .filter(|&var| var != lit.var())
        .collect();
    old.iter().for_each(|&id| matrix.kill(id));
    matrix.prefix.fate[lit.var_index()] = Fate::Gone;
    for resolvent in resolvents {
        matrix.add(resolvent);
    }
    neighbours.sort_unstable();
    neighbours.dedup();
    neighbours.into_iter().for_each(|var| work.offer(matrix, var));
}
