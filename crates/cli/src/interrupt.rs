//! Ctrl-C: the first asks for the bounds reached so far, the second ends the program at once.
//!
//! The flag is a static because a signal belongs to the process. Engines read it through
//! [`verdict::Watch`]; they never learn about signals.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A file that is only a step on the way to another, and goes with the program.
static ASIDE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Exit status of a program ended by Ctrl-C, as shells report it.
const ENDED_BY_INTERRUPT: i32 = 130;

/// The flag that engines watch.
pub(crate) fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Names the file that goes with the program, or none.
pub(crate) fn set_aside(path: Option<PathBuf>) {
    *ASIDE.lock().unwrap_or_else(|held| held.into_inner()) = path;
}

/// Takes the file away that goes with the program; for its sudden ends.
pub(crate) fn clear_aside() {
    let path = ASIDE.try_lock().ok().and_then(|mut held| held.take());
    path.map(std::fs::remove_file);
}

/// Installs the handler. Where it cannot be installed Ctrl-C simply ends the program, as it does
/// for any other.
pub(crate) fn install() {
    let installed = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            clear_aside();
            std::process::exit(ENDED_BY_INTERRUPT);
        }
    });
    debug_assert!(installed.is_ok(), "the handler is installed once");
}
