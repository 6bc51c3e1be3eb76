//! Every source file says what it is, and holds no unfinished or silenced business.

use super::source::{code, lines_with};
use super::{Finding, Tree};

/// What no source may hold, and what would be right.
const BANNED: &[(&str, &str)] = &[
    ("todo!", "finish it, or return an error that says what is missing"),
    ("unimplemented!", "finish it, or return an error that says what is missing"),
    ("dbg!", "take the debugging line out"),
    ("#[ignore", "let the test run, or put it behind `cargo xtask test --slow`"),
    ("#[allow(", "mend it, or use `#[expect(.., reason = \"..\")]`"),
    ("#![allow(", "mend it, or use `#[expect(.., reason = \"..\")]` where it is needed"),
];

/// Names that say nothing about what a module holds.
const NAMELESS: &[&str] = &["util", "utils", "misc", "helper", "helpers", "common", "stuff"];

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for (path, text) in tree.with_suffix(".rs") {
        check_header(path, text, findings);
        check_name(path, findings);
        check_banned(path, text, findings);
    }
}

fn check_header(path: &str, text: &str, findings: &mut Vec<Finding>) {
    if !text.starts_with("//! ") {
        let right = "begin with `//!` and say what is computed, and what always holds";
        findings.push(Finding::new(path, 1, "this file has no header", right));
    }
}

fn check_name(path: &str, findings: &mut Vec<Finding>) {
    let named = path.trim_end_matches(".rs").split('/').find(|part| NAMELESS.contains(part));
    if let Some(part) = named {
        let wrong = format!("`{part}` does not say what the module holds");
        findings.push(Finding::new(path, 1, wrong, "name it after the one thing it is about"));
    }
}

fn check_banned(path: &str, text: &str, findings: &mut Vec<Finding>) {
    let code = code(text);
    for (word, right) in BANNED {
        for line in lines_with(&code, word) {
            findings.push(Finding::new(
                path,
                line,
                format!("`{word}` does not belong here"),
                *right,
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tidy::findings_of;

    fn planted(path: &str, text: &str) -> Vec<String> {
        findings_of(super::check, &[(path, text)])
    }

    #[test]
    fn a_plain_file_is_fine() {
        assert!(
            planted("crates/gdl/src/reader.rs", "//! Reads.\n// todo! is a word here\n").is_empty()
        );
    }

    #[test]
    fn a_missing_header_is_found() {
        assert!(planted("crates/gdl/src/reader.rs", "use x;\n")[0].contains("no header"));
    }

    #[test]
    fn a_module_without_a_name_is_found() {
        for path in ["crates/gdl/src/util.rs", "crates/gdl/src/helpers/mod.rs"] {
            assert_eq!(planted(path, "//! x\n").len(), 1, "{path}");
        }
        assert!(planted("crates/gdl/src/utility.rs", "//! A utility of a state.\n").is_empty());
    }

    #[test]
    fn unfinished_and_silenced_business_is_found() {
        for line in ["todo!()", "dbg!(x)", "unimplemented!()", "#[ignore]", "#[allow(dead_code)]"] {
            let found = planted("crates/gdl/src/reader.rs", &format!("//! x\n\n{line}\n"));
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            assert!(found[0].starts_with("crates/gdl/src/reader.rs:3: "));
        }
    }
}
