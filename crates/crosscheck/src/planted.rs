//! Engines with planted faults, for the tests of whatever looks for faults.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use exact::Ratio;
use gdl::{ReadOptions, Rulebook, Source};
use verdict::{Engine, Question, Stop, Verdict, Watch};

use crate::reference::Reference;

/// Runs something under a watch without limits.
pub(crate) fn watched<T>(run: impl FnOnce(&Watch<'_>) -> T) -> T {
    let interrupt = AtomicBool::new(false);
    run(&Watch::unlimited(&interrupt))
}

pub(crate) fn rulebook(text: &str) -> Arc<Rulebook> {
    let reading = gdl::read(Source::new("test", text), &ReadOptions::default());
    let faults = reading.diagnostics;
    Arc::new(reading.rulebook.unwrap_or_else(|| panic!("{faults:?}\n{text}")))
}

pub(crate) fn question(text: &str) -> Question {
    Question::new(rulebook(text)).expect("a player")
}

/// The reference, but for another game: some words of the sheet are replaced.
pub(crate) struct Bent(Arc<Rulebook>);

impl Bent {
    pub(crate) fn new(sheet: &str, words: &str, others: &str) -> Self {
        assert!(sheet.contains(words), "the sheet holds what is replaced");
        Self(rulebook(&sheet.replace(words, others)))
    }
}

impl Engine for Bent {
    fn name(&self) -> &str {
        "bent"
    }

    fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
        let names = &question.rulebook.symbols;
        let from = question.from.as_ref().map(|terms| {
            let texts = terms.iter().map(|term| gdl::term_text(term, names) + " ");
            let facts = texts.collect::<String>();
            gdl::read_facts(&facts, &self.0).expect("facts that were printed")
        });
        let rulebook = Arc::clone(&self.0);
        Reference.judge(&Question { rulebook, from, ..question.clone() }, watch)
    }
}

/// The reference, but for a wrong value of some questions.
pub(crate) struct Planted<F>(pub(crate) F);

impl<F: Fn(&Question) -> bool> Engine for Planted<F> {
    fn name(&self) -> &str {
        "planted"
    }

    fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
        let mut verdict = Reference.judge(question, watch)?;
        if (self.0)(question) {
            let half = Ratio::new(1u8, 2u8);
            verdict.value = if verdict.value.is_zero() { half } else { verdict.value * half };
        }
        Ok(verdict)
    }
}
