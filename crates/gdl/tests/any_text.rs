//! No text makes the reader fail: arbitrary bytes, and sheets with characters changed.

use gdl::{ReadOptions, Source, read, read_facts, render, verify};
use proptest::prelude::*;

const SHEET: &str = "(role x) (role random) (init (cell 1 b)) (init (control x))
(<= (legal ?r (mark ?m)) (true (control ?r)) (or (true (cell ?m b)) (and (open ?m) (not done))))
(<= (legal random noop)) ; always
(<= (next (cell ?m ?y)) (does ?p (mark ?m)) (distinct ?m ?p) (not (true (cell ?m ?y))) (val ?y))
(<= (far ?x ?y) (distinct ?x ?y)) (<= (open ?m) (val ?m) (far ?m b)) (val b) (val 1)
(<= done (not (open 1))) (<= terminal done) (<= (goal ?r 100) (role ?r) (not (goal ?r 0)))
(<= (goal x 007) \"a b\" |c d|) (<= (sees ?r (did ?p ?m)) (role ?r) (does ?p ?m))";

/// Pieces that matter to the reader.
const PIECES: &[&str] = &[
    "(", ")", "(<=", "?x", "?", "not ", "(not", "(or", "or", "and", "distinct", "true", "does",
    "next", "legal", "goal", "role", "terminal", ";", "\"", "|", "\r", "\n", "=>", "()", "((",
    "))", "é", "\u{feff}", "open", "far", "cell", "1", " ",
];

fn settings() -> ProptestConfig {
    ProptestConfig {
        cases: 400,
        rng_seed: prop::test_runner::RngSeed::Fixed(11),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn digest(source: Source, options: ReadOptions) -> Result<(), TestCaseError> {
    let reading = read(source, &options);
    let refused = reading.diagnostics.iter().any(gdl::Diagnostic::is_error);
    prop_assert_eq!(refused, reading.is_refused());
    for fault in &reading.diagnostics {
        for label in &fault.labels {
            prop_assert!(label.span.end as usize <= reading.source.text.len());
        }
    }
    let shown = render(&reading.diagnostics, &reading.source, false);
    prop_assert_eq!(shown.is_empty(), reading.diagnostics.is_empty());
    if let Some(book) = reading.rulebook {
        prop_assert_eq!(verify(&book), Ok(()));
        let printed = Source::new("printed", &book.to_string());
        let again = read(printed, &ReadOptions { strict: false, advice: false, ..options });
        prop_assert!(again.rulebook.is_some_and(|again| again.same_rules(&book)), "{}", book);
        let _ = read_facts(&reading.source.text, &book);
    }
    Ok(())
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(source) = Source::from_bytes("bytes", &bytes) {
            digest(source, ReadOptions::default())?;
        }
    }

    #[test]
    fn pieces(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..120)) {
        digest(Source::new("pieces", &pieces.join(" ")), ReadOptions::default())?;
        digest(Source::new("pieces", &pieces.concat()), ReadOptions::default())?;
    }

    #[test]
    fn changed_sheets(
        changes in prop::collection::vec(
            (0..SHEET.len(), 0..30_usize, prop::sample::select(PIECES)),
            0..5,
        ),
        case_sensitive in any::<bool>(),
        strict in any::<bool>(),
    ) {
        let mut text = SHEET.to_owned();
        for (at, length, piece) in changes {
            let start = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            let end = (start..=start + length).rev().find(|&at| text.is_char_boundary(at));
            let end = end.filter(|&end| end <= text.len()).unwrap_or(start);
            text.replace_range(start..end, piece);
        }
        digest(Source::new("changed", &text), ReadOptions { case_sensitive, strict, advice: true })?;
    }
}

#[test]
fn the_sheet_itself_is_accepted() {
    let reading = read(Source::new("sheet", SHEET), &ReadOptions::default());
    assert!(!reading.is_refused(), "{}", render(&reading.diagnostics, &reading.source, false));
}
