//! A device, questions of games, and answers that can be compared.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use device::DeviceFault;
use gdl::{ReadOptions, Source};
use solve::{Options, Sweep};
use verdict::{Engine, Question, Stop, Verdict, Watch};

/// What was opened; none where there is no adapter, which is left out with a line unless
/// `ODDSMITH_GPU` is set.
pub(crate) fn there<T>(opened: Result<T, DeviceFault>) -> Option<T> {
    match opened {
        Ok(gpu) => Some(gpu),
        Err(fault) if std::env::var_os("ODDSMITH_GPU").is_some() => panic!("{fault}"),
        Err(_) => {
            eprintln!("games on a graphics device: left out, there is no adapter");
            None
        }
    }
}

/// The default question of a sheet.
pub(crate) fn asked(name: &str, text: &str) -> Question {
    let reading = gdl::read(Source::new(name, text), &ReadOptions::default());
    Question::new(Arc::new(reading.rulebook.expect("a sheet"))).expect("a role")
}

/// The default question of a game of `games/`.
pub(crate) fn question(name: &str) -> Question {
    let path = format!("{}/../../../games/{name}.gdl", env!("CARGO_MANIFEST_DIR"));
    asked(name, &std::fs::read_to_string(&path).expect("a game of the project"))
}

/// The answer, and what differs on a device by design left out: it keeps states that wait for chance.
pub(crate) fn judge(sweep: &Sweep, question: &Question) -> Result<Verdict, Stop> {
    let interrupt = AtomicBool::new(false);
    let judged = sweep.judge(question, &Watch::unlimited(&interrupt));
    judged.map(|mut verdict| {
        verdict.counts.stored = 0;
        verdict
    })
}

/// The answer of the processor.
pub(crate) fn expected(question: &Question) -> Verdict {
    judge(&Sweep::new(Options { apart: false, ..Options::default() }), question).expect("an answer")
}

/// The answer of a device.
pub(crate) fn on(gpu: Arc<dyn solve::Device>, question: &Question) -> Result<Verdict, Stop> {
    judge(&Sweep::new(Options::default()).on(gpu), question)
}
