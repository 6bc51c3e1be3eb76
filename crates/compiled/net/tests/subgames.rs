//! Which games come apart, and into which parts.

use std::path::Path;

use gdl::RoleId;
use ground::GroundLimits;
use net::facts::{Subgame, subgames};
use net::{LowerLimits, Net, lower};

fn lowered(text: &str) -> Net {
    let reading = gdl::read(gdl::Source::new("game.gdl", text), &gdl::ReadOptions::default());
    let rulebook = reading.rulebook.expect("it is in order");
    let ground = ground::ground(&rulebook, &GroundLimits::default()).expect("it grounds");
    lower(&ground, &LowerLimits::default()).expect("it lowers")
}

fn game(name: &str) -> Net {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../games").join(name);
    lowered(&std::fs::read_to_string(path).expect("a game of the project"))
}

/// The parts, for the first role, with the roles named `random` as chance.
fn parts(net: &Net) -> Vec<Subgame> {
    let chance: Vec<RoleId> =
        net.roles.ids().filter(|role| net.roles[*role].name.starts_with("random")).collect();
    let parts = subgames(net, net.roles.ids().next().expect("a role"), &chance);
    let mut bases: Vec<_> = parts.iter().flat_map(|part| part.bases.clone()).collect();
    bases.sort_unstable();
    bases.dedup();
    let held: usize = parts.iter().map(|part| part.bases.len()).sum();
    assert_eq!(bases.len(), held, "no proposition lies in two parts");
    parts
}

/// A line for each part: its propositions, its moves, and `idle` where it does not count.
fn told(net: &Net) -> Vec<String> {
    let names = |part: &Subgame| {
        let bases = part.bases.iter().map(|base| net.bases[*base].as_str());
        let inputs = part.inputs.iter().map(|input| net.inputs[*input].as_str());
        let idle = if part.counts { "" } else { "idle" };
        let all: Vec<&str> = bases.chain(["|"]).chain(inputs).chain([idle]).collect();
        all.join(" ").trim_end().to_owned()
    };
    parts(net).iter().map(names).collect()
}

#[test]
fn heaps_are_apart_and_boards_are_not() {
    let net = game("nim-heaps.gdl");
    let heaps = parts(&net);
    let sizes: Vec<usize> = heaps.iter().map(|heap| heap.bases.len()).collect();
    assert_eq!(sizes.iter().sum::<usize>(), 2 + 6 + 5 + 3, "{:?}", told(&net));
    assert_eq!(heaps.len(), 4);
    assert!(heaps.iter().all(|heap| heap.counts && !heap.inputs.is_empty()));
    for name in ["tic-tac-toe.gdl", "connect-3-4x4.gdl", "stochastic-nim-20.gdl", "pig-5.gdl"] {
        assert_eq!(parts(&game(name)).len(), 1, "{name}");
    }
}

/// Two lamps that x and o switch in turns, a coin that nobody reads, and a count of steps.
const LAMPS: &str = "
    (role x) (role o) (role random) (init (step 0)) (init (turn x))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (other x o) (other o x) (lamp a) (lamp b)
    (<= (legal ?p (switch ?l)) (true (turn ?p)) (lamp ?l))
    (<= (legal ?p wait) (role ?p) (distinct ?p random) (not (true (turn ?p))))
    (legal random heads) (legal random tails)
    (<= (next (lit ?l)) (does ?p (switch ?l)) (not (true (lit ?l))))
    (<= (switched ?l) (does ?p (switch ?l)))
    (<= (next (lit ?l)) (true (lit ?l)) (not (switched ?l)))
    (<= (next (coin)) (does random heads))
    (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 4)))
    (<= (goal x 100) won) (<= (goal x 0) (not won)) (goal o 0)";

#[test]
fn what_is_paid_joins_parts_below_its_topmost_junction() {
    let with = |rules: &str| told(&lowered(&format!("{LAMPS} {rules}")));
    let all = with("(<= won (true (lit a)) (true (lit b)))");
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all.iter().filter(|part| part.contains("lit")).all(|part| !part.contains("idle")));
    assert!(all.iter().any(|part| part.contains("coin") && part.ends_with("idle")), "{all:?}");
    // One of two: a junction as well.
    assert_eq!(with("(<= won (true (lit a))) (<= won (not (true (lit b))))").len(), 3);
    // A junction under a negation is one of the other kind: of a row of conditions, or none of it.
    let dark = "(<= some (true (lit a))) (<= some (true (lit b)))";
    assert_eq!(with(&format!("{dark} (<= won (true (step 4)) (not some))")).len(), 3);
    let both = "(<= some (true (lit a)) (true (lit b)))";
    assert_eq!(with(&format!("{both} (<= won (true (step 4)) (not some))")).len(), 2);
    // Exactly one of both: two conditions, each of which reads both.
    let one = with(
        "(<= won (true (lit a)) (not (true (lit b)))) (<= won (true (lit b)) (not (true (lit a))))",
    );
    assert_eq!(one.len(), 2, "{one:?}");
    let a_alone = with("(<= won (true (lit a)))");
    assert_eq!(a_alone.iter().filter(|part| part.contains("idle")).count(), 2, "{a_alone:?}");
}

#[test]
fn what_successors_and_legal_moves_read_is_one_part() {
    let won = "(<= won (true (lit a)) (true (lit b)))";
    let with = |old: &str, new: &str| {
        assert!(LAMPS.contains(old), "{old}");
        told(&lowered(&format!("{} {won}", LAMPS.replace(old, new))))
    };
    let legal = "(<= (legal ?p (switch ?l)) (true (turn ?p)) (lamp ?l))";
    // The second lamp can be switched while the first is lit.
    let bound = "(<= (legal ?p (switch a)) (true (turn ?p)))
        (<= (legal ?p (switch b)) (true (turn ?p)) (true (lit a)))";
    assert_eq!(with(legal, bound).len(), 2);
    // The coin lights the first lamp.
    let coin = "(<= (next (coin)) (does random heads))";
    let lights = "(<= (next (coin)) (does random heads)) (<= (next (lit a)) (does random heads))";
    let parts = with(coin, lights);
    assert_eq!(parts.len(), 2, "{parts:?}");
    assert!(parts.iter().any(|part| part.contains("coin") && part.contains("lit a")));
}

#[test]
fn chance_whose_moves_depend_on_a_part_joins_all_that_it_moves() {
    let won = "(<= won (true (lit a)) (true (lit b)))";
    let coin = "(<= (next (coin)) (does random heads))";
    let lights = "(<= (next (coin)) (does random heads)) (<= (next (lit a)) (does random both))
        (<= (next (lit b)) (does random tails))";
    let moves = "(legal random heads) (legal random tails)";
    let of = |extra: &str| {
        let sheet = LAMPS.replace(coin, lights).replace(moves, &format!("{moves} {extra}"));
        told(&lowered(&format!("{sheet} {won}"))).len()
    };
    // All is legal always: each part has moves of its own.
    assert_eq!(of("(legal random both)"), 3);
    assert_eq!(of("(<= (legal random both) (true (step 2)))"), 3, "the clock tells");
    // What tails does becomes less likely where the first lamp is lit.
    assert_eq!(of("(<= (legal random both) (true (lit a)))"), 1);
}
