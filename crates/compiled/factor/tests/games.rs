//! The games of the project taken apart: what is found, and that it is what the network says.

use std::path::Path;

use factor::{Condition, Factored, NOWHERE, Parts, Refusal, check, factor, levels};
use ground::GroundLimits;
use index::{Id, IndexVec};
use net::facts::{guess_level, playouts};
use net::{BaseId, LowerLimits, Net, lower};

fn load(name: &str) -> Net {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../games/{name}.gdl"));
    compiled(name, &std::fs::read_to_string(&path).expect("a game of the project"))
}

fn compiled(name: &str, text: &str) -> Net {
    let reading = gdl::read(gdl::Source::new(name, text), &gdl::ReadOptions::default());
    let rulebook = reading.rulebook.expect("games of the project are in order");
    let ground = ground::ground(&rulebook, &GroundLimits::default()).expect("they ground");
    lower(&ground, &LowerLimits::default()).expect("they lower")
}

/// The first role asks, `random` is chance, all others oppose.
fn parts(net: &Net) -> Parts {
    let mut parts = Parts { asked: Id::from_index(0), opponents: vec![], chance: vec![] };
    for (at, (id, role)) in net.roles.enumerate().enumerate() {
        match (role.name.as_str(), at) {
            ("random", _) => parts.chance.push(id),
            (_, 0) => parts.asked = id,
            _ => parts.opponents.push(id),
        }
    }
    parts
}

fn apart(name: &str) -> (Net, Result<Factored, Refusal>) {
    let net = load(name);
    let groups = net::facts::guess_groups(&net, &playouts(&net, 1, 24, 400).concat());
    let game = factor(&net, &parts(&net), &groups, 32, None);
    (net, game)
}

fn weights(net: &Net) -> (IndexVec<BaseId, i64>, i64) {
    let level = guess_level(net, &playouts(net, 1, 24, 400)).expect("a level");
    (level.weights, level.offset)
}

/// Cut down from a random game (seed 5438): what is painted and what that sets vary, each with the other
/// free, and not together, since play ends before anybody can paint.
const VARIES_ALONE: &str = "
    (plus 0 1 1) (plus 1 1 2) (plus 2 1 3) (late 3) (colour 0) (turn umber 3) (role umber)
    (init (clock 0))
    (<= terminal (not helper0) (true (clock ?n)) (not (true 0)) (late ?n))
    (<= (sets 0) (does umber (paint 0))) (<= (painted 1) (does umber (paint 0)))
    (<= (next 0) (sets 0)) (<= (next ?c) (painted ?c)) (<= helper0 (true 1))
    (<= (legal umber 0) (true (clock ?n)))
    (<= (legal umber (paint ?c)) (colour ?c) (turn umber ?n) (true (clock ?n)))
    (<= (next (clock ?m)) (plus ?n 1 ?m) (true (clock ?n)))";

#[test]
fn parts_that_vary_alone_and_not_together_are_constant() {
    let net = compiled("cut down", VARIES_ALONE);
    let groups = net::facts::guess_groups(&net, &playouts(&net, 1, 24, 400).concat());
    for joined in [1, 32] {
        if let Ok(game) = factor(&net, &parts(&net), &groups, joined, None) {
            assert!(joined == 1 || game.digits.iter().all(|digit| digit.values.len() > 1));
            assert_eq!(check(&game, &net, 3, 40), Ok(()), "joined up to {joined}");
        }
    }
}

/// Games that come apart: kept phases, and the values of each digit.
///
/// A column of connect with height h has 2^h fillings at each height up to 4, so 31; a line of three
/// in a column of four ends the game, so that xxx and ooo take no fourth disc: 27. A cell of
/// tic-tac-toe has 3 values, and three cells are joined.
const APART: &[(&str, usize, &[usize])] = &[
    ("connect-3-4x4", 2, &[27; 4]),
    ("connect-4-4x4", 2, &[31; 4]),
    ("stochastic-connect-3-4x4", 2, &[27; 4]),
    ("stochastic-connect-4-4x4", 2, &[31; 4]),
    ("stochastic-connect-4-5x4", 2, &[31; 5]),
    ("stochastic-tic-tac-toe-3x3", 2, &[27; 3]),
    ("tic-tac-toe", 2, &[27; 3]),
];

