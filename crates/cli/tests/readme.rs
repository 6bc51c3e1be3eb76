//! Every command in a `console` block of README.md and docs/testing.md is run, and prints what the
//! page says.
//!
//! `cargo xtask solve ...` is run as `oddsmith solve ...`, which is what it does. Times, sizes in
//! memory and the version of a run's machine differ from run to run: [`normalised`] replaces the
//! figure before a unit of time or memory. With `ODDSMITH_UPDATE=1` the outputs in the pages are
//! rewritten instead of compared. Without a POSIX shell nothing is run. Each command is run by the
//! build that has just what it needs: with the feature `symbolic`, with `z3`, with both, with `gpu`
//! or with none (`crosscheck` has more to say with the first).

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

const PAGES: [&str; 2] = ["README.md", "docs/testing.md"];
const UNITS: &[&str] =
    &["s", "ms", "us", "µs", "ns", "min", "B", "kB", "KiB", "MB", "MiB", "GB", "GiB", "entries/s"];
/// A file that commands of the page write.
const WRITTEN: &str = "solved.table";

/// A command and the lines below it, up to the next command or the end of the block.
#[derive(Debug, PartialEq, Eq)]
struct Example {
    /// The line of the command, from 0.
    line: usize,
    command: String,
    output: Vec<String>,
}

fn examples(page: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut inside = false;
    for (line, text) in page.lines().enumerate() {
        if text.starts_with("```") {
            inside = !inside && text == "```console";
        } else if inside && let Some(command) = text.strip_prefix("$ ") {
            found.push(Example { line, command: command.to_owned(), output: Vec::new() });
        } else if inside && let Some(example) = found.last_mut() {
            example.output.push(text.to_owned());
        }
    }
    found
}

/// The root of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether only a build with clingo can run the command.
fn needs_clingo(command: &str) -> bool {
    [
        "oddsmith sqasp",
        "xtask sqasp",
        "--to sqasp",
        "--to sdimacs",
        "--engine symbolic",
        "--symbolic",
    ]
    .iter()
    .any(|words| command.contains(words))
}

/// Whether only a build with z3 can run the command.
fn needs_z3(command: &str) -> bool {
    command.contains("--audit")
}

/// Whether only a build with graphics devices can run the command.
fn needs_gpu(command: &str) -> bool {
    command.contains("--backend gpu") || command.contains("oddsmith devices")
}

