//! Games of several parts: values by hand, what is refused, and limits.

use std::time::Duration;

use exact::Ratio;
use verdict::{Halt, Objective, Question, Stop, Verdict};

use super::split;
use crate::testing::{self, Limits, question, under};
use crate::{Game, Options, Sweep};

/// Ladders of which one is climbed in each step, in turn: `step` goes up by one rung, `leap` by two
/// or by none, as chance has it. A ladder is topped from the rung `high` on.
fn ladders(names: &[&str], turns: usize, high: usize, rest: &str) -> String {
    let steps = turns * names.len();
    let mut text = FRAME.to_owned();
    for (place, name) in names.iter().enumerate() {
        text += &format!("(ladder {name}) (init (rung {name} 0))");
        for turn in 0..turns {
            text += &format!("(turn {} {name})", turn * names.len() + place);
        }
    }
    for number in 0..steps.max(2 * turns) {
        text += &format!("(succ {number} {})", number + 1);
    }
    for rung in high..=2 * turns {
        text += &format!("(high {rung})");
    }
    format!("{text} (<= over (true (step {steps}))) {rest}")
}

const FRAME: &str = "
    (role climber) (role sceptic) (role random) (init (step 0))
    (<= (at ?l) (true (step ?n)) (turn ?n ?l))
    (<= (legal climber (step ?l)) (at ?l)) (<= (legal climber (leap ?l)) (at ?l))
    (<= (legal random (lift ?l)) (at ?l)) (<= (legal random (slip ?l)) (at ?l))
    (legal sceptic wait)
    (<= (next (rung ?l ?n)) (true (rung ?l ?m)) (does climber (step ?l)) (succ ?m ?n))
    (<= (next (rung ?l ?n)) (true (rung ?l ?m)) (does climber (leap ?l)) (does random (lift ?l))
        (succ ?m ?k) (succ ?k ?n))
    (<= (next (rung ?l ?m)) (true (rung ?l ?m)) (does climber (leap ?l)) (does random (slip ?l)))
    (<= (next (rung ?l ?m)) (true (rung ?l ?m)) (not (at ?l)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (topped ?l) (true (rung ?l ?n)) (high ?n))
    (<= terminal over)
    (<= (goal climber 100) won) (<= (goal climber 0) (not won))
    (<= (goal sceptic 100) (not won)) (<= (goal sceptic 0) won)";

/// All ladders are to be topped; or one; or none.
const ALL: &str = "(<= won (not fallen)) (<= fallen (ladder ?l) (not (topped ?l)))";
const ONE: &str = "(<= won (topped ?l))";
const NONE: &str = "(<= won (not up)) (<= up (topped ?l))";

fn judge(question: &Question, apart: bool) -> Result<Verdict, Stop> {
    let options = Options { apart, ..Options::default() };
    under(Limits::default(), |watch| verdict::Engine::judge(&Sweep::new(options), question, watch))
}

/// The answer of subgames solved apart, which is that of the game solved as one.
fn apart(question: &Question, parts: u32) -> Verdict {
    let [apart, whole] = [true, false].map(|apart| judge(question, apart).expect("an answer"));
    assert_eq!((apart.counts.apart, whole.counts.apart), (Some(parts), None));
    assert_eq!((&apart.value, &apart.choosers), (&whole.value, &whole.choosers));
    assert_eq!((&apart.moves, apart.cut), (&whole.moves, whole.cut));
    assert_eq!((apart.counts.plies, apart.checked), (whole.counts.plies, whole.checked));
    assert!(whole.simultaneous || !apart.simultaneous);
    apart
}

/// Why a game is solved as one, which it is.
fn refused(question: &Question) -> (&'static str, Verdict) {
    let why = under(Limits::default(), |watch| {
        let options = Options::default();
        let game = Game::new(question, &options, watch).expect("a game");
        split(&game, question, &options).map(|_| ()).expect_err("it is not taken apart")
    });
    let verdict = judge(question, true).expect("an answer");
    assert_eq!(verdict.counts.apart, None);
    (why, verdict)
}

fn value(text: &str) -> Ratio {
    text.parse().expect("a fraction")
}

/// To reach 4 of a ladder in three turns: after a leap that succeeds, two steps do it; else two
/// leaps, a quarter. So 1/2 + 1/8. A step first leaves 3 of two turns: a leap, then a step, 1/2.
#[test]
fn all_of_several_are_won_with_the_product() {
    let two = apart(&question(&ladders(&["a", "b"], 3, 4, ALL)), 2);
    assert_eq!(two.value, value("25/64"));
    let moves = [("(step a)", "5/16"), ("(leap a)", "25/64")];
    let moves = moves.map(|(text, value)| (text.to_owned(), value.to_owned()));
    let mut shown = testing::moves(&two);
    shown.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!(shown, moves);
    let three = apart(&question(&ladders(&["a", "b", "c"], 3, 4, ALL)), 3);
    assert_eq!(three.value, value("125/512"));
}

#[test]
fn one_of_several_is_won_unless_all_are_lost() {
    let two = apart(&question(&ladders(&["a", "b"], 3, 4, ONE)), 2);
    assert_eq!(two.value, value("55/64"), "1 - (3/8)(3/8)");
    let mut asked = question(&ladders(&["a", "b", "c"], 3, 4, ALL));
    asked.role = asked.rulebook.role("sceptic").expect("a role");
    let sceptic = apart(&asked, 3);
    assert_eq!(sceptic.value, value("387/512"), "1 - 125/512: the climber does its best");
    assert_eq!(sceptic.choosers, ["climber"]);
    asked.objective = Objective::Goal;
    assert_eq!(apart(&asked, 3).value, value("387/512"), "the goal is 0 or 100");
    // Steps alone: three rungs of three turns.
    let none = apart(&question(&ladders(&["a", "b"], 3, 4, NONE)), 2);
    assert_eq!(none.value, Ratio::one());
}

#[test]
fn a_horizon_before_the_end_cuts_all() {
    for (rest, won) in [(ALL, "25/64"), (ONE, "55/64")] {
        let mut asked = question(&ladders(&["a", "b"], 3, 4, rest));
        asked.horizon = Some(5);
        let cut = apart(&asked, 2);
        assert!(cut.value.is_zero() && cut.cut);
        asked.horizon = Some(6);
        let whole = apart(&asked, 2);
        assert!(whole.value == value(won) && !whole.cut);
    }
}

/// Two opponents, each on a table of its own, and a coin.
const TABLES: &str = "
    (role x) (role left) (role right) (role random)
    (init (step 0)) (succ 0 1) (succ 1 2)
    (legal x wait) (legal random heads) (legal random tails)
    (<= (legal left ?m) (true (step 0)) (hand ?m)) (<= (legal left wait) (true (step 1)))
    (<= (legal right ?m) (true (step 0)) (hand ?m)) (<= (legal right wait) (true (step 1)))
    (hand up) (hand down)
    (<= (next (l ?m)) (does left ?m) (hand ?m))
    (<= (next (r ?m)) (does right ?m) (hand ?m))
    (<= (next (l ?m)) (true (l ?m))) (<= (next (r ?m)) (true (r ?m)))
    (<= (next coin) (does random heads))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 2)))
    (<= (goal x 100) won) (<= (goal x 0) (not won)) (goal left 0) (goal right 0)";

