//! Exact numbers: rationals, scaled integers of many limbs, certified bounds.
//!
//! [`Ratio`] is what questions are answered in; [`scaled`] holds the sweep's values, whole numbers
//! over a denominator that the ply knows; [`Bounds`] brackets a value where a limit stops an
//! engine. Nothing here rounds except outward, in [`Bounds`], and for display, in
//! [`Ratio::decimal`]; nothing here decides by a float.
#![forbid(unsafe_code)]

mod bounds;
mod denominator;
mod ratio;
pub mod scaled;

pub use bounds::Bounds;
pub use dashu::integer::UBig;
pub use denominator::{gcd, gcd_big, lcm, lcm_big, limbs, product, suffix_products};
pub use ratio::{ParseRatioError, Ratio};
