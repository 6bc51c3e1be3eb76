//! `cargo xtask fuzz`: inputs that reach new code, made for as long as one likes.
//!
//! Each target is a function of bytes that panics where a law is broken (`crates/laws`). LibFuzzer
//! makes the bytes: the compiler counts in every branch of our crates, and an input that reaches a
//! branch for the first time is kept and changed further. This works with stable Rust, because the
//! counting is a pass that release compilers have; a C++ compiler is needed for libFuzzer itself.
//! Inputs that were kept, and those that broke a law, lie in the target folder; a case that is
//! understood goes into the test data, with a line that says why. One input may take 10 seconds and
//! 2 GiB: more is a finding as well.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::checkout::Checkout;
use crate::report::Failure;

/// What is fuzzed: a file `fuzz/targets/NAME.rs`, and where inputs come from.
struct Target {
    name: &'static str,
    meaning: &'static str,
    /// Folders with inputs to begin with, from the root; those that are not there are left out.
    seeds: &'static [&'static str],
    /// Words that mean something in the inputs.
    words: &'static [&'static str],
    /// Longest input, in bytes.
    length: u32,
}

const TARGETS: &[Target] = &[
    Target {
        name: "gdl",
        meaning: "rulesheets: read, checked, printed, laid out, grounded",
        seeds: &["games", "tests/data/pitfalls", "crates/laws/tests/found", "../shared/corpus"],
        words: GDL_WORDS,
        length: 8192,
    },
    Target {
        name: "plays",
        meaning: "rulesheets: ground rules, networks and planes play by the rules",
        seeds: &["games", "tests/data/pitfalls", "crates/laws/tests/found"],
        words: GDL_WORDS,
        length: 4096,
    },
    Target {
        name: "formula",
        meaning: "formulas: read, printed, solved beside the definition",
        seeds: &[],
        words: &["p cnf ", " 0\n", "e ", "a ", "r ", "1/2 ", "c v 1 x\n", "-1 ", "%"],
        length: 512,
    },
    Target {
        name: "table",
        meaning: "solved games with bytes changed: refused, or the same",
        seeds: &[],
        words: &[],
        length: 32,
    },
];

/// What rulesheets are made of.
const GDL_WORDS: &[&str] = &[
    "(<= ",
    "(or ",
    "(and ",
    "(not ",
    "(distinct ",
    "(true ",
    "(does ",
    "(next ",
    "(legal ",
    "(goal ",
    "(role ",
    "(init ",
    "(base ",
    "(input ",
    "(sees ",
    "terminal",
    "random",
    "?x",
    " 100)",
    "noop",
    ";",
    "|",
    "()",
];

/// Compiler passes that count branches and compared values where libFuzzer looks for them.
const COUNTING: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=1 --cfg fuzzing";
const USAGE: &str = "Use `cargo xtask fuzz [TARGET] [--seconds N] [--seed S]`, or \
                     `cargo xtask fuzz TARGET --replay FILE` or `--shrink FILE`.";

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
enum Task {
    Search { seconds: u32, seed: u32 },
    Replay(PathBuf),
    Shrink(PathBuf),
}

/// Fuzzes one target, or each of them in turn.
///
/// # Errors
/// On an unknown argument, without a C++ compiler, or where the target does not build.
pub fn run(checkout: &Checkout, arguments: &[String]) -> Result<ExitCode, Failure> {
    let (targets, task) = parse(arguments)?;
    need_compiler()?;
    for target in targets {
        eprintln!("== {}: {}", target.name, target.meaning);
        let program = build(checkout, target)?;
        if !fuzz(checkout, target, &program, &task)? {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn parse(arguments: &[String]) -> Result<(Vec<&'static Target>, Task), Failure> {
    let (mut chosen, mut seconds, mut seed, mut file) = (None, 60, 1, None);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--seconds" => seconds = number(argument, rest.next())?,
            "--seed" => seed = number(argument, rest.next())?,
            "--replay" | "--shrink" => {
                file = Some((argument.as_str(), path(argument, rest.next())?))
            }
            name => chosen = Some(known(name)?),
        }
    }
    let task = match file {
        None => Task::Search { seconds, seed },
        Some(_) if chosen.is_none() => {
            return Err(Failure::usage("a file belongs to a target, and none is named.", USAGE));
        }
        Some(("--replay", file)) => Task::Replay(file),
        Some((_, file)) => Task::Shrink(file),
    };
    Ok((chosen.map_or_else(|| TARGETS.iter().collect(), |target| vec![target]), task))
}

fn known(name: &str) -> Result<&'static Target, Failure> {
    TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        let right = format!("The targets are {}. {USAGE}", names.join(", "));
        Failure::usage(format!("there is no target `{name}`."), right)
    })
}

fn number(flag: &str, value: Option<&String>) -> Result<u32, Failure> {
    let number = value.and_then(|value| value.parse().ok()).filter(|&number| number > 0);
    number.ok_or_else(|| Failure::usage(format!("`{flag}` needs a number above 0."), USAGE))
}

/// A file as the user names it, from wherever the fuzzer runs.
fn path(flag: &str, value: Option<&String>) -> Result<PathBuf, Failure> {
    let found = value.and_then(|value| std::fs::canonicalize(value).ok());
    found.ok_or_else(|| Failure::usage(format!("`{flag}` needs a file that is there."), USAGE))
}

fn need_compiler() -> Result<(), Failure> {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut probe = Command::new(&compiler);
    probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    if probe.status().is_ok_and(|status| status.success()) {
        return Ok(());
    }
    Err(Failure::environment(
        format!("there is no C++ compiler `{compiler}`, which libFuzzer is built with."),
        "Install one (on Debian: `apt-get install g++`), or name one in CXX.",
    ))
}

