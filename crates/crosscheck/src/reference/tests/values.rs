//! Values that are known by hand or were found by other programs.

use verdict::{Objective, Question};

use super::{answer, question};
use crate::families::{self, Board};

/// A die; then keep it or roll once more. The goal is the pips times ten.
const REROLL: &str = "(role me) (role random)
    (pips 1) (pips 2) (pips 3) (pips 4) (pips 5) (pips 6)
    (score 1 10) (score 2 20) (score 3 30) (score 4 40) (score 5 50) (score 6 60)
    (init start)
    (<= rolling (true start)) (<= rolling (true again))
    (<= (legal me wait) rolling) (<= (legal random (roll ?n)) rolling (pips ?n))
    (<= (legal me keep) (true (face ?n))) (<= (legal me reroll) (true (face ?n)))
    (<= (legal random wait) (true (face ?n)))
    (<= (next (face ?n)) (true start) (does random (roll ?n)))
    (<= (next (kept ?n)) (true again) (does random (roll ?n)))
    (<= (next again) (does me reroll))
    (<= (next (kept ?n)) (true (face ?n)) (does me keep))
    (<= terminal (true (kept ?n)))
    (<= (goal me ?v) (true (kept ?n)) (score ?n ?v))";

/// Two counters that go up when their role says so; who is ahead after two steps wins.
const COALITION: &str = "(role x) (role y) (role z) (succ 0 1) (succ 1 2)
    (init (step 0))
    (legal x (take l)) (legal x (take r))
    (<= (legal y ?m) (bit ?m) (true (step 0))) (<= (legal y pass) (true (step 1)))
    (<= (legal z ?m) (bit ?m) (true (step 0))) (<= (legal z pass) (true (step 1)))
    (bit 0) (bit 1)
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (next hit) (true (step 0)) (does x (take l)) (does y 0))
    (<= (next hit) (true (step 0)) (does x (take r)) (does z 1))
    (<= (next hit) (true hit))
    (<= terminal (true (step 2)))
    (<= (goal x 100) (true hit)) (<= (goal x 0) (not (true hit)))";

#[test]
fn a_die_may_be_rolled_once_more() {
    let verdict = answer(&question(REROLL, Objective::Goal));
    // Keep 4, 5, 6 and roll 1, 2, 3 again: (1/2 * 5 + 1/2 * 7/2) * 10 / 100.
    assert_eq!(verdict.value.to_string(), "17/40");
    assert_eq!(verdict.counts.states, Some(14));
    assert_eq!(verdict.counts.decision_states, Some(6));
    assert_eq!(verdict.counts.plies, Some(3));
    assert!(!verdict.cut && verdict.checked);
}

#[test]
fn chance_does_not_choose_but_a_named_role_may_be_chance() {
    let base = question(COALITION, Objective::Win);
    let verdict = answer(&base);
    // The opponents know x's choice and answer it.
    assert_eq!(verdict.value.to_string(), "0/1");
    assert!(verdict.simultaneous);
    assert_eq!(verdict.choosers, ["x"]);
    let chance = base.opponents().collect();
    let verdict = answer(&Question { chance, ..base.clone() });
    assert_eq!(verdict.value.to_string(), "1/2");
    assert!(!verdict.simultaneous);
    let z = base.rulebook.role("z").expect("a role");
    let verdict = answer(&Question { chance: [z].into_iter().collect(), ..base });
    let shown: Vec<String> =
        verdict.moves.iter().map(|first| format!("{} {}", first.text, first.value)).collect();
    assert_eq!(shown, ["(take l) 0/1", "(take r) 1/2"]);
    assert_eq!(verdict.best().count(), 1);
}

