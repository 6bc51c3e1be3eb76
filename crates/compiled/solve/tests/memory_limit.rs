//! A memory limit that is met on the way. A process of its own: what other tests hold would count.

#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use exact::Ratio;
use gdl::{ReadOptions, Source};
use solve::{Options, Sweep, Tier};
use verdict::{Engine, HaltReason, Question, Stop, Watch};

#[test]
fn a_memory_limit_ends_in_bounds_and_says_what_is_needed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../games/stochastic-connect-4-4x4.gdl");
    let text = std::fs::read_to_string(path).expect("the game");
    let reading = gdl::read(Source::new("test.gdl", &text), &ReadOptions::default());
    let question = Question::new(Arc::new(reading.rulebook.expect("a sheet"))).expect("a role");
    // By the facts of the game.
    let value = Ratio::new(1_253_113_609_u64, 1_u64 << 32);
    for symmetry in [false, true] {
        let (mut last, mut halts) = ((Ratio::zero(), Ratio::one()), 0);
        for mib in 4..=12 {
            let options = Options { tier: Tier::Table, symmetry, ..Options::default() };
            let held = store::resident_bytes().expect("the resident size");
            let interrupt = AtomicBool::new(false);
            let watch = Watch {
                started: Instant::now(),
                time: None,
                memory: Some(held + (mib << 20)),
                interrupt: &interrupt,
                progress: &|_| {},
            };
            let halt = match Sweep::new(options).judge(&question, &watch) {
                Err(Stop::Halted(halt)) => halt,
                ended => panic!("{mib} MiB, symmetry {symmetry}: {ended:?}"),
            };
            let what = format!("{mib} MiB, symmetry {symmetry}: {} to {}", halt.lower, halt.upper);
            assert!(
                matches!(halt.reason, HaltReason::Memory { needed } if needed > held),
                "{what}"
            );
            assert!(halt.lower <= value && value <= halt.upper, "{what}");
            assert!(last.0 <= halt.lower && halt.upper <= last.1, "looser by more memory: {what}");
            // Plies near the root are counted for what they are; compiling takes up to 3 MiB.
            assert!(halt.upper < Ratio::one(), "{what}");
            (last, halts) = ((halt.lower.clone(), halt.upper.clone()), halts + 1);
        }
        assert_eq!(halts, 9, "the game takes more than each of these limits");
    }
}
