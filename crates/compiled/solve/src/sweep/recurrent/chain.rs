//! A Markov chain's linear equations, solved exactly.
//!
//! Each state's value is a constant and a weighted sum of the others' values. States are
//! eliminated one after the other, the one with the fewest connections first, so that the sparse
//! chains of games stay sparse; no pivot can vanish, since every state leaves the chain with some
//! probability, and nothing is subtracted but a state's own weight from 1. Source: state
//! elimination for Markov chains, Daws, *Symbolic and parametric model checking of discrete-time
//! Markov chains* (2004).

use std::collections::{BTreeMap, BTreeSet};

use exact::Ratio;

/// One state's equation.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// What is known: the mean over what leaves the chain.
    pub(super) constant: Ratio,
    /// The weights of states of the chain.
    pub(super) weights: BTreeMap<usize, Ratio>,
}

/// The values that satisfy all equations.
///
/// # Panics
/// When some state stays in the chain with certainty.
pub(super) fn solve(mut rows: Vec<Row>) -> Vec<Ratio> {
    let mut users = vec![BTreeSet::new(); rows.len()];
    for (row, equation) in rows.iter().enumerate() {
        for &column in equation.weights.keys() {
            users[column].insert(row);
        }
    }
    let mut left: BTreeSet<usize> = (0..rows.len()).collect();
    let mut order = Vec::with_capacity(rows.len());
    while let Some(next) =
        left.iter().copied().min_by_key(|&row| (users[row].len() * rows[row].weights.len(), row))
    {
        left.remove(&next);
        eliminate(next, &mut rows, &mut users);
        order.push(next);
    }
    substitute(&rows, &order)
}

/// Solves one equation for its own state and puts it into all others.
fn eliminate(state: usize, rows: &mut [Row], users: &mut [BTreeSet<usize>]) {
    let mut own = rows[state].clone();
    if let Some(stay) = own.weights.remove(&state) {
        let rest = Ratio::one() - stay;
        assert!(!rest.is_zero() && !rest.is_negative(), "every state leaves the chain");
        own.constant = own.constant / &rest;
        own.weights.values_mut().for_each(|weight| *weight = &*weight / &rest);
    }
    for user in std::mem::take(&mut users[state]) {
        if user == state {
            continue;
        }
        let factor = rows[user].weights.remove(&state).expect("a user has the state's weight");
        for (&column, weight) in &own.weights {
            let part = &factor * weight;
            let entry = rows[user].weights.entry(column).or_insert_with(Ratio::zero);
            *entry = &*entry + &part;
            users[column].insert(user);
        }
        rows[user].constant = &rows[user].constant + &(&factor * &own.constant);
    }
    for column in own.weights.keys() {
        users[*column].remove(&state);
    }
    rows[state] = own;
}

/// Values in the opposite order: an equation names only states that were eliminated later.
fn substitute(rows: &[Row], order: &[usize]) -> Vec<Ratio> {
    let mut values = vec![None; rows.len()];
    for &state in order.iter().rev() {
        let mut value = rows[state].constant.clone();
        for (&column, weight) in &rows[state].weights {
            let other: &Ratio = values[column].as_ref().expect("eliminated later");
            value = value + weight * other;
        }
        values[state] = Some(value);
    }
    values.into_iter().map(|value| value.expect("every state was eliminated")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(constant: Ratio, weights: &[(usize, Ratio)]) -> Row {
        Row { constant, weights: weights.iter().cloned().collect() }
    }

    #[test]
    fn the_gamblers_ruin_is_linear() {
        // From capital i of 7, fair: the probability to reach 7 before 0 is i / 7.
        let half = Ratio::new(1u8, 2u8);
        let rows = (1..7)
            .map(|at: usize| {
                let inside = [at.wrapping_sub(2), at].into_iter().filter(|&to| to < 6);
                let weights: Vec<_> = inside.map(|to| (to, half.clone())).collect();
                let constant = if at == 6 { half.clone() } else { Ratio::zero() };
                row(constant, &weights)
            })
            .collect();
        let expected: Vec<Ratio> = (1..7u8).map(|at| Ratio::new(at, 7u8)).collect();
        assert_eq!(solve(rows), expected);
    }

    #[test]
    fn a_state_may_stay() {
        let third = Ratio::new(1u8, 3u8);
        let rows = vec![
            row(third.clone(), &[(0, third.clone()), (1, third.clone())]),
            row(Ratio::zero(), &[(0, Ratio::new(1u8, 2u8)), (1, third)]),
        ];
        // v = 1/3 + v/3 + w/3 and w = v/2 + w/3: w = 3v/4, so v = 1/3 + 7v/12.
        assert_eq!(solve(rows), [Ratio::new(4u8, 5u8), Ratio::new(3u8, 5u8)]);
    }
}
