//! `oddsmith play` with its input from a pipe: the same as at a terminal.

mod support;

use support::{CYCLE, Folder, GUESS, game, run_with};

fn play(sheet: &str, flags: &[&str], input: &str) -> support::Ran {
    let folder = Folder::new();
    let path = folder.file("game.gdl", sheet.as_bytes());
    run_with(&[&["play", &path], flags].concat(), input.as_bytes())
}

#[test]
fn a_game_is_played_to_its_end_with_odds() {
    let ran = play(GUESS, &["--seed", "3"], "1\nq\n");
    assert_eq!(ran.status, 0, "{ran:?}");
    for part in [
        "x wins with probability 1/2 = 0.5",
        " *  1  a  1/2 = 0.5",
        "random rolls",
        "the game is over: x",
    ] {
        assert!(ran.out.contains(part), "`{part}` is not in\n{}", ran.out);
    }
}

#[test]
fn the_same_seed_rolls_the_same_and_chance_can_be_chosen() {
    let once = play(GUESS, &["--seed", "8"], "a\n");
    assert_eq!(once.out, play(GUESS, &["--seed", "8"], "a\n").out);
    let chosen = play(GUESS, &["--choose-chance"], "a\na\nu\na\nb\nq\n");
    assert_eq!(chosen.status, 0, "{chosen:?}");
    for part in ["random chooses", "  a  1\n", "x 100", "x 0"] {
        assert!(chosen.out.contains(part), "`{part}` is not in\n{}", chosen.out);
    }
}

#[test]
fn best_moves_undo_and_nonsense_are_understood() {
    let path = game("tic-tac-toe.gdl");
    let ran = run_with(&["play", &path], b"b\nfly\n(mark 9 9)\nh\nb\nu\nr\nq\n");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(ran.out.matches("no move `").count(), 2, "{}", ran.out);
    assert!(ran.out.contains("undo the last choice"), "{}", ran.out);
    assert_eq!(ran.out.matches("step 1\n").count(), 2, "{}", ran.out);
}

#[test]
fn the_end_of_input_ends_the_program() {
    for input in ["", "1", "u\nu\n"] {
        assert_eq!(play(GUESS, &[], input).status, 0);
    }
}

#[test]
fn a_game_that_comes_back_is_played_with_its_odds() {
    let ran = play(CYCLE, &[], "stay\nstay\nleave\nq\n");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(ran.out.matches("x wins with probability 1").count(), 3, "{ran:?}");
    assert!(ran.out.contains("x 100"), "{ran:?}");
    let bounded = play(CYCLE, &["--horizon", "2"], "stay\nstay\nq\n");
    assert!(bounded.out.contains("the horizon is reached"), "{bounded:?}");
}
