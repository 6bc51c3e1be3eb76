//! The tier by clock beside the tier of tables: on the games of the project, with and without a
//! horizon, and on random games that count their steps; misfits and limits.

use std::fmt::Write;
use std::time::Duration;

use net::random::Random;
use verdict::{Counts, Engine, HaltReason, Objective, Question, Stop, Verdict};

use super::{Moves, Plies, clock_choice};
use crate::backend::{Leaf, Scale, SweepBackend};
use crate::game::Game;
use crate::sweep::start;
use crate::testing::{Limits, WALK, game, halt, moves, question, told, under};
use crate::{Options, Sweep, Tier};

fn by(tier: Tier, question: &Question, threads: usize) -> Result<Verdict, Stop> {
    let options = Options { tier, symmetry: false, threads: Some(threads), ..Options::default() };
    under(Limits::default(), |watch| Sweep::new(options).judge(question, watch))
}

/// Why a question is not for the tier; none where it answered as tables do.
fn compare(name: &str, question: &Question) -> Option<String> {
    let clock = match by(Tier::Clock, question, 1) {
        Ok(verdict) => verdict,
        Err(Stop::Faulty(fault)) => return Some(fault.message),
        Err(other) => panic!("{name}: {other:?}"),
    };
    let again = by(Tier::Clock, question, 3).expect("what one thread answers");
    assert_eq!(again, clock, "{name}, 3 threads");
    let table = by(Tier::Table, question, 1).unwrap_or_else(|stop| panic!("{name}: {stop:?}"));
    assert_eq!(clock.value, table.value, "{name}");
    assert_eq!(moves(&clock), moves(&table), "{name}");
    assert_eq!(clock.choosers, table.choosers, "{name}");
    let counted = |verdict: &Verdict| Counts { stored: 0, ..verdict.counts };
    assert_eq!(counted(&clock), counted(&table), "{name}");
    let said = |verdict: &Verdict| (verdict.cut, verdict.simultaneous, verdict.checked);
    assert_eq!(said(&clock), said(&table), "{name}");
    None
}

const GAMES: &[&str] = &[
    "coin-guess",
    "coin-row",
    "connect-3-4x4",
    "exact-race",
    "nim-heaps",
    "one-spin",
    "penalties",
    "pig-5",
    "pursuit",
    "race",
    "reroll",
    "stochastic-connect-3-4x4",
    "stochastic-nim-20",
    "stochastic-nim-100",
    "stochastic-tic-tac-toe-3x3",
    "tic-tac-toe",
];

#[test]
fn both_tiers_say_the_same_of_the_games_of_the_project() {
    let (mut whole, mut bounded) = (Vec::new(), 0);
    for name in GAMES {
        let mut asked = game(name);
        for role in asked.rulebook.roles.ids() {
            if asked.rulebook.role_name(role) == "random" {
                continue;
            }
            asked.role = role;
            asked.horizon = None;
            if compare(name, &asked).is_none() {
                whole.push(*name);
            }
            for steps in [0, 1, 2, 5, 9] {
                asked.horizon = Some(steps);
                let refused = compare(name, &asked);
                assert_eq!(refused, None, "{name} within {steps} steps");
                bounded += 1;
            }
        }
    }
    whole.dedup();
    assert!(whole.contains(&"stochastic-nim-100"), "{whole:?}");
    assert!(bounded >= 100, "{bounded}");
}

/// A random game that counts its steps: places that lead to places by what all roles do, who moves by
/// the step, a die whose faces depend on the place, ends and payments of all kinds.
fn sheet(random: &mut Random) -> String {
    let (places, steps) = (3 + random.below(9), 4 + random.below(60));
    sheet_of(random, (places, steps), false)
}

