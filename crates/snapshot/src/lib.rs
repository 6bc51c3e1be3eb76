//! Text on file, for tests: what a stage makes of fixed inputs is held to what it made before.
//!
//! That a stage is right, its laws say. What no law sees (a heuristic that finds less, an order that
//! changes, work that is done twice) shows here, so that a change of it is a choice and no accident.
//! `ODDSMITH_UPDATE=1` writes the files anew.
#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

/// Compares a text with a file line by line, or writes the file where `ODDSMITH_UPDATE` is set.
///
/// # Panics
/// Where they differ, with the first line that does, and where the file cannot be read or written.
pub fn hold(path: &Path, text: &str) {
    if std::env::var_os("ODDSMITH_UPDATE").is_some() {
        fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let filed =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for (at, (now, was)) in text.lines().zip(filed.lines()).enumerate() {
        assert_eq!(now, was, "{}:{}: (ODDSMITH_UPDATE=1 writes it)", path.display(), at + 1);
    }
    assert_eq!(text.lines().count(), filed.lines().count(), "{}: lines", path.display());
}

/// A short stand-in for a long text: equal for equal texts, and else almost surely not (FNV-1a).
pub fn print(text: &str) -> u64 {
    let step = |print: u64, byte: u8| (print ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_are_those_of_fnv() {
        assert_eq!(print(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(print("a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn a_line_that_differs_is_told() {
        let path = std::env::temp_dir().join(format!("oddsmith-snapshot-{}", std::process::id()));
        fs::write(&path, "a\nb\n").expect("a file");
        let held = |text: &'static str| {
            let path = path.clone();
            std::panic::catch_unwind(move || hold(&path, text)).is_ok()
        };
        let found = [held("a\nb\n"), held("a\nc\n"), held("a\n"), held("a\nb\nc\n")];
        fs::remove_file(&path).expect("it is there");
        let wanted = [true, false, false, false];
        assert!(std::env::var_os("ODDSMITH_UPDATE").is_some() || found == wanted, "{found:?}");
    }
}