#[test]
fn parts_of_chance_and_of_opponents_alone_are_parts() {
    // x wins against the worst hands with the coin alone.
    let won = "(<= won (true (l up))) (<= won (true (r down))) (<= won (true coin))";
    let any = apart(&question(&format!("{TABLES} {won}")), 3);
    assert_eq!(any.value, value("1/2"));
    assert_eq!(any.choosers, ["left", "right"]);
    assert_eq!(any.moves.len(), 4, "each pair of hands");
    let shown: Vec<_> = testing::moves(&any).into_iter().filter(|line| line.1 == "1/2").collect();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!(shown[0].0, "(left down) (right up)");
    // The hands do not bear on the end: both are idle parts, and every pair is as good.
    let coin = "(<= won (true coin) (not (true (l up))))";
    let all = apart(&question(&format!("{TABLES} {coin}")), 3);
    assert!(all.value.is_zero());
    // One part that counts is no reason to take a game apart.
    let (why, one) = refused(&question(&format!("{TABLES} (<= won (true coin))")));
    assert!(why.contains("condition") && one.value == value("1/2"), "{why}");
}

/// Turns of chance that depend on the part: one of a die that has as many sides as it shows.
#[test]
fn how_many_moves_chance_has_is_a_matter_of_one_part() {
    let text = "
        (role x) (role random) (init (step 0)) (init (die a 2)) (init (die b 3))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (turn 0 a) (turn 1 b) (turn 2 a) (turn 3 b)
        (legal x wait)
        (upto 1 1) (upto 2 1) (upto 2 2) (upto 3 1) (upto 3 2) (upto 3 3)
        (<= (at ?d) (true (step ?n)) (turn ?n ?d))
        (<= (legal random (show ?d ?s)) (at ?d) (true (die ?d ?m)) (upto ?m ?s))
        (<= (legal random skip) (at ?d))
        (<= (next (die ?d ?s)) (does random (show ?d ?s)))
        (<= (shown ?d) (does random (show ?d ?s)))
        (<= (next (die ?d ?s)) (true (die ?d ?s)) (not (shown ?d)))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= terminal (true (step 4)))
        (<= (goal x 100) (true (die a 1)) (true (die b 1)))
        (<= (goal x 0) (not (true (die a 1)))) (<= (goal x 0) (not (true (die b 1))))";
    // From 2, with three moves: 1 by one of them, and 2 by two. In two turns: 1/3, of which 1 stays,
    // and 2/3 of 1/3: 5/9. From 3, with four: 1/4 + 1/4 (1/3) + 2/4 (1/4) = 11/24.
    let verdict = apart(&question(text), 2);
    assert_eq!(verdict.value, value("55/216"));
}