/// What a command prints: standard output, then standard error.
fn run(command: &str) -> Vec<String> {
    let command = command.replace("cargo xtask ", "oddsmith ");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = Path::new(env!("CARGO_BIN_EXE_oddsmith"));
    let programs = program.parent().expect("a program lies in a folder");
    let paths = std::iter::once(programs.to_owned()).chain(std::env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(root())
        .env("PATH", std::env::join_paths(paths).expect("the folders can be joined"))
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        // Without it drivers of graphics devices complain.
        .env("XDG_RUNTIME_DIR", std::env::temp_dir())
        .output()
        .expect("a POSIX shell runs the command");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Whether the commands that want a device find one; where it is required they are run in any case.
fn there_is_a_device() -> bool {
    let required = std::env::var_os("ODDSMITH_GPU").is_some();
    required || run("oddsmith devices").iter().all(|line| !line.starts_with("error"))
}

/// The line with every figure before a unit of time or memory replaced by `#`.
fn normalised(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut kept = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map(|next| next.trim_end_matches([',', ';', '.', ')']));
        let bare = word.trim_start_matches('(').trim_end_matches([',', ';', ')']);
        let (figure, unit) = split_figure(bare);
        let measured = !figure.is_empty()
            && (UNITS.contains(&unit)
                || unit.is_empty() && next.is_some_and(|next| UNITS.contains(&next)));
        kept.push(if measured { word.replace(figure, "#") } else { (*word).to_owned() });
    }
    // The unit may change with the figure: 999 ms or 1.0 s.
    let joined = kept.join(" ").replace("# ", "#");
    UNITS.iter().fold(joined, |line, unit| without_unit(&line, unit))
}

fn split_figure(word: &str) -> (&str, &str) {
    let end = word.find(|letter: char| !letter.is_ascii_digit() && !['.', ','].contains(&letter));
    word.split_at(end.unwrap_or(word.len()))
}

fn without_unit(line: &str, unit: &str) -> String {
    let words = line.split(' ').map(|word| {
        let (front, back) = word.split_once('#').unwrap_or((word, ""));
        let ends = back.trim_end_matches([',', ';', '.', ')']) == unit;
        if ends && word.contains('#') {
            format!("{front}#{}", &back[unit.len()..])
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn same(wanted: &[String], got: &[String]) -> bool {
    let plain = |lines: &[String]| -> Vec<String> {
        let lines: Vec<String> = lines.iter().map(|line| normalised(line)).collect();
        let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        lines[..end].to_vec()
    };
    plain(wanted) == plain(got)
}

/// The page with the outputs of its commands replaced.
fn rewritten(page: &str, outputs: &[(Example, Vec<String>)]) -> String {
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    for (example, output) in outputs.iter().rev() {
        let from = example.line + 1;
        let end = output.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        lines.splice(from..from + example.output.len(), output[..end].iter().cloned());
    }
    lines.join("\n") + "\n"
}

#[test]
fn pages_show_what_their_commands_print() {
    if cfg!(windows) {
        eprintln!("pages_show_what_their_commands_print: left out, it needs a POSIX shell");
        return;
    }
    PAGES.iter().for_each(|page| check(page));
    std::fs::remove_file(root().join(WRITTEN)).ok();
}

/// Runs the commands of a page that are for this build, and compares or rewrites what they print.
fn check(name: &str) {
    let page = std::fs::read_to_string(root().join(name)).expect("the page can be read");
    let mut examples = examples(&page);
    examples.retain(|example| {
        needs_clingo(&example.command) == cfg!(feature = "symbolic")
            && needs_z3(&example.command) == cfg!(feature = "z3")
            && needs_gpu(&example.command) == cfg!(feature = "gpu")
    });
    if cfg!(feature = "gpu") && !there_is_a_device() {
        eprintln!("{name}: left out, there is no device");
        return;
    }
    let is_plain = !cfg!(feature = "symbolic") && !cfg!(feature = "z3") && !cfg!(feature = "gpu");
    assert!(!is_plain || !examples.is_empty(), "{name} shows no command that this build runs");
    let outputs: Vec<(Example, Vec<String>)> = examples
        .into_iter()
        .map(|example| {
            let output = run(&example.command);
            (example, output)
        })
        .collect();
    if std::env::var_os("ODDSMITH_UPDATE").is_some() {
        std::fs::write(root().join(name), rewritten(&page, &outputs)).expect("it is written");
        return;
    }
    let wrong: Vec<String> = outputs
        .iter()
        .filter(|(example, output)| !same(&example.output, output))
        .map(|(example, output)| {
            let place = format!("{name}:{}: `{}`", example.line + 1, example.command);
            format!("{place} prints\n{}\nand not\n{}", output.join("\n"), example.output.join("\n"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}\n(ODDSMITH_UPDATE=1 rewrites them)", wrong.join("\n\n"));
}

#[test]
fn examples_are_found_and_replaced() {
    let page = "a\n```console\n$ one\nold\n$ two\n```\n```sh\n$ no\n```\n";
    let found = examples(page);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].line, found[0].output.as_slice()), (2, ["old".to_owned()].as_slice()));
    let outputs: Vec<_> =
        found.into_iter().zip([vec!["new".to_owned()], vec!["x".into(), String::new()]]).collect();
    assert_eq!(
        rewritten(page, &outputs),
        "a\n```console\n$ one\nnew\n$ two\nx\n```\n```sh\n$ no\n```\n"
    );
}

#[test]
fn each_command_is_for_one_of_the_builds() {
    for command in ["cargo xtask sqasp -", "oddsmith translate g --to sqasp --horizon 2"] {
        assert!(needs_clingo(command), "{command}");
    }
    for command in ["oddsmith solve g --engine search", "oddsmith xssat -", "oddsmith crosscheck"] {
        assert!(!needs_clingo(command) && !needs_z3(command), "{command}");
    }
    assert!(needs_z3("oddsmith xssat - --audit"));
    assert!(needs_gpu("oddsmith solve g --backend gpu") && !needs_gpu("oddsmith solve g"));
}

#[test]
fn only_times_and_sizes_are_passed_over() {
    assert_eq!(normalised("time  12 ms, peak 3.5 MB"), normalised("time 0.1 s, peak 12 MB"));
    assert_eq!(normalised("solved in 5ms (1.2 GiB)"), normalised("solved in 1.25s (900 MiB)"));
    assert_ne!(normalised("states 12"), normalised("states 13"));
    assert_ne!(normalised("value 1/2"), normalised("value 1/3"));
}
