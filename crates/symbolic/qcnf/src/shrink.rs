//! A formula on which something shows, made smaller while it still does.
//!
//! Tried, in rounds, until a whole round changes nothing: a variable taken away with one of its values;
//! clauses left out, many at a time and then fewer (Zeller and Hildebrandt, *Simplifying and isolating
//! failure-inducing input*, 2002); literals left out; a probability made one half. Variables are
//! numbered without gaps each time, in the order that they had. Clauses and literals are left out only of
//! formulas of few variables: those of others may define variables, and a variable that is defined no
//! more doubles the time of the definition, while one that is taken away never does.
//!
//! Always: the result is well-formed and shows what the first formula shows, or is that formula.
//! Where the effort is spent, the smallest so far is the result. Cost: one
//! call of `shows` an attempt, about the square of the literals at worst.

use exact::Ratio;
use index::Id;

use crate::{Lit, Qcnf, Quantifier, Var};

/// Variables of formulas of which clauses and literals are left out, at most.
const FEW: usize = 12;

/// What may be spent on shrinking.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Calls of `shows`, at most.
    pub attempts: u32,
    /// Asked before each call: whether it is to be made.
    pub goes_on: &'a dyn Fn() -> bool,
}

/// The smallest formula that was found.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The formula.
    pub formula: Qcnf,
    /// Calls of `shows` that were made.
    pub attempts: u32,
    /// Whether no change that is known makes it smaller.
    pub is_done: bool,
}

/// Makes a formula smaller while `shows` says yes of it; it is taken to say yes of the first.
///
/// # Panics
/// When the formula is not well-formed.
pub fn shrink(formula: &Qcnf, effort: Effort<'_>, shows: &mut dyn FnMut(&Qcnf) -> bool) -> Shrunk {
    assert_eq!(formula.flaw(), None, "a formula that has a value");
    let best = formula.clone();
    let mut work = Work { best, effort, attempts: 0, shows };
    let mut is_done = false;
    while !is_done && !work.is_spent() {
        let before = size(&work.best);
        for pass in [fewer_variables, fewer_clauses, fewer_literals, plainer_chance] {
            pass(&mut work);
        }
        debug_assert!(size(&work.best) <= before, "no pass makes a formula larger");
        is_done = size(&work.best) == before && !work.is_spent();
    }
    Shrunk { formula: work.best, attempts: work.attempts, is_done }
}

/// How large it is: variables, clauses, literals, lines of the prefix, probabilities other than one half.
fn size(formula: &Qcnf) -> [usize; 5] {
    let odd = |quantifier: &Quantifier| matches!(quantifier, Quantifier::Chance(chance) if *chance != half());
    let odd = formula.prefix.iter().filter(|scope| odd(&scope.quantifier)).count();
    let (clauses, literals) = (formula.clauses.len(), formula.clauses.literals());
    [formula.variables(), clauses, literals, formula.prefix.len(), odd]
}

fn half() -> Ratio {
    Ratio::new(1u8, 2u8)
}

struct Work<'a> {
    best: Qcnf,
    effort: Effort<'a>,
    attempts: u32,
    shows: &'a mut dyn FnMut(&Qcnf) -> bool,
}

impl Work<'_> {
    fn is_spent(&self) -> bool {
        self.attempts >= self.effort.attempts || !(self.effort.goes_on)()
    }

    /// Takes a formula in the place of the best where it is smaller and shows the same.
    fn offer(&mut self, formula: Qcnf) -> bool {
        if self.is_spent() || size(&formula) >= size(&self.best) {
            return false;
        }
        assert_eq!(formula.flaw(), None, "what is left out leaves no hole");
        self.attempts += 1;
        let kept = (self.shows)(&formula);
        if kept {
            self.best = formula;
        }
        kept
    }

    fn clauses(&self) -> Vec<Vec<Lit>> {
        self.best.clauses.iter().map(<[Lit]>::to_vec).collect()
    }
}

/// The formula with these clauses, without a variable if one is named.
fn rebuilt(from: &Qcnf, clauses: &[Vec<Lit>], gone: Option<Var>) -> Qcnf {
    let mut number = vec![None; from.variables()];
    let kept =
        from.prefix.iter().flat_map(|scope| &scope.variables).filter(|var| Some(**var) != gone);
    let mut kept: Vec<Var> = kept.copied().collect();
    kept.sort_unstable();
    let mut made = Qcnf::new(kept.len());
    for (at, var) in kept.iter().enumerate() {
        let fresh = Var::from_index(at);
        number[var.index()] = Some(fresh);
        if let Some(name) = from.name(*var) {
            made.set_name(fresh, name);
        }
    }
    for scope in &from.prefix {
        let variables: Vec<Var> =
            scope.variables.iter().filter_map(|var| number[var.index()]).collect();
        if !variables.is_empty() {
            made.quantify(scope.quantifier.clone(), variables);
        }
    }
    for clause in clauses {
        let lit = |lit: &Lit| {
            Lit::new(number[lit.var().index()].expect("it is quantified"), lit.is_positive())
        };
        made.add_clause(&clause.iter().map(lit).collect::<Vec<_>>());
    }
    made
}

