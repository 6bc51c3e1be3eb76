//! What the commands answer, as text and as objects, and that help teaches.

mod support;

use serde_json::{Value, json};
use support::schema;
use support::{CYCLE, Folder, GUESS, game, run, run_with, solve};

/// Asserts that an object fits its schema.
fn fits(name: &str, value: &Value) {
    assert_eq!(schema::fault(&schema::load(name), value), None, "{value:#}");
}

/// A game that no machine solves while a test runs.
fn endless_work() -> (Folder, String) {
    let sheet = run(&["generate", "connect", "7", "6", "4", "--own", "3/4"]);
    let folder = Folder::new();
    let path = folder.file("connect-4-7x6.gdl", sheet.out.as_bytes());
    (folder, path)
}

#[test]
fn an_answer_shows_value_moves_counts_and_cost() {
    let ran = solve(GUESS, &[]);
    assert_eq!(ran.status, 0, "{ran:?}");
    for part in [
        "<stdin>",
        "the probability that x wins",
        "1/2 = 0.5",
        "* a",
        "* b",
        "3 distinct, 1 to decide",
        "1 ply",
        "by sweep on cpu",
    ] {
        assert!(ran.out.contains(part), "`{part}` is not in\n{}", ran.out);
    }
    assert!(ran.err.is_empty(), "{ran:?}");
}

#[test]
fn every_engine_gives_the_same_object_but_for_its_name_and_cost() {
    for engine in ["sweep", "search", "reference"] {
        let ran = solve(GUESS, &["--json", "--engine", engine]);
        let object = ran.json();
        fits("solve.schema.json", &object);
        assert_eq!((ran.status, &object["engine"]), (0, &json!(engine)));
        assert_eq!(object["game"], "<stdin>");
        assert_eq!((&object["role"], &object["chance"]), (&json!("x"), &json!(["random"])));
        assert_eq!((&object["value"], &object["exact"]), (&json!("1/2"), &json!(true)));
        assert_eq!((&object["lower"], &object["upper"]), (&json!("1/2"), &json!("1/2")));
        assert_eq!((&object["expected_goal"], &object["decimal"]), (&json!("50/1"), &json!(0.5)));
        assert_eq!((&object["best"], &object["cut"]), (&json!(["a", "b"]), &json!(false)));
        assert_eq!(object["moves"][1]["move"], "b");
        assert_eq!(object["halt"], Value::Null);
        if engine != "search" {
            assert_eq!((&object["states"], &object["decision_states"]), (&json!(3), &json!(1)));
        }
    }
}

#[test]
fn a_horizon_belongs_to_the_answer_and_a_cut_is_told() {
    let ran = solve(GUESS, &["--horizon", "0", "--json"]);
    let object = ran.json();
    fits("solve.schema.json", &object);
    assert_eq!((&object["horizon"], &object["cut"]), (&json!(0), &json!(true)));
    assert_eq!(object["value"], "0/1");
    let told = solve(GUESS, &["--horizon", "0"]);
    assert!(told.err.contains("unfinished at the horizon"), "{told:?}");
}

#[test]
fn all_roles_are_answered_in_turn() {
    let path = game("tic-tac-toe.gdl");
    let object = run(&["solve", &path, "--roles", "--json"]).json();
    fits("solve.schema.json", &object);
    let roles: Vec<&Value> =
        object["answers"].as_array().unwrap().iter().map(|answer| &answer["role"]).collect();
    assert_eq!(roles, ["x", "o"]);
    let text = run(&["solve", &path, "--roles"]).out;
    assert_eq!(text.matches("the probability that").count(), 2, "{text}");
}

#[test]
fn others_play_at_random_where_they_are_told_to() {
    let path = game("tic-tac-toe.gdl");
    for (role, value) in [("x", "191/192"), ("o", "887/945")] {
        for chance in ["others", if role == "x" { "o" } else { "x" }] {
            let flags = ["solve", &path, "--json", "--role", role, "--chance", chance];
            assert_eq!(run(&flags).json()["value"], value);
        }
    }
}

