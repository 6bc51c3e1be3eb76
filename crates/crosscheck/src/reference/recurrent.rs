//! Values of small games whose states recur, without a horizon: guessed, then proven.
//!
//! Policies of both sides are guessed by counting n-step values in fixed point; under them play is
//! a Markov chain over the whole graph, solved exactly. Those values are believed only if they are
//! proven to be the game's:
//!
//! 1. in every state they are the largest mean over the asked role's moves of the smallest over
//!    its opponents', and the guessed move attains it: so they are a fixed point, and no less
//!    than the value, which is the least one;
//! 2. opponents who answer the guessed moves without loss cannot stay among states of positive
//!    value for ever: so the guessed moves achieve them, and they are no more than the value.
//!
//! (Without the second, a fixed point above the value passes: the opponents would rather play on
//! for ever.) Nothing here improves a policy; a guess that is not proven gives no answer.

use std::collections::BTreeMap;

use exact::Ratio;
use verdict::{Fault, Watch};

use super::graph::{Graph, Inner, Node, Place};

/// States up to which a graph is tried.
const STATES_MAX: usize = 1_500;
/// The fixed-point number that stands for 1 in a guess.
const ONE: u64 = 1 << 50;
/// Rounds of counting, at most.
const ROUNDS: usize = 20_000;

/// The guessed choices of each inner state: the asked role's move, the opponents' joint move.
struct Policies {
    own: Vec<usize>,
    opposing: Vec<usize>,
}

/// The values of all states that the root reaches, or none where they cannot be proven here.
pub(super) fn values(
    graph: &mut Graph<'_>,
    watch: &Watch<'_>,
) -> Result<Option<Vec<Ratio>>, Fault> {
    let mut place = 0;
    while place < graph.nodes().len() {
        if place >= STATES_MAX || !graph.expand(place, watch)? {
            return Ok(None);
        }
        place += 1;
    }
    let mut policies = guess(graph);
    // The opponents' guess may forget to play on for ever; each correction lowers values.
    for _ in 0..STATES_MAX {
        if watch.interrupted() || watch.spent() > 1.0 {
            return Ok(None);
        }
        let values = chain(graph, &policies);
        if !is_fixed(graph, &policies, &values) {
            return Ok(None);
        }
        let stays = staying(graph, &policies, &values);
        if stays.iter().all(Option::is_none) {
            return Ok(Some(values));
        }
        for (choice, stay) in policies.opposing.iter_mut().zip(stays) {
            *choice = stay.unwrap_or(*choice);
        }
    }
    Ok(None)
}

fn inner<'g>(graph: &'g Graph<'_>, place: Place) -> Option<&'g Inner> {
    match graph.node(place) {
        Node::Inner(inner) => Some(inner),
        Node::Terminal(_) => None,
    }
}

/// The equally likely children of a pair of choices.
fn outcomes(inner: &Inner, own: usize, opposing: usize) -> &[Place] {
    let first = (own * inner.opposing + opposing) * inner.outcomes;
    &inner.children[first..first + inner.outcomes]
}

/// Policies by counting n-step values until they stand. A move changes only where it gains, so
/// that the guessed moves lead to an end rather than round and round.
fn guess(graph: &Graph<'_>) -> Policies {
    let places = graph.nodes().len();
    let mut values: Vec<u64> = (0..places).map(|place| worth(graph, place)).collect();
    let mut policies = Policies { own: vec![0; places], opposing: vec![0; places] };
    for _ in 0..ROUNDS {
        let mut moved = false;
        for place in (0..places).rev() {
            let Some(inner) = inner(graph, place) else { continue };
            let replies: Vec<(u64, usize)> =
                (0..inner.own).map(|own| smallest_reply(inner, own, &values)).collect();
            let own = (0..inner.own).max_by_key(|own| replies[*own].0).expect("a move");
            if replies[own].0 > values[place] {
                (values[place], policies.own[place]) = (replies[own].0, own);
                moved = true;
            }
            policies.opposing[place] = replies[policies.own[place]].1;
        }
        if !moved {
            break;
        }
    }
    policies
}

/// The smallest mean over the opponents' joint moves, and one that has it.
fn smallest_reply(inner: &Inner, own: usize, values: &[u64]) -> (u64, usize) {
    let mean = |opposing| -> u64 {
        let children = outcomes(inner, own, opposing);
        let sum: u128 = children.iter().map(|child| u128::from(values[*child])).sum();
        (sum / children.len() as u128) as u64
    };
    let replies = (0..inner.opposing).map(|opposing| (mean(opposing), opposing));
    replies.min().expect("a joint move")
}

fn worth(graph: &Graph<'_>, place: Place) -> u64 {
    match graph.node(place) {
        Node::Inner(_) => 0,
        Node::Terminal(worth) => {
            let scaled = worth.numerator() * exact::UBig::from(ONE) / worth.denominator();
            u64::try_from(scaled).expect("a probability")
        }
    }
}

