//! The clock of games, beside networks specialised anew for each of its steps.

use std::path::Path;
use std::sync::Arc;

use ground::GroundLimits;
use index::{Id, IdSet};
use net::facts::{Clock, clock_bases, playouts};
use net::random::Random;
use net::{BaseId, Gate, GateId, Gates, LowerLimits, Net, Substitution, lower, support};
use rustc_hash::FxHashMap;

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

fn outside(net: &Net) -> IdSet<BaseId> {
    let clock = clock_bases(net);
    net.bases.ids().filter(|base| !clock.contains(*base)).collect()
}

fn names(net: &Net, bases: impl IntoIterator<Item = BaseId>) -> Vec<String> {
    bases.into_iter().map(|base| net.bases[base].clone()).collect()
}

/// The outputs of the asked role, and the successors of `outside`, where the clock holds this.
fn specialised(
    net: &Net,
    arena: &mut Gates,
    clock: &IdSet<BaseId>,
    holds: &[BaseId],
    outside: &IdSet<BaseId>,
) -> Vec<GateId> {
    let mut roots = vec![net.terminal];
    let asked = net.roles.ids().next().expect("a role");
    roots.extend(net.roles[asked].goals.iter().map(|(_, gate)| *gate));
    roots.extend(net.legal.iter().copied());
    roots.extend(outside.iter().map(|base| net.next[base]));
    let mut leaf = |gate: Gate| match gate {
        Gate::Base(base) if clock.contains(base) => {
            Some(if holds.contains(&base) { Gates::TRUE } else { Gates::FALSE })
        }
        _ => None,
    };
    Substitution::new().rebuild(&net.gates, &roots, arena, &mut leaf)
}

/// Runs the clock, and holds classes and states to what specialising anew says; how many classes.
fn follow(net: &Net, outside: &IdSet<BaseId>, steps: usize) -> usize {
    let bases = clock_bases(net);
    let asked = net.roles.ids().next().expect("a role");
    let mut clock = Clock::new(Arc::new(net.clone()), asked, outside);
    let (mut arena, mut classes, mut states) =
        (Gates::new(), FxHashMap::default(), FxHashMap::default());
    let mut holds: Vec<BaseId> =
        net.init.iter().copied().filter(|base| bases.contains(*base)).collect();
    for step in 0..steps {
        assert_eq!(clock.holds(), holds, "step {step}");
        let shown = specialised(net, &mut arena, &bases, &holds, outside);
        let fresh = classes.len();
        assert_eq!(clock.class(), *classes.entry(shown).or_insert(fresh), "step {step}");
        let fresh = states.len();
        assert_eq!(clock.state(), *states.entry(holds.clone()).or_insert(fresh), "step {step}");
        let next = |base: &BaseId| {
            let mut leaf = |gate: Gate| match gate {
                Gate::Base(base) => {
                    Some(if holds.contains(&base) { Gates::TRUE } else { Gates::FALSE })
                }
                _ => None,
            };
            let root = [net.next[*base]];
            Substitution::new().rebuild(&net.gates, &root, &mut Gates::new(), &mut leaf)[0]
        };
        holds = bases.iter().filter(|base| next(base) == Gates::TRUE).collect();
        assert!(clock.tick(), "a small network");
    }
    classes.len()
}

#[test]
fn games_have_the_clocks_that_their_rules_say() {
    let nim = game("stochastic-nim-20.gdl");
    let held = names(&nim, clock_bases(&nim).iter());
    assert_eq!(held.iter().filter(|name| name.starts_with("(turn")).count(), 41);
    assert_eq!(held.iter().filter(|name| name.starts_with("(control")).count(), 3);
    assert!(held.iter().all(|name| !name.starts_with("(pile")), "{held:?}");
    // Who moves, whether chance does, by whom the pile was taken from, and that it is over.
    let classes = follow(&nim, &outside(&nim), 81);
    assert!((4..=8).contains(&classes), "{classes}");
    let pig = game("pig-5.gdl");
    assert!(outside(&pig).len() + clock_bases(&pig).len() == pig.bases.len());
    follow(&pig, &outside(&pig), 20);
    let tic_tac_toe = game("tic-tac-toe.gdl");
    assert_eq!(follow(&tic_tac_toe, &outside(&tic_tac_toe), 12), 2);
}