/// Leaves out clauses: a half, quarters, and so on.
fn fewer_clauses(work: &mut Work<'_>) {
    if work.best.variables() > FEW {
        return;
    }
    let mut length = work.best.clauses.len().div_ceil(2);
    while length > 0 {
        let mut at = 0;
        while at < work.best.clauses.len() {
            let mut clauses = work.clauses();
            clauses.drain(at..(at + length).min(clauses.len()));
            if !work.offer(rebuilt(&work.best, &clauses, None)) {
                at += length;
            }
        }
        length = if length == 1 { 0 } else { length.div_ceil(2) };
    }
}

/// Gives a variable one of its values for good.
fn fewer_variables(work: &mut Work<'_>) {
    let mut at = 0;
    while at < work.best.variables() {
        let var = Var::from_index(at);
        let is_gone = [true, false].into_iter().any(|value| {
            let lit = Lit::new(var, value);
            let left = work.clauses().into_iter().filter(|clause| !clause.contains(&lit));
            let without = |clause: Vec<Lit>| clause.into_iter().filter(|it| *it != !lit).collect();
            let clauses: Vec<Vec<Lit>> = left.map(without).collect();
            work.offer(rebuilt(&work.best, &clauses, Some(var)))
        });
        at += usize::from(!is_gone);
    }
}

/// Leaves out literals, one by one.
fn fewer_literals(work: &mut Work<'_>) {
    let count = if work.best.variables() > FEW { 0 } else { work.best.clauses.len() };
    for clause in 0..count {
        let mut at = 0;
        while at < work.clauses()[clause].len() {
            let mut clauses = work.clauses();
            clauses[clause].remove(at);
            if !work.offer(rebuilt(&work.best, &clauses, None)) {
                at += 1;
            }
        }
    }
}

/// Makes probabilities one half.
fn plainer_chance(work: &mut Work<'_>) {
    for line in 0..work.best.prefix.len() {
        let mut formula = work.best.clone();
        if matches!(formula.prefix[line].quantifier, Quantifier::Chance(_)) {
            formula.prefix[line].quantifier = Quantifier::Chance(half());
            work.offer(formula);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scope, meaning, random, text};

    const MUCH: Effort<'_> = Effort { attempts: 100_000, goes_on: &|| true };

    /// A solver that takes the innermost line of chance for one of exists.
    fn faulty(formula: &Qcnf) -> Ratio {
        let mut taken = formula.clone();
        let is_chance = |scope: &&mut Scope| matches!(scope.quantifier, Quantifier::Chance(_));
        if let Some(scope) = taken.prefix.iter_mut().rev().find(is_chance) {
            scope.quantifier = Quantifier::Exists;
        }
        meaning::value(&taken)
    }

    #[test]
    fn a_planted_fault_is_cut_down_to_a_variable_and_a_clause() {
        let mut cut = 0;
        for seed in 0..60 {
            let first = random::any(seed, 12);
            let mut differ = |formula: &Qcnf| meaning::value(formula) != faulty(formula);
            if !differ(&first) {
                continue;
            }
            cut += 1;
            let found = shrink(&first, MUCH, &mut differ);
            assert!(found.is_done && differ(&found.formula), "seed {seed}");
            // One variable that is tossed, and one clause of it: one half, taken for 1.
            assert_eq!(size(&found.formula), [1, 1, 1, 1, 0], "seed {seed}");
            let printed = text::print(&found.formula);
            let read = text::parse(printed.as_bytes()).expect("what is printed is read").formula;
            assert!(differ(&read), "seed {seed}");
        }
        assert!(cut > 10, "{cut} formulas showed it");
    }

    #[test]
    fn what_nothing_makes_smaller_stays_and_limits_end_the_work() {
        let first = random::any(3, 12);
        let same = |formula: &Qcnf| *formula == first;
        let found = shrink(&first, MUCH, &mut |formula| same(formula));
        assert!(found.is_done && same(&found.formula) && found.attempts > 0);
        let few = Effort { attempts: 3, ..MUCH };
        let found = shrink(&first, few, &mut |_| true);
        assert!(!found.is_done && found.attempts == 3 && size(&found.formula) < size(&first));
        let stopped = Effort { goes_on: &|| false, ..MUCH };
        let found = shrink(&first, stopped, &mut |_| true);
        assert!(!found.is_done && found.attempts == 0 && found.formula == first);
        let all = shrink(&first, MUCH, &mut |_| true);
        assert_eq!(size(&all.formula)[..4], [0, 0, 0, 0]);
    }
}
