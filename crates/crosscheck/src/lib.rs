//! (content follows)
#![forbid(unsafe_code)]
