//! Bottom-up evaluation of the rules over sets of facts.
//!
//! Always, after [`Machine::evaluate`] of a layer: the facts of its relations are the least model
//! of their rules over what the layers before hold. A component that depends on itself goes round
//! by round, each rule joined with the newest facts of one of its literals (semi-naive), until a
//! round adds nothing. Rules are joined by backtracking over their plan; nothing is grounded
//! ahead.

use std::sync::Arc;

use gdl::{Literal, Rulebook, Span};
use index::{Id, IndexVec};
use rustc_hash::{FxHashMap, FxHashSet};

use super::rules::{Plan, Step, plan};
use super::strata::{Component, Layer, RelationId, Relations, components};
use super::terms::{Pattern, TermId, Terms};

/// More ground terms than this, and the domain is taken to grow without bound.
const TERM_LIMIT: usize = 1 << 24;

/// A rule makes ever new terms: its place, and whether they are too deep or too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Growth {
    pub(super) span: Span,
    pub(super) deep: bool,
}

/// The facts of one relation.
#[derive(Default)]
pub(super) struct Facts {
    tuples: Vec<Arc<[TermId]>>,
    known: FxHashSet<Arc<[TermId]>>,
    /// For each argument that some plan probes: the tuples by that argument.
    indexes: Vec<(usize, FxHashMap<TermId, Vec<u32>>)>,
}

impl Facts {
    fn insert(&mut self, tuple: &[TermId]) {
        if self.known.contains(tuple) {
            return;
        }
        let tuple: Arc<[TermId]> = tuple.into();
        let at = u32::try_from(self.tuples.len()).expect("fewer facts than terms");
        for (position, index) in &mut self.indexes {
            index.entry(tuple[*position]).or_default().push(at);
        }
        self.known.insert(tuple.clone());
        self.tuples.push(tuple);
    }

    fn clear(&mut self) {
        self.tuples.clear();
        self.known.clear();
        self.indexes.iter_mut().for_each(|(_, index)| index.clear());
    }

    fn probed(&mut self, position: usize) {
        if self.indexes.iter().all(|(held, _)| *held != position) {
            assert!(self.tuples.is_empty(), "an index is made before the facts");
            self.indexes.push((position, FxHashMap::default()));
        }
    }

    fn at(&self, position: usize, term: TermId) -> &[u32] {
        let (_, index) = self.indexes.iter().find(|(held, _)| *held == position).expect("an index");
        index.get(&term).map_or(&[], Vec::as_slice)
    }
}

/// The rules of a game with the facts that hold at the moment.
pub(super) struct Machine {
    pub(super) terms: Terms,
    relations: Relations,
    facts: IndexVec<RelationId, Facts>,
    components: Vec<(Component, Vec<Plan>)>,
}

impl Machine {
    pub(super) fn new(rulebook: &Rulebook) -> Self {
        let relations = Relations::new(rulebook);
        let mut terms = Terms::default();
        let mut facts: IndexVec<RelationId, Facts> =
            (0..relations.len()).map(|_| Facts::default()).collect();
        let mut rules_of: IndexVec<RelationId, Vec<_>> =
            IndexVec::filled(Vec::new(), relations.len());
        for rule in &rulebook.rules {
            rules_of[relations.id(&rule.head)].push(rule);
        }
        let mut ready = Vec::new();
        for component in components(rulebook, &relations) {
            let mut plans = Vec::new();
            for rule in component.relations.iter().flat_map(|id| &rules_of[*id]) {
                plans.push(plan(rule, None, &relations, &mut terms));
                for (at, literal) in rule.body.iter().enumerate() {
                    if matches!(literal, Literal::Positive(atom)
                        if component.relations.contains(&relations.id(atom)))
                    {
                        plans.push(plan(rule, Some(at), &relations, &mut terms));
                    }
                }
            }
            plans.iter().flat_map(|plan| &plan.steps).for_each(|step| make_index(step, &mut facts));
            ready.push((component, plans));
        }
        Self { terms, relations, facts, components: ready }
    }

    /// The relation of this name and arity.
    pub(super) fn relation(&self, name: gdl::SymbolId, arity: usize) -> RelationId {
        self.relations.named(name, arity)
    }

    /// The facts of a relation that hold, in the order of their derivation.
    pub(super) fn tuples(&self, relation: RelationId) -> &[Arc<[TermId]>] {
        &self.facts[relation].tuples
    }

