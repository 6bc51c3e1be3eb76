//! Plies that wait in the memory of this machine, and devices that have too little of their own.

mod support;

use std::sync::Arc;

use device::{Form, Gpu, Pass, Wish};
use support::{expected, on, question, there};
use verdict::{Halt, HaltReason, Stop};

const GAME: &str = "stochastic-tic-tac-toe-3x3";
/// Less than the game takes, and more than two of its plies.
const LITTLE: u64 = 5 << 19;

/// A device with small chunks, so that scratch is small beside edges.
fn gpu() -> Option<Gpu> {
    let opened = there(Gpu::open(&Wish::Any, false))?;
    Some(opened.in_form(Form::Code).in_chunks(1 << 12))
}

fn moved(gpu: &Gpu, name: &str) -> u64 {
    gpu.profile().passes().iter().find(|pass| pass.name == name).map_or(0, |pass: &Pass| pass.bytes)
}

fn halted(gpu: Gpu) -> Box<Halt> {
    match on(Arc::new(gpu), &question(GAME)) {
        Err(Stop::Halted(halt)) => halt,
        other => panic!("{other:?}"),
    }
}

/// Less than the game needs halts in bounds that hold the value, and says what to do.
fn check_halt(halt: &Halt, words: &[&str]) {
    let value = expected(&question(GAME)).value;
    assert!(matches!(halt.reason, HaltReason::Memory { .. }), "{:?}", halt.reason);
    assert!(halt.lower <= value && value <= halt.upper, "{halt:?}");
    for word in words {
        assert!(halt.advice.contains(word), "`{word}` is not in `{}`", halt.advice);
    }
}

#[test]
fn what_waits_goes_through_the_memory_of_this_machine() {
    let Some(gpu) = gpu() else { return };
    let question = question(GAME);
    let wanted = expected(&question);
    let whole = Arc::new(gpu.in_chunks(1 << 12));
    assert_eq!(on(Arc::clone(&whole) as _, &question), Ok(wanted.clone()));
    assert_eq!(moved(&whole, "to_host"), 0, "nothing moves without being asked to");
    let streamed = Arc::new(gpu.streaming(Some(LITTLE)));
    assert_eq!(on(Arc::clone(&streamed) as _, &question), Ok(wanted));
    let (to, from) = (moved(&streamed, "to_host"), moved(&streamed, "from_host"));
    assert!(to > 1 << 18 && from > 1 << 18, "{to} bytes went, {from} came");
    assert!(streamed.held() <= LITTLE, "{}", streamed.held());
}

#[test]
fn plies_in_parts_go_through_it_as_well() {
    let Some(gpu) = there(Gpu::open_seeing(&Wish::Any, 1 << 14)) else { return };
    let question = question(GAME);
    let gpu = gpu.in_form(Form::Code).in_chunks(1 << 12).streaming(Some(LITTLE));
    let streamed = Arc::new(gpu);
    assert_eq!(on(Arc::clone(&streamed) as _, &question), Ok(expected(&question)));
    assert!(moved(&streamed, "from_host") > 0 && moved(&streamed, "gather") > 0);
}

/// Nobody says how large chunks are to be; as large as they would be elsewhere they take more.
#[test]
fn chunks_are_as_small_as_what_the_device_may_hold() {
    let Some(gpu) = there(Gpu::open(&Wish::Any, false)) else { return };
    let question = question(GAME);
    let streamed = Arc::new(gpu.in_form(Form::Code).streaming(Some(LITTLE + (1 << 19))));
    assert_eq!(on(Arc::clone(&streamed) as _, &question), Ok(expected(&question)));
    let calls = |pass: &Pass| if pass.name == "deal" { pass.calls } else { 0 };
    assert!(streamed.profile().passes().iter().map(calls).sum::<u64>() > 30);
}

#[test]
fn how_much_a_device_has_is_learned_from_its_refusals() {
    let Some(gpu) = gpu() else { return };
    // The first buffers are made before anything is known of the device.
    gpu.shrink(LITTLE + (3 << 18));
    let streamed = Arc::new(gpu.streaming(None));
    let question = question(GAME);
    assert_eq!(on(Arc::clone(&streamed) as _, &question), Ok(expected(&question)));
    assert!(moved(&streamed, "to_host") > 0);
}

#[test]
fn a_device_that_has_no_more_memory_ends_in_bounds() {
    let Some(gpu) = gpu() else { return };
    gpu.shrink(LITTLE);
    check_halt(&halted(gpu), &["refuses the", "MiB", "--stream"]);
}

#[test]
fn what_must_be_there_at_once_may_be_too_much() {
    let Some(gpu) = gpu() else { return };
    let least = gpu.held() + (3 << 18);
    check_halt(&halted(gpu.streaming(Some(least))), &["at once", "--stream", "MiB"]);
}

#[test]
fn a_device_without_room_for_the_root_fails_in_a_line() {
    let Some(gpu) = gpu() else { return };
    gpu.shrink(gpu.held());
    match on(Arc::new(gpu), &question(GAME)) {
        Err(Stop::Environment(line)) => assert!(line.contains("too little memory"), "{line}"),
        other => panic!("{other:?}"),
    }
}