/// The folder of all that fuzzing builds and finds: beside the outputs of other builds.
fn home(checkout: &Checkout) -> PathBuf {
    let release = checkout.release_program("xtask");
    let targets = release.parent().and_then(Path::parent);
    targets.map_or_else(|| checkout.root.join("target"), Path::to_owned).join("fuzz")
}

/// The triple of this machine; naming it keeps the counting out of build scripts.
fn triple() -> Result<String, Failure> {
    let output = Command::new("rustc").arg("-vV").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| {
        Failure::environment(
            "`rustc -vV` does not say what machine this is.",
            "Install Rust with rustup.",
        )
    })
}

fn build(checkout: &Checkout, target: &Target) -> Result<PathBuf, Failure> {
    let (home, triple) = (home(checkout), triple()?);
    let mut command = checkout.cargo(&["build", "--release", "--manifest-path", "fuzz/Cargo.toml"]);
    command.args(["--bin", target.name, "--target", &triple, "--target-dir"]).arg(&home);
    command.env("RUSTFLAGS", COUNTING).env_remove("CARGO_ENCODED_RUSTFLAGS");
    if !succeeds(&mut command)? {
        return Err(Failure::environment(
            format!("the target `{}` does not build (the messages are above).", target.name),
            "Build the project with `cargo xtask test` first; it tells more.",
        ));
    }
    let program = format!("{}{}", target.name, std::env::consts::EXE_SUFFIX);
    Ok(home.join(triple).join("release").join(program))
}

/// Runs libFuzzer; whether it found nothing.
fn fuzz(
    checkout: &Checkout,
    target: &Target,
    program: &Path,
    task: &Task,
) -> Result<bool, Failure> {
    let home = home(checkout);
    let (kept, found) = (home.join("kept").join(target.name), home.join("found"));
    for folder in [&kept, &found] {
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    }
    let words = home.join(format!("{}.words", target.name));
    std::fs::write(&words, dictionary(target)).map_err(|error| unwritable(&words, &error))?;
    let mut command = Command::new(program);
    command.current_dir(&checkout.root).args(["-rss_limit_mb=2048", "-timeout=10"]);
    command.arg(format!("-artifact_prefix={}/{}-", found.display(), target.name));
    match task {
        Task::Replay(file) => command.arg(file),
        Task::Shrink(file) => command.args(["-minimize_crash=1", "-max_total_time=60"]).arg(file),
        Task::Search { seconds, seed } => {
            command.arg(format!("-max_total_time={seconds}")).arg(format!("-seed={seed}"));
            command.arg(format!("-dict={}", words.display()));
            command.arg(format!("-max_len={}", target.length));
            command.args(["-report_slow_units=3", "-print_final_stats=1"]).arg(&kept);
            command.args(target.seeds.iter().filter(|seeds| checkout.root.join(seeds).is_dir()))
        }
    };
    let clean = succeeds(&mut command)?;
    if !clean {
        eprintln!(
            "== {}: a law is broken (above); the input lies in {}\n   replay it: cargo xtask fuzz \
             {0} --replay FILE; make it small: --shrink FILE; then move it to the tests",
            target.name,
            found.display()
        );
    }
    Ok(clean)
}

/// The words in libFuzzer's notation: a quotation a line, backslashes and quotes escaped.
fn dictionary(target: &Target) -> String {
    let quoted =
        |word: &&str| word.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\x0A");
    target.words.iter().map(|word| format!("\"{}\"\n", quoted(word))).collect()
}

fn succeeds(command: &mut Command) -> Result<bool, Failure> {
    let status = command.status().map_err(|error| {
        let program = command.get_program().display();
        Failure::environment(
            format!("{program} could not be started: {error}."),
            "Install Rust with rustup, and run this through `cargo xtask`.",
        )
    })?;
    Ok(status.success())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::environment(
        format!("{} cannot be written: {error}.", path.display()),
        "Check the permissions of the target folder, and the space on its disk.",
    )
}

#[cfg(test)]
mod tests {
    use super::{COUNTING, TARGETS, Task, dictionary, parse};
    use crate::checkout::Checkout;

    fn parsed(text: &str) -> Option<(Vec<&'static str>, Task)> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let (targets, task) = parse(&words).ok()?;
        Some((targets.iter().map(|target| target.name).collect(), task))
    }

    #[test]
    fn arguments_are_read() {
        let (targets, task) = parsed("").expect("no argument is needed");
        assert_eq!((targets.len(), task), (TARGETS.len(), Task::Search { seconds: 60, seed: 1 }));
        let (targets, task) = parsed("--seed 7 gdl --seconds 600").expect("in any order");
        assert_eq!((targets, task), (vec!["gdl"], Task::Search { seconds: 600, seed: 7 }));
        for wrong in ["chess", "--seconds", "--seconds 0", "gdl --replay no/file", "--shrink ."] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_target_is_a_file_and_every_file_a_target() {
        let root = Checkout::here().root;
        let folder = std::fs::read_dir(root.join("fuzz/targets")).expect("a folder of targets");
        let mut files: Vec<String> = folder
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().replace(".rs", ""))
            .collect();
        files.sort();
        let mut names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        names.sort_unstable();
        assert_eq!(names, files);
        let manifest = std::fs::read_to_string(root.join("fuzz/Cargo.toml")).expect("a manifest");
        assert!(files.iter().all(|name| manifest.contains(&format!("targets/{name}.rs"))));
    }

    #[test]
    fn words_and_flags_have_the_notation_of_their_readers() {
        assert!(dictionary(&TARGETS[0]).lines().all(|line| line.len() > 2 && line.ends_with('"')));
        assert!(COUNTING.split(' ').all(|flag| flag.starts_with('-') || flag == "fuzzing"));
    }
}
