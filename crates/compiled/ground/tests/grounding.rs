//! Sheets whose ground rules are known by hand, and laws that hold for every sheet.
//!
//! The public pitfalls and the corpus are read where the shared folder is present; each such test
//! says in one line when it is not.

use std::path::PathBuf;

use gdl::{GOAL_VALUES, ReadOptions, Rulebook, Source, read};
use ground::{GroundFault, GroundLimits, GroundRules, ground, verify};

fn rulebook(text: &str) -> Rulebook {
    let reading = read(Source::new("<test>", text), &ReadOptions::default());
    reading.rulebook.unwrap_or_else(|| panic!("refused: {:?}", reading.diagnostics))
}

fn grounded(text: &str) -> GroundRules {
    let rules = ground(&rulebook(text), &GroundLimits::default()).expect("the sheet grounds");
    assert_eq!(verify(&rules), Ok(()));
    rules
}

fn fault(text: &str) -> GroundFault {
    ground(&rulebook(text), &GroundLimits::default()).expect_err("the sheet has a fault")
}

fn moves(rules: &GroundRules) -> Vec<&str> {
    rules.inputs.iter().map(|input| input.text.as_str()).collect()
}

/// The ground rules as sorted lines.
fn lines(rules: &GroundRules) -> Vec<String> {
    let mut lines: Vec<_> = rules.rules.iter().map(|rule| rules.rule_text(rule)).collect();
    lines.sort();
    lines
}

const COUNTER: &str = "(role a) (succ 0 1) (succ 1 2) (succ 2 3) (init (c 0)) (legal a inc)
    (<= (next (c ?y)) (does a inc) (true (c ?x)) (succ ?x ?y))
    (<= terminal (true (c 3))) (<= (goal a 100) (true (c 3))) (<= (goal a 0) (not (true (c 3))))";

#[test]
fn bases_and_inputs_are_inferred_and_static_literals_vanish() {
    let rules = grounded(COUNTER);
    assert_eq!(rules.base_texts.as_slice(), ["(c 0)", "(c 1)", "(c 2)", "(c 3)"]);
    assert_eq!(moves(&rules), ["inc"]);
    let expected = [
        "(<= (goal a 0) (not (true (c 3))))",
        "(<= (goal a 100) (true (c 3)))",
        "(<= (next (c 1)) (true (c 0)) (does a inc))",
        "(<= (next (c 2)) (true (c 1)) (does a inc))",
        "(<= (next (c 3)) (true (c 2)) (does a inc))",
        "(<= terminal (true (c 3)))",
        "(legal a inc)",
    ];
    assert_eq!(lines(&rules), expected);
    let term = gdl::Term::Compound(
        rulebook(COUNTER).symbols.find("c").expect("a name of the sheet"),
        [gdl::Term::Constant(rulebook(COUNTER).symbols.find("2").expect("a name"))].into(),
    );
    assert_eq!(rules.find_base(&term), rules.find_base_text("(c 2)"));
    assert!(rules.find_base(&term).is_some());
}

#[test]
fn what_is_always_or_never_true_folds_away() {
    let rules = grounded(
        "(role a) (init s) (legal a m) (q 1)
         (<= always (not never)) (<= never (true ghost)) (<= loop loop (true s))
         (<= (next t) always (does a m)) (<= (next u) (not always)) (<= (next v) loop)
         (<= (next w) (true v)) (<= terminal (true t) (not (true w))) (<= (goal a 100) (q ?x))",
    );
    assert_eq!(rules.base_texts.as_slice(), ["s", "t"]);
    let expected =
        ["(<= (next t) (does a m))", "(<= terminal (true t))", "(goal a 100)", "(legal a m)"];
    assert_eq!(lines(&rules), expected);
}

#[test]
fn a_positive_cycle_is_kept_where_the_state_can_support_it() {
    let rules = grounded(
        "(role a) (init (on 1)) (init (on 2)) (e 1 2) (e 2 1) (legal a m)
         (<= (r ?x) (true (on ?x))) (<= (r ?y) (r ?x) (e ?x ?y))
         (<= (next (on ?x)) (r ?x)) (<= terminal (not (r 1))) (<= (goal a 100) (r 2))",
    );
    let lines = lines(&rules);
    assert!(lines.iter().any(|line| line.starts_with("(<= (next (on 1)) a")), "{lines:?}");
    assert_eq!(rules.rules.len(), 4 + 2 + 2 + 1);
}

