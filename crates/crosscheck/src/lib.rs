//! (content follows)
#![forbid(unsafe_code)]

pub mod families;
