//! The forms in which a device gets a game, and chunks of any size, beside the processor.
//!
//! Where there is no adapter all this is left out with a line, unless `ODDSMITH_GPU` is set.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use device::{Form, Gpu, Wish};
use gdl::{ReadOptions, Source};
use solve::{Options, Sweep};
use verdict::{Engine, Question, Stop, Verdict, Watch};

fn gpu() -> Option<Gpu> {
    match Gpu::open(&Wish::Any, false) {
        Ok(gpu) => Some(gpu),
        Err(fault) if std::env::var_os("ODDSMITH_GPU").is_some() => panic!("{fault}"),
        Err(_) => {
            eprintln!("forms of a game on a graphics device: left out, there is no adapter");
            None
        }
    }
}

/// The default question of a game of `games/`.
fn question(name: &str) -> Question {
    let path = format!("{}/../../../games/{name}.gdl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a game of the project");
    let reading = gdl::read(Source::new(name, &text), &ReadOptions::default());
    Question::new(Arc::new(reading.rulebook.expect("a sheet"))).expect("a role")
}

/// The answer, and what differs on a device by design left out: it keeps states that wait for chance.
fn judge(sweep: &Sweep, question: &Question) -> Result<Verdict, Stop> {
    let interrupt = AtomicBool::new(false);
    let judged = sweep.judge(question, &Watch::unlimited(&interrupt));
    judged.map(|mut verdict| {
        verdict.counts.stored = 0;
        verdict
    })
}

fn on(gpu: Gpu, question: &Question) -> Result<Verdict, Stop> {
    judge(&Sweep::new(Options::default()).on(Arc::new(gpu)), question)
}

/// Chunks of 32 states have few moves in common, split classes of chance, and make tables and keys
/// grow many times.
#[test]
fn neither_forms_nor_chunks_change_answers() {
    let Some(gpu) = gpu() else { return };
    for name in ["tic-tac-toe", "stochastic-tic-tac-toe-3x3", "stochastic-nim-20", "coin-guess"] {
        let question = question(name);
        let wanted = judge(&Sweep::new(Options::default()), &question).expect("an answer");
        let small = if name.contains("3x3") { 1 << 13 } else { 1 };
        for form in [Form::Code, Form::Tape, Form::Tables] {
            for chunk in [small, 1 << 16] {
                let got = on(gpu.in_form(form).in_chunks(chunk), &question);
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
    let wanted = judge(&Sweep::new(Options::default()), &question).expect("an answer");
    let ran = |gpu: &Gpu, pass: &str| gpu.profile().passes().iter().any(|one| one.name == pass);
    for form in [None, Some(Form::Tape)] {
        let device =
            Arc::new(form.map_or_else(|| gpu.in_chunks(1 << 16), |form| gpu.in_form(form)));
        let sweep =
            Sweep::new(Options::default()).on(Arc::clone(&device) as Arc<dyn solve::Device>);
        assert_eq!(judge(&sweep, &question).expect("an answer"), wanted, "{form:?}");
        assert_eq!(ran(&device, "step_by_tables"), form.is_none(), "{form:?}");
        assert_eq!(ran(&device, "pack"), form.is_some(), "{form:?}");
        assert!(!ran(&device, "view") && !ran(&device, "update"), "{form:?}");
    }
}
