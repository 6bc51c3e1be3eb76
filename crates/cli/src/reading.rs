//! Reading under the limits: a thread reads while this one watches the clock, the memory and
//! Ctrl-C.
//!
//! The reader of sheets knows no limits: it is a plain function of the text. Whoever must answer
//! within a time therefore does not wait for it longer than that. A reader that is too late is
//! left alone, since nothing can stop it, and goes with the process.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use verdict::{Halt, HaltReason};

use crate::STACK_BYTES;
use crate::asking::Patience;
use crate::failure::Failure;

/// Time between two looks at the limits.
const LOOK: Duration = Duration::from_millis(10);

/// What the work comes to, if it does so within the limits.
///
/// # Errors
/// Those of the work; [`Failure::Unread`] where a limit was met before.
pub(crate) fn within<T: Send + 'static>(
    patience: &Patience,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        // Nobody listens where a limit was met first.
        sender.send(work()).ok();
    };
    let spawned = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(read);
    spawned.map_err(|_| Failure::Environment("no memory for a stack".to_owned()))?;
    loop {
        match receiver.recv_timeout(patience.left().min(LOOK)) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) => {}
            // A panic has ended the program before; this is for a build where it has not.
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Environment("the reader of the sheet is gone".to_owned()));
            }
        }
        if let Some(reason) = patience.over() {
            return Err(Failure::Unread(reason));
        }
    }
}

/// The halt of a question whose sheet was not read in time: nothing is known but that a value is
/// a probability.
pub(crate) fn halt(reason: HaltReason) -> Halt {
    let more = match reason {
        HaltReason::Time => ": give more time",
        HaltReason::Memory { .. } => ": give more memory",
        _ => "",
    };
    Halt {
        reason,
        lower: exact::Ratio::zero(),
        upper: exact::Ratio::one(),
        choosers: Vec::new(),
        moves: Vec::new(),
        counts: verdict::Counts::default(),
        estimate: None,
        advice: format!("the sheet was still being read{more}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn patience(time: Option<Duration>, memory: Option<u64>) -> Patience {
        Patience { started: Instant::now(), time, memory, shown: false }
    }

    fn endless() -> Result<(), Failure> {
        loop {
            std::thread::park();
        }
    }

    #[test]
    fn work_that_ends_is_handed_over_and_work_that_does_not_is_left() {
        assert!(matches!(within(&patience(None, None), || Ok(7)), Ok(7)));
        let late = within(&patience(Some(Duration::from_millis(5)), None), endless);
        assert!(matches!(late, Err(Failure::Unread(HaltReason::Time))), "{late:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_memory_limit_holds_while_reading() {
        let late = within(&patience(None, Some(1)), endless);
        assert!(matches!(late, Err(Failure::Unread(HaltReason::Memory { .. }))), "{late:?}");
    }
}
