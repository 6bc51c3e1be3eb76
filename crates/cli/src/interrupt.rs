//! Ctrl-C: the first asks for the bounds reached so far, the second ends the program at once.
//!
//! The flag is a static because a signal belongs to the process. Engines read it through
//! [`verdict::Watch`]; they never learn about signals.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Exit status of a program ended by Ctrl-C, as shells report it.
const ENDED_BY_INTERRUPT: i32 = 130;

/// The flag that engines watch.
pub(crate) fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Installs the handler. Where it cannot be installed Ctrl-C simply ends the program, as it does
/// for any other.
pub(crate) fn install() {
    let installed = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(ENDED_BY_INTERRUPT);
        }
    });
    debug_assert!(installed.is_ok(), "the handler is installed once");
}
