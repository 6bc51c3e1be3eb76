//! `oddsmith fmt` as a user meets it: what is written, what is printed, what is left alone.

#![forbid(unsafe_code)]

mod support;

use std::fs;

use support::{Folder, Ran, game, run, run_with};

const SHEET: &str =
    "(role x)(init  a) ; start\r\n(<= (legal x go) (true a) ; always\r\n(role x))\r\n";
const PAGE: &str = "\
(role x)
(init a) ; start
(<= (legal x go)
    (true a) ; always
    (role x))
";

fn text(path: &str) -> String {
    fs::read_to_string(path).expect("the sheet is there")
}

fn says(ran: &Ran, status: i32, out: &str) {
    assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (status, out, ""));
}

#[test]
fn a_sheet_is_laid_out_in_place_once() {
    let folder = Folder::new();
    let path = folder.file("a.gdl", SHEET.as_bytes());
    says(&run(&["fmt", &path]), 0, &format!("{path}\n"));
    assert_eq!(text(&path), PAGE);
    says(&run(&["fmt", &path]), 0, "");
    says(&run(&["fmt", "--check", &path]), 0, "");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left aside");
}

#[test]
fn check_names_the_first_line_and_writes_nothing() {
    let folder = Folder::new();
    let path = folder.file("a.gdl", b"(role x)\n(init  a)\n");
    let good = folder.file("b.gdl", PAGE.as_bytes());
    says(&run(&["fmt", "--check", &path, &good]), 1, &format!("{path}:2: not laid out\n"));
    assert_eq!(text(&path), "(role x)\n(init  a)\n");
    says(&run_with(&["fmt", "--check", "-"], b"( a)"), 1, "<stdin>:1: not laid out\n");
}

#[test]
fn standard_input_goes_to_standard_output() {
    says(&run_with(&["fmt", "-"], SHEET.as_bytes()), 0, PAGE);
    says(&run_with(&["fmt", "-"], b""), 0, "");
    let folder = Folder::new();
    let path = folder.file("a.gdl", SHEET.as_bytes());
    says(&run(&["fmt", "--stdout", &path, &path]), 0, &PAGE.repeat(2));
    assert_eq!(text(&path), SHEET);
    assert_eq!(run(&["fmt", "--stdout", "--check", &path]).status, 2);
    assert_eq!(run(&["fmt"]).status, 2);
}

#[test]
fn a_sheet_that_does_not_match_is_left_alone_and_the_others_are_laid_out() {
    let folder = Folder::new();
    let open = folder.file("open.gdl", b"(role x)\n(init (a)\n");
    let bytes = folder.file("bytes.gdl", b"(role \xff)");
    let good = folder.file("good.gdl", SHEET.as_bytes());
    let ran = run(&["fmt", &open, &bytes, "no-such-sheet.gdl", &good]);
    assert_eq!((ran.status, ran.out.as_str()), (2, format!("{good}\n").as_str()), "{ran:?}");
    for words in ["open.gdl:2:1", "unclosed-parenthesis", "is not UTF-8", "there is no such file"] {
        assert!(ran.err.contains(words), "`{words}` is not in {ran:?}");
    }
    assert_eq!(text(&open), "(role x)\n(init (a)\n");
    assert_eq!(fs::read(&bytes).expect("the bytes are there"), b"(role \xff)");
    assert_eq!(text(&good), PAGE);
    // Rules that are refused elsewhere are laid out.
    says(&run_with(&["fmt", "-"], b"(<= (p ?x)(not(q ?x)))"), 0, "(<= (p ?x)\n    (not (q ?x)))\n");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay_and_what_is_no_file_is_not_written() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let path = folder.file("a.gdl", SHEET.as_bytes());
    let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
    mode(0o640);
    let link = folder.path().join("link.gdl");
    symlink(&path, &link).expect("linked");
    let name = link.to_str().expect("a path of text");
    says(&run(&["fmt", name]), 0, &format!("{name}\n"));
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o640);
    assert_eq!(text(&path), PAGE);
    fs::write(&path, SHEET).expect("written");
    mode(0o440);
    run(&["fmt", name]).refused(3, &["read-only", name]);
    assert_eq!(text(&path), SHEET);
    run_with(&["fmt", "/dev/stdin"], b"( a)").refused(3, &["/dev/stdin", "--stdout"]);
}

#[test]
fn games_and_generated_sheets_are_laid_out() {
    let games = fs::read_dir(game("")).expect("the games");
    let paths = games.map(|entry| entry.expect("an entry").path());
    let sheets: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|kind| kind == "gdl"))
        .map(|path| path.to_str().expect("a path of text").to_owned())
        .collect();
    assert!(sheets.len() > 9, "{sheets:?}");
    let sheets: Vec<&str> = sheets.iter().map(String::as_str).collect();
    says(&run(&[&["fmt", "--check"], &sheets[..]].concat()), 0, "");
    for family in [&["tic-tac-toe", "4", "3", "3", "--own", "3/4"][..], &["nim", "20"]] {
        let made = run(&[&["generate"], family].concat());
        says(&run_with(&["fmt", "--check", "-"], made.out.as_bytes()), 0, "");
    }
}
