//! The dense tier beside the tier of tables, on the games of the project and on random games that
//! come apart into digits; wrong guesses, misfits and limits.

mod exchanged;
mod places;

use std::fmt::Write;

use index::{Id, IndexVec};
use net::random::Random;
use verdict::{Engine, HaltReason, Objective, Question, Stop, Verdict};

use super::{Disk, Plan, TierChoice, attempt, tier_choice};
use crate::game::{Game, Guesses};
use crate::testing::{Limits, WALK, game, halt, moves, question, under};
use crate::{Options, Sweep, Tier};

fn by(tier: Tier, question: &Question) -> Result<Verdict, Stop> {
    // Places are kept for all states.
    let options = Options { tier, symmetry: false, ..Options::default() };
    under(Limits::default(), |watch| Sweep::new(options).judge(question, watch))
}

/// Why a question is not for the dense tier; none where it answered as tables do.
fn compare(name: &str, question: &Question) -> Option<String> {
    let dense = match by(Tier::Dense, question) {
        Ok(verdict) => verdict,
        Err(Stop::Faulty(fault)) => return Some(fault.message),
        Err(other) => panic!("{name}: {other:?}"),
    };
    // Any number of threads finds the same.
    for threads in [1, 2, 3, 5] {
        let options = Options { tier: Tier::Dense, threads: Some(threads), ..Options::default() };
        let again = under(Limits::default(), |watch| Sweep::new(options).judge(question, watch));
        let again = again.unwrap_or_else(|stop| panic!("{name}, {threads} threads: {stop:?}"));
        assert_eq!(again, dense, "{name}, {threads} threads");
    }
    let table = by(Tier::Table, question).unwrap_or_else(|stop| panic!("{name}: {stop:?}"));
    assert_eq!(dense.value, table.value, "{name}");
    assert_eq!(moves(&dense), moves(&table), "{name}");
    assert_eq!(dense.choosers, table.choosers, "{name}");
    let counted = |verdict: &Verdict| verdict::Counts { stored: 0, ..verdict.counts };
    assert_eq!(counted(&dense), counted(&table), "{name}");
    let said = |verdict: &Verdict| (verdict.cut, verdict.simultaneous, verdict.checked);
    assert_eq!(said(&dense), said(&table), "{name}");
    None
}

#[test]
fn both_tiers_say_the_same_of_the_games_of_the_project() {
    let held = [
        "coin-guess",
        "connect-3-4x4",
        "connect-4-4x4",
        "stochastic-connect-3-4x4",
        "stochastic-connect-4-4x4",
        "stochastic-tic-tac-toe-3x3",
        "tic-tac-toe",
    ];
    for name in held {
        let mut asked = game(name);
        for role in asked.rulebook.roles.ids() {
            if asked.rulebook.role_name(role) == "random" {
                continue;
            }
            asked = Question { role, ..game(name) };
            for objective in [Objective::Win, Objective::Goal] {
                asked.objective = objective;
                assert_eq!(compare(name, &asked), None, "{name}");
            }
        }
    }
}

#[test]
fn a_role_that_plays_at_random_is_no_other_matter() {
    let mut asked = game("connect-3-4x4");
    let other = asked.opponents().next().expect("an opponent");
    asked.chance.insert(other);
    let why = compare("connect-3-4x4", &asked);
    assert!(why.as_ref().is_none_or(|why| why.contains("what chance may do")), "{why:?}");
}

/// A proposition that several moves set and nothing clears is a digit that most moves leave alone:
/// such moves stay in their block though they speak of a digit of blocks.
#[test]
fn a_move_may_leave_a_digit_of_blocks_as_it_is() {
    let plain = std::fs::read_to_string("../../../games/tic-tac-toe.gdl").expect("a game");
    let corners = ["1 1", "1 3", "3 1", "3 3"];
    for count in 1..=corners.len() {
        let mut text = format!("{plain}\n(<= (next used) (true used))\n");
        for corner in &corners[..count] {
            writeln!(text, "(<= (next used) (does ?p (mark {corner})))").expect("text");
        }
        for asked in roles(&text) {
            assert_eq!(compare(&format!("{count} corners"), &asked), None);
        }
    }
}

