//! The plane kernel against the network's interpreter, on random games.

mod work;

use std::collections::BTreeSet;
use std::sync::Arc;

use index::Id;
use net::random::Random;
use net::{BaseId, InputId};

use crate::check::check_expansion;
use crate::sample::{Sample, Shape, casting, sample};
use crate::{BLOCK_LANES, Expander, Expansion, FlawKind, Isa, PlaneKernel};

fn kernel(game: &Sample, groups: &[Vec<BaseId>]) -> PlaneKernel {
    PlaneKernel::new(game.net.clone(), casting(&game.net), groups, &[]).expect("few joint moves")
}

/// States reached from the start, at most `limit`, found by expanding block after block.
fn reach(kernel: &mut dyn Expander, game: &Sample, limit: usize) -> Vec<u64> {
    let words = kernel.words();
    let start = kernel.pack(&game.net.init).expect("the initial state keeps the groups");
    let mut seen = BTreeSet::from([start.clone()]);
    let (mut keys, mut from) = (start, 0);
    let mut out = Expansion::default();
    while from < keys.len() && seen.len() < limit {
        let to = keys.len().min(from + BLOCK_LANES * words);
        let block = keys[from..to].to_vec();
        kernel.expand(&block, true, &mut out).expect("a well-formed game");
        check_expansion(&game.net, &casting(&game.net), kernel, &block, &out).unwrap();
        for child in out.children.chunks(words) {
            if seen.insert(child.to_vec()) {
                keys.extend_from_slice(child);
            }
        }
        from = to;
    }
    keys
}

#[test]
fn expansions_of_random_games_are_right_in_every_lane() {
    let mut random = Random::new(11);
    let mut states = 0;
    for round in 0..60 {
        let game = sample(&Shape::small(&mut random), &mut random);
        let mut kernel = kernel(&game, &game.groups);
        if round % 3 == 0 {
            kernel = kernel.with_isa(Isa::PORTABLE);
        }
        match round % 4 {
            0 => kernel.limit_specialised(round % 5, 0),
            1 => {}
            _ => kernel.limit_specialised(1000, round as u32 % 2),
        }
        states += reach(&mut kernel, &game, 150).len();
    }
    assert!(states > 1000, "the games are not trivial: {states} states");
}

#[test]
fn blocks_of_every_width_agree_with_the_interpreter() {
    let mut random = Random::new(12);
    let shape = Shape { groups: vec![9, 15, 3], raw: 6, moves: vec![3, 4, 4], gates: 60 };
    for _ in 0..8 {
        let game = sample(&shape, &mut random);
        let mut kernel = kernel(&game, &game.groups);
        kernel.limit_specialised(1000, 1);
        let mut out = Expansion::default();
        for count in [1, 2, 63, 65, 200, 500, 1024] {
            let keys: Vec<u64> =
                (0..count).flat_map(|_| random_key(&kernel, &game, &mut random)).collect();
            kernel.expand(&keys, true, &mut out).expect("a well-formed game");
            check_expansion(&game.net, &casting(&game.net), &kernel, &keys, &out).unwrap();
        }
    }
}

/// The key of a random state that keeps the groups.
fn random_key(kernel: &PlaneKernel, game: &Sample, random: &mut Random) -> Vec<u64> {
    let grouped: BTreeSet<BaseId> = game.groups.iter().flatten().copied().collect();
    let start = kernel.unpack(&kernel.pack(&game.net.init).expect("packs"));
    loop {
        let raw = game.net.bases.ids().filter(|base| !grouped.contains(base));
        let mut state: Vec<BaseId> = raw.filter(|_| random.below(2) == 0).collect();
        state.extend(game.groups.iter().map(|group| group[random.below(group.len())]));
        state.sort_unstable();
        if let Some(key) = kernel.pack(&state) {
            assert_eq!(kernel.unpack(&key), state);
            return key;
        }
        if random.below(1000) == 0 {
            return kernel.pack(&start).expect("packs");
        }
    }
}

