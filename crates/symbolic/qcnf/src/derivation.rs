//! Derivations of clauses, checked step by step without the solver that made them.
//!
//! A step takes a clause of the formula, resolves two clauses that were derived before, or drops
//! forall-literals that stand inside of all else in a clause. What always holds: adding the clauses
//! of a checked derivation to the formula leaves its value as it is.
//!
//! Why a resolvent: it holds wherever both clauses do. Why a drop: where all other literals of the
//! clause are false, which is settled before the forall-variable is, the smaller of its two
//! branches is 0. That says nothing of chance: a chance-literal is never dropped, and one inside of
//! the forall-literal keeps it. A clause with opposed literals is never reduced, since it may hold
//! by the very literals that would go. The empty clause derived shows that the value is 0.
//! Cost: linear in the literals. Source: Kleine Büning, Karpinski and Flögel, *Resolution for
//! quantified Boolean formulas*, 1995.

use index::{Id, IndexVec};

use crate::{ClauseId, Kind, Lit, Qcnf, Var};

index::typed_id!(
    /// A step of a derivation, in order.
    pub struct StepId, "s"
);

/// How a clause is derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is a clause of the formula.
    Input(ClauseId),
    /// It is the union of two clauses without a variable that is positive in the first and
    /// negative in the second.
    Resolve {
        /// The step whose clause has the variable.
        positive: StepId,
        /// The step whose clause has its negation.
        negative: StepId,
        /// The variable.
        pivot: Var,
    },
    /// It is a clause without its forall-literals that no other literal stands inside of.
    Reduce(StepId),
}

/// A derived clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// Its literals, ascending, each once.
    pub clause: Vec<Lit>,
    /// Whether it was derived without a reduction: then the clauses of the formula imply it.
    pub is_implied: bool,
}

/// A step that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepFault {
    /// The formula has no such clause.
    NoClause(StepId),
    /// The step uses one that does not come before it.
    NotBefore(StepId),
    /// A clause does not have the literal that is resolved on.
    NoPivot(StepId),
    /// The clause that is reduced has opposed literals.
    Tautology(StepId),
    /// A variable of the clause that is reduced has no quantifier.
    Unbound(StepId),
}

/// The clauses that the steps derive.
///
/// # Errors
/// The first step that is none.
pub fn derive(formula: &Qcnf, steps: &[Step]) -> Result<IndexVec<StepId, Derived>, StepFault> {
    let blocks = blocks(formula);
    let mut derived = IndexVec::new();
    for step in steps {
        let next = follow(formula, &blocks, &derived, *step)?;
        debug_assert!(next.clause.is_sorted());
        derived.push(next);
    }
    Ok(derived)
}

/// By variable: the place of its block from outside, and its kind.
fn blocks(formula: &Qcnf) -> Vec<Option<(usize, Kind)>> {
    let mut places = vec![None; formula.variables()];
    for (place, block) in formula.blocks().enumerate() {
        for var in block.scopes.iter().flat_map(|scope| &scope.variables) {
            places[var.index()] = Some((place, block.kind));
        }
    }
    places
}

fn follow(
    formula: &Qcnf,
    blocks: &[Option<(usize, Kind)>],
    derived: &IndexVec<StepId, Derived>,
    step: Step,
) -> Result<Derived, StepFault> {
    let here = derived.next_id();
    let before = |id: StepId| derived.get(id).ok_or(StepFault::NotBefore(here));
    match step {
        Step::Input(id) if id.index() < formula.clauses.len() => {
            let clause = sorted(formula.clauses.get(id).to_vec());
            Ok(Derived { clause, is_implied: true })
        }
        Step::Input(_) => Err(StepFault::NoClause(here)),
        Step::Resolve { positive, negative, pivot } => {
            let (left, right) = (before(positive)?, before(negative)?);
            let clause = resolvent(&left.clause, &right.clause, Lit::positive(pivot));
            let is_implied = left.is_implied && right.is_implied;
            Ok(Derived { clause: clause.ok_or(StepFault::NoPivot(here))?, is_implied })
        }
        Step::Reduce(from) => reduced(&before(from)?.clause, blocks, here),
    }
}

fn sorted(mut clause: Vec<Lit>) -> Vec<Lit> {
    clause.sort_unstable();
    clause.dedup();
    clause
}

fn resolvent(left: &[Lit], right: &[Lit], pivot: Lit) -> Option<Vec<Lit>> {
    if !left.contains(&pivot) || !right.contains(&!pivot) {
        return None;
    }
    let kept = left.iter().filter(|lit| **lit != pivot);
    Some(sorted(kept.chain(right.iter().filter(|lit| **lit != !pivot)).copied().collect()))
}

