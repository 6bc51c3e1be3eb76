//! Clauses of fixed programs are those on file, in number and in text.

use std::fmt::Write;
use std::path::Path;

use sqasp::{Placement, complete, random};

#[test]
fn clauses_of_fixed_programs_are_those_on_file() {
    let mut text = String::new();
    for seed in 0..300 {
        let programs =
            [("quantified", random::program(seed)), ("plain", random::unquantified(seed))];
        for (kind, program) in programs {
            write!(text, "{kind} {seed}:").expect("a string takes all");
            for placement in [Placement::Baseline, Placement::Dependency] {
                let formula = complete(&program, placement).expect("no fault").formula;
                let print = snapshot::print(&qcnf::text::print(&formula));
                let (variables, clauses) = (formula.variables(), formula.clauses.len());
                write!(text, " {variables} {clauses} {print:016x}").expect("a string takes all");
            }
            text.push('\n');
        }
    }
    snapshot::hold(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/work.txt"), &text);
}
