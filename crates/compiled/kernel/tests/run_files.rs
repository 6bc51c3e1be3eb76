//! Runs the test files of networks on planes: every run of a file in a lane of its own, all at
//! once, under every instruction set. A file that this driver does not understand is an error.

use std::path::Path;
use std::sync::Arc;

use kernel::{Isa, Machine};
use net::script::{Script, parse_script};

fn check(script: &Script, isa: Isa, words: usize) -> Result<(), String> {
    let mut machine = Machine::new(Arc::new(script.net.clone()), isa, words);
    assert!(script.runs.len() <= machine.lanes() / 2, "runs fit in half of the lanes");
    // Runs stand in every second lane from the end, so that neighbours do something else.
    let lanes: Vec<usize> = (0..script.runs.len()).map(|at| machine.lanes() - 1 - 2 * at).collect();
    for (run, &lane) in script.runs.iter().zip(&lanes) {
        machine.load(lane, &run.from);
    }
    let steps = script.runs.iter().map(|run| run.joints.len()).max().unwrap_or(0);
    for step in 0..=steps {
        machine.look();
        for (run, &lane) in script.runs.iter().zip(&lanes) {
            match run.joints.get(step) {
                Some(joint) => joint.iter().for_each(|&input| machine.choose(lane, input)),
                None if run.joints.len() == step => {
                    run.judge(&machine.state(lane), &machine.view(lane))?;
                }
                None => {}
            }
        }
        machine.step();
    }
    Ok(())
}

#[test]
fn every_file_runs_on_planes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../net/tests/data");
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder of test files") {
        let path = entry.expect("an entry of the folder").path();
        let name = path.display();
        let text = std::fs::read_to_string(&path).expect("a text file");
        let script = parse_script(&text).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        for isa in Isa::available() {
            for words in [1, 4, 16] {
                check(&script, isa, words).unwrap_or_else(|fault| panic!("{name}: {fault}"));
            }
        }
        files += 1;
    }
    assert!(files >= 8, "only {files} files in {}", folder.display());
}
