//! Merge: literals that are equal wherever the clauses hold, found by sampling, shown by
//! propagation.
//!
//! Assignments that satisfy the clauses are drawn at random; literals that agree in all of them
//! may be equal, and those that are always true may have to be. A guess counts once propagation
//! refutes its negation: then it follows from the clauses alone, whatever binds the variables,
//! and is added to them. `equate` replaces equal literals afterwards. In a game this finds what
//! is copied from step to step though the rules do not say so, and lines that cannot be there.
//!
//! Cost: 64 samples, each as dear as assigning all variables; then at most a few short
//! propagations a variable, and these end where too little is found.
//! Source: Kuehlmann and Krohm, *Equivalence checking using cuts and heaps* (1997), for circuits.

use std::collections::HashMap;

use index::Id;
use qcnf::random::Dice;
use qcnf::{Kind, Lit, Var};
use verdict::HaltReason;

use super::matrix::Matrix;
use super::number::number;
use crate::clock::Clock;
use crate::problem::Problem;
use crate::walk::{Conflict, Propagator};

/// Samples drawn, at most; a bit of a word each.
const SAMPLES: u32 = 64;
/// Samples that say too little.
const TOO_FEW: u32 = 8;
/// Values drawn for all samples together, at most.
const DRAWN: usize = 600_000;
/// Conflicts after which a sample is given up.
const PATIENCE: u32 = 64;
/// Earlier variables that a variable is compared with, at most.
const COMPARED: usize = 3;
/// Literals drawn in comparisons before anything must be found, and for each clause found.
const EFFORT: (u64, u64) = (50_000, 2_000);
/// Literals drawn after which one guess is given up: what can be shown is near.
const NEAR: u64 = 192;
/// Samples in which a literal must be false, and in which it must be true, to be compared: those
/// that hardly ever change agree by accident.
const SPREAD: u32 = 2;

/// Adds units and binary clauses that follow; says how many. `is_faulty`: a test wants every guess
/// believed.
///
/// # Errors
/// The limit that is met; the matrix is whole then as well.
pub(crate) fn merge(
    matrix: &mut Matrix,
    is_faulty: bool,
    clock: &mut Clock<'_>,
) -> Result<u64, HaltReason> {
    let wanted = wanted(held(matrix), is_faulty);
    if wanted < TOO_FEW {
        return Ok(0);
    }
    let problem = Problem::bare(number(matrix));
    let mut search = Search::new(&problem, is_faulty);
    if !search.sample(wanted, clock)? {
        return Ok(0);
    }
    search.compare(clock)?;
    let found = search.found;
    let originals = originals(&problem);
    let back = |lit: Lit| Lit::new(originals[lit.var().index()], lit.is_positive());
    for clause in &found {
        let clause: Vec<Lit> = clause.iter().map(|&lit| back(lit)).collect();
        matrix.add(&clause);
    }
    Ok(found.len() as u64)
}

/// How many variables stand in clauses.
fn held(matrix: &Matrix) -> usize {
    let is_held = |lit: Lit| !matrix.occurs.get(lit).is_empty();
    let lits = (0..matrix.prefix.len()).map(|at| Lit::positive(Var::from_index(at)));
    lits.filter(|&lit| is_held(lit) || is_held(!lit)).count()
}

/// How many samples of so many variables are affordable.
fn wanted(variables: usize, is_faulty: bool) -> u32 {
    // Samples of small formulas are nearly all there is: so that the fault shows, few.
    let most = if is_faulty { TOO_FEW } else { SAMPLES };
    most.min((DRAWN / variables.max(1)) as u32)
}

/// The variables of the matrix, by number.
fn originals(problem: &Problem) -> Vec<Var> {
    let mut originals = vec![Var::from_index(0); problem.formula.variables()];
    for (var, &number) in problem.formula.numbers.iter().enumerate() {
        if number != u32::MAX {
            originals[number as usize] = Var::from_index(var);
        }
    }
    originals
}

