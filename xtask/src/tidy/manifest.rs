//! The lines of a `Cargo.toml`: section, key, value. As much of TOML as our manifests use, with
//! arrays and inline tables over several lines; a value is kept as text.

use super::Tree;

/// One `key = value`, or one item of a section without a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The section, without brackets.
    pub(super) section: String,
    /// The key, dots included (`lints.workspace`).
    pub(super) key: String,
    /// The value as written, on one line.
    pub(super) value: String,
    /// The line of the key, from 1.
    pub(super) line: usize,
}

/// The entries of a manifest, in order.
pub(super) fn entries(text: &str) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut section = String::new();
    let mut depth = 0_i32;
    for (at, line) in text.lines().enumerate() {
        let line = without_comment(line).trim();
        if depth > 0 {
            let last = found.last_mut().expect("a value that goes on has begun");
            last.value.push(' ');
            last.value.push_str(line);
            depth += nesting(line);
        } else if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').trim_start_matches('[').to_owned();
        } else if let Some((key, value)) = line.split_once('=') {
            depth = nesting(value);
            found.push(Entry {
                section: section.clone(),
                key: key.trim().to_owned(),
                value: value.trim().to_owned(),
                line: at + 1,
            });
        }
    }
    found
}

/// The strings of an array.
pub(super) fn strings(value: &str) -> Vec<String> {
    value.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn nesting(text: &str) -> i32 {
    let count = |wanted: &[char]| i32::try_from(text.matches(wanted).count()).unwrap_or(i32::MAX);
    count(&['[', '{']) - count(&[']', '}'])
}

/// A `#` outside quotes starts a comment.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '#' if !quoted => return &line[..at],
            _ => {}
        }
    }
    line
}

/// A member of the workspace: its folder, its place in the list, its manifest.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The folder, such as `crates/compiled/net`.
    pub(super) folder: String,
    /// The name of the package.
    pub(super) package: String,
    /// Its entries.
    pub(super) entries: Vec<Entry>,
}

impl Member {
    /// The path of its manifest.
    pub(super) fn manifest(&self) -> String {
        format!("{}/Cargo.toml", self.folder)
    }
}

/// The members in the order of the root manifest; those without a manifest are left to cargo.
pub(super) fn members(tree: &Tree) -> Vec<Member> {
    let root = entries(tree.get("Cargo.toml").unwrap_or_default());
    let list = root.iter().find(|entry| entry.section == "workspace" && entry.key == "members");
    let folders = list.map(|entry| strings(&entry.value)).unwrap_or_default();
    let read = |folder: String| {
        let entries = entries(tree.get(&format!("{folder}/Cargo.toml"))?);
        let name = entries.iter().find(|entry| entry.section == "package" && entry.key == "name");
        let package = strings(&name?.value).into_iter().next()?;
        Some(Member { folder, package, entries })
    };
    folders.into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::{entries, members, strings};
    use crate::tidy::Tree;

    #[test]
    fn arrays_over_lines_are_one_value() {
        let text = "# note\n[workspace]\nmembers = [ # all\n  \"a\",\n  \"b/c\",\n]\nx = \"#1\"\n";
        let found = entries(text);
        assert_eq!(strings(&found[0].value), ["a", "b/c"]);
        assert_eq!((found[0].section.as_str(), found[0].line), ("workspace", 3));
        assert_eq!((found[1].key.as_str(), found[1].value.as_str()), ("x", "\"#1\""));
    }

    #[test]
    fn members_keep_their_order() {
        let tree = Tree::planted(&[
            ("Cargo.toml", "[workspace]\nmembers = [\"z\", \"a\"]\n"),
            ("z/Cargo.toml", "[package]\nname = \"last\"\n"),
            ("a/Cargo.toml", "[package]\nname = \"first\"\n"),
        ]);
        let packages: Vec<String> = members(&tree).into_iter().map(|m| m.package).collect();
        assert_eq!(packages, ["last", "first"]);
    }
}
