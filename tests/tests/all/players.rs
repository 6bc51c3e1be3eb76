//! Every role for itself: the engine against the definition on random games, and games whose
//! answer is known by hand.

use crosscheck::generate;
use crosscheck::reference;
use exact::Ratio;
use gdl::keyword;
use solve::{Options, Sweep};
use verdict::{Objective, Question, Shares, Stop};

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

#[test]
fn random_games_have_the_values_of_the_definition() {
    let (mut valued, mut refused, mut many, mut tied) = (0, 0, 0, 0);
    let last = if places::is_slow_run() { 10 * SEEDS } else { SEEDS };
    for seed in 0..last {
        let mut question = sheet(&generate::game(seed));
        // What is far from the start makes too many plays for the definition.
        question.horizon = Some(2 + u32::try_from(seed % 4).expect("small"));
        match (shares(&question), reference::each(&question)) {
            (Ok(shares), Ok(Some(expected))) => {
                assert_eq!(shares.goals, expected, "seed {seed}");
                valued += 1;
                many += u32::from(expected.len() > 2);
                tied += u32::from(shares.tied == Some(true));
            }
            (Err(Stop::Faulty(fault)), Err(expected)) => {
                assert_eq!(fault.code, expected.code, "seed {seed}");
                refused += 1;
            }
            (Ok(_), Ok(None)) => {}
            (found, expected) => panic!("seed {seed}: {found:?}, and by definition {expected:?}"),
        }
    }
    assert!(valued > 30 && refused > 30, "{valued} valued, {refused} refused");
    assert!(many > 3 && tied > 3, "{many} of three players, {tied} rest on ties");
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
    assert_eq!(reference::each(&question).expect("no fault"), Some(shares.goals));
    let short = Question { horizon: Some(2), ..question };
    let short = watched(|watch| solve::each(&short, &Options::default(), watch)).expect("short");
    assert!(short.cut == Some(true) && short.goals.iter().all(Ratio::is_zero));
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
