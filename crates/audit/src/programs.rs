//! Clauses against the program that they were made from.
//!
//! Three claims. *Functions*: whatever the open atoms are, the clauses have at most one model with
//! them; that is proven for all assignments at once. *Samples*: for the assignments that clingo was
//! asked about, the models of the clauses are the stable models, atom by atom. *Constants*: an atom
//! that became a constant has that value in each stable model of the sample. The first is proven,
//! the others are as good as the sample; where it is all assignments they are proven as well.
//!
//! Refuted claims come with the smallest assignment of the sample that refutes, fewest true atoms
//! first. Cost: two calls of z3 for each stable model, one for each assignment without.

use index::{Id, IndexVec};
use qcnf::{Lit, Var};
use sqasp::{AtomId, Completion, GroundProgram, Sample, Samples, Value};

use crate::matrix::Matrix;

/// A program, what became of it, and what clingo says of it.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The ground program.
    pub ground: &'a GroundProgram,
    /// Its clauses.
    pub completion: &'a Completion,
    /// The atoms that each sample gives a value, in its order.
    pub choices: &'a [AtomId],
    /// Clingo's models.
    pub samples: &'a Samples,
}

/// What became of a claim on samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleReport {
    /// Assignments for which clauses and program agree.
    pub agreed: usize,
    /// Those among them that have a stable model.
    pub satisfiable: usize,
    /// Stable models that were found to be models of the clauses.
    pub models: usize,
    /// The smallest assignment for which they do not agree.
    pub fault: Option<SampleFault>,
    /// Why some assignments stayed open.
    pub open: Vec<String>,
}

/// An assignment of which clauses and program say different things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleFault {
    /// The choices that are true.
    pub chosen: Vec<String>,
    /// What differs.
    pub difference: Difference,
}

/// How clauses and program differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A stable model, by its atoms, that is no model of the clauses.
    Lost(Vec<String>),
    /// A model of the clauses, by its atoms, that is no stable model.
    Invented(Vec<String>),
    /// An atom whose value in a stable model is not the one that the translation gave it.
    Constant(String),
}

impl std::fmt::Display for SampleFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let listed = |atoms: &[String]| match atoms {
            [] => "nothing".to_owned(),
            _ => atoms.join(", "),
        };
        write!(f, "where {} is chosen and nothing else, ", listed(&self.chosen))?;
        match &self.difference {
            Difference::Lost(atoms) => {
                write!(f, "the clauses miss the stable model of {}", listed(atoms))
            }
            Difference::Invented(atoms) => {
                write!(f, "the clauses have a model that is not stable: {}", listed(atoms))
            }
            Difference::Constant(atom) => {
                write!(f, "a stable model gives `{atom}` another value than the translation")
            }
        }
    }
}

/// What a sample has come to.
enum Seen {
    Agrees { models: usize },
    Differs(Difference),
    Open(String),
}

/// Whether clauses and program agree on samples.
///
/// # Panics
/// When a sample is not of the choices, or the matrix not of the claim's formula.
pub fn samples_agree(claim: Claim<'_>, matrix: &Matrix<'_>) -> SampleReport {
    assert_eq!(*matrix.formula, claim.completion.formula, "a matrix of the same formula");
    let side = Side::new(claim);
    let mut report = SampleReport::default();
    for sample in &claim.samples.samples {
        assert_eq!(sample.given.len(), claim.choices.len(), "a sample of other choices");
        match side.compare(sample, matrix) {
            Seen::Agrees { models } => {
                report.agreed += 1;
                report.satisfiable += usize::from(models > 0);
                report.models += models;
            }
            Seen::Open(why) => report.open.push(why),
            Seen::Differs(difference) => side.note(sample, difference, &mut report),
        }
    }
    report
}

/// The claim with its symbols in place.
struct Side<'a> {
    claim: Claim<'a>,
    /// By symbol of the samples: what the translation made of it; none for one that it lacks.
    values: Vec<Option<Value>>,
    /// By choice.
    names: Vec<&'a str>,
    /// The variables that symbols are the values of, each once.
    shown: Vec<Var>,
}

impl<'a> Side<'a> {
    fn new(claim: Claim<'a>) -> Self {
        let values = &claim.completion.values;
        let by_text: std::collections::HashMap<&str, Option<AtomId>> =
            claim.ground.symbols().collect();
        let value = |text: &String| match by_text.get(text.as_str())? {
            None => Some(Value::Constant(true)),
            Some(atom) => Some(values[*atom]),
        };
        let values: Vec<Option<Value>> = claim.samples.symbols.iter().map(value).collect();
        let mut names: IndexVec<AtomId, &str> = IndexVec::filled("", claim.ground.atoms());
        for (text, atom) in claim.ground.symbols() {
            atom.into_iter().for_each(|atom| names[atom] = text);
        }
        let mut shown: Vec<Var> = values
            .iter()
            .filter_map(|value| match value {
                Some(Value::Literal(lit)) => Some(lit.var()),
                _ => None,
            })
            .collect();
        shown.sort_unstable();
        shown.dedup();
        let names = claim.choices.iter().map(|atom| names[*atom]).collect();
        Self { claim, values, names, shown }
    }

