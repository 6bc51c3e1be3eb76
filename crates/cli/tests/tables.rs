//! Tables as a user meets them: written, looked into, proven, and refused.

#![forbid(unsafe_code)]

mod support;

use std::fs;

use support::{CYCLE, Folder, GUESS, game, run, run_with, schema};

fn fits(name: &str, object: &serde_json::Value) {
    assert_eq!(schema::fault(&schema::load(name), object), None, "{object}");
}

#[test]
fn a_table_is_written_looked_into_and_proven() {
    let folder = Folder::new();
    let sheet = folder.file("guess.gdl", GUESS.as_bytes());
    let table = folder.path().join("guess.table").display().to_string();
    let ran = run(&["solve", &sheet, "--table", &table, "--json"]);
    fits("solve.schema.json", &ran.json());
    assert_eq!(ran.json()["table"]["entries"], 3, "{ran:?}");
    let text = run(&["solve", &sheet, "--table", &table]).out;
    assert!(text.contains("3 entries"), "{text}");

    let proven = run(&["verify", &sheet, &table, "--json", "--threads", "2"]);
    assert_eq!(proven.status, 0, "{proven:?}");
    let object = proven.json();
    fits("verify.schema.json", &object);
    assert_eq!((&object["proven"], &object["value"]), (&true.into(), &"1/2".into()));
    let text = run(&["verify", &sheet, &table]).out;
    assert!(
        text.contains("proven") && text.contains("1/2") && text.contains("entries/s"),
        "{text}"
    );

    let found = run(&["query", &table, "--json"]).json();
    fits("query.schema.json", &found);
    assert_eq!(found["found"][0]["value"], "1/2");
    assert_eq!(
        found["found"][0]["best"].as_array().map(Vec::len),
        Some(2),
        "both guesses are best"
    );
    for state in ["won", "(true won)", "((true WON))"] {
        let found = run(&["query", &table, "--state", state, "--json"]).json();
        assert_eq!(
            (&found["found"][0]["value"], &found["found"][0]["step"]),
            (&"1/1".into(), &1.into())
        );
        assert_eq!(found["found"][0]["best"].as_array().map(Vec::len), Some(0));
    }
    let lost = run(&["query", &table, "--state", "lost"]).out;
    assert!(lost.contains("value     0"), "{lost}");
    run(&["query", &table, "--state", "won", "--step", "7"]).refused(2, &["no such state"]);
    run(&["query", &table, "--state", "wom"]).refused(2, &["did you mean `won`"]);
    run(&["query", &table, "--state", "(won"]).refused(2, &["parenthesis"]);
}

#[test]
fn a_table_that_is_not_whole_or_of_something_else_is_refused() {
    let folder = Folder::new();
    let sheet = folder.file("guess.gdl", GUESS.as_bytes());
    let table = folder.path().join("guess.table").display().to_string();
    assert_eq!(run(&["solve", &sheet, "--table", &table]).status, 0);
    let other = folder.file("other.gdl", GUESS.replace("goal x 0", "goal x 50").as_bytes());
    run(&["verify", &other, &table]).refused(2, &["other rules"]);
    let refused = run(&["verify", &other, &table, "--json"]);
    fits("verify.schema.json", &refused.json());
    run(&["verify", &sheet, &sheet]).refused(2, &["no whole table"]);
    run(&["verify", &sheet, "none.table"]).refused(2, &["no such file"]);
    run(&["query", "none.table"]).refused(2, &["no such file"]);
    let bytes = fs::read(&table).expect("written");
    for at in (0..bytes.len()).step_by(37) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        fs::write(&table, changed).expect("written");
        let ran = run(&["verify", &sheet, &table]);
        assert_eq!(ran.status, 2, "byte {at}: {ran:?}");
    }
}

