//! Writing files whole, and the checksum that tells whether one still is.
//!
//! Always: after a failure or a crash the path holds either what it held before or all of the new
//! bytes, never a part. The bytes go to a file aside in the same folder, are forced to the disk,
//! and take the name in one step. Links are followed; what is no plain file (a pipe, a device) is
//! written to as it is, for it has no contents to keep.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file, new or in place of an old one.
///
/// # Errors
/// As the system reports them; the old contents are then untouched.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&path) {
        Ok(held) if held.is_file() => replace(&path, bytes, Some(held.permissions())),
        Ok(held) if held.is_dir() => Err(invalid("the path is a folder")),
        Ok(_) => OpenOptions::new().write(true).open(&path)?.write_all(bytes),
        Err(_) => replace(&path, bytes, None),
    }
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

fn replace(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    let (aside, mut file) = open_aside(path)?;
    let written = fill(&mut file, bytes, permissions);
    drop(file);
    let done = written.and_then(|()| fs::rename(&aside, path));
    if done.is_err() {
        // The first failure is the one to report; a left-over file aside is harmless.
        fs::remove_file(&aside).ok();
        return done;
    }
    sync_folder(path);
    Ok(())
}

fn fill(file: &mut File, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()
}

/// A new file beside `path` that no one else holds.
pub(crate) fn open_aside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or_else(|| invalid("the path names no file"))?;
    for attempt in 0..1000 {
        let mut aside = std::ffi::OsString::from(".");
        aside.push(name);
        aside.push(format!(".{}-{attempt}.part", std::process::id()));
        let aside = path.with_file_name(aside);
        match OpenOptions::new().read(true).write(true).create_new(true).open(&aside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|file| (aside, file)),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "a thousand files aside are in the way"))
}

/// Forces the new name to the disk; not every system lets a folder be opened, so it may fail.
pub(crate) fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        folder.sync_all().ok();
    }
}

/// The 64-bit cyclic redundancy check of ECMA-182, reflected and inverted (as in the XZ format).
/// Any change of up to 64 bits in a row is certain to show.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut digest = crc64fast::Digest::new();
    digest.write(bytes);
    digest.sum64()
}

/// Folders for tests.
/// Lets a write beyond the size that a file may have (`ulimit -f`) fail as other writes do; else the
/// system ends the process, without a word. For the start of a program.
pub fn let_large_writes_fail() {
    #[cfg(unix)]
    // SAFETY: to ignore a signal installs no handler, so no code of ours runs in its context.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::fs;
    use std::path::PathBuf;

    /// A folder of its own for one test, gone when the test ends.
    pub(crate) struct Folder(pub(crate) PathBuf);

    impl Folder {
        pub(crate) fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("store-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).expect("a temporary folder");
            Self(path)
        }

        pub(crate) fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).expect("the folder is there");
            entries.map(|e| e.expect("entry").file_name().into_string().expect("name")).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::Folder;
    use super::*;

    #[test]
    fn a_file_is_written_and_replaced_and_nothing_is_left_aside() {
        let folder = Folder::new("replace");
        let path = folder.0.join("table");
        write_file(&path, b"one").expect("written");
        write_file(&path, b"two!").expect("replaced");
        assert_eq!(fs::read(&path).expect("read"), b"two!");
        assert_eq!(folder.names(), ["table"]);
    }

    #[test]
    fn failures_are_reported_and_leave_nothing() {
        let folder = Folder::new("fail");
        assert!(write_file(&folder.0.join("none/table"), b"x").is_err());
        assert!(write_file(&folder.0, b"x").is_err());
        assert!(write_file(Path::new(""), b"x").is_err());
        assert!(folder.names().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_are_kept() {
        let folder = Folder::new("links");
        let (target, link) = (folder.0.join("target"), folder.0.join("link"));
        write_file(&target, b"old").expect("written");
        std::os::unix::fs::symlink(&target, &link).expect("linked");
        write_file(&link, b"new").expect("written through");
        assert_eq!(fs::read(&target).expect("read"), b"new");
        assert!(fs::symlink_metadata(&link).expect("link").is_symlink());
        write_file(Path::new("/dev/null"), b"gone").expect("devices take bytes");
        assert!(!fs::metadata("/dev/null").expect("still there").is_file());
    }

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(checksum(b"123456789"), 0x995d_c9bb_df19_39fa);
        assert_eq!(checksum(b""), 0);
    }

    #[test]
    fn every_flipped_bit_changes_the_checksum() {
        let bytes = [0x5au8; 33];
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&flipped), checksum(&bytes));
        }
    }
}
