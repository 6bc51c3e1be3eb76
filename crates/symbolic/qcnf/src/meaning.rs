//! The value of a formula by definition: the oracle of every solver.
//!
//! The variables are walked in the order of the prefix, both values each, with the larger, the
//! smaller or the mean taken on the way back. Nothing is learned, cached or reordered; the walk
//! only stops early where the clauses are decided: 0 once a clause has no literal left that could
//! hold, 1 once all hold. A clause is two words of 128 bits, which is why at most 128 variables may
//! be quantified; the time is 2 to the number of variables that the clauses do not
//! define from outer ones, so 16 to 20 of these are what is practical.

use exact::Ratio;
use index::Id;

use crate::{Lit, Qcnf, Quantifier, Var};

/// Variables that may be quantified, at most.
pub const VARIABLES_LIMIT: usize = 128;

/// The value of a formula.
///
/// # Panics
/// When the formula is not well-formed, or quantifies more than 128 variables.
pub fn value(formula: &Qcnf) -> Ratio {
    value_given(formula, &[])
}

/// The value of a formula in which some literals hold: their variables lose their quantifiers,
/// wherever these stand.
///
/// # Panics
/// When the formula is not well-formed, or quantifies more than 128 variables, or the literals are
/// of variables that it does not quantify, or two of them are opposed.
pub fn value_given(formula: &Qcnf, given: &[Lit]) -> Ratio {
    let matrix = Matrix::new(formula);
    let mut known = Assignment::default();
    for lit in given {
        assert!(!matrix.holds(!*lit, known), "{lit} and its opposite are given");
        known = matrix.assign(known, lit.var(), lit.is_positive());
    }
    matrix.value(0, known)
}

/// How many assignments of all quantified variables satisfy the clauses.
///
/// # Panics
/// As [`value`].
pub fn count_models(formula: &Qcnf) -> u64 {
    let matrix = Matrix::new(formula);
    matrix.count(0, Assignment::default())
}

/// A set of literals that hold: the bits of the variables that are true, and of those that are
/// false. Bits are places in the prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Assignment {
    high: u128,
    low: u128,
}

/// The prefix in order, and the clauses as the bits of their positive and negative literals.
struct Matrix<'f> {
    quantifiers: Vec<&'f Quantifier>,
    /// By variable: its place in the prefix.
    places: Vec<Option<u32>>,
    clauses: Vec<Assignment>,
}

impl<'f> Matrix<'f> {
    fn new(formula: &'f Qcnf) -> Self {
        assert_eq!(formula.flaw(), None, "the formula is not well-formed");
        let mut matrix = Self {
            quantifiers: Vec::new(),
            places: vec![None; formula.variables()],
            clauses: Vec::new(),
        };
        for scope in &formula.prefix {
            for var in &scope.variables {
                matrix.places[var.index()] = Some(matrix.quantifiers.len() as u32);
                matrix.quantifiers.push(&scope.quantifier);
            }
        }
        assert!(matrix.quantifiers.len() <= VARIABLES_LIMIT, "too many variables for the oracle");
        let bits = |clause: &[Lit]| {
            let none = Assignment::default();
            clause.iter().fold(none, |set, lit| matrix.assign(set, lit.var(), lit.is_positive()))
        };
        matrix.clauses = formula.clauses.iter().map(bits).collect();
        matrix
    }

    fn assign(&self, known: Assignment, var: Var, value: bool) -> Assignment {
        let place = self.places[var.index()].expect("the variable is quantified");
        at_place(known, place as usize, value)
    }

    fn holds(&self, lit: Lit, known: Assignment) -> bool {
        self.assign(known, lit.var(), lit.is_positive()) == known
    }

    /// Whether the clauses hold under any completion, under none, or that is open.
    fn decided(&self, known: Assignment) -> Option<bool> {
        let mut all = true;
        for clause in &self.clauses {
            let holds = clause.high & known.high | clause.low & known.low != 0;
            if !holds && clause.high & !known.low == 0 && clause.low & !known.high == 0 {
                return Some(false);
            }
            all &= holds;
        }
        all.then_some(true)
    }

