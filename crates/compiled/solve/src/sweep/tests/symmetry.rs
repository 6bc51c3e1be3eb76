//! Sweeps that keep one state of each orbit, beside those that keep all.

use exact::Ratio;
use verdict::{Engine, Objective, Question, Verdict};

use super::super::layers::{self, Manner};
use super::super::symmetry::{Reduction, Search};
use super::super::{Sweep, level_tables, plies, start};
use super::sweep;
use crate::game::Game;
use crate::testing::{Limits, game, halt, moves, question, under};
use crate::{Options, Tier};

fn options(symmetry: bool) -> Options {
    Options { symmetry, tier: Tier::Table, ..Options::default() }
}

/// The answers with symmetry and without, which agree in all but what is stored.
fn both(question: &Question, told: Options) -> (Verdict, Verdict) {
    let [few, all] = [true, false].map(|symmetry| sweep(question, Options { symmetry, ..told }));
    assert_eq!(few.value, all.value);
    assert_eq!(moves(&few), moves(&all));
    let counts = |verdict: &Verdict| {
        let counts = verdict.counts;
        (counts.states, counts.decision_states, counts.plies)
    };
    assert_eq!(counts(&few), counts(&all));
    assert_eq!((few.cut, few.simultaneous), (all.cut, all.simultaneous));
    assert!(few.counts.stored <= all.counts.stored);
    (few, all)
}

#[test]
fn one_state_of_each_orbit_gives_the_same_answers() {
    for (name, times) in [
        ("tic-tac-toe", 6),
        ("stochastic-tic-tac-toe-3x3", 6),
        ("connect-3-4x4", 1),
        ("stochastic-connect-3-4x4", 1),
        ("nim-heaps", 1),
        ("penalties", 1),
        ("coin-row", 1),
    ] {
        for objective in [Objective::Win, Objective::Goal] {
            let question = Question { objective, ..game(name) };
            let (few, all) = both(&question, options(true));
            assert!(few.counts.stored * times <= all.counts.stored, "{name}");
            both(&question, Options { fold: false, ..options(true) });
        }
    }
}

#[test]
fn orbits_are_counted_at_a_horizon_too() {
    for name in ["stochastic-tic-tac-toe-3x3", "stochastic-connect-3-4x4", "breakthrough"] {
        for steps in 0..5 {
            both(&Question { horizon: Some(steps), ..game(name) }, options(true));
        }
    }
}

/// Coins that turn by themselves: plies share states, and there is no level.
const COINS: &str = "(role x) (role random)
    (coin 1) (coin 2) (coin 3) (coin 4)
    (init (up 1)) (init (up 2)) (init (up 3)) (init (up 4))
    (<= (legal x (turn ?c)) (coin ?c)) (legal x rest)
    (<= (legal random (shake ?c)) (coin ?c))
    (<= touched (does x (turn ?c)))
    (<= (turned ?c) (does x (turn ?c)) (does random (shake ?d)) (distinct ?c ?d))
    (<= (turned ?d) (does x (turn ?c)) (does random (shake ?d)) (distinct ?c ?d))
    (<= (next (up ?c)) (true (up ?c)) (not (turned ?c)))
    (<= (next (up ?c)) (coin ?c) (not (true (up ?c))) (turned ?c))
    (<= some (true (up ?c)))
    (<= terminal (not some))
    (<= (goal x 100) (not some))
    (<= (goal x 0) some)";

#[test]
fn where_plies_share_states_orbits_are_counted_once() {
    for steps in [1, 4, 9] {
        let question = Question { horizon: Some(steps), ..question(COINS) };
        let (few, all) = both(&question, options(true));
        assert!(2 * few.counts.stored <= all.counts.stored, "{steps} steps");
    }
}

#[test]
fn every_best_move_of_a_symmetric_root_is_shown() {
    let (few, _) = both(&game("tic-tac-toe"), options(true));
    assert_eq!(few.moves.len(), 9);
    let best = few.moves.iter().filter(|first| first.value == few.value).count();
    assert_eq!(best, 9, "every first move draws, and none wins");
    let few = sweep(&game("stochastic-tic-tac-toe-3x3"), options(true));
    assert_eq!(few.moves.len(), 9);
}

