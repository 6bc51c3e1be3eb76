//! Tests of the whole house: text in, verdict out, on real games, known values, random games and
//! the commands that the README shows.
//!
//! One binary, so that the engines are linked once. Expectations are files: `games/*.facts`,
//! `tests/data`, `README.md`. Long values run where `ODDSMITH_SLOW` is set, as
//! `cargo xtask test --slow` does; what needs the folder of shared material says in one line that
//! it was left out where there is none.
#![forbid(unsafe_code)]

mod games;
mod lineup;
mod places;
mod readme;
mod seeds;
mod shared;
mod values;
