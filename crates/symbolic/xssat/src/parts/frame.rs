//! Frame: a part that is being valued, and where its value matters.
//!
//! Values up to a *floor* are alike: something else that an exists-variable further out can have is
//! worth as much. A part may then come back with any upper bound that is not above its floor, marked
//! as such. A floor of 0 lets nothing come back but the value itself.
//!
//! Floors go down through exists, forall and products: a product is at most each of its factors, and
//! no factor is above 1. Below a branch on chance all values are exact: parts are met again there
//! under other floors, and bounds would be of no use to them (measured on games and on plans).
//!
//! Source: Knuth and Moore, *An analysis of alpha-beta pruning* (1975).

use qcnf::Lit;

use super::cache::Ticket;
use super::component::Component;
use super::value::Value;

/// A value, or an upper bound on one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Valued {
    pub(crate) value: Value,
    /// Whether it is the value itself.
    pub(crate) is_exact: bool,
}

impl Valued {
    pub(crate) fn exact(value: Value) -> Self {
        Self { value, is_exact: true }
    }

    /// The least that it can be.
    pub(super) fn least(&self) -> Value {
        if self.is_exact { self.value.clone() } else { Value::Zero }
    }
}

/// A part that is being valued.
pub(super) struct Frame {
    pub(super) component: Component,
    /// The literal that is branched on; none where the part only falls into parts.
    pub(super) lit: Option<Lit>,
    /// Whether this is the second value.
    pub(super) second: bool,
    /// Choices before the branch.
    pub(super) depth: u32,
    /// Parts on the stack below those of the branch.
    pub(super) below: usize,
    /// Values up to this are alike for the branch.
    pub(super) floor: Value,
    /// The value under the first literal.
    pub(super) first: Valued,
    /// The value of the branch so far.
    pub(super) product: Valued,
    /// Where the value is kept.
    pub(super) ticket: Option<Ticket>,
    /// The cache as the branch began.
    pub(super) since: Ticket,
}

impl Frame {
    /// The floor of a part of the branch. Any lower one is right as well: of long numbers it is 0.
    pub(super) fn floor_of_part(&self) -> Value {
        let is_long = self.floor.is_long() || self.product.value.is_long();
        if self.floor.is_zero() || is_long {
            return Value::Zero;
        }
        self.floor.over(&self.product.value)
    }

    /// Whether the branch is known to be worth no more than its floor.
    pub(super) fn is_low(&self) -> bool {
        self.product.value.is_at_most(&self.floor)
    }

    /// Takes the value of one of the branch's parts.
    pub(super) fn multiply(&mut self, part: &Valued) {
        let product = std::mem::replace(&mut self.product.value, Value::Zero);
        self.product.value = product.times(&part.value);
        // Nothing times a bound is nothing.
        self.product.is_exact &= part.is_exact;
        self.product.is_exact |= self.product.value.is_zero();
        debug_assert!(self.product.is_exact || self.is_low(), "a bound above its floor");
    }
}
