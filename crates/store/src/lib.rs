//! Memory and files: arenas on huge pages, and the only writer of files.
//!
//! Nothing here knows what the bytes mean.
#![deny(unsafe_op_in_unsafe_fn)]

mod huge_vec;

pub use huge_vec::{HugeVec, OutOfMemory, Plain, prefetch};
