//! The law of a table, on bytes that libFuzzer makes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drop(laws::table::hold(bytes)));
