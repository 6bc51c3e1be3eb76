//! Which joint moves the lanes of a block have: moves of each role, profiles of chance, pairs.
//!
//! Lanes with the same set of legal chance moves form a profile, so that within one the number of
//! outcomes is the same everywhere. Cost: one mask operation a move of the game, then only moves
//! that are legal somewhere are combined.

use index::Id;
use net::InputId;

use crate::expand::{Flaw, FlawKind, Mask};
use crate::frame::{Frame, add, any, both, first_lane, without};
use crate::seats::Seats;
use crate::view::View;

/// A move that is legal in some lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// The move.
    pub input: InputId,
    /// Lanes in which it is legal; never empty.
    pub mask: Mask,
}

/// The moves of one seat in a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hand {
    /// Moves that are legal somewhere, ascending.
    pub moves: Vec<Move>,
    /// Lanes with more than one of them.
    pub several: Mask,
}

/// Reads the moves of a seat in the lanes `live`, each of which must have one.
pub(crate) fn deal(
    hand: &mut Hand,
    seats: &Seats,
    seat: usize,
    view: &View,
    frame: &Frame,
    live: &Mask,
) -> Result<(), Flaw> {
    let (mut some, mut several) = (Mask::default(), Mask::default());
    hand.moves.clear();
    for input in seats.all()[seat].inputs.clone().map(InputId::from_index) {
        let mask = frame.masked(view.legal(input), live);
        if any(&mask) {
            add(&mut several, &both(&some, &mask));
            add(&mut some, &mask);
            hand.moves.push(Move { input, mask });
        }
    }
    hand.several = several;
    debug_assert!(!any(&without(&some, live)), "no lane outside");
    match first_lane(&without(live, &some)) {
        Some(lane) => Err(Flaw { lane, kind: FlawKind::NoLegalMove(seats.all()[seat].role) }),
        None => Ok(()),
    }
}

/// Splits the lanes by the set of legal moves of some hands.
pub(crate) fn profiles(live: &Mask, hands: &[Hand], out: &mut Vec<Mask>) {
    out.clear();
    out.extend(any(live).then_some(*live));
    for legal in hands.iter().flat_map(|hand| &hand.moves) {
        for index in 0..out.len() {
            let inside = both(&out[index], &legal.mask);
            if any(&inside) && inside != out[index] {
                let outside = without(&out[index], &legal.mask);
                out[index] = inside;
                out.push(outside);
            }
        }
    }
    debug_assert!(out.iter().all(any), "profiles have lanes");
}

/// A joint chance move, with all that have the same effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Its part of the joint move's number.
    pub code: u128,
    /// How many joint chance moves it stands for.
    pub weight: u32,
}

/// Which moves of the chance seats have equal effect.
#[derive(Clone, Debug)]
pub(crate) struct EffectClasses {
    /// By input: its class, or itself where no class names it.
    class_of: Vec<usize>,
    /// By class: where it stands in the list that is being made.
    position: Vec<usize>,
}

const NOWHERE: usize = usize::MAX;

impl EffectClasses {
    /// Classes as lists of moves; a move that is in none is a class of its own.
    pub(crate) fn new(inputs: usize, classes: &[Vec<Vec<InputId>>]) -> Self {
        let mut class_of: Vec<usize> = (0..inputs).collect();
        for class in classes.iter().flatten().filter(|class| !class.is_empty()) {
            let name = class[0].index();
            class.iter().for_each(|input| class_of[input.index()] = name);
        }
        Self { class_of, position: vec![NOWHERE; inputs] }
    }

    /// The outcomes in the lanes `profile`, in all of which the same chance moves are legal, and
    /// the number of joint chance moves.
    pub(crate) fn outcomes(
        &mut self,
        profile: &Mask,
        hands: &[Hand],
        seats: &Seats,
        out: &mut Vec<Outcome>,
    ) -> u32 {
        out.clear();
        out.push(Outcome { code: 0, weight: 1 });
        let mut total = 1u32;
        for (hand, seat) in hands.iter().zip(seats.chance()) {
            let merged = self.merged(profile, hand, seat, seats);
            let count: u32 = merged.iter().map(|outcome| outcome.weight).sum();
            total = total.checked_mul(count).expect("seats bound the joint chance moves");
            let product = out.iter().flat_map(|a| {
                merged
                    .iter()
                    .map(|b| Outcome { code: a.code + b.code, weight: a.weight * b.weight })
            });
            *out = product.collect();
        }
        debug_assert_eq!(out.iter().map(|outcome| outcome.weight).sum::<u32>(), total);
        total
    }

    /// The legal moves of one hand, merged by class, in the order of their first members.
    fn merged(&mut self, profile: &Mask, hand: &Hand, seat: usize, seats: &Seats) -> Vec<Outcome> {
        let mut merged: Vec<Outcome> = Vec::new();
        let legal = hand.moves.iter().filter(|held| any(&both(&held.mask, profile)));
        for held in legal.clone() {
            let position = &mut self.position[self.class_of[held.input.index()]];
            if *position == NOWHERE {
                *position = merged.len();
                merged.push(Outcome { code: seats.code(seat, held.input), weight: 0 });
            }
            merged[*position].weight += 1;
        }
        legal.for_each(|held| self.position[self.class_of[held.input.index()]] = NOWHERE);
        merged
    }
}

/// A move of the asked role with a joint move of the opponents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// The part of the joint move's number.
    pub code: u128,
    /// Lanes in which it is legal.
    pub mask: Mask,
}

/// The opponents' joint moves that are legal in some lanes of `within`, numbered from `code`.
pub(crate) fn pairs(within: Mask, code: u128, hands: &[Hand], seats: &Seats, out: &mut Vec<Pair>) {
    out.clear();
    out.push(Pair { code, mask: within });
    for (hand, seat) in hands.iter().zip(seats.opponents()) {
        let before = out.len();
        for index in 0..before {
            let base = out[index];
            for held in &hand.moves {
                let mask = both(&base.mask, &held.mask);
                if any(&mask) {
                    out.push(Pair { code: base.code + seats.code(seat, held.input), mask });
                }
            }
        }
        out.drain(..before);
    }
    debug_assert!(out.iter().all(|pair| any(&pair.mask)), "pairs have lanes");
}