/// Such a game of so many places and steps, in which places may only lead to later ones.
fn sheet_of(random: &mut Random, (places, steps): (usize, usize), ahead: bool) -> String {
    let mut out = String::from("(role x) (role o) (role random) (init (at 0)) (init (step 0))\n");
    for step in 0..steps {
        write!(out, "(succ {step} {}) ", step + 1).expect("text");
        let who = ["x", "o", "both", "chance"][random.below(4)];
        writeln!(out, "(turn {step} {who})").expect("text");
    }
    writeln!(out, "(turn {steps} x) (last {steps})").expect("text");
    for place in 0..places {
        for role in ["x", "o"] {
            for choice in 0..1 + random.below(3) {
                writeln!(out, "(may {role} {place} {choice})").expect("text");
            }
        }
        let faces = [1, 2, 2, 3, 4][random.below(5)];
        (0..faces).for_each(|face| writeln!(out, "(face {place} {face})").expect("text"));
        for (x, o) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)] {
            for face in 0..faces {
                let to = match ahead {
                    true => (place + 1 + random.below(4)).min(places - 1),
                    false => random.below(places),
                };
                writeln!(out, "(leads {place} {x} {o} {face} {to})").expect("text");
            }
        }
        if place > 0 && random.below(if ahead { 60 } else { 5 }) == 0 {
            writeln!(out, "(over {place})").expect("text");
        }
        let goal = [0, 20, 50, 100, 100][random.below(5)];
        writeln!(out, "(pays {place} {goal})").expect("text");
    }
    out += "(chooses x x) (chooses o o) (chooses x both) (chooses o both)
        (free ?r) (<= (choosing ?r) (true (step ?s)) (turn ?s ?w) (chooses ?r ?w))
        (<= (legal ?r (go ?c)) (true (at ?p)) (may ?r ?p ?c) (choosing ?r))
        (<= (legal x (go 0)) (not (choosing x)))
        (<= (legal o (go 0)) (not (choosing o)))
        (<= tossing (true (step ?s)) (turn ?s chance))
        (<= (legal random (show ?f)) (true (at ?p)) (face ?p ?f) tossing)
        (<= (legal random (show 0)) (not tossing))
        (<= (next (at ?q)) (true (at ?p)) (does x (go ?a)) (does o (go ?b))
            (does random (show ?f)) (leads ?p ?a ?b ?f ?q))
        (<= (next (step ?t)) (true (step ?s)) (succ ?s ?t))
        (<= terminal (true (step ?s)) (last ?s))
        (<= terminal (true (at ?p)) (over ?p))
        (<= (goal x ?g) (true (at ?p)) (pays ?p ?g))
        (<= (goal o 100) (true (at ?p)) (pays ?p 0))
        (<= (goal o 0) (true (at ?p)) (pays ?p ?g) (distinct ?g 0))";
    out.replace("(free ?r) ", "")
}

#[test]
fn both_tiers_say_the_same_of_random_games_that_count_their_steps() {
    let mut random = Random::new(2026);
    let mut simultaneous = 0;
    for round in 0..120 {
        let text = sheet(&mut random);
        let mut asked = question(&text);
        if round % 2 == 0 {
            asked.objective = Objective::Goal;
        }
        if round % 3 == 0 {
            asked.role = asked.rulebook.roles.ids().nth(1).expect("two players");
        }
        if round % 4 == 0 {
            asked.horizon = Some(random.below(40) as u32);
        }
        let refused = compare(&format!("round {round}: {text}"), &asked);
        assert_eq!(refused, None, "round {round}: {text}");
        let verdict = by(Tier::Clock, &asked, 1).expect("it was compared");
        simultaneous += usize::from(verdict.simultaneous);
    }
    assert!(simultaneous > 20, "{simultaneous}");
}

/// A lane of places that are alike but for some of each hundred, on which x, o and a die move at once.
fn lane(random: &mut Random) -> String {
    let length = 300;
    let mut out = String::from("(role x) (role o) (role random) (init (at 250))\n");
    for place in 0..length {
        write!(out, "(on {place} {}) (on2 {place} {}) ", place + 1, (place + 2).min(length))
            .expect("text");
        if random.below(100) == 0 {
            writeln!(out, "(odd {place})").expect("text");
        }
    }
    for face in 0..1 + random.below(3) {
        write!(out, "(face {face}) ").expect("text");
    }
    out + "(<= (legal x on) (true (at ?p))) (<= (legal x back) (true (at ?p)) (not (odd ?p)))
        (legal o push) (<= (legal o wait) (true (at ?p)) (on 0 ?one) (distinct ?p ?one))
        (<= (legal random ?f) (face ?f))
        (<= (next (at ?q)) (true (at ?p)) (does random 0) (does x on) (on ?p ?q))
        (<= (next (at ?q)) (true (at ?p)) (does random 0) (does x back) (on2 ?q ?p))
        (<= (next (at ?q)) (true (at ?p)) (face ?f) (distinct ?f 0) (does random ?f) (does o push) (on2 ?p ?q))
        (<= (next (at ?q)) (true (at ?p)) (face ?f) (distinct ?f 0) (does random ?f) (does o wait) (on ?q ?p))
        (low 0) (low 1) (<= terminal (true (at ?p)) (low ?p))
        (<= terminal (true (at 300))) (<= terminal (true (at 299)))
        (<= (goal x 100) (true (at 300))) (<= (goal x 0) (true (at ?p)) (low ?p))
        (<= (goal x 20) (true (at 299)))
        (<= (goal o 0) (true (at ?p)))"
}

