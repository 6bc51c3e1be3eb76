//! Exact numbers: rationals, scaled integers of many limbs, certified bounds.
//!
//! Nothing here rounds except outward, in [`Bounds`], and nothing here is a float.
#![forbid(unsafe_code)]

mod ratio;

pub use ratio::Ratio;
