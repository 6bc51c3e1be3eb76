//! Counts that others publish: move paths ply by ply, and reachable states, by the kernel's perft
//! and, where they are small, by the reference.
//!
//! The counts of tic-tac-toe, Connect Four on eight columns, breakthrough, checkers and nim with
//! heaps of 1, 5, 4 and 2 are those that authors of other players give for the public sheets of
//! these games. They are counts of the games, so that sheets of our own have them as well: those
//! run everywhere, the public ones where the folder of shared material is.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crosscheck::families::{Board, connect};
use crosscheck::reference::{Simulator, State, TermId};
use gdl::Rulebook;
use solve::{Options, Perft, perft};
use verdict::Question;

use crate::lineup::{rulebook, watched};
use crate::places;

/// A game with its published counts.
struct Published {
    game: &'static str,
    /// Move paths of plies 1, 2, ...
    paths: &'static [u64],
    /// Reachable states, where all plies are there.
    states: Option<u64>,
    /// Public sheets of it, below the corpus.
    sheets: &'static [&'static str],
}

const PUBLISHED: &[Published] = &[
    Published {
        game: "tic-tac-toe",
        paths: &[9, 72, 504, 3024, 15_120, 54_720, 148_176, 200_448, 127_872],
        states: Some(5478),
        sheets: &["ggp-base-alexlandau-test/ticTacToe.kif", "gdl2qbf/tic-tac-toe.gdl"],
    },
    Published {
        game: "connect four on eight columns",
        paths: &[8, 64, 512, 4096],
        states: None,
        sheets: &["ggp-base-alexlandau-test/connectFour.kif"],
    },
    Published {
        game: "breakthrough",
        paths: &[22, 484],
        states: None,
        sheets: &["ggp-perl-base/breakthrough.kif"],
    },
    Published {
        game: "checkers",
        paths: &[7, 49],
        states: None,
        sheets: &["ggp-repository/checkers.kif", "nggp-base/checkers.kif"],
    },
    Published { game: "nim-heaps", paths: &[12, 115, 866], states: None, sheets: &[] },
];

/// Paths of a ply that the reference may walk on a sheet of our own, and on a public one, some of
/// which are written so that a state takes it long.
const REFERENCE_PATHS: u64 = 1000;
const REFERENCE_PUBLIC_PATHS: u64 = 100;

/// Our own sheet of a game.
fn own_sheet(game: &str) -> String {
    match game {
        "connect four on eight columns" => {
            connect(&Board { columns: 8, rows: 6, line: 4 }, None).expect("such a board")
        }
        _ => places::text(&format!("games/{game}.gdl")),
    }
}

/// Paths of plies 1, 2, ... as the kernel counts them, and all states.
fn counted(book: &Arc<Rulebook>, plies: usize) -> (Vec<u64>, u64) {
    let question = Question::new(Arc::clone(book)).expect("a player");
    let depth = u32::try_from(plies).expect("few plies");
    let run = watched(|watch| perft(&question, Some(depth), &Options::default(), watch));
    let Perft { plies, halted } = run.unwrap_or_else(|stop| panic!("no count: {stop:?}"));
    assert_eq!(halted, None);
    let paths = plies.iter().map(|ply| u64::try_from(&ply.paths).expect("a small count"));
    (paths.skip(1).collect(), plies.iter().map(|ply| ply.states).sum())
}

/// The same by the reference: every state with the number of paths that lead to it.
fn counted_by_rules(book: &Arc<Rulebook>, plies: usize) -> Vec<u64> {
    let mut simulator = Simulator::new(book).expect("a finite game");
    let mut ply = BTreeMap::from([(simulator.initial_state(), 1_u64)]);
    let mut counts = Vec::new();
    for _ in 0..plies {
        let mut below = BTreeMap::new();
        for (state, paths) in &ply {
            for next in children(&mut simulator, book, state) {
                *below.entry(next).or_default() += paths;
            }
        }
        counts.push(below.values().sum());
        ply = below;
    }
    counts
}

/// The next states of all joint moves of a state; none where it is terminal.
fn children(simulator: &mut Simulator, book: &Rulebook, state: &State) -> Vec<State> {
    if simulator.is_terminal(state).expect("a finite game") {
        return Vec::new();
    }
    let mut joints: Vec<Vec<TermId>> = vec![Vec::new()];
    for role in book.roles.ids() {
        let moves = simulator.legal_moves(state, role).expect("a finite game");
        let with = |joint: &Vec<TermId>| {
            let joint = joint.clone();
            moves.iter().map(move |id| [joint.as_slice(), &[*id]].concat()).collect::<Vec<_>>()
        };
        joints = joints.iter().flat_map(with).collect();
    }
    joints.iter().map(|joint| simulator.next_state(state, joint).expect("a finite game")).collect()
}

/// What differs between a sheet and the published counts; the reference counts the plies of up to
/// `most` paths.
fn faults(published: &Published, name: &str, sheet: &str, most: u64) -> Vec<String> {
    let book = rulebook(name, sheet);
    let wanted = published.paths;
    let (paths, states) = counted(&book, wanted.len());
    let mut wrong = Vec::new();
    let mut expect = |who: &str, wanted: &[u64], got: &[u64]| {
        if wanted != got {
            wrong.push(format!("{name}: {who} counts {got:?}, published are {wanted:?}"));
        }
    };
    expect("perft", wanted, &paths);
    if let Some(wanted) = published.states {
        expect("perft (states)", &[wanted], &[states]);
    }
    let few = wanted.iter().take_while(|paths| **paths <= most).count();
    expect("the reference", &wanted[..few], &counted_by_rules(&book, few));
    wrong
}

#[test]
fn our_own_sheets_have_the_published_counts() {
    let wrong: Vec<String> = PUBLISHED
        .iter()
        .flat_map(|published| {
            faults(published, published.game, &own_sheet(published.game), REFERENCE_PATHS)
        })
        .collect();
    assert!(wrong.is_empty(), "{} wrong counts:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn public_sheets_have_the_published_counts() {
    let Some(folder) = places::shared("public_sheets_have_the_published_counts") else { return };
    let mut wrong = Vec::new();
    for published in PUBLISHED {
        for sheet in published.sheets {
            let text = read(&folder.join("corpus").join(sheet));
            wrong.extend(faults(published, sheet, &text, REFERENCE_PUBLIC_PATHS));
        }
    }
    assert!(wrong.is_empty(), "{} wrong counts:\n{}", wrong.len(), wrong.join("\n"));
}

fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The comparison finds a count that is off by one, in either way of counting.
#[test]
fn a_wrong_count_is_told() {
    let published = Published { game: "", paths: &[12, 116], states: Some(1), sheets: &[] };
    let found = faults(&published, "nim-heaps", &own_sheet("nim-heaps"), REFERENCE_PATHS);
    assert_eq!(found.len(), 3, "{found:?}");
}