#[test]
fn without_children_everything_else_is_the_same() {
    let mut random = Random::new(13);
    for _ in 0..20 {
        let game = sample(&Shape::small(&mut random), &mut random);
        let mut kernel = kernel(&game, &game.groups);
        let keys = reach(&mut kernel, &game, 100);
        let block = &keys[..keys.len().min(BLOCK_LANES * kernel.words())];
        let (mut with, mut without) = (Expansion::default(), Expansion::default());
        kernel.expand(block, true, &mut with).expect("a well-formed game");
        kernel.fork().expand(block, false, &mut without).expect("a well-formed game");
        assert!(without.children.is_empty());
        assert_eq!(with.joints.len(), without.joints.len());
        for (a, b) in with.joints.iter().zip(&without.joints) {
            assert_eq!((a.mask, a.asked, a.opponents), (b.mask, b.asked, b.opponents));
            assert_eq!(
                (a.weight, a.last_of_pair, a.last_of_asked),
                (b.weight, b.last_of_pair, b.last_of_asked)
            );
        }
    }
}

#[test]
fn a_wrong_group_is_found_in_the_child_that_breaks_it() {
    let mut random = Random::new(14);
    let mut broken = 0;
    for _ in 0..40 {
        let shape = Shape { groups: vec![3], raw: 4, ..Shape::small(&mut random) };
        let game = sample(&shape, &mut random);
        let guess = vec![game.groups[0].clone(), (0..3).map(BaseId::from_index).collect()];
        let mut kernel = kernel(&game, &guess);
        let Some(start) = kernel.pack(&game.net.init) else { continue };
        let (mut out, mut next) = (Expansion::default(), start);
        for _ in 0..20 {
            match kernel.expand(&next, true, &mut out) {
                Err(flaw) => {
                    assert_eq!(flaw.kind, FlawKind::GuessBroken(1));
                    broken += 1;
                    break;
                }
                Ok(()) if out.children.is_empty() => break,
                Ok(()) => {
                    check_expansion(&game.net, &casting(&game.net), &kernel, &next, &out).unwrap();
                    let at = random.below(out.children.len() / kernel.words()) * kernel.words();
                    next = out.children[at..at + kernel.words()].to_vec();
                }
            }
        }
    }
    assert!(broken > 5, "some guesses break: {broken}");
}

#[test]
fn equal_chance_moves_are_merged_and_their_weights_add() {
    let mut random = Random::new(15);
    let shape = Shape { groups: vec![], raw: 4, moves: vec![2, 2, 5], gates: 30 };
    let game = sample(&shape, &mut random);
    // Moves 6 and 8 of chance are replaced by copies of move 5's effect.
    let mut net = (*game.net).clone();
    let (five, six, eight) = (id(5), id(6), id(8));
    let mut memory = net::Substitution::new();
    let any = {
        let parts = [net.gates.does(five), net.gates.does(six), net.gates.does(eight)];
        net.gates.any(&parts)
    };
    let roots = net.next.as_slice().to_vec();
    net.next = memory
        .rebuild_within(&mut net.gates, &roots, &mut |gate| match gate {
            net::Gate::Does(input) if input == five => Some(any),
            net::Gate::Does(input) if input == six || input == eight => Some(net::Gates::FALSE),
            _ => None,
        })
        .into();
    net.terminal = net::Gates::FALSE;
    [five, six].into_iter().for_each(|input| net.legal[input] = net::Gates::TRUE);
    let game = Sample { net: Arc::new(net), groups: vec![] };
    let classes = vec![vec![vec![five, six, eight]]];
    let parts = casting(&game.net);
    let mut merged = PlaneKernel::new(game.net.clone(), parts, &[], &classes).expect("few moves");
    let keys = reach(&mut merged, &game, 100);
    let mut out = Expansion::default();
    merged.expand(&keys, false, &mut out).expect("a well-formed game");
    assert!(out.joints.iter().any(|joint| joint.weight > 1), "some moves are merged");
}

fn id(index: usize) -> InputId {
    InputId::from_index(index)
}

