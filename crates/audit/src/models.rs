//! Models of a formula's clauses: how a choice extends to them, and which they are.
//!
//! *At most one extension*: each variable is a function of those before it (`definitions`), or, where
//! that does not show, two copies of the clauses agree on the choices and differ elsewhere, and that
//! has no model. *At least one*: for all choices there is a rest, by refinement: z3 proposes
//! choices for which no rest found so far works, and is then asked for a rest; each rest found
//! rules out all choices that it serves, so that few questions do for many choices.
//! Source: Janota and Marques-Silva, *Abstraction-based algorithm for 2QBF*, 2011.

use index::Id;
use qcnf::{Lit, Qcnf, Var};
use z3::ast::Bool;

use crate::limits::answer;
use crate::matrix::Matrix;
use crate::outcome::Outcome;

/// How a choice fails to extend to exactly one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtensionFault {
    /// These values of the choices are in no model.
    None(Vec<Lit>),
    /// Two models with the same choices.
    Two(Vec<Lit>, Vec<Lit>),
}

/// How a list of models fails to be the models of the clauses, seen on some variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelsFault {
    /// The position of one that is no model.
    Spurious(usize),
    /// A model that is not in the list, seen on the variables.
    Missing(Vec<Lit>),
}

impl Matrix<'_> {
    /// The models in which these literals hold, up to `most` of them.
    ///
    /// # Errors
    /// Why the question stays open.
    pub fn models(&self, given: &[Lit], most: usize) -> Result<Vec<Vec<Lit>>, String> {
        let mut models = Vec::new();
        self.solver.push();
        let outcome = loop {
            match self.model(given) {
                Ok(Some(model)) if models.len() < most => {
                    let negated: Vec<Lit> = model.iter().map(|lit| !*lit).collect();
                    self.solver.assert(self.clause(&negated));
                    models.push(model);
                }
                Ok(_) => break Ok(()),
                Err(why) => break Err(why),
            }
        };
        self.solver.pop(1);
        outcome.map(|()| models)
    }

    /// Whether no two models agree on the choices.
    pub fn extends_at_most_once(&self, choices: &[Var]) -> Outcome<ExtensionFault> {
        let chosen = flags(choices, self.formula.variables());
        let occurs = self.occurring();
        match self.are_defined(&chosen, &occurs) {
            Ok(true) => Outcome::Proven,
            Ok(false) => self.has_one_extension(&chosen, &occurs),
            Err(why) => Outcome::Open(why),
        }
    }

    fn has_one_extension(&self, chosen: &[bool], occurs: &[bool]) -> Outcome<ExtensionFault> {
        let pair = Qcnf::clone(self.formula);
        let other = Matrix::new(&pair, self.limits);
        for clause in self.formula.clauses.iter() {
            other.solver.assert(self.clause(clause));
        }
        let mut differ = Vec::new();
        for var in (0..self.formula.variables()).map(Var::from_index) {
            let [mine, theirs] = [self, &other].map(|copy| copy.symbol(Lit::positive(var)));
            if chosen[var.index()] {
                other.solver.assert(mine.iff(&theirs));
            } else if occurs[var.index()] {
                differ.push(mine.xor(&theirs));
            }
        }
        other.solver.assert(Bool::or(&differ));
        match answer(&other.solver, other.solver.check()) {
            Ok(false) => Outcome::Proven,
            Ok(true) => Outcome::Refuted(self.two_models(&other)),
            Err(why) => Outcome::Open(why),
        }
    }

    /// By variable: whether it is in a clause. Others have both values in every model, and mean
    /// nothing.
    fn occurring(&self) -> Vec<bool> {
        let mut occurs = vec![false; self.formula.variables()];
        let lits = self.formula.clauses.iter().flatten();
        lits.for_each(|lit| occurs[lit.var().index()] = true);
        occurs
    }

    /// The two models of a solver that holds this copy and another.
    fn two_models(&self, other: &Matrix<'_>) -> ExtensionFault {
        let model = other.solver.get_model().expect("a satisfiable question has a model");
        let read = |copy: &Matrix<'_>| -> Vec<Lit> {
            let vars = (0..self.formula.variables()).map(|at| Lit::positive(Var::from_index(at)));
            vars.map(|lit| {
                let value = model.eval(&copy.symbol(lit), true).and_then(|value| value.as_bool());
                if value == Some(true) { lit } else { !lit }
            })
            .collect()
        };
        let (first, second) = (read(self), read(other));
        assert!(self.holds(&first) && self.holds(&second), "z3's models are none");
        ExtensionFault::Two(first, second)
    }

    fn holds(&self, model: &[Lit]) -> bool {
        let holds = |lit: &Lit| model[lit.var().index()] == *lit;
        self.formula.clauses.iter().all(|clause| clause.iter().any(holds))
    }

    /// Whether each assignment of the choices is part of a model.
    pub fn extends_at_least_once(&self, choices: &[Var]) -> Outcome<ExtensionFault> {
        let chosen = flags(choices, self.formula.variables());
        let proposals = self.limits.solver();
        loop {
            match answer(&proposals, proposals.check()) {
                Ok(false) => return Outcome::Proven,
                Ok(true) => {}
                Err(why) => return Outcome::Open(why),
            }
            let proposal = proposals.get_model().expect("a satisfiable question has a model");
            let given: Vec<Lit> = choices
                .iter()
                .map(|var| {
                    let symbol = self.symbol(Lit::positive(*var));
                    let value = proposal.eval(&symbol, true).and_then(|value| value.as_bool());
                    Lit::new(*var, value == Some(true))
                })
                .collect();
            match self.model(&given) {
                Ok(Some(model)) => proposals.assert(self.not_served_by(&model, &chosen)),
                Ok(None) => return Outcome::Refuted(ExtensionFault::None(given)),
                Err(why) => return Outcome::Open(why),
            }
        }
    }

    /// That some clause which this rest leaves open is not satisfied by the choices either.
    fn not_served_by(&self, model: &[Lit], chosen: &[bool]) -> Bool {
        let is_choice = |lit: &&Lit| chosen[lit.var().index()];
        let mut broken = Vec::new();
        for clause in self.formula.clauses.iter() {
            let served =
                clause.iter().any(|lit| !is_choice(&lit) && model[lit.var().index()] == *lit);
            if !served {
                let against: Vec<Lit> = clause.iter().filter(is_choice).map(|lit| !*lit).collect();
                broken.push(Bool::and(&self.symbols_of(&against)));
            }
        }
        Bool::or(&broken)
    }

    /// Whether each assignment of the choices is part of exactly one model.
    pub fn extends_exactly_once(&self, choices: &[Var]) -> Outcome<ExtensionFault> {
        self.extends_at_most_once(choices).and(|| self.extends_at_least_once(choices))
    }

    /// Whether the models of the clauses, seen on the variables of the given ones, are these: each
    /// a set of literals of the same variables.
    ///
    /// # Panics
    /// When they are not all of the same variables.
    pub fn models_are(&self, shown: &[Var], models: &[Vec<Lit>]) -> Outcome<ModelsFault> {
        self.solver.push();
        let outcome = self.models_are_within(shown, models);
        self.solver.pop(1);
        outcome
    }

    fn models_are_within(&self, shown: &[Var], models: &[Vec<Lit>]) -> Outcome<ModelsFault> {
        let wanted = flags(shown, self.formula.variables());
        for (at, model) in models.iter().enumerate() {
            let same = model.len() == shown.len() && model.iter().all(|l| wanted[l.var().index()]);
            assert!(same, "model {at} is not of the variables shown");
            match self.model(model) {
                Ok(Some(_)) => {}
                Ok(None) => return Outcome::Refuted(ModelsFault::Spurious(at)),
                Err(why) => return Outcome::Open(why),
            }
        }
        for model in models {
            let negated: Vec<Lit> = model.iter().map(|lit| !*lit).collect();
            self.solver.assert(self.clause(&negated));
        }
        match self.model(&[]) {
            Ok(None) => Outcome::Proven,
            Ok(Some(mut model)) => {
                model.retain(|lit| wanted[lit.var().index()]);
                Outcome::Refuted(ModelsFault::Missing(model))
            }
            Err(why) => Outcome::Open(why),
        }
    }
}

