//! Games that break a rule of the language, and limits that are met.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use verdict::{Engine, HaltReason, Objective, Question, Stop, Watch};

use super::{Reference, answer, fault, question, watch};

/// A light that is switched, or the game ended.
const LIGHT: &str = "(role a) (init off) (legal a switch) (legal a end)
    (<= (next on) (true off) (does a switch)) (<= (next off) (true on) (does a switch))
    (<= (next over) (does a end))
    (<= terminal (true over)) (<= (goal a 100) (true over))";

#[test]
fn a_cycle_is_valued_and_bounded_by_a_horizon() {
    let endless = question(LIGHT, Objective::Win);
    let verdict = answer(&endless);
    assert_eq!((verdict.value.to_string().as_str(), verdict.cut), ("1/1", false));
    assert_eq!((verdict.counts.states, verdict.counts.plies), (Some(3), None));
    let verdict = answer(&Question { horizon: Some(7), ..endless });
    assert_eq!((verdict.value.to_string().as_str(), verdict.cut), ("1/1", true));
    assert_eq!(verdict.counts.states, Some(3));
}

#[test]
fn goals_must_be_there_and_be_numbers() {
    let sheet = "(role a) (init s) (legal a m) (legal a k) (<= (next t) (does a m))
        (<= (next u) (does a k)) (<= terminal (true t)) (<= terminal (true u))";
    let won = format!("{sheet} (<= (goal a 100) (true t))");
    assert_eq!(answer(&question(&won, Objective::Win)).value.to_string(), "1/1");
    let found = fault(&question(&won, Objective::Goal));
    assert_eq!((found.code, found.states), ("no-goal", vec!["u".to_owned()]));
    let same = format!("{sheet} (<= (goal a 007) (true t)) (<= (goal a 7) (true ?s))");
    assert_eq!(answer(&question(&same, Objective::Goal)).value.to_string(), "7/100");
}

#[test]
fn a_domain_that_grows_is_noticed() {
    let sheet = "(role a) (init (n 0)) (<= (legal a m) (true (n ?x)))
        (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true over)) (goal a 0)";
    let found = fault(&question(sheet, Objective::Win));
    assert_eq!(found.code, "domain-grows");
    assert!(found.span.is_some());
}

#[test]
fn asking_about_chance_is_refused() {
    let mut asked = question(LIGHT, Objective::Win);
    asked.chance.insert(asked.role);
    assert_eq!(fault(&asked).code, "asked-role-is-chance");
}

fn halted(question: &Question, watch: &Watch<'_>) -> verdict::Halt {
    match Reference.judge(question, watch) {
        Err(Stop::Halted(halt)) => *halt,
        other => panic!("no halt: {other:?}"),
    }
}

#[test]
fn limits_end_in_a_halt_with_sound_bounds() {
    let long = Question { horizon: Some(50_000_000), ..question(LIGHT, Objective::Win) };
    let halt = halted(&long, &Watch { time: Some(Duration::from_millis(20)), ..watch() });
    assert_eq!(halt.reason, HaltReason::Time);
    assert_eq!((halt.lower.to_string(), halt.upper.to_string()), ("0/1".into(), "1/1".into()));
    assert_eq!(halt.moves.len(), 2);
    assert!(halt.moves.iter().all(|bounded| !bounded.dominated));
    let halt = halted(&long, &Watch { memory: Some(1), ..watch() });
    assert!(matches!(halt.reason, HaltReason::Memory { needed } if needed > 1));
    let pressed = AtomicBool::new(true);
    let halt = halted(&long, &Watch { interrupt: &pressed, ..watch() });
    assert_eq!(halt.reason, HaltReason::Interrupt);
}