#[test]
fn nothing_lies_beyond_the_end() {
    let rules = grounded(
        "(role a) (init (n 0)) (legal a p) (s 0 1) (s 1 2) (s 2 3) (s 3 4) (s 4 5)
         (<= (next (n ?y)) (true (n ?x)) (s ?x ?y)) (<= terminal (true (n 2))) (goal a 1)",
    );
    assert_eq!(rules.base_texts.as_slice(), ["(n 0)", "(n 1)", "(n 2)"]);
}

#[test]
fn what_is_legal_for_nobody_is_no_move() {
    let rules = grounded(
        "(role a) (init (at a)) (init (at hole)) (<= (legal ?r go) (true (at ?r)))
         (<= (next (gone ?r)) (does ?r go)) (<= (next odd) (legal hole go)) (<= (goal ?r 100) (true (gone ?r)))
         (<= terminal (true (gone a)))",
    );
    assert_eq!(moves(&rules), ["go"]);
    assert_eq!(rules.base_texts.as_slice(), ["(at a)", "(at hole)", "(gone a)", "odd"]);
    assert!(!rules.to_string().contains("legal hole"), "{rules}");
}

#[test]
fn moves_stand_by_role_and_number() {
    let rules = grounded(
        "(role b) (role a) (col 10) (col 2) (col 1) (init s) (legal b noop)
         (<= (legal ?r (drop ?c)) (role ?r) (col ?c)) (<= (next s) (does ?r ?m))
         (<= terminal (not (true s))) (goal a 0)",
    );
    let expected =
        ["(drop 1)", "(drop 2)", "(drop 10)", "noop", "(drop 1)", "(drop 2)", "(drop 10)"];
    assert_eq!(moves(&rules), expected);
    assert_eq!(
        rules.roles.iter().map(|role| role.inputs.clone()).collect::<Vec<_>>(),
        [0..4, 4..7]
    );
}

#[test]
fn a_move_of_the_mover_is_forgotten_before_the_frame_multiplies_it() {
    let rules = grounded(
        "(role x) (role o) (i 1) (i 2) (i 3) (init (c 1 b)) (init (c 2 b)) (init (c 3 b))
         (<= (legal ?r (mark ?m)) (role ?r) (true (c ?m b)))
         (<= (next (c ?m ?r)) (does ?r (mark ?m)))
         (<= (next (c ?m ?v)) (true (c ?m ?v)) (does ?r (mark ?n)) (distinct ?m ?n))
         (<= terminal (true (c 1 x)) (true (c 2 x))) (goal x 0)",
    );
    let frame =
        lines(&rules).iter().filter(|line| line.contains("(true") && line.contains("next")).count();
    assert_eq!(frame, 9 * 2, "one line a cell, value and other column, not one a mover as well");
}

#[test]
fn a_rule_with_eight_variables_is_joined_in_a_chain() {
    let pairs: String = (1..60).map(|n| format!("(e {n} {})", n + 1)).collect();
    let domain: String = (1..61).map(|n| format!("(d {n})")).collect();
    let start = std::time::Instant::now();
    let rules = grounded(&format!(
        "(role a) {pairs} {domain} (init s)
         (<= ok (d ?a) (d ?b) (d ?c) (d ?f) (d ?g) (d ?h) (d ?i) (d ?j) (e ?a ?b) (e ?b ?c)
                (e ?c ?f) (e ?f ?g) (e ?g ?h) (e ?h ?i) (e ?i ?j))
         (<= wide (d ?a) (d ?b) (d ?c) (d ?f) (d ?g) (d ?h) (d ?i) (d ?j))
         (<= (legal a m) ok wide (true s)) (<= (next t) (does a m)) (<= terminal (true t))
         (goal a 100)"
    ));
    assert!(start.elapsed().as_secs() < 5, "the product of the domains was enumerated");
    assert_eq!(lines(&rules)[0], "(<= (legal a m) (true s))");
}

