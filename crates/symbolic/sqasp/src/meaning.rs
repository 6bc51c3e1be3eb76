//! The value of a ground program by definition: the oracle of completion.
//!
//! The definition is followed word by word: an assignment is a stable model when it satisfies all
//! rules and what its reduct derives is what it holds; the probability goes through the levels.
//! Cost: two to the number of atoms, of which there may be few.
//! Source: Gelfond and Lifschitz, *The stable model semantics for logic programming* (1988).

use exact::Ratio;
use index::Id;
use qcnf::Quantifier;

use crate::{AtomId, GroundLit, GroundProgram, Prefix, RuleBody};

/// Atoms that a program may have here; sets of atoms are words.
pub const ATOMS_LIMIT: usize = 24;

/// The probability of a program under its prefix.
///
/// # Panics
/// When the program has more than [`ATOMS_LIMIT`] atoms.
pub fn value(program: &GroundProgram, prefix: &Prefix) -> Ratio {
    let levels = prefix.levels.iter().flat_map(|level| level.atoms.iter().cloned());
    let flat: Vec<(AtomId, Quantifier)> = levels.collect();
    probability(&stable_models(program), &flat)
}

fn holds(held: u32, literal: GroundLit) -> bool {
    (held >> literal.atom().index() & 1 == 1) == literal.is_positive()
}

/// Whether a body holds, negated literals by `held`, the others by `derived`.
fn applies(body: RuleBody<'_>, held: u32, derived: u32) -> bool {
    let side = |one: &GroundLit| holds(if one.is_positive() { derived } else { held }, *one);
    match body {
        RuleBody::All(literals) => literals.iter().all(side),
        RuleBody::Sum { bound, literals, weights } => {
            let parts = literals.iter().zip(weights).filter(|(one, _)| side(one));
            parts.map(|(_, weight)| i64::from(*weight)).sum::<i64>() >= bound
        }
    }
}

fn is_stable(program: &GroundProgram, held: u32) -> bool {
    let bit = |atom: &AtomId| 1u32 << atom.index();
    let satisfied = program.rules().all(|rule| {
        rule.choice
            || !applies(rule.body, held, held)
            || rule.heads.iter().any(|head| held & bit(head) != 0)
    });
    let mut derived = 0u32;
    loop {
        let before = derived;
        for rule in program.rules().filter(|rule| applies(rule.body, held, before)) {
            let heads = rule.heads.iter().map(bit);
            let held = heads.filter(|head| !rule.choice || held & head != 0);
            derived |= held.fold(0, |sum, head| sum | head);
        }
        if derived == before {
            return satisfied && derived == held;
        }
    }
}

/// All stable models, each as the bits of the atoms that it holds.
///
/// # Panics
/// When the program has more than [`ATOMS_LIMIT`] atoms.
pub fn stable_models(program: &GroundProgram) -> Vec<u32> {
    assert!(program.atoms() <= ATOMS_LIMIT, "too many atoms for the definition");
    (0..1u32 << program.atoms()).filter(|held| held & 1 == 0 && is_stable(program, *held)).collect()
}

fn probability(models: &[u32], prefix: &[(AtomId, Quantifier)]) -> Ratio {
    let Some(((atom, quantifier), rest)) = prefix.split_first() else {
        return if models.is_empty() { Ratio::zero() } else { Ratio::one() };
    };
    let with = |value: bool| -> Ratio {
        let models: Vec<u32> = models
            .iter()
            .copied()
            .filter(|held| holds(*held, GroundLit::new(*atom, value)))
            .collect();
        probability(&models, rest)
    };
    let (high, low) = (with(true), with(false));
    match quantifier {
        Quantifier::Exists => high.max(low),
        Quantifier::Forall => high.min(low),
        Quantifier::Chance(p) => high * p.clone() + low * (Ratio::one() - p.clone()),
    }
}
