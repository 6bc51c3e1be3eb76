//! What is only odd is told where it is asked for, and nothing is told of a sheet in order.

use gdl::{Diagnostic, ReadOptions, Severity, Source, read, render};

/// A game in order, with more lines.
fn game(lines: &str) -> String {
    format!(
        "(role a) (role b) (init (step 1)) (init (cell 1 blank)) (up 1 2) (up 2 3)
        (<= (legal ?r noop) (role ?r)) (<= (legal a (mark ?n)) (true (cell ?n blank)))
        (<= (next (cell ?n x)) (does a (mark ?n)))
        (<= (next (cell ?n ?v)) (true (cell ?n ?v)) (not (marked ?n)))
        (<= (marked ?n) (does a (mark ?n)))
        (<= (next (step ?n)) (true (step ?m)) (up ?m ?n))
        (<= terminal (true (step 3)))
        (<= (goal ?r 100) (role ?r) (true (cell 1 x)))
        (<= (goal ?r 0) (role ?r) (not (true (cell 1 x))))\n{lines}"
    )
}

fn advice(lines: &str) -> Vec<Diagnostic> {
    let options = ReadOptions { advice: true, ..ReadOptions::default() };
    read(Source::new("sheet.gdl", &game(lines)), &options).diagnostics
}

fn codes(lines: &str) -> Vec<&'static str> {
    advice(lines).iter().map(|fault| fault.code).collect()
}

/// All that a diagnostic says, as a person reads it.
fn words(lines: &str) -> String {
    render(&advice(lines), &Source::new("sheet.gdl", &game(lines)), false)
}

#[test]
fn a_sheet_in_order_gets_no_advice_and_advice_is_given_only_where_asked_for() {
    assert_eq!(codes(""), [""; 0]);
    let odd = game("(<= (goal a 5) (true (stpe 1)))");
    let plain = read(Source::new("t", &odd), &ReadOptions::default());
    assert!(plain.diagnostics.is_empty(), "{:?}", plain.diagnostics);
}

