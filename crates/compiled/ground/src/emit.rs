//! The ground instances of the rules over the finished model.
//!
//! Each rule whose head can change is joined once more, now with final sizes; literals that cannot
//! change have served as tests and vanish. Atoms are numbered by class: `True` rows, then `Next`
//! rows over the same tuples, `Does` and `Legal` rows over the legal moves, then the rows of each
//! changing relation. A positive literal's atom is the row that the join stands on, so nothing is
//! looked up but heads and negative literals.
//! Always: every atom of a body is in the model; a negative literal that is not is dropped.

use gdl::Span;
use index::IndexVec;

use crate::TermId;
use crate::fault::{GroundFault, Watch};
use crate::join::{Sink, run};
use crate::model::{Facts, Model, Rule};
use crate::plan::{Absence, Purpose, absence, plan};
use crate::program::{RelationId, Relations};
use crate::strata::Strata;
use crate::terms::TermTable;
use crate::view::Views;

/// An atom of the raw numbering.
pub(crate) type Raw = u32;

/// A raw literal: the atom doubled, plus one where negative.
pub(crate) type RawLiteral = u32;

/// Raw atoms by class.
pub(crate) struct Numbering {
    /// First atom of each relation that changes.
    first: IndexVec<RelationId, Raw>,
    /// Tuples of `true`, and of `legal`.
    pub(crate) states: u32,
    pub(crate) moves: u32,
    /// Number of atoms.
    pub(crate) len: u32,
}

impl Numbering {
    fn of(model: &Model, strata: &Strata) -> Self {
        let mut first = IndexVec::filled(0, model.relations.len());
        let mut len = 0usize;
        for relation in model.relations.ids().filter(|&q| strata.changes(q)) {
            first[relation] = len as u32;
            len += model.facts.tuples[Relations::store(relation)].len();
            assert!(len < 1 << 30, "more atoms than raw literals can name");
        }
        let states = model.facts.tuples[Relations::truth()].len() as u32;
        let moves = model.facts.tuples[Relations::legal()].len() as u32;
        Self { first, states, moves, len: len as u32 }
    }

    /// The atom of a relation's row.
    pub(crate) fn atom(&self, relation: RelationId, row: u32) -> Raw {
        self.first[relation] + row
    }
}

/// Ground rules over raw atoms, bodies one after the other.
#[derive(Default)]
pub(crate) struct RawRules {
    pub(crate) heads: Vec<Raw>,
    starts: Vec<usize>,
    literals: Vec<RawLiteral>,
    pub(crate) spans: Vec<Span>,
}

impl RawRules {
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(crate) fn body(&self, rule: usize) -> &[RawLiteral] {
        let end = self.starts.get(rule + 1).copied().unwrap_or(self.literals.len());
        &self.literals[self.starts[rule]..end]
    }

    pub(crate) fn push(
        &mut self,
        head: Raw,
        span: Span,
        body: impl IntoIterator<Item = RawLiteral>,
    ) {
        self.heads.push(head);
        self.spans.push(span);
        self.starts.push(self.literals.len());
        self.literals.extend(body);
        debug_assert_eq!(self.heads.len(), self.starts.len());
    }
}

/// Grounds every rule whose head changes.
pub(crate) fn instances(
    model: &mut Model,
    strata: &Strata,
    watch: &mut Watch<'_>,
) -> Result<(Numbering, RawRules), GroundFault> {
    let numbering = Numbering::of(model, strata);
    let mut rules = RawRules::default();
    for position in 0..model.rules.len() {
        if model.rules[position].changes {
            emit_rule(model, position, &numbering, &mut rules, watch)?;
        }
    }
    Ok((numbering, rules))
}

fn emit_rule(
    model: &mut Model,
    position: usize,
    numbering: &Numbering,
    rules: &mut RawRules,
    watch: &mut Watch<'_>,
) -> Result<(), GroundFault> {
    let Model { facts, views, rules: sources, scratch, .. } = model;
    let rule = &sources[position];
    if rule.positive.iter().any(|literal| views.get(literal.view).len() == 0) {
        return Ok(());
    }
    watch.enter(rule.span);
    let plan = plan(rule, None, Purpose::Instances, views);
    let changing = rule.negative.iter().filter(|literal| literal.changes);
    let absences = changing.map(|literal| (literal.relation, absence(literal, views))).collect();
    let views = &*views;
    let (tuple, body) = (Vec::new(), Vec::new());
    let mut sink = Emit { rule, absences, facts, views, numbering, rules, tuple, body };
    run(rule, &plan, views, scratch, watch, &mut sink)
}

/// Writes instances down as raw rules.
struct Emit<'a> {
    rule: &'a Rule,
    /// Negative literals that can change, with their look-ups.
    absences: Vec<(RelationId, Absence)>,
    facts: &'a mut Facts,
    views: &'a Views,
    numbering: &'a Numbering,
    rules: &'a mut RawRules,
    tuple: Vec<TermId>,
    body: Vec<RawLiteral>,
}

impl Sink for Emit<'_> {
    fn table(&self) -> &TermTable {
        &self.facts.table
    }

    fn take(
        &mut self,
        binding: &[TermId],
        rows: &[u32],
        watch: &mut Watch<'_>,
    ) -> Result<(), GroundFault> {
        if !watch.count() {
            return Err(watch.over(self.rule.span));
        }
        self.body.clear();
        for (literal, &row) in self.rule.positive.iter().zip(rows).filter(|pair| pair.0.changes) {
            let row = self.views.get(literal.view).origin(row);
            self.body.push(self.numbering.atom(literal.relation, row) << 1);
        }
        self.add_absences(binding);
        let head = self.head(binding);
        self.rules.push(head, self.rule.span, self.body.iter().copied());
        Ok(())
    }
}

impl Emit<'_> {
    /// Adds the negative literals whose atoms are in the model.
    fn add_absences(&mut self, binding: &[TermId]) {
        for (relation, absence) in &self.absences {
            let view = self.views.get(absence.view);
            self.tuple.clear();
            self.tuple.extend(absence.key.iter().map(|&variable| binding[variable as usize]));
            if let Some(row) = view.newest(absence.index, &self.tuple) {
                self.body.push(self.numbering.atom(*relation, view.origin(row)) << 1 | 1);
            }
        }
    }

    /// The atom of the head; the model is closed under the rules, so it is there.
    fn head(&mut self, binding: &[TermId]) -> Raw {
        self.tuple.clear();
        for arg in &self.rule.head.args {
            self.tuple.push(arg.fill(binding, &mut self.facts.table));
        }
        let relation = self.rule.head.relation;
        let row = self.facts.tuples[Relations::store(relation)].find(&self.tuple);
        self.numbering.atom(relation, row.expect("the model holds the head of every instance"))
    }
}
