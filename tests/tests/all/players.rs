//! Every role for itself: the engine against the definition on random games, and games whose
//! answer is known by hand.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crosscheck::generate;
use crosscheck::reference::{self, Ties};
use exact::Ratio;
use gdl::keyword;
use solve::{Options, Sweep};
use verdict::{HaltReason, Objective, Question, Shares, Stop, Watch};

use crate::lineup::{judge, rulebook, watched};
use crate::places;

/// Seeds of a normal run; a slow one takes ten times as many.
const SEEDS: u64 = 150;

fn shares(question: &Question) -> Result<Shares, Stop> {
    watched(|watch| solve::each(question, &Options::default(), watch))
}

fn sheet(text: &str) -> Question {
    Question::new(rulebook("sheet", text)).expect("a player")
}

/// By the definition.
fn defined(question: &Question, ties: Ties) -> Result<Vec<Ratio>, Stop> {
    watched(|watch| reference::each(question, ties, watch))
}

/// A fault, without its words.
fn code<T: std::fmt::Debug>(ended: Result<T, Stop>) -> &'static str {
    match ended {
        Err(Stop::Faulty(fault)) => fault.code,
        Err(Stop::Halted(_)) => "halted",
        other => panic!("{other:?}"),
    }
}

#[test]
fn random_games_have_the_values_of_the_definition() {
    let (mut valued, mut refused, mut many, mut tied, mut free) = (0, 0, 0, 0, 0);
    let last = if places::is_slow_run() { 10 * SEEDS } else { SEEDS };
    for seed in 0..last {
        let mut question = sheet(&generate::game(seed));
        // What is far from the start makes too many plays for the definition.
        question.horizon = Some(2 + u32::try_from(seed % 4).expect("small"));
        match (shares(&question), defined(&question, Ties::First)) {
            (Ok(shares), Ok(expected)) => {
                assert_eq!(shares.goals, expected, "seed {seed}");
                valued += 1;
                many += u32::from(expected.len() > 2);
                let other = defined(&question, Ties::Last).expect("as many plays");
                let rests = other != shares.goals;
                assert!(!rests || shares.tied == Some(true), "seed {seed}: it rests on the rule");
                tied += u32::from(rests);
                free += u32::from(shares.tied == Some(false));
            }
            (Ok(_), Err(Stop::Halted(_))) => {}
            (found, expected) => {
                assert_eq!(code(found), code(expected), "seed {seed}");
                refused += 1;
            }
        }
    }
    assert!(valued > 30 && refused > 30, "{valued} valued, {refused} refused");
    assert!(
        many > 3 && tied > 3 && free > 3,
        "{many} of three, {tied} rest on ties, {free} do not"
    );
}

/// Two roles whose goals sum to 100 oppose each other, whether asked to or not.
#[test]
fn opposed_roles_get_what_the_sweep_says() {
    for name in ["stochastic-tic-tac-toe-3x3", "stochastic-nim-20", "tic-tac-toe"] {
        let base = sheet(&places::text(&format!("games/{name}.gdl")));
        let base = Question { objective: Objective::Goal, ..base };
        let shares = shares(&base).expect("an answer");
        let roles = base.rulebook.roles.enumerate();
        let players = roles.filter(|(_, role)| **role != keyword::RANDOM).map(|(role, _)| role);
        let sweep = Sweep::new(Options::default());
        let own: Vec<Ratio> = players
            .map(|role| judge(&sweep, &Question { role, ..base.clone() }).expect("an answer"))
            .map(|verdict| verdict.value.times(100))
            .collect();
        assert_eq!(shares.goals, own, "{name}");
        assert!(shares.tied == Some(false), "{name}: what one gains the other loses");
    }
}

/// Three take in turn; the last is indifferent, and the first listed move decides for the others.
const KINGMAKER: &str = "
    (role a) (role b) (role c) (role random)
    (init (turn a))
    (follows a b) (follows b c) (follows c over)
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))) (distinct ?r random))
    (legal random noop)
    (<= (legal a take) (true (turn a)))
    (<= (legal a leave) (true (turn a)))
    (<= (legal b nod) (true (turn b)))
    (<= (legal c (crown 2)) (true (turn c)))
    (<= (legal c (crown 10)) (true (turn c)))
    (<= (next (turn ?q)) (true (turn ?p)) (follows ?p ?q))
    (<= (next taken) (does a take))
    (<= (next taken) (true taken))
    (<= (next (king ?n)) (does c (crown ?n)))
    (<= terminal (true (turn over)))
    (<= (goal a 70) (true taken))
    (<= (goal a 20) (not (true taken)) (true (king 10)))
    (<= (goal a 90) (not (true taken)) (true (king 2)))
    (<= (goal b 30) (true (king 10)))
    (<= (goal b 60) (true (king 2)))
    (goal c 50)";

