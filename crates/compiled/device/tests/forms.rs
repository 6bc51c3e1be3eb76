//! The forms in which a device gets a game, and chunks of any size, beside the processor.
//!
//! Where there is no adapter all this is left out with a line, unless `ODDSMITH_GPU` is set.

mod support;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use device::{Form, Gpu, Wish};
use solve::{Options, Search};
use support::{expected, on, question, there};
use verdict::{Engine, Watch};

fn gpu() -> Option<Gpu> {
    there(Gpu::open(&Wish::Any, false))
}

/// Chunks of 32 states have few moves in common, split classes of chance, and make tables and keys
/// grow many times.
#[test]
fn neither_forms_nor_chunks_change_answers() {
    let Some(gpu) = gpu() else { return };
    for name in ["tic-tac-toe", "stochastic-tic-tac-toe-3x3", "stochastic-nim-20", "coin-guess"] {
        let question = question(name);
        let wanted = expected(&question);
        let small = if name.contains("3x3") { 1 << 13 } else { 1 };
        for form in [Form::Code, Form::Tape, Form::Tables] {
            for chunk in [small, 1 << 16] {
                let got = on(Arc::new(gpu.in_form(form).in_chunks(chunk)), &question);
                let got = got.unwrap_or_else(|stop| panic!("{name} as {form:?}: {stop:?}"));
                assert_eq!(got, wanted, "{name} as {form:?}, {chunk} candidates a chunk");
            }
        }
    }
}

/// Which passes ran tells in which form a game came.
#[test]
fn a_game_of_large_groups_is_answered_without_compiling_it() {
    let Some(gpu) = gpu() else { return };
    let question = question("stochastic-nim-100");
    let wanted = expected(&question);
    let ran = |gpu: &Gpu, pass: &str| gpu.profile().passes().iter().any(|one| one.name == pass);
    for form in [None, Some(Form::Tape)] {
        let device =
            Arc::new(form.map_or_else(|| gpu.in_chunks(1 << 16), |form| gpu.in_form(form)));
        let got = on(Arc::clone(&device) as _, &question).expect("an answer");
        assert_eq!(got, wanted, "{form:?}");
        assert_eq!(ran(&device, "step_by_tables"), form.is_none(), "{form:?}");
        assert_eq!(ran(&device, "pack"), form.is_some(), "{form:?}");
        assert!(!ran(&device, "view") && !ran(&device, "update"), "{form:?}");
    }
}

/// Chunks of 32 states keep chance moves of equal effect apart, and halve where joint moves differ.
#[test]
fn neither_forms_nor_chunks_change_searches() {
    let Some(gpu) = gpu() else { return };
    let search = || Search::new(Options { threads: Some(1), ..Options::default() });
    let interrupt = AtomicBool::new(false);
    let watch = Watch::unlimited(&interrupt);
    for name in ["stochastic-nim-20", "coin-guess", "nim-heaps", "penalties"] {
        let question = question(name);
        let wanted = search().judge(&question, &watch).expect("an answer");
        for form in [Form::Code, Form::Tape, Form::Tables] {
            for chunk in [1, 1 << 16] {
                let device = Arc::new(gpu.in_form(form).in_chunks(chunk));
                let got = search().on(device).judge(&question, &watch);
                let got = got.unwrap_or_else(|stop| panic!("{name} as {form:?}: {stop:?}"));
                assert_eq!(got, wanted, "{name} as {form:?}, {chunk} candidates a chunk");
            }
        }
    }
}
