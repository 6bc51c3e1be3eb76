//! Plies that leave memory under a limit. A process of its own: what other tests hold would count.

#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gdl::{ReadOptions, Source};
use solve::{Options, Storage, Sweep, Tier};
use verdict::{Engine, Progress, Question, Stop, Verdict, Watch};

/// A solve by tables within so many bytes more than are held, and the most bytes told on disk.
fn within(
    question: &Question,
    more: Option<u64>,
    spill: bool,
) -> (Result<Verdict, Stop>, u64, u64) {
    let options = Options { tier: Tier::Table, threads: Some(2), ..Options::default() };
    let spill = spill.then(std::env::temp_dir);
    let storage = Storage { spill, ..Storage::default() };
    let (interrupt, most) = (AtomicBool::new(false), Mutex::new((0, 0)));
    let progress = |told: &Progress| {
        let mut most = most.lock().expect("no panic");
        *most = (most.0.max(told.disk), most.1.max(told.bytes));
    };
    let held = store::resident_bytes().expect("the resident size");
    let memory = more.map(|more| held + more);
    let (started, interrupt) = (Instant::now(), &interrupt);
    let watch = Watch { started, time: None, memory, interrupt, progress: &progress };
    let ended = Sweep::new(options).with_storage(storage).judge(question, &watch);
    let most = *most.lock().expect("no panic");
    (ended, most.0, most.1)
}

#[test]
fn what_does_not_fit_in_memory_goes_to_disk_and_changes_nothing() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../games/stochastic-connect-4-4x4.gdl");
    let text = std::fs::read_to_string(path).expect("the game");
    let reading = gdl::read(Source::new("test.gdl", &text), &ReadOptions::default());
    let question = Question::new(Arc::new(reading.rulebook.expect("a sheet"))).expect("a role");
    let (known, disk, bytes) = within(&question, None, true);
    let known = known.expect("memory is not short");
    assert_eq!(disk, 0, "nothing is written before memory is short");
    let mut spilled = 0;
    for mib in [4, 8, 12, 16] {
        let more = mib << 20;
        match within(&question, Some(more), true) {
            (Ok(verdict), disk, held) => {
                assert_eq!(verdict, known, "{mib} MiB");
                assert!(held <= more, "{mib} MiB: {held} bytes held");
                spilled += u32::from(disk > 0);
            }
            (Err(Stop::Halted(halt)), ..) => {
                assert!(mib < 8, "{mib} MiB are enough: {:?}", halt.reason);
                assert!(halt.lower <= known.value && known.value <= halt.upper, "{mib} MiB");
            }
            (ended, ..) => panic!("{mib} MiB: {ended:?}"),
        }
        // Without a folder it is a limit.
        let (ended, disk, _) = within(&question, Some(more), false);
        assert_eq!(disk, 0, "{mib} MiB");
        match ended {
            Ok(verdict) => {
                assert_eq!(verdict, known, "{mib} MiB");
                assert!(more >= bytes / 2, "{mib} MiB were enough for {bytes} bytes");
            }
            Err(Stop::Halted(halt)) => {
                assert!(halt.lower <= known.value && known.value <= halt.upper, "{mib} MiB");
            }
            Err(stop) => panic!("{mib} MiB: {stop:?}"),
        }
    }
    assert!(spilled > 0, "some limit is short of {bytes} bytes");
}
