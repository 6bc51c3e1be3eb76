//! Who moves, and the numbers of joint moves.
//!
//! Roles sit in the order opponents, asked, chance. A joint move is one number in mixed radix, a
//! digit a seat, the digit being the position among the role's moves; so the number modulo the
//! product of the opponents' move counts is the ordinal of the opponents' joint move.

use std::ops::Range;

use gdl::RoleId;
use index::Id;
use net::{InputId, Net};

use crate::expand::Casting;

/// Why a kernel cannot be made for a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelFault {
    /// The joint moves of the opponents, of the chance roles, or of all roles are too many to be
    /// numbered.
    TooManyJointMoves,
}

/// A role with its place in the number of a joint move.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    /// The role.
    pub role: RoleId,
    /// Its moves.
    pub inputs: Range<usize>,
    /// Weight of its digit.
    pub weight: u128,
}

/// All roles: `opponents` seats, then the asked role, then chance.
#[derive(Clone, Debug)]
pub(crate) struct Seats {
    seats: Vec<Seat>,
    opponents: usize,
}

impl Seats {
    /// Seats the roles of a game.
    ///
    /// # Errors
    /// Where joint moves cannot be numbered.
    pub(crate) fn new(net: &Net, casting: &Casting) -> Result<Self, KernelFault> {
        let order = casting.opponents.iter().chain([&casting.asked]).chain(&casting.chance);
        let mut weight = 1u128;
        let mut seats = Vec::new();
        for &role in order {
            let inputs = net.roles[role].inputs.clone();
            let next = weight.checked_mul(inputs.len().max(1) as u128);
            seats.push(Seat { role, inputs, weight });
            weight = next.ok_or(KernelFault::TooManyJointMoves)?;
        }
        assert_eq!(seats.len(), net.roles.len(), "every role has one part");
        let opponents = casting.opponents.len();
        let (least, last) = (seats[opponents].weight, seats[opponents..].get(1).map(|s| s.weight));
        let chance = weight / last.unwrap_or(weight);
        if least > u128::from(u32::MAX) || chance > u128::from(u32::MAX) {
            return Err(KernelFault::TooManyJointMoves);
        }
        Ok(Self { seats, opponents })
    }

    /// The opponents' seats.
    pub(crate) fn opponents(&self) -> Range<usize> {
        0..self.opponents
    }

    /// The asked role's seat.
    pub(crate) fn asked(&self) -> usize {
        self.opponents
    }

    /// The chance roles' seats.
    pub(crate) fn chance(&self) -> Range<usize> {
        self.opponents + 1..self.seats.len()
    }

    /// All seats in order.
    pub(crate) fn all(&self) -> &[Seat] {
        &self.seats
    }

    /// What a move adds to the number of the joint move.
    pub(crate) fn code(&self, seat: usize, input: InputId) -> u128 {
        let Seat { inputs, weight, .. } = &self.seats[seat];
        debug_assert!(inputs.contains(&input.index()), "a move of the seat's role");
        (input.index() - inputs.start) as u128 * weight
    }

    /// The move of a seat in a joint move.
    pub(crate) fn input(&self, seat: usize, code: u128) -> InputId {
        let Seat { inputs, weight, .. } = &self.seats[seat];
        InputId::from_index(inputs.start + (code / weight % inputs.len().max(1) as u128) as usize)
    }

    /// The moves of all seats in a joint move.
    pub(crate) fn joint(&self, code: u128) -> Vec<InputId> {
        (0..self.seats.len()).map(|seat| self.input(seat, code)).collect()
    }
}
