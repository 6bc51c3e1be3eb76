//! Random graphs with cycles against the definition: all policies of both sides, each pair a
//! Markov chain, solved by an elimination that is written for this test alone.

use exact::Ratio;
use net::random::Random;
use verdict::HaltReason;

use super::choices::{Choices, Lane};
use super::{Frame, ONE, Values, values};
use crate::Options;
use crate::limits::Limits;
use crate::testing;

/// What a state of a plain graph offers: moves, replies, outcomes with weights.
type Offer = Vec<Vec<Vec<(u32, u32)>>>;

/// A graph as plain lists; the last two states are terminal, worth 0 and 1.
struct Plain(Vec<Offer>);

impl Plain {
    fn random(seed: u64) -> Self {
        let mut dice = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let states = 2 + dice.below(4);
        let offer = |dice: &mut Random| {
            let reply = |dice: &mut Random| -> Vec<(u32, u32)> {
                let outcomes = 1 + dice.below(3);
                let ends = if dice.below(3) == 0 { 2 } else { 0 };
                (0..outcomes)
                    .map(|_| (dice.below(states + ends) as u32, 1 + dice.below(3) as u32))
                    .collect()
            };
            let replies = |dice: &mut Random| (0..1 + dice.below(2)).map(|_| reply(dice)).collect();
            (0..1 + dice.below(2)).map(|_| replies(dice)).collect()
        };
        let mut offers: Vec<Offer> = (0..states).map(|_| offer(&mut dice)).collect();
        offers.extend([Vec::new(), Vec::new()]);
        Self(offers).reachable()
    }

    /// Leads from the first state to all others, so that each is reached.
    fn reachable(mut self) -> Self {
        let states = self.0.len() as u32;
        self.0[0][0][0].extend((1..states).map(|state| (state, 1)));
        self
    }

    fn choices(&self) -> Choices {
        let mut choices = Choices::new().expect("memory");
        for (state, offer) in self.0.iter().enumerate() {
            let mut lane = Lane::default();
            for replies in offer {
                for outcomes in replies {
                    lane.outcomes.extend(outcomes);
                    lane.replies.push(lane.outcomes.len());
                }
                lane.moves.push(lane.replies.len());
            }
            let payoff =
                if offer.is_empty() { self.payoff(state) } else { super::choices::GOES_ON };
            choices.push(&lane, payoff).expect("memory");
        }
        choices
    }

    fn payoff(&self, state: usize) -> u32 {
        (state + 1 - (self.0.len() - 1)) as u32
    }

    /// The largest over the asked role's policies of the smallest over the opponents'.
    fn by_definition(&self) -> Vec<Ratio> {
        let sizes: Vec<usize> = self.0.iter().map(Vec::len).collect();
        let mut best = vec![Ratio::zero(); self.0.len()];
        for moves in Odometer::new(&sizes) {
            let replies: Vec<usize> = self
                .0
                .iter()
                .zip(&moves)
                .map(|(offer, &choice)| offer.get(choice).map_or(0, Vec::len))
                .collect();
            let mut worst = vec![Ratio::one(); self.0.len()];
            for response in Odometer::new(&replies) {
                let value = self.chain(&moves, &response);
                worst.iter_mut().zip(value).for_each(|(old, new)| *old = new.min(old.clone()));
            }
            best.iter_mut().zip(worst).for_each(|(old, new)| *old = new.max(old.clone()));
        }
        best
    }

    /// Values under two policies: states that cannot reach an end are worth 0, the others solve
    /// their equations, by elimination on a full matrix.
    fn chain(&self, moves: &[usize], replies: &[usize]) -> Vec<Ratio> {
        let states = self.0.len();
        let outcomes = |state: usize| -> &[(u32, u32)] {
            let offer = &self.0[state];
            if offer.is_empty() { &[] } else { &offer[moves[state]][replies[state]] }
        };
        let mut ends: Vec<bool> = self.0.iter().map(Vec::is_empty).collect();
        for _ in 0..states {
            for state in 0..states {
                ends[state] |= outcomes(state).iter().any(|(child, _)| ends[*child as usize]);
            }
        }
        // Rows of (1 - P | payoff), a state without an end standing for 0.
        let mut rows = vec![vec![Ratio::zero(); states + 1]; states];
        for state in 0..states {
            rows[state][state] = Ratio::one();
            let total: u32 = outcomes(state).iter().map(|outcome| outcome.1).sum();
            if self.0[state].is_empty() {
                rows[state][states] = Ratio::new(self.payoff(state), 1u8);
            } else if ends[state] {
                for &(child, weight) in outcomes(state) {
                    let entry = &mut rows[state][child as usize];
                    *entry = &*entry - &Ratio::new(weight, total);
                }
            }
        }
        for pivot in 0..states {
            let from = (pivot..states).find(|row| !rows[*row][pivot].is_zero()).expect("regular");
            rows.swap(pivot, from);
            let head = rows[pivot].clone();
            for (row, entries) in rows.iter_mut().enumerate() {
                if row != pivot && !entries[pivot].is_zero() {
                    let factor = &entries[pivot] / &head[pivot];
                    for (entry, other) in entries.iter_mut().zip(&head) {
                        *entry = &*entry - &(&factor * other);
                    }
                }
            }
        }
        (0..states).map(|state| &rows[state][states] / &rows[state][state]).collect()
    }
}

