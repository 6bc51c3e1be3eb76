//! One home per hazard: each row of the table names what is dangerous and where it may live.
//!
//! A hazard outside its home is found by its words in the code, comments and literals blanked.
//! Crates that are not a home of `unsafe` forbid it in each of their roots, so that the compiler
//! holds the row as well.

use std::collections::BTreeSet;

use super::source::{code, lines_with, test_modules, without_tests};
use super::{Finding, Tree};

/// A hazard and its homes.
struct Hazard {
    /// The words that show it.
    words: &'static [&'static str],
    /// Path prefixes where it may live.
    homes: &'static [&'static str],
    /// Whether tests inside a crate may use it as well (to say that they were left out, say).
    free_in_tests: bool,
    /// What would be right.
    right: &'static str,
}

const UNSAFE_HOMES: &[&str] =
    &["crates/compiled/kernel/", "crates/store/", "crates/symbolic/sqasp/src/ground/clingo"];

const HAZARDS: &[Hazard] = &[
    Hazard {
        words: &["unsafe"],
        homes: UNSAFE_HOMES,
        free_in_tests: false,
        right: "`unsafe` lives only in `kernel` (lane loops), `store` (mapping, arenas) and the files \
                of `sqasp` that call clingo",
    },
    Hazard {
        words: &["fs::write", "File::create", "OpenOptions", "create_dir", "create_dir_all"],
        homes: &["crates/store/", "crates/snapshot/", "tests/", "xtask/", "benches/"],
        free_in_tests: true,
        right: "files are written only by `store`",
    },
    Hazard {
        words: &["println!", "print!", "eprintln!", "eprint!", "io::stdout", "io::stderr"],
        homes: &["crates/cli/", "crates/symbolic/xssat/examples/", "tests/", "xtask/", "benches/"],
        free_in_tests: true,
        right: "text is printed only by `cli`: return it, or report progress through `Watch`",
    },
    Hazard {
        words: &["f32", "f64"],
        homes: FLOAT_HOMES,
        free_in_tests: false,
        right: "floating point only where numbers are shown or timed (the list in \
                xtask/src/tidy/hazards.rs); decide with integers or `exact::Ratio`",
    },
    Hazard {
        words: &["z3::"],
        homes: &["crates/audit/"],
        free_in_tests: false,
        right: "z3 is asked only by `audit`, under its feature",
    },
    Hazard {
        words: &["clingo::", "clingo_sys"],
        homes: &["crates/symbolic/sqasp/"],
        free_in_tests: false,
        right: "clingo is called only by `sqasp`, under its feature `clingo`",
    },
    Hazard {
        words: &["wgpu::"],
        homes: &["crates/compiled/device/"],
        free_in_tests: false,
        right: "graphics devices are opened only by `device`",
    },
];

/// Where a float may be: the decimal display, times and shares of a time limit, and the programs
/// that show figures.
const FLOAT_HOMES: &[&str] = &[
    "crates/exact/src/ratio.rs",
    "crates/verdict/src/engine.rs",
    "crates/compiled/solve/src/limits.rs",
    "crates/compiled/solve/src/search/",
    "crates/compiled/solve/src/sweep/estimate.rs",
    "crates/compiled/solve/src/sweep/halting.rs",
    "crates/compiled/solve/src/sweep/halting/tests.rs",
    "crates/compiled/solve/src/sweep/graph.rs",
    "crates/compiled/solve/src/sweep/layers.rs",
    "crates/compiled/solve/src/sweep/plies.rs",
    "crates/compiled/solve/src/sweep/recurrent/mod.rs",
    "crates/compiled/device/src/backend.rs",
    "crates/crosscheck/src/agree.rs",
    "crates/cli/",
    "benches/",
    "xtask/",
];

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    let test_files = test_files(tree);
    for (path, text) in tree.with_suffix(".rs") {
        let code = code(text);
        let is_test = path.contains("/tests/") || test_files.contains(path);
        let untested = if is_test { String::new() } else { without_tests(&code) };
        for hazard in HAZARDS.iter().filter(|hazard| !is_home(path, hazard.homes)) {
            let searched = if hazard.free_in_tests { &untested } else { &code };
            check_words(path, searched, hazard, findings);
        }
        check_forbids(path, &code, findings);
    }
}

/// The files of modules that are declared for tests only.
fn test_files(tree: &Tree) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for (path, text) in tree.with_suffix(".rs") {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let inner = match name {
            "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
            other => format!("{folder}/{}", other.trim_end_matches(".rs")),
        };
        for module in test_modules(&code(text)) {
            files.insert(format!("{inner}/{module}.rs"));
            files.insert(format!("{inner}/{module}/mod.rs"));
        }
    }
    files
}