#[test]
fn places_that_are_alike_have_the_values_and_bounds_that_they_have_alone() {
    let mut random = Random::new(7);
    let mut narrow = 0;
    for round in 0..12 {
        let text = lane(&mut random);
        let mut asked = question(&text);
        asked.horizon = Some(100 + random.below(60) as u32);
        asked.objective = Objective::Goal;
        assert_eq!(compare(&format!("round {round}"), &asked), None, "{text}");
        let value = by(Tier::Table, &asked, 1).expect("an answer").value;
        let bounds = [Tier::Clock, Tier::Table].map(|tier| {
            let options = Options { tier, approximate: true, ..Options::default() };
            match under(Limits::default(), |watch| Sweep::new(options).judge(&asked, watch)) {
                Err(Stop::Halted(halt)) => (halt.lower, halt.upper),
                other => panic!("{other:?}"),
            }
        });
        for (lower, upper) in &bounds {
            assert!(*lower <= value && value <= *upper, "round {round}");
            narrow += usize::from((upper - lower).to_f64() < 1e-15);
        }
    }
    assert_eq!(narrow, 24, "bounds are narrow");
}

/// Positions of later plies are later ones, and values have several words.
#[test]
fn both_tiers_say_the_same_of_long_ways() {
    let mut random = Random::new(31);
    for round in 0..4 {
        let steps = 90 + 30 * round;
        let text = sheet_of(&mut random, (3 * steps, steps), true);
        for objective in [Objective::Win, Objective::Goal] {
            let asked = Question { objective, ..question(&text) };
            assert_eq!(compare(&format!("round {round}"), &asked), None);
        }
        // Bounds hold the value, and are as narrow on any number of threads.
        let asked = question(&text);
        let value = by(Tier::Clock, &asked, 1).expect("an answer").value;
        for threads in [1, 3] {
            let options = Options {
                tier: Tier::Clock,
                approximate: true,
                threads: Some(threads),
                ..Options::default()
            };
            let sweep = Sweep::new(options);
            let bounds = halt(under(Limits::default(), |watch| sweep.judge(&asked, watch)));
            assert!(bounds.lower <= value && value <= bounds.upper, "round {round}");
            assert!((&bounds.upper - &bounds.lower).to_f64() < 1e-12, "round {round}");
        }
    }
}

/// The plies of a game, some of them expanded and all of these valued as leaves.
#[test]
fn every_list_is_counted() {
    under(Limits::default(), |watch| {
        let asked = game("stochastic-connect-3-4x4");
        let asked = Question { horizon: Some(6), ..asked };
        let options = Options { tier: Tier::Clock, threads: Some(1), ..Options::default() };
        let mut compiled = Game::new(&asked, &options, watch).expect("a game");
        let Ok((expander, root)) = start(&mut compiled, &options) else { panic!("a root") };
        let mut plies =
            Plies::<0>::new(&compiled, expander, &root, &asked, &options).expect("memory");
        for _ in 0..5 {
            plies.advance(1, watch).expect("no limit");
        }
        let moves: u64 = plies.classes.iter().map(Moves::bytes).sum();
        let sets: u64 = plies.plies.iter().map(|ply| ply.reached.bytes()).sum();
        let lists = [
            plies.keys.bytes(),
            plies.slots.bytes(),
            plies.ids.bytes(),
            moves,
            sets,
            plies.growing.bytes(),
        ];
        assert!(lists.iter().all(|bytes| *bytes > 0), "{lists:?}");
        assert_eq!(plies.bytes(), lists.iter().sum::<u64>());
        let known: u64 = plies.classes.iter().map(Moves::len).sum();
        assert!(moves >= 8 * known, "a row for each of {known} positions: {moves} bytes");
        // Values are asked for before they are taken.
        let scale = Scale { limbs: 4, step: 1, unit: vec![1, 0, 0, 0], top: 1, bounds: false };
        let ply = 5;
        let range = plies.plies[ply].reached.range();
        let needed = plies.values.needed(&plies.plies[ply].reached, &scale);
        let least = 8 * 64 * 4 * range.len() as u64;
        assert!(needed >= least, "{needed} bytes asked for, {least} certain");
        let before = plies.bytes();
        plies.back_up(ply, Leaf::Worthless, &scale, watch).expect("no limit");
        let taken = plies.bytes() - before;
        assert!(taken >= least && plies.values.bytes() <= needed, "{taken} of {needed} bytes");
        // The same room serves the next time.
        plies.back_up(ply, Leaf::Won, &scale, watch).expect("no limit");
        assert_eq!(plies.values.needed(&plies.plies[ply].reached, &scale), 0);
    });
}

