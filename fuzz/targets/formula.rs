//! The laws of a formula, on bytes that libFuzzer makes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drop(laws::formula::hold(bytes)));
