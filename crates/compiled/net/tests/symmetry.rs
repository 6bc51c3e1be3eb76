//! Symmetries of the project's games: found without being told, true of play, and refused where
//! they are planted.

use std::path::Path;

use gdl::RoleId;
use ground::GroundLimits;
use index::{Id, IndexVec};
use net::facts::playouts;
use net::symmetry::{Automorphism, elements, find, prove};
use net::{BaseId, InputId, LowerLimits, Net, State, interpret, lower, parse_net};

/// How many automorphisms there are: of a square, of columns, of heaps that can be exchanged.
const ORDERS: &[(&str, u128)] = &[
    ("tic-tac-toe", 8),
    ("stochastic-tic-tac-toe-3x3", 8),
    ("connect-3-4x4", 2),
    ("connect-4-4x4", 2),
    ("stochastic-connect-3-4x4", 2),
    ("stochastic-connect-4-4x4", 2),
    ("stochastic-connect-4-5x4", 2),
    ("breakthrough", 2),
    ("stochastic-nim-20", 1),
];

fn game(name: &str) -> Net {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../games");
    let text = std::fs::read_to_string(folder.join(format!("{name}.gdl"))).expect("a game");
    let source = gdl::Source::new(name, &text);
    let reading = gdl::read(source, &gdl::ReadOptions::default());
    let rulebook = reading.rulebook.expect("games of the project are in order");
    let ground = ground::ground(&rulebook, &GroundLimits::default()).expect("they ground");
    lower(&ground, &LowerLimits::default()).expect("they lower")
}

/// The first role is asked about.
fn asked() -> RoleId {
    RoleId::from_index(0)
}

fn identity(net: &Net) -> Automorphism {
    Automorphism { bases: net.bases.ids().collect(), inputs: net.inputs.ids().collect() }
}

fn image(state: &State, found: &Automorphism) -> State {
    state.iter().map(|base| found.bases[base]).collect()
}

/// Plays at random, and looks at each state from both sides.
fn holds_in_play(net: &Net, found: &Automorphism) {
    for play in playouts(net, 3, 4, 40) {
        for state in &play {
            let (here, there) =
                (interpret::view(net, state), interpret::view(net, &image(state, found)));
            assert_eq!(here.terminal, there.terminal);
            assert_eq!(here.goals[asked()], there.goals[asked()]);
            for (input, legal) in here.legal.enumerate() {
                assert_eq!(*legal, there.legal[found.inputs[input]]);
            }
            let first = |role: &net::NetRole| {
                role.inputs.clone().map(InputId::from_index).find(|input| here.legal[*input])
            };
            let joint: Option<Vec<InputId>> = net.roles.iter().map(first).collect();
            if let Some(joint) = joint.filter(|_| !here.terminal) {
                let moved: Vec<InputId> = joint.iter().map(|input| found.inputs[*input]).collect();
                let next = interpret::update(net, state, &joint);
                let beside = interpret::update(net, &image(state, found), &moved);
                assert_eq!(image(&next, found), beside);
            }
        }
    }
}

#[test]
fn symmetries_of_boards_are_found_and_hold_in_play() {
    for &(name, order) in ORDERS {
        let net = game(name);
        let found = find(&net, asked());
        assert!(found.is_complete, "{name}");
        assert_eq!(found.order, order, "{name}");
        let all = elements(net.bases.len(), &found.generators, 48);
        assert_eq!(all.len() as u128, order, "{name}");
        for generator in &found.generators {
            assert_eq!(prove(&net, asked(), generator), Ok(()), "{name}");
            holds_in_play(&net, generator);
        }
    }
}

#[test]
fn exchanging_two_propositions_alone_is_no_symmetry() {
    let net = game("tic-tac-toe");
    let generator = find(&net, asked()).generators.swap_remove(0);
    for beside in [identity(&net), generator] {
        assert_eq!(prove(&net, asked(), &beside), Ok(()));
        for one in net.bases.ids() {
            for other in net.bases.ids().filter(|other| one < *other) {
                let mut planted = beside.clone();
                planted.bases[one] = beside.bases[other];
                planted.bases[other] = beside.bases[one];
                assert!(prove(&net, asked(), &planted).is_err(), "{one} {other}");
            }
        }
        for one in net.inputs.ids() {
            for other in net.inputs.ids().filter(|other| one < *other) {
                let mut planted = beside.clone();
                planted.inputs[one] = beside.inputs[other];
                planted.inputs[other] = beside.inputs[one];
                assert!(prove(&net, asked(), &planted).is_err(), "{one} {other}");
            }
        }
    }
}

