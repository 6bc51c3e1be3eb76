//! Bad sheets: each fault is found, all are told at once, and the text shows the place.

use gdl::{ReadOptions, Reading, Source, read, render};

fn reading(text: &str, strict: bool) -> Reading {
    read(Source::new("sheet.gdl", text), &ReadOptions { strict, ..ReadOptions::default() })
}

fn errors(text: &str) -> Vec<&'static str> {
    let reading = reading(text, false);
    let found: Vec<_> =
        reading.diagnostics.iter().filter(|fault| fault.is_error()).map(|f| f.code).collect();
    assert_eq!(found.is_empty(), reading.rulebook.is_some(), "{text}");
    found
}

/// A sheet that is in order but for the lines added to it.
fn game(lines: &str) -> String {
    format!(
        "(role a) (init s) (legal a m) (<= (next t) (does a m)) (<= terminal (true t)) (goal a 1)\n\
         (d 1) (d 2) (e 1 2)\n{lines}"
    )
}

#[test]
fn a_sheet_in_order_has_no_fault() {
    assert!(reading(&game(""), true).diagnostics.is_empty());
}

#[test]
fn each_fault_of_form_is_found() {
    let cases = [
        ("(p (q 1)", "unclosed-parenthesis"),
        ("(p 1))", "stray-parenthesis"),
        ("()", "bad-form"),
        ("(p ())", "bad-form"),
        ("((p) 1)", "bad-form"),
        ("(?x 1)", "bad-form"),
        ("(p (?x 1))", "bad-form"),
        ("(<= )", "bad-form"),
        ("(<= p ?x)", "bad-form"),
        ("(=> (d 1) p)", "bad-form"),
        ("(:- p (d 1))", "bad-form"),
        ("((role b) (<= p q))", "bad-form"),
        ("p", "bare-word"),
        ("(<= (true x) (d 1))", "keyword-in-head"),
        ("(does a m)", "keyword-in-head"),
        ("(<= (distinct 1 2) (d 1))", "bad-head"),
        ("(<= (not p) (d 1))", "bad-head"),
        ("(<= (and p q) (d 1))", "bad-head"),
        ("(<= p (next t))", "keyword-in-body"),
        ("(<= p (not (or (d 1) (next t))))", "keyword-in-body"),
        ("(role)", "keyword-arity"),
        ("(goal a)", "keyword-arity"),
        ("(legal m)", "keyword-arity"),
        ("(<= (terminal x) (d 1))", "keyword-arity"),
        ("(<= p (distinct 1))", "keyword-arity"),
        ("(<= p (not (d 1) (d 2)))", "keyword-arity"),
        ("(<= p (true))", "keyword-arity"),
        ("(<= p true)", "keyword-arity"),
        ("(p \"x)", "unclosed-quote"),
        ("(p \u{1})", "not-text"),
        ("(role (f b))", "bad-role"),
    ];
    for (lines, code) in cases {
        assert_eq!(errors(&game(lines)), [code], "{lines}");
    }
}

#[test]
fn each_fault_of_meaning_is_found() {
    let cases = [
        ("(<= (next ?x) (not (d ?x)))", "unsafe-variable"),
        ("(<= p (d ?x) (not (e ?x ?y)) (distinct ?y ?x))", "unsafe-variable"),
        ("(<= p (or (not (d ?x)) (not (e 1 ?x))))", "unsafe-variable"),
        ("(<= p (distinct ?x 1))", "unsafe-variable"),
        ("(<= (u ?x) (not (d ?x))) (<= (next ?y) (u ?y))", "unsafe-variable"),
        ("(<= (u ?x ?y) (d ?x)) (<= (next (f ?y)) (d ?x) (u ?x ?y))", "unsafe-variable"),
        ("(<= (u ?x) (not (d ?x))) (<= p (not (u ?y)))", "unsafe-variable"),
        ("(<= (u ?x (f ?y)) (u ?x ?y)) (u ?x 1) (<= p (d ?x) (u ?x ?y))", "unsafe-variable"),
        ("(<= p (not p))", "unstratified-negation"),
        ("(<= p q) (<= q (not r)) (<= r p)", "unstratified-negation"),
        ("(<= (p 1) (not (p 1)))", "unstratified-negation"),
        ("(<= (legal a k) (does a m))", "depends-on-does"),
        ("(<= h (g)) (<= (g) (does a m)) (<= (goal a 2) (not h))", "depends-on-does"),
        ("(<= terminal (does a ?m))", "depends-on-does"),
        ("(<= (init x) (true s))", "depends-on-state"),
        ("(<= h (legal a k)) (<= (legal a k) (true s)) (<= (base x) h)", "depends-on-state"),
        ("(<= (input a x) (true s))", "depends-on-state"),
        ("(<= (role b) (true s))", "depends-on-state"),
    ];
    for (lines, code) in cases {
        assert_eq!(errors(&game(lines)), [code], "{lines}");
    }
}

