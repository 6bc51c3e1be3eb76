//! Where the checkout lies, and how cargo is called in it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A checkout of the workspace.
#[derive(Clone, Debug)]
pub struct Checkout {
    /// The folder that holds the root `Cargo.toml`.
    pub root: PathBuf,
}

impl Checkout {
    /// The checkout that this program was started from: `cargo run` names the package's folder at
    /// run time, so that a checkout that was moved is still found.
    ///
    /// # Panics
    /// Where that folder has no parent, which a package of a workspace always has.
    pub fn here() -> Self {
        let package = std::env::var("CARGO_MANIFEST_DIR")
            .unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
        let root = Path::new(&package).parent().expect("xtask lies in a workspace").to_owned();
        Self { root }
    }

    /// A call of cargo in the root of the checkout.
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// A program that `cargo build --release` makes. The alias builds this program in release as
    /// well, so the two lie side by side, whatever target folder the user has chosen.
    pub fn release_program(&self, name: &str) -> PathBuf {
        let folder = self.release_folder();
        folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// A program that `cargo build --profile test` makes: the folder lies beside that of release.
    pub fn tested_program(&self, name: &str) -> PathBuf {
        let folder = self.release_folder().with_file_name("debug");
        folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// A program that is built in release with other features: in a target folder of its own, within
    /// the common one.
    pub fn other_program(&self, target: &str, name: &str) -> PathBuf {
        let folder = self.release_folder().with_file_name(target).join("release");
        folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    fn release_folder(&self) -> PathBuf {
        let beside = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.to_owned()));
        beside.unwrap_or_else(|| self.root.join("target").join("release"))
    }
}
