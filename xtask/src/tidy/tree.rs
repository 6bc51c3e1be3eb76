//! The text files of a checkout, by path from its root.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Folders that hold nothing of ours: build outputs start with `target`.
const SKIPPED_PREFIX: &str = "target";
/// Hidden folders and files that belong to the project.
const HIDDEN_KEPT: &[&str] = &[".cargo", ".ci", ".gitignore"];

/// Text files by path, with `/` between folders on every system.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Reads a checkout. Files that are not text are left out.
    ///
    /// # Errors
    /// Where a folder or file cannot be read.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        tree.read_folder(root, "")?;
        Ok(tree)
    }

    fn read_folder(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_skipped(&name) {
                continue;
            }
            let path = format!("{prefix}{name}");
            // `file_type` does not follow links: one that points outside is no part of the tree.
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.read_folder(&entry.path(), &format!("{path}/"))?;
            } else if kind.is_file()
                && let Ok(text) = String::from_utf8(std::fs::read(entry.path())?)
            {
                self.files.insert(path, text);
            }
        }
        Ok(())
    }

    /// A tree of given files.
    pub fn planted(files: &[(&str, &str)]) -> Self {
        let owned = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Self { files: owned.collect() }
    }

    /// The text of a file.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// All files, by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The files whose name ends so.
    pub fn with_suffix<'a>(&'a self, suffix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files().filter(move |(path, _)| path.ends_with(suffix))
    }

    /// The files below a folder.
    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files().filter(move |(path, _)| {
            path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

fn is_skipped(name: &str) -> bool {
    let hidden = name.starts_with('.') && !HIDDEN_KEPT.contains(&name);
    hidden || name.starts_with(SKIPPED_PREFIX)
}

#[cfg(test)]
mod tests {
    use super::{Tree, is_skipped};

    #[test]
    fn build_outputs_and_hidden_folders_are_skipped() {
        assert!(is_skipped(".git") && is_skipped("target") && is_skipped("target-gpu"));
        assert!(!is_skipped(".ci") && !is_skipped("tests"));
    }

    #[test]
    fn below_means_inside_the_folder() {
        let tree = Tree::planted(&[("games/a.gdl", ""), ("games2/b.gdl", "")]);
        assert_eq!(tree.below("games").map(|(path, _)| path).collect::<Vec<_>>(), ["games/a.gdl"]);
        assert_eq!(tree.len(), 2);
    }
}