    /// The value of what the prefix binds from a place on.
    fn value(&self, place: usize, known: Assignment) -> Ratio {
        if let Some(holds) = self.decided(known) {
            return if holds { Ratio::one() } else { Ratio::zero() };
        }
        if (known.high | known.low) >> place & 1 == 1 {
            return self.value(place + 1, known);
        }
        let under = |value: bool| self.value(place + 1, at_place(known, place, value));
        match self.quantifiers[place] {
            Quantifier::Exists => under(true).max(under(false)),
            Quantifier::Forall => under(true).min(under(false)),
            Quantifier::Chance(p) => p * under(true) + (Ratio::one() - p) * under(false),
        }
    }

    fn count(&self, place: usize, known: Assignment) -> u64 {
        if self.decided(known) == Some(false) {
            return 0;
        }
        if place == self.quantifiers.len() {
            return 1;
        }
        let under = |value: bool| self.count(place + 1, at_place(known, place, value));
        under(true) + under(false)
    }
}

fn at_place(known: Assignment, place: usize, value: bool) -> Assignment {
    let bit = 1u128 << place;
    if value {
        Assignment { high: known.high | bit, ..known }
    } else {
        Assignment { low: known.low | bit, ..known }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    fn formula(text: &str) -> Qcnf {
        parse(text.as_bytes()).unwrap().formula
    }

    fn shown(text: &str) -> String {
        value(&formula(text)).to_string()
    }

    #[test]
    fn values_by_hand() {
        // Whether 1 and 2 are equal, 2 by a toss that comes true in a third of cases.
        let equal = "1 -2 0\n-1 2 0\n";
        for (prefix, right) in [
            ("e 1 0\nr 1/3 2 0\n", "2/3"),
            ("r 1/3 2 0\ne 1 0\n", "1/1"),
            ("a 1 0\nr 1/3 2 0\n", "1/3"),
            ("r 1/3 2 0\na 1 0\n", "0/1"),
            ("r 1/4 1 0\nr 1/3 2 0\n", "7/12"),
            ("a 1 0\ne 2 0\n", "1/1"),
            ("e 1 0\na 2 0\n", "0/1"),
        ] {
            assert_eq!(shown(&format!("p cnf 2 2\n{prefix}{equal}")), right, "{prefix}");
        }
    }

    #[test]
    fn clauses_that_are_empty_or_always_true() {
        assert_eq!(shown("p cnf 1 0\ne 1 0\n"), "1/1");
        assert_eq!(shown("p cnf 1 1\na 1 0\n0\n"), "0/1");
        assert_eq!(shown("p cnf 1 1\na 1 0\n1 -1 0\n"), "1/1");
        assert_eq!(shown("p cnf 1 1\nr 1/5 1 0\n1 1 0\n"), "1/5");
        assert_eq!(shown("p cnf 0 0\n"), "1/1");
        assert_eq!(shown("p cnf 0 1\n0\n"), "0/1");
    }

    #[test]
    fn given_literals_lose_their_quantifiers() {
        let formula = formula("p cnf 3 2\ne 1 0\nr 1/3 2 0\na 3 0\n1 2 0\n-1 -2 3 0\n");
        let lit =
            |number: i64| Lit::new(Var::from_index(number.unsigned_abs() as usize - 1), number > 0);
        let given = |numbers: &[i64]| {
            let lits: Vec<Lit> = numbers.iter().map(|number| lit(*number)).collect();
            value_given(&formula, &lits).to_string()
        };
        assert_eq!(given(&[]), "2/3");
        assert_eq!(given(&[-1]), "1/3");
        assert_eq!(given(&[1, 3]), "1/1");
        assert_eq!(given(&[2]), "1/1");
    }

    #[test]
    fn models_are_counted() {
        assert_eq!(count_models(&formula("p cnf 3 1\ne 1 2 3 0\n1 2 3 0\n")), 7);
        assert_eq!(count_models(&formula("p cnf 3 0\na 1 2 0\n")), 4);
        assert_eq!(count_models(&formula("p cnf 1 1\na 1 0\n0\n")), 0);
    }
}
