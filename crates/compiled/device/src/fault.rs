//! What can be wrong with a device, each in one line that says what to do.

use std::fmt;

use solve::Trouble;
use verdict::{Counts, Fault, Halt, HaltReason, Stop};

/// Why a device cannot be used, or not any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceFault {
    /// There is no adapter at all.
    NoAdapter,
    /// There is none of this name or number.
    Unknown {
        /// What was asked for.
        asked: String,
        /// The names of those that there are.
        known: Vec<String>,
    },
    /// The adapter does not open.
    Closed(String),
    /// It was lost on the way.
    Lost(String),
    /// It has not so much memory, in bytes.
    OutOfMemory(u64),
    /// It refused a shader or a command.
    Refused(String),
    /// What it told cannot be.
    Wrong(String),
    /// It did not answer for so many seconds.
    Silent(u64),
}

/// What is said of the processor instead.
const INSTEAD: &str = "`--backend cpu` does without a device";

impl fmt::Display for DeviceFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAdapter => write!(
                out,
                "no graphics device was found: install a Vulkan driver (on Debian `apt install \
                 mesa-vulkan-drivers libvulkan1`, which also brings one that needs no hardware); \
                 {INSTEAD}"
            ),
            Self::Unknown { asked, known } => write!(
                out,
                "no graphics device is called or numbered `{asked}`; there are: {}",
                known.join(", ")
            ),
            Self::Closed(why) => {
                write!(out, "the graphics device does not open: {}; {INSTEAD}", line(why))
            }
            Self::Lost(why) => write!(
                out,
                "the graphics device was lost while it worked ({}): another program or the driver \
                 may have reset it, so try again; {INSTEAD}",
                line(why)
            ),
            Self::OutOfMemory(0) => write!(
                out,
                "the graphics device has too little memory left: close what else uses it, or bound \
                 the play with `--horizon`; {INSTEAD}"
            ),
            Self::OutOfMemory(bytes) => write!(
                out,
                "the graphics device has no {} MiB more: close what else uses it, or bound the play \
                 with `--horizon`; {INSTEAD}",
                bytes.div_ceil(1 << 20)
            ),
            Self::Refused(why) => write!(
                out,
                "the graphics device refused a shader or a command ({}): a newer driver may take it; \
                 {INSTEAD}",
                line(why)
            ),
            Self::Wrong(what) => write!(
                out,
                "what the graphics device told cannot be ({}): it did not do its work, or did it \
                 wrong, and nothing of it is believed; {INSTEAD}",
                line(what)
            ),
            Self::Silent(seconds) => write!(
                out,
                "the graphics device did not answer for {seconds} seconds, so it is given up; \
                 {INSTEAD}"
            ),
        }
    }
}

/// A message of several lines as one.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl From<DeviceFault> for Trouble {
    fn from(fault: DeviceFault) -> Self {
        Self::Stopped(Box::new(Stop::Environment(fault.to_string())))
    }
}

/// What a device told cannot be: it did not do what it was asked, or did it wrong.
pub(crate) fn unlike(what: &str) -> Trouble {
    DeviceFault::Wrong(what.to_owned()).into()
}

/// A game of a kind that is not done on a device.
pub(crate) fn unfit(code: &'static str, message: String) -> Trouble {
    Trouble::Stopped(Box::new(Stop::Faulty(Box::new(Fault {
        code,
        message,
        states: Vec::new(),
        span: None,
        notes: vec!["`--backend cpu` answers, and `--backend auto` chooses by itself".to_owned()],
    }))))
}

/// Trouble before anything of the game is known.
pub(crate) fn stop(trouble: Trouble) -> Stop {
    match trouble {
        Trouble::Stopped(stop) => *stop,
        Trouble::Limit(reason) => Stop::Halted(Box::new(Halt {
            advice: match reason {
                HaltReason::Memory { .. } => "give more `--memory`".to_owned(),
                _ => "give more `--time`: shaders were being compiled".to_owned(),
            },
            reason,
            lower: exact::Ratio::zero(),
            upper: exact::Ratio::one(),
            choosers: Vec::new(),
            moves: Vec::new(),
            counts: Counts::default(),
            estimate: None,
        })),
        other => unreachable!("nothing was expanded, so not {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_one_line_with_something_to_do() {
        let two_lines = || "one\n  two".to_owned();
        let unknown = DeviceFault::Unknown { asked: "x".into(), known: vec!["llvmpipe".into()] };
        let faults = [
            DeviceFault::NoAdapter,
            unknown,
            DeviceFault::Closed(two_lines()),
            DeviceFault::Lost(two_lines()),
            DeviceFault::OutOfMemory(5 << 20),
            DeviceFault::Refused(two_lines()),
            DeviceFault::OutOfMemory(0),
            DeviceFault::Wrong(two_lines()),
            DeviceFault::Silent(30),
        ];
        for fault in faults {
            let text = fault.to_string();
            assert!(!text.contains('\n'), "{text}");
            assert!(text.contains("--backend cpu") || text.contains("llvmpipe"), "{text}");
        }
        assert!(DeviceFault::NoAdapter.to_string().contains("mesa-vulkan-drivers"));
    }
}
