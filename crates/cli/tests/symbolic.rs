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

/// The same, ground.
const GROUND: &str = "asp 1 0 0\n10 a comment\n1 1 2 1 2 0 0\n1 0 0 0 2 1 -2\n1 0 0 0 2 2 -1\n\
    4 5 guess 1 1\n4 4 coin 1 2\n4 16 _exists(1,guess) 0\n4 19 _chance(2,1,3,coin) 0\n0\n";

#[test]
fn a_ground_program_is_read_in_every_build() {
    for placement in ["baseline", "dependency"] {
        let ran = run_with(&["sqasp", "-", "--json", "--placement", placement], GROUND.as_bytes());
        assert_eq!(ran.status, 0, "{ran:?}");
        assert_eq!(ran.json()["probability"], "2/3", "{ran:?}");
    }
    let plain = GROUND.replace("10 a comment\n", "");
    assert_eq!(run_with(&["sqasp", "-", "--to", "aspif"], GROUND.as_bytes()).out, plain);
    let odd = GROUND.replace("1 1 2 1 2 0 0", "2 0 1 1 1");
    run_with(&["sqasp", "-"], odd.as_bytes()).refused(2, &["<stdin>:3:1", "#minimize"]);
    let cut = GROUND.strip_suffix("0\n").expect("the last line");
    run_with(&["sqasp", "-"], cut.as_bytes()).refused(2, &["truncated"]);
    run_with(&["sqasp", "-", "--ground-limit", "2"], GROUND.as_bytes())
        .refused(2, &["more than 2 rules", "--ground-limit"]);
    run_with(&["sqasp", "-"], b"asp 1 0 0\n1 0 1 2147483647 0 0\n0\n")
        .refused(2, &["numbered 2147483647", "without gaps"]);
    let unknown = GROUND.replace("4 4 coin 1 2\n", "");
    run_with(&["sqasp", "-"], unknown.as_bytes()).refused(2, &["coin"]);
}

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

/// What the engines may say differently: who answers, what it counted, what it took.
#[cfg(feature = "symbolic")]
const OWN: &[&str] = &[
    "engine",
    "states",
    "decision_states",
    "stored",
    "plies",
    "seconds",
    "translation_seconds",
    "peak_bytes",
    "checked",
];

#[cfg(feature = "symbolic")]
#[test]
fn its_object_says_what_that_of_the_sweep_does() {
    let games = format!("{}/../../games", env!("CARGO_MANIFEST_DIR"));
    for line in [
        "penalties --roles",
        "coin-row --objective goal --role bob",
        "race --horizon 3 --chance bob --objective goal",
        "coin-guess --horizon 0",
    ] {
        let (game, options) = line.split_once(' ').expect("a game and options");
        let path = format!("{games}/{game}.gdl");
        let said = |engine: &str| {
            let fixed = ["solve", path.as_str(), "--json", "--engine", engine];
            let ran = support::run(&[&fixed[..], &options.split(' ').collect::<Vec<_>>()].concat());
            assert_eq!(ran.status, 0, "{line}: {ran:?}");
            let mut object = ran.json();
            let translated = object.to_string().contains("\"translation_seconds\":null");
            assert_eq!(translated, engine == "sweep", "{line}: the time of translation");
            let one = |answer: &mut serde_json::Value| {
                let fields = answer.as_object_mut().expect("an answer is an object");
                OWN.iter().for_each(|name| assert!(fields.remove(*name).is_some(), "{name}"));
            };
            match object["answers"].as_array_mut() {
                Some(answers) => answers.iter_mut().for_each(one),
                None => one(&mut object),
            }
            object
        };
        assert_eq!(said("symbolic"), said("sweep"), "{line}");
    }
}

#[cfg(feature = "symbolic")]
#[test]
fn its_limits_hold_while_grounding_and_solving() {
    let limited = |options: &[&str]| {
        solve(support::CYCLE, &[&["--engine", "symbolic", "--json"], options].concat())
    };
    let few = limited(&["--ground-limit", "20"]);
    assert_eq!(few.status, 2, "{few:?}");
    assert_eq!(few.json()["error"]["code"], "ground-limit");
    let late = limited(&["--time", "0s"]);
    assert_eq!((late.status, &late.json()["halt"]["reason"]), (1, &"time".into()), "{late:?}");
    let grows = run_with(&["sqasp", "-", "--memory", "120MiB"], b"n(0). n(X+1) :- n(X).");
    assert!(grows.status == 1 && grows.out.contains("the memory limit was met"), "{grows:?}");
    run_with(&["sqasp", "-", "--ground-limit", "1000"], b"n(0). n(X+1) :- n(X).")
        .refused(2, &["more than 1,000 rules", "--ground-limit"]);
}

#[cfg(feature = "symbolic")]
#[test]
fn faults_of_a_program_are_shown_at_their_place() {
    let shown = |program: &str, words: &[&str]| {
        run_with(&["sqasp", "-"], program.as_bytes()).refused(2, words);
    };
    shown("{ a }.\n  a ; b.\n", &["<stdin>:2:3", "disjunction", "^^^^^^"]);
    shown("{ a }.\n:~ a. [1]", &["<stdin>:2:1", "weak constraint"]);
    shown("{ a }.\n_chance(1,3,2,a).", &["<stdin>:2:1", "3/2 is no probability", "^^^"]);
    shown("{ a }. _exists(1,a).\n  _forall(2,a).", &["<stdin>:2:3", "quantified twice"]);
    shown("{ a; b }. _exists(1,a).\n_forall(1,b).", &["<stdin>:2:1", "two quantifiers"]);
    shown("{ a }.\n_exists(1,p(X)).", &["<stdin>:2:1", "unsafe"]);
}

#[cfg(feature = "symbolic")]
#[test]
fn a_program_is_written_in_each_dialect() {
    let written =
        |options: &[&str]| run_with(&[&["sqasp", "-"], options].concat(), COIN.as_bytes());
    assert!(written(&["--to", "sdimacs"]).out.contains("r 1/3 2 0"));
    let decimal = written(&["--to", "sdimacs", "--dialect", "decimal"]);
    assert!(decimal.out.contains("r 0.333333") && decimal.err.contains("warning"), "{decimal:?}");
    written(&["--to", "qdimacs"]).refused(2, &["bound by chance"]);
    let ran = run_with(&["sqasp", "-", "--to", "qdimacs"], b"{ a }. _exists(1,a). :- a.");
    assert!(ran.status == 0 && ran.out.contains("\ne 1 0\n-1 0\n"), "{ran:?}");
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
