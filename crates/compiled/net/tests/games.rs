//! The games of the project as networks: well-formed, and with the facts that solving relies on.

use std::path::{Path, PathBuf};

use ground::GroundLimits;
use net::facts::{Level, guess_exclusive, guess_groups, guess_level, playouts};
use net::{BaseId, InputId, LowerLimits, Net, State, View, interpret, lower, parse_net, verify};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../games")
}

fn load(path: &Path) -> Net {
    let text = std::fs::read_to_string(path).expect("a game of the project");
    let source = gdl::Source::new(&path.display().to_string(), &text);
    let reading = gdl::read(source, &gdl::ReadOptions::default());
    let rulebook = reading.rulebook.expect("games of the project are in order");
    let ground = ground::ground(&rulebook, &GroundLimits::default()).expect("they ground");
    lower(&ground, &LowerLimits::default()).expect("they lower")
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

/// All joint moves that are legal in a state.
fn joints(net: &Net, view: &View) -> Vec<Vec<InputId>> {
    let mut joints = vec![vec![]];
    for role in net.roles.ids() {
        let legal: Vec<InputId> = net.moves(role).filter(|input| view.legal[*input]).collect();
        joints = joints
            .iter()
            .flat_map(|joint| legal.iter().map(move |input| [&joint[..], &[*input]].concat()))
            .collect();
    }
    joints
}

#[test]
fn plays_follow_the_reference_interpreter() {
    for (name, net) in games() {
        for play in playouts(&net, 5, 3, 25) {
            assert_eq!(play[0], interpret::initial(&net), "{name}");
            for pair in play.windows(2) {
                let view = interpret::view(&net, &pair[0]);
                assert!(!view.terminal, "{name} went on after its end");
                let next = |joint: &Vec<InputId>| interpret::update(&net, &pair[0], joint);
                let found = joints(&net, &view).iter().any(|joint| next(joint) == pair[1]);
                assert!(found, "{name}: no move leads from {:?} to {:?}", pair[0], pair[1]);
            }
            let end = interpret::view(&net, &play[play.len() - 1]);
            assert!(end.terminal || play.len() == 26, "{name} stopped before its end");
        }
    }
}
