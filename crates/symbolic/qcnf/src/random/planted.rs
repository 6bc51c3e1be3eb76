//! Do the formulas show faults? A small solver with two faults to choose from is held to the
//! definition: the layered formulas must show both, whatever the plain ones do.

use std::collections::HashMap;

use exact::Ratio;
use index::Id;

use super::{Shape, layered, plain};
use crate::{Lit, Qcnf, Quantifier, Var, meaning};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// A value that a window cut short is kept as if it were exact.
    CutKept,
    /// A variable of the state is missing from the key.
    KeyShort,
}

/// Expectiminimax over residual clauses, with windows and a table.
struct Solver<'f> {
    order: Vec<(Var, &'f Quantifier)>,
    fault: Fault,
    table: HashMap<(usize, Vec<Vec<Lit>>), Ratio>,
}

type Window<'a> = (&'a Ratio, &'a Ratio);

impl Solver<'_> {
    fn value(&mut self, place: usize, clauses: &[Vec<Lit>], window: Window<'_>) -> Ratio {
        if clauses.is_empty() || clauses.iter().any(Vec::is_empty) {
            return if clauses.is_empty() { Ratio::one() } else { Ratio::zero() };
        }
        let mut key = (place, clauses.to_vec());
        if self.fault == Fault::KeyShort {
            let least = clauses.iter().flatten().map(|lit| lit.var()).min();
            key.1.retain(|clause| clause.len() > 1 || Some(clause[0].var()) != least);
        }
        if let Some(known) = self.table.get(&key) {
            return known.clone();
        }
        let value = self.under_both(place, clauses, window);
        let exact = window.0 < &value && &value < window.1;
        if exact || self.fault == Fault::CutKept {
            self.table.insert(key, value.clone());
        }
        value
    }

    fn under_both(&mut self, place: usize, clauses: &[Vec<Lit>], (low, high): Window<'_>) -> Ratio {
        let (var, quantifier) = self.order[place];
        let [on, off] = [true, false].map(|value| reduced(clauses, Lit::new(var, value)));
        match quantifier {
            Quantifier::Exists => {
                let first = self.value(place + 1, &on, (low, high));
                if &first >= high {
                    return first;
                }
                let low = low.max(&first);
                self.value(place + 1, &off, (low, high)).max(first)
            }
            Quantifier::Forall => {
                let first = self.value(place + 1, &on, (low, high));
                if &first <= low {
                    return first;
                }
                let high = high.min(&first);
                self.value(place + 1, &off, (low, high)).min(first)
            }
            Quantifier::Chance(p) => self.mean(place, p, [&on, &off], (low, high)),
        }
    }

    /// The second outcome is searched in the window that the first leaves.
    fn mean(
        &mut self,
        place: usize,
        p: &Ratio,
        [on, off]: [&[Vec<Lit>]; 2],
        (low, high): Window<'_>,
    ) -> Ratio {
        let all = (&-Ratio::one(), &Ratio::new(2u8, 1u8));
        let rest = Ratio::one() - p;
        let first = p * self.value(place + 1, on, all);
        if rest.is_zero() {
            return first;
        }
        let window = ((low - &first) / &rest, (high - &first) / &rest);
        first + &rest * self.value(place + 1, off, (&window.0, &window.1))
    }
}

fn reduced(clauses: &[Vec<Lit>], holds: Lit) -> Vec<Vec<Lit>> {
    let open = clauses.iter().filter(|clause| !clause.contains(&holds));
    open.map(|clause| clause.iter().copied().filter(|lit| *lit != !holds).collect()).collect()
}

fn solve(formula: &Qcnf, fault: Fault) -> Ratio {
    let order = formula
        .prefix
        .iter()
        .flat_map(|scope| scope.variables.iter().map(|var| (*var, &scope.quantifier)))
        .collect();
    let clauses: Vec<Vec<Lit>> = formula.clauses.iter().map(<[Lit]>::to_vec).collect();
    debug_assert!(clauses.iter().flatten().all(|lit| lit.var().index() < formula.variables()));
    let mut solver = Solver { order, fault, table: HashMap::new() };
    solver.value(0, &clauses, (&-Ratio::one(), &Ratio::new(2u8, 1u8)))
}

fn wrong(formulas: &[(Qcnf, Ratio)], fault: Fault) -> usize {
    formulas.iter().filter(|(formula, value)| solve(formula, fault) != *value).count()
}

fn with_values(make: impl Fn(u64) -> Qcnf) -> Vec<(Qcnf, Ratio)> {
    let valued = |formula: Qcnf| {
        let value = meaning::value(&formula);
        (formula, value)
    };
    (0..200).map(|seed| valued(make(seed))).collect()
}

#[test]
fn layered_formulas_show_faults_of_caching() {
    let shape = Shape { variables: 10, ..Shape::default() };
    let layers = with_values(|seed| layered(seed, &shape));
    let plains = with_values(|seed| plain(seed, &shape));
    let (cut, key) = (wrong(&layers, Fault::CutKept), wrong(&layers, Fault::KeyShort));
    println!("layered: cut {cut}, key {key}; plain: cut {}", wrong(&plains, Fault::CutKept));
    assert_eq!(wrong(&layers, Fault::None) + wrong(&plains, Fault::None), 0);
    assert!(cut >= 3, "a bound kept as a value shows in {cut} of 200");
    assert!(key >= 20, "a short key shows in {key} of 200");
}
