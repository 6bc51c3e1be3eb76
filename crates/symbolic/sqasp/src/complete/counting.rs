//! Weight bodies as gates: whether the weights of the literals that hold reach a bound.
//!
//! Computed by a decision diagram over the literals, largest weight first: "the rest from literal
//! i on reaches s" holds where the rest from i + 1 on does, or literal i holds and the rest from
//! i + 1 on reaches s less its weight. A sum that always or never suffices is a constant, and
//! equal sums are one node. Each node is a function of the literals, so no model is doubled.
//! Cost: at most literals times bound, less where weights are equal.
//! Source: Een and Sorensson, *Translating pseudo-Boolean constraints into SAT* (2006).

use rustc_hash::FxHashMap;
use verdict::HaltReason;

use super::clock::Clock;
use super::gates::{Gates, Signal};

/// Whether the weights of the signals that hold sum to at least the bound.
///
/// # Errors
/// The limit that is met.
pub(super) fn reaches(
    gates: &mut Gates,
    mut parts: Vec<(Signal, u32)>,
    bound: i64,
    clock: &mut Clock<'_>,
) -> Result<Signal, HaltReason> {
    parts.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(&right.0)));
    let mut rest = vec![0i64; parts.len() + 1];
    for (at, (_, weight)) in parts.iter().enumerate().rev() {
        rest[at] = rest[at + 1] + i64::from(*weight);
    }
    let mut known: FxHashMap<(usize, i64), Signal> = FxHashMap::default();
    // Depth first, on a stack of our own: a body may have very many literals.
    let mut stack = vec![(0usize, bound)];
    while let Some(&(at, sum)) = stack.last() {
        clock.tick()?;
        let constant = constant(sum, rest[at]);
        let Some(value) = constant.or_else(|| known.get(&(at, sum)).copied()) else {
            let (signal, weight) = parts[at];
            let without = (at + 1, sum);
            let with = (at + 1, sum - i64::from(weight));
            let value_of = |key: (usize, i64)| {
                self::constant(key.1, rest[key.0]).or_else(|| known.get(&key).copied())
            };
            match (value_of(without), value_of(with)) {
                (Some(low), Some(high)) => {
                    let high = gates.and(vec![signal, high]);
                    let value = gates.or([low, high]);
                    known.insert((at, sum), value);
                    stack.pop();
                }
                (low, high) => {
                    stack.extend(low.is_none().then_some(without));
                    stack.extend(high.is_none().then_some(with));
                }
            }
            continue;
        };
        known.insert((at, sum), value);
        stack.pop();
    }
    Ok(constant(bound, rest[0]).unwrap_or_else(|| known[&(0, bound)]))
}

/// Whether a sum is reached whatever holds, or cannot be.
fn constant(sum: i64, rest: i64) -> Option<Signal> {
    if sum <= 0 {
        Some(Signal::TRUE)
    } else if sum > rest {
        Some(Signal::FALSE)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use index::Id;

    use super::super::gates::Kind;
    use super::super::unlimited;
    use super::*;
    use crate::ground::AtomId;

    fn value(gates: &Gates, signal: Signal, inputs: u32) -> bool {
        let held = match gates.kind(signal.node()) {
            Kind::True => true,
            Kind::Input(atom) => inputs >> (atom.index() - 1) & 1 == 1,
            Kind::And { .. } => {
                gates.inputs(signal.node()).iter().all(|one| value(gates, *one, inputs))
            }
        };
        held == signal.is_positive()
    }

    #[test]
    fn sums_reach_their_bounds() {
        for weights in [&[1, 1, 1, 1][..], &[3, 1, 2, 2], &[5, 4, 1, 1], &[]] {
            for bound in -1..12 {
                let mut gates = Gates::new();
                let parts: Vec<(Signal, u32)> = weights
                    .iter()
                    .enumerate()
                    .map(|(at, weight)| (gates.input(AtomId::from_index(at + 1)), *weight))
                    .collect();
                let reached = unlimited(|watch| {
                    let mut clock = Clock::new(watch);
                    reaches(&mut gates, parts, bound, &mut clock).expect("there is no limit")
                });
                for held in 0..1u32 << weights.len() {
                    let sum: u32 = weights
                        .iter()
                        .enumerate()
                        .map(|(at, weight)| weight * (held >> at & 1))
                        .sum();
                    assert_eq!(value(&gates, reached, held), i64::from(sum) >= bound);
                }
            }
        }
    }
}
