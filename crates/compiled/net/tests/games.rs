//! The games of the project as networks: well-formed, and with the facts that solving relies on.

use std::path::{Path, PathBuf};

use ground::GroundLimits;
use net::facts::{Level, guess_exclusive, guess_groups, guess_level, playouts};
use net::{BaseId, DEFAULT_LIMIT_GATES, Net, State, interpret, lower, parse_net, verify};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../games")
}

fn load(path: &Path) -> Net {
    let text = std::fs::read_to_string(path).expect("a game of the project");
    let source = gdl::Source::new(&path.display().to_string(), &text);
    let reading = gdl::read(source, &gdl::ReadOptions::default());
    let rulebook = reading.rulebook.expect("games of the project are in order");
    let ground = ground::ground(&rulebook, &GroundLimits::default()).expect("they ground");
    lower(&ground, DEFAULT_LIMIT_GATES).expect("they lower")
}

fn games() -> Vec<(String, Net)> {
    let entries = std::fs::read_dir(folder()).expect("the folder of games");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "gdl"));
    paths.sort();
    assert!(paths.len() >= 10, "only {} games", paths.len());
    let name = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), load(path))).collect()
}

fn held(group: &[BaseId], state: &State) -> usize {
    group.iter().filter(|base| state.contains(**base)).count()
}

fn is_right(level: &Level, plays: &[Vec<State>]) -> bool {
    let right = |(step, state): (usize, &State)| level.of(state.iter()) == step as i64;
    plays.iter().all(|play| play.iter().enumerate().all(right))
}

/// Games in which the number of steps shows in the state, so that a level must be found.
const LEVELLED: &[&str] = &[
    "connect-3-4x4",
    "connect-4-4x4",
    "stochastic-connect-3-4x4",
    "stochastic-connect-4-4x4",
    "stochastic-connect-4-5x4",
    "stochastic-nim-20",
    "stochastic-nim-100",
    "stochastic-tic-tac-toe-3x3",
    "tic-tac-toe",
];

#[test]
fn facts_guessed_from_some_plays_hold_in_others() {
    for (name, net) in games() {
        let plays = playouts(&net, 1, 300, 400);
        let samples: Vec<State> = plays.iter().flatten().cloned().collect();
        let others = playouts(&net, 2, 200, 400);
        let groups = guess_groups(&net, &samples);
        let exclusive = guess_exclusive(&net, &samples, &groups);
        for state in others.iter().flatten() {
            assert!(groups.iter().all(|group| held(group, state) == 1), "{name}: {state:?}");
            assert!(exclusive.iter().all(|group| held(group, state) <= 1), "{name}: {state:?}");
        }
        let level = guess_level(&net, &plays);
        assert!(level.is_some() || !LEVELLED.contains(&name.as_str()), "{name} has a level");
        assert!(level.is_none_or(|level| is_right(&level, &others)), "the level of {name} fails");
    }
}

#[test]
fn every_game_is_a_well_formed_network_that_reads_back() {
    for (name, net) in games() {
        assert_eq!(verify(&net), Ok(()), "{name}");
        assert_eq!(parse_net(&net.to_string()).as_ref(), Ok(&net), "{name}");
    }
}

#[test]
fn the_fast_evaluator_agrees_with_the_reference() {
    for (name, net) in games() {
        let mut machine = net::facts::Machine::new(&net);
        for play in playouts(&net, 5, 3, 30) {
            for pair in play.windows(2) {
                machine.look(&pair[0]);
                let view = interpret::view(&net, &pair[0]);
                let joint: Vec<net::InputId> =
                    net.roles.ids().map(|role| machine.legal(role)[0]).collect();
                assert!(joint.iter().all(|input| view.legal[*input]), "{name}");
                assert_eq!(view.terminal, machine.holds(net.terminal), "{name}");
                let next = interpret::update(&net, &pair[0], &joint);
                assert_eq!(machine.step(&pair[0], &joint), next, "{name}");
            }
        }
    }
}