    fn note(&self, sample: &Sample, difference: Difference, report: &mut SampleReport) {
        let chosen: Vec<String> = self
            .names
            .iter()
            .zip(&sample.given)
            .filter(|(_, given)| **given)
            .map(|(name, _)| (*name).to_owned())
            .collect();
        if report.fault.as_ref().is_none_or(|known| chosen.len() < known.chosen.len()) {
            report.fault = Some(SampleFault { chosen, difference });
        }
    }

    fn compare(&self, sample: &Sample, matrix: &Matrix<'_>) -> Seen {
        // Models that differ in what the clauses do not speak of are one.
        let mut wanted: Vec<(Vec<Lit>, &[u32])> = Vec::new();
        for model in &sample.models {
            match self.literals(model) {
                Ok(lits) if wanted.iter().any(|(known, _)| *known == lits) => {}
                Ok(lits) => wanted.push((lits, model)),
                Err(symbol) => {
                    let symbol = self.claim.samples.symbols[symbol].clone();
                    return Seen::Differs(Difference::Constant(symbol));
                }
            }
        }
        let Some(given) = self.given(sample) else {
            // The translation says that a choice is impossible; so must clingo.
            return match sample.models.first() {
                None => Seen::Agrees { models: 0 },
                Some(model) => Seen::Differs(Difference::Lost(self.atoms_of(model))),
            };
        };
        match self.ask(sample, &wanted, &given, matrix) {
            Ok(None) => Seen::Agrees { models: wanted.len() },
            Ok(Some(difference)) => Seen::Differs(difference),
            Err(why) => Seen::Open(why),
        }
    }

    fn ask(
        &self,
        sample: &Sample,
        wanted: &[(Vec<Lit>, &[u32])],
        given: &[Lit],
        matrix: &Matrix<'_>,
    ) -> Result<Option<Difference>, String> {
        for (lits, model) in wanted {
            if matrix.model(lits)?.is_none() {
                return Ok(Some(Difference::Lost(self.atoms_of(model))));
            }
        }
        if !sample.whole {
            return Ok(None);
        }
        let known: Vec<&[Lit]> = wanted.iter().map(|(lits, _)| lits.as_slice()).collect();
        let other = matrix.model_beside(given, &known)?;
        Ok(other.map(|model| Difference::Invented(self.atoms_in(&model))))
    }

    /// The choices as literals; none where the translation has one as a constant of another value.
    fn given(&self, sample: &Sample) -> Option<Vec<Lit>> {
        let mut lits = Vec::new();
        for (atom, given) in self.claim.choices.iter().zip(&sample.given) {
            match self.claim.completion.values[*atom] {
                Value::Literal(lit) => lits.push(if *given { lit } else { !lit }),
                Value::Constant(value) if value != *given => return None,
                Value::Constant(_) | Value::Unneeded => {}
            }
        }
        Some(lits)
    }

    /// A stable model as a literal for each shown variable, or a symbol that has not the value
    /// that the translation gives it.
    fn literals(&self, model: &[u32]) -> Result<Vec<Lit>, usize> {
        let mut signs: Vec<Option<bool>> = vec![None; self.claim.completion.formula.variables()];
        let mut held = model.iter().peekable();
        for (at, value) in self.values.iter().enumerate() {
            let holds = held.next_if(|place| **place as usize == at).is_some();
            match value {
                // A symbol that the grounding for the clauses lacks is one that cannot hold.
                None if holds => return Err(at),
                Some(Value::Constant(value)) if *value != holds => return Err(at),
                Some(Value::Literal(lit)) => {
                    let sign = holds == lit.is_positive();
                    if signs[lit.var().index()].is_some_and(|known| known != sign) {
                        return Err(at);
                    }
                    signs[lit.var().index()] = Some(sign);
                }
                _ => {}
            }
        }
        let lit = |var: &Var| Lit::new(*var, signs[var.index()].expect("a shown variable"));
        Ok(self.shown.iter().map(lit).collect())
    }

    fn atoms_of(&self, model: &[u32]) -> Vec<String> {
        model.iter().map(|at| self.claim.samples.symbols[*at as usize].clone()).collect()
    }

    /// The symbols that hold in a model of the clauses.
    fn atoms_in(&self, model: &[Lit]) -> Vec<String> {
        let symbols = self.claim.samples.symbols.iter().zip(&self.values);
        let holds = |value: &Option<Value>| match value {
            Some(Value::Literal(lit)) => model[lit.var().index()] == *lit,
            Some(Value::Constant(value)) => *value,
            _ => false,
        };
        symbols.filter(|(_, value)| holds(value)).map(|(text, _)| text.clone()).collect()
    }
}
