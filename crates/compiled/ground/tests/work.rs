//! Ground rules of fixed sheets are those on file, in number and in text.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ground::{GroundLimits, ground};

fn sheets() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut paths = Vec::new();
    for (folder, ending) in [("games", "gdl"), ("tests/data/pitfalls", "kif")] {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder of the project");
        let entries = entries.map(|entry| entry.expect("an entry").path());
        paths.extend(entries.filter(|path| path.extension().is_some_and(|own| own == ending)));
    }
    paths.sort();
    paths
}

#[test]
fn ground_rules_of_fixed_sheets_are_those_on_file() {
    let mut text = String::new();
    for path in sheets() {
        let bytes = std::fs::read(&path).expect("a sheet of the project");
        let Ok(source) = gdl::Source::from_bytes("sheet", &bytes) else { continue };
        let reading = gdl::read(source, &gdl::ReadOptions::default());
        let Some(rulebook) = reading.rulebook else { continue };
        let name = path.file_stem().expect("a name").to_string_lossy();
        match ground(&rulebook, &GroundLimits::default()) {
            Err(fault) => writeln!(text, "{name}: {}", snapshot::print(&format!("{fault:?}"))),
            Ok(rules) => {
                let lines: Vec<String> =
                    rules.rules.iter().map(|rule| rules.rule_text(rule)).collect();
                let inputs: Vec<&str> = rules.inputs.iter().map(|one| one.text.as_str()).collect();
                writeln!(
                    text,
                    "{name}: {} rules {:016x}, {} bases {:016x}, {} moves {:016x}",
                    lines.len(),
                    snapshot::print(&lines.join("\n")),
                    rules.base_texts.len(),
                    snapshot::print(&rules.base_texts.as_slice().join("\n")),
                    inputs.len(),
                    snapshot::print(&inputs.join("\n"))
                )
            }
        }
        .expect("a string takes all");
    }
    assert!(text.lines().count() > 40, "only {} sheets", text.lines().count());
    snapshot::hold(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/work.txt"), &text);
}