    /// Puts facts in place of those of a relation without rules.
    pub(super) fn assume<'a>(
        &mut self,
        relation: RelationId,
        tuples: impl Iterator<Item = &'a [TermId]>,
    ) {
        self.facts[relation].clear();
        tuples.for_each(|tuple| self.facts[relation].insert(tuple));
    }

    /// Evaluates the rules of a layer anew.
    pub(super) fn evaluate(&mut self, layer: Layer) -> Result<(), Growth> {
        let components = std::mem::take(&mut self.components);
        let mut all = components.iter().filter(|(component, _)| component.layer == layer);
        let result = all.try_for_each(|(component, plans)| self.fixpoint(component, plans));
        self.components = components;
        result
    }

    fn fixpoint(&mut self, component: &Component, plans: &[Plan]) -> Result<(), Growth> {
        // What has no rule was put there from outside: `true`, `does`, the roles.
        if plans.is_empty() {
            return Ok(());
        }
        component.relations.iter().for_each(|id| self.facts[*id].clear());
        for plan in plans.iter().filter(|plan| plan.seed.is_none()) {
            self.fire(plan, 0..0)?;
        }
        if component.recursive { self.rounds(component, plans) } else { Ok(()) }
    }

    /// Joins the newest facts of a component with the rest until nothing is new.
    fn rounds(&mut self, component: &Component, plans: &[Plan]) -> Result<(), Growth> {
        let mut done = vec![0; component.relations.len()];
        loop {
            let held: Vec<usize> =
                component.relations.iter().map(|id| self.facts[*id].tuples.len()).collect();
            if held == done {
                return Ok(());
            }
            for (plan, seed) in plans.iter().filter_map(|plan| Some((plan, plan.seed?))) {
                let at = component.relations.iter().position(|id| *id == seed);
                let at = at.expect("a seed is of the component");
                self.fire(plan, done[at]..held[at])?;
            }
            done = held;
        }
    }

    /// Adds what a rule concludes; `newest` are the facts for its seed.
    fn fire(&mut self, plan: &Plan, newest: std::ops::Range<usize>) -> Result<(), Growth> {
        let unset = TermId::from_index(0);
        let values = vec![unset; plan.variables];
        let mut join = Join {
            plan,
            newest,
            facts: &self.facts,
            terms: &mut self.terms,
            values,
            found: Vec::new(),
            growth: None,
        };
        join.go(0);
        let (found, growth) = (join.found, join.growth);
        found.iter().for_each(|tuple| self.facts[plan.head].insert(tuple));
        growth.map_or(Ok(()), |deep| Err(Growth { span: plan.span, deep }))
    }
}

fn make_index(step: &Step, facts: &mut IndexVec<RelationId, Facts>) {
    if let Step::Match { relation, probe: Some(position), .. } = step {
        facts[*relation].probed(*position);
    }
}

/// One rule on its way through the facts.
struct Join<'a> {
    plan: &'a Plan,
    newest: std::ops::Range<usize>,
    facts: &'a IndexVec<RelationId, Facts>,
    terms: &'a mut Terms,
    values: Vec<TermId>,
    found: Vec<Box<[TermId]>>,
    /// Set where the domain grows without bound; then whether a term is too deep.
    growth: Option<bool>,
}

impl<'a> Join<'a> {
    /// Goes on with the steps from `depth`; whether the rest of the body could be satisfied.
    fn go(&mut self, depth: usize) -> bool {
        if depth == self.plan.head_known && self.is_concluded() {
            return true;
        }
        let Some(step) = self.plan.steps.get(depth) else {
            self.conclude();
            return true;
        };
        match step {
            Step::Match { relation, args, probe } => {
                self.go_through(depth, *relation, args, *probe)
            }
            Step::Test { relation, args, holds } => {
                let tuple = self.build(args);
                self.facts[*relation].known.contains(&*tuple) == *holds && self.go(depth + 1)
            }
            Step::Differ(left, right) => {
                let left = self.terms.build(left, &self.values);
                left != self.terms.build(right, &self.values) && self.go(depth + 1)
            }
        }
    }

    fn go_through(
        &mut self,
        depth: usize,
        relation: RelationId,
        args: &'a [Pattern],
        probe: Option<usize>,
    ) -> bool {
        let (run, picked) = self.candidates(depth, relation, args, probe);
        let all: &'a [Arc<[TermId]>] = &self.facts[relation].tuples;
        // Once the head is known one way through the rest of the body is as good as all.
        let one_is_enough = depth >= self.plan.head_known;
        let mut satisfied = false;
        for tuple in run.iter().chain(picked.iter().map(|at| &all[*at as usize])) {
            debug_assert_eq!(tuple.len(), args.len());
            let mut pairs = args.iter().zip(&**tuple);
            if pairs.all(|(arg, id)| self.terms.fits(arg, *id, &mut self.values)) {
                satisfied |= self.go(depth + 1);
            }
            if self.growth.is_some() || (satisfied && one_is_enough) {
                break;
            }
        }
        satisfied
    }

    /// The facts to go through: a run of them, and picked ones by their place.
    fn candidates(
        &mut self,
        depth: usize,
        relation: RelationId,
        args: &[Pattern],
        probe: Option<usize>,
    ) -> (&'a [Arc<[TermId]>], &'a [u32]) {
        let facts: &'a Facts = &self.facts[relation];
        if depth == 0 && self.plan.seed.is_some() {
            return (&facts.tuples[self.newest.clone()], &[]);
        }
        match probe {
            None => (&facts.tuples, &[]),
            Some(position) => {
                let term = self.terms.build(&args[position], &self.values);
                (&[], facts.at(position, term))
            }
        }
    }

    fn build(&mut self, args: &[Pattern]) -> Box<[TermId]> {
        args.iter().map(|arg| self.terms.build(arg, &self.values)).collect()
    }

    fn is_concluded(&mut self) -> bool {
        let args = self.build(&self.plan.args);
        self.facts[self.plan.head].known.contains(&*args)
    }

    fn conclude(&mut self) {
        let args = self.build(&self.plan.args);
        let deep = args.iter().any(|arg| self.terms.is_too_deep(*arg));
        if deep || self.terms.len() > TERM_LIMIT {
            self.growth = Some(deep);
        } else {
            self.found.push(args);
        }
    }
}