/// Ladders without turns: in each step the climber chooses one.
#[test]
fn a_choice_between_parts_joins_them() {
    let free = ladders(&["a", "b"], 1, 2, ALL).replace("(turn 0 a)", "(turn 0 a) (turn 0 b)");
    let free = free.replace("(turn 1 b)", "(turn 1 a) (turn 1 b)");
    // Each is topped for certain with two steps, and there are two in all: both with luck alone.
    let (why, verdict) = refused(&question(&free));
    assert_eq!(why, "a role chooses in which of them to move");
    assert!(verdict.value < Ratio::one(), "the product of the parts would be 1");
    let (why, _) = refused(&testing::game("nim-heaps"));
    assert_eq!(why, "the end of the game reads them");
}

#[test]
fn what_is_not_shown_is_solved_as_one() {
    let with = |rest: &str| refused(&question(&ladders(&["a", "b"], 2, 2, rest))).0;
    let end = with(&format!("{ALL} (<= terminal (topped a))"));
    assert_eq!(end, "the end of the game reads them");
    let mixed = with("(<= won (topped a) (not (topped b))) (<= won (topped b) (not (topped a)))");
    assert!(mixed.starts_with("the payment is not"), "{mixed}");
    let goals = ladders(&["a", "b"], 2, 2, ALL);
    let goals =
        goals.replace("(<= (goal climber 0) (not won))", "(<= (goal climber 40) (not won))");
    let mut asked = question(&goals);
    apart(&asked, 2);
    asked.objective = Objective::Goal;
    assert!(refused(&asked).0.contains("one goal value"));
    let mut asked = question(&ladders(&["a", "b"], 2, 2, ALL));
    asked.horizon = Some(0);
    assert_eq!(refused(&asked).0, "no step is played");
}

#[test]
fn faults_are_those_of_the_whole() {
    // On rung 2 of b chance has no move.
    let stuck = ladders(&["a", "b"], 2, 2, ALL).replace(
        "(<= (legal random (slip ?l)) (at ?l))",
        "(<= (legal random (slip ?l)) (at ?l) (not (blocked ?l)))
         (<= (blocked b) (true (rung b 2)))",
    );
    let stuck = stuck.replace(
        "(<= (legal random (lift ?l)) (at ?l))",
        "(<= (legal random (lift ?l)) (at ?l) (not (blocked ?l)))",
    );
    let double = ladders(&["a", "b"], 2, 2, &format!("{ALL} (<= (goal climber 30) (topped a))"));
    for (text, code) in [(stuck, "no-legal-move"), (double, "several-goals")] {
        let asked = question(&text);
        let [one, other] = [true, false].map(|apart| match judge(&asked, apart) {
            Err(Stop::Faulty(fault)) => *fault,
            other => panic!("a fault was expected: {other:?}"),
        });
        assert_eq!(one.code, code);
        assert_eq!(one, other, "it is told as it is of the whole");
    }
}

/// In each of 16 turns a rung of luck: half or more of a ladder, by the binomial distribution
/// (2^15 + C(16, 8) / 2) / 2^16. As one, the last plies alone would have 17^4 states each.
#[test]
fn what_is_out_of_reach_as_one_is_the_sum_of_its_parts() {
    let text = ladders(&["a", "b", "c", "d"], 16, 8, ALL)
        .replace("(<= (legal climber (step ?l)) (at ?l))", "(<= (legal climber (rest ?l)) (at ?l))")
        .replace("(does climber (step ?l)) (succ ?m ?n)", "(does climber (rest ?l)) (is ?m ?n)")
        .replace("(succ ?m ?k) (succ ?k ?n)", "(succ ?m ?n)");
    let same: String = (0..64).map(|rung| format!("(is {rung} {rung})")).collect();
    let verdict = judge(&question(&format!("{text} {same}")), true).expect("an answer");
    assert_eq!(verdict.counts.apart, Some(4));
    let one = value("39203/65536");
    assert_eq!(verdict.value, &(&one * &one) * &(&one * &one));
    assert!(verdict.counts.states.is_some_and(|states| states < 20_000), "{:?}", verdict.counts);
}

#[test]
fn limits_end_in_bounds_that_hold() {
    let asked = question(&ladders(&["a", "b", "c"], 3, 4, ALL));
    let exact = value("125/512");
    let sound = |halt: &Halt| {
        assert!(halt.lower <= exact && exact <= halt.upper, "{halt:?}");
        assert!(halt.moves.iter().all(|line| line.lower <= line.upper && line.lower <= exact));
    };
    let interrupted = Limits { interrupted: true, ..Limits::default() };
    let late = Limits { time: Some(Duration::from_nanos(1)), ..Limits::default() };
    let small = Limits { memory: Some(1), ..Limits::default() };
    for limits in [interrupted, late, small] {
        let judged =
            under(limits, |watch| verdict::Engine::judge(&Sweep::default(), &asked, watch));
        match judged {
            Err(Stop::Halted(halt)) => sound(&halt),
            other => panic!("a halt was expected: {other:?}"),
        }
    }
}