#[test]
fn what_is_missing_is_told() {
    assert_eq!(errors(""), ["empty-sheet"]);
    assert_eq!(errors("\u{feff} ; nothing\n"), ["empty-sheet"]);
    assert_eq!(errors("(init s)"), ["no-legal", "no-roles"]);
    assert_eq!(errors("(<= (role ?x) (p ?x)) (legal a m)"), ["no-roles"]);
    assert_eq!(errors("(true (cell 1)) (does a m)"), ["not-a-game"]);
    let bare = reading("(role a) (legal a m)", true);
    let warned: Vec<_> = bare.diagnostics.iter().map(|fault| fault.code).collect();
    assert_eq!(warned, ["no-goal", "no-init", "no-terminal"]);
}

#[test]
fn deep_terms_and_deep_nesting_are_refused() {
    let nested = |depth: usize| format!("(p {}1{})", "(f ".repeat(depth), ")".repeat(depth));
    assert_eq!(errors(&game(&nested(31))), [""; 0]);
    assert_eq!(errors(&game(&nested(32))), ["term-too-deep"]);
    assert_eq!(errors(&game(&nested(150))), ["term-too-deep"]);
    assert_eq!(errors(&game(&nested(100_000))), ["too-deep"]);
    assert_eq!(errors(&"(".repeat(1_000_000)), ["unclosed-parenthesis", "too-deep"]);
    let nots = format!("(<= p {}(d 1){})\n(p ())", "(not ".repeat(200_000), ")".repeat(200_000));
    assert_eq!(errors(&game(&nots)), ["too-deep", "bad-form"]);
    let negated = format!("(<= p {}(d 1){})", "(not ".repeat(150), ")".repeat(150));
    assert_eq!(errors(&game(&negated)), [""; 0]);
    let grown = (0..40).map(|i| format!("(not (distinct ?v{i} (f ?v{0} ?v{0})))", i + 1));
    let grown: String = grown.collect();
    assert_eq!(errors(&game(&format!("(<= (p ?v0) (d ?v40) {grown})"))), ["term-too-deep"]);
}

#[test]
fn all_faults_of_a_sheet_are_told_at_once() {
    let text =
        "(role a)\n(legal a)\n(<= (next ?z) (does a m))\n(<= p (not p))\n(true x)\n(goal a 1";
    let found = errors(text);
    for code in [
        "keyword-arity",
        "unsafe-variable",
        "unstratified-negation",
        "keyword-in-head",
        "unclosed-parenthesis",
    ] {
        assert!(found.contains(&code), "{code} in {found:?}");
    }
}

#[test]
fn an_odd_goal_is_told_what_a_goal_is() {
    for value in ["101", "-1", "x", "(f 1)"] {
        let odd = reading(&game(&format!("(goal a {value})")), false).diagnostics;
        assert_eq!(odd.len(), 1, "{value}");
        assert_eq!(odd[0].message, format!("`{value}` is not a goal value"));
        assert_eq!(odd[0].notes[0], gdl::GOAL_VALUES);
    }
}

#[test]
fn oddities_are_warned_of() {
    let cases = [
        ("(<= p (cel 1))", "undefined-relation"),
        ("(legal z m)", "unknown-role"),
        ("(goal a 101)", "goal-range"),
        ("(p (not (q 1)))", "connective-in-term"),
        ("(d 1)", "duplicate-rule"),
        ("(d x) (d X) (D y)", "merged-spelling"),
        ("(<= (legal ?r k) (true s))", "unsafe-rule"),
        ("(<= (goal a 5) (not (goal a 1)))", "negation-by-argument"),
        ("(<= (u ?x) (not (e ?x 2)))", "unsafe-rule"),
        ("(<= p (d ?x) (not (e ?x ?y)))", "negated-variable"),
        ("(<= p (or (not (d ?x)) (not (e 1 ?y))))", "negated-variable"),
    ];
    for (lines, code) in cases {
        let reading = reading(&game(lines), false);
        let found: Vec<_> = reading.diagnostics.iter().map(|fault| fault.code).collect();
        assert!(found.contains(&code) && reading.rulebook.is_some(), "{lines}: {found:?}");
    }
}