/// Values under both policies: 0 where play cannot end, else the solution of one equation a
/// state, eliminated from the last state to the first.
fn chain(graph: &Graph<'_>, policies: &Policies) -> Vec<Ratio> {
    let places = graph.nodes().len();
    let ends = can_end(graph, policies);
    // Each row is a value as a constant and weights of states with smaller places.
    let mut rows: Vec<(Ratio, BTreeMap<Place, Ratio>)> = Vec::with_capacity(places);
    for place in 0..places {
        rows.push(equation(graph, policies, &ends, place));
    }
    for pivot in (0..places).rev() {
        if let Some(stay) = rows[pivot].1.remove(&pivot) {
            let rest = Ratio::one() - stay;
            assert!(!rest.is_zero(), "play can leave every state that can end");
            rows[pivot].0 = &rows[pivot].0 / &rest;
            rows[pivot].1.values_mut().for_each(|weight| *weight = &*weight / &rest);
        }
        let (constant, weights) = rows[pivot].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(place, _)| *place != pivot) {
            let Some(factor) = row.1.remove(&pivot) else { continue };
            row.0 = &row.0 + &(&factor * &constant);
            for (place, weight) in &weights {
                let sum = row.1.entry(*place).or_insert_with(Ratio::zero);
                *sum = &*sum + &(&factor * weight);
            }
        }
    }
    assert!(rows.iter().all(|row| row.1.is_empty()), "every state was eliminated");
    rows.into_iter().map(|row| row.0).collect()
}

fn equation(
    graph: &Graph<'_>,
    policies: &Policies,
    ends: &[bool],
    place: Place,
) -> (Ratio, BTreeMap<Place, Ratio>) {
    let mut weights = BTreeMap::new();
    match graph.node(place) {
        Node::Terminal(worth) => return (worth.clone(), weights),
        Node::Inner(_) if !ends[place] => return (Ratio::zero(), weights),
        Node::Inner(inner) => {
            let children = outcomes(inner, policies.own[place], policies.opposing[place]);
            let share = Ratio::new(1u8, children.len() as u64);
            for child in children.iter().filter(|child| ends[**child]) {
                let sum = weights.entry(*child).or_insert_with(Ratio::zero);
                *sum = &*sum + &share;
            }
        }
    }
    (Ratio::zero(), weights)
}

/// From which states some play under the policies ends.
fn can_end(graph: &Graph<'_>, policies: &Policies) -> Vec<bool> {
    let places = graph.nodes().len();
    let mut ends: Vec<bool> = (0..places).map(|place| inner(graph, place).is_none()).collect();
    loop {
        let before = ends.iter().filter(|end| **end).count();
        for place in (0..places).rev() {
            let Some(inner) = inner(graph, place) else { continue };
            let mut children =
                outcomes(inner, policies.own[place], policies.opposing[place]).iter();
            ends[place] |= children.any(|child| ends[*child]);
        }
        if ends.iter().filter(|end| **end).count() == before {
            return ends;
        }
    }
}

fn mean(inner: &Inner, own: usize, opposing: usize, values: &[Ratio]) -> Ratio {
    let children = outcomes(inner, own, opposing);
    let sum: Ratio = children.iter().map(|child| &values[*child]).sum();
    sum / Ratio::new(children.len() as u64, 1u8)
}

/// The first proof: the values are a fixed point that the guessed moves attain.
fn is_fixed(graph: &Graph<'_>, policies: &Policies, values: &[Ratio]) -> bool {
    (0..values.len()).all(|place| {
        let Some(inner) = inner(graph, place) else { return true };
        let smallest = |own| {
            let means = (0..inner.opposing).map(|opposing| mean(inner, own, opposing, values));
            means.min().expect("a joint move")
        };
        let best = (0..inner.own).map(smallest).max().expect("a move");
        best == values[place] && smallest(policies.own[place]) == values[place]
    })
}

/// The second proof fails where this finds something: replies without loss that keep play in
/// states of positive value for ever.
fn staying(graph: &Graph<'_>, policies: &Policies, values: &[Ratio]) -> Vec<Option<usize>> {
    let mut stays: Vec<bool> = (0..values.len())
        .map(|place| inner(graph, place).is_some() && !values[place].is_zero())
        .collect();
    loop {
        let reply = |place: Place| {
            let inner = inner(graph, place).filter(|_| stays[place])?;
            let own = policies.own[place];
            (0..inner.opposing).find(|&opposing| {
                mean(inner, own, opposing, values) == values[place]
                    && outcomes(inner, own, opposing).iter().all(|child| stays[*child])
            })
        };
        let replies: Vec<Option<usize>> = (0..values.len()).map(reply).collect();
        let still: Vec<bool> = replies.iter().map(Option::is_some).collect();
        if still == stays {
            return replies;
        }
        stays = still;
    }
}
