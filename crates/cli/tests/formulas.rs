//! `xssat` on what formulas look like in the wild: empty, odd, broken, too large; what it writes;
//! and how it ends when it is stopped.

#![forbid(unsafe_code)]

mod support;

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use support::{Ran, command, run, run_with, schema};

/// Worth 2/3: a choice, then a toss that falls right in one of three cases.
const GUESS: &str = "p cnf 2 2\ne 1 0\nr 1/3 2 0\n1 -2 0\n-1 2 0\n";

fn xssat(text: &str, options: &[&str]) -> Ran {
    run_with(&[&["xssat", "-"], options].concat(), text.as_bytes())
}

fn is_worth(text: &str, value: &str) {
    let ran = xssat(text, &["--stats", "--witness"]);
    assert_eq!(ran.status, 0, "{text:?}: {ran:?}");
    assert!(ran.out.starts_with(&format!("probability {value} ")), "{text:?}: {ran:?}");
    assert!(ran.err.is_empty(), "{ran:?}");
}

#[test]
fn odd_formulas_have_their_value() {
    is_worth("p cnf 0 0\n", "1");
    is_worth("p cnf 0 0", "1");
    is_worth("p cnf 0 1\n0\n", "0");
    is_worth("p cnf 3 0\ne 1 0\na 2 0\nr 1/2 3 0\n", "1");
    is_worth("p cnf 1 2\na 1 0\n1 0\n0\n", "0");
    is_worth("p cnf 1 1\na 1 0\n1 -1 0\n", "1");
    is_worth("p cnf 2 1\ne 2 0\n2 0\n", "1");
    is_worth("p cnf 1 1\nr 0 1 0\n1 0\n", "0");
    is_worth("p cnf 1 1\nr 1 1 0\n1 0\n", "1");
    is_worth("p cnf 1 1\nr 1e-3 1 0\n1 0\n", "1/1000");
    is_worth("p cnf 2 2\ne 1 0\na 2 0\n1 2 0\n-1 -2 0\n", "0");
    is_worth("c text\np cnf 1 1\nc v 1 heads\nr 0.25 1 0\n1 0\n%\n0\n", "1/4");
    is_worth(&GUESS.replace('\n', "\r\n"), "2/3");
    is_worth(&GUESS.replace(' ', "\t"), "2/3");
    is_worth("p cnf 5000000 1\ne 5000000 0\n5000000 0\n", "1");
    is_worth("p cnf 3 0\n", "1");
}

#[test]
fn broken_formulas_are_refused_with_their_place() {
    let faulty = |text: &str, words: &[&str]| {
        let ran = xssat(text, &["--stats", "--witness"]);
        ran.refused(2, words);
    };
    faulty("", &["<stdin>"]);
    faulty("p cnf 2 1\n", &["clause"]);
    faulty("p cnf 1 1\n2 0\n", &["line 2, column 1"]);
    faulty("p cnf 2 1\ne 1 0\n1 2 0\n", &["line 3, column 3"]);
    faulty("p cnf 1 1\ne 1 0\n1", &["line 3"]);
    faulty("p cnf 2 1\ne 1 0\na 1 0\n1 0\n", &["line 3, column 3"]);
    faulty("p cnf 1 1\nr 3/2 1 0\n1 0\n", &["line 2, column 3"]);
    faulty("p cnf 99999999999999999999 1\n1 0\n", &["line 1"]);
    faulty("p cnf 1 1\ne 1 0\n99999999999999999999 0\n", &["line 3, column 1"]);
    faulty("p cnf 1 1\ne 1 0\n1 x 0\n", &["line 3, column 3"]);
    faulty("p cnf 1 1\ne 1 0\n1 \0 0\n", &["line 3"]);
    faulty("\u{7f}ELF\0\0\0", &["<stdin>"]);
    run_with(&["xssat", "-"], &[0xff, 0xfe, 0, 1, 2]).refused(2, &["<stdin>"]);
    run(&["xssat", "/no/such/formula"]).refused(2, &["no such file"]);
    run(&["xssat", "/"]).refused(2, &["folder, not a formula"]);
}

#[test]
fn the_witness_marks_one_assignment_that_achieves_the_probability() {
    let ran = xssat(GUESS, &["--witness"]);
    assert!(ran.out.contains("\n  1: 1/3\n* not 1: 2/3\n"), "{ran:?}");
    // Each of the two is worth 1 alone under some value of the other; together they must differ.
    let both = "p cnf 2 2\ne 1 2 0\n1 2 0\n-1 -2 0\n";
    let ran = xssat(both, &["--witness"]);
    assert!(ran.out.contains("* 1: 1\n  not 1: 1\n  2: 1\n* not 2: 1\n"), "{ran:?}");
    let none = xssat("p cnf 1 1\nr 1/2 1 0\n1 0\n", &["--witness"]);
    assert!(none.out.contains("no outermost exists"), "{none:?}");
}

