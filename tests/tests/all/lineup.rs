//! The engines by name, and questions about sheets.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crosscheck::reference::Reference;
use gdl::{ReadOptions, Rulebook, Source};
use solve::{Options, Search, Sweep, Tier};
use verdict::{Engine, Question, Stop, Verdict, Watch};

/// An engine, and the name under which facts files speak of it.
pub(crate) struct Seat {
    /// The name in facts files.
    pub(crate) name: &'static str,
    /// What is special about this seat; empty for the engine as users meet it.
    pub(crate) variant: &'static str,
    /// The engine.
    pub(crate) engine: Box<dyn Engine>,
}

/// Every engine, and the sweep once more by tables, and with states that wait for chance kept.
pub(crate) fn seats() -> Vec<Seat> {
    let kept = Options { fold: false, ..Options::default() };
    let tables = Options { tier: Tier::Table, ..Options::default() };
    let seat = |name, variant, engine| Seat { name, variant, engine };
    vec![
        seat("reference", "", Box::new(Reference)),
        seat("search", "", Box::new(Search::new(Options::default()))),
        seat("sweep", "", Box::new(Sweep::new(Options::default()))),
        seat("sweep", " (tables)", Box::new(Sweep::new(tables))),
        seat("sweep", " (nothing folded)", Box::new(Sweep::new(kept))),
    ]
}

/// Reads a sheet that must be sound.
pub(crate) fn rulebook(name: &str, text: &str) -> Arc<Rulebook> {
    let reading = gdl::read(Source::new(name, text), &ReadOptions::default());
    let said: Vec<String> =
        reading.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect();
    Arc::new(reading.rulebook.unwrap_or_else(|| panic!("{name} is refused: {}", said.join("; "))))
}

/// Runs something under a watch without limits.
pub(crate) fn watched<T>(run: impl FnOnce(&Watch<'_>) -> T) -> T {
    let interrupt = AtomicBool::new(false);
    run(&Watch::unlimited(&interrupt))
}

/// The answer of an engine.
pub(crate) fn judge(engine: &dyn Engine, question: &Question) -> Result<Verdict, Stop> {
    watched(|watch| engine.judge(question, watch))
}

/// The default question about one role of a sheet.
pub(crate) fn question_of(book: &Arc<Rulebook>, role: &str) -> Question {
    let mut question = Question::new(Arc::clone(book)).expect("a role that is not chance");
    question.role = book.role(role).unwrap_or_else(|| panic!("no role {role}"));
    question
}