#[test]
fn faults_name_the_rule() {
    let frame = "(init (p z)) (legal a m) (<= terminal (true (p q))) (goal a 100)";
    let grows = format!("(role a) {frame} (<= (next (p (s ?x))) (true (p ?x)))");
    let found = fault(&grows);
    assert_eq!(found.code, "domain-grows");
    let span = found.span.expect("a place");
    assert_eq!(span.of(&grows), "(<= (next (p (s ?x))) (true (p ?x)))");
    assert_eq!(
        found.message,
        "this rule for `next` makes ever deeper terms: the domain of `p` grows without bound"
    );
    assert!(found.notes[1].contains("successor table"), "{:?}", found.notes);
    let helper = format!("(role a) {frame} (n z) (<= (n (s ?x)) (n ?x)) (<= (next ?x) (n ?x))");
    let found = fault(&helper);
    assert!(found.message.ends_with("the domain of `n` grows without bound"), "{}", found.message);
    for value in ["101", "x", "-1"] {
        let sheet =
            format!("(role a) (init s) (legal a m) (<= terminal (true s)) (goal a {value})");
        let found = fault(&sheet);
        assert_eq!((found.code, &*found.notes), ("goal-out-of-range", &[GOAL_VALUES.into()][..]));
        assert!(found.message.starts_with(&format!("`{value}` is not a goal value")));
        assert_eq!(found.span.map(|span| span.of(&sheet)), Some(&*format!("(goal a {value})")));
    }
    let silent = "(role a) (role b) (init s) (legal a m) (<= terminal (true s)) (goal a 1)";
    assert_eq!(fault(silent).code, "no-legal-move");
}

#[test]
fn a_role_without_a_move_is_shown_at_its_own_rule() {
    let text = "(role a) (role b) (role c) (init p) (legal a m) (legal c m) (next p) (<= terminal (not (true p)))";
    let book = rulebook(text);
    let fault = ground(&book, &GroundLimits::default()).expect_err("b has no move");
    assert_eq!((fault.code, fault.span), ("no-legal-move", Some(book.rules[1].span)));
    assert!(fault.message.contains("role b"), "{}", fault.message);
}

#[test]
fn propositions_are_found_by_name_and_by_every_part() {
    let text = "(role a) (legal a m) (init (p 1)) (init (q 1 2)) (init r) (next r) (<= terminal (true s)) (next s)";
    let (book, rules) = (rulebook(text), grounded(text));
    let constant = |name| gdl::Term::Constant(book.symbols.find(name).expect("a name"));
    let compound = |name: &str, args: &[&'static str]| {
        let args: Vec<gdl::Term> = args.iter().map(|arg| constant(arg)).collect();
        gdl::Term::Compound(book.symbols.find(name).expect("a name"), args.into())
    };
    for (term, found) in [
        (compound("p", &["1"]), Some("(p 1)")),
        (compound("p", &["1", "2"]), None),
        (compound("p", &["2"]), None),
        (compound("q", &["1"]), None),
        (compound("q", &["1", "2"]), Some("(q 1 2)")),
        (constant("r"), Some("r")),
        (constant("p"), None),
    ] {
        let base = rules.find_base(&term);
        assert_eq!(base.map(|base| rules.base_texts[base].as_str()), found, "{term:?}");
    }
}

#[test]
fn terms_as_deep_as_allowed_are_allowed() {
    let book = rulebook(
        "(role a) (legal a m) (init (s (s (s z)))) (<= (next (s ?x)) (true (s (s ?x)))) (<= terminal (true (s z)))",
    );
    let deepest = |depth| ground(&book, &GroundLimits { depth, ..Default::default() });
    assert!(deepest(4).is_ok());
    assert_eq!(deepest(3).expect_err("the first state is deeper").code, "domain-grows");
}

