//! The laws of a game that compiles, on bytes that libFuzzer makes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drop(laws::plays::hold(bytes)));