fn reduced(
    clause: &[Lit],
    blocks: &[Option<(usize, Kind)>],
    here: StepId,
) -> Result<Derived, StepFault> {
    if clause.windows(2).any(|pair| pair[0] == !pair[1]) {
        return Err(StepFault::Tautology(here));
    }
    let block = |lit: &Lit| blocks.get(lit.var().index()).copied().flatten();
    let bound: Option<Vec<(usize, Kind)>> = clause.iter().map(block).collect();
    let bound = bound.ok_or(StepFault::Unbound(here))?;
    let others = bound.iter().filter(|(_, kind)| *kind != Kind::Forall);
    let innermost = others.map(|(place, _)| place + 1).max().unwrap_or(0);
    let kept = clause.iter().zip(&bound).filter(|(_, (place, _))| *place < innermost);
    Ok(Derived { clause: kept.map(|(lit, _)| *lit).collect(), is_implied: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meaning;
    use crate::random::{Dice, Shape, plain};

    /// A random derivation: all clauses, then resolvents and reductions where they are possible.
    fn random_steps(formula: &Qcnf, dice: &mut Dice) -> Vec<Step> {
        let inputs = formula.clauses.len();
        let mut steps: Vec<Step> =
            (0..inputs).map(|at| Step::Input(ClauseId::from_index(at))).collect();
        for _ in 0..40 {
            let mut pick = || StepId::from_index(dice.below(steps.len()));
            let (positive, negative) = (pick(), pick());
            let derived = derive(formula, &steps).expect("the steps so far are steps");
            let clause = &derived[positive].clause;
            let pivot = clause.iter().find(|lit| derived[negative].clause.contains(&!**lit));
            match pivot {
                Some(lit) if lit.is_positive() => {
                    steps.push(Step::Resolve { positive, negative, pivot: lit.var() });
                }
                _ => steps.push(Step::Reduce(positive)),
            }
            if derive(formula, &steps).is_err() {
                steps.pop();
            }
        }
        steps
    }

    fn with_clause(formula: &Qcnf, clause: &[Lit]) -> Qcnf {
        let mut more = formula.clone();
        more.add_clause(clause);
        more
    }

    /// Derived clauses change no value; the same clauses without a literal often do.
    #[test]
    fn derived_clauses_change_no_value() {
        let (mut kept, mut reductions, mut spoilt) = (0, 0, 0);
        for seed in 0..150 {
            let shape = Shape { variables: 7, clauses: 9, width: 3, ..Shape::default() };
            let formula = plain(seed, &shape);
            let value = meaning::value(&formula);
            let steps = random_steps(&formula, &mut Dice::new(seed));
            let derived = derive(&formula, &steps).expect("the steps are steps");
            for (step, Derived { clause, is_implied }) in steps.iter().zip(derived.iter()) {
                let more = with_clause(&formula, clause);
                assert_eq!(meaning::value(&more), value, "seed {seed}: {step:?} {clause:?}");
                if *is_implied {
                    assert_eq!(meaning::count_models(&more), meaning::count_models(&formula));
                }
                kept += 1;
                reductions += usize::from(!is_implied);
                if let Some((_, short)) = clause.split_first() {
                    let short = with_clause(&formula, short);
                    spoilt += usize::from(meaning::value(&short) != value);
                }
            }
        }
        assert!(kept > 3000 && reductions > 500 && spoilt > 500, "{kept} {reductions} {spoilt}");
    }

    #[test]
    fn what_is_no_step_is_refused() {
        let text = "p cnf 3 3\ne 1 0\na 2 0\nr 1/2 3 0\n1 2 0\n-1 2 3 0\n2 -2 0\n";
        let formula = crate::text::parse(text.as_bytes()).unwrap().formula;
        let input = |at: usize| Step::Input(ClauseId::from_index(at));
        let step = StepId::from_index;
        let last = |steps: &[Step]| derive(&formula, steps).map(|all| all.as_slice().len());
        assert_eq!(last(&[input(3)]), Err(StepFault::NoClause(step(0))));
        assert_eq!(last(&[Step::Reduce(step(0))]), Err(StepFault::NotBefore(step(0))));
        let resolve = |positive: usize, negative: usize, var: usize| Step::Resolve {
            positive: step(positive),
            negative: step(negative),
            pivot: Var::from_index(var),
        };
        let both = [input(0), input(1)];
        let with = |next: Step| last(&[both[0], both[1], next]);
        assert_eq!(with(resolve(0, 1, 0)), Ok(3));
        assert_eq!(with(resolve(1, 0, 0)), Err(StepFault::NoPivot(step(2))));
        assert_eq!(with(resolve(0, 1, 1)), Err(StepFault::NoPivot(step(2))));
        let tautology = [input(2), Step::Reduce(step(0))];
        assert_eq!(last(&tautology), Err(StepFault::Tautology(step(1))));
    }

    #[test]
    fn chance_inside_keeps_a_forall_literal() {
        let text = "p cnf 3 2\ne 1 0\na 2 0\nr 1/2 3 0\n1 2 0\n1 2 3 0\n";
        let formula = crate::text::parse(text.as_bytes()).unwrap().formula;
        let reduce = |at: usize| {
            let steps =
                [Step::Input(ClauseId::from_index(at)), Step::Reduce(StepId::from_index(0))];
            derive(&formula, &steps).unwrap()[StepId::from_index(1)].clause.len()
        };
        assert_eq!((reduce(0), reduce(1)), (1, 3));
    }
}