#[test]
fn flaws_name_the_lane_and_what_is_wrong() {
    let mut random = Random::new(16);
    let game = sample(&Shape::small(&mut random), &mut random);
    let mut net = (*game.net).clone();
    net.terminal = net::Gates::FALSE;
    let last = net.roles.ids().next_back().expect("roles");
    let inputs = net.roles[last].inputs.clone();
    inputs.for_each(|input| net.legal[id(input)] = net::Gates::FALSE);
    let mut out = Expansion::default();
    let mut flaw_of = |net: &net::Net, optional: bool| {
        let parts = crate::Casting { goal_optional: optional, ..casting(net) };
        let mut kernel =
            PlaneKernel::new(Arc::new(net.clone()), parts, &[], &[]).expect("few moves");
        let start = kernel.pack(&net.init).expect("packs");
        kernel.expand(&start, true, &mut out).map_err(|flaw| flaw.kind)
    };
    assert_eq!(flaw_of(&net, true), Err(FlawKind::NoLegalMove(last)));
    net.terminal = net::Gates::TRUE;
    let asked = casting(&net).asked;
    net.roles[asked].goals = vec![(7, net::Gates::TRUE), (9, net::Gates::TRUE)];
    assert_eq!(flaw_of(&net, true), Err(FlawKind::SeveralGoals(vec![7, 9])));
    net.roles[asked].goals = vec![(7, net::Gates::FALSE)];
    assert_eq!(flaw_of(&net, false), Err(FlawKind::NoGoal));
    assert_eq!(flaw_of(&net, true), Ok(()));
}

#[test]
fn a_counter_that_only_steps_costs_few_operations_and_its_overflow_is_found() {
    // 300 places; a step moves one up, from the last place nowhere.
    let mut gates = net::Gates::new();
    let places: Vec<BaseId> = (0..300).map(BaseId::from_index).collect();
    let leaves: Vec<net::GateId> = places.iter().map(|&base| gates.base(base)).collect();
    let next =
        [net::Gates::FALSE].into_iter().chain(leaves[..299].iter().copied()).collect::<Vec<_>>();
    let role = net::NetRole { name: "r".into(), inputs: 0..1, goals: vec![] };
    let net = net::Net {
        gates,
        bases: (0..300).map(|at| format!("b{at}")).collect(),
        inputs: vec!["step".to_owned()].into(),
        roles: vec![role].into(),
        init: vec![places[0]],
        legal: vec![net::Gates::TRUE].into(),
        terminal: net::Gates::FALSE,
        next: next.into(),
    };
    let asked = net.roles.ids().next().expect("a role");
    let parts = crate::Casting {
        asked,
        opponents: vec![],
        chance: vec![],
        payoffs: [0; 101],
        goal_optional: true,
    };
    let groups = [places.clone()];
    let mut kernel = PlaneKernel::new(Arc::new(net), parts, &groups, &[]).expect("few moves");
    kernel.limit_specialised(10, 0);
    assert_eq!(kernel.key_bits(), 9);
    let keys: Vec<u64> =
        places[..299].iter().map(|&base| kernel.pack(&[base]).expect("packs")[0]).collect();
    let mut out = Expansion::default();
    kernel.expand(&keys, true, &mut out).expect("no overflow before the last place");
    let reached: Vec<Vec<BaseId>> =
        out.children.iter().map(|key| kernel.unpack(std::slice::from_ref(key))).collect();
    assert!(reached.iter().zip(&places[1..]).all(|(state, &base)| *state == [base]));
    let sizes = kernel.code_sizes();
    assert!(sizes.update_ops < 100, "{sizes:?}");
    let last = kernel.pack(&[places[299]]).expect("packs");
    let flaw = kernel.expand(&last, true, &mut out).expect_err("no place holds after the last");
    assert_eq!(flaw.kind, FlawKind::GuessBroken(0));
}

/// Coins, each turned by a move of its own, and two goals that may hold at the end.
fn coins(count: usize) -> Sample {
    let mut text = "role \"x\"\n".to_owned();
    (0..count).for_each(|coin| text += &format!("i{coin} \"turn{coin}\"\n"));
    (0..count).for_each(|coin| text += &format!("b{coin} \"coin{coin}\"\n"));
    for coin in 0..count {
        text += &format!("g{} = not b{coin}\nlegal i{coin} = g{}\n", 1000 + coin, 1000 + coin);
        text += &format!("g{} = or b{coin} i{coin}\n", 2000 + coin);
        text += &format!("next b{coin} = g{}\n", 2000 + coin);
    }
    text += &format!("role \"random\"\ni{count} \"wait\"\nlegal i{count} = true\n");
    text += "terminal = b0\ngoal r0 50 = b1\ngoal r0 100 = b0\n";
    Sample { net: Arc::new(net::parse_net(&text).expect("a network")), groups: Vec::new() }
}