#[test]
fn opponents_who_choose_alone_are_shown_together() {
    let sheet = COALITION.replace("(legal x (take r))", "");
    let verdict = answer(&question(&sheet, Objective::Win));
    assert_eq!(verdict.choosers, ["y", "z"]);
    let texts: Vec<&str> = verdict.moves.iter().map(|first| first.text.as_str()).collect();
    assert_eq!(texts.len(), 4);
    assert!(texts.contains(&"(y 0) (z 1)"), "{texts:?}");
    assert_eq!(verdict.best().count(), 2);
}

#[test]
fn a_horizon_cuts_play() {
    let base = question(REROLL, Objective::Goal);
    for (steps, value, cut, states) in
        [(0, "0/1", true, 1), (1, "0/1", true, 7), (2, "7/20", true, 14), (3, "17/40", false, 14)]
    {
        let verdict = answer(&Question { horizon: Some(steps), ..base.clone() });
        assert_eq!(verdict.value.to_string(), value, "{steps} steps");
        assert_eq!((verdict.cut, verdict.counts.states), (cut, Some(states)), "{steps} steps");
        assert_eq!(verdict.counts.plies, Some(steps));
    }
}

#[test]
fn a_question_may_begin_in_any_state() {
    let base = question(REROLL, Objective::Goal);
    let mut simulator = super::Simulator::new(&base.rulebook).expect("a game");
    let start = simulator.initial_state();
    let again = simulator.legal_moves(&start, base.role).expect("moves")[0];
    assert_eq!(simulator.text(again), "wait");
    let find = |name: &str| gdl::Term::Constant(base.rulebook.symbols.find(name).expect("name"));
    let face = base.rulebook.symbols.find("face").expect("name");
    for (pips, value) in [("2", "7/20"), ("5", "1/2")] {
        let from = gdl::Term::Compound(face, [find(pips)].into());
        let verdict = answer(&Question { from: Some(vec![from]), ..base.clone() });
        assert_eq!(verdict.value.to_string(), value);
    }
    let verdict = answer(&Question { from: Some(vec![find("again")]), ..base.clone() });
    assert_eq!((verdict.value.to_string().as_str(), verdict.choosers.len()), ("7/20", 1));
}

#[test]
fn tic_tac_toe_is_a_draw_and_worth_more_against_chance() {
    let board = Board { columns: 3, rows: 3, line: 3 };
    let sheet = families::tictactoe(&board, None).expect("a sheet");
    let both = question(&sheet, Objective::Goal);
    let verdict = answer(&both);
    assert_eq!(verdict.value.to_string(), "1/2");
    assert_eq!((verdict.counts.states, verdict.counts.plies), (Some(5478), Some(9)));
    assert_eq!((verdict.moves.len(), verdict.best().count()), (9, 9));
    let random = Question { chance: both.opponents().collect(), objective: Objective::Win, ..both };
    assert_eq!(answer(&random).value.to_string(), "191/192");
}

#[test]
fn stochastic_connect_three_has_its_published_value() {
    let board = Board { columns: 3, rows: 3, line: 3 };
    let sheet = families::connect(&board, Some((1, 2))).expect("a sheet");
    let base = question(&sheet, Objective::Win);
    let verdict = answer(&base);
    assert_eq!(verdict.value.to_string(), "239/512");
    assert_eq!(verdict.counts.states, Some(4936));
    let role = base.rulebook.role("o").expect("a role");
    assert_eq!(answer(&Question { role, ..base }).value.to_string(), "241/512");
}

/// Counts down; a play of as many steps.
fn countdown(steps: usize) -> String {
    let succ: String = (0..steps).map(|n| format!("(succ {n} {})\n", n + 1)).collect();
    format!(
        "(role a) (init (at 0)) (legal a on) {succ}
         (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
         (<= terminal (true (at {steps}))) (goal a 100)"
    )
}

#[test]
fn plays_of_thousands_of_steps_are_followed() {
    let verdict = answer(&question(&countdown(4000), Objective::Win));
    assert_eq!((verdict.counts.plies, verdict.counts.states), (Some(4000), Some(4001)));
    assert_eq!(verdict.value.to_string(), "1/1");
}