#[test]
fn nothing_of_a_clock_is_read_from_the_rest_or_changed_by_a_move() {
    for name in ["stochastic-nim-20.gdl", "pursuit.gdl", "reroll.gdl", "race.gdl"] {
        let net = game(name);
        let clock = clock_bases(&net);
        for base in clock.iter() {
            let (bases, inputs) = support(&net.gates, &[net.next[base]]);
            assert!(inputs.is_empty() && bases.iter().all(|base| clock.contains(*base)), "{name}");
        }
        // In plays the clock is where its steps say.
        let rest = outside(&net);
        let asked = net.roles.ids().next().expect("a role");
        for play in playouts(&net, 7, 20, 60) {
            let mut told = Clock::new(Arc::new(net.clone()), asked, &rest);
            for state in play {
                let held: Vec<BaseId> = state.iter().filter(|base| clock.contains(*base)).collect();
                assert_eq!(told.holds(), held, "{name}");
                assert!(told.tick());
            }
        }
    }
}

/// Clocks of random gates over a counter of `members` values and some flags, with outputs that read
/// other propositions and moves too.
#[test]
fn steps_are_of_one_class_only_where_all_outputs_are_equal() {
    let mut random = Random::new(77);
    let mut met = FxHashMap::<usize, usize>::default();
    for round in 0..300 {
        let mut net = game("coin-guess.gdl");
        let inputs = net.inputs.len();
        let (clocks, free) = (3 + random.below(5), 2 + random.below(3));
        net.bases = (0..clocks + free).map(|at| format!("(p {at})")).collect();
        let mut gates = Gates::new();
        let mut nodes: Vec<GateId> =
            (0..clocks).map(|at| gates.base(BaseId::from_index(at))).collect();
        let grow = |gates: &mut Gates, nodes: &mut Vec<GateId>, random: &mut Random, more| {
            for _ in 0..more {
                let (left, right) =
                    (nodes[random.below(nodes.len())], nodes[random.below(nodes.len())]);
                nodes.push(match random.below(3) {
                    0 => gates.not(left),
                    1 => gates.and(left, right),
                    _ => gates.or(left, right),
                });
            }
        };
        grow(&mut gates, &mut nodes, &mut random, 12);
        let mut next: Vec<GateId> = (0..clocks).map(|_| nodes[random.below(nodes.len())]).collect();
        nodes.extend((clocks..clocks + free).map(|at| gates.base(BaseId::from_index(at))));
        nodes.extend((0..inputs).map(|at| gates.does(net::InputId::from_index(at))));
        let moved = *nodes.last().expect("a move");
        grow(&mut gates, &mut nodes, &mut random, 25);
        for _ in 0..free {
            // A move changes it, whatever else does.
            let other = nodes[random.below(nodes.len())];
            let (both, either) = (gates.and(moved, other), gates.or(moved, other));
            next.push(if random.below(2) == 0 { both } else { either });
        }
        net.next = next.into_iter().collect();
        let pick = |random: &mut Random| nodes[random.below(clocks + 12)];
        net.terminal = pick(&mut random);
        net.legal = (0..inputs).map(|_| pick(&mut random)).collect();
        net.roles.iter_mut().for_each(|role| role.goals.truncate(1));
        net.roles
            .iter_mut()
            .for_each(|role| role.goals.iter_mut().for_each(|goal| goal.1 = net.terminal));
        net.init = (0..clocks).filter(|_| random.below(2) == 0).map(BaseId::from_index).collect();
        net.gates = gates;
        let mut rest = outside(&net);
        if round % 3 == 0 {
            // A proposition of the clock that is kept with the rest.
            rest.insert(BaseId::from_index(0));
        }
        *met.entry(follow(&net, &rest, 30)).or_default() += 1;
    }
    assert!(met.len() > 3, "clocks of few and of many classes: {met:?}");
}
