//! A ground program as clauses under its prefix.
//!
//! Each stable model of the program has exactly one model of the clauses, and no other model of
//! the clauses exists; so the value of the formula is the probability of the program.
//!
//! - Every atom becomes a signal of [`gates`]: an input where the program leaves it open (heads of
//!   choices, quantified atoms, atoms in a cycle through negation), else the disjunction of its
//!   rules' bodies (`meaning`; Clark's completion).
//! - Positive recursion: the atoms of a component of k atoms are unfolded in k rounds, each round
//!   deriving from the one before; what the k-th derives is what has a well-founded reason. It is
//!   a level mapping in which an atom's level is the first round that derives it. Rounds are
//!   functions of what is outside of the component, so no stable model is doubled; the cost is
//!   quadratic in a component, which in games is small.
//! - Gates that something needs become variables with their clauses (`write`); a constraint is a
//!   clause over its body.
//!
//! Sources: Clark, *Negation as failure* (1978); Janhunen, *Representing normal programs with
//! clauses* (2004), for level mappings; Tseitin (1968) for gates as clauses.

mod clock;
mod components;
mod counting;
mod gates;
mod meaning;
mod write;

use std::sync::atomic::AtomicBool;

use index::IndexVec;
use qcnf::{Lit, Qcnf, Var};
use verdict::{HaltReason, Watch};

use crate::ground::{AtomId, GroundProgram, Message};
use crate::prefix::Prefix;

/// Where variables stand that are defined by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// All innermost.
    Baseline,
    /// Each right after the choices it depends on (quantifier shifting).
    Dependency,
}

/// What an atom became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The same in every stable model.
    Constant(bool),
    /// The value of a literal.
    Literal(Lit),
    /// Nothing: it is defined, and no other part of the formula needs it.
    Unneeded,
}

/// A formula and what became of the atoms.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The formula.
    pub formula: Qcnf,
    /// By atom.
    pub values: IndexVec<AtomId, Value>,
    /// The variables of open atoms: all others are functions of these.
    pub choices: Vec<Var>,
}

/// The formula of a ground program.
///
/// # Errors
/// Faults of the prefix, each by name.
pub fn complete(program: &GroundProgram, placement: Placement) -> Result<Completion, Vec<Message>> {
    Ok(complete_under(program, &Prefix::read(program)?, placement))
}

/// The formula of a ground program under another prefix than its own.
///
/// # Panics
/// When an atom of the prefix is none of the program.
pub fn complete_under(
    program: &GroundProgram,
    prefix: &Prefix,
    placement: Placement,
) -> Completion {
    unlimited(|watch| complete_within(program, prefix, placement, watch))
        .expect("without a limit none is met")
}

/// The same under limits: counting bodies and positive recursion can make clauses without end.
///
/// # Errors
/// The limit that is met.
///
/// # Panics
/// When an atom of the prefix is none of the program.
pub fn complete_within(
    program: &GroundProgram,
    prefix: &Prefix,
    placement: Placement,
    watch: &Watch<'_>,
) -> Result<Completion, HaltReason> {
    let mut clock = clock::Clock::new(watch);
    let meaning = meaning::Meaning::of(program, prefix, &mut clock)?;
    write::write(program, prefix, &meaning, placement, &mut clock)
}

/// Runs something under a watch without limits.
fn unlimited<T>(run: impl FnOnce(&Watch<'_>) -> T) -> T {
    run(&Watch::unlimited(&AtomicBool::new(false)))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::read_aspif;

    /// A count of half of many atoms, and a recursion through all of them, whose clauses are many.
    fn large(atoms: usize) -> [String; 2] {
        let open: Vec<String> = (1..=atoms).map(|atom| atom.to_string()).collect();
        let choice = format!("asp 1 0 0\n1 1 {atoms} {} 0 0\n", open.join(" "));
        let weighted: Vec<String> = open.iter().map(|atom| format!("{atom} 1")).collect();
        let half = atoms / 2;
        let count = format!("{choice}1 0 0 1 {half} {atoms} {}\n0\n", weighted.join(" "));
        // Atom n + i holds where i and a neighbour of it do: a circle in both directions.
        let mut circle = choice;
        for at in 0..atoms {
            let (own, here) = (at + 1, atoms + 1 + at);
            for next in [(at + 1) % atoms, (at + atoms - 1) % atoms] {
                circle += &format!("1 0 1 {here} 0 2 {own} {}\n", atoms + 1 + next);
            }
        }
        circle += &format!("1 0 1 {} 0 1 1\n1 0 0 0 1 {}\n0\n", atoms + 1, 2 * atoms);
        [count, circle]
    }

    #[test]
    fn clauses_without_end_are_halted() {
        for text in large(2000) {
            let program = read_aspif(&text).expect("a ground program");
            let mut ended = Vec::new();
            for (time, interrupt) in [(Some(Duration::from_millis(20)), false), (None, true)] {
                let watch = Watch {
                    started: Instant::now(),
                    time,
                    memory: None,
                    interrupt: &AtomicBool::new(interrupt),
                    progress: &|_| {},
                };
                let prefix = Prefix::default();
                let made = complete_within(&program, &prefix, Placement::Baseline, &watch);
                ended.push(made.err());
                assert!(
                    watch.started.elapsed() < Duration::from_secs(20),
                    "it looks at the limits"
                );
            }
            assert_eq!(ended, [Some(HaltReason::Time), Some(HaltReason::Interrupt)]);
        }
        for text in large(12) {
            let program = read_aspif(&text).expect("a ground program");
            let all = complete_under(&program, &Prefix::default(), Placement::Baseline);
            assert!(all.formula.variables() > 12, "small ones are made whole");
        }
    }
}
