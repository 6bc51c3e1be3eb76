//! The games of the project: each network is what its ground rules say, stays so through every
//! rebuilding, and a change of one gate is noticed.
#![cfg(feature = "z3")]

use std::path::{Path, PathBuf};

use audit::{Limits, Outcome, net_follows_rules, nets_are_equal};
use ground::{GroundLimits, GroundRules};
use index::Id;
use net::{BaseId, Gate, GateId, Gates, LowerLimits, Net, Substitution, lower, parse_net};

fn games() -> Vec<(String, GroundRules, Net)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let entries = std::fs::read_dir(folder).expect("the folder of games");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "gdl"));
    paths.sort();
    assert!(paths.len() >= 10, "only {} games", paths.len());
    paths.iter().map(|path| load(path)).collect()
}

fn load(path: &Path) -> (String, GroundRules, Net) {
    let text = std::fs::read_to_string(path).expect("a game of the project");
    let source = gdl::Source::new(&path.display().to_string(), &text);
    let reading = gdl::read(source, &gdl::ReadOptions::default());
    let rulebook = reading.rulebook.expect("games of the project are in order");
    let rules = ground::ground(&rulebook, &GroundLimits::default()).expect("they ground");
    let net = lower(&rules, &LowerLimits::default()).expect("they lower");
    (path.display().to_string(), rules, net)
}

/// The network with its gates rebuilt in another arena, some leaves replaced on the way.
fn rebuilt(net: &Net, leaf: impl Fn(Gate) -> Option<GateId>) -> Net {
    let mut gates = Gates::new();
    let outputs: Vec<GateId> =
        net.view_outputs().into_iter().chain(net.next.iter().copied()).collect();
    let mut map = |gate: Gate| leaf(gate);
    let new = Substitution::new().rebuild(&net.gates, &outputs, &mut gates, &mut map);
    let mut new = new.into_iter();
    let mut take = || new.next().expect("an output a gate");
    let mut copy = net.clone();
    copy.legal = net.legal.iter().map(|_| take()).collect();
    copy.terminal = take();
    for role in copy.roles.iter_mut() {
        role.goals.iter_mut().for_each(|goal| goal.1 = take());
    }
    copy.next = net.next.iter().map(|_| take()).collect();
    copy.gates = gates;
    copy
}

#[test]
fn networks_follow_their_rules() {
    for (name, rules, net) in games() {
        let outcome = net_follows_rules(&rules, &net, Limits::default());
        assert_eq!(outcome, Outcome::Proven, "{name}");
    }
}

#[test]
fn rebuilding_and_printing_change_nothing() {
    for (name, _, net) in games() {
        let copy = rebuilt(&net, |_| None);
        assert_eq!(nets_are_equal(&net, &copy, Limits::default()), Outcome::Proven, "{name}");
        let read = parse_net(&net.to_string()).expect("a network that was printed");
        assert_eq!(nets_are_equal(&net, &read, Limits::default()), Outcome::Proven, "{name}");
    }
}

/// A cofactor differs from its network exactly where the proposition has the other value.
#[test]
fn cofactors_differ_only_where_they_should() {
    let mut differences = 0;
    for (name, _, net) in games() {
        for base in [0, net.bases.len() / 2].map(BaseId::from_index) {
            let high = rebuilt(&net, |gate| (gate == Gate::Base(base)).then_some(Gates::TRUE));
            let Outcome::Refuted(case) = nets_are_equal(&net, &high, Limits::default()) else {
                continue;
            };
            let held = format!("true {}", net.bases[base]);
            assert!(!case.case.contains(&held), "{name}: {case}");
            differences += 1;
        }
    }
    assert!(differences >= 10, "only {differences} cofactors differ");
}

/// One output exchanged for another is noticed, against the rules and against the network.
#[test]
fn a_planted_change_is_noticed() {
    for (name, rules, net) in games() {
        let mut changed = net.clone();
        let base = net.next.ids().find(|base| net.next[*base] != net.terminal).expect("a next");
        changed.next[base] = net.terminal;
        let difference = nets_are_equal(&net, &changed, Limits::default()).refutation();
        let output = difference.expect("they differ").output;
        assert_eq!(output, format!("next {}", net.bases[base]), "{name}");
        assert!(net_follows_rules(&rules, &changed, Limits::default()).refutation().is_some());
        let mut begun = net.clone();
        begun.init.pop();
        let difference = nets_are_equal(&begun, &net, Limits::default()).refutation();
        assert!(difference.expect("they differ").output.starts_with("init "), "{name}");
    }
}