/// Two cells that are marked by moves of their own; each line planted below makes them differ.
fn twins(changed: &[(&str, &str)]) -> Net {
    let mut text = "role \"x\"\ni0 \"a\"\ni1 \"b\"\nb0 \"p\"\nb1 \"q\"\n\
        g10 = not b0\ng11 = not b1\ng12 = and b0 b1\ng13 = or b0 i0\ng14 = or b1 i1\n\
        legal i0 = g10\nlegal i1 = g11\nterminal = g12\ngoal r0 100 = g12\n\
        next b0 = g13\nnext b1 = g14\n"
        .to_owned();
    for (from, to) in changed {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    parse_net(&text).expect("a network")
}

#[test]
fn a_difference_anywhere_is_seen() {
    let exchange = Automorphism {
        bases: [1, 0].into_iter().map(BaseId::from_index).collect(),
        inputs: [1, 0].into_iter().map(InputId::from_index).collect(),
    };
    let same = twins(&[]);
    assert_eq!(prove(&same, asked(), &exchange), Ok(()));
    assert_eq!(find(&same, asked()).generators, std::slice::from_ref(&exchange));
    let fault = |from: &str, to: &str| {
        let net = twins(&[(from, to)]);
        assert_eq!(find(&net, asked()).order, 1, "{to}");
        prove(&net, asked(), &exchange).expect_err("a difference")
    };
    assert!(fault("b0 \"p\"", "b0 \"p\" init").contains("initial state"));
    assert!(fault("legal i0 = g10", "legal i0 = true").contains("legality"));
    assert!(fault("next b1 = g14", "next b1 = b0").contains("no image"));
    assert!(
        fault("next b0 = g13\nnext b1 = g14", "next b0 = b1\nnext b1 = b1").contains("successor")
    );
    assert!(fault("terminal = g12", "terminal = b0").contains("end of the game"));
    assert!(fault("goal r0 100 = g12", "goal r0 100 = b1").contains("goal 100"));
    assert!(fault("goal r0 100 = g12", "goal r0 50 = b1\ngoal r0 100 = g12").contains("goal 50"));
    assert!(fault("i1 \"b\"", "role \"o\"\ni1 \"b\"").contains("another role's"));
    let mut half = exchange.clone();
    half.inputs = same.inputs.ids().collect();
    assert!(prove(&same, asked(), &half).is_err());
    half.bases = [0, 0].into_iter().map(BaseId::from_index).collect();
    assert_eq!(prove(&same, asked(), &half), Err("propositions are not permuted".to_owned()));
}

/// `count` coins, each turned by a move of its own; over when all are turned.
/// Beside them stand some propositions that nothing reads and nothing changes.
fn coins(count: usize) -> Net {
    let mut text = String::from("role \"x\"\n");
    (0..count).for_each(|coin| text += &format!("i{coin} \"(turn {coin})\"\n"));
    (0..count).for_each(|coin| text += &format!("b{coin} \"(turned {coin})\"\n"));
    (count..count + 5).for_each(|idle| text += &format!("b{idle} \"(wall {idle})\" init\n"));
    (count..count + 3).for_each(|idle| text += &format!("next b{idle} = b{idle}\n"));
    (count + 3..count + 5).for_each(|idle| text += &format!("next b{idle} = true\n"));
    for coin in 0..count {
        text += &format!("g{} = not b{coin}\nlegal i{coin} = g{}\n", 100 + coin, 100 + coin);
        text += &format!("g{} = or b{coin} i{coin}\n", 200 + coin);
        text += &format!("next b{coin} = g{}\n", 200 + coin);
    }
    let all: Vec<String> = (0..count).map(|coin| format!("b{coin}")).collect();
    text += &format!("g300 = and {}\nterminal = g300\ngoal r0 100 = g300\n", all.join(" "));
    parse_net(&text).expect("a network")
}

#[test]
fn pieces_that_can_be_exchanged_make_a_large_group_of_which_a_part_is_listed() {
    let net = coins(6);
    let found = find(&net, asked());
    assert_eq!((found.order, found.is_complete), (720, true));
    let part = elements(net.bases.len(), &found.generators, 48);
    assert!((12..=48).contains(&part.len()), "{}", part.len());
    for idle in net.bases.ids().skip(6) {
        let stays = |generator: &Automorphism| generator.bases[idle] == idle;
        assert!(found.generators.iter().all(stays), "{idle} never changes");
    }
    let all = elements(net.bases.len(), &found.generators, 720);
    assert_eq!(all.len(), 720);
    for one in &part {
        for other in &part {
            let product: IndexVec<BaseId, BaseId> = one.iter().map(|base| other[*base]).collect();
            assert!(part.contains(&product), "a group is closed");
        }
    }
    assert!(found.generators[0].text(&net).contains("<->"), "{}", found.generators[0].text(&net));
}

/// Conjunctions of thousands, each within the next: flat, they would have more members than is allowed.
#[test]
fn what_would_be_too_large_in_normal_form_is_left() {
    const WIDTH: usize = 4000;
    let net = |chain: usize| {
        let bases: String = (0..WIDTH + chain).map(|at| format!("b{at} \"p{at}\"\n")).collect();
        let all: String = (0..WIDTH).map(|at| format!(" b{at}")).collect();
        let mut text = format!("role \"x\"\ni0 \"a\"\n{bases}legal i0 = true\ng20000 = and{all}\n");
        for at in 0..chain {
            let (before, base) = (20_000 + at, WIDTH + at);
            text.push_str(&format!("g{} = and g{before} b{base}\n", before + 1));
            text.push_str(&format!("next b{base} = g{}\n", before + 1));
        }
        parse_net(&text).expect("a network")
    };
    for (chain, is_complete) in [(2, true), (80, false)] {
        let found = find(&net(chain), asked());
        assert_eq!((found.order, found.is_complete), (1, is_complete), "{chain}");
    }
}
