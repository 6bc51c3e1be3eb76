//! Component: parts of what is left of the formula that share no variable.
//!
//! Two open variables belong together where a clause without a true literal holds both. The value
//! of a part is that of its own variables under the prefix as it stands, and the value of all parts
//! together is the product: a strategy for one cannot profit from what happens in another, since
//! values are never negative. Only the formula's own clauses count, never learned ones.
//!
//! Parts lie in flat stacks, variables and clauses ascending; parts of a part lie above it. Cost:
//! linear in the clauses of the part that is split, nearly (union by path halving).

use index::Id;
use qcnf::{Kind, Lit, Var};

use super::trail::Trail;
use crate::faults::Fault;
use crate::options::Options;
use crate::problem::Problem;

/// A part: where its variables and clauses lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Component {
    vars: (u32, u32),
    clauses: (u32, u32),
}

impl Component {
    /// Whether it has no variables.
    pub(crate) fn is_empty(self) -> bool {
        self.vars.0 == self.vars.1
    }
}

/// All parts that are still to be valued, and those that they are parts of.
pub(crate) struct Components {
    all: Vec<Component>,
    vars: Vec<u32>,
    clauses: Vec<u32>,
    splits: bool,
    pure: bool,
    /// By variable: another of the same part, or itself.
    links: Vec<u32>,
    /// By variable: the signs in which it occurs in open clauses.
    signs: Vec<u8>,
    /// By variable that stands for its part: the number of the part.
    numbers: Vec<u32>,
    /// Open clauses of the part that is split, with a variable of each.
    open: Vec<(u32, u32)>,
    links_binaries: bool,
    counts_all: bool,
}

const POSITIVE: u8 = 1;
const NEGATIVE: u8 = 2;

impl Components {
    pub(crate) fn new(problem: &Problem, options: &Options) -> Self {
        let variables = problem.formula.variables();
        Self {
            all: Vec::new(),
            vars: Vec::new(),
            clauses: Vec::new(),
            splits: options.components > 0,
            pure: options.pure > 0,
            links: vec![0; variables],
            signs: vec![0; variables],
            numbers: vec![0; variables],
            open: Vec::new(),
            links_binaries: !options.plants(Fault::DependentParts),
            counts_all: !options.plants(Fault::PureByFewerClauses),
        }
    }

    /// Begins with the whole formula as the only part.
    pub(crate) fn start(&mut self, problem: &Problem) {
        let (vars, clauses) = (problem.formula.variables(), problem.formula.clauses.len());
        self.all = vec![Component { vars: (0, vars as u32), clauses: (0, clauses as u32) }];
        self.vars = (0..vars as u32).collect();
        self.clauses = (0..clauses as u32).collect();
    }

    /// Puts a part on the stack once more.
    pub(crate) fn push_again(&mut self, component: Component) {
        debug_assert_eq!(self.last(), component);
        self.all.push(component);
    }

    /// How many parts there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The part that was made last.
    pub(crate) fn last(&self) -> Component {
        *self.all.last().expect("a part is left")
    }

    pub(crate) fn vars(&self, component: Component) -> &[u32] {
        &self.vars[component.vars.0 as usize..component.vars.1 as usize]
    }

    pub(crate) fn clauses(&self, component: Component) -> &[u32] {
        &self.clauses[component.clauses.0 as usize..component.clauses.1 as usize]
    }