#[test]
fn a_wrong_entry_is_shown_with_what_is_written_and_what_is_derived() {
    use exact::UBig;
    use table::{Choice, Claim, Field, Layout, MoveName, Writer};
    let folder = Folder::new();
    let sheet = folder.file("guess.gdl", GUESS.as_bytes());
    let table = folder.path().join("guess.table");
    let path = table.display().to_string();
    assert_eq!(run(&["solve", &sheet, "--table", &path]).status, 0);
    let read = table::Table::open(&table).expect("a table");
    let claim: Claim = read.claim().clone();
    let field = |at: usize, name: &str| Field {
        bits: at..at + 1,
        codes: vec![(0, None), (1, Some(name.to_owned()))],
    };
    let fields = vec![field(0, "start"), field(1, "won"), field(2, "lost")];
    let layout = Layout::new(Vec::new(), fields).expect("a layout");
    let write = |values: [u64; 3], best: &[u32]| {
        let mut writer =
            Writer::create(&table, layout.clone(), folder.path(), 1 << 20).expect("begun");
        writer.begin(1, UBig::from(2u8));
        writer.push(&[2], &[values[1]], &Choice::default()).expect("taken");
        writer.push(&[4], &[values[2]], &Choice::default()).expect("taken");
        writer.end().expect("written");
        writer.begin(0, UBig::from(4u8));
        let choice = Choice { choosers: 1, moves: best.to_vec() };
        writer.push(&[1], &[values[0]], &choice).expect("taken");
        writer.end().expect("written");
        let name = |id| MoveName { role: "x".to_owned(), text: ["a", "b"][id as usize].to_owned() };
        writer.finish(&claim, name).expect("finished");
    };
    write([2, 2, 0], &[0, 1]);
    assert_eq!(run(&["verify", &sheet, &path]).status, 0);
    write([3, 2, 0], &[0, 1]);
    run(&["verify", &sheet, &path])
        .refused(2, &["start", "written: 3/4", "derived: 1/2", "step 0"]);
    write([2, 2, 0], &[1]);
    run(&["verify", &sheet, &path]).refused(2, &["written: b", "derived: a, b"]);
    // All of it consistent but for the ends of the game.
    write([4, 2, 2], &[0, 1]);
    let ran = run(&["verify", &sheet, &path, "--json"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    fits("verify.schema.json", &ran.json());
    let objection = &ran.json()["objection"];
    assert_eq!((&objection["state"], &objection["derived"]), (&"lost".into(), &"0/1".into()));
}

#[test]
fn a_policy_of_either_side_proves_a_bound() {
    let sheet = game("tic-tac-toe.gdl");
    for (side, bound) in [("asked", "at least"), ("opponents", "at most")] {
        let folder = Folder::new();
        let table = folder.path().join("policy.table").display().to_string();
        let ran = run(&["solve", &sheet, "--table", &table, "--policy", side, "--json"]);
        assert_eq!(ran.status, 0, "{ran:?}");
        let entries = ran.json()["table"]["entries"].as_u64().expect("a number");
        assert!(entries < 2_000, "{side}: {entries} of 5,478 entries");
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1, "nothing beside it");
        let proven = run(&["verify", &sheet, &table, "--json"]).json();
        fits("verify.schema.json", &proven);
        assert_eq!((&proven["bound"], &proven["value"]), (&bound.into(), &"0/1".into()));
        let text = run(&["verify", &sheet, &table]).out;
        assert!(text.contains(&format!("value     {bound} 0")), "{text}");
        let found = run(&["query", &table, "--json"]).json();
        fits("query.schema.json", &found);
        assert_eq!((&found["bound"], &found["policy"]), (&bound.into(), &side.into()));
        let text = run(&["query", &table]).out;
        assert!(
            text.contains(&format!("value     {bound} 0")) && text.contains("policy"),
            "{text}"
        );
    }
    assert_eq!(run(&["solve", &sheet, "--policy", "asked"]).status, 2);
}

/// Both choose at once: x wins where they choose the same.
const MATCH: &str = "\
(role x) (role o)
(init start)
(<= (legal ?r a) (true start) (role ?r)) (<= (legal ?r b) (true start) (role ?r))
(<= (next won) (does x ?m) (does o ?m))
(<= (next lost) (does x ?m) (does o ?n) (distinct ?m ?n))
(<= terminal (true won)) (<= terminal (true lost))
(<= (goal x 100) (true won)) (<= (goal x 0) (true lost))
(<= (goal o 0) (true won)) (<= (goal o 100) (true lost))
";

#[test]
fn what_is_proven_of_a_simultaneous_game_is_a_lower_bound() {
    let folder = Folder::new();
    let sheet = folder.file("match.gdl", MATCH.as_bytes());
    let table = folder.path().join("match.table").display().to_string();
    assert_eq!(run(&["solve", &sheet, "--table", &table]).status, 0);
    let ran = run(&["verify", &sheet, &table]);
    assert!(ran.out.contains("value     at least 0\n"), "{ran:?}");
    assert!(ran.err.contains("lower bound for the simultaneous game"), "{ran:?}");
    let object = run(&["verify", &sheet, &table, "--json"]).json();
    fits("verify.schema.json", &object);
    assert_eq!((&object["bound"], &object["simultaneous"]), (&"at least".into(), &true.into()));
    let other = folder.path().join("o.table").display().to_string();
    let ran = run(&["solve", &sheet, "--table", &other, "--policy", "opponents"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.err.contains("table was not written: both sides choose"), "{ran:?}");
    assert!(ran.out.contains("value     at least 0\n"), "the answer stands: {ran:?}");
    assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 2, "nothing beside it");
    let object =
        run(&["solve", &sheet, "--table", &other, "--policy", "opponents", "--json"]).json();
    fits("solve.schema.json", &object);
    assert_eq!(object["table_error"]["code"], "both-choose", "{object}");
    assert_eq!((&object["exact"], object.get("table")), (&true.into(), None));
}

#[test]
fn the_question_that_is_proven_is_shown_and_may_be_demanded() {
    let folder = Folder::new();
    let sheet = folder.file("guess.gdl", GUESS.as_bytes());
    let table = folder.path().join("won.table").display().to_string();
    let solved = run(&["solve", &sheet, "--table", &table, "--from", "won", "--horizon", "3"]);
    assert_eq!(solved.status, 0, "{solved:?}");
    let text = run(&["verify", &sheet, &table]).out;
    let question =
        "the probability that x wins, within 3 steps, from the given state; chance: random";
    for part in [question, "from      won\n", "value     1\n"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    let object = run(&["verify", &sheet, &table, "--json"]).json();
    fits("verify.schema.json", &object);
    assert_eq!(object["from"], serde_json::json!(["won"]), "{object}");
    assert_eq!((&object["role"], &object["horizon"]), (&"x".into(), &3.into()));
    assert_eq!((&object["objective"], &object["bound"]), (&"win".into(), &"exact".into()));
    assert_eq!(object["chance"], serde_json::json!(["random"]));
    let found = run(&["query", &table, "--json"]).json();
    fits("query.schema.json", &found);
    assert_eq!(found["from"], serde_json::json!(["won"]));
    let text = run(&["query", &table]).out;
    assert!(text.contains(question) && text.contains("from      won\n"), "{text}");

    let demanded = ["--role", "x", "--horizon", "3", "--objective", "win", "--chance", "random"];
    let ran = run(&[&["verify", &sheet, &table], &demanded[..]].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    for (flags, part) in [
        (["--horizon", "4"], "the horizon 3, not with the horizon 4"),
        (["--objective", "goal"], "the objective win, not with the objective goal"),
        (["--role", "random"], "at random"),
        (["--role", "z"], "no role `z`"),
    ] {
        run(&[&["verify", &sheet, &table], &flags[..]].concat()).refused(2, &[part]);
    }
    let two = folder.file("match.gdl", MATCH.as_bytes());
    let solved = run(&["solve", &two, "--table", &table, "--chance", "o"]);
    assert_eq!(solved.status, 0, "{solved:?}");
    for flags in [["--chance", "o"], ["--chance", "others"], ["--role", "x"]] {
        let ran = run(&[&["verify", &two, &table], &flags[..]].concat());
        assert_eq!(ran.status, 0, "{ran:?}");
    }
    run(&["verify", &two, &table, "--role", "o"]).refused(2, &["about `x`, not about `o`"]);
    let solved = run(&["solve", &two, "--table", &table]);
    assert_eq!(solved.status, 0, "{solved:?}");
    run(&["verify", &two, &table, "--chance", "o"])
        .refused(2, &["chance roles none, not with chance roles o"]);
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = Folder::new();
    let table = folder.path().join("cycle.table").display().to_string();
    run_with(&["solve", "-", "--table", &table], CYCLE.as_bytes())
        .refused(2, &["--horizon", "layers"]);
    assert!(fs::read_dir(folder.path()).expect("there").next().is_none());
    let ran = run_with(&["solve", "-", "--table", &table, "--horizon", "3"], CYCLE.as_bytes());
    assert_eq!(ran.status, 0, "{ran:?}");
    for flags in [["--roles", "--table"], ["--approximate", "--table"]] {
        let ran = run_with(&[&["solve", "-"], &flags[..], &[&table]].concat(), GUESS.as_bytes());
        assert_eq!(ran.status, 2, "{ran:?}");
    }
    run_with(&["solve", "-", "--engine", "search", "--table", &table], GUESS.as_bytes())
        .refused(2, &["--table", "--engine sweep"]);
    let held = folder.path().display().to_string();
    run_with(&["solve", "-", "--table", &held], GUESS.as_bytes()).refused(2, &["is a folder"]);
    let nowhere = folder.path().join("none/x.table").display().to_string();
    run_with(&["solve", "-", "--table", &nowhere], GUESS.as_bytes()).refused(3, &["cannot write"]);
}

#[test]
fn limits_end_a_proof_with_status_1() {
    let folder = Folder::new();
    let table = folder.path().join("nim.table").display().to_string();
    let sheet = game("stochastic-nim-20.gdl");
    assert_eq!(run(&["solve", &sheet, "--table", &table]).status, 0);
    let ran = run(&["verify", &sheet, &table, "--time", "1ms", "--json"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    fits("verify.schema.json", &ran.json());
    let halted = ran.json()["halted"].is_string() || ran.json()["error"].is_object();
    assert!(halted, "{ran:?}");
}
