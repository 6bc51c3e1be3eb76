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

/// The right to write a file, held by one process at a time: a file beside it is locked, and taken
/// away in the end. A process that is killed leaves that file, unlocked.
#[derive(Debug)]
pub struct HeldFile {
    beside: PathBuf,
    lock: File,
}

impl HeldFile {
    /// Takes the right to write `path`, whose folder is there.
    ///
    /// # Errors
    /// When another process has it, or the system refuses.
    pub fn take(path: &Path) -> Result<Self, HoldError> {
        let invalid = || io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
        let name = path.file_name().ok_or_else(|| HoldError::System(invalid()))?;
        let mut beside = std::ffi::OsString::from(".");
        beside.push(name);
        beside.push(".lock");
        let beside = path.with_file_name(beside);
        loop {
            let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&beside);
            let lock = lock.map_err(HoldError::System)?;
            match lock.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(HoldError::Held),
                Err(TryLockError::Error(error)) => return Err(HoldError::System(error)),
                Ok(()) => {}
            }
            // Whoever held it before may have taken the file away since it was opened.
            if is_at(&lock, &beside) {
                return Ok(Self { beside, lock });
            }
        }
    }
}

impl Drop for HeldFile {
    fn drop(&mut self) {
        if is_at(&self.lock, &self.beside) {
            fs::remove_file(&self.beside).ok();
        }
    }
}

/// Whether a path still leads to an open file.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let one = |held: fs::Metadata| (held.dev(), held.ino());
        let there = fs::metadata(path).map(one);
        file.metadata().map(one).is_ok_and(|own| there.is_ok_and(|there| own == there))
    }
    #[cfg(not(unix))]
    {
        // An open file cannot be taken away there.
        file.metadata().is_ok() && path.exists()
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
    fn a_file_is_held_once_and_nothing_is_left_beside_it() {
        let folder = Folder::new("held-file");
        let path = folder.0.join("log");
        let held = HeldFile::take(&path).expect("free");
        assert!(matches!(HeldFile::take(&path), Err(HoldError::Held)));
        assert!(HeldFile::take(&folder.0.join("other")).is_ok());
        drop(held);
        assert!(folder.names().is_empty(), "{:?}", folder.names());
        // What a killed process left is no lock.
        fs::write(folder.0.join(".log.lock"), b"").expect("written");
        drop(HeldFile::take(&path).expect("free again"));
        assert!(folder.names().is_empty());
        assert!(matches!(HeldFile::take(&path.join("log")), Err(HoldError::System(_))));
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_was_taken_away_holds_nothing() {
        let folder = Folder::new("held-gone");
        let path = folder.0.join("log");
        let first = HeldFile::take(&path).expect("free");
        fs::remove_file(folder.0.join(".log.lock")).expect("removed");
        let second = HeldFile::take(&path).expect("nothing is there");
        drop(first);
        assert_eq!(folder.names(), [".log.lock"], "the lock of another is left alone");
        assert!(matches!(HeldFile::take(&path), Err(HoldError::Held)));
        drop(second);
        assert!(folder.names().is_empty());
    }

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