    /// Drops all parts but the first so many.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.all.truncate(len);
        let last = self.all.last();
        let (vars, clauses) = last.map_or((0, 0), |last| (last.vars.1, last.clauses.1));
        self.vars.truncate(vars as usize);
        self.clauses.truncate(clauses as usize);
    }

    /// Finds how the open variables of a part hang together; its pure literals go to `pures`.
    pub(crate) fn link(
        &mut self,
        problem: &Problem,
        trail: &Trail,
        component: Component,
        pures: &mut Vec<Lit>,
    ) {
        for at in component.vars.0..component.vars.1 {
            let var = self.vars[at as usize];
            self.links[var as usize] = var;
            self.signs[var as usize] = 0;
        }
        self.open.clear();
        let mut before = None;
        for at in component.clauses.0..component.clauses.1 {
            let id = self.clauses[at as usize];
            let clause = problem.formula.clauses.get(id as usize);
            if clause.iter().any(|&lit| trail.is_true(lit)) {
                continue;
            }
            let var = self.link_clause(trail, clause, id);
            if let Some(before) = before.replace(var).filter(|_| !self.splits) {
                self.join(before, var);
            }
            self.open.push((id, var));
        }
        pures.clear();
        if self.pure {
            self.collect_pures(problem, component, pures);
        }
    }

    /// Links the open variables of an open clause; one of them.
    fn link_clause(&mut self, trail: &Trail, clause: &[Lit], id: u32) -> u32 {
        let mut first = None;
        let counts = self.counts_all || !id.is_multiple_of(3);
        for &lit in clause.iter().filter(|lit| trail.is_open(lit.var())) {
            let var = lit.var().index() as u32;
            if counts {
                let sign = if lit.is_positive() { POSITIVE } else { NEGATIVE };
                self.signs[var as usize] |= sign;
            }
            first = match first {
                None => Some(self.root(var)),
                // Most are linked already: one look suffices.
                Some(root) if self.links[var as usize] == root => first,
                Some(root) if clause.len() > 2 || self.links_binaries => Some(self.join(root, var)),
                Some(_) => first,
            };
        }
        first.expect("an open clause that is not false has an open literal")
    }

    fn root(&mut self, mut var: u32) -> u32 {
        while self.links[var as usize] != var {
            let next = self.links[var as usize];
            self.links[var as usize] = self.links[next as usize];
            var = next;
        }
        var
    }

    /// Makes two parts one; the variable that stands for it.
    fn join(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.root(a), self.root(b));
        self.links[a.max(b) as usize] = a.min(b);
        a.min(b)
    }

    fn collect_pures(&self, problem: &Problem, component: Component, pures: &mut Vec<Lit>) {
        for &var in self.vars(component) {
            let lit = Lit::positive(Var::from_index(var as usize));
            match (problem.formula.kind(lit.var()), self.signs[var as usize]) {
                (Kind::Exists, POSITIVE) | (Kind::Forall, NEGATIVE) => pures.push(lit),
                (Kind::Exists, NEGATIVE) | (Kind::Forall, POSITIVE) => pures.push(!lit),
                _ => {}
            }
        }
    }

    /// Puts the parts that were linked on the stack, small ones last.
    pub(crate) fn push_linked(&mut self, trail: &Trail, component: Component) {
        let mut sizes: Vec<(u32, u32)> = Vec::new();
        let mut roots: Vec<u32> = Vec::new();
        let open: Vec<(u32, u32)> = std::mem::take(&mut self.open);
        for at in component.vars.0..component.vars.1 {
            let var = self.vars[at as usize];
            if self.is_held(trail, var) {
                let root = self.root(var);
                if root == var {
                    self.numbers[root as usize] = sizes.len() as u32;
                    sizes.push((0, 0));
                    roots.push(root);
                }
                sizes[self.numbers[root as usize] as usize].0 += 1;
            }
        }
        for &(_, var) in &open {
            let root = self.root(var);
            sizes[self.numbers[root as usize] as usize].1 += 1;
        }
        let first = self.make_room(&roots, &sizes);
        self.fill(trail, component, &open, first);
        self.open = open;
    }

    /// Whether an open clause holds an open variable.
    fn is_held(&self, trail: &Trail, var: u32) -> bool {
        trail.is_open(Var::from_index(var as usize)) && self.signs[var as usize] != 0
    }

    /// Makes parts of these sizes, empty as yet; the number of the first. Roots learn the numbers.
    fn make_room(&mut self, roots: &[u32], sizes: &[(u32, u32)]) -> usize {
        let first = self.all.len();
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(sizes[at]));
        let (mut vars, mut clauses) = (self.vars.len() as u32, self.clauses.len() as u32);
        for (number, at) in order.into_iter().enumerate() {
            self.numbers[roots[at] as usize] = (first + number) as u32;
            self.all.push(Component { vars: (vars, vars), clauses: (clauses, clauses) });
            vars += sizes[at].0;
            clauses += sizes[at].1;
        }
        self.vars.resize(vars as usize, 0);
        self.clauses.resize(clauses as usize, 0);
        first
    }

    fn fill(&mut self, trail: &Trail, component: Component, open: &[(u32, u32)], first: usize) {
        for at in component.vars.0..component.vars.1 {
            let var = self.vars[at as usize];
            if self.is_held(trail, var) {
                let root = self.root(var);
                let part = &mut self.all[self.numbers[root as usize] as usize];
                self.vars[part.vars.1 as usize] = var;
                part.vars.1 += 1;
            }
        }
        for &(id, var) in open {
            let root = self.root(var);
            let part = &mut self.all[self.numbers[root as usize] as usize];
            self.clauses[part.clauses.1 as usize] = id;
            part.clauses.1 += 1;
        }
        debug_assert!(self.all[first..].windows(2).all(|pair| pair[0].vars.1 == pair[1].vars.0));
        debug_assert!(self.all[first..].last().is_none_or(|part| {
            (part.vars.1, part.clauses.1) == (self.vars.len() as u32, self.clauses.len() as u32)
        }));
    }
}