struct Search<'a> {
    problem: &'a Problem,
    propagator: Propagator,
    /// The values of each variable in all samples.
    words: Vec<u64>,
    /// A bit for each sample.
    all: u64,
    /// Clauses that follow.
    found: Vec<Vec<Lit>>,
    dice: Dice,
    is_faulty: bool,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, is_faulty: bool) -> Self {
        let mut propagator = Propagator::of_clauses(problem);
        propagator.start(problem.formula.levels());
        Self {
            problem,
            propagator,
            words: vec![0; problem.formula.variables()],
            all: 0,
            found: Vec::new(),
            dice: Dice::new(0),
            is_faulty,
        }
    }

    /// Draws the samples; false where too few are found.
    fn sample(&mut self, wanted: u32, clock: &mut Clock<'_>) -> Result<bool, HaltReason> {
        debug_assert!((TOO_FEW..=SAMPLES).contains(&wanted), "a bit of a word each");
        let mut failed = 0;
        let mut drawn = 0;
        while drawn < wanted {
            clock.look(true)?;
            let is_whole = self.draw();
            for (var, word) in self.words.iter_mut().enumerate().filter(|_| is_whole) {
                *word = *word << 1 | u64::from(self.propagator.value(Var::from_index(var)));
            }
            self.propagator.undo(0);
            if is_whole {
                self.all = self.all << 1 | 1;
                drawn += 1;
            }
            failed += u32::from(!is_whole);
            if failed > wanted / 4 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Draws one assignment of all variables; whether it was found.
    fn draw(&mut self) -> bool {
        let mut branches: Vec<(Lit, usize)> = Vec::new();
        let mut place = 0;
        let mut conflicts = 0;
        while place < self.problem.formula.variables() {
            let var = Var::from_index(place);
            place += 1;
            if !self.propagator.is_open(var) {
                continue;
            }
            let mut lit = Lit::new(var, self.dice.below(2) == 0);
            branches.push((lit, self.propagator.mark()));
            while self.propagator.assume(self.problem, lit).is_err() {
                conflicts += 1;
                let Some((first, mark)) = branches.pop().filter(|_| conflicts < PATIENCE) else {
                    return false;
                };
                self.propagator.undo(mark);
                lit = !first;
                place = lit.var().index() + 1;
                debug_assert!(self.propagator.is_open(lit.var()));
            }
        }
        true
    }

    /// Compares variables that agree in all samples.
    fn compare(&mut self, clock: &mut Clock<'_>) -> Result<(), HaltReason> {
        let mut seen: HashMap<u64, Vec<Lit>> = HashMap::new();
        let start = self.propagator.drawn;
        for var in (0..self.words.len()).map(Var::from_index) {
            clock.tick()?;
            let effort = EFFORT.0 + EFFORT.1 * self.found.len() as u64;
            if self.propagator.drawn - start > effort {
                break;
            }
            let word = self.words[var.index()];
            let lit = Lit::new(var, word & 1 == 1);
            let key = if lit.is_positive() { word } else { !word & self.all };
            let exists = self.problem.formula.kind(var) == Kind::Exists;
            if !exists || !self.propagator.is_open(var) || (key == self.all && self.must(lit)) {
                continue;
            }
            if (self.all & !key).count_ones() < SPREAD || key.count_ones() < SPREAD {
                continue;
            }
            let earlier = seen.entry(key).or_default();
            if earlier.iter().rev().take(COMPARED).any(|&other| self.joins(other, lit)) {
                continue;
            }
            earlier.push(lit);
        }
        Ok(())
    }

    /// Whether propagation shows that a literal must hold; then it does from now on.
    fn must(&mut self, lit: Lit) -> bool {
        if !self.is_refuted(&[!lit]) {
            return false;
        }
        self.found.push(vec![lit]);
        let outcome = self.propagator.assume(self.problem, lit);
        debug_assert!(outcome.is_ok(), "the samples satisfy the clauses and hold the literal");
        true
    }

    /// Whether propagation shows that two literals are equal; then they are from now on.
    fn joins(&mut self, a: Lit, b: Lit) -> bool {
        if !self.propagator.is_open(a.var()) {
            return false;
        }
        if !self.is_refuted(&[a, !b]) || !self.is_refuted(&[!a, b]) {
            return false;
        }
        for clause in [[!a, b], [a, !b]] {
            self.propagator.add_binary(clause);
            self.found.push(clause.to_vec());
        }
        true
    }

    fn is_refuted(&mut self, lits: &[Lit]) -> bool {
        if self.is_faulty {
            return true;
        }
        let mark = self.propagator.mark();
        self.propagator.stop_after(NEAR);
        let refuted = lits.iter().any(|&lit| self.assume(lit).is_err());
        self.propagator.undo(mark);
        self.propagator.stop_after(u64::MAX);
        refuted
    }

    fn assume(&mut self, lit: Lit) -> Result<(), Conflict> {
        if self.propagator.is_true(!lit) {
            return Err(Conflict);
        }
        if self.propagator.is_true(lit) {
            return Ok(());
        }
        self.propagator.assume(self.problem, lit)
    }
}

#[cfg(test)]
mod tests {
    use qcnf::{Qcnf, Quantifier};

    use super::*;
    use crate::tests::unwatched;

    /// Chance variables, and behind them pairs of equal conjunctions of neighbours.
    fn twins(count: usize) -> Qcnf {
        let mut formula = Qcnf::new(3 * count);
        let lit = |at: usize| Lit::positive(Var::from_index(at));
        let half = Quantifier::Chance(exact::Ratio::new(1u8, 2u8));
        formula.quantify(half, (0..count).map(Var::from_index).collect());
        formula.quantify(Quantifier::Exists, (count..3 * count).map(Var::from_index).collect());
        for at in 0..2 * count {
            let (output, a, b) = (lit(count + at), lit(at / 2), lit((at / 2 + 1) % count));
            formula.add_clause(&[!output, a]);
            formula.add_clause(&[!output, b]);
            formula.add_clause(&[output, !a, !b]);
        }
        formula
    }

    #[test]
    fn equal_functions_are_found_and_shown() {
        let mut matrix = Matrix::new(&twins(40));
        let found = unwatched(|watch| merge(&mut matrix, false, &mut Clock::new(watch)));
        assert_eq!(found, Ok(80), "two clauses for each pair");
    }

    /// What merging costs is bounded however many variables there are.
    #[test]
    fn many_variables_are_compared_in_bounded_work() {
        let matrix = Matrix::new(&twins(24_000));
        let wanted = wanted(held(&matrix), false);
        assert_eq!(wanted, TOO_FEW, "more are not affordable");
        let problem = Problem::bare(number(&matrix));
        let mut search = Search::new(&problem, false);
        unwatched(|watch| {
            let mut clock = Clock::new(watch);
            assert_eq!(search.sample(wanted, &mut clock), Ok(true));
            let sampled = search.propagator.drawn;
            assert!(sampled <= DRAWN as u64, "{sampled} literals were drawn for samples");
            search.compare(&mut clock).expect("there is no limit");
            let drawn = search.propagator.drawn - sampled;
            let most = EFFORT.0 + EFFORT.1 * search.found.len() as u64;
            assert!(drawn <= most + 4 * (COMPARED as u64 + 1) * NEAR, "{drawn} literals");
            assert!(!search.found.is_empty());
        });
    }

    /// Where there are too many nothing is drawn, and the watch is not even asked.
    #[test]
    fn too_many_variables_are_left_alone() {
        let mut matrix = Matrix::new(&twins(34_000));
        let before = matrix.living();
        let found = unwatched(|watch| merge(&mut matrix, false, &mut Clock::of_looks(watch, 0)));
        assert_eq!((found, matrix.living()), (Ok(0), before));
    }
}
