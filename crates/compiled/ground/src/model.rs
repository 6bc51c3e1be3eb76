//! The least model of the relaxation, semi-naive and stratum by stratum.
//!
//! What is computed: every atom that could hold in some state. `true(t)` is assumed for each `t`
//! of `init` and of a derivable `next`, `does(r, m)` for each derivable `legal(r, m)`, and a
//! negated atom that depends on either is assumed not to hold. Relations that depend on neither
//! are exact: they are computed first, in the strata of their negations.
//! Always: the model contains all that holds in any reachable state, so what is missing from it is
//! false everywhere.
//! Cost: a join step for each instance of the least model; rounds re-join only with news.

use gdl::Span;
use index::IndexVec;

use crate::TermId;
use crate::fault::{GroundFault, Watch};
use crate::join::{Scratch, Sink, run};
use crate::pattern::Pattern;
use crate::plan::{Plan, Purpose, plan, weight};
use crate::program::{PatternAtom, PatternRule, Program, RelationId, Relations};
use crate::strata::Strata;
use crate::terms::TermTable;
use crate::tuples::TupleSet;
use crate::view::{ViewId, Views};

/// A literal of a rule, seen through a view.
pub(crate) struct Literal {
    pub(crate) relation: RelationId,
    pub(crate) view: ViewId,
    /// The rule's variable in each column of the view.
    pub(crate) variables: Box<[u32]>,
    /// Whether it depends on the state or the moves.
    pub(crate) changes: bool,
}

/// A rule whose literals are views.
pub(crate) struct Rule {
    pub(crate) head: PatternAtom,
    pub(crate) positive: Vec<Literal>,
    pub(crate) negative: Vec<Literal>,
    pub(crate) distinct: Vec<[Pattern; 2]>,
    pub(crate) variables: usize,
    pub(crate) span: Span,
    /// Whether the head depends on the state or the moves.
    pub(crate) changes: bool,
}

/// Relations with their tuples.
pub(crate) struct Facts {
    pub(crate) table: TermTable,
    pub(crate) tuples: IndexVec<RelationId, TupleSet>,
}

/// A game under evaluation.
pub(crate) struct Model {
    pub(crate) facts: Facts,
    pub(crate) relations: Relations,
    pub(crate) views: Views,
    pub(crate) rules: Vec<Rule>,
    pub(crate) scratch: Scratch,
    /// Where a view is read: rule and literal.
    readers: IndexVec<ViewId, Vec<(usize, usize)>>,
    plans: Vec<Vec<Option<Plan>>>,
}

impl Model {
    pub(crate) fn new(program: Program, table: TermTable, strata: &Strata) -> Self {
        let Program { relations, rules } = program;
        let tuples = relations.ids().map(|q| TupleSet::new(relations.arity(q))).collect();
        let mut views = Views::new(relations.len());
        let rules: Vec<_> =
            rules.into_iter().map(|rule| viewed(rule, &mut views, &table, strata)).collect();
        let mut readers = IndexVec::filled(Vec::new(), views.len());
        for (position, rule) in rules.iter().enumerate() {
            for (literal, atom) in rule.positive.iter().enumerate() {
                readers[atom.view].push((position, literal));
            }
        }
        let plans = rules
            .iter()
            .map(|rule| std::iter::repeat_with(|| None).take(rule.positive.len() + 1).collect())
            .collect();
        let facts = Facts { table, tuples };
        Self { facts, relations, views, rules, scratch: Scratch::default(), readers, plans }
    }

    /// Computes the least model.
    pub(crate) fn complete(
        &mut self,
        strata: &Strata,
        watch: &mut Watch<'_>,
    ) -> Result<(), GroundFault> {
        for stratum in 0..strata.count {
            let members: Vec<bool> =
                self.rules.iter().map(|rule| strata.of[rule.head.relation] == stratum).collect();
            self.fixpoint(&members, watch)?;
        }
        Ok(())
    }

