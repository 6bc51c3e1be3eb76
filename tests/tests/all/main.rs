//! Tests of the whole house: text in, verdict out, on real games, known values and random games.
//!
//! One binary, so that the engines are linked once. Expectations are files: `games/*.facts`
//! and `tests/data`. Long values run where `ODDSMITH_SLOW` is set, as
//! `cargo xtask test --slow` does; what needs the folder of shared material says in one line that
//! it was left out where there is none.
#![forbid(unsafe_code)]

mod counts;
mod depths;
mod games;
mod gpu;
mod lineup;
mod orbits;
mod pitfalls;
mod places;
mod players;
mod prism;
mod seeds;
mod shared;
mod subgames;
#[cfg(feature = "symbolic")]
mod symbolic;
mod tables;
mod values;
mod wgsl;
