//! The clauses of a formula, without their prefix, as z3 sees them.
//!
//! A clause is implied where the clauses and the negation of all its literals have no model; that
//! is asked under assumptions, so that many questions share one solver and what it has learned. A
//! clause that was proven is added: it changes no answer and makes the next proofs shorter.

use index::Id;
use qcnf::{Lit, Qcnf};
use z3::Solver;
use z3::ast::Bool;

use crate::limits::{Limits, answer};
use crate::outcome::Outcome;

/// The clauses of a formula, loaded for many questions.
#[derive(Debug)]
pub struct Matrix<'f> {
    pub(crate) formula: &'f Qcnf,
    pub(crate) solver: Solver,
    pub(crate) limits: Limits,
    /// By variable.
    symbols: Vec<Bool>,
}

impl<'f> Matrix<'f> {
    /// Loads the clauses of a formula.
    pub fn new(formula: &'f Qcnf, limits: Limits) -> Self {
        let symbols = (0..formula.variables()).map(|_| Bool::fresh_const("v")).collect();
        let matrix = Self { formula, solver: limits.solver(), limits, symbols };
        for clause in formula.clauses.iter() {
            matrix.solver.assert(matrix.clause(clause));
        }
        matrix
    }

    pub(crate) fn symbol(&self, lit: Lit) -> Bool {
        let symbol = &self.symbols[lit.var().index()];
        if lit.is_positive() { symbol.clone() } else { symbol.not() }
    }

    pub(crate) fn clause(&self, lits: &[Lit]) -> Bool {
        Bool::or(&self.symbols_of(lits))
    }

    pub(crate) fn symbols_of(&self, lits: &[Lit]) -> Vec<Bool> {
        lits.iter().map(|lit| self.symbol(*lit)).collect()
    }

    /// A model in which these literals hold: one literal for each variable of the formula; none
    /// where there is no model.
    ///
    /// # Errors
    /// Why the question stays open.
    pub fn model(&self, given: &[Lit]) -> Result<Option<Vec<Lit>>, String> {
        let result = self.solver.check_assumptions(&self.symbols_of(given));
        if !answer(&self.solver, result)? {
            return Ok(None);
        }
        let model = self.read_model();
        let holds = |lit: &Lit| model[lit.var().index()] == *lit;
        assert!(given.iter().all(holds), "z3's model ignores an assumption");
        let clauses = &mut self.formula.clauses.iter();
        assert!(clauses.all(|clause| clause.iter().any(holds)), "z3's model is none");
        Ok(Some(model))
    }

    /// A model in which these literals hold, and in which each of the other sets has one that does
    /// not; none where there is no such model.
    ///
    /// # Errors
    /// Why the question stays open.
    pub fn model_beside(
        &self,
        given: &[Lit],
        others: &[&[Lit]],
    ) -> Result<Option<Vec<Lit>>, String> {
        self.solver.push();
        for other in others {
            let negated: Vec<Lit> = other.iter().map(|lit| !*lit).collect();
            self.solver.assert(self.clause(&negated));
        }
        let found = self.model(given);
        self.solver.pop(1);
        found
    }

    /// The model of the last question, which was answered with yes.
    pub(crate) fn read_model(&self) -> Vec<Lit> {
        let model = self.solver.get_model().expect("a satisfiable question has a model");
        let vars = self.symbols.iter().enumerate();
        vars.map(|(at, symbol)| {
            let value = model.eval(symbol, true).and_then(|value| value.as_bool());
            Lit::new(Id::from_index(at), value == Some(true))
        })
        .collect()
    }

    /// Whether a clause holds in every model; the witness is a model in which it does not.
    pub fn is_implied(&self, clause: &[Lit]) -> Outcome<Vec<Lit>> {
        if clause.iter().any(|lit| clause.contains(&!*lit)) {
            return Outcome::Proven;
        }
        let negated: Vec<Lit> = clause.iter().map(|lit| !*lit).collect();
        match self.model(&negated) {
            Ok(None) => {
                self.solver.assert(self.clause(clause));
                Outcome::Proven
            }
            Ok(Some(model)) => Outcome::Refuted(model),
            Err(why) => Outcome::Open(why),
        }
    }
}