fn flags(vars: &[Var], count: usize) -> Vec<bool> {
    let mut flags = vec![false; count];
    vars.iter().for_each(|var| flags[var.index()] = true);
    flags
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use qcnf::random::{Dice, any};

    use super::*;
    use crate::Limits;

    /// All models of a formula, by trying all assignments, without variables that do not occur.
    fn all_models(formula: &Qcnf) -> Vec<Vec<Lit>> {
        let vars = formula.variables();
        let model = |bits: u32| -> Vec<Lit> {
            (0..vars).map(|at| Lit::new(Var::from_index(at), bits >> at & 1 == 1)).collect()
        };
        let holds = |model: &[Lit]| {
            formula
                .clauses
                .iter()
                .all(|clause| clause.iter().any(|lit| model[lit.var().index()] == *lit))
        };
        (0..1 << vars).map(model).filter(|model| holds(model)).collect()
    }

    fn small() -> impl Iterator<Item = (u64, Qcnf)> {
        let formulas = (0..400).map(|seed| (seed, any(seed, 6)));
        formulas.filter(|(_, formula)| (1..=11).contains(&formula.variables()))
    }

    #[test]
    fn extensions_are_counted_as_by_enumeration() {
        let mut counts = [0; 3];
        for (seed, formula) in small() {
            let used = |var: &Var| {
                formula.clauses.iter().any(|clause| clause.iter().any(|lit| lit.var() == *var))
            };
            let vars: Vec<Var> = (0..formula.variables()).map(Var::from_index).collect();
            let choices: Vec<Var> =
                vars.iter().copied().filter(|v| used(v) && v.index() % 2 == 0).collect();
            let mut extensions: BTreeMap<Vec<Lit>, BTreeSet<Vec<Lit>>> = BTreeMap::new();
            for model in all_models(&formula) {
                let key = choices.iter().map(|var| model[var.index()]).collect();
                let rest = model.iter().copied().filter(|lit| used(&lit.var())).collect();
                extensions.entry(key).or_default().insert(rest);
            }
            let matrix = Matrix::new(&formula, Limits::default());
            let most = matrix.extends_at_most_once(&choices);
            let least = matrix.extends_at_least_once(&choices);
            let all = extensions.len() == 1 << choices.len();
            assert_eq!(most.is_proven(), extensions.values().all(|set| set.len() == 1), "{seed}");
            assert_eq!(least.is_proven(), all, "{seed}");
            counts[usize::from(most.is_proven()) + usize::from(least.is_proven())] += 1;
            if let Some(ExtensionFault::None(given)) = least.refutation() {
                assert!(!extensions.contains_key(&given), "{seed}: {given:?} has an extension");
            }
        }
        assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
    }

    #[test]
    fn lists_of_models_are_compared() {
        for (seed, formula) in small() {
            let dice = &mut Dice::new(seed);
            let shown: Vec<Var> = (0..formula.variables()).map(Var::from_index).collect();
            let mut models = all_models(&formula);
            let matrix = Matrix::new(&formula, Limits::default());
            assert!(matrix.models_are(&shown, &models).is_proven(), "{seed}");
            assert_eq!(matrix.models(&[], 5000).unwrap().len(), models.len());
            if models.is_empty() {
                continue;
            }
            let taken = models.remove(dice.below(models.len()));
            let found = matrix.models_are(&shown, &models).refutation();
            assert_eq!(found, Some(ModelsFault::Missing(taken.clone())), "{seed}");
            models.push(taken.iter().map(|lit| !*lit).collect());
            let known = all_models(&formula).contains(&models[models.len() - 1]);
            let spurious = matrix.models_are(&shown, &models).refutation();
            let right = Some(ModelsFault::Spurious(models.len() - 1));
            assert!(known || spurious == right, "{seed}: {spurious:?}");
        }
    }
}
