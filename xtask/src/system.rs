//! What a chore needs from the system: is it there, and can it be installed without a question.
//!
//! A package is only installed on Debian and its descendants, as root or through a sudo that asks
//! for no password; elsewhere the caller names it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::report::Failure;

/// Something that a chore needs beyond Rust, and the package that has it on Debian.
#[derive(Debug)]
pub struct Requirement {
    /// What it is.
    pub kind: Kind,
    /// Its name for the linker or the shell.
    pub name: &'static str,
    /// The package that has it on Debian.
    pub package: &'static str,
}

/// How it is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A C library that is linked to.
    Library,
    /// A program that is run; it answers to `--version`.
    Program,
    /// A C library that is opened by a program as it runs.
    Opened,
    /// A driver for graphics devices: a file that names it.
    Driver,
}

/// The solver that audits.
pub const Z3: &[Requirement] = &[library("z3", "libz3-dev")];

/// What opens a graphics device, of which one at least needs no hardware.
pub const VULKAN: &[Requirement] = &[
    Requirement { kind: Kind::Opened, name: "vulkan", package: "libvulkan1" },
    Requirement { kind: Kind::Driver, name: "Vulkan", package: "mesa-vulkan-drivers" },
];

/// What clingo is built with.
pub const CLINGO: &[Requirement] =
    &[program("cmake", "cmake"), program("make", "make"), program("c++", "g++")];

/// What audits of programs are built with.
pub const CLINGO_AND_Z3: &[Requirement] = &[
    program("cmake", "cmake"),
    program("make", "make"),
    program("c++", "g++"),
    library("z3", "libz3-dev"),
];

const fn library(name: &'static str, package: &'static str) -> Requirement {
    Requirement { kind: Kind::Library, name, package }
}

const fn program(name: &'static str, package: &'static str) -> Requirement {
    Requirement { kind: Kind::Program, name, package }
}

/// Makes sure that all of it is there: installs packages where it may.
///
/// # Errors
/// Where something is not there and cannot be installed; the remedy names all that is missing and
/// ends with `otherwise`.
pub fn need<'a>(
    all: impl IntoIterator<Item = &'a Requirement>,
    otherwise: &str,
) -> Result<(), Failure> {
    let mut missing: Vec<&Requirement> = all.into_iter().filter(|one| !one.is_present()).collect();
    missing.retain(|one| !(install(one.package) && one.is_present()));
    if missing.is_empty() { Ok(()) } else { Err(lack(&missing, otherwise)) }
}

fn lack(missing: &[&Requirement], otherwise: &str) -> Failure {
    assert!(!missing.is_empty(), "something is lacking");
    let listed = |part: fn(&Requirement) -> String, between: &str| -> String {
        missing.iter().map(|one| part(one)).collect::<Vec<_>>().join(between)
    };
    let what = listed(Requirement::what, ", no ");
    let packages = listed(|one| one.package.to_owned(), " ");
    Failure::environment(
        format!("there is no {what}; apt-get could not install it without a question."),
        format!("Install what is missing (Debian: `sudo apt-get install {packages}`){otherwise}."),
    )
}

impl Requirement {
    fn what(&self) -> String {
        let Self { kind, name, .. } = self;
        match kind {
            Kind::Library => format!("library `{name}` to link to"),
            Kind::Program => format!("program `{name}`"),
            Kind::Opened => format!("library `{name}` to open"),
            Kind::Driver => format!("driver for `{name}`"),
        }
    }

    /// Whether the linker or the shell will find it.
    pub fn is_present(&self) -> bool {
        match self.kind {
            Kind::Library => is_linkable(self.name),
            // CXX is what builds of C++ obey.
            Kind::Program if self.name == "c++" => {
                let compiler = std::env::var_os("CXX").unwrap_or_else(|| self.name.into());
                Command::new(compiler).arg("--version").quietly()
            }
            Kind::Program => Command::new(self.name).arg("--version").quietly(),
            // Elsewhere the system itself has what opens devices.
            Kind::Opened | Kind::Driver if !cfg!(target_os = "linux") => true,
            Kind::Opened => {
                let file = format!("lib{}.so.1", self.name);
                linker_folders().iter().any(|folder| folder.join(&file).exists())
            }
            Kind::Driver => has_driver(),
        }
    }
}

/// Whether the loader of Vulkan finds a driver.
fn has_driver() -> bool {
    let named = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];
    let folders = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];
    named.iter().any(|name| std::env::var_os(name).is_some())
        || folders.iter().any(|folder| {
            std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
        })
}

fn is_linkable(name: &str) -> bool {
    let known = Command::new("pkg-config").args(["--exists", name]).quietly();
    let suffix = if cfg!(target_os = "macos") { "dylib" } else { "so" };
    let file = format!("lib{name}.{suffix}");
    known || linker_folders().iter().any(|folder| folder.join(&file).exists())
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
    fn all_that_is_nowhere_is_named_with_its_packages() {
        let absent = library("no-such-library", "libno-such-dev");
        let unknown = program("no-such-program-anywhere", "no-such-package");
        assert!(!absent.is_present() && !unknown.is_present());
        assert!(program("cargo", "cargo").is_present());
        let failure = lack(&[&absent, &unknown], ", or leave it out");
        assert_eq!(failure.code, 3);
        for named in ["library `no-such-library`", "program `no-such-program-anywhere`"] {
            assert!(failure.wrong.contains(named), "{failure}");
        }
        let right = "apt-get install libno-such-dev no-such-package`), or leave it out.";
        assert!(failure.remedy.ends_with(right), "{failure}");
    }

    #[test]
    fn only_success_counts_as_success() {
        assert!(Command::new("cargo").arg("--version").quietly());
        assert!(!Command::new("cargo").arg("--no-such-option").quietly());
        assert!(!Command::new("no-such-program-anywhere").quietly());
    }
}
