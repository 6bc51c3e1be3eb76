//! The order of the members is the layering rule: an import points backward in that list.
//!
//! Beyond the order: the two engines never meet (`compiled/` and `symbolic/`), the cross-check
//! sees engines through the trait alone, and the chores see no crate at all. Dev-dependencies
//! follow the same rules unless they are listed here with a reason.

use super::manifest::{Entry, Member, members};
use super::{Finding, Tree};

/// Dev-dependencies that may break the order: package, dependency, why.
const DEV_EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// Imports that the order would allow and the design does not: package, dependency, why.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    ("crosscheck", "ground", "the oracle must share only gdl and verdict with the engines"),
    ("crosscheck", "net", "the oracle must share only gdl and verdict with the engines"),
    ("crosscheck", "kernel", "the oracle must share only gdl and verdict with the engines"),
    ("crosscheck", "solve", "the oracle must share only gdl and verdict with the engines"),
];

/// An import of another member.
struct Import<'a> {
    from: &'a Member,
    to: &'a Member,
    entry: &'a Entry,
    dev: bool,
}

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    let members = members(tree);
    for (place, from) in members.iter().enumerate() {
        for import in imports(from, &members) {
            let backward =
                members[..place].iter().any(|earlier| earlier.package == import.to.package);
            if let Some((wrong, right)) = fault(&import, backward) {
                findings.push(Finding::new(from.manifest(), import.entry.line, wrong, right));
            }
        }
    }
}

fn imports<'a>(from: &'a Member, members: &'a [Member]) -> Vec<Import<'a>> {
    let import = |entry: &'a Entry| {
        let (name, dev) = dependency(entry)?;
        let to = members.iter().find(|member| member.package == name)?;
        Some(Import { from, to, entry, dev })
    };
    from.entries.iter().filter_map(import).collect()
}

/// The name that an entry depends on, and whether for tests only. Understands
/// `name.workspace = true`, `name = { .. }`, and a section of its own for each dependency.
fn dependency(entry: &Entry) -> Option<(&str, bool)> {
    let section = entry.section.rsplit_once("dependencies")?;
    let (kind, own) = section;
    if entry.section.starts_with("workspace.") {
        return None;
    }
    let dev = kind.ends_with("dev-");
    let name = own.strip_prefix('.').unwrap_or_else(|| entry.key.split('.').next().unwrap_or(""));
    Some((name, dev))
}

fn fault(import: &Import<'_>, backward: bool) -> Option<(String, String)> {
    let (from, to) = (import.from.package.as_str(), import.to.package.as_str());
    let excepted = DEV_EXCEPTIONS.iter().any(|row| (row.0, row.1) == (from, to));
    if import.dev && excepted {
        return None;
    }
    if sides_meet(&import.from.folder, &import.to.folder) {
        let wrong = format!("`{from}` imports `{to}`: the two engines must share nothing");
        return Some((wrong, "move what both need into `verdict`, or below it".into()));
    }
    if let Some((.., why)) =
        FORBIDDEN.iter().find(|row| !import.dev && (row.0, row.1) == (from, to))
    {
        let wrong = format!("`{from}` imports `{to}`: {why}");
        return Some((wrong, "take engines as `&dyn verdict::Engine`".into()));
    }
    if from == "xtask" {
        let wrong = format!("`xtask` imports `{to}`, and would be built again with every change");
        return Some((wrong, "keep the chores free of the workspace's crates".into()));
    }
    let wrong = format!("`{from}` imports `{to}`, which does not stand before it in `members`");
    (!backward).then(|| (wrong, "let imports point backward in the root Cargo.toml".into()))
}

fn sides_meet(from: &str, to: &str) -> bool {
    let side = |folder: &str| {
        ["crates/compiled/", "crates/symbolic/"].iter().position(|side| folder.starts_with(side))
    };
    matches!((side(from), side(to)), (Some(left), Some(right)) if left != right)
}

#[cfg(test)]
mod tests {
    use crate::tidy::findings_of;

    const ROOT: &str = "[workspace]\nmembers = [\"crates/compiled/net\", \"crates/symbolic/xssat\", \
                        \"crates/crosscheck\", \"crates/compiled/solve\", \"xtask\"]\n";

    fn with(folder: &str, package: &str, dependencies: &str) -> Vec<String> {
        let planted = format!("[package]\nname = \"{package}\"\n{dependencies}");
        let path = format!("{folder}/Cargo.toml");
        let mut files = vec![
            ("Cargo.toml", ROOT),
            ("crates/compiled/net/Cargo.toml", "[package]\nname = \"net\"\n"),
            ("crates/symbolic/xssat/Cargo.toml", "[package]\nname = \"xssat\"\n"),
            ("crates/crosscheck/Cargo.toml", "[package]\nname = \"crosscheck\"\n"),
            ("crates/compiled/solve/Cargo.toml", "[package]\nname = \"solve\"\n"),
            ("xtask/Cargo.toml", "[package]\nname = \"xtask\"\n"),
        ];
        files.retain(|(other, _)| *other != path);
        files.push((&path, &planted));
        findings_of(super::check, &files)
    }

    #[test]
    fn backward_imports_are_fine() {
        let found =
            with("crates/compiled/solve", "solve", "[dependencies]\nnet.workspace = true\n");
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn forward_imports_are_found_in_every_notation() {
        for dependency in [
            "[dependencies]\nsolve.workspace = true\n",
            "[dependencies]\nsolve = { path = \"../solve\" }\n",
            "[dependencies.solve]\npath = \"../solve\"\n",
            "[dev-dependencies]\nsolve.workspace = true\n",
            "[target.'cfg(unix)'.dependencies]\nsolve.workspace = true\n",
        ] {
            let found = with("crates/compiled/net", "net", dependency);
            assert_eq!(found.len(), 1, "{dependency}: {found:?}");
            assert!(
                found[0].starts_with("crates/compiled/net/Cargo.toml:4: `net` imports `solve`")
            );
        }
    }

    #[test]
    fn engines_never_meet() {
        let found =
            with("crates/symbolic/xssat", "xssat", "[dependencies]\nnet.workspace = true\n");
        assert!(found[0].contains("share nothing"), "{found:?}");
        let found =
            with("crates/compiled/solve", "solve", "[dependencies]\nxssat.workspace = true\n");
        assert!(found[0].contains("share nothing"), "{found:?}");
    }

    #[test]
    fn the_oracle_and_the_chores_stay_apart() {
        let found =
            with("crates/crosscheck", "crosscheck", "[dependencies]\nnet.workspace = true\n");
        assert!(found[0].contains("&dyn verdict::Engine"), "{found:?}");
        let found = with("xtask", "xtask", "[dependencies]\nnet.workspace = true\n");
        assert!(found[0].contains("free of the workspace's crates"), "{found:?}");
    }
}
