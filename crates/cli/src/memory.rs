//! The least memory limit that makes sense.
//!
//! A `--memory` limit below what the program itself needs could never be kept, so it is refused
//! before the work begins, with the least that is possible. What the process holds comes from
//! [`store`]; where the system does not say, nothing is refused.

use crate::failure::Failure;
use crate::quantity::show_size;

/// Room for a small game's rules, states, edges and values above what is held at the start.
const MARGIN_BYTES: u64 = 16 << 20;
/// The least is a multiple of this: what is held at the start differs a little from run to run, and
/// an advice that changes from run to run is none.
const STEP_BYTES: u64 = 8 << 20;

/// Refuses a limit that the program could not keep for any game.
pub(crate) fn check_limit(limit: Option<u64>) -> Result<(), Failure> {
    let least = store::resident_bytes().map_or(0, least);
    assert!(least.is_multiple_of(STEP_BYTES), "a round number");
    match limit {
        Some(limit) if limit < least => Err(Failure::input(
            "memory-limit",
            format!("a memory limit of {} is less than the program itself needs", show_size(limit)),
        )
        .note(format!("the least is --memory {}MiB", least >> 20))),
        _ => Ok(()),
    }
}

/// The least limit of a process that holds so many bytes.
fn least(held: u64) -> u64 {
    (held + MARGIN_BYTES).next_multiple_of(STEP_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_limit_below_the_program_is_refused_with_the_least() {
        let Err(Failure::Input(complaint)) = check_limit(Some(1)) else {
            panic!("one byte is too little");
        };
        assert!(complaint.notes[0].contains("the least is --memory"));
    }

    #[test]
    fn a_little_more_or_less_held_is_the_same_least() {
        let mebibytes = |held: u64| least(held * 1000) >> 20;
        assert_eq!([mebibytes(4000), mebibytes(5000), mebibytes(6000)], [24; 3]);
    }

    #[test]
    fn large_and_absent_limits_are_taken() {
        assert!(check_limit(Some(1 << 40)).is_ok() && check_limit(None).is_ok());
    }
}
