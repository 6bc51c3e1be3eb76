//! Where the checkout and the shared material lie, and what kind of run this is.

use std::path::{Path, PathBuf};

/// The root of the checkout.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a package of a workspace").to_owned()
}

/// Reads a file of the checkout.
pub(crate) fn text(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the games in `games/`, ascending.
pub(crate) fn games() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("games")).expect("the games are there");
    let mut names: Vec<String> = folder
        .filter_map(|entry| {
            entry.ok()?.file_name().to_str()?.strip_suffix(".gdl").map(str::to_owned)
        })
        .collect();
    names.sort();
    names
}

/// Whether long values are asked for.
pub(crate) fn is_slow_run() -> bool {
    std::env::var_os("ODDSMITH_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// The folder of shared material: where `ODDSMITH_SHARED` says, else beside the checkout.
pub(crate) fn shared(what_needs_it: &str) -> Option<PathBuf> {
    let named = std::env::var_os("ODDSMITH_SHARED").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("../shared"));
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("{what_needs_it}: left out, there is no folder {}", folder.display());
    None
}