/// The question of each role but chance.
fn roles(text: &str) -> Vec<Question> {
    let first = question(text);
    let players = first.rulebook.roles.ids().filter(|role| !first.chance.contains(*role));
    players.map(|role| Question { role, ..question(text) }).collect()
}

#[test]
fn games_that_do_not_come_apart_are_refused_where_forced_and_solved_where_not() {
    for name in ["pig-5", "nim-heaps", "reroll", "race", "exact-race", "penalties"] {
        let asked = game(name);
        let why = compare(name, &asked).unwrap_or_else(|| panic!("{name} comes apart"));
        assert!(why.contains("is not for `--tier dense`: "), "{name}: {why}");
        let (auto, table) = (by(Tier::Auto, &asked), by(Tier::Table, &asked));
        assert_eq!(auto.expect("an answer").value, table.expect("an answer").value, "{name}");
    }
    let why = compare("walk", &question(WALK)).expect("it recurs");
    assert!(why.ends_with("a state does not tell its ply"), "{why}");
    let bounded = Question { horizon: Some(3), ..game("tic-tac-toe") };
    assert!(compare("bounded", &bounded).is_some_and(|why| why.ends_with("steps are bounded")));
}

/// A random game: digits whose values rise by one height with every push, by the face of a die.
fn sheet(random: &mut Random) -> String {
    let (digits, height) = (1 + random.below(4), 1 + random.below(3));
    sheet_of(random, (digits, 3), height)
}

/// Such a game with digits of at most `width` values of a height.
fn sheet_of(random: &mut Random, (digits, width): (usize, usize), height: usize) -> String {
    let (faces, kinds, tossed) = (1 + random.below(4), 1 + random.below(2), random.below(2) == 0);
    let widths: Vec<usize> =
        (0..=height).map(|at| if at == 0 { 1 } else { 1 + random.below(width) }).collect();
    let mut text = String::from(
        "(role x) (role o) (role random) (opponent x o) (opponent o x) (init (control x))
         (<= (legal ?p (push ?i ?m)) (true (control ?p)) (true (at ?i ?v)) (pushable ?i ?m ?v))
         (<= (legal ?p noop) (opponent ?p ?q) (not (true (control ?p))))
         (<= can (true (at ?i ?v)) (pushable ?i ?m ?v))
         (<= terminal (not can))
         (<= (next (at ?i ?v)) (true (at ?i ?v)) (not (pushed ?i)))\n",
    );
    text += if tossed {
        "(<= (next (toss ?p ?i ?m)) (does ?p (push ?i ?m)))
         (<= (next (control ?q)) (true (toss ?p ?i ?m)) (opponent ?p ?q))
         (<= (legal random noop) (true (control ?p)))
         (<= (legal random (face ?f)) (isface ?f) (true (toss ?p ?i ?m)))
         (<= (pushed ?i) (true (toss ?p ?i ?m)))
         (<= (next (at ?i ?w)) (true (toss ?p ?i ?m)) (does random (face ?f)) (true (at ?i ?v))
             (edge ?i ?m ?f ?v ?w))\n"
    } else {
        "(<= (next (control ?q)) (true (control ?p)) (opponent ?p ?q))
         (<= (legal random (face ?f)) (isface ?f))
         (<= (pushed ?i) (does ?p (push ?i ?m)))
         (<= (next (at ?i ?w)) (does ?p (push ?i ?m)) (does random (face ?f)) (true (at ?i ?v))
             (edge ?i ?m ?f ?v ?w))\n"
    };
    (0..faces).for_each(|face| write!(text, "(isface {face}) ").expect("text"));
    for digit in 0..digits {
        write!(text, "(init (at {digit} v0_0)) ").expect("text");
        for at in 0..height {
            for (value, kind) in
                (0..widths[at]).flat_map(|value| (0..kinds).map(move |kind| (value, kind)))
            {
                if at > 0 && random.below(6) == 0 {
                    continue;
                }
                write!(text, "(pushable {digit} {kind} v{at}_{value}) ").expect("text");
                for face in 0..faces {
                    let to = random.below(widths[at + 1]);
                    let (from, to) = (format!("v{at}_{value}"), format!("v{}_{to}", at + 1));
                    write!(text, "(edge {digit} {kind} {face} {from} {to}) ").expect("text");
                }
            }
        }
    }
    text += &follower(random, height);
    let mut pattern = |head: &str| {
        let one = |random: &mut Random| {
            let at = random.below(height + 1);
            format!("(true (at {} v{at}_{}))", random.below(digits), random.below(widths[at]))
        };
        format!("(<= {head} {} {})\n", one(random), one(random))
    };
    let patterns = pattern("(goal x 100)")
        + &pattern("(goal x 100)")
        + &pattern("(goal o 100)")
        + &pattern("terminal");
    let followed = format!("(<= (goal x 100) (true (tail e1)) (true (at 0 v{height}_0)))\n");
    text + &patterns + &followed
}

