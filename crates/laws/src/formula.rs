//! The laws of a formula with exists, forall and chance.
//!
//! - Bytes are a formula or refused, with a reason and its place.
//! - What is read is well-formed, and printed and read again it is the same.
//! - Where it is small, the solver finds the value of the definition, walking in order, part by part, and
//!   both in turns.

use std::sync::atomic::AtomicBool;

use qcnf::{Qcnf, meaning, text};
use verdict::Watch;
use xssat::{Options, Solver};

/// Quantified variables of a formula that is small: the definition takes two to their number.
const VARIABLES: usize = 12;
/// Clauses of a formula that is small.
const CLAUSES: usize = 60;
/// Variables, quantified or not, beyond which a formula is only read: a header may claim millions.
const NAMED: usize = 10_000;

/// Asserts every law of bytes that may be a formula; whether they are a small one.
///
/// # Panics
/// Where one is broken.
pub fn hold(bytes: &[u8]) -> bool {
    let formula = match text::parse(bytes) {
        Ok(reading) => reading.formula,
        Err(faults) => {
            assert!(!faults.to_string().is_empty(), "a refusal without a reason");
            return false;
        }
    };
    assert_eq!(formula.flaw(), None, "what is read is well-formed");
    if formula.variables() > NAMED {
        return false;
    }
    let printed = text::print(&formula);
    let again = text::parse(printed.as_bytes()).expect("what is printed can be read").formula;
    assert_eq!(text::print(&again), printed, "printed and read, it is another text");
    assert_eq!(again, formula, "printed and read, it is another formula:\n{printed}");
    let quantified: usize = formula.prefix.iter().map(|scope| scope.variables.len()).sum();
    let is_small = quantified <= VARIABLES && formula.clauses.len() <= CLAUSES;
    if is_small {
        hold_value(&formula);
    }
    is_small
}

/// Asserts that the solver finds the value of the definition, however it walks.
///
/// # Panics
/// Where it does not.
pub fn hold_value(formula: &Qcnf) {
    let expected = meaning::value(formula);
    let interrupt = AtomicBool::new(false);
    for walk in 0..=2 {
        let watch = Watch::unlimited(&interrupt);
        let options = Options { walk, ..Options::default() };
        let found = Solver::new(formula, &options).solve(&[], &watch);
        assert_eq!(found, Ok(expected.clone()), "walk {walk}:\n{}", text::print(formula));
    }
}