#[test]
fn objects_fit_their_schema() {
    let rules = schema::load("formula.schema.json");
    for options in [&["--json"][..], &["--json", "--stats"], &["--json", "--witness"]] {
        let object = xssat(GUESS, options).json();
        assert_eq!(schema::fault(&rules, &object), None, "{object}");
        assert_eq!(object["probability"], "2/3");
        assert!(object["solving_seconds"].is_number() && object["audit"].is_null());
    }
    let refused = xssat("p", &["--json"]);
    assert_eq!(refused.status, 2);
    assert_eq!(schema::fault(&rules, &refused.json()), None, "{refused:?}");
}

#[test]
fn dialects_are_written_and_read_back() {
    let exact = xssat(GUESS, &["--to", "sdimacs"]);
    assert!(exact.out.contains("r 1/3 2 0") && exact.err.is_empty(), "{exact:?}");
    assert!(xssat(&exact.out, &[]).out.starts_with("probability 2/3 "));
    let decimal = xssat(GUESS, &["--to", "sdimacs", "--dialect", "decimal"]);
    assert!(decimal.out.contains("r 0.3333333333") && decimal.status == 0, "{decimal:?}");
    assert!(decimal.err.contains("warning") && decimal.err.contains("1/3"), "{decimal:?}");
    let whole = GUESS.replace("1/3", "1/4");
    let decimal = xssat(&whole, &["--to", "sdimacs", "--dialect", "decimal"]);
    assert!(decimal.out.contains("r 0.25 2 0") && decimal.err.is_empty(), "{decimal:?}");
    xssat(GUESS, &["--to", "qdimacs"]).refused(2, &["variable 2 is bound by chance"]);
    let quantified = "p cnf 2 1\ne 1 0\na 2 0\n1 2 0\n";
    let written = xssat(quantified, &["--to", "qdimacs"]);
    assert_eq!((written.status, written.out.as_str()), (0, quantified));
    xssat(GUESS, &["--dialect", "decimal"]).refused(2, &["--to"]);
}

/// A formula that no solver finishes in a moment: a long random one, every second variable tossed.
fn hard() -> String {
    let (vars, clauses) = (400u32, 1200u32);
    let mut text = format!("p cnf {vars} {clauses}\n");
    for at in 1..=vars {
        let line = ["e", "r 1/3"][(at % 2) as usize];
        text += &format!("{line} {at} 0\n");
    }
    let mut state = 7u64;
    let mut draw = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let var = (state >> 33) as u32 % vars + 1;
        if state >> 62 & 1 == 1 { format!("{var}") } else { format!("-{var}") }
    };
    for _ in 0..clauses {
        text += &format!("{} {} {} {} {} {} 0\n", draw(), draw(), draw(), draw(), draw(), draw());
    }
    text
}

#[test]
fn a_limit_ends_in_bounds() {
    let begun = Instant::now();
    let ran = xssat(&hard(), &["--time", "300ms", "--stats", "--witness", "--json"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let object = ran.json();
    assert_eq!(schema::fault(&schema::load("formula.schema.json"), &object), None);
    assert_eq!(object["halt"]["reason"], "time");
    assert!(object["probability"].is_null());
    let text = xssat(&hard(), &["--time", "0s"]);
    assert!(text.status == 1 && text.out.contains("at least 0 and at most 1"), "{text:?}");
    xssat(GUESS, &["--memory", "1KiB"]).refused(2, &["--memory"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_the_environment_s_fault() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    for options in
        [&["xssat", "-"][..], &["xssat", "-", "--json"], &["xssat", "-", "--to", "sdimacs"]]
    {
        let mut child = command(options)
            .stdin(Stdio::piped())
            .stdout(full())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        child.stdin.take().expect("a pipe").write_all(GUESS.as_bytes()).expect("it is read");
        let ran = child.wait_with_output().expect("it ends");
        assert_eq!(ran.status.code(), Some(3), "{options:?}: {ran:?}");
        assert!(String::from_utf8_lossy(&ran.stderr).contains("cannot write the output"));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_in_bounds() {
    let mut child = command(&["xssat", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(hard().as_bytes()).expect("it is read");
    std::thread::sleep(Duration::from_millis(1500));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
    let ran = child.wait_with_output().expect("it ends");
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    assert!(String::from_utf8_lossy(&ran.stdout).contains("halted: it was interrupted"), "{ran:?}");
}

#[test]
fn traces_are_written_and_checked_without_the_solver() {
    let trace = xssat(GUESS, &["--to", "trace"]);
    assert!(trace.status == 0 && trace.out.contains("\ntrace\n"), "{trace:?}");
    let checked = xssat(&trace.out, &["--check"]);
    assert!(checked.out.starts_with("probability 2/3 "), "{checked:?}");
    assert!(checked.out.contains("shown by "), "{checked:?}");
    let last = trace.out.trim_end().rfind('\n').expect("lines");
    for (text, needle) in [
        (GUESS, "no line `trace`"),
        (&trace.out[..=last], "n"),
        (&format!("{}nonsense\n", trace.out), "not understood"),
        (&trace.out.replace("factor 1", "factor 1/0"), "not understood"),
        ("p cnf 1\ntrace\n", "formula of the trace"),
    ] {
        xssat(text, &["--check"]).refused(2, &["<stdin>", needle]);
    }
    run(&["xssat", "-", "--check", "--stats"]).refused(2, &["--stats"]);
}