#[test]
fn a_tie_goes_to_the_move_that_is_listed_first_and_is_told() {
    let shares = shares(&sheet(KINGMAKER)).expect("an answer");
    // `(crown 2)` is listed before `(crown 10)`, so leaving pays a 90.
    let whole = |goal: u8| Ratio::new(goal, 1u8);
    assert_eq!(shares.goals, [whole(90), whole(60), whole(50)]);
    assert_eq!(shares.tied, Some(true), "b and a live by the choice of c, who does not care");
    assert_eq!((shares.roles.join(" "), shares.chooser.as_deref()), ("a b c".into(), Some("a")));
    let moves: Vec<(&str, bool)> =
        shares.moves.iter().map(|line| (line.text.as_str(), line.taken)).collect();
    assert_eq!(moves, [("leave", true), ("take", false)]);
    assert_eq!(shares.moves[1].goals, [whole(70), whole(60), whole(50)]);
    // The definition agrees, and coming to no end pays nobody.
    let question = sheet(KINGMAKER);
    assert_eq!(defined(&question, Ties::First).expect("no fault"), shares.goals);
    let short = Question { horizon: Some(2), ..question };
    let short = watched(|watch| solve::each(&short, &Options::default(), watch)).expect("short");
    assert!(short.cut == Some(true) && short.goals.iter().all(Ratio::is_zero));
}

/// What c does after `leave` decides that a takes: the line that rests on the rule is not taken.
#[test]
fn a_tie_behind_a_move_that_is_not_taken_is_told() {
    let changes = [
        ("(goal b 30)", "(goal b 50)"),
        ("(goal b 60)", "(goal b 50)"),
        (
            "(goal a 20) (not (true taken)) (true (king 10))",
            "(goal a 90) (not (true taken)) (true (king 10))",
        ),
        (
            "(goal a 90) (not (true taken)) (true (king 2))",
            "(goal a 20) (not (true taken)) (true (king 2))",
        ),
    ];
    let changed = changes.iter().fold(KINGMAKER.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text.replace(from, to)
    });
    let question = sheet(&changed);
    let shares = shares(&question).expect("an answer");
    let whole = |goal: u8| Ratio::new(goal, 1u8);
    assert_eq!(shares.goals, [whole(70), whole(50), whole(50)]);
    assert_eq!(shares.tied, Some(true), "if c crowned 10, a would leave");
    let other = defined(&question, Ties::Last).expect("an answer");
    assert_eq!(other, [whole(90), whole(50), whole(50)]);
}

/// The reference goes by the clock, the memory and the interrupt like every engine.
#[test]
fn the_definition_keeps_to_limits() {
    let question = sheet(&places::text("games/tic-tac-toe.gdl"));
    let reason = |time: Option<Duration>, memory: Option<u64>, interrupted: bool| {
        let ended = reference::each(
            &question,
            Ties::First,
            &Watch {
                started: Instant::now(),
                time,
                memory,
                interrupt: &AtomicBool::new(interrupted),
                progress: &|_| {},
            },
        );
        match ended {
            Err(Stop::Halted(halt)) => halt.reason,
            other => panic!("a halt was expected: {other:?}"),
        }
    };
    assert_eq!(reason(Some(Duration::from_millis(20)), None, false), HaltReason::Time);
    assert!(matches!(reason(None, Some(1), false), HaltReason::Memory { .. }));
    assert_eq!(reason(None, None, true), HaltReason::Interrupt);
}

#[test]
fn simultaneous_choices_and_play_that_returns_are_refused_with_the_state() {
    let both = "(role a) (role b) (init s) (legal ?r (say ?n)) (number 1)
        (<= (legal a (say 1)) (true s)) (<= (legal a (say 2)) (true s))
        (<= (legal b (say 1)) (true s)) (<= (legal b (say 2)) (true s))
        (<= (next t) (true s)) (<= terminal (true t)) (goal a 0) (goal b 0)";
    let both = both.replace("(legal ?r (say ?n)) (number 1)", "");
    let Err(Stop::Faulty(fault)) = shares(&sheet(&both)) else { panic!("a fault") };
    assert_eq!((fault.code, fault.states), ("simultaneous-choice", vec!["s".to_owned()]));
    let back = "(role a) (init s) (legal a go) (legal a stay)
        (<= (next s) (does a stay)) (<= (next t) (does a go)) (<= terminal (true t)) (goal a 100)";
    let Err(Stop::Faulty(fault)) = shares(&sheet(back)) else { panic!("a fault") };
    assert_eq!(fault.code, "endless-play");
}
