//! Runs every file of `tests/data` under the interpreter; the kernel's tests run the same files.
//! A file there that this driver does not understand is an error.

use std::path::Path;

use net::script::{Script, parse_script};
use net::{interpret, parse_net, verify};

fn check(script: &Script) -> Result<(), String> {
    verify(&script.net)?;
    let printed = script.net.to_string();
    if parse_net(&printed)? != script.net {
        return Err(format!("the text form is not read back equal:\n{printed}"));
    }
    for run in &script.runs {
        let state = run
            .joints
            .iter()
            .fold(run.from.clone(), |state, joint| interpret::update(&script.net, &state, joint));
        run.judge(&state, &interpret::view(&script.net, &state))?;
    }
    Ok(())
}

#[test]
fn every_file_runs_under_the_interpreter() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder of test files") {
        let path = entry.expect("an entry of the folder").path();
        let name = path.display();
        assert!(path.extension().is_some_and(|ext| ext == "net"), "{name} is read by no driver");
        let text = std::fs::read_to_string(&path).expect("a text file");
        let script = parse_script(&text).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        check(&script).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        files += 1;
    }
    assert!(files >= 8, "only {files} files in {}", folder.display());
}
