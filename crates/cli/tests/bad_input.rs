//! Each kind of bad input gets a clear message on standard error and the status of its kind.

mod support;

use support::{CYCLE, Folder, GUESS, game, run, run_with, solve};

/// The guess with a rule added.
fn guess_and(rule: &str) -> String {
    format!("{GUESS}{rule}\n")
}

/// The guess with a part replaced.
fn guess_with(part: &str, other: &str) -> String {
    assert!(GUESS.contains(part), "`{part}` is in the sheet");
    GUESS.replacen(part, other, 1)
}

#[test]
fn a_missing_file_and_a_folder_are_told_apart() {
    run(&["solve", "no-such-file.gdl"]).refused(2, &["no-such-file.gdl", "no such file"]);
    let folder = Folder::new();
    let path = folder.path().to_str().unwrap();
    run(&["solve", path]).refused(2, &["is a folder, not a sheet"]);
    let state = format!("@{path}");
    solve(GUESS, &["--from", &state]).refused(2, &["is a folder, not a state file"]);
    solve(GUESS, &["--from", "@"]).refused(2, &["a file name is missing after the @"]);
}

#[cfg(unix)]
#[test]
fn a_file_name_cannot_steer_the_terminal() {
    let folder = Folder::new();
    let path = folder.file("\u{1b}[31m\n.gdl", GUESS.as_bytes());
    let absent = format!("{path}.none");
    let commands = [["solve", &path], ["check", &path], ["crosscheck", &path], ["solve", &absent]];
    for args in commands {
        let ran = run(&args);
        let shown = format!("{}{}", ran.out, ran.err);
        assert!(!shown.contains('\u{1b}') && !shown.contains("31m\n"), "{ran:?}");
        assert!(shown.contains("\\u{1b}[31m\\n.gdl"), "{ran:?}");
    }
    assert_eq!(run(&["solve", &path, "--json"]).json()["game"], path.as_str());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_read_is_the_inputs_fault() {
    run(&["solve", "/proc/self/mem"]).refused(2, &["cannot read /proc/self/mem"]);
}

#[test]
fn an_empty_sheet_is_refused() {
    for text in ["", " \n\t\n", "; only a comment\n"] {
        solve(text, &[]).refused(2, &["empty"]);
    }
}

#[test]
fn binary_junk_is_refused() {
    let junk: Vec<u8> =
        (0..4096u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let folder = Folder::new();
    run(&["solve", &folder.file("junk.gdl", &junk)]).refused(2, &["not text"]);
    run_with(&["solve", "-"], b"\x7fELF\x02\x01\x01\0\0\0").refused(2, &["not text"]);
}

#[test]
fn unbalanced_parentheses_are_shown_with_their_place() {
    let folder = Folder::new();
    let path = folder.file("open.gdl", b"(role x)\n(init (cell 1 b)\n(role o)\n");
    run(&["solve", &path]).refused(2, &["open.gdl:2:1", "(init (cell 1 b)", "^"]);
    solve("(role x))\n", &[]).refused(2, &["<stdin>:1:9"]);
}

#[test]
fn a_sheet_without_roles_is_refused() {
    solve("(init start)\n(<= terminal (true start))\n", &[]).refused(2, &["role"]);
}

#[test]
fn an_unknown_role_is_answered_with_the_roles_there_are() {
    let ran = run(&["solve", &game("tic-tac-toe.gdl"), "--role", "oo"]);
    ran.refused(2, &["no role `oo`", "`x`, `o`", "did you mean `o`?"]);
    solve(GUESS, &["--chance", "dealer"]).refused(2, &["no role `dealer`"]);
}

#[test]
fn asking_about_a_chance_role_is_refused() {
    solve(GUESS, &["--role", "random"]).refused(2, &["`random` plays at random", "`x`"]);
    let ttt = game("tic-tac-toe.gdl");
    run(&["solve", &ttt, "--role", "o", "--chance", "o"]).refused(2, &["`o` plays at random"]);
    solve(GUESS, &["--chance", "x"]).refused(2, &["every role", "at random"]);
}

#[test]
fn a_role_without_a_legal_move_is_shown_with_the_state() {
    let stuck = guess_with("(<= terminal (true lost))", "");
    for engine in ["sweep", "reference"] {
        let ran = solve(&stuck, &["--engine", engine]);
        ran.refused(2, &["no legal move", "lost"]);
    }
}

#[test]
fn an_unsafe_variable_is_shown_with_its_rule() {
    let sheet = guess_and("(<= (next (seen ?z)) (does x a))");
    solve(&sheet, &[]).refused(2, &["?z", "<stdin>:9:", "^"]);
}

#[test]
fn negation_through_recursion_is_refused() {
    let sheet = guess_and("(<= p (not q))\n(<= q (not p))\n(<= (next p) p)");
    solve(&sheet, &[]).refused(2, &["negation", "^"]);
}

#[test]
fn legal_depending_on_does_is_refused() {
    let sheet = guess_and("(<= (legal x c) (does random a))");
    solve(&sheet, &[]).refused(2, &["legal", "does", "^"]);
}

#[test]
fn a_domain_that_grows_without_bound_is_refused_with_the_rule() {
    let sheet = guess_and("(init (n 0))\n(<= (next (n (s ?n))) (true (n ?n)))");
    let ran = solve(&sheet, &[]);
    ran.refused(2, &["(<= (next (n (s ?n))) (true (n ?n)))"]);
}

#[test]
fn a_ground_limit_names_the_rule_that_passes_it() {
    let ran = run(&["solve", &game("stochastic-nim-100.gdl"), "--ground-limit", "50"]);
    ran.refused(2, &["--ground-limit", "^", "stochastic-nim-100.gdl: 1 error\n"]);
}

#[test]
fn a_goal_out_of_range_is_refused() {
    solve(&guess_with("(goal x 100)", "(goal x 101)"), &[]).refused(2, &["101", "100"]);
    solve(&guess_with("(goal x 100)", "(goal x much)"), &[]).refused(2, &["much"]);
}

#[test]
fn two_goal_values_in_a_terminal_state_are_refused() {
    let sheet = guess_and("(<= (goal x 50) (true won))");
    for engine in ["sweep", "reference"] {
        solve(&sheet, &["--engine", engine]).refused(2, &["50", "100", "won"]);
    }
}

#[test]
fn a_missing_goal_is_a_fault_only_under_objective_goal() {
    let sheet = guess_with("(<= (goal x 0) (true lost))", "");
    assert_eq!(solve(&sheet, &[]).status, 0);
    solve(&sheet, &["--objective", "goal"]).refused(2, &["goal", "lost"]);
}

#[test]
fn a_game_that_need_not_end_is_valued_and_a_horizon_bounds_it() {
    for engine in ["sweep", "search", "reference"] {
        for horizon in [&[][..], &["--horizon", "5"]] {
            let ran = solve(CYCLE, &[&["--engine", engine], horizon].concat());
            assert_eq!(ran.status, 0, "{ran:?}");
            assert!(ran.out.contains("value     1\n"), "{ran:?}");
        }
    }
    // A coin that is tossed until it falls right: no finite look ahead is enough.
    let tosses = "(role x) (role random) (init s) (legal x go) (legal random heads)
        (legal random tails) (<= (next s) (does random heads)) (<= (next t) (does random tails))
        (<= terminal (true t)) (goal x 100)";
    assert!(solve(tosses, &[]).out.contains("value     1\n"), "the limit is worth 1");
    let ran = solve(tosses, &["--engine", "search"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.err.contains("--engine sweep") && ran.err.contains("--horizon"), "{ran:?}");
}

#[test]
fn a_memory_limit_below_the_program_is_refused_with_the_least() {
    for limit in ["1", "64KiB", "2MB"] {
        solve(GUESS, &["--memory", limit]).refused(2, &["the least is --memory", "MiB"]);
    }
    assert_eq!(solve(GUESS, &["--memory", "1GiB"]).status, 0);
}

/// A product of domains that no small machine holds: the halt comes while it is grounded.
#[cfg(target_os = "linux")]
#[test]
fn a_memory_limit_met_while_grounding_is_a_halt_with_bounds() {
    let digits: String = (0..24).map(|digit| format!("(d {digit}) ")).collect();
    let product = "(<= (next (p ?a ?b ?c ?d ?e)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))";
    let sheet = guess_and(&format!("{digits}\n{product}"));
    let ran = solve(&sheet, &["--memory", "96MiB"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("at least 0") && ran.out.contains("at most  1"), "{ran:?}");
    assert!(ran.err.contains("the memory limit was met"), "{ran:?}");
    assert!(ran.err.contains("the rules were being grounded"), "{ran:?}");
    let depth = ["perft", "-", "--depth", "1", "--memory", "96MiB"];
    let counted = run_with(&depth, sheet.as_bytes());
    assert_eq!(counted.status, 1, "{counted:?}");
    assert!(counted.err.contains("before it began"), "{counted:?}");
}

#[test]
fn a_state_that_does_not_fit_the_game_is_refused() {
    solve(GUESS, &["--from", "(cell 1 1 x)"]).refused(2, &["cell"]);
    solve(GUESS, &["--from", "(start"]).refused(2, &["--from:1:1"]);
    solve(GUESS, &["--from", "@no-such-state"]).refused(2, &["no-such-state"]);
}

#[test]
fn hidden_information_is_refused_unless_it_is_taken_as_open() {
    let sheet = guess_and("(<= (sees x start) (true start))");
    solve(&sheet, &[]).refused(2, &["sees", "--perfect-information"]);
    assert_eq!(solve(&sheet, &["--perfect-information"]).status, 0);
}

#[test]
fn wrong_flags_are_the_inputs_fault() {
    let wrong = [
        &["--horizon", "-1"][..],
        &["--horizon", "99999999999"],
        &["--time", "soon"],
        &["--memory", "lots"],
        &["--engine", "oracle"],
        &["--backend", "abacus"],
        &["--role", "x", "--roles"],
        &["--depth", "3"],
        &["--approximate", "--engine", "reference"],
        &["--no-such-flag"],
    ];
    for flags in wrong {
        solve(GUESS, flags).refused(2, &["error:"]);
    }
    run(&["conjure"]).refused(2, &["conjure"]);
    run(&["solve"]).refused(2, &["GAME"]);
    run(&["generate", "connect", "3", "3", "9"]).refused(2, &["line 9"]);
    run(&["generate", "nim", "0"]).refused(2, &["from 1 to 100000"]);
    run(&["generate", "nim", "5", "--add", "7/4"]).refused(2, &["7/4"]);
}

#[test]
fn numbers_below_zero_and_beyond_reason_are_told_what_is_right() {
    let cases = [
        (&["--horizon", "-1"][..], "a horizon is a whole number of steps from 0 to 4294967295"),
        (&["--horizon", "99999999999"], "a horizon is a whole number of steps"),
        (&["--engine", "search", "--depth", "-1"], "a depth is a whole number of steps"),
        (&["--time", "-5s"], "write a duration"),
        (&["--memory", "-1GiB"], "write a size"),
        (&["--ground-limit", "-3"], "a ground limit is a whole number of atoms from 1"),
        (&["--role", "-1"], "no role `-1`"),
    ];
    for (flags, words) in cases {
        solve(GUESS, flags).refused(2, &[words]);
    }
    let nim = game("stochastic-nim-20.gdl");
    run(&["play", &nim, "--seed", "-1"]).refused(2, &["a seed is a whole number from 0"]);
    run(&["inspect", &nim, "--plays", "-1"]).refused(2, &["plays are a whole number of games"]);
    run(&["inspect", &nim, "--steps", "x"]).refused(2, &["steps are a whole number from 0"]);
    run(&["perft", &nim, "--depth", "-1"]).refused(2, &["a depth is a whole number"]);
    run(&["generate", "nim", "-1"]).refused(2, &["a pile is a whole number of pieces"]);
    run(&["generate", "nim", "5", "--add", "-1/2"]).refused(2, &["write a probability"]);
    run(&["generate", "connect", "-1", "3", "3"]).refused(2, &["are whole numbers of cells"]);
}

#[test]
fn a_board_without_its_line_is_told_how_to_write_it() {
    let usage = "<COLUMNS> <ROWS> <LINE>";
    for family in ["connect", "tic-tac-toe"] {
        run(&["generate", family, "4", "4"]).refused(2, &["not provided", "<LINE>", usage]);
        assert!(run(&["generate", family, "--help"]).out.contains(usage));
    }
}

#[cfg(unix)]
#[test]
fn output_to_a_closed_pipe_ends_quietly() {
    use std::process::Stdio;
    let nim = game("stochastic-nim-20.gdl");
    for args in [&["generate", "nim", "20000"][..], &["solve", &nim], &["solve", &nim, "--json"]] {
        let mut child = support::command(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the binary ends");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args:?} {err}");
        assert!(!err.contains("panic") && !err.contains("error"), "{args:?} {err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_the_environments_fault() {
    let nim = game("stochastic-nim-20.gdl");
    let commands = [
        &["generate", "nim", "5"][..],
        &["solve", &nim],
        &["solve", &nim, "--json"],
        &["check", &nim, "--json"],
        &["--help"],
        &["solve", "--help"],
        &["help", "solve"],
        &["--version"],
        &[],
    ];
    for args in commands {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
        let output = support::command(args).stdout(full).output().expect("the binary ends");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{args:?} {err}");
        assert!(err.contains("cannot write the output"), "{args:?} {err}");
    }
    let folder = Folder::new();
    let inside = folder.path().join("none").join("game.gdl");
    let target = inside.to_str().unwrap();
    run(&["generate", "nim", "5", "--output", target]).refused(3, &["cannot write", target]);
}

/// The system sends a signal with such a write, which would end the program without a word.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_the_size_of_files_is_the_environment_s_fault() {
    let folder = Folder::new();
    let program = env!("CARGO_BIN_EXE_oddsmith");
    for (name, words) in [
        ("game.gdl", "generate connect 7 6 4 --output"),
        ("x.table", "solve games/stochastic-nim-20.gdl --table"),
    ] {
        let path = folder.path().join(name);
        let line = format!("ulimit -f 1; exec '{program}' {words} '{}'", path.display());
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", &line]).current_dir(root).output().expect("a shell");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{words}: {output:?}");
        assert!(err.contains("too large"), "{words}: {err}");
        assert!(!path.exists(), "{words}: nothing half is left");
    }
}

#[test]
fn standard_input_is_read_once() {
    let ran = support::run_with(&["check", "-", "-"], GUESS.as_bytes());
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.out.contains("standard input was already read"), "{ran:?}");
    assert!(!ran.out.contains("empty-sheet"), "{ran:?}");
    let ran = support::run_with(&["fmt", "-", "-"], GUESS.as_bytes());
    assert!(ran.status == 2 && ran.err.contains("already read"), "{ran:?}");
}

#[test]
fn an_argument_cannot_steer_the_terminal() {
    let calls: [&[&str]; 4] = [
        &["solve", "\u{1b}[31mx", "--bogus\u{1b}[2J"],
        &["\u{1b}[31mconjure"],
        &["solve", "x", "--memory", "1\u{7}\n\nerror: forged"],
        &["solve", "x", "y\u{9b}31m"],
    ];
    for args in calls {
        let ran = run(args);
        ran.refused(2, &["error:", "\\u{"]);
        let shown = ran.err.chars().all(|letter| letter == '\n' || !letter.is_control());
        assert!(shown && !ran.err.contains("\nerror: forged"), "{ran:?}");
    }
    let ran = run(&["solve", "--json", "x", "--memory", "1\n2"]);
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("1\\n2"), "{ran:?}");
}

#[test]
fn flags_that_would_be_ignored_are_refused() {
    let each = "--players each cannot be combined with";
    let pairs: [(&[&str], &str); 6] = [
        (&["--players", "each", "--memory", "1GiB", "--spill", "d"], each),
        (&["--players", "each", "--checkpoint", "d"], each),
        (&["--players", "each", "--engine", "sweep"], each),
        (&["--players", "each", "--width", "1e-9"], each),
        (&["--engine", "search", "--memory", "1GiB", "--spill", "d"], "--engine sweep"),
        (&["--engine", "reference", "--check", "--depth", "3"], "--engine search"),
    ];
    for (flags, words) in pairs {
        solve(GUESS, flags).refused(2, &[words]);
    }
    let path = game("tic-tac-toe.gdl");
    for flag in [["--placement", "baseline"], ["--dialect", "decimal"]] {
        let words = [&["translate", &path, "--to", "propnet"][..], &flag].concat();
        run(&words).refused(2, &[flag[0], "is for `--to sdimacs`"]);
    }
    run_with(&["xssat", "-", "--to", "trace", "--dialect", "decimal"], b"p cnf 1 1\n1 0\n")
        .refused(2, &["--dialect is for `--to sdimacs`"]);
}

#[test]
fn negative_numbers_and_empty_names_are_refused_as_values_of_their_flags() {
    let sheet = game("race.gdl");
    let threads = run(&["solve", &sheet, "--threads", "-1"]);
    threads.refused(2, &["--threads", "a whole number from 1 to 1024"]);
    let none = run(&["solve", &sheet, "--backend", "gpu", "--device", ""]);
    none.refused(2, &["a value is required for '--device"]);
    let negative = run(&["solve", &sheet, "--device", "-1"]);
    assert!(!negative.err.contains("unexpected argument"), "{negative:?}");
    assert!(negative.status == 2 || negative.status == 3, "{negative:?}");
}
