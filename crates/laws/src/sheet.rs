//! The laws of a rulesheet: reading, printing, laying out, grounding.
//!
//! - Bytes are text or refused with a message.
//! - A sheet is refused exactly where an error is said, every place that is named is a place of the
//!   text, and all of it can be shown.
//! - What is read prints as a sheet that means the same, in normal form.
//! - A sheet that passes strictly passes, and means the same.
//! - Its layout is laid out, and means the same with the same warnings; what has no layout is
//!   refused.
//! - It grounds and becomes a network, both sound, or is refused, within limits.
//!
//! That reading is quick and needs little memory is for whoever calls to see.

use std::time::{Duration, Instant};

use gdl::{Diagnostic, ReadOptions, Reading, Rulebook, Source};
use ground::GroundLimits;

/// Atoms and rules that a sheet may ground to here: much for a small sheet, little for a machine.
const ATOM_LIMIT: usize = 3_000;
/// Gates that its network may have on the way.
const GATE_LIMIT: usize = 30_000;
/// Time for grounding one sheet.
const TIME: Duration = Duration::from_millis(300);
/// What grounding may take beyond its time, on a machine that has other things to do.
const DELAY: Duration = Duration::from_secs(10);

/// Asserts every law of the bytes of one sheet.
///
/// # Panics
/// Where one is broken.
pub fn hold(bytes: &[u8]) {
    let source = match Source::from_bytes("sheet", bytes) {
        Ok(source) => source,
        Err(fault) => {
            assert!(fault.is_error() && !fault.message.is_empty(), "a refusal without a reason");
            return;
        }
    };
    let reading = read(&source, ReadOptions::default());
    hold_layout(&reading);
    hold_strict(&reading);
    if let Some(book) = &reading.rulebook {
        hold_ground(book);
        // The facts of a sheet are a state or are not: either is an answer.
        drop(gdl::read_facts(&source.text, book));
    }
    read(&source, ReadOptions { case_sensitive: true, advice: true, ..ReadOptions::default() });
}

/// Reads, and holds what must be true of every reading.
fn read(source: &Source, options: ReadOptions) -> Reading {
    let reading = gdl::read(source.clone(), &options);
    let refused = reading.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(refused, reading.is_refused(), "refused without an error, or not in spite of one");
    reading.diagnostics.iter().for_each(|fault| hold_places(fault, &source.text));
    let shown = gdl::render(&reading.diagnostics, source, false);
    assert_eq!(shown.is_empty(), reading.diagnostics.is_empty(), "something is said in silence");
    if let Some(book) = &reading.rulebook {
        hold_print(book, options);
    }
    reading
}

fn hold_places(fault: &Diagnostic, text: &str) {
    assert!(!fault.message.is_empty() && !fault.code.is_empty(), "{fault:?}");
    for label in &fault.labels {
        let (start, end) = (label.span.start as usize, label.span.end as usize);
        assert!(text.get(start..end).is_some(), "no place of the text: {fault:?}");
    }
}

/// `read(print(x))` is `x`.
fn hold_print(book: &Rulebook, options: ReadOptions) {
    assert_eq!(gdl::verify(book), Ok(()), "not in normal form");
    let printed = Source::new("printed", &book.to_string());
    let again = gdl::read(printed, &ReadOptions { strict: false, ..options });
    let again = again.rulebook.unwrap_or_else(|| panic!("refused once printed:\n{book}"));
    assert!(again.same_rules(book), "another game once printed:\n{book}\nread as\n{again}");
}

fn hold_layout(reading: &Reading) {
    let text = &reading.source.text;
    let page = match gdl::layout(text) {
        Ok(page) => page,
        Err(faults) => {
            assert!(faults.iter().any(Diagnostic::is_error), "no layout for no reason");
            assert!(reading.is_refused(), "accepted, and cannot be laid out: {faults:?}");
            faults.iter().for_each(|fault| hold_places(fault, text));
            return;
        }
    };
    assert_eq!(gdl::layout(&page).as_ref(), Ok(&page), "the layout of a page is another");
    let again = gdl::read(Source::new("page", &page), &ReadOptions::default());
    match (&reading.rulebook, &again.rulebook) {
        (Some(before), Some(after)) => {
            assert!(before.same_rules(after), "another game once laid out:\n{page}");
            let codes = |held: &Reading| -> Vec<&'static str> {
                let mut codes: Vec<_> = held.diagnostics.iter().map(|fault| fault.code).collect();
                codes.sort_unstable();
                codes
            };
            assert_eq!(codes(reading), codes(&again), "other warnings once laid out:\n{page}");
        }
        (None, None) => {}
        _ => panic!("refused before or after being laid out, not both:\n{page}"),
    }
}

fn hold_strict(reading: &Reading) {
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let strictly = gdl::read(reading.source.clone(), &strict);
    if let Some(book) = &strictly.rulebook {
        let same = reading.rulebook.as_ref().is_some_and(|other| other.same_rules(book));
        assert!(same, "passes strictly, and is refused or another game else");
    }
}

fn hold_ground(book: &Rulebook) {
    let started = Instant::now();
    let deadline = Some(started + TIME);
    let limits = GroundLimits { atoms: ATOM_LIMIT, deadline, ..GroundLimits::default() };
    let grounded = ground::ground(book, &limits);
    assert!(started.elapsed() < TIME + DELAY, "grounding does not look at its limits:\n{book}");
    let rules = match grounded {
        Ok(rules) => rules,
        Err(fault) => return assert!(!fault.message.is_empty(), "{fault:?}"),
    };
    assert_eq!(ground::verify(&rules), Ok(()), "ground rules that are unsound:\n{book}");
    match net::lower(&rules, &net::LowerLimits { gates: GATE_LIMIT, ..Default::default() }) {
        Ok(network) => assert_eq!(net::verify(&network), Ok(()), "an unsound network:\n{book}"),
        Err(fault) => assert!(!fault.to_string().is_empty(), "a refusal without a reason"),
    }
}