    fn fixpoint(&mut self, members: &[bool], watch: &mut Watch<'_>) -> Result<(), GroundFault> {
        self.show_news();
        for rule in (0..self.rules.len()).filter(|&rule| members[rule]) {
            self.derive(rule, None, watch)?;
        }
        while self.show_news() {
            let changed = self.views.changed();
            let mut due: Vec<_> =
                changed.iter().flat_map(|&view| self.readers[view].iter().copied()).collect();
            due.retain(|&(rule, _)| members[rule]);
            due.sort_unstable();
            for (rule, literal) in due {
                self.derive(rule, Some(literal), watch)?;
            }
            watch.look()?;
        }
        Ok(())
    }

    /// Shows the tuples of the last round to the views; whether there were any.
    fn show_news(&mut self) -> bool {
        self.views.start_round();
        let mut any = false;
        for relation in self.relations.ids() {
            let tuples = &self.facts.tuples[relation];
            for row in self.views.shown(relation)..tuples.len() {
                any = true;
                self.views.show(relation, row as u32, tuples.row(row), &self.facts.table);
            }
        }
        any
    }

    fn derive(
        &mut self,
        position: usize,
        news: Option<usize>,
        watch: &mut Watch<'_>,
    ) -> Result<(), GroundFault> {
        let rule = &self.rules[position];
        if rule.positive.iter().any(|literal| self.views.get(literal.view).len() == 0) {
            return Ok(());
        }
        watch.enter(rule.span);
        let slot = &mut self.plans[position][news.map_or(0, |literal| literal + 1)];
        let now = weight(rule, &self.views);
        if slot.as_ref().is_none_or(|held| now > 4 * held.made_for + 16) {
            *slot = Some(plan(rule, news, Purpose::Model, &mut self.views));
        }
        let Some(plan) = slot.as_ref() else { return Ok(()) };
        let mut sink = Conclude { rule, facts: &mut self.facts, tuple: Vec::new() };
        run(rule, plan, &self.views, &mut self.scratch, watch, &mut sink)
    }
}

fn viewed(rule: PatternRule, views: &mut Views, table: &TermTable, strata: &Strata) -> Rule {
    let mut literals = |atoms: &[PatternAtom]| -> Vec<Literal> {
        let literal = |atom: &PatternAtom| {
            let (view, variables) = views.of_atom(atom, table);
            let relation = atom.relation;
            Literal { relation, view, variables, changes: strata.changes(relation) }
        };
        atoms.iter().map(literal).collect()
    };
    Rule {
        positive: literals(&rule.positive),
        negative: literals(&rule.negative),
        changes: strata.changes(rule.head.relation),
        head: rule.head,
        distinct: rule.distinct,
        variables: rule.variables,
        span: rule.span,
    }
}

/// Stores the heads of instances.
struct Conclude<'a> {
    rule: &'a Rule,
    facts: &'a mut Facts,
    tuple: Vec<TermId>,
}

impl Sink for Conclude<'_> {
    fn table(&self) -> &TermTable {
        &self.facts.table
    }

    fn take(
        &mut self,
        binding: &[TermId],
        _rows: &[u32],
        watch: &mut Watch<'_>,
    ) -> Result<(), GroundFault> {
        self.tuple.clear();
        for arg in &self.rule.head.args {
            let term = arg.fill(binding, &mut self.facts.table);
            if self.facts.table.depth(term) > watch.depth() {
                return Err(watch.too_deep(self.rule.span));
            }
            self.tuple.push(term);
        }
        let relation = self.rule.head.relation;
        self.store(Relations::store(relation), watch)?;
        if relation == Relations::init() { self.store(Relations::truth(), watch) } else { Ok(()) }
    }
}

impl Conclude<'_> {
    fn store(&mut self, store: RelationId, watch: &mut Watch<'_>) -> Result<(), GroundFault> {
        let (_, fresh) = self.facts.tuples[store].insert(&self.tuple);
        if fresh && !watch.count() { Err(watch.over(self.rule.span)) } else { Ok(()) }
    }
}