#[test]
fn a_variable_of_a_denial_alone_is_named_by_one_helper() {
    let lines = "(<= (p ?x) (d ?x) (not (e ?x ?Y)))\n(<= (q ?z) (d ?z) (not (e ?z ?w)))\n\
                 (<= r (not (e ?v ?w)))";
    let reading = reading(&game(lines), false);
    let warned: Vec<_> =
        reading.diagnostics.iter().map(|f| (f.code, f.notes[0].as_str())).collect();
    assert_eq!(warned.len(), 3, "{warned:?}");
    assert!(warned.iter().all(|(code, _)| *code == "negated-variable"), "{warned:?}");
    let advice = "say so by a helper: (<= (some_e ?x) (e ?x ?Y)) and (not (some_e ?x))";
    assert_eq!(warned[0].1, advice);
    assert!(warned[2].1.contains("(<= (some_e) (e ?v ?w))"), "{warned:?}");
    let text = reading.rulebook.expect("warned of only").to_string();
    let helpers = text.lines().filter(|line| line.contains("<= (e_part")).count();
    let nullary = text.lines().filter(|line| line.contains("<= e_part")).count();
    assert_eq!((helpers, nullary), (1, 1), "equal denials share a helper:\n{text}");
}

#[test]
fn strict_refuses_what_is_luck() {
    for lines in [
        "(<= (legal ?r k) (true s))",
        "(<= (goal a 5) (not (goal a 1)))",
        "(<= (u ?x) (not (e ?x 2)))",
        "(d 1 2)",
        "(<= p (d ?x) (not (e ?x ?y)))",
    ] {
        assert!(reading(&game(lines), true).is_refused(), "{lines}");
    }
}

#[test]
fn the_text_shows_the_place() {
    let text = "(role a)\r(init s)\r; c (\r(legal a m)\r(<= (next (f ?x ?y)) (does a m) (d ?x))\r\
                (<= terminal (true s))\r(goal a 100) (d 1)";
    let reading = reading(text, false);
    assert_eq!(
        render(&reading.diagnostics, &reading.source, false),
        "error[unsafe-variable]: unsafe variable `?y`: no positive condition binds it\n  \
           ┌─ sheet.gdl:5:17\n  │\n\
         5 │ (<= (next (f ?x ?y)) (does a m) (d ?x))\n  │                 ^^ could be anything\n  │\n  \
           = add a condition to the rule for `next` that says what `?y` may be\n\n"
    );
}

#[test]
fn a_cycle_is_shown_as_a_path() {
    let reading = reading(&game("(<= p\n  (not q))\n(<= q p)"), false);
    assert_eq!(
        render(&reading.diagnostics, &reading.source, false),
        "error[unstratified-negation]: unstratified negation: `p` depends on its own negation\n  \
           ┌─ sheet.gdl:4:8\n  │\n\
         4 │   (not q))\n  │        ^ `p` needs `q` not to hold\n\
         5 │ (<= q p)\n  │       - `q` needs `p`\n  │\n  \
           = the cycle is p -> not q -> p\n  \
           = break the cycle: within a state nothing may depend on its own negation\n\n"
    );
}

#[test]
fn long_lines_and_long_lists_are_cut() {
    let facts: String = (0..3000).map(|n| format!("(fact é{n})")).collect();
    let text = format!("{}{facts}(<= p (zork)){facts}", game("").replace('\n', " "));
    let reading = reading(&text, false);
    let shown = render(&reading.diagnostics, &reading.source, false);
    assert!(shown.contains("(zork)") && shown.ends_with("more\n"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() < 300));
    let column = text[..text.find("(zork)").unwrap()].chars().count() + 1;
    assert!(shown.contains(&format!("sheet.gdl:1:{column}\n")), "{shown}");
    assert!(render(&reading.diagnostics, &reading.source, true).contains("\u{1b}["));
}

