//! Memory and files: arenas on huge pages, and the only writer of files.
//!
//! Nothing here knows what the bytes mean.