/// All choices of one number below each size; a size of 0 counts as 1.
struct Odometer {
    sizes: Vec<usize>,
    next: Option<Vec<usize>>,
}

impl Odometer {
    fn new(sizes: &[usize]) -> Self {
        Self { sizes: sizes.to_vec(), next: Some(vec![0; sizes.len()]) }
    }
}

impl Iterator for Odometer {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let current = self.next.take()?;
        let mut following = current.clone();
        for (digit, &size) in following.iter_mut().zip(&self.sizes) {
            *digit += 1;
            if *digit < size {
                self.next = Some(following);
                break;
            }
            *digit = 0;
        }
        Some(current)
    }
}

fn solved(choices: &Choices, width: Option<u64>) -> Values {
    let options = Options { width, ..Options::default() };
    testing::under(testing::Limits::default(), |watch| {
        let limits = Limits::new();
        values(choices, &Frame { top: 1, options: &options, limits, watch, held: 0 })
    })
}

#[test]
fn random_graphs_have_the_values_of_the_definition() {
    let mut positive = 0;
    for seed in 1..=2000 {
        let plain = Plain::random(seed);
        let choices = plain.choices();
        let expected = plain.by_definition();
        let Values::Exact(exact) = solved(&choices, None) else { panic!("small parts are exact") };
        assert_eq!(exact, expected, "seed {seed}");
        let width = ONE >> 40;
        let bounds = solved(&choices, Some(width));
        assert!(matches!(bounds, Values::Bounds(_, HaltReason::Approximate)));
        for (state, value) in expected.iter().enumerate() {
            let (lower, upper) = bounds.of(state as u32);
            assert!(lower <= *value && *value <= upper, "seed {seed}, state {state}");
        }
        let (lower, upper) = bounds.of(0);
        assert!(upper - lower <= Ratio::new(width, ONE), "seed {seed}");
        positive += usize::from(!expected[0].is_zero());
    }
    assert!(positive > 1000, "the random graphs are not all hopeless: {positive}");
}

/// States in which both sides can pass for ever: the asked role at 0 passes to 1 or takes a coin,
/// the opponents at 1 pass back to 0 or concede.
#[test]
fn passing_for_ever_is_worth_nothing_to_the_asked_role() {
    let one = |child: u32| vec![(child, 1)];
    let plain = Plain(vec![
        vec![vec![one(1)], vec![vec![(2, 2), (3, 1)]]],
        vec![vec![one(0), one(3)]],
        vec![],
        vec![],
    ]);
    let expected = plain.by_definition();
    assert_eq!(expected[..2], [Ratio::new(1u8, 3u8), Ratio::new(1u8, 3u8)]);
    let choices = plain.choices();
    let Values::Exact(exact) = solved(&choices, None) else { panic!("small parts are exact") };
    assert_eq!(exact, expected);
    let (lower, upper) = solved(&choices, Some(ONE >> 40)).of(0);
    assert!(lower <= expected[0] && expected[0] <= upper);
    assert!(upper - lower <= Ratio::new(1u8, 1u64 << 40), "upper values come down");
}

/// Opponents who can stay without loss must be found: the equations alone allow any value here.
#[test]
fn a_trap_is_worth_nothing() {
    let one = |child: u32| vec![(child, 1)];
    let plain = Plain(vec![
        vec![vec![one(1), one(3)]],
        vec![vec![one(0)], vec![one(0), one(3)]],
        vec![],
        vec![],
    ]);
    let Values::Exact(exact) = solved(&plain.reachable().choices(), None) else {
        panic!("small parts are exact")
    };
    assert_eq!(exact[1], exact[0]);
}

/// A fair walk between ends 211 apart mixes slowly; its bounds must still close.
#[test]
fn slow_chains_are_bracketed() {
    let last = 210u32;
    let mut offers: Vec<Offer> = (0..last - 1)
        .map(|at| {
            let down = if at == 0 { last - 1 } else { at - 1 };
            let up = if at == last - 2 { last } else { at + 1 };
            vec![vec![vec![(down, 1), (up, 1)]]]
        })
        .collect();
    offers.swap(0, (last / 2) as usize - 1);
    // The middle is state 0 now: rename it in all offers.
    let middle = last / 2 - 1;
    for outcome in offers.iter_mut().flatten().flatten().flatten() {
        outcome.0 = match outcome.0 {
            0 => middle,
            at if at == middle => 0,
            at => at,
        };
    }
    offers.extend([Vec::new(), Vec::new()]);
    let choices = Plain(offers).choices();
    let bounds = solved(&choices, Some(ONE >> 30));
    let (lower, upper) = bounds.of(0);
    let half = Ratio::new(1u8, 2u8);
    assert!(lower <= half && half <= upper, "{lower} {upper}");
    assert!(upper - lower <= Ratio::new(1u8, 1u32 << 30));
}

