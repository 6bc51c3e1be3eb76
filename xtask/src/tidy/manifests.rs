//! Members as packages: each has content, takes the workspace's lints, and has a paragraph of its
//! own in ARCHITECTURE.md; no paragraph describes a crate that is not there.

use super::manifest::{Member, members};
use super::source;
use super::{Finding, Tree};

/// A crate with fewer lines of code than this is a placeholder.
const LEAST_CODE_LINES: usize = 20;

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    let members = members(tree);
    for member in &members {
        check_content(tree, member, findings);
        check_lints(member, findings);
    }
    check_architecture(tree, &members, findings);
}

fn check_content(tree: &Tree, member: &Member, findings: &mut Vec<Finding>) {
    let nested = |path: &str| {
        // `crates/compiled/net` is not part of a member `crates/compiled`, should there be one.
        !path.starts_with(&format!("{}/src", member.folder))
            && !path.starts_with(&format!("{}/tests", member.folder))
    };
    let sources =
        tree.below(&member.folder).filter(|(path, _)| path.ends_with(".rs") && !nested(path));
    let lines: usize = sources.map(|(_, text)| code_lines(text)).sum();
    if lines < LEAST_CODE_LINES {
        findings.push(Finding::new(
            member.manifest(),
            1,
            format!("`{}` holds {lines} lines of code", member.package),
            format!("a crate arrives with its content, at least {LEAST_CODE_LINES} lines"),
        ));
    }
}

fn code_lines(text: &str) -> usize {
    source::code(text).lines().filter(|line| !line.trim().is_empty()).count()
}

fn check_lints(member: &Member, findings: &mut Vec<Finding>) {
    let inherited = member.entries.iter().any(|entry| {
        let key = format!("{}.{}", entry.section, entry.key);
        (key == "lints.workspace" || key == ".lints.workspace") && entry.value == "true"
    });
    if !inherited {
        findings.push(Finding::new(
            member.manifest(),
            1,
            format!("`{}` does not take the workspace's lints", member.package),
            "write `[lints]` and `workspace = true`",
        ));
    }
}

fn check_architecture(tree: &Tree, members: &[Member], findings: &mut Vec<Finding>) {
    const PAGE: &str = "ARCHITECTURE.md";
    let Some(page) = tree.get(PAGE) else {
        findings.push(Finding::new(
            PAGE,
            1,
            "there is no such page",
            "describe every member in it",
        ));
        return;
    };
    let described = headings(page);
    for member in members.iter().filter(|m| !described.iter().any(|(_, name)| *name == m.folder)) {
        findings.push(Finding::new(
            PAGE,
            1,
            format!("`{}` has no paragraph", member.folder),
            format!("add one under the heading \"### `{}`\"", member.folder),
        ));
    }
    for (line, name) in &described {
        if !members.iter().any(|member| member.folder == *name) {
            let right = "describe what exists: members of the root Cargo.toml";
            findings.push(Finding::new(PAGE, *line, format!("`{name}` is not a member"), right));
        }
    }
    check_order(members, &described, findings);
}

/// The paragraphs stand in the order of the members, which is the order of the data's journey.
fn check_order(members: &[Member], described: &[(usize, &str)], findings: &mut Vec<Finding>) {
    let place = |name: &str| members.iter().position(|member| member.folder == name);
    let places: Vec<(usize, usize, &str)> =
        described.iter().filter_map(|(line, name)| Some((place(name)?, *line, *name))).collect();
    for pair in places.windows(2).filter(|pair| pair[0].0 > pair[1].0) {
        findings.push(Finding::new(
            "ARCHITECTURE.md",
            pair[1].1,
            format!("`{}` stands after `{}`", pair[1].2, pair[0].2),
            "keep the order of `members`",
        ));
    }
}

/// The headings that name a crate: line and folder.
fn headings(page: &str) -> Vec<(usize, &str)> {
    page.lines()
        .enumerate()
        .filter_map(|(at, line)| {
            let name = line.strip_prefix("### `")?.split_once('`')?.0;
            Some((at + 1, name))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::tidy::findings_of;

    const ROOT: &str = "[workspace]\nmembers = [\"a\", \"b\"]\n";
    const LINTED: &str = "[package]\nname = \"x\"\n[lints]\nworkspace = true\n";

    fn full() -> String {
        "fn f() {}\n".repeat(20)
    }

    fn planted(manifest: &str, source: &str, page: &str) -> Vec<String> {
        let full = full();
        findings_of(
            super::check,
            &[
                ("Cargo.toml", ROOT),
                ("a/Cargo.toml", manifest),
                ("a/src/lib.rs", source),
                ("b/Cargo.toml", LINTED),
                ("b/src/lib.rs", &full),
                ("ARCHITECTURE.md", page),
            ],
        )
    }

    #[test]
    fn a_sound_workspace_has_no_finding() {
        assert_eq!(planted(LINTED, &full(), "### `a`\n\n### `b`: more\n"), Vec::<String>::new());
    }

    #[test]
    fn placeholders_and_missing_lints_are_found() {
        let commented = "// a comment is not content\n".repeat(40);
        let found = planted(LINTED, &commented, "### `a`\n### `b`\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("`x` holds 0 lines of code"));
        let found = planted("[package]\nname = \"x\"\n", &full(), "### `a`\n### `b`\n");
        assert!(found[0].contains("does not take the workspace's lints"), "{found:?}");
    }

    #[test]
    fn the_page_names_exactly_the_members_in_order() {
        let found = planted(LINTED, &full(), "### `a`\n### `gone`\n");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("`b` has no paragraph"));
        assert!(found[1].starts_with("ARCHITECTURE.md:2: `gone` is not a member"));
        let found = planted(LINTED, &full(), "### `b`\n### `a`\n");
        assert!(found[0].contains("`a` stands after `b`"), "{found:?}");
    }
}
