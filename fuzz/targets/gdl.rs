//! The laws of a rulesheet, on bytes that libFuzzer makes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::sheet::hold(bytes));