/// A walk to an end three steps away, with even odds of starting again.
fn short_walk() -> Choices {
    let step = |next: u32| vec![vec![vec![(0, 1), (next, 1)]]];
    Plain(vec![step(1), step(2), step(4), vec![], vec![]]).choices()
}

#[test]
fn rounds_raise_lower_values_as_far_as_they_go() {
    use super::iterate::Brackets;
    let choices = short_walk();
    let (part, mut looks) = ([2, 1, 0], 0);
    let mut brackets = Brackets::new(&choices);
    for end in [3, 4] {
        brackets.single(end, 1);
    }
    assert_eq!((brackets.of(3), brackets.of(4)), ((0, 0), (ONE, ONE)));
    let mut proceed = || {
        looks += 1;
        Ok(())
    };
    brackets.raise_for(&part, 1, &mut proceed).expect("no limit");
    // In one round from the end to the start: a half, a quarter, an eighth.
    assert_eq!(brackets.lower()[..3], [ONE / 8, ONE / 4, ONE / 2]);
    brackets.raise_for(&part, 1000, &mut proceed).expect("no limit");
    assert!(brackets.lower()[0] > ONE / 10 * 9, "nearly certain: {}", brackets.lower()[0]);
    assert!(looks > 10 && looks < 1001, "{looks} rounds, until nothing moves");
}

#[test]
fn all_of_the_choices_is_counted() {
    let choices = short_walk();
    // Five states with their payoffs, three moves with a reply each, six outcomes with weights.
    let least = 4 * (5 + 6 + 4 + 4 + 3 + 6 + 6);
    assert!(choices.bytes() >= least, "{} bytes", choices.bytes());
    let long = |states: u32| {
        let offer = |at: u32| vec![vec![vec![((at + 1) % states, 1), (states, 1)]; 2]; 3];
        let mut offers: Vec<Offer> = (0..states).map(offer).collect();
        offers.extend([Vec::new(), Vec::new()]);
        Plain(offers).choices().bytes()
    };
    // Three moves, six replies and twelve outcomes a state.
    let each = 4 * (1 + 1 + 3 + 6 + 6 + 12 + 12);
    let (few, many) = (long(2_000), long(200_000));
    assert!(many >= 200_000 * each, "{many} bytes");
    assert!(many - few <= 198_000 * each * 3, "{few} and {many} bytes");
}

/// Each list is as large as one that so many elements were appended to, one by one.
#[test]
fn the_bytes_of_choices_are_those_of_their_lists() {
    let held = |count: usize| {
        let mut list = store::HugeVec::<u32>::new();
        (0..count).for_each(|_| list.extend(&[0]).expect("memory"));
        list.bytes()
    };
    for (states, replies, outcomes) in [(0, 1, 1), (3, 2, 5), (70_000, 1, 2), (2, 100_000, 2)] {
        let mut choices = Choices::new().expect("memory");
        for _ in 0..states {
            let lane = Lane {
                outcomes: vec![(0, 1); replies * outcomes],
                replies: (1..=replies).map(|reply| reply * outcomes).collect(),
                moves: vec![replies],
            };
            choices.push(&lane, super::choices::GOES_ON).expect("memory");
        }
        let edges = states * replies * outcomes;
        // Moves, one a state, and replies with an end each; totals; payoffs; children and weights.
        let offsets = 2 * held(states + 1) + held(states * replies + 1);
        let wanted = offsets + held(states * replies) + held(states) + 2 * held(edges);
        assert_eq!(choices.bytes(), wanted, "{states} {replies} {outcomes}");
        assert!(choices.bytes() >= 4 * (4 * states + 2 * states * replies + 2 * edges) as u64);
    }
}

#[test]
fn bounds_are_carried_to_the_root_until_the_time_is_over_or_for_a_grace() {
    use std::time::{Duration, Instant};

    let options = Options::default();
    let hour = Duration::from_secs(3600);
    for (time, interrupted) in [(None, false), (Some(hour), false), (Some(hour), true)] {
        let given = testing::Limits { time, interrupted, ..testing::Limits::default() };
        testing::under(given, |watch| {
            let limits = Limits::new();
            let frame = Frame { top: 1, options: &options, limits, watch, held: 0 };
            let before = Instant::now();
            let until = super::deadline(&frame);
            let after = Instant::now();
            match time.filter(|_| !interrupted) {
                Some(time) => assert_eq!(until, watch.started + time),
                None => assert!(before + super::GRACE <= until && until <= after + super::GRACE),
            }
        });
    }
    // A time that is over leaves none.
    let given = testing::Limits { time: Some(Duration::ZERO), ..testing::Limits::default() };
    testing::under(given, |watch| {
        let limits = Limits::new();
        let frame = Frame { top: 1, options: &options, limits, watch, held: 0 };
        let before = Instant::now();
        let until = super::deadline(&frame);
        assert!(before <= until && until <= Instant::now());
    });
}
