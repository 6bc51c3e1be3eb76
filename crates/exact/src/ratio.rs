//! A rational in lowest terms.

use dashu::rational::RBig;

/// An exact rational.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio(RBig);
