//! Prepare: from the formula as given to the formula that is walked, of the same value.
//!
//! Rounds of settling units, moving definitions outward, replacing equivalent literals, resolving
//! variables away and subsuming, until nothing changes or the rounds are spent; then variables
//! are numbered by level. Each step keeps the value under every assignment to the variables of
//! an outermost exists-block, since calls may assume those.

mod cut;
mod defer;
mod define;
mod eliminate;
mod equate;
mod function;
mod good;
mod matrix;
mod merge;
mod number;
mod occurs;
mod prefix;
mod settle;
mod subsume;

pub(crate) use good::good_literals;
pub(crate) use matrix::Matrix;
pub(crate) use number::{Leveled, number};
pub(crate) use prefix::Fate;
use verdict::HaltReason;

use crate::clock::Clock;
use crate::faults::Fault;
use crate::options::Options;
use crate::stats::Stats;

/// Simplifies a matrix.
///
/// # Errors
/// The limit that is met; the matrix is whole then as well, and may be simplified again.
pub(crate) fn simplify(
    matrix: &mut Matrix,
    options: &Options,
    stats: &mut Stats,
    clock: &mut Clock<'_>,
) -> Result<(), HaltReason> {
    matrix.prefix.take_back();
    settle::settle(matrix);
    for round in 0..options.rounds {
        let before = matrix.living();
        clock.look(true)?;
        let mut changed = round_of(matrix, options, stats, clock)?;
        if round == 0 && options.merging > 0 && !matrix.is_zero {
            let merged = merge::merge(matrix, options.plants(Fault::GuessUnproven), clock)?;
            settle::settle(matrix);
            stats.merged = merged;
            changed |= merged > 0;
        }
        // A round that takes less than a fiftieth of the clauses is not worth another.
        if matrix.is_zero || !changed || (round > 0 && before - matrix.living() < before / 50) {
            break;
        }
    }
    debug_assert!(matrix.units.is_empty() || matrix.is_zero);
    if options.deferral > 0 && !matrix.is_zero {
        let definitions = define::define(matrix, options.plants(Fault::HalfGate));
        stats.deferred =
            defer::defer(matrix, &definitions, options.plants(Fault::ChoicePutOff), clock)?;
    }
    Ok(())
}

/// One round; whether it changed anything.
fn round_of(
    matrix: &mut Matrix,
    options: &Options,
    stats: &mut Stats,
    clock: &mut Clock<'_>,
) -> Result<bool, HaltReason> {
    let mut changes = 0;
    if options.definability > 0 && !matrix.is_zero {
        let moved = define::define(matrix, options.plants(Fault::HalfGate)).moved;
        stats.gates += moved;
        changes += moved;
    }
    clock.look(true)?;
    if options.equivalences > 0 && !matrix.is_zero {
        let replaced = equate::equate(matrix);
        stats.equivalent += replaced;
        changes += replaced;
        settle::settle(matrix);
    }
    clock.look(true)?;
    if options.elimination > 0 && !matrix.is_zero {
        let eliminated = eliminate::eliminate(matrix, options, clock)?;
        stats.eliminated += eliminated;
        changes += eliminated;
        matrix.index();
    }
    if options.subsumption > 0 && !matrix.is_zero {
        let subsumed = subsume::subsume(matrix, clock)?;
        stats.subsumed += subsumed;
        changes += subsumed;
    }
    if !matrix.is_zero {
        matrix.index();
    }
    Ok(changes > 0)
}
