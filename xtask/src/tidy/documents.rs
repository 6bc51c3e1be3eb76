//! What is committed as text names no machine and no mirror, and the change log names the version.

use super::{Finding, Tree};

/// Where cargo's own registry is named in the lock file.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Paths of one machine: no reader has them.
const MACHINE_PATHS: &[&str] = &["/work/", "/tmp/", "/home/", "/root/", "/Users/"];

/// Words of a host name that serves packages from elsewhere.
const MIRRORS: &[&str] = &["artifactory", "nexus.", "mirror.", "mirrors.", "proxy.", "registry."];

/// This module writes out what it looks for.
const EXEMPT: &str = "xtask/src/tidy/documents.rs";

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    check_change_log(tree, findings);
    for (path, text) in tree.files().filter(|(path, _)| *path != EXEMPT) {
        for (at, line) in text.lines().enumerate() {
            if path == "Cargo.lock" {
                check_lock(at + 1, line, findings);
            } else {
                check_line(path, at + 1, line, findings);
            }
        }
    }
}

fn check_change_log(tree: &Tree, findings: &mut Vec<Finding>) {
    let page = tree.get("CHANGELOG.md").unwrap_or_default();
    let has = |name: &str| page.lines().any(|line| line.starts_with("## ") && line.contains(name));
    if !has("Unreleased") && !has("0.1.0") {
        let right = "add a section `## Unreleased` with what a user gains";
        findings.push(Finding::new("CHANGELOG.md", 1, "no section for the coming version", right));
    }
}

fn check_lock(line: usize, text: &str, findings: &mut Vec<Finding>) {
    if text.starts_with("source = ") && !text.contains(REGISTRY) {
        let right = "lock crates from the default registry only";
        findings.push(Finding::new("Cargo.lock", line, "a crate from elsewhere", right));
    }
}

fn check_line(path: &str, line: usize, text: &str, findings: &mut Vec<Finding>) {
    if let Some(found) = MACHINE_PATHS.iter().find(|found| names_path(text, found)) {
        let wrong = format!("`{found}` is a path of one machine");
        findings.push(Finding::new(path, line, wrong, "write it from the root of the checkout"));
    }
    if let Some(host) = hosts(text).find(|host| MIRRORS.iter().any(|word| host.contains(word))) {
        let wrong = format!("`{host}` serves packages from elsewhere");
        findings.push(Finding::new(
            path,
            line,
            wrong,
            "leave the registry to the user's own settings",
        ));
    }
}

/// Whether the path starts in the text: nothing that could be a longer path stands before it.
fn names_path(text: &str, wanted: &str) -> bool {
    text.match_indices(wanted).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || "./_-}".contains(letter))
    })
}

fn hosts(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("://").map(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        rest.split(|letter: char| letter == '/' || letter.is_whitespace()).next().unwrap_or(rest)
    })
}

#[cfg(test)]
mod tests {
    use crate::tidy::findings_of;

    fn planted(path: &str, text: &str) -> Vec<String> {
        findings_of(super::check, &[("CHANGELOG.md", "## 0.1.0\n"), (path, text)])
    }

    #[test]
    fn machine_paths_are_found_and_relative_ones_are_not() {
        let found = planted("README.md", "a\nsee /work/main\n");
        assert!(
            found[0].starts_with("README.md:2: `/work/` is a path of one machine"),
            "{found:?}"
        );
        assert!(planted("README.md", "see ../shared/work/x and crates/tmp/y\n").is_empty());
    }

    #[test]
    fn mirrors_are_found() {
        let found = planted(".cargo/config.toml", "url = \"https://mirror.example.org/crates\"\n");
        assert!(found[0].contains("mirror.example.org"), "{found:?}");
        assert!(planted("README.md", "https://arxiv.org/abs/2605.23705\n").is_empty());
    }

    #[test]
    fn the_lock_file_names_one_registry() {
        let good = format!("source = \"{}\"\n", super::REGISTRY);
        assert!(planted("Cargo.lock", &good).is_empty());
        assert_eq!(planted("Cargo.lock", "source = \"registry+https://elsewhere.org\"\n").len(), 1);
    }

    #[test]
    fn the_change_log_has_a_coming_section() {
        let found = findings_of(super::check, &[("CHANGELOG.md", "# Changes\n## 0.0.1\n")]);
        assert!(found[0].contains("no section for the coming version"), "{found:?}");
    }
}