#[test]
fn what_has_no_counter_and_no_horizon_is_refused_by_name() {
    let refused = |text: &str| match by(Tier::Clock, &question(text), 1) {
        Err(Stop::Faulty(fault)) => fault.message,
        other => panic!("{other:?}"),
    };
    assert!(refused(WALK).contains("nothing in its states tells the steps"));
    // Whose turn it is comes again.
    let asked = game("tic-tac-toe");
    let Err(Stop::Faulty(fault)) = by(Tier::Clock, &asked, 1) else { panic!("it is refused") };
    assert!(fault.message.contains("nothing in its states tells the steps"), "{}", fault.message);
    // With a horizon a play counts its own steps, and states may come again.
    let mut walk = question(WALK);
    walk.horizon = Some(30);
    assert_eq!(compare("walk", &walk), None);
    let verdict = by(Tier::Clock, &walk, 1).expect("an answer");
    assert_eq!(verdict.counts.states, Some(5));
    assert!(verdict.cut);
}

#[test]
fn a_flaw_far_into_the_game_is_found_and_shown() {
    // Place 3 is reached after six steps at the earliest, and only there is o stuck.
    let text = "
        (role x) (role o) (role random) (init (at 0)) (init (step 0))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
        (up 0 1) (up 1 2) (up 2 3) (up 3 3)
        (legal x noop)
        (<= (legal o noop) (true (at ?p)) (distinct ?p 3))
        (legal random up) (legal random stay)
        (<= (even ?s) (true (step ?s)) (distinct ?s 1) (distinct ?s 3) (distinct ?s 5))
        (<= (next (at ?q)) (true (at ?p)) (up ?p ?q) (does random up) (even ?s))
        (<= (next (at ?p)) (true (at ?p)) (does random stay))
        (<= (next (at ?p)) (true (at ?p)) (does random up) (true (step ?s)) (not (even ?s)))
        (<= (next (step ?t)) (true (step ?s)) (succ ?s ?t))
        (<= terminal (true (step 8)))
        (<= (goal x 100) (true (at 3))) (<= (goal x 0) (not (true (at 3))))
        (goal o 0)";
    let asked = question(text);
    let [clock, table] = [Tier::Clock, Tier::Table].map(|tier| match by(tier, &asked, 1) {
        Err(Stop::Faulty(fault)) => *fault,
        other => panic!("{other:?}"),
    });
    assert_eq!(clock.code, table.code);
    assert_eq!(clock.message, table.message);
    assert_eq!(clock.states.len(), 1, "{:?}", clock.states);
    assert!(format!("{:?}", clock.states).contains("at 3"), "{:?}", clock.states);
}

