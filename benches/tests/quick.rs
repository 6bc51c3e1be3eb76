//! The benches that need nothing but this package run, on formulas made here: what they compare
//! and record is right, and a wrong value stops them.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use qcnf::families::Family;

/// A folder that is gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("benches-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("made")).expect("a folder for the test");
        Self(path)
    }

    /// Writes a formula of a family, and its line of an index with a peer's value.
    fn formula(&self, family: &str, size: usize, peer: &str) -> String {
        let member = Family::named(family).and_then(|family| family.member(None, &[size]));
        let name = format!("made/{family}-{size}.sdimacs");
        let text = qcnf::text::print(&member.expect("there is such a member").formula);
        std::fs::write(self.0.join(&name), text).expect("the folder can be written");
        format!("{name}\t1\t1\tae\t{peer}\t0.1\n")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn run(words: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root of the workspace");
    let mut command = Command::new(env!("CARGO_BIN_EXE_benches"));
    command.arg("run").arg("--root").arg(root).arg("--quick").args(words);
    command.output().expect("the bench program starts")
}

fn formulas(index: &str, folder: &Folder) -> Output {
    let head = "file\tvariables\tclauses\tquantifiers\tpeer_value\tpeer_seconds\n";
    std::fs::write(folder.0.join("index.tsv"), format!("{head}{index}")).expect("an index");
    run(&["formulas", "--dir", &folder.0.display().to_string()])
}

#[test]
fn a_folder_of_formulas_is_compared_with_a_peer() {
    let folder = Folder::new("right");
    let index = folder.formula("kbkf", 4, "0") + &folder.formula("cycle", 4, "-");
    let output = formulas(&index, &folder);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(
        text.contains(
            "Of 2 formulas 2 were solved in 2 s of the processor each; SharpSSAT solved 1"
        ),
        "{text}"
    );
    assert!(text.contains("| made | 2 | 2 | 1 | 1 |"), "{text}");
    assert!(text.contains("`cargo xtask bench formulas --dir DIR`"), "{text}");
}

#[test]
fn a_value_that_differs_from_the_peers_stops_the_bench() {
    let folder = Folder::new("wrong");
    let index = folder.formula("kbkf", 4, "0.5");
    let output = formulas(&index, &folder);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text.contains("made/kbkf-4.sdimacs: 0") && text.contains("peer 0.5"), "{text}");
}

#[test]
fn families_have_their_curves() {
    let output = run(&["families"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    for family in qcnf::families::FAMILIES {
        assert!(text.contains(&format!("## {}\n", family.name)), "{text}");
    }
    assert!(text.contains("\n| 6 | "), "the curves have sizes\n{text}");
}

#[test]
fn formulas_without_a_folder_say_what_is_missing() {
    let output = run(&["formulas"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && text.contains("--dir FOLDER"), "{text}");
}