#[test]
fn limits_stop_and_say_where() {
    let digits: String = (0..10).map(|n| format!("(d {n})")).collect();
    let book = rulebook(&format!(
        "(role a) {digits} (legal a m) (init s) (<= terminal (true s)) (goal a 1)
         (<= (next (p ?a ?b ?c ?d ?e)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))"
    ));
    let found = ground(&book, &GroundLimits { atoms: 1000, ..Default::default() });
    let found = found.expect_err("a hundred thousand atoms are over the limit");
    assert_eq!((found.code, found.span.is_some()), ("ground-limit", true));
    let flag = std::sync::atomic::AtomicBool::new(true);
    let limits = GroundLimits { interrupt: Some(&flag), ..Default::default() };
    assert_eq!(ground(&book, &limits).expect_err("the flag is set").code, "interrupted");
    let limits = GroundLimits { deadline: Some(std::time::Instant::now()), ..Default::default() };
    assert_eq!(ground(&book, &limits).expect_err("no time is left").code, "time");
}

#[test]
fn long_bodies_are_joined_or_refused_never_overrun_the_stack() {
    let sheet = |cells: usize| {
        let init: String = (0..cells).map(|n| format!("(init (c {n} 1))")).collect();
        let body: String = (0..cells).map(|n| format!("(true (c {n} ?v))")).collect();
        format!("(role a) {init} (legal a m) (<= terminal {body}) (goal a 1)")
    };
    let rules = grounded(&sheet(1000));
    let end = rules.rules.iter().map(|rule| rule.body.len()).max();
    assert_eq!(end, Some(1000));
    assert_eq!(fault(&sheet(1001)).code, "long-rule");
}

fn sheets(folder: &str) -> Vec<PathBuf> {
    let root = std::env::var("ODDSMITH_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared"));
    let mut found = Vec::new();
    let mut open = vec![root.join(folder)];
    while let Some(path) = open.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => open.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => found.push(path),
        }
    }
    found.retain(|path| path.extension().is_some_and(|ext| ext == "kif" || ext == "gdl"));
    found.sort();
    if found.is_empty() {
        println!("skipped: no sheets in {folder}; set ODDSMITH_SHARED");
    }
    found
}

fn readable(path: &std::path::Path) -> Option<Rulebook> {
    let bytes = std::fs::read(path).ok()?;
    let source = Source::from_bytes(&path.to_string_lossy(), &bytes).ok()?;
    read(source, &ReadOptions::default()).rulebook
}

/// Printing and grounding again changes no rule but the names of helpers.
fn check_law(rules: &GroundRules) {
    let again = grounded(&rules.to_string());
    assert_eq!(again.base_texts, rules.base_texts);
    assert_eq!(again.init, rules.init);
    assert_eq!(moves(&again), moves(rules));
    let kinds = |rules: &GroundRules| {
        let mut sizes: Vec<_> = rules
            .rules
            .iter()
            .map(|rule| (format!("{:?}", rules.atoms[rule.head]), rule.body.len()))
            .collect();
        sizes.sort();
        sizes
    };
    assert_eq!(kinds(&again), kinds(rules));
}

#[test]
fn printed_ground_rules_ground_to_themselves() {
    check_law(&grounded(COUNTER));
    for path in sheets("cases/pitfalls") {
        if let Some(book) = readable(&path) {
            check_law(&ground(&book, &GroundLimits::default()).expect("pitfalls ground"));
        }
    }
}

#[test]
fn games_of_the_house_ground_to_themselves() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../games");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_some_and(|ext| ext == "gdl") {
            let book = readable(&path).unwrap_or_else(|| panic!("{path:?} is refused"));
            check_law(&ground(&book, &GroundLimits::default()).expect("games ground"));
        }
    }
}

/// Every readable sheet of the corpus grounds to well-formed rules or fails with a named fault,
/// within a short limit each.
#[test]
fn corpus_sheets_ground_or_say_why() {
    let mut grounded = 0;
    for path in sheets("corpus") {
        let Some(book) = readable(&path) else { continue };
        let deadline = std::time::Instant::now() + std::time::Duration::from_millis(100);
        let limits = GroundLimits { atoms: 50_000, deadline: Some(deadline), ..Default::default() };
        match ground(&book, &limits) {
            Ok(rules) => {
                assert_eq!(verify(&rules), Ok(()), "{}", path.display());
                grounded += 1;
            }
            Err(fault) => assert!(!fault.code.is_empty() && fault.code != "over-budget"),
        }
    }
    println!("{grounded} sheets grounded");
}