#[test]
fn roles_can_follow_from_static_rules() {
    let text = "(<= (role ?p) (player ?p) (not (absent ?p)) (distinct ?p nobody))
        (player nobody) (<= (player ?q) (next_to ?p ?q) (player ?p)) (next_to nobody zoe)
        (next_to zoe bob) (next_to bob al) (absent bob) (role random) (legal zoe m)";
    let reading = reading(text, false);
    let book = reading.rulebook.expect("accepted");
    let names: Vec<&str> = book.roles.ids().map(|role| book.role_name(role)).collect();
    assert_eq!(names, ["zoe", "al", "random"]);
}

#[test]
fn many_unsafe_rules_are_unfolded_quickly() {
    let unsafe_rules: String = (0..2000)
        .map(|n| format!("(<= (u{n} ?x ?y) (not (e ?x ?y)))(<= (c{n} ?x) (d ?x) (u{n} ?x 1))"))
        .collect();
    let reading = reading(&game(&unsafe_rules), false);
    let book = reading.rulebook.expect("accepted");
    assert!(book.to_string().contains("(<= (c1999 ?x) (d ?x) (not (e ?x 1)))"));
    assert!(!book.to_string().contains("u1999"));
}

#[test]
fn calls_that_multiply_are_refused() {
    let rules: String = (0..30)
        .map(|n| format!("(<= (v{n} ?x) (distinct ?x {n}))(<= (v{n} ?x) (not (e ?x {n})))"))
        .collect();
    let calls: String = (0..30).map(|n| format!("(v{n} ?x) ")).collect();
    let text = game(&format!("{rules}(<= p (d ?x) {calls})"));
    assert_eq!(errors(&text), ["unsafe-variable"]);
}

/// All that is said of a game in order with more lines.
fn told(lines: &str) -> String {
    let text = format!(
        "(role a) (role b) (init (n 1)) (legal ?r stay) (<= terminal (true (n 1)))
         (<= (goal ?r 100) (role ?r))\n{lines}"
    );
    let source = Source::new("t", &text);
    let read = gdl::read(source.clone(), &ReadOptions { advice: true, ..ReadOptions::default() });
    gdl::render(&read.diagnostics, &source, false)
}

#[test]
fn a_forgotten_arrow_is_told_with_the_rule_that_is_meant() {
    let cases = [
        ("(terminal (true (n 2)))", "write `(<= terminal (true (n 2)))`"),
        ("(terminal (true (n 2))\n  (not (true x)))", "(<= terminal (true (n 2)) (not (true x)))`"),
        ("(legal a m (true (n 2)))", "write `(<= (legal a m) (true (n 2)))`"),
        ("((legal a m) (true (n 2)))", "write `(<= (legal a m) (true (n 2)))`"),
        ("(goal a (true (n 2)))", "write (<= HEAD CONDITION ...)"),
    ];
    for (lines, words) in cases {
        let told = told(lines);
        assert!(told.contains("forgotten-arrow") && told.contains(words), "{lines}: {told}");
    }
    assert!(!told("((legal a) m)").contains("forgotten-arrow"), "no condition is inside");
}

#[test]
fn a_role_that_stands_second_is_told_to_come_first() {
    let cases = [
        ("(<= (next x) (does stay a))", "write `(does a stay)`"),
        ("(goal 100 a)", "write `(goal a 100)`"),
        ("(legal (go 1 2) b)", "write `(legal b (go 1 2))`"),
    ];
    for (lines, words) in cases {
        let told = told(lines);
        assert!(told.contains("the role comes first") && told.contains(words), "{lines}: {told}");
    }
    for lines in ["(legal a b)", "(<= (next x) (does ?r a) (true (n 1)))", "(legal z stay)"] {
        assert!(!told(lines).contains("the role comes first"), "{lines}");
    }
}

#[test]
fn no_message_names_a_relation_that_was_invented() {
    let ors: String = (0..8).map(|at| format!("(or (true (s {at})) (true t) (q {at})) ")).collect();
    let rules = [
        format!("(q 1) (<= (next e) {ors})"),
        format!("(q 1) (<= (odd e) {ors})"),
        format!("(q 1) (<= (init e) {ors})"),
        format!("(q 1) (<= (goal b 50) {ors} (or (does a stay) (q 1)))"),
        format!("(<= (q 1) {ors})"),
        format!("(<= (q 1) (not (q 1)) {ors})"),
    ];
    for rule in rules {
        let told = told(&rule);
        assert!(!told.is_empty() && !told.contains("_part"), "{rule}:\n{told}");
    }
}