#[test]
fn each_oddity_has_its_code() {
    let cases: &[(&str, &[&str])] = &[
        ("(<= (goal a 5) (true (stpe 1)))", &["never-true"]),
        ("(<= (goal a 5) (not (true (cell 1))))", &["function-arity", "never-true"]),
        ("(<= (goal a 5) (true (cell 1 y)))", &["never-true"]),
        ("(<= (goal a 5) (or (true (stpe 1)) (true (step 1))))", &["never-true"]),
        ("(<= (goal a 5) (true (up 1 2)))", &["never-true", "relation-and-function"]),
        ("(<= (next won) (does a (mrk 1))) (<= (goal a 5) (true won))", &["never-played"]),
        ("(<= (next won) (does b (mark 1))) (<= (goal a 5) (true won))", &["never-played"]),
        ("(<= (goal a 5) (up 7 ?x))", &["never-matched"]),
        ("(<= (goal a 5) (cell 1 x))", &["undefined-relation"]),
        ("(<= (next (on 1)) (true (on 2))) (<= (next (on 2)) (true (on 1)))", &["never-applies"]),
        ("(helper 1) (<= (more ?x) (helper ?x))", &["unused-relation"]),
        ("(<= (even ?x) (odd ?x)) (<= (odd ?x) (even ?x)) (odd 1)", &["unused-relation"]),
        ("(<= (step ?x) (up ?x ?y)) (<= (goal a 5) (step 1))", &["relation-and-function"]),
        ("(<= (next (cell 1 ?n z)) (true (step ?n)))", &["function-arity"]),
        ("(<= (next (done (true (step 1)))) (true (step 1)))", &["keyword-in-term"]),
        ("(base (step 1)) (base (step 2)) (base (step 3))", &["undeclared"; 2]),
        (
            "(base (step 1)) (base (step 2)) (base (step 3)) (<= (base (cell ?n x)) (up ?n ?m))
             (base (cell 1 blank)) (base (hat 1))",
            &["declared-in-vain"],
        ),
        ("(role c)", &[]),
        ("(role dice)", &["chance-name"]),
        ("(<= (legal c noop) (true (step 1)))", &["unknown-role"]),
    ];
    let mut wrong = Vec::new();
    for (lines, wanted) in cases {
        let mut found = codes(lines);
        found.sort_unstable();
        if found != *wanted {
            wrong.push(format!("{lines}: {found:?}, not {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nobody_who_can_win_and_nobody_who_can_move_are_told() {
    let text = "(role a) (role b) (role c) (init s) (legal a m) (<= terminal (true s)) (goal a 90) (goal b ?v) (legal c m)";
    let options = ReadOptions { advice: true, ..ReadOptions::default() };
    let text = text.replace("(goal b ?v)", "(v 100) (<= (goal b ?v) (v ?v))");
    let found = read(Source::new("t", &text), &options).diagnostics;
    let told: Vec<_> = found.iter().map(|fault| (fault.code, fault.labels[0].span.start)).collect();
    assert_eq!(told, [("no-win", 0), ("role-without-move", 9), ("role-without-goal", 18)]);
}

#[test]
fn a_slip_is_shown_with_what_was_meant() {
    let meant = |lines: &str, what: &str| {
        let shown = words(lines);
        assert!(shown.contains(what), "`{what}` is not in\n{shown}");
    };
    meant("(<= (goal a 5) (true (stpe 1)))", "did you mean `step`?");
    meant("(<= (goal a 5) (true (stpe 1)))", "its rule for `goal` never applies");
    meant("(<= (goal a 5) (or (true (stpe 1)) (true (step 1))))", "this alternative of the rule");
    meant("(<= (goal a 5) (true (cell 1)))", "`cell` has 2 arguments here, not 1");
    meant("(<= (goal a 5) (not (true (stpe ?)) ))", "this `not` always holds");
    meant("(<= (goal a 5) (true (up 1 2)))", "stands without `true`");
    meant("(<= (goal a 5) (does a (mrk 1)))", "depends on `does`");
    meant("(<= (next w) (does a (mrk 1)))", "did you mean `mark`?");
    meant("(<= (goal a 5) (cell 1 x))", "write (true (cell ...))");
    meant("(<= (next w) (mark 1))", "write (does ROLE (mark ...))");
    meant("(<= (goal a 5) (upp 1 2))", "did you mean `up`?");
    meant("(<= (legal aa noop) (true (step 1)))", "did you mean `a`?");
    meant("(helper 1) (<= (more ?x) (helper ?x))", "only it needs helper");
}

#[test]
fn a_forgotten_arrow_is_told() {
    let cases = [
        ("(next (step 9) (true (step 1)))", true, "write `(<= (next (step 9)) (true (step 1)))`"),
        ("((next (step 9)) (true (step 1)))", true, "write `(<= (next (step 9)) (true (step 1)))`"),
        ("(line ?x (true (cell ?x x)))", false, "write `(<= (line ?x) (true (cell ?x x)))`"),
        ("(next (step ?n))", true, "write (<= (next ...) CONDITION ...)"),
        ("(<= (next (step 9))) (true (step 1)))", true, "a `)` too many"),
    ];
    for (lines, refused, right) in cases {
        let found = advice(lines);
        assert_eq!(found.iter().any(Diagnostic::is_error), refused, "{lines}: {found:?}");
        assert!(words(lines).contains(right), "{lines}: {}", words(lines));
    }
}

#[test]
fn notes_are_milder_than_warnings() {
    let severity = |lines: &str| advice(lines).iter().map(|fault| fault.severity).max();
    assert_eq!(severity("(helper 1)"), Some(Severity::Note));
    assert_eq!(
        severity("(<= safe (up 1 2)) (<= (goal a 5) safe) (init (on (safe 1)))"),
        Some(Severity::Note)
    );
    assert!(Severity::Note < Severity::Warning && Severity::Warning < Severity::Error);
}

/// The codes in the sources, between quotation marks.
fn codes_in(folder: &std::path::Path, found: &mut Vec<String>) {
    let begins = ["::error(", "::warning(", "of_severity("];
    for entry in std::fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            codes_in(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for begin in begins {
            for rest in text.split(begin).skip(1) {
                let first = rest.split('"').nth(1).unwrap_or_default();
                let is_code = first.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
                if is_code && first.contains('-') {
                    found.push(first.to_owned());
                }
            }
        }
    }
}

#[test]
fn every_code_is_explained() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("../../docs/diagnostics.md")).expect("the page");
    let mut found = Vec::new();
    codes_in(&root.join("src"), &mut found);
    assert!(found.len() > 40, "only {} codes were found", found.len());
    let missing: Vec<&String> =
        found.iter().filter(|code| !page.contains(&format!("`{code}`"))).collect();
    assert!(missing.is_empty(), "not in docs/diagnostics.md: {missing:?}");
}
