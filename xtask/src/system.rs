//! What a chore needs from the system: is it there, and can it be installed without a question.
//!
//! A package is only installed on Debian and its descendants, as root or through a sudo that asks
//! for no password; elsewhere the caller names it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::report::Failure;

/// A C library that a part of the house links to.
#[derive(Debug)]
pub struct Library {
    /// Its name for the linker.
    pub name: &'static str,
    /// The package that has it on Debian.
    pub package: &'static str,
}

/// The solver that audits.
pub const Z3: Library = Library { name: "z3", package: "libz3-dev" };

impl Library {
    /// Makes sure that the library can be linked to: installs its package where it may.
    ///
    /// # Errors
    /// Where it is not there and cannot be installed; the remedy ends with `otherwise`.
    pub fn need(&self, otherwise: &str) -> Result<(), Failure> {
        if self.is_present() || (install(self.package) && self.is_present()) {
            return Ok(());
        }
        Err(self.missing(otherwise))
    }

    fn missing(&self, otherwise: &str) -> Failure {
        let Self { name, package } = self;
        Failure::environment(
            format!("there is no library `{name}` to link to, and it could not be installed."),
            format!("Install it (Debian: `sudo apt-get install {package}`), {otherwise}."),
        )
    }

    /// Whether the linker will find it.
    pub fn is_present(&self) -> bool {
        let known = Command::new("pkg-config").args(["--exists", self.name]).quietly();
        let suffix = if cfg!(target_os = "macos") { "dylib" } else { "so" };
        let file = format!("lib{}.{suffix}", self.name);
        known || linker_folders().iter().any(|folder| folder.join(&file).exists())
    }
}

/// Where linkers look without being told.
fn linker_folders() -> Vec<PathBuf> {
    let fixed = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/lib"];
    let mut folders: Vec<PathBuf> = fixed.iter().map(PathBuf::from).collect();
    folders.extend(std::env::var_os("Z3_LIBRARY_PATH_OVERRIDE").map(PathBuf::from));
    // Debian has a folder for each architecture.
    let inner = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    folders.extend(inner.map(|entry| entry.path()).filter(|path| path.is_dir()));
    folders
}

/// Installs a package where that needs no question; whether that was done.
pub fn install(package: &str) -> bool {
    if !Path::new("/etc/debian_version").exists() {
        return false;
    }
    eprintln!("installing {package}");
    privileged(&["apt-get", "update"])
        && privileged(&["apt-get", "install", "--yes", "--no-install-recommends", package])
}

/// Runs a command as root: directly, or through a sudo that asks for nothing.
fn privileged(words: &[&str]) -> bool {
    let (program, arguments) = words.split_first().expect("a command has a first word");
    let direct = Command::new(program).args(arguments).quietly();
    direct || Command::new("sudo").arg("--non-interactive").args(words).quietly()
}

/// Commands of which only success matters.
pub trait Quiet {
    /// Runs it without input and output; whether it succeeded.
    fn quietly(&mut self) -> bool;
}

impl Quiet for Command {
    fn quietly(&mut self) -> bool {
        let quiet = self.env("DEBIAN_FRONTEND", "noninteractive");
        let quiet = quiet.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_nowhere_is_named_with_its_package() {
        let library = Library { name: "no-such-library", package: "libno-such-dev" };
        assert!(!library.is_present());
        let failure = library.missing("or leave it out");
        assert_eq!(failure.code, 3);
        assert!(failure.wrong.contains("no-such-library"));
        assert!(failure.remedy.contains("install libno-such-dev`), or leave it out."));
    }

    #[test]
    fn only_success_counts_as_success() {
        assert!(Command::new("cargo").arg("--version").quietly());
        assert!(!Command::new("cargo").arg("--no-such-option").quietly());
        assert!(!Command::new("no-such-program-anywhere").quietly());
    }
}
