//! Sheets with a trap in each: what must come out stands in the header of the sheet.

use verdict::Objective;

use super::{Play, answer, fault, question};

/// The text of a sheet, which lies with the tests of the reader.
macro_rules! sheet {
    ($name:literal) => {
        include_str!(concat!("../../../../../tests/data/pitfalls/", $name, ".kif"))
    };
}

fn goal_value(text: &str) -> String {
    answer(&question(text, Objective::Goal)).value.times(100).to_string()
}

#[test]
fn nullary_atoms_are_one_with_and_without_parentheses() {
    let mut play = Play::new(sheet!("p01_nullary_parens"));
    assert_eq!(play.legal("a"), ["go"]);
    assert!(!play.is_terminal());
    assert_eq!(play.goals("a"), [0]);
    play.play(&["go"]);
    assert!(play.is_terminal());
    assert_eq!(play.goals("a"), [100]);
}

#[test]
fn what_has_no_rules_never_holds() {
    let mut play = Play::new(sheet!("p02_not_of_never_true"));
    assert_eq!(play.legal("a"), ["win"]);
    play.play(&["win"]);
    assert!(play.is_terminal());
    assert_eq!(play.goals("a"), [100]);
}

#[test]
fn a_positive_cycle_does_not_support_itself() {
    let mut play = Play::new(sheet!("p03_positive_cycle"));
    assert_eq!(play.legal("y"), ["(pass_to g)"]);
    play.play(&["(pass_to g)"]);
    assert!(play.is_terminal());
    assert_eq!(play.goals("y"), [100]);
}

#[test]
fn recursion_goes_to_the_end() {
    assert_eq!(Play::new(sheet!("p04_mutual_recursion_swap")).legal("a"), ["m12", "m21"]);
}

#[test]
fn a_variable_twice_in_a_head_is_one_value() {
    let mut play = Play::new(sheet!("p06_repeated_var_head"));
    assert_eq!(sorted(play.legal("a")), ["(draw 1 1 1 2)", "(draw 1 1 2 1)"]);
    let start = play.state.clone();
    assert_eq!(play.play(&["(draw 1 1 1 2)"]), "done");
    play.state = start;
    let after = play.play(&["(draw 1 1 2 1)"]);
    assert!(after.contains("done") && after.contains("(box 1 1)") && after.len() == 14, "{after}");
}

#[test]
fn moves_may_be_functions_and_declared_by_rules() {
    let mut play = Play::new(sheet!("p08_input_with_function"));
    assert_eq!(sorted(play.legal("a")), ["(move 1 2)", "noop"]);
    assert_eq!(play.play(&["(move 1 2)"]), "(at 2)");
    assert_eq!(sorted(play.legal("a")), ["(move 2 1)", "noop"]);
    assert_eq!(play.play(&["noop"]), "t");
    assert!(play.is_terminal());
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

#[test]
fn games_without_base_and_input_are_played() {
    let verdict = answer(&question(sheet!("p09_base_input_missing"), Objective::Goal));
    assert_eq!(verdict.value.to_string(), "1/1");
    assert_eq!((verdict.counts.states, verdict.counts.plies), (Some(4), Some(3)));
    let verdict = answer(&question(sheet!("p27_reachability_domains"), Objective::Win));
    assert_eq!((verdict.counts.states, verdict.counts.plies), (Some(4), Some(3)));
}

#[test]
fn bodies_are_conjunctions_in_any_order() {
    let mut play = Play::new(sheet!("p11_distinct_first"));
    assert_eq!(play.legal("a"), ["(do x y)", "(do y x)"]);
    assert_eq!(Play::new(sheet!("p13_nested_or_not")).legal("a"), ["m1", "m3"]);
    assert_eq!(Play::new(sheet!("p14_and_operator")).legal("a"), ["yes"]);
}

#[test]
fn case_comments_and_line_ends_do_not_matter() {
    for text in [sheet!("p15_case_insensitive"), sheet!("p16_comments_ws"), sheet!("p17_cr_only")] {
        let verdict = answer(&question(text, Objective::Goal));
        assert_eq!(verdict.value.to_string(), "1/1");
        assert_eq!(verdict.counts.plies, Some(1));
    }
}

#[test]
fn a_rule_made_safe_by_its_callers_holds_there() {
    assert_eq!(Play::new(sheet!("p19_unsafe_rule")).legal("a"), ["m"]);
}

#[test]
fn only_the_goals_of_terminal_states_count() {
    let text = sheet!("p20_goal_nonterminal_missing");
    let mut play = Play::new(text);
    assert_eq!((play.goals("a"), play.goals("b")), (vec![], vec![10, 20]));
    play.play(&["m", "m"]);
    assert_eq!((play.goals("a"), play.goals("b")), (vec![75], vec![25]));
    assert_eq!(goal_value(text), "75/1");
}

#[test]
fn ill_formed_states_are_reported() {
    let found = fault(&question(sheet!("p21_two_goals_terminal"), Objective::Goal));
    assert_eq!((found.code, found.states), ("several-goals", vec!["t".to_owned()]));
    let found = fault(&question(sheet!("p22_no_legal_nonterminal"), Objective::Win));
    assert_eq!((found.code, found.states), ("no-legal-move", vec!["t".to_owned()]));
    assert!(found.message.contains("`b`"), "{}", found.message);
}

#[test]
fn a_rule_of_eight_variables_is_quick() {
    let verdict = answer(&question(sheet!("p26_grounding_blowup"), Objective::Goal));
    assert_eq!(verdict.value.to_string(), "1/1");
}

#[test]
fn percepts_may_hold_moves() {
    let text = sheet!("p28_sees_nested");
    let mut play = Play::new(text);
    let joint = ["(choose 2)", "(hide 1)"];
    assert_eq!(play.percepts(&joint, "c"), ["(did c (choose 2))"]);
    assert!(play.percepts(&joint, "random").is_empty());
    assert_eq!(goal_value(text), "100/3");
}

#[test]
fn chance_is_uniform_over_distinct_moves() {
    let text = sheet!("p29_random_multiplicity");
    assert_eq!(Play::new(text).legal("random"), ["h", "t", "u"]);
    assert_eq!(goal_value(text), "100/3");
    assert_eq!(goal_value(sheet!("p30_random_no_goal")), "50/1");
}

#[test]
fn a_forced_step_belongs_to_nobody() {
    let verdict = answer(&question(sheet!("p32_noop_turn_taking"), Objective::Goal));
    assert_eq!(verdict.value.to_string(), "2/5");
    assert_eq!(verdict.counts.plies, Some(2));
    assert_eq!((&verdict.choosers[..], &verdict.moves[0].text[..]), (&["a".into()][..], "idle"));
    assert!(!verdict.simultaneous);
}

#[test]
fn repeated_facts_and_empty_bodies_change_nothing() {
    let text = sheet!("p34_dup_role_rule");
    assert_eq!(Play::new(text).legal("a"), ["m"]);
    assert_eq!(goal_value(text), "100/1");
}
