//! Memory, time and files: arenas on huge pages, and the only writer of files, whole or in frames.
//!
//! Nothing here knows what the bytes mean.
#![deny(unsafe_op_in_unsafe_fn)]

mod file;
mod folder;
mod frames;
mod huge_vec;
mod memory;
mod numbers;
mod time;

pub use file::{checksum, let_large_writes_fail, write_file};
pub use folder::{HeldFile, HeldFolder, HoldError, folder_names};
pub use frames::{Frame, FrameFile, FrameNumbers, FrameWriter, Framed, Scratch};
pub use huge_vec::{HugeVec, OutOfMemory, Plain, prefetch};
pub use memory::{peak_bytes, resident_bytes};
pub use numbers::{Coding, Number};
pub use time::thread_time;
