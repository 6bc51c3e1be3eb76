//! Subsume: a clause that contains another is not needed; one that contains another but for one
//! negated literal loses that literal (*self-subsuming resolution*).
//!
//! Each clause looks through the clauses of its rarest variable, in both signs; 64-bit signatures
//! of variables turn most away. Both rules keep the matrix equivalent, so they are sound under
//! every prefix.

use qcnf::Lit;
use verdict::HaltReason;

use super::matrix::{Matrix, VarIndex};
use super::settle::settle;
use crate::clock::Clock;

/// Clauses that one clause is held against, at most.
const MOST_TRIES: usize = 400;

/// Subsumes and strengthens; says how many clauses died or lost a literal.
///
/// # Errors
/// The limit that is met; the matrix is whole then as well.
pub(crate) fn subsume(matrix: &mut Matrix, clock: &mut Clock<'_>) -> Result<u64, HaltReason> {
    let mut signatures: Vec<u64> = (0..matrix.end()).map(|id| signature(matrix.get(id))).collect();
    let mut changed = 0;
    let mut found = Vec::new();
    for id in 0..matrix.end() {
        clock.tick()?;
        if !matrix.is_alive(id) {
            continue;
        }
        find(matrix, id, &signatures, &mut found);
        for (other, strengthened) in found.drain(..) {
            match strengthened {
                None => matrix.kill(other),
                Some(lit) => matrix.strengthen(other, lit),
            }
            signatures[other as usize] = signature(matrix.get(other));
            changed += 1;
        }
        settle(matrix);
        if matrix.is_zero {
            break;
        }
    }
    Ok(changed)
}

fn signature(clause: &[Lit]) -> u64 {
    clause.iter().fold(0, |bits, lit| bits | bit(*lit))
}

fn bit(lit: Lit) -> u64 {
    1 << ((lit.var_index() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

/// The clauses that this one subsumes (none) or strengthens (the literal to drop).
fn find(matrix: &Matrix, id: u32, signatures: &[u64], found: &mut Vec<(u32, Option<Lit>)>) {
    let clause = matrix.get(id);
    let uses = |lit: Lit| matrix.occurs.get(lit).len() + matrix.occurs.get(!lit).len();
    let Some(&rarest) = clause.iter().min_by_key(|lit| uses(**lit)) else { return };
    let signature = signatures[id as usize];
    let candidates = matrix.occurs.get(rarest).iter().chain(matrix.occurs.get(!rarest));
    for &other in candidates.take(MOST_TRIES) {
        if other == id || signature & !signatures[other as usize] != 0 {
            continue;
        }
        match contains(matrix.get(other), clause) {
            Containment::Whole => found.push((other, None)),
            Containment::But(lit) => found.push((other, Some(lit))),
            Containment::No => {}
        }
    }
}

enum Containment {
    Whole,
    But(Lit),
    No,
}

/// Whether the sorted `outer` contains the sorted `inner`, one literal negated at most.
fn contains(outer: &[Lit], inner: &[Lit]) -> Containment {
    if outer.len() < inner.len() {
        return Containment::No;
    }
    let (mut at, mut flipped) = (0, None);
    for &lit in inner {
        while at < outer.len() && outer[at].var_index() < lit.var_index() {
            at += 1;
        }
        match outer.get(at) {
            Some(&same) if same == lit => {}
            Some(&negated) if negated == !lit && flipped.is_none() => flipped = Some(negated),
            _ => return Containment::No,
        }
        at += 1;
    }
    flipped.map_or(Containment::Whole, Containment::But)
}

#[cfg(test)]
mod tests {
    use super::*;
    use index::Id;
    use qcnf::{Qcnf, Quantifier, Var};
    use std::sync::atomic::AtomicBool;
    use verdict::Watch;

    #[test]
    fn containment_is_seen_in_both_forms() {
        let lits: Vec<Lit> = (0..5).map(|v| Lit::positive(Var::from_index(v))).collect();
        let mut formula = Qcnf::new(5);
        formula.quantify(Quantifier::Exists, lits.iter().map(|lit| lit.var()).collect());
        formula.add_clause(&[lits[0], lits[1], lits[2]]);
        formula.add_clause(&[lits[0], lits[1]]);
        formula.add_clause(&[!lits[0], lits[1], lits[3], lits[4]]);
        let mut matrix = Matrix::new(&formula);
        let interrupt = AtomicBool::new(false);
        let watch = Watch::unlimited(&interrupt);
        let changed = subsume(&mut matrix, &mut Clock::new(&watch)).expect("no limit");
        assert_eq!(changed, 2);
        let left: Vec<&[Lit]> =
            (0..matrix.end()).map(|id| matrix.get(id)).filter(|c| !c.is_empty()).collect();
        assert_eq!(
            left,
            [&lits[0..2], &lits[1..2].iter().chain(&lits[3..5]).copied().collect::<Vec<_>>()[..]]
        );
    }
}