/// A digit that no move is about: pushes of digit 0 raise it until it is at its end; and a mark that
/// the first such push leaves.
fn follower(random: &mut Random, height: usize) -> String {
    let mut text = String::from("(init (tail e0))\n");
    if random.below(3) == 0 {
        // Nothing ever happens to it.
        return text + "(<= (next (tail e0)) (true (tail e0)))\n";
    }
    text += "(<= (next (tail ?v)) (true (tail ?v)) (not (drawn ?v)))
         (<= (drawn ?v) (true (tail ?v)) (pushed 0) (draws ?v))
         (<= (next used) (true used)) (<= (next used) (pushed 0))\n";
    for (at, next) in (0..=random.below(height + 1)).map(|at| (at, at + 1)) {
        write!(text, "(draws e{at}) (<= (next (tail e{next})) (drawn e{at})) ").expect("text");
    }
    text
}

#[test]
fn both_tiers_say_the_same_of_random_games() {
    let mut random = Random::new(17);
    let (mut held, mut tosses) = (0, 0);
    for at in 0..120 {
        let text = sheet(&mut random);
        let asked = question(&text);
        match compare(&format!("game {at}:\n{text}"), &asked) {
            None => {
                held += 1;
                tosses += usize::from(text.contains("(toss"));
                let roles: Vec<_> = asked.rulebook.roles.ids().collect();
                let other = Question { role: roles[1], ..question(&text) };
                assert_eq!(compare(&format!("game {at}, o:\n{text}"), &other), None);
            }
            Some(why) => assert!(why.contains("is not for"), "{why}\n{text}"),
        }
    }
    assert!(held >= 60 && tosses >= 20 && held - tosses >= 20, "{held} held, {tosses} with a toss");
}

#[test]
fn many_digits_make_slabs_and_stages_that_change_nothing() {
    let mut random = Random::new(5);
    let (mut held, mut parallel) = (0, 0);
    for at in 0..20 {
        let text = sheet_of(&mut random, (4 + at % 2, 5), 2);
        let asked = question(&text);
        if compare(&format!("game {at}:\n{text}"), &asked).is_some() {
            continue;
        }
        held += 1;
        under(Limits::default(), |watch| {
            let game = Game::new(&asked, &Options::default(), watch).expect("a game");
            let schedule = Plan::new(&game, None, None).expect("it was held").schedule;
            let several = schedule.stages.iter().any(|stage| stage.len() > 1);
            parallel += usize::from(several && schedule.slabs.len() > 1);
        });
    }
    assert!(held >= 6 && parallel >= 3, "{held} held, {parallel} with slabs and stages");
}

#[test]
fn tasks_of_many_blocks_change_nothing() {
    let mut random = Random::new(6);
    let (mut held, mut inner) = (0, 0);
    for at in 0..14 {
        let text = sheet_of(&mut random, (7, 3), 2);
        let asked = question(&text);
        if compare(&format!("game {at}:\n{text}"), &asked).is_some() {
            continue;
        }
        held += 1;
        under(Limits::default(), |watch| {
            let game = Game::new(&asked, &Options::default(), watch).expect("a game");
            let schedule = Plan::new(&game, None, None).expect("it was held").schedule;
            inner += usize::from(schedule.inner > 1 && schedule.tops > 1 && schedule.tasks > 1);
        });
    }
    assert!(held >= 6 && inner >= 3, "{held} held, {inner} with blocks in tasks");
}