#[test]
fn a_question_may_start_from_another_state() {
    let folder = Folder::new();
    let file = folder.file("state", b"(true won)\n");
    for state in ["won", "(won)", "((true won))", &format!("@{file}")] {
        let ran = solve(GUESS, &["--from", state]);
        assert_eq!(ran.status, 0, "{ran:?}");
        assert!(
            ran.out.contains("value     1\n") && ran.out.contains("from the given state"),
            "{ran:?}"
        );
    }
}

#[test]
fn a_time_limit_ends_in_sound_bounds_and_status_one() {
    let (_folder, path) = endless_work();
    let ran = run(&["solve", &path, "--time", "1ms", "--json"]);
    let object = ran.json();
    fits("solve.schema.json", &object);
    assert_eq!((ran.status, &object["value"]), (1, &Value::Null), "{ran:?}");
    assert_eq!((&object["exact"], &object["halt"]["reason"]), (&json!(false), &json!("time")));
    let told = run(&["solve", &path, "--time", "1ms"]);
    assert_eq!(told.status, 1);
    assert!(told.out.contains("at least") && told.out.contains("at most"), "{told:?}");
    assert!(told.err.contains("the time limit was met"), "{told:?}");
}

/// Standard input that nobody closes: the sheet is never read to its end.
#[cfg(unix)]
fn unread(flags: &[&str], interrupted: bool) -> support::Ran {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let mut child = support::command(&[&["solve", "-"], flags].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let held_open = child.stdin.take();
    if interrupted {
        std::thread::sleep(Duration::from_millis(700));
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(sent.expect("`kill` is there").success());
    }
    let output = child.wait_with_output().expect("the binary ends");
    drop(held_open);
    support::Ran {
        status: output.status.code().expect("an exit status"),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

#[cfg(unix)]
#[test]
fn limits_hold_while_the_sheet_is_read() {
    let ran = unread(&["--time", "50ms"], false);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("at least 0\n") && ran.out.contains("at most  1\n"), "{ran:?}");
    assert!(ran.err.contains("the sheet was still being read"), "{ran:?}");
    for (flags, role) in [(&["--json"][..], Value::Null), (&["--json", "--role", "x"], json!("x"))]
    {
        let ran = unread(&[flags, &["--time", "50ms"]].concat(), false);
        let object = ran.json();
        fits("solve.schema.json", &object);
        assert_eq!((ran.status, &object["halt"]["reason"]), (1, &json!("time")), "{ran:?}");
        assert_eq!((&object["lower"], &object["upper"]), (&json!("0/1"), &json!("1/1")));
        assert_eq!(object["role"], role);
    }
    let ended = unread(&["--json"], true);
    assert_eq!((ended.status, &ended.json()["halt"]["reason"]), (1, &json!("interrupt")));
}

#[test]
fn approximate_bounds_hold_the_value() {
    let path = game("stochastic-nim-20.gdl");
    let exact = run(&["solve", &path, "--json"]).json();
    let ran = run(&["solve", &path, "--approximate", "--json"]);
    let rough = ran.json();
    assert_eq!(ran.status, 0, "the bounds that were asked for are an answer");
    fits("solve.schema.json", &rough);
    let ratio = |value: &Value| value.as_str().unwrap().parse::<exact::Ratio>().unwrap();
    assert!(ratio(&rough["lower"]) <= ratio(&exact["value"]));
    assert!(ratio(&exact["value"]) <= ratio(&rough["upper"]));
}

#[test]
fn a_depth_limit_gives_bounds_that_hold_the_value() {
    let path = game("tic-tac-toe.gdl");
    let ran = run(&["solve", &path, "--engine", "search", "--depth", "3", "--json"]);
    assert_eq!((ran.status, &ran.json()["halt"]["reason"]), (1, &json!("depth")), "{ran:?}");
    fits("solve.schema.json", &ran.json());
}

#[test]
fn failures_are_objects_under_json() {
    let cases: [(&str, &[&str], &str); 4] = [
        ("(role x", &["--json"], "sheet"),
        (GUESS, &["--json", "--role", "y"], "unknown-role"),
        (GUESS, &["--json", "--horizon", "x"], "usage"),
        ("\0", &["--json"], "not-text"),
    ];
    for (sheet, flags, code) in cases {
        let ran = solve(sheet, flags);
        let object = ran.json();
        fits("solve.schema.json", &object);
        assert_eq!((ran.status, &object["error"]["code"]), (2, &json!(code)), "{ran:?}");
        assert!(ran.err.is_empty(), "{ran:?}");
    }
    let bounds = solve(CYCLE, &["--json", "--width", "1e-6"]).json();
    fits("solve.schema.json", &bounds);
    assert_eq!(bounds["halt"]["reason"], json!("approximate"), "{bounds:#}");
    let met = solve(CYCLE, &["--width", "1e-6"]);
    assert_eq!(met.status, 0, "the width that was asked for is an answer: {met:?}");
}

#[test]
fn the_validator_itself_finds_faults() {
    let schema = schema::load("solve.schema.json");
    let good = solve(GUESS, &["--json"]).json();
    for (name, value) in [
        ("value", json!(0.5)),
        ("value", json!("0.5")),
        ("states", json!(-1)),
        ("engine", json!("oracle")),
        ("extra", json!(1)),
        ("moves", json!([{ "move": "a" }])),
    ] {
        let mut bad = good.clone();
        bad[name] = value;
        assert!(schema::fault(&schema, &bad).is_some(), "{name}");
    }
}

#[test]
fn perft_counts_states_and_paths_by_ply() {
    let ran = run(&["perft", &game("tic-tac-toe.gdl"), "--json"]);
    let object = ran.json();
    fits("perft.schema.json", &object);
    let plies = object["plies"].as_array().unwrap();
    let column = |name: &str| plies.iter().map(|ply| ply[name].clone()).collect::<Vec<Value>>();
    assert_eq!(column("states"), [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    assert_eq!(column("paths")[..6], ["1", "9", "72", "504", "3024", "15120"]);
    assert_eq!((&object["total_states"], &object["total_terminal"]), (&json!(5478), &json!(958)));
    let text = run(&["perft", &game("tic-tac-toe.gdl"), "--depth", "2"]).out;
    assert_eq!(text.lines().count(), 6, "{text}");
}

#[test]
fn inspect_compares_the_compiled_game_with_its_rules() {
    let ran = run(&["inspect", &game("tic-tac-toe.gdl"), "--json", "--plays", "40"]);
    let object = ran.json();
    fits("inspect.schema.json", &object);
    assert_eq!(
        (ran.status, &object["result"], &object["sees"]),
        (0, &json!("agrees"), &json!(null))
    );
    assert_eq!((&object["propositions"], &object["moves"]), (&json!(29), &json!(20)));
    assert_eq!((&object["plays"], &object["finished"]), (&json!(40), &json!(40)));
    // A play has five to nine moves, and a state more than moves.
    assert!((240..=400).contains(&object["states"].as_u64().unwrap()), "{object}");
    let text = run(&["inspect", &game("tic-tac-toe.gdl")]).out;
    assert!(text.contains("agrees with the rules") && text.contains("propositions  29"), "{text}");
}

#[test]
fn nothing_is_said_to_be_right_that_was_not_looked_at() {
    let name = game("tic-tac-toe.gdl");
    let text = run(&["inspect", &name, "--plays", "0"]).out;
    assert!(text.contains("nothing was compared") && !text.contains("agrees"), "{text}");
    let object = run(&["inspect", &name, "--play-time", "0", "--json"]).json();
    fits("inspect.schema.json", &object);
    assert_eq!((&object["result"], &object["states"]), (&json!("compiled"), &json!(0)));
    // Whether the text was read before the limit was looked at is a matter of luck.
    let ran = run(&["check", &name, "--time", "0"]);
    assert!(ran.status == 1 && ran.out.ends_with("not checked\n"), "{ran:?}");
    let object = run(&["check", &name, "--time", "0", "--json"]).json();
    fits("check.schema.json", &object);
    assert_eq!((&object["passed"], &object["sheets"][0]["passed"]), (&json!(false), &json!(false)));
}

#[test]
fn a_play_that_may_go_on_for_ever_is_a_note() {
    let folder = Folder::new();
    let cycle = folder.file("cycle.gdl", CYCLE.as_bytes());
    let ran = run(&["check", &cycle, "--steps", "1"]);
    for words in ["note[unfinished-play]", "did not end within 1 step\n", "worth 0", "finite"] {
        assert!(ran.out.contains(words), "`{words}` is not in\n{}", ran.out);
    }
    assert_eq!(
        run(&["check", &cycle, "--steps", "1", "--json"]).json()["sheets"][0]["warnings"],
        0
    );
}

#[test]
fn inspect_tells_what_is_refused_and_which_stage_a_limit_ended() {
    let folder = Folder::new();
    let bad = folder.file("bad.gdl", format!("{GUESS}(<= (next ?y) (does x a))\n").as_bytes());
    let ran = run(&["inspect", &bad, "--json"]);
    fits("inspect.schema.json", &ran.json());
    assert_eq!((ran.status, &ran.json()["result"]), (2, &json!("refused")));
    assert!(ran.json()["reason"].as_str().unwrap().starts_with("line 9: "), "{ran:?}");
    run(&["inspect", &bad]).refused(2, &["bad.gdl:9:"]);
    let large = folder.file("nim.gdl", run(&["generate", "nim", "1000"]).out.as_bytes());
    let ran = run(&["inspect", &large, "--json", "--time", "1ms"]);
    fits("inspect.schema.json", &ran.json());
    assert_eq!((ran.status, &ran.json()["result"]), (1, &json!("halted")));
    assert_eq!(ran.json()["code"], "time");
}

#[test]
fn check_tells_all_faults_of_all_sheets() {
    let folder = Folder::new();
    let good = folder.file("good.gdl", GUESS.as_bytes());
    let faulty = format!("{GUESS}(<= (next ?y) (does x a))\n(<= (next ?z) (does x b))\n");
    let bad = folder.file("bad.gdl", faulty.as_bytes());
    assert_eq!(run(&["check", &good]).status, 0);
    let ran = run(&["check", &good, &bad, "absent.gdl"]);
    assert_eq!(ran.status, 2);
    for part in ["good.gdl: no faults", "bad.gdl:9:", "bad.gdl:10:", "2 errors", "absent.gdl"] {
        assert!(ran.out.contains(part), "`{part}` is not in\n{}", ran.out);
    }
    let object = run(&["check", &good, &bad, "--json"]).json();
    assert_eq!(object["sheets"][0]["passed"], true);
    fits("check.schema.json", &object);
    assert_eq!(object["sheets"][1]["diagnostics"][0]["range"]["start"]["line"], 9);
    let twice = folder.file("twice.gdl", format!("{GUESS}(init start)\n").as_bytes());
    assert_eq!(run(&["check", &twice]).status, 0);
    assert_eq!(run(&["check", &twice, "--strict"]).status, 2);
}

#[test]
fn generated_games_are_solved_from_standard_input() {
    let sheet = run(&["generate", "tic-tac-toe", "3", "3", "3", "--own", "1/2"]);
    assert_eq!(sheet.status, 0);
    let ran = run_with(&["solve", "-", "--json"], sheet.out.as_bytes());
    assert_eq!((&ran.json()["value"], &ran.json()["states"]), (&json!("243/512"), &json!(58828)));
    let named = ["generate", "tic-tac-toe", "--columns", "3", "--rows", "3", "--line", "3"];
    assert_eq!(run(&[&named[..], &["--own", "1/2"]].concat()).out, sheet.out);
}

#[test]
fn generate_writes_a_file_where_it_is_told_to() {
    let folder = Folder::new();
    let path = folder.file("nim.gdl", b"old");
    let ran = run(&["generate", "nim", "5", "--output", &path]);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), run(&["generate", "nim", "5"]).out);
}

#[test]
fn formulas_of_every_family_are_generated_with_their_value_and_solved() {
    for family in qcnf::families::FAMILIES {
        for variant in family.variants {
            let least: Vec<String> =
                family.sizes.iter().map(|size| size.range.0.to_string()).collect();
            let mut args = vec!["generate", family.name, "--variant", variant.name];
            args.extend(least.iter().map(String::as_str));
            let made = run(&args);
            assert_eq!(made.status, 0, "{made:?}");
            let told = made.out.lines().find_map(|line| line.strip_prefix("c value "));
            let value = told.and_then(|told| told.split(' ').next()).expect("the value is told");
            let solved = run_with(&["xssat", "-"], made.out.as_bytes());
            let found = solved.out.split_whitespace().nth(1);
            assert_eq!((solved.status, found), (0, Some(value)), "{args:?}: {solved:?}");
        }
    }
}

#[test]
fn formulas_are_generated_in_the_dialect_and_the_size_asked_for() {
    let usual = run(&["generate", "kbkf"]);
    assert_eq!(usual.out, run(&["generate", "kbkf", "10", "--variant", "false"]).out);
    let plain = run(&["generate", "kbkf", "3", "--dialect", "qdimacs"]);
    assert!(plain.status == 0 && plain.out.contains("\ne 1 2 0\na 3 0\n"), "{plain:?}");
    let rounded = run(&["generate", "parity", "3", "--variant", "chance", "--dialect", "decimal"]);
    assert!(rounded.status == 0 && rounded.err.contains("1/3 of 3 variables"), "{rounded:?}");
    run(&["generate", "parity", "--variant", "chance", "--dialect", "qdimacs"])
        .refused(2, &["bound by chance", "SDIMACS"]);
    run(&["generate", "parity", "0"]).refused(2, &["length is a whole number from 1 to 100000"]);
    run(&["generate", "parity", "--variant", "maybe"]).refused(2, &["maybe", "false, true"]);
    for family in qcnf::families::FAMILIES {
        let help = run(&["generate", family.name, "--help"]);
        assert!(help.out.contains("Examples:") && help.out.contains("Values:"), "{help:?}");
        assert!(help.out.lines().all(|line| line.chars().count() <= 100), "{}", help.out);
    }
}

#[test]
fn engines_agree_and_the_table_says_so() {
    let ran = run(&["crosscheck", &game("stochastic-nim-20.gdl"), "--roles"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(ran.out.matches("\n  agree\n").count(), 2, "{}", ran.out);
    let object = run(&["crosscheck", &game("reroll.gdl"), "--json"]).json();
    assert_eq!(object["questions"][0]["agree"], true);
    assert_eq!(object["questions"][0]["engines"].as_array().unwrap().len(), 3);
}

/// A slip in a condition changes the value and is no fault: whoever solves is told where to look.
#[test]
fn conditions_that_cannot_hold_are_pointed_out() {
    let slip = format!("{GUESS}(<= (legal x c) (true strat))\n");
    let told = |words: &[&str], sheet: &str| {
        let mut all = vec!["solve", "-"];
        all.extend(words);
        let ran = run_with(&all, sheet.as_bytes());
        assert_eq!(ran.status, 0, "{ran:?}");
        ran.err.contains("1 warning about conditions that nothing makes true: `oddsmith check -`")
    };
    assert!(told(&[], &slip) && !told(&[], GUESS));
    assert!(!told(&["--quiet"], &slip) && !told(&["--json"], &slip));
}

/// Bounds that overlap are no agreement.
#[test]
fn a_comparison_of_nothing_says_so() {
    let ran = run(&["crosscheck", &game("checkers.gdl"), "--time", "10ms"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("nothing was compared") && !ran.out.contains("agree"), "{ran:?}");
}

#[test]
fn a_fault_that_all_engines_find_is_told_in_full_below_the_table() {
    let stuck = GUESS.replace("(<= terminal (true lost))", "");
    let ran = run_with(&["crosscheck", "-"], stuck.as_bytes());
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.out.ends_with("\n  agree on the fault\n"), "{ran:?}");
    assert_eq!(ran.err.matches("error").count(), 2, "one fault and the line that counts it");
    for part in ["no-legal-move", "<stdin>:3:", "lost", "<stdin>: 1 error\n"] {
        assert!(ran.err.contains(part), "`{part}` is not in {ran:?}");
    }
}

#[test]
fn translations_are_written_in_all_forms() {
    let path = game("reroll.gdl");
    let normal = run(&["translate", &path, "--to", "gdl"]);
    assert_eq!(normal.status, 0);
    let again = run_with(&["translate", "-", "--to", "gdl"], normal.out.as_bytes());
    assert_eq!(again.out, normal.out, "the normal form is its own normal form");
    assert!(run(&["translate", &path, "--to", "dot"]).out.starts_with("digraph"));
    assert!(run(&["translate", &path, "--to", "propnet"]).out.contains("terminal"));
    assert!(run(&["translate", &path, "--to", "wgsl"]).out.contains("fn update_0("));
}

#[test]
fn models_for_prism_know_the_question() {
    let path = game("stochastic-tic-tac-toe-3x3.gdl");
    let model = |words: &[&str]| {
        let mut all = vec!["translate", &path, "--to", "prism"];
        all.extend(words);
        let ran = run(&all);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{words:?}");
        ran.out
    };
    let game = model(&["--role", "o", "--horizon", "4"]);
    assert!(game.contains("\nsmg\n") && game.contains("<<o>> Pmax=? [ F \"won\" ]"), "{game}");
    assert!(game.contains("steps : [0..4] init 4;"), "{game}");
    let process = model(&["--role", "x", "--chance", "others", "--objective", "goal"]);
    assert!(process.contains("\nmdp\n") && process.contains("paid : [0..2]"), "{process}");
    assert!(!process.contains("<<"), "nobody plays against x: {process}");
    let ran = run(&["translate", &path, "--to", "propnet", "--role", "x"]);
    assert!(ran.status == 2 && ran.err.contains("--to prism"), "{ran:?}");
}

/// A model that no program would read is refused, with its size.
#[test]
fn models_for_prism_have_a_largest_size() {
    // Each relation holds the one before twice: names are replaced 2^40 times.
    let mut sheet = "(role x) (init (cell a)) (init (cell b)) (legal x go) (legal x wait)\n\
                     (<= (even 0) (true (cell a)))\n\
                     (<= (next (cell ?c)) (true (cell ?c)) (does x go))\n\
                     (<= terminal (even 40)) (<= (goal x 100) terminal)\n"
        .to_owned();
    for n in 1..=40 {
        let before = n - 1;
        sheet += &format!("(<= (even {n}) (even {before}) (true (cell b)))\n");
        sheet += &format!("(<= (even {n}) (not (even {before})) (not (true (cell b))))\n");
    }
    let ran = run_with(&["translate", "-", "--to", "prism"], sheet.as_bytes());
    assert!(ran.status == 2 && ran.err.contains("operations once its formulas"), "{ran:?}");
}

#[test]
fn help_teaches_with_examples() {
    for command in [
        "solve",
        "check",
        "perft",
        "inspect",
        "play",
        "generate",
        "crosscheck",
        "translate",
        "verify",
        "query",
    ] {
        let ran = run(&[command, "--help"]);
        assert_eq!(ran.status, 0);
        let example = format!("oddsmith {command} ");
        assert!(ran.out.contains("Examples:") && ran.out.contains(&example), "{}", ran.out);
        assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
    }
    let general = run(&["--help"]).out;
    assert!(general.contains("Exit status:") && general.contains("oddsmith solve"), "{general}");
    let short = run(&[]);
    assert!(short.status == 0 && short.out.contains("Usage: oddsmith"), "{short:?}");
}

#[test]
fn completions_are_there_for_the_usual_shells() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = run(&["completions", shell]);
        assert!(ran.status == 0 && ran.out.contains("crosscheck"), "{shell}");
    }
}

#[test]
fn explain_tells_how_the_game_was_compiled() {
    let ran = run(&["solve", &game("tic-tac-toe.gdl"), "--explain"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let dense = "tier dense: digits of 27 x 27 x 27 values";
    for part in ["gates", "propositions", "groups", dense, "symmetry  8 automorphisms; not used"] {
        assert!(ran.out.contains(part), "`{part}` is not in\n{}", ran.out);
    }
    let ran = run(&["solve", &game("stochastic-nim-100.gdl"), "--explain"]);
    for part in ["tier clock: the first plies took ", " kinds of steps", "symmetry  "] {
        assert!(ran.out.contains(part), "`{part}` is not in\n{}", ran.out);
    }
    let ran = run(&["solve", &game("nim-heaps.gdl"), "--explain"]);
    let heaps = "4 subgames share the clock alone, of 2 + 6 + 5 + 3 propositions; solved together: \
                 the end of the game reads them";
    assert!(ran.out.contains(heaps), "{}", ran.out);
    assert!(!ran.out.contains("neither the end"), "{}", ran.out);
    let ran = run(&["solve", &game("tic-tac-toe.gdl"), "--explain", "--tier", "table"]);
    assert!(!ran.out.contains("subgames"), "{}", ran.out);
    let kept = "symmetry  8 automorphisms; one state of each orbit is kept";
    for part in ["tier planes, 1 word a state", "not dense: it was asked for", kept] {
        assert!(ran.out.contains(part), "`{part}` is not in\n{}", ran.out);
    }
}

#[test]
fn subgames_that_are_solved_apart_are_told() {
    let ladders = game("four-ladders.gdl");
    let ran = run(&["solve", &ladders, "--explain"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let apart = "solved apart: the value is the product of theirs";
    for part in ["625/4096", "; summed over 4 subgames solved apart", apart, "subgame   4 of 4: "] {
        assert!(ran.out.contains(part), "`{part}` is not in\n{}", ran.out);
    }
    let asked = ["solve", &ladders, "--explain", "--role", "sceptic"];
    assert!(
        run(&asked).out.contains("solved apart: the odds of failing are the product of theirs")
    );
    for (flags, why) in [
        (["--tier", "table"], "solved together: it was asked for"),
        (["--engine", "search"], "solved together: it is the sweep that solves them apart"),
    ] {
        let ran = run(&["solve", &ladders, "--explain", flags[0], flags[1]]);
        assert!(ran.out.contains("625/4096") && ran.out.contains(why), "{}", ran.out);
        assert!(!ran.out.contains("solved apart"), "{}", ran.out);
    }
    let json: Value =
        serde_json::from_str(&run(&["solve", &ladders, "--json"]).out).expect("an object");
    assert_eq!(json["apart"], 4);
    let one = run(&["solve", &game("one-spin.gdl"), "--json"]).out;
    let one: Value = serde_json::from_str(&one).expect("an object");
    assert!(one.get("apart").is_none(), "{one}");
}

#[test]
fn a_tier_that_does_not_fit_is_refused_and_one_that_does_says_the_same() {
    let refused = run(&["solve", &game("pig-5.gdl"), "--tier", "clock"]);
    assert_eq!(refused.status, 2, "{refused:?}");
    for part in ["this question is not for `--tier clock`: ", "leave `--tier` out"] {
        assert!(refused.err.contains(part), "`{part}` is not in\n{}", refused.err);
    }
    let (pig, connect) = (game("pig-5.gdl"), game("stochastic-connect-3-4x4.gdl"));
    let refused = run(&["solve", &pig, "--tier", "dense"]);
    assert_eq!(refused.status, 2, "{refused:?}");
    for part in ["this question is not for `--tier dense`: ", "leave `--tier` out"] {
        assert!(refused.err.contains(part), "`{part}` is not in\n{}", refused.err);
    }
    assert_eq!(run(&["solve", &pig, "--tier", "auto"]).status, 0);
    let misfit = run(&["solve", &pig, "--engine", "search", "--tier", "table"]);
    assert_eq!(misfit.status, 2, "{misfit:?}");
    let answer = |tier| {
        let ran = run(&["solve", &connect, "--no-symmetry", "--tier", tier]);
        assert_eq!(ran.status, 0, "{ran:?}");
        // All but the line of times.
        let lines = ran.out.lines().filter(|line| !line.starts_with("time"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(answer("dense"), answer("table"));
    for threads in ["1", "3"] {
        let ran = run(&["solve", &connect, "--threads", threads]);
        assert!(answer("table").iter().all(|line| ran.out.contains(line)), "{ran:?}");
    }
    let misfit = run(&["solve", &connect, "--engine", "reference", "--threads", "2"]);
    assert_eq!(misfit.status, 2, "{misfit:?}");
}

#[test]
fn symmetry_changes_only_what_is_stored() {
    let game = game("stochastic-tic-tac-toe-3x3.gdl");
    let answer = |more: &[&str]| {
        let ran = run(&[&["solve", &game, "--tier", "table", "--json"], more].concat());
        assert_eq!(ran.status, 0, "{ran:?}");
        let line = |line: &&str| {
            let kept = ["stored", "seconds", "memory", "bytes"];
            !kept.iter().any(|key| line.contains(key))
        };
        let stored = ran.out.lines().find(|line| line.contains("\"stored\"")).expect("a count");
        let digits: String = stored.chars().filter(char::is_ascii_digit).collect();
        let others: Vec<String> = ran.out.lines().filter(line).map(str::to_owned).collect();
        (digits.parse::<u64>().expect("a number"), others)
    };
    let (few, all) = (answer(&[]), answer(&["--no-symmetry"]));
    assert_eq!(few.1, all.1);
    assert!(6 * few.0 <= all.0, "{} of {} states", few.0, all.0);
    let misfit = run(&["solve", &game, "--engine", "search", "--no-symmetry"]);
    assert_eq!(misfit.status, 2, "{misfit:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_the_bounds_reached() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let (_folder, path) = endless_work();
    let child = support::command(&["solve", &path, "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // Long enough to install the handler, short enough to be in the middle of the work.
    std::thread::sleep(Duration::from_millis(700));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("`kill` is there").success());
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let object: Value = serde_json::from_slice(&output.stdout).expect("an object");
    fits("solve.schema.json", &object);
    assert_eq!(object["halt"]["reason"], "interrupt");
}

#[test]
fn perft_shows_the_plies_that_a_limit_leaves() {
    let sheet = game("stochastic-connect-4-4x4.gdl");
    let ran = run(&["perft", &sheet, "--time", "150ms", "--json"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let object = ran.json();
    fits("perft.schema.json", &object);
    assert!(object["halted"].as_str().is_some_and(|text| text.contains("--depth")), "{object}");
    assert!(object["plies"].as_array().is_some_and(|plies| !plies.is_empty()));
}

#[test]
fn an_error_of_usage_is_an_object_that_its_schema_allows() {
    let name = game("tic-tac-toe.gdl");
    for command in ["solve", "check", "perft", "inspect", "verify"] {
        let calls: [&[&str]; 3] = [&[], &[&name, "--bogus"], &[&name, "--memory", "1"]];
        for flags in calls {
            let ran = run(&[&[command, "--json"], flags].concat());
            let object = ran.json();
            fits(&format!("{command}.schema.json"), &object);
            assert!(ran.status >= 2 && object["error"].is_object(), "{flags:?} {ran:?}");
        }
    }
}