#[test]
fn another_start_has_symmetries_of_its_own() {
    let corner = "(cell 1 1 x) (cell 1 2 b) (cell 1 3 b) (cell 2 1 b) (cell 2 2 b) (cell 2 3 b)
        (cell 3 1 b) (cell 3 2 b) (cell 3 3 b) (control o)";
    let side = "(cell 1 1 x) (cell 1 2 o) (cell 1 3 b) (cell 2 1 b) (cell 2 2 b) (cell 2 3 b)
        (cell 3 1 b) (cell 3 2 b) (cell 3 3 b) (control x)";
    for (state, order) in [(corner, 2), (side, 1)] {
        let mut question = game("tic-tac-toe");
        let facts = gdl::read_facts(state, &question.rulebook);
        question.from = Some(facts.expect("a state"));
        both(&question, options(true));
        let compiled =
            under(Limits::default(), |watch| Game::new(&question, &options(true), watch));
        assert_eq!(compiled.expect("a game").symmetry().order, order);
    }
}

#[test]
fn bounds_hold_the_value_with_symmetry_too() {
    let question = game("stochastic-tic-tac-toe-3x3");
    let value = sweep(&question, options(false)).value;
    let told = Options { approximate: true, ..options(true) };
    let halt = halt(under(Limits::default(), |watch| Sweep::new(told).judge(&question, watch)));
    assert!(halt.lower <= value && value <= halt.upper);
    assert!(&halt.upper - &halt.lower < Ratio::new(1_u64, 1_u64 << 50));
}

/// A group that the guesses cut in a way that no mirror keeps leaves the mirror unused.
#[test]
fn what_packed_states_do_not_keep_is_not_used() {
    let question = game("stochastic-tic-tac-toe-3x3");
    under(Limits::default(), |watch| {
        let mut compiled = Game::new(&question, &options(true), watch).expect("a game");
        let used = |compiled: &mut Game| {
            let (expander, _) = start(compiled, &options(true)).ok().expect("a kernel");
            assert!(level_tables(compiled, &*expander).is_some());
            let told = options(true);
            let made = Reduction::new(compiled, &*expander, &question, &told, (false, false));
            matches!(made, Reduction::Now(_))
        };
        assert!(used(&mut compiled));
        // Without the group of one corner, only what leaves this corner alone maps fields to fields.
        let first = |group: &Vec<net::BaseId>| {
            group.iter().any(|base| compiled.net.bases[*base].starts_with("(cell 1 1 "))
        };
        let corner = compiled.guesses.groups.iter().position(first).expect("a group");
        compiled.guesses.groups.remove(corner);
        assert!(used(&mut compiled), "the diagonal is left");
        let weights = &mut compiled.guesses.level.as_mut().expect("a level").0;
        let centre = compiled.net.bases.enumerate().find(|(_, text)| *text == "(cell 1 2 x)");
        weights[centre.expect("a cell").0] += 1;
        assert!(!used(&mut compiled), "the level is not the same on both sides");
    });
}

/// Plies that are there before symmetries are looked for keep all their states.
#[test]
fn symmetries_that_are_found_late_change_only_what_follows() {
    let games = [game("stochastic-tic-tac-toe-3x3"), game("tic-tac-toe")];
    let shared = Question { horizon: Some(9), ..question(COINS) };
    for question in games.into_iter().chain([shared]) {
        let (first, last) = both(&question, options(true));
        let mut stored = Vec::new();
        for after in [1, 20, 300, 3000, 100_000] {
            for fold in [true, false] {
                let found = under(Limits::default(), |watch| {
                    let told = Options { fold, ..options(true) };
                    let mut compiled = Game::new(&question, &told, watch).expect("a game");
                    let (expander, root) = start(&mut compiled, &told).ok().expect("a kernel");
                    let level = level_tables(&compiled, &*expander);
                    let (reader, disjoint) = (expander.fork(), level.is_some());
                    let search = Box::new(Search::of(&compiled));
                    let reduction = Reduction::Later(after, search);
                    let manner = Manner { level, reduction, fold, threads: None };
                    let backend = layers::on_processor(expander, &root, manner).expect("a root");
                    let horizon = question.horizon;
                    let run = plies::Run { reader, backend, disjoint, horizon };
                    run.solve(&mut compiled, &told, watch).ok().expect("an answer")
                });
                assert_eq!((&found.value, moves(&found)), (&last.value, moves(&last)));
                assert_eq!(found.counts.states, last.counts.states, "{after}");
                assert_eq!(found.counts.decision_states, last.counts.decision_states, "{after}");
                if fold {
                    stored.push(found.counts.stored);
                }
            }
        }
        assert!(stored.is_sorted(), "the later, the more is stored: {stored:?}");
        assert!(first.counts.stored <= stored[0] && stored[0] < last.counts.stored);
        assert_eq!(stored.last(), Some(&last.counts.stored));
    }
}
