//! Coded groups whose members only trade places: a table from code to code, as gates.
//!
//! In a game with a counter or a pile, once the moves are constants, every next member of the
//! group is a present member or false: nothing is computed, values are renamed. Spelling that out
//! costs gates in proportion to the group (decode, rename, encode). Instead the table from the
//! present code to the next one is made into gates bit by bit, by Shannon expansion with equal
//! subtables made once and codes that cannot occur chosen freely; for steps up or down that is an
//! incrementer, a few gates a bit.
//!
//! Cost of making it: the size of the table times the square of the bits, once a joint move.

use net::{GateId, Gates};
use rustc_hash::FxHashMap;

/// One bit of a table, by code; `None` where the code cannot occur.
type Column = Vec<Option<bool>>;

/// Makes gates of the bits of a table from codes to codes: entry `c` holds the next code where
/// the bits (least significant first) spell `c`.
pub(crate) fn table_to_gates(
    gates: &mut Gates,
    bits: &[GateId],
    table: &[Option<usize>],
    width: usize,
) -> Vec<GateId> {
    assert_eq!(table.len(), 1 << bits.len(), "an entry for every code");
    let mut made = FxHashMap::default();
    let column = |at: usize| table.iter().map(move |code| code.map(|code| code >> at & 1 == 1));
    (0..width)
        .map(|at| expand(gates, bits, column(at).collect(), &mut made).unwrap_or(Gates::FALSE))
        .collect()
}

/// The gate of a column over some bits; none where no entry can occur.
fn expand(
    gates: &mut Gates,
    bits: &[GateId],
    column: Column,
    made: &mut FxHashMap<Column, Option<GateId>>,
) -> Option<GateId> {
    debug_assert_eq!(column.len(), 1 << bits.len());
    let mut values = column.iter().flatten();
    let first = *values.next()?;
    if values.all(|&value| value == first) {
        return Some(gates.constant(first));
    }
    if let Some(known) = made.get(&column) {
        return *known;
    }
    let (&top, rest) = bits.split_last().expect("a column of one entry is constant");
    let (low, high) = column.split_at(column.len() / 2);
    let gate = match merged(low, high) {
        Some(both) => expand(gates, rest, both, made),
        None => {
            let low = expand(gates, rest, low.to_vec(), made)?;
            let high = expand(gates, rest, high.to_vec(), made)?;
            Some(choose(gates, top, high, low))
        }
    };
    made.insert(column, gate);
    gate
}

/// One column that agrees with both, where there is one.
fn merged(low: &[Option<bool>], high: &[Option<bool>]) -> Option<Column> {
    let agree = |(a, b): (&Option<bool>, &Option<bool>)| a.is_none() || b.is_none() || a == b;
    let both = low.iter().zip(high);
    both.clone().all(agree).then(|| both.map(|(a, b)| a.or(*b)).collect())
}

/// `high` where `bit` holds, else `low`.
fn choose(gates: &mut Gates, bit: GateId, high: GateId, low: GateId) -> GateId {
    let not_bit = gates.not(bit);
    let (above, below) = (gates.and(bit, high), gates.and(not_bit, low));
    gates.or(above, below)
}

/// The binary code of the member that holds: each bit is the disjunction of the members with that
/// bit. Halving the list from the top shares the disjunctions, so `n` members take `2 n` gates.
pub(crate) fn encode_members(gates: &mut Gates, members: &[GateId], width: usize) -> Vec<GateId> {
    assert!(members.len() <= 1 << width, "a code for every member");
    let mut held = members.to_vec();
    held.resize(1 << width, Gates::FALSE);
    let mut bits = Vec::with_capacity(width);
    for _ in 0..width {
        let (low, high) = held.split_at(held.len() / 2);
        bits.push(gates.any(high));
        held = low.iter().zip(high).map(|(&a, &b)| gates.or(a, b)).collect();
    }
    bits.reverse();
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use index::Id;
    use net::random::Random;
    use net::{BaseId, Gate};

    fn leaves(gates: &mut Gates, count: usize) -> Vec<GateId> {
        (0..count).map(|at| gates.base(BaseId::from_index(at))).collect()
    }

    /// The number that some gates spell when the leaves spell `code`.
    fn spelt(gates: &Gates, outputs: &[GateId], code: usize) -> usize {
        let mut values: Vec<bool> = Vec::new();
        for (_, gate) in gates.iter() {
            values.push(match gate {
                Gate::Const(value) => value,
                Gate::Base(bit) => code >> bit.index() & 1 == 1,
                Gate::Does(_) => unreachable!("no moves here"),
                Gate::Not(a) => !values[a.index()],
                Gate::And(a, b) => values[a.index()] && values[b.index()],
                Gate::Or(a, b) => values[a.index()] || values[b.index()],
            });
        }
        outputs.iter().rev().fold(0, |code, gate| 2 * code + usize::from(values[gate.index()]))
    }

    #[test]
    fn random_tables_are_spelt_out() {
        let mut random = Random::new(41);
        for round in 0..20 {
            let mut gates = Gates::new();
            let bits = leaves(&mut gates, 1 + round % 6);
            let table: Vec<Option<usize>> = (0..1 << bits.len())
                .map(|_| (random.below(4) > 0).then(|| random.below(32)))
                .collect();
            let outputs = table_to_gates(&mut gates, &bits, &table, 5);
            for (code, next) in table.iter().enumerate() {
                assert!(next.is_none_or(|next| spelt(&gates, &outputs, code) == next));
            }
        }
    }

    #[test]
    fn a_step_of_a_large_counter_takes_few_gates() {
        let mut gates = Gates::new();
        let bits = leaves(&mut gates, 12);
        let step = |code: usize| (code < 4000).then_some(code + 1);
        let table: Vec<Option<usize>> = (0..4096).map(step).collect();
        let outputs = table_to_gates(&mut gates, &bits, &table, 12);
        assert!((0..4000).step_by(37).all(|code| spelt(&gates, &outputs, code) == code + 1));
        assert!(gates.len() < 150, "{} gates", gates.len());
    }

    #[test]
    fn members_are_encoded_by_their_positions() {
        let mut gates = Gates::new();
        let members = leaves(&mut gates, 11);
        let outputs = encode_members(&mut gates, &members, 4);
        assert!((0..11).all(|member| spelt(&gates, &outputs, 1 << member) == member));
    }
}
