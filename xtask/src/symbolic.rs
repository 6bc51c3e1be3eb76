//! Which command lines of `oddsmith` need another build than the plain one: with clingo, with z3,
//! with both, or with graphics devices.
//!
//! Clingo is C++ and takes minutes to build, z3 is a library of the system, and what opens devices is
//! a hundred packages, so only what cannot do without them asks for them. Only words are looked at: what is wrong with a command line is for
//! the program itself to say, and for that, as for its help, any build will do.

use crate::system::{self, Requirement};

/// A build of `oddsmith` that has more than the plain one.
#[derive(Debug, PartialEq, Eq)]
pub struct Build {
    /// Its target folder, within the common one.
    pub folder: &'static str,
    /// Its features, as cargo takes them.
    pub features: &'static str,
    /// What it has.
    pub has: &'static str,
}

/// With clingo.
pub const WITH_CLINGO: Build = Build { folder: "symbolic", features: "symbolic", has: "clingo" };
const WITH_Z3: Build = Build { folder: "z3", features: "z3", has: "z3" };
const WITH_BOTH: Build =
    Build { folder: "symbolic-z3", features: "symbolic,z3", has: "clingo and z3" };

/// With graphics devices.
pub const WITH_GPU: Build = Build { folder: "gpu", features: "gpu", has: "graphics devices" };
const WITH_GPU_AND_CLINGO: Build =
    Build { folder: "symbolic-gpu", features: "symbolic,gpu", has: "clingo and graphics devices" };
const WITH_GPU_AND_Z3: Build =
    Build { folder: "gpu-z3", features: "gpu,z3", has: "graphics devices and z3" };

impl Build {
    /// What it needs beyond Rust.
    pub fn requirements(&self) -> impl Iterator<Item = &'static Requirement> {
        let clingo = if self.features.contains("symbolic") { system::CLINGO } else { &[] };
        let z3 = if self.features.contains("z3") { system::Z3 } else { &[] };
        clingo.iter().chain(z3)
    }
}

/// The build that a command line needs; none where the plain one will do.
pub fn asked_for(arguments: &[String]) -> Option<&'static Build> {
    let (command, rest) = arguments.split_first()?;
    let end = rest.iter().position(|word| word == "--").unwrap_or(rest.len());
    let options = &rest[..end];
    if options.iter().any(|word| word == "--help" || word == "-h") {
        return None;
    }
    let clingo = match command.as_str() {
        "sqasp" => true,
        "crosscheck" => options.iter().any(|word| word == "--symbolic"),
        "translate" => gives(options, "--to", &["sqasp", "sdimacs"]),
        _ => gives(options, "--engine", &["symbolic"]),
    };
    let audits = ["sqasp", "xssat", "solve"].contains(&command.as_str());
    let z3 = audits && options.iter().any(|word| word == "--audit");
    let devices = match command.as_str() {
        "devices" => true,
        "crosscheck" => options.iter().any(|word| word == "--gpu"),
        _ => gives(options, "--backend", &["gpu", "auto"]),
    };
    match (clingo, z3) {
        (true, false) if devices && command == "crosscheck" => Some(&WITH_GPU_AND_CLINGO),
        // No engine wants clingo and a device, and what is wrong is for the program to say.
        (_, false) if devices => Some(&WITH_GPU),
        (_, true) if devices => Some(&WITH_GPU_AND_Z3),
        (false, false) => None,
        (true, false) => Some(&WITH_CLINGO),
        (false, true) => Some(&WITH_Z3),
        (true, true) => Some(&WITH_BOTH),
    }
}

/// Whether an option has one of the values, as `--option value` or `--option=value`.
fn gives(words: &[String], option: &str, values: &[&str]) -> bool {
    let apart = words.windows(2).any(|pair| pair[0] == option && values.contains(&&*pair[1]));
    let joined = words.iter().any(|word| {
        let value = word.strip_prefix(option).and_then(|rest| rest.strip_prefix('='));
        value.is_some_and(|value| values.contains(&value))
    });
    apart || joined
}

#[cfg(test)]
mod tests {
    use super::{Build, asked_for};

    fn build(line: &str) -> Option<&'static Build> {
        asked_for(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    fn asks(line: &str) -> bool {
        build(line).is_some_and(|build| build.features == "symbolic")
    }

    #[test]
    fn audits_ask_for_z3_and_for_clingo_where_they_ground() {
        for (line, features) in [
            ("xssat f.sdimacs --audit", "z3"),
            ("solve --audit g.gdl", "z3"),
            ("solve g.gdl --engine symbolic --audit", "symbolic,z3"),
            ("sqasp --audit -", "symbolic,z3"),
        ] {
            let build = build(line).expect("another build");
            assert_eq!(build.features, features, "{line}");
            let packages: Vec<&str> = build.requirements().map(|one| one.package).collect();
            assert!(packages.contains(&"libz3-dev"));
            assert_eq!(packages.contains(&"cmake"), features.contains("symbolic"));
        }
    }

    #[test]
    fn commands_that_ground_by_clingo_ask_for_it() {
        for line in [
            "solve g.gdl --engine symbolic",
            "solve --engine=symbolic g.gdl --horizon 3",
            "play g.gdl --engine symbolic",
            "sqasp -",
            "sqasp p.lp --to aspif",
            "translate g.gdl --to sqasp --horizon 3",
            "translate --to=sdimacs g.gdl",
            "crosscheck g.gdl --symbolic",
        ] {
            assert!(asks(line), "{line}");
        }
    }

    #[test]
    fn devices_are_asked_for_where_they_are_used() {
        for line in [
            "devices",
            "devices --json",
            "solve --backend gpu g.gdl",
            "solve --backend=auto g",
            "crosscheck g.gdl --gpu",
        ] {
            assert_eq!(build(line).map(|build| build.features), Some("gpu"), "{line}");
        }
        let both = build("solve g.gdl --backend gpu --audit").expect("another build");
        assert_eq!(both.features, "gpu,z3");
        assert!(both.requirements().any(|one| one.package == "libz3-dev"));
        assert_eq!(build("solve g.gdl --backend cpu"), None);
        let both = build("crosscheck --random 9 --symbolic --gpu").expect("another build");
        assert_eq!(both.features, "symbolic,gpu");
    }

    #[test]
    fn all_others_do_without() {
        for line in [
            "",
            "solve g.gdl",
            "solve g.gdl --engine search",
            "solve symbolic --engine",
            "solve --engine sweep -- --engine symbolic",
            "sqasp --help",
            "solve --engine symbolic -h",
            "translate g.gdl --to propnet",
            "translate sqasp --to dot",
            "xssat f.sdimacs",
            "crosscheck g.gdl",
            "check g.gdl --audit",
            "solve g.gdl -- --audit",
            "xssat f --audit --help",
        ] {
            assert_eq!(build(line), None, "{line}");
        }
    }
}
