//! Steps played, as a sum over digits: the guessed weights of propositions held to the tables.
//!
//! Always: where [`levels`] answers, every outcome of every phase is proven to raise the sum by the
//! steps that it takes, so that the sum is the number of steps in every state that can be reached.

use index::IndexVec;
use net::BaseId;

use crate::{Factored, NOWHERE, Outcome};

/// Steps played as a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    /// For each digit, by value: its part, at least 0, the least being 0.
    pub digits: Vec<Vec<u32>>,
    /// For each phase: its part, which may be negative.
    pub phases: Vec<i64>,
    /// For each phase, pair and outcome: by how much the digits' sum rises.
    pub rises: Vec<Vec<Vec<i64>>>,
}

/// Levels by the weights of propositions; none where they are not proven.
pub fn levels(game: &Factored, weights: &IndexVec<BaseId, i64>, offset: i64) -> Option<Levels> {
    let sum = |bases: &[BaseId]| bases.iter().map(|base| weights[*base]).sum::<i64>();
    let mut constant = offset + sum(&game.constants);
    let mut digits = Vec::new();
    for digit in &game.digits {
        let parts: Vec<i64> = digit.values.iter().map(|value| sum(value)).collect();
        let least = *parts.iter().min()?;
        constant += least;
        let lifted: Option<Vec<u32>> =
            parts.iter().map(|part| u32::try_from(part - least).ok()).collect();
        digits.push(lifted?);
    }
    let phases: Vec<i64> = game.phases.iter().map(|phase| sum(&phase.bases) + constant).collect();
    let mut rises = Vec::new();
    for (at, phase) in game.phases.iter().enumerate() {
        let mut of_phase = Vec::new();
        for pair in &phase.pairs {
            let mut of_pair = Vec::new();
            for outcome in &pair.outcomes {
                let rise = rise(game, &digits, outcome)?;
                if rise + phases[outcome.phase] - phases[at] != i64::from(pair.steps) {
                    return None;
                }
                of_pair.push(rise);
            }
            of_phase.push(of_pair);
        }
        rises.push(of_phase);
    }
    let start: i64 = game
        .digits
        .iter()
        .zip(&digits)
        .fold(phases[0], |sum, (digit, parts)| sum + i64::from(parts[digit.start as usize]));
    (start == 0).then_some(Levels { digits, phases, rises })
}

/// By how much an outcome raises the sum, where that is one number.
fn rise(game: &Factored, parts: &[Vec<u32>], outcome: &Outcome) -> Option<i64> {
    let mut sum = 0;
    for &(digit, map) in &outcome.maps {
        let mut rise = None;
        for (from, &to) in game.digits[digit].maps[map].iter().enumerate() {
            if to == NOWHERE {
                continue;
            }
            let mine = i64::from(parts[digit][to as usize]) - i64::from(parts[digit][from]);
            if *rise.get_or_insert(mine) != mine {
                return None;
            }
        }
        sum += rise.unwrap_or(0);
    }
    Some(sum)
}