#[test]
fn boards_come_apart_into_columns_and_cells() {
    for (name, phases, sizes) in APART {
        let (net, game) = apart(name);
        let game = game.unwrap_or_else(|why| panic!("{name}: {}", why.0));
        let found: Vec<usize> = game.digits.iter().map(|digit| digit.values.len()).collect();
        assert_eq!((game.phases.len(), &found[..]), (*phases, *sizes), "{name}");
        let steps = if name.starts_with("stochastic") { 2 } else { 1 };
        let mut pairs = game.phases.iter().flat_map(|phase| &phase.pairs);
        assert!(pairs.all(|pair| pair.steps == steps && !pair.outcomes.is_empty()), "{name}");
        assert_eq!(check(&game, &net, 3, 40), Ok(()), "{name}");
        let (weights, offset) = weights(&net);
        let proven = levels(&game, &weights, offset).expect("the level is right");
        assert_eq!(proven.digits.len(), sizes.len(), "{name}");
    }
}

#[test]
fn a_toss_of_equal_faces_is_one_outcome_with_its_weight() {
    let (_, game) = apart("stochastic-connect-4-4x4");
    let game = game.expect("it comes apart");
    for pair in game.phases.iter().flat_map(|phase| &phase.pairs) {
        let mut weights: Vec<u32> = pair.outcomes.iter().map(|outcome| outcome.weight).collect();
        weights.sort_unstable();
        assert_eq!((weights, pair.total), (vec![1, 3], 4), "other and own, by hand");
    }
}

#[test]
fn tables_ascend_and_digits_are_disjoint() {
    for (name, _, _) in APART {
        let (net, game) = apart(name);
        let game = game.expect("it comes apart");
        let mut seen = vec![false; net.bases.len()];
        for digit in &game.digits {
            for base in &digit.bases {
                assert!(!std::mem::replace(&mut seen[base.index()], true), "{name}: {base}");
            }
            for (from, to) in digit.maps.iter().flat_map(|map| map.iter().enumerate()) {
                assert!(*to == NOWHERE || (from as u32) < *to, "{name}: {from} to {to}");
            }
        }
    }
}

#[test]
fn games_without_digits_are_refused_with_a_reason() {
    let reasons = [
        ("pig-5", "a part of a state can come back to a value"),
        ("breakthrough", "a part of a state can come back to a value"),
        ("penalties", "both sides choose in one step"),
        ("stochastic-nim-20", "there are too many phases"),
        ("race", "the parts of a state have too many values"),
    ];
    for (name, reason) in reasons {
        assert_eq!(apart(name).1.err(), Some(Refusal(reason)), "{name}");
    }
}

/// Faults that are planted on purpose: the second look must see each.
#[test]
fn planted_faults_are_caught() {
    let (net, right) = apart("stochastic-tic-tac-toe-3x3");
    let right = right.expect("it comes apart");
    assert_eq!(check(&right, &net, 5, 200), Ok(()));
    let caught = |what: &str, plant: &dyn Fn(&mut Factored)| {
        let mut wrong = right.clone();
        plant(&mut wrong);
        assert!(check(&wrong, &net, 5, 200).is_err(), "{what} was not caught");
    };
    caught("a table's entry", &|game| {
        let map = &mut game.digits[0].maps[0];
        let last = map.iter().rposition(|to| *to != NOWHERE).expect("an entry");
        let other = map.iter().copied().find(|to| *to != NOWHERE && *to != map[last]);
        map[last] = other.expect("another value");
    });
    caught("a table for another", &|game| game.digits[1].maps.swap(0, 1));
    caught("a weight", &|game| game.phases[0].pairs[3].outcomes[0].weight += 1);
    caught("a table without an entry", &|game| game.digits[2].maps[0].fill(NOWHERE));
    caught("a value", &|game| game.digits[0].values.swap(1, 2));
    caught("a phase after a move", &|game| game.phases[0].pairs[0].outcomes[0].phase = 0);
    caught("a move that is always legal", &|game| game.phases[1].pairs[4].legal.clear());
    caught("a move that is never legal", &|game| {
        game.phases[0].pairs[2].legal = vec![Condition::Digit(0, vec![false; 27])];
    });
}

#[test]
fn a_level_that_is_not_one_is_refused() {
    let (net, game) = apart("connect-3-4x4");
    let game = game.expect("it comes apart");
    let (weights, offset) = weights(&net);
    assert!(levels(&game, &weights, offset).is_some());
    assert!(levels(&game, &weights, offset + 1).is_none(), "the start is at step 0");
    for changed in net.bases.ids() {
        let bent = weights.enumerate().map(|(base, weight)| weight + i64::from(base == changed));
        assert!(levels(&game, &bent.collect(), offset).is_none(), "{changed}");
    }
}