/// What became of many clauses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Implications {
    /// How many are implied.
    pub proven: usize,
    /// The positions of those that are not, each with a model in which it does not hold.
    pub refuted: Vec<(usize, Vec<Lit>)>,
    /// The positions of those that stayed open, and why.
    pub open: Vec<(usize, String)>,
}

impl Implications {
    /// Whether all clauses are proven.
    pub fn all_proven(&self) -> bool {
        self.refuted.is_empty() && self.open.is_empty()
    }
}

/// Whether each of these clauses is implied by the clauses of the formula.
pub fn clauses_are_implied<'c>(
    formula: &Qcnf,
    clauses: impl IntoIterator<Item = &'c [Lit]>,
    limits: Limits,
) -> Implications {
    let matrix = Matrix::new(formula, limits);
    let mut report = Implications::default();
    for (at, clause) in clauses.into_iter().enumerate() {
        match matrix.is_implied(clause) {
            Outcome::Proven => report.proven += 1,
            Outcome::Refuted(model) => report.refuted.push((at, model)),
            Outcome::Open(why) => report.open.push((at, why)),
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use qcnf::Var;
    use qcnf::random::{Dice, any};

    use super::*;

    /// Whether a clause holds in all models, by trying all assignments.
    fn by_definition(formula: &Qcnf, clause: &[Lit]) -> bool {
        let vars = formula.variables();
        (0..1u32 << vars).all(|bits| {
            let holds = |lit: &Lit| (bits >> lit.var().index() & 1 == 1) == lit.is_positive();
            let model = formula.clauses.iter().all(|clause| clause.iter().any(holds));
            !model || clause.iter().any(holds)
        })
    }

    #[test]
    fn implied_clauses_are_told_from_others() {
        let (mut yes, mut no) = (0, 0);
        for seed in 0..300 {
            let formula = any(seed, 6);
            if !(1..=14).contains(&formula.variables()) {
                continue;
            }
            let dice = &mut Dice::new(seed);
            let lit = |dice: &mut Dice| Lit::from_code(dice.below(2 * formula.variables()));
            let clauses: Vec<Vec<Lit>> =
                (0..8).map(|_| (0..dice.below(4)).map(|_| lit(dice)).collect()).collect();
            let report =
                clauses_are_implied(&formula, clauses.iter().map(Vec::as_slice), Limits::default());
            assert_eq!(report.open, []);
            for (at, clause) in clauses.iter().enumerate() {
                let refuted = report.refuted.iter().any(|(place, _)| *place == at);
                assert_eq!(!refuted, by_definition(&formula, clause), "seed {seed}: {clause:?}");
            }
            yes += report.proven;
            no += report.refuted.len();
        }
        assert!(yes > 200 && no > 200, "{yes} implied, {no} not");
    }

    /// More pigeons than holes: too hard for the time given.
    fn pigeons(count: usize) -> Qcnf {
        let holes = count - 1;
        let mut formula = Qcnf::new(count * holes);
        let at = |pigeon: usize, hole: usize| Var::from_index(pigeon * holes + hole);
        formula
            .quantify(qcnf::Quantifier::Exists, (0..count * holes).map(Id::from_index).collect());
        for pigeon in 0..count {
            let somewhere: Vec<Lit> =
                (0..holes).map(|hole| Lit::positive(at(pigeon, hole))).collect();
            formula.add_clause(&somewhere);
            for (other, hole) in (0..pigeon).flat_map(|other| (0..holes).map(move |h| (other, h))) {
                formula.add_clause(&[at(pigeon, hole), at(other, hole)].map(Lit::negative));
            }
        }
        formula
    }

    #[test]
    fn a_question_that_takes_too_long_stays_open() {
        let limits = Limits { time: Duration::from_millis(200) };
        let formula = pigeons(14);
        assert!(matches!(Matrix::new(&formula, limits).is_implied(&[]), Outcome::Open(_)));
        let easy = pigeons(4);
        assert!(Matrix::new(&easy, limits).is_implied(&[]).is_proven());
    }
}