/// What the compiler chooses under guesses of our own, and the answer.
fn under_guesses(question: &Question, plant: impl Fn(&mut Guesses)) -> Option<Verdict> {
    under(Limits::default(), |watch| {
        let options = Options::default();
        let mut game = Game::new(question, &options, watch).expect("a game");
        plant(&mut game.guesses);
        attempt(&game, question, &options, Disk::default(), watch).expect("no fault")
    })
}

#[test]
fn wrong_guesses_cost_the_tier_or_time_but_never_the_answer() {
    let asked = game("stochastic-connect-3-4x4");
    let right = by(Tier::Table, &asked).expect("an answer");
    // Another level: it is held to the tables, and the game is left to the other tier.
    let bent = |guesses: &mut Guesses| {
        let (weights, _) = guesses.level.as_mut().expect("a level");
        let bent: IndexVec<net::BaseId, i64> = weights
            .enumerate()
            .map(|(base, weight)| weight + i64::from(base.index() == 3))
            .collect();
        *weights = bent;
    };
    assert!(under_guesses(&asked, bent).is_none());
    let shifted = |guesses: &mut Guesses| guesses.level.as_mut().expect("a level").1 += 2;
    assert!(under_guesses(&asked, shifted).is_none());
    // Groups only say what is not to be separated.
    for plant in [0, 3] {
        let joined = |guesses: &mut Guesses| {
            guesses.groups.truncate(plant);
            guesses.groups.push((0..2).map(net::BaseId::from_index).collect());
        };
        let verdict = under_guesses(&asked, joined).expect("it still comes apart");
        assert_eq!(verdict.value, right.value);
        assert_eq!(verdict.counts, right.counts);
    }
}

#[test]
fn the_choice_is_told() {
    under(Limits::default(), |watch| {
        let options = Options::default();
        let choice = |name: &str| {
            let asked = game(name);
            let compiled = Game::new(&asked, &options, watch).expect("a game");
            tier_choice(&compiled, &asked, &options)
        };
        let (sizes, places) = (vec![31; 4], 31 * 31 * 1024);
        let connect = TierChoice::Dense { sizes, places, exchanged: false };
        assert_eq!(choice("connect-4-4x4"), connect);
        assert!(matches!(choice("pig-5"), TierChoice::Table(_)));
        let asked = game("connect-4-4x4");
        let compiled = Game::new(&asked, &options, watch).expect("a game");
        let table = Options { tier: Tier::Table, ..options };
        assert_eq!(tier_choice(&compiled, &asked, &table), TierChoice::Table("it was asked for"));
        assert!(Plan::new(&compiled, None, None).is_ok());
    });
}

/// Rows of cells that two players mark in turn: whoever fills a row first wins.
fn rows_of_cells(rows: usize, cells: usize) -> Question {
    let mut text = String::from(
        "(role x) (role o) (init (control x)) (turn x o) (turn o x)
        (<= (legal ?p (mark ?r ?c)) (true (control ?p)) (true (cell ?r ?c b)))
        (<= (legal ?p noop) (turn ?p ?q) (true (control ?q)))
        (<= (next (control ?q)) (true (control ?p)) (turn ?p ?q))
        (<= (next (cell ?r ?c ?p)) (does ?p (mark ?r ?c)))
        (<= (marked ?r ?c) (does ?p (mark ?r ?c)))
        (<= (next (cell ?r ?c ?v)) (true (cell ?r ?c ?v)) (not (marked ?r ?c)))
        (<= some (true (cell ?r ?c b)))
        (<= terminal (not some)) (<= terminal (filled x)) (<= terminal (filled o))
        (<= (goal x 100) (filled x)) (<= (goal x 50) (not (filled x)) (not (filled o)))
        (<= (goal x 0) (filled o)) (<= (goal o 0) (filled x)) (<= (goal o 100) (not (filled x)))",
    );
    for row in 0..rows {
        let row_of = |who: &str| -> String {
            (0..cells).map(|cell| format!(" (true (cell {row} {cell} {who}))")).collect()
        };
        for who in ["x", "o"] {
            write!(text, " (<= (filled {who}) {})", row_of(who)).expect("text grows");
        }
        for cell in 0..cells {
            write!(text, " (init (cell {row} {cell} b))").expect("text grows");
        }
    }
    question(&text)
}