#[test]
fn limits_end_in_bounds_that_hold() {
    let asked = game("stochastic-nim-100");
    let value = by(Tier::Table, &asked, 1).expect("an answer").value;
    let options = Options { tier: Tier::Clock, ..Options::default() };
    let solve = |limits, options| under(limits, |watch| Sweep::new(options).judge(&asked, watch));
    let mut widths = Vec::new();
    for micros in [1, 2_000, 10_000, 20_000, 40_000] {
        let time = Some(Duration::from_micros(micros));
        match solve(Limits { time, ..Limits::default() }, options) {
            Ok(verdict) => assert_eq!(verdict.value, value),
            Err(Stop::Halted(halt)) => {
                assert_eq!(halt.reason, HaltReason::Time);
                assert!(halt.lower <= value && value <= halt.upper);
                widths.push(&halt.upper - &halt.lower);
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(!widths.is_empty(), "a microsecond is too short");
    let interrupted = halt(solve(Limits { interrupted: true, ..Limits::default() }, options));
    assert_eq!(interrupted.reason, HaltReason::Interrupt);
    let memory = Some(1 << 20);
    let short = halt(solve(Limits { memory, ..Limits::default() }, options));
    assert!(matches!(short.reason, HaltReason::Memory { .. }), "{:?}", short.reason);
    let bounds = halt(solve(Limits::default(), Options { approximate: true, ..options }));
    assert_eq!(bounds.reason, HaltReason::Approximate);
    assert!(bounds.lower < value && value < bounds.upper);
    let width = &bounds.upper - &bounds.lower;
    assert!(width.to_f64() < 1e-15, "{width}");
}

#[test]
fn positions_that_are_met_again_make_the_sweep_choose_this_tier() {
    let stored = |name: &str, horizon| {
        let mut asked = game(name);
        asked.horizon = horizon;
        let [auto, clock, table] =
            [Tier::Auto, Tier::Clock, Tier::Table].map(|tier| by(tier, &asked, 1));
        let of = |verdict: Result<Verdict, Stop>| verdict.ok().map(|it| it.counts.stored);
        (of(auto), of(clock), of(table))
    };
    // States that wait for chance are passed through by tables only.
    let (auto, clock, table) = stored("stochastic-nim-100", None);
    assert!(auto == clock && clock > table, "{auto:?} {clock:?} {table:?}");
    let (auto, clock, _) = stored("pursuit", Some(60));
    assert_eq!(auto, clock);
    let (auto, clock, table) = stored("stochastic-connect-3-4x4", Some(12));
    assert!(auto == table && clock != table, "{auto:?} {clock:?} {table:?}");
}

/// What the tier tells of a game before it is asked to solve it.
#[test]
fn the_choice_is_told() {
    under(Limits::default(), |watch| {
        let choice = |name: &str, horizon, tier| {
            let asked = Question { horizon, ..game(name) };
            let options = Options { tier, threads: Some(1), ..Options::default() };
            let compiled = Game::new(&asked, &options, watch).expect("a game");
            clock_choice(&compiled, &asked, &options, watch)
        };
        let nim = |tier| choice("stochastic-nim-100", None, tier);
        let (expanded, classes) = nim(Tier::Auto).expect("its positions come again");
        assert!(expanded > 50 && classes > 1, "{expanded} positions, {classes} classes");
        assert_eq!(nim(Tier::Clock), nim(Tier::Auto));
        assert_eq!((nim(Tier::Table), nim(Tier::Dense)), (None, None));
        assert_eq!(choice("tic-tac-toe", None, Tier::Auto), None, "it has no clock");
        // A board of which no position is met again: asked for, it is told all the same.
        assert_eq!(choice("stochastic-connect-3-4x4", Some(8), Tier::Auto), None);
        assert!(choice("stochastic-connect-3-4x4", Some(8), Tier::Clock).is_some());
        let (walked, _) = choice("pursuit", Some(60), Tier::Clock).expect("it was asked for");
        let (few, _) = choice("pursuit", Some(1), Tier::Clock).expect("it was asked for");
        assert!(few < walked, "{few} and {walked} positions");
    });
}

/// Bytes are told of every list, and sink where nothing is held.
#[test]
fn what_is_held_is_told_and_grows_with_what_is_reached() {
    let most = |horizon| {
        let asked = Question { horizon: Some(horizon), ..game("stochastic-connect-3-4x4") };
        let options = Options { tier: Tier::Clock, threads: Some(1), ..Options::default() };
        let (told, ended) = told(|watch| Sweep::new(options).judge(&asked, watch));
        let most = told.iter().map(|report| report.bytes).max().expect("a report");
        (most, ended.expect("an answer").counts.states.expect("a count"))
    };
    let (few, many) = (most(5), most(13));
    assert!(many.1 > 10 * few.1, "{few:?} {many:?}");
    // A key, a slot, a row and an edge, at least; lists double, and values and sets come beside.
    let least = 8 + 12 + 8 + 4;
    assert!(many.0 >= least * many.1, "{many:?}");
    assert!(many.0 <= 16 * least * many.1, "{many:?}");
    let more = many.0 - few.0;
    assert!(more > least * (many.1 - few.1) / 2, "{few:?} {many:?}");
}
