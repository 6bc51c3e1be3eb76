//! A folder of files that belong together, held by one process at a time.
//!
//! Always: whoever has a [`HeldFolder`] is the only process that does; the lock goes with the
//! process, however it ends. Names that begin with a dot and end in `.part` are files aside that
//! a process left behind, and are taken away when the folder is taken.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::file::sync_folder;

/// Name of the file that is locked.
const LOCK: &str = "lock";
/// How long a lock is waited for, and between two tries.
const PATIENCE: Duration = Duration::from_millis(1500);
const PAUSE: Duration = Duration::from_millis(30);

/// A folder that this process holds.
#[derive(Debug)]
pub struct HeldFolder {
    path: PathBuf,
    _lock: File,
}

/// Why a folder cannot be held.
#[derive(Debug)]
pub enum HoldError {
    /// Another process holds it.
    Held,
    /// The system refused.
    System(io::Error),
}

impl HeldFolder {
    /// Takes a folder, which is made where it is missing.
    ///
    /// # Errors
    /// When another process holds it, or the system refuses.
    pub fn take(path: &Path) -> Result<Self, HoldError> {
        create(path).map_err(HoldError::System)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK))
            .map_err(HoldError::System)?;
        hold(&lock)?;
        let held = Self { path: path.to_owned(), _lock: lock };
        for name in held.all_names().map_err(HoldError::System)? {
            if name.starts_with('.') && name.ends_with(".part") {
                held.remove(&name).map_err(HoldError::System)?;
            }
        }
        Ok(held)
    }

    /// Where the file of a name is.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Names of the files in it, sorted, without the lock.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = self.all_names()?;
        names.retain(|name| name != LOCK);
        names.sort();
        Ok(names)
    }

    fn all_names(&self) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(&self.path)?;
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    /// Takes a file away; one that is not there is no error.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.file(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }
}

/// Makes a folder and those above it where they are missing, each forced to the disk with its name:
/// files that are forced to the disk are no use in a folder that is not.
fn create(path: &Path) -> io::Result<()> {
    let missing = path.ancestors().take_while(|folder| !folder.exists()).count();
    fs::create_dir_all(path)?;
    path.ancestors().take(missing).for_each(sync_folder);
    Ok(())
}

/// Locks a file. A process that was killed may still be on its way out, waiting for the disk, so
/// that a moment is given to it.
fn hold(lock: &File) -> Result<(), HoldError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(HoldError::System(error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(HoldError::Held);
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

/// Names in a folder; none where there is no folder.
///
/// # Errors
/// As the system reports them.
pub fn folder_names(path: &Path) -> io::Result<Vec<String>> {
    match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => {
            entries?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::testing::Folder;

    #[test]
    fn a_folder_is_held_once_and_swept() {
        let folder = Folder::new("held");
        let path = folder.0.join("deep/er");
        assert!(folder_names(&path).expect("no folder, no names").is_empty());
        let held = HeldFolder::take(&path).expect("free");
        assert!(matches!(HeldFolder::take(&path), Err(HoldError::Held)));
        fs::write(held.file(".x.12-0.part"), b"left").expect("written");
        fs::write(held.file("b"), b"kept").expect("written");
        fs::write(held.file("a"), b"kept").expect("written");
        drop(held);
        let held = HeldFolder::take(&path).expect("free again");
        assert_eq!(held.names().expect("names"), ["a", "b"]);
        held.remove("a").expect("removed");
        held.remove("a").expect("already gone");
        assert_eq!(folder_names(&path).expect("names").len(), 2);
        assert!(matches!(HeldFolder::take(&path.join("b")), Err(HoldError::System(_))));
    }
}