#[test]
fn tables_of_orbits_are_chosen_where_orbits_are_large() {
    let asked = rows_of_cells(3, 4);
    let solved = |tier, symmetry| {
        let options = Options { tier, symmetry, ..Options::default() };
        under(Limits::default(), |watch| Sweep::new(options).judge(&asked, watch)).expect("a value")
    };
    let [auto, dense] = [Tier::Auto, Tier::Dense].map(|tier| solved(tier, true));
    assert_eq!(auto, solved(Tier::Table, true), "48 of its symmetries are used");
    assert!(5 * auto.counts.stored < dense.counts.stored);
    assert_eq!(compare("rows of cells", &asked), None);
    assert_eq!(solved(Tier::Auto, false), dense, "without symmetry, places suit better");
    for verdict in [&auto, &dense] {
        let counts = (verdict.counts.states, verdict.counts.decision_states);
        assert_eq!(counts, (dense.counts.states, dense.counts.decision_states));
        assert_eq!(verdict.value, dense.value);
    }
    under(Limits::default(), |watch| {
        let options = Options::default();
        let compiled = Game::new(&asked, &options, watch).expect("a game");
        let TierChoice::Table(why) = tier_choice(&compiled, &asked, &options) else {
            panic!("tables suit better");
        };
        assert!(why.contains("symmetric"), "{why}");
    });
}

#[test]
fn limits_end_in_sound_bounds() {
    let asked = game("stochastic-connect-4-4x4");
    let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
    for tier in [Tier::Auto, Tier::Dense] {
        let options = Options { tier, ..Options::default() };
        let ended = |limits| halt(under(limits, |watch| Sweep::new(options).judge(&asked, watch)));
        let found = ended(limits);
        assert!(matches!(found.reason, HaltReason::Memory { .. }), "{:?}", found.reason);
        assert!(found.lower <= found.upper && found.lower.is_probability());
        let stopped = ended(Limits { interrupted: true, ..Limits::default() });
        assert_eq!(stopped.reason, HaltReason::Interrupt);
        assert!(stopped.lower < stopped.upper);
    }
}

#[test]
fn flaws_are_shown_by_the_other_tier() {
    let rules = "(role x) (role o) (opponent x o) (opponent o x) (init (control x))
        (init (at a 0)) (init (at b 0)) (up 0 1) (up 1 2)
        (<= (legal ?p (push ?i)) (true (control ?p)) (true (at ?i ?v)) (up ?v ?w))
        (<= (legal ?p noop) (opponent ?p ?q) (not (true (control ?p))))
        (<= (next (control ?q)) (true (control ?p)) (opponent ?p ?q))
        (<= (pushed ?i) (does ?p (push ?i)))
        (<= (next (at ?i ?w)) (does ?p (push ?i)) (true (at ?i ?v)) (up ?v ?w))
        (<= (next (at ?i ?v)) (true (at ?i ?v)) (not (pushed ?i)))
        (<= (goal x 100) (true (at a 2)))";
    let full = "(<= terminal (true (at a 2)) (true (at b 2)))";
    assert_eq!(compare("sound", &question(&format!("{rules} {full}"))), None);
    for text in [
        format!("{rules} (<= terminal (true (at a 2)) (true (at b 1)))"),
        format!("{rules} {full} (<= (goal x 50) (true (at b 2)))"),
    ] {
        for tier in [Tier::Auto, Tier::Dense, Tier::Table] {
            match by(tier, &question(&text)) {
                Err(Stop::Faulty(fault)) => {
                    assert!(["no-legal-move", "several-goals"].contains(&fault.code), "{fault:?}");
                }
                other => panic!("a flaw was expected: {other:?}"),
            }
        }
    }
}
