//! Runs the built binary as a user does: arguments, standard input, a file or two; and what comes
//! back on each stream. Sheets are written to a folder of their own, gone when the test ends.

#![expect(dead_code, reason = "each test binary uses its own part")]

pub(crate) mod schema;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A guess against a coin: the value is 1/2 and both moves are best.
pub(crate) const GUESS: &str = "\
(role x) (role random)
(init start)
(<= (legal x a) (true start)) (<= (legal x b) (true start))
(<= (legal random a) (true start)) (<= (legal random b) (true start))
(<= (next won) (does x ?m) (does random ?m))
(<= (next lost) (does x ?m) (does random ?n) (distinct ?m ?n))
(<= terminal (true won)) (<= terminal (true lost))
(<= (goal x 100) (true won)) (<= (goal x 0) (true lost))
";

/// Two states that follow each other for ever, and a way out that is never better.
pub(crate) const CYCLE: &str = "\
(role x)
(init left)
(<= (legal x stay) (not terminal)) (<= (legal x leave) (not terminal))
(<= (next right) (does x stay) (true left))
(<= (next left) (does x stay) (true right))
(<= (next out) (does x leave))
(<= terminal (true out))
(<= (goal x 100) (true out))
";

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Exit status.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Ran {
    /// Standard output as an object.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// Asserts a refusal: the status, the words on standard error, nothing on standard output, and
    /// no sign of a panic.
    pub(crate) fn refused(&self, status: i32, words: &[&str]) {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.out.is_empty(), "an error belongs on standard error: {self:?}");
        for word in words {
            assert!(self.err.contains(word), "`{word}` is not in {self:?}");
        }
        assert!(!self.err.contains("panicked") && !self.err.contains("a bug in"), "{self:?}");
    }
}

/// The built binary with arguments.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oddsmith"));
    command.args(args).env_remove("RUST_BACKTRACE").env("NO_COLOR", "1");
    command
}

/// Runs the binary with nothing on standard input.
pub(crate) fn run(args: &[&str]) -> Ran {
    run_with(args, b"")
}

/// Runs the binary with something on standard input.
pub(crate) fn run_with(args: &[&str], input: &[u8]) -> Ran {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    // A program that ends without reading all of it is as good as one that does.
    let feeder = std::thread::spawn(move || stdin.write_all(&input).ok());
    let output = child.wait_with_output().expect("the binary ends");
    feeder.join().expect("the feeder ends");
    Ran {
        status: output.status.code().expect("an exit status, not a signal"),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Asks a question about a sheet given as text.
pub(crate) fn solve(sheet: &str, flags: &[&str]) -> Ran {
    run_with(&[&["solve", "-"], flags].concat(), sheet.as_bytes())
}

/// The path of a game in `games/`.
pub(crate) fn game(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(name);
    path.to_str().expect("a path of text").to_owned()
}

/// A folder that goes away with the value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new one.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("oddsmith-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    /// The path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.join(name);
        fs::write(&path, bytes).expect("written");
        path.to_str().expect("a path of text").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}
