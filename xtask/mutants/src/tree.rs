//! A copy of the checkout, in which faults are planted, and what cargo knows of it.
//!
//! Only files that differ are written, so that cargo builds what has changed. What git ignores is not
//! copied.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::failure::Failure;

/// A package of the workspace.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// The root file of its library, if it has one.
    pub(crate) library: Option<PathBuf>,
    /// The names of what it imports, tests included.
    imports: Vec<String>,
}

/// The copy.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    origin: PathBuf,
    files: Vec<PathBuf>,
    packages: Vec<Package>,
}

impl Tree {
    /// Copies a checkout into its target folder.
    ///
    /// # Errors
    /// Where git or cargo does not answer, or the copy cannot be written.
    pub(crate) fn copy(origin: &Path) -> Result<Self, Failure> {
        let origin = origin.canonicalize().map_err(|error| Failure::path(origin, &error))?;
        let mut command = Command::new("git");
        command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listed = output(command.current_dir(&origin), "git")?;
        let text = String::from_utf8_lossy(&listed.stdout).into_owned();
        let files = text.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect();
        let root = origin.join("target").join("mutants").join("tree");
        let mut tree = Self { root, origin, files, packages: Vec::new() };
        tree.restore()?;
        tree.packages = tree.read_packages()?;
        Ok(tree)
    }

    /// Makes the copy equal to the checkout again: what the checkout has no longer is taken away.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub(crate) fn restore(&self) -> Result<(), Failure> {
        let wanted: HashSet<&Path> = self.files.iter().map(PathBuf::as_path).collect();
        for path in files_in(&self.root)? {
            // What cargo writes there itself is ours to leave.
            let is_ours = self.shown(&path) == Path::new("Cargo.lock");
            if !is_ours && !wanted.contains(self.shown(&path)) {
                fs::remove_file(&path).map_err(|error| Failure::path(&path, &error))?;
            }
        }
        for file in &self.files {
            let from = self.origin.join(file);
            // A file that is deleted and still in git's list, or a link to a folder.
            if let Ok(bytes) = fs::read(&from) {
                self.write(&self.root.join(file), &bytes)?;
            }
        }
        Ok(())
    }

    /// Writes a file of the copy, where that changes it.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        assert!(path.starts_with(&self.root), "only the copy is written to");
        if fs::read(path).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        let folder = path.parent().expect("it lies in the copy");
        fs::create_dir_all(folder).map_err(|error| Failure::path(folder, &error))?;
        fs::write(path, bytes).map_err(|error| Failure::path(path, &error))
    }

    /// A number that differs where a file of the copy does (FNV-1a over names and contents).
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub(crate) fn print(&self) -> Result<u64, Failure> {
        let mut print = 0xcbf2_9ce4_8422_2325_u64;
        let mut take = |bytes: &[u8]| {
            for byte in bytes {
                print = (print ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        for path in files_in(&self.root)? {
            take(path.as_os_str().as_encoded_bytes());
            take(&fs::read(&path).map_err(|error| Failure::path(&path, &error))?);
        }
        Ok(print)
    }

    /// The folder for what is kept between runs.
    pub(crate) fn kept(&self) -> PathBuf {
        self.origin.join("target").join("mutants")
    }

    /// A path within the copy, from its root.
    pub(crate) fn shown<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// The package of a name.
    ///
    /// # Errors
    /// Where there is none.
    pub(crate) fn package(&self, name: &str) -> Result<&Package, Failure> {
        self.packages.iter().find(|package| package.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.packages.iter().map(|package| &*package.name).collect();
            Failure::input(
                format!("there is no crate `{name}`"),
                format!("name one of {}", names.join(", ")),
            )
        })
    }

    /// The packages that rest on one, by any number of steps.
    pub(crate) fn dependents(&self, name: &str) -> Vec<&Package> {
        let mut found = vec![name.to_owned()];
        while let Some(next) = self.packages.iter().find(|package| {
            !found.contains(&package.name) && package.imports.iter().any(|one| found.contains(one))
        }) {
            found.push(next.name.clone());
        }
        self.packages.iter().filter(|one| one.name != name && found.contains(&one.name)).collect()
    }

    /// Cargo in the copy, with a target folder of its own.
    pub(crate) fn cargo(&self, words: &[&str]) -> Command {
        let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        command.args(words).current_dir(&self.root).stdin(Stdio::null());
        command.env("CARGO_TARGET_DIR", self.kept().join("target"));
        // What would be an error of style is none of a fault.
        command.env("RUSTFLAGS", "--cap-lints=allow");
        command
    }

    /// What the tests read beside the checkout.
    pub(crate) fn shared(&self) -> PathBuf {
        let given = std::env::var_os("ODDSMITH_SHARED").map(PathBuf::from);
        given.unwrap_or_else(|| self.origin.join("..").join("shared"))
    }

    fn read_packages(&self) -> Result<Vec<Package>, Failure> {
        let mut command = self.cargo(&["metadata", "--no-deps", "--format-version=1"]);
        let told = output(&mut command, "cargo")?;
        let value: Value = serde_json::from_slice(&told.stdout).map_err(|error| {
            Failure::environment(format!("cargo metadata: {error}"), "update it")
        })?;
        let packages = value["packages"].as_array().cloned().unwrap_or_default();
        Ok(packages.iter().filter_map(package).collect())
    }
}

fn package(value: &Value) -> Option<Package> {
    let targets = value["targets"].as_array()?;
    let library = targets.iter().find(|target| {
        target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"lib".into()))
    });
    let imports = value["dependencies"].as_array()?;
    Some(Package {
        name: value["name"].as_str()?.to_owned(),
        library: library.and_then(|target| target["src_path"].as_str()).map(PathBuf::from),
        imports: imports.iter().filter_map(|one| one["name"].as_str()).map(str::to_owned).collect(),
    })
}

/// All files below a folder, in order; none where there is no such folder.
///
/// # Errors
/// Where a folder cannot be read.
pub(crate) fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop().filter(|folder| folder.is_dir()) {
        let entries = fs::read_dir(&folder).map_err(|error| Failure::path(&folder, &error))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// What a program says, if it ends well.
pub(crate) fn output(command: &mut Command, name: &str) -> Result<Output, Failure> {
    let output = command.output().map_err(|error| Failure::start(name, &error))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure::environment(format!("{name} failed: {said}"), "mend what it says, and try again"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_what_the_checkout_has_and_no_more() {
        let origin = std::env::temp_dir().join(format!("oddsmith-tree-{}", std::process::id()));
        let root = origin.join("copy");
        for (path, text) in [("a/b.rs", "b"), ("copy/a/b.rs", "woven"), ("copy/a/gone.rs", "x")] {
            let path = origin.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
            fs::write(path, text).expect("it is written");
        }
        let files = vec![PathBuf::from("a/b.rs")];
        let tree = Tree { root: root.clone(), origin: origin.clone(), files, packages: Vec::new() };
        let woven = tree.print().expect("it is read");
        tree.restore().expect("it is written");
        let found = files_in(&root).expect("it is read");
        let text = fs::read_to_string(root.join("a/b.rs")).expect("it is there");
        let print = tree.print().expect("it is read");
        fs::remove_dir_all(&origin).expect("it is there");
        assert_eq!((found, text.as_str()), (vec![root.join("a/b.rs")], "b"));
        assert_ne!(print, woven);
    }
}
