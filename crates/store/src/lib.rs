//! Memory, time and files: arenas on huge pages, and the only writer of files.
//!
//! Nothing here knows what the bytes mean.
#![deny(unsafe_op_in_unsafe_fn)]

mod file;
mod huge_vec;
mod memory;
mod time;

pub use file::{checksum, write_file};
pub use huge_vec::{HugeVec, OutOfMemory, Plain, prefetch};
pub use memory::{peak_bytes, resident_bytes};
pub use time::thread_time;
