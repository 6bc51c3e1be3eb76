//! Each sheet in `tests/data/pitfalls` against what it says of the reader: accepted or refused, and why.

use gdl::{ReadOptions, Reading, Source, complete_information, read, verify};

/// Name, codes of all diagnostics by default, codes of the errors under `strict`.
const EXPECTED: &[(&str, &[&str], &[&str])] = &[
    ("p01_nullary_parens", &[], &[]),
    ("p02_not_of_never_true", &["undefined-relation"], &[]),
    ("p03_positive_cycle", &[], &[]),
    ("p04_mutual_recursion_swap", &["no-init"], &[]),
    ("p06_repeated_var_head", &["no-init"], &[]),
    ("p08_input_with_function", &[], &[]),
    ("p09_base_input_missing", &[], &[]),
    ("p11_distinct_first", &["no-init", "undefined-relation"], &[]),
    ("p13_nested_or_not", &[], &["dialect"; 2]),
    ("p14_and_operator", &[], &["dialect"]),
    ("p15_case_insensitive", &["merged-spelling"], &[]),
    ("p16_comments_ws", &[], &[]),
    ("p17_cr_only", &[], &[]),
    ("p18_unstratified", &["unstratified-negation"], &["unstratified-negation"]),
    ("p18b_unstratified_unary", &["unstratified-negation"], &["unstratified-negation"]),
    (
        "p19_unsafe_rule",
        &["no-init", "unsafe-rule", "unsafe-rule"],
        &["unsafe-variable", "unsafe-variable"],
    ),
    ("p20_goal_nonterminal_missing", &[], &[]),
    ("p21_two_goals_terminal", &[], &[]),
    ("p22_no_legal_nonterminal", &[], &[]),
    ("p23_does_in_legal", &["depends-on-does"], &["depends-on-does"]),
    ("p25_arity_overload", &["arity-overload"], &["arity-overload"]),
    ("p26_grounding_blowup", &[], &[]),
    ("p27_reachability_domains", &[], &[]),
    ("p28_sees_nested", &[], &[]),
    ("p29_random_multiplicity", &[], &[]),
    ("p30_random_no_goal", &[], &[]),
    ("p32_noop_turn_taking", &[], &[]),
    ("p34_dup_role_rule", &["duplicate-rule", "duplicate-rule", "duplicate-rule"], &[]),
    ("p36_numeric_goal_forms", &["goal-range", "goal-range"], &[]),
];

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/pitfalls")
}

fn pitfall(name: &str, strict: bool) -> Reading {
    let bytes = std::fs::read(folder().join(format!("{name}.kif"))).expect("the sheet is there");
    let source = Source::from_bytes(name, &bytes).expect("the sheet is text");
    read(source, &ReadOptions { strict, ..ReadOptions::default() })
}

fn codes(reading: &Reading, errors_only: bool) -> Vec<&'static str> {
    let wanted = reading.diagnostics.iter().filter(|fault| fault.is_error() || !errors_only);
    wanted.map(|fault| fault.code).collect()
}

#[test]
fn each_pitfall_is_read_as_it_says() {
    for &(name, all, strict) in EXPECTED {
        let reading = pitfall(name, false);
        assert_eq!(codes(&reading, false), all, "{name}");
        assert_eq!(codes(&pitfall(name, true), true), strict, "{name} under strict");
        let Some(book) = &reading.rulebook else { continue };
        assert_eq!(verify(book), Ok(()), "{name}");
        let again = read(Source::new(name, &book.to_string()), &ReadOptions::default());
        let again = again.rulebook.expect("what is printed can be read");
        assert!(again.same_rules(book), "{name}: printing changes\n{book}into\n{again}");
    }
}

#[test]
fn no_pitfall_is_left_out() {
    let mut there: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".kif"))
        .collect();
    there.sort();
    let listed: Vec<String> = EXPECTED.iter().map(|(name, ..)| format!("{name}.kif")).collect();
    assert_eq!(there, listed);
}

#[test]
fn what_the_normal_form_must_show() {
    let text = |name| pitfall(name, false).rulebook.expect("accepted").to_string();
    assert!(text("p01_nullary_parens").contains("(<= terminal (not open))"));
    let nested = text("p13_nested_or_not");
    assert!(nested.contains("(<= (legal a m2) (not (true p)) (not (true zz)))"), "{nested}");
    assert!(!nested.contains("distinct"), "decided while reading: {nested}");
    let unfolded = text("p19_unsafe_rule");
    assert!(unfolded.contains("(<= (legal a m) (cell ?x ?y) (cell ?m ?n) (distinct ?x ?m))"));
    assert!(!unfolded.contains("dist "), "{unfolded}");
    assert!(text("p36_numeric_goal_forms").contains("(goal a 7)"));
    let roles = pitfall("p30_random_no_goal", false).rulebook.expect("accepted");
    let names: Vec<&str> = roles.roles.ids().map(|role| roles.role_name(role)).collect();
    assert_eq!(names, ["random", "a"]);
}

#[test]
fn hidden_moves_are_noticed() {
    let book = pitfall("p28_sees_nested", false).rulebook.expect("accepted");
    assert!(!complete_information(&book));
    let open = pitfall("p29_random_multiplicity", false).rulebook.expect("accepted");
    assert!(complete_information(&open));
}