#[test]
fn expansions_of_keys_of_several_words_are_right_in_every_lane() {
    let game = coins(70);
    let mut kernel = kernel(&game, &[]);
    assert_eq!(kernel.words(), 2);
    let keys = [vec![], vec![3, 64], vec![69]].map(|coins: Vec<usize>| {
        let coins: Vec<BaseId> = coins.into_iter().map(BaseId::from_index).collect();
        kernel.pack(&coins).expect("it packs")
    });
    let (block, mut out) = (keys.concat(), Expansion::default());
    kernel.expand(&block, true, &mut out).expect("a well-formed game");
    check_expansion(&game.net, &casting(&game.net), &kernel, &block, &out).unwrap();
}

#[test]
fn two_goals_are_told_of_the_lane_in_which_both_hold() {
    let game = coins(10);
    let mut kernel = kernel(&game, &[]);
    let [none, both] = [vec![], vec![0, 1]].map(|coins: Vec<usize>| {
        let coins: Vec<BaseId> = coins.into_iter().map(BaseId::from_index).collect();
        kernel.pack(&coins).expect("it packs")
    });
    for lane in [0, 1, 63, 64, 70, 900] {
        let mut block = none.repeat(1000);
        block[lane] = both[0];
        let flaw = kernel.expand(&block, true, &mut Expansion::default()).expect_err("two goals");
        assert_eq!((flaw.lane, flaw.kind), (lane, FlawKind::SeveralGoals(vec![50, 100])));
    }
}

/// The check that all tests of expansions rest on, with one thing changed at a time.
#[test]
fn a_wrong_expansion_is_found_by_its_check() {
    let mut random = Random::new(16);
    let mut told = [0; 2];
    for _ in 0..30 {
        let game = sample(&Shape::small(&mut random), &mut random);
        let mut kernel = kernel(&game, &game.groups);
        let keys = reach(&mut kernel, &game, 60);
        let block = &keys[..keys.len().min(BLOCK_LANES * kernel.words())];
        let lanes = block.len() / kernel.words();
        let mut right = Expansion::default();
        kernel.expand(block, true, &mut right).expect("a well-formed game");
        let lane = random.below(lanes);
        let changed = |change: &dyn Fn(&mut Expansion)| {
            let mut out = right.clone();
            change(&mut out);
            check_expansion(&game.net, &casting(&game.net), &kernel, block, &out)
        };
        let flip = |mask: &mut crate::Mask| mask[lane / 64] ^= 1 << (lane % 64);
        assert_eq!(changed(&|_| {}), Ok(()));
        assert!(changed(&|out| flip(&mut out.terminal)).is_err());
        assert!(changed(&|out| flip(&mut out.waiting)).is_err());
        if let Some(end) = (0..lanes).find(|at| right.terminal[at / 64] >> (at % 64) & 1 == 1) {
            assert!(changed(&|out| out.payoff[end] += 1).is_err());
            told[0] += 1;
        }
        let Some(last) = right.joints.len().checked_sub(1) else { continue };
        assert!(changed(&|out| out.joints[0].mask[15] |= 1 << 63).is_err() || lanes == BLOCK_LANES);
        assert!(changed(&|out| out.joints[last].mask = [0; 16]).is_err());
        assert!(changed(&|out| out.joints[last].weight += 1).is_err());
        assert!(changed(&|out| out.joints[last].total += 1).is_err());
        assert!(changed(&|out| out.joints[last].last_of_pair = false).is_err());
        assert!(changed(&|out| out.joints[last].last_of_asked = false).is_err());
        assert!(changed(&|out| out.joints.truncate(last)).is_err());
        assert!(changed(&|out| out.children[0] ^= 1).is_err());
        // An entry twice: its pair is met again after it was over, or its edges count double.
        assert!(changed(&|out| out.joints.push(out.joints[0])).is_err());
        told[1] += 1;
    }
    assert!(told[0] > 5 && told[1] > 20, "the games are not trivial: {told:?}");
}
