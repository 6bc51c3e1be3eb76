//! A symmetry that exchanges digits: the columns of a board by its mirror, say.
//!
//! Computed: from a renaming of propositions, which parts it exchanges ([`partners`]), so that parts
//! are joined alike on both sides; and the digits that it exchanges, the values of the second of two
//! numbered as those of the first ([`exchange`]). Always: a digit that is not exchanged stays as it
//! is, value by value, and so do phases; the tables of two digits that are exchanged are the same
//! ones. Whether the renaming is an automorphism of the game is for `net::symmetry` to prove.

use net::BaseId;
use net::symmetry::Renaming;

use crate::{Condition, Digit, Factored, NOWHERE};

/// By part: the one that it becomes. None where the renaming does not exchange parts, or does not
/// leave every proposition of a part as it is that it does not exchange.
pub(crate) fn partners(parts: &[Vec<BaseId>], renaming: &Renaming) -> Option<Vec<usize>> {
    let partner = |part: &Vec<BaseId>| {
        let mut image: Vec<BaseId> = part.iter().map(|base| renaming[*base]).collect();
        image.sort_unstable();
        parts.iter().position(|other| *other == image)
    };
    let partners: Vec<usize> = parts.iter().map(partner).collect::<Option<_>>()?;
    let stays = |(at, to): (usize, &usize)| {
        *to != at || parts[at].iter().all(|base| renaming[*base] == *base)
    };
    let is_exchange = partners.iter().enumerate().all(|(at, to)| partners[*to] == at);
    (is_exchange && partners.iter().enumerate().all(stays)).then_some(partners)
}

/// Finds the digits that a renaming exchanges, and numbers the values of each as those of its
/// partner. None, and nothing changed, where it does not exchange digits, or exchanges none.
pub(crate) fn exchange(game: &mut Factored, renaming: &Renaming) -> Option<Vec<usize>> {
    let returns = |base: &BaseId| renaming[renaming[*base]] == *base;
    let parts: Vec<Vec<BaseId>> = game.digits.iter().map(|digit| digit.bases.clone()).collect();
    if !parts.iter().flatten().all(returns) {
        return None;
    }
    let phases_stay = game.phases.iter().all(|phase| same_set(&phase.bases, renaming));
    let partners = partners(&parts, renaming).filter(|_| phases_stay)?;
    let mut orders = Vec::new();
    for (digit, &partner) in partners.iter().enumerate().filter(|(digit, to)| digit < to) {
        orders.push((partner, order(&game.digits[digit], &game.digits[partner], renaming)?));
    }
    if orders.is_empty() {
        return None;
    }
    for (digit, order) in &orders {
        game.digits[*digit] = renumbered(&game.digits[*digit], order);
        let conditions = game.phases.iter_mut().flat_map(|phase| {
            let needs = phase.needs.iter_mut().flat_map(|(_, moves)| moves);
            phase.pairs.iter_mut().flat_map(|pair| &mut pair.legal).chain(needs)
        });
        for condition in conditions {
            if let Condition::Digit(of, values) = condition
                && of == digit
            {
                *values = order.iter().map(|value| values[*value]).collect();
            }
        }
    }
    for (digit, &partner) in partners.iter().enumerate() {
        let (one, other) = (&game.digits[digit], &game.digits[partner]);
        assert_eq!(one.start, other.start, "the start stays");
        assert_eq!(one.values.len(), other.values.len(), "as many values on both sides");
    }
    Some(partners)
}

fn same_set(bases: &[BaseId], renaming: &Renaming) -> bool {
    bases.iter().all(|base| bases.contains(&renaming[*base]))
}

/// By value of `from`: the value of `to` that it becomes; none where tables are not the same then.
fn order(from: &Digit, to: &Digit, renaming: &Renaming) -> Option<Vec<usize>> {
    let sorted = |mut value: Vec<BaseId>| {
        value.sort_unstable();
        value
    };
    let theirs: Vec<Vec<BaseId>> = to.values.iter().map(|value| sorted(value.clone())).collect();
    let image = |value: &Vec<BaseId>| sorted(value.iter().map(|base| renaming[*base]).collect());
    let place = |value| theirs.iter().position(|other| *other == image(value));
    let order: Vec<usize> = from.values.iter().map(place).collect::<Option<_>>()?;
    let tables = |digit: &Digit| {
        let mut tables = digit.maps.clone();
        tables.sort_unstable();
        tables
    };
    let is_same = order.len() == to.values.len() && tables(from) == tables(&renumbered(to, &order));
    is_same.then_some(order)
}

/// A digit whose values come in another order; `order` has the old number by the new one.
fn renumbered(digit: &Digit, order: &[usize]) -> Digit {
    let mut place = vec![NOWHERE; order.len()];
    order.iter().enumerate().for_each(|(new, old)| place[*old] = new as u32);
    debug_assert!(!place.contains(&NOWHERE), "every value has a place");
    let moved = |to: u32| if to == NOWHERE { NOWHERE } else { place[to as usize] };
    let map = |map: &Vec<u32>| order.iter().map(|from| moved(map[*from])).collect();
    Digit {
        bases: digit.bases.clone(),
        values: order.iter().map(|value| digit.values[*value].clone()).collect(),
        maps: digit.maps.iter().map(map).collect(),
        start: place[digit.start as usize],
    }
}