fn is_home(path: &str, homes: &[&str]) -> bool {
    homes.iter().any(|home| path.starts_with(home))
}

fn check_words(path: &str, code: &str, hazard: &Hazard, findings: &mut Vec<Finding>) {
    for word in hazard.words {
        for line in lines_with(code, word) {
            findings.push(Finding::new(
                path,
                line,
                format!("`{word}` is not at home here"),
                hazard.right,
            ));
        }
    }
}

fn check_forbids(path: &str, code: &str, findings: &mut Vec<Finding>) {
    let due = is_crate_root(path) && !is_home(path, UNSAFE_HOMES);
    // A crate of which one file is a home can only deny what that file expects.
    let folder = path.trim_end_matches(|letter| letter != '/');
    let has_home = UNSAFE_HOMES.iter().any(|home| home.starts_with(folder));
    let held = if has_home { "#![deny(unsafe_code)]" } else { "#![forbid(unsafe_code)]" };
    if due && !code.contains(held) {
        let wrong = "this crate root does not forbid `unsafe`";
        findings.push(Finding::new(path, 1, wrong, format!("write `{held}` under the header")));
    }
}

/// Whether the file is the root of a library, a program or a test binary of the test package; the
/// tests inside a crate are held by the first row of the table alone.
fn is_crate_root(path: &str) -> bool {
    let folders: Vec<&str> = path.split('/').collect();
    matches!(
        folders.as_slice(),
        [.., "src", "lib.rs" | "main.rs"]
            | [.., "src", "bin", _]
            | ["tests", "tests", _, "main.rs"]
    )
}

#[cfg(test)]
mod tests {
    use super::is_crate_root;
    use crate::tidy::findings_of;

    fn planted(path: &str, text: &str) -> Vec<String> {
        findings_of(super::check, &[(path, text)])
    }

    #[test]
    fn each_hazard_is_found_outside_its_home_and_not_inside() {
        for (line, home) in [
            ("unsafe { }", "crates/compiled/kernel/src/lanes.rs"),
            ("std::fs::write(p, t);", "crates/store/src/file.rs"),
            ("File::create(p);", "crates/store/src/file.rs"),
            ("println!();", "crates/cli/src/show.rs"),
            ("let _: f64;", "crates/cli/src/show.rs"),
            ("use z3::Solver;", "crates/audit/src/matrix.rs"),
        ] {
            let found = planted("crates/gdl/src/reader.rs", &format!("//! x\n{line}\n"));
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            assert!(found[0].starts_with("crates/gdl/src/reader.rs:2: "));
            assert_eq!(planted(home, line), Vec::<String>::new());
        }
        assert_eq!(planted("crates/cli/src/gpu.rs", "use wgpu::Device;").len(), 1);
    }

    #[test]
    fn words_in_comments_and_strings_are_free() {
        let text = "// unsafe f64 println!\nlet a = \"unsafe\";\n";
        assert_eq!(planted("crates/gdl/src/reader.rs", text), Vec::<String>::new());
    }

    #[test]
    fn tests_may_write_files_and_print_and_nothing_else() {
        let test = |body: &str| format!("#[cfg(test)]\nmod tests {{ fn t() {{ {body} }} }}\n");
        assert!(planted("crates/gdl/src/reader.rs", &test("File::create(p);")).is_empty());
        assert!(planted("crates/gdl/tests/faults.rs", "//! x\nprintln!();\n").is_empty());
        let declared = [
            ("crates/gdl/src/reader.rs", "//! x\n#[cfg(test)]\nmod faults;\nmod other;\n"),
            ("crates/gdl/src/reader/faults.rs", "//! x\nprintln!();\n"),
            ("crates/gdl/src/reader/other.rs", "//! x\nprintln!();\n"),
        ];
        let found = findings_of(super::check, &declared);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/gdl/src/reader/other.rs:2: "));
        assert_eq!(planted("crates/gdl/src/reader.rs", &test("unsafe {}")).len(), 1);
    }

    #[test]
    fn roots_forbid_unsafe() {
        let found = planted("crates/gdl/src/lib.rs", "//! x\n");
        assert!(found[0].contains("does not forbid"), "{found:?}");
        assert!(planted("crates/gdl/src/lib.rs", "//! x\n#![forbid(unsafe_code)]\n").is_empty());
        assert!(planted("crates/store/src/lib.rs", "//! x\n").is_empty());
        let is_root = ["crates/cli/src/main.rs", "tests/tests/all/main.rs"].map(is_crate_root);
        let is_none = ["tests/tests/all/games.rs", "crates/cli/src/show.rs"].map(is_crate_root);
        assert_eq!((is_root, is_none), ([true; 2], [false; 2]));
    }
}
