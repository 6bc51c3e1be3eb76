//! What needs clingo as a user meets it: answered in a build with the feature `symbolic`, and in one
//! without it refused as the environment's fault, with what to do about it.

#![forbid(unsafe_code)]

mod support;

#[cfg(feature = "symbolic")]
use support::Folder;
use support::{GUESS, Ran, run_with, solve};

/// A program in which a guess meets a coin that falls right in one of three cases: 2/3 by
/// guessing against it.
const COIN: &str = "{ guess; coin }. _exists(1,guess). _chance(2,1,3,coin).
:- guess, not coin. :- coin, not guess.
";

fn translate(form: &str) -> Ran {
    run_with(&["translate", "-", "--to", form, "--horizon", "1"], GUESS.as_bytes())
}

#[cfg(not(feature = "symbolic"))]
#[test]
fn a_build_without_clingo_says_how_to_get_one() {
    let remedy = ["without clingo", "--features symbolic", "cmake", "cargo xtask"];
    solve(GUESS, &["--engine", "symbolic"]).refused(3, &remedy);
    run_with(&["sqasp", "-"], COIN.as_bytes()).refused(3, &remedy);
    for form in ["sqasp", "sdimacs"] {
        translate(form).refused(3, &remedy);
    }
}

#[cfg(feature = "symbolic")]
#[test]
fn the_engine_answers_as_the_sweep_does() {
    for options in [vec![], vec!["--horizon", "0"], vec!["--objective", "goal"]] {
        let answer = |engine| {
            let ran = solve(GUESS, &[&["--engine", engine, "--json"], options.as_slice()].concat());
            assert_eq!(ran.status, 0, "{ran:?}");
            ran.json()["value"].clone()
        };
        assert!(!answer("sweep").is_null());
        assert_eq!(answer("symbolic"), answer("sweep"), "{options:?}");
    }
}

#[cfg(feature = "symbolic")]
#[test]
fn a_program_has_its_probability() {
    let ran = run_with(&["sqasp", "-"], COIN.as_bytes());
    assert!(ran.status == 0 && ran.out.starts_with("probability 2/3 "), "{ran:?}");
}

#[cfg(feature = "symbolic")]
#[test]
fn both_forms_of_a_game_have_its_value() {
    let folder = Folder::new();
    for (form, reader) in [("sqasp", "sqasp"), ("sdimacs", "xssat")] {
        let written = translate(form);
        assert_eq!(written.status, 0, "{written:?}");
        let path = folder.file(form, written.out.as_bytes());
        let ran = support::run(&[reader, &path]);
        assert!(ran.status == 0 && ran.out.starts_with("probability 1/2 "), "{form}: {ran:?}");
    }
}

#[cfg(feature = "symbolic")]
#[test]
fn a_program_that_clingo_refuses_is_shown_with_its_place() {
    run_with(&["sqasp", "-"], b"a.\nb :- c(X), not d(Y).\n").refused(2, &["<stdin>:2:"]);
}
