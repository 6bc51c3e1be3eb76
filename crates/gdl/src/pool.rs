//! The rules of a sheet while some are unsafe, found by what they call and what they conclude.
//!
//! Unfolding touches few rules at a time; with these indexes its cost is that of the rules it
//! rewrites, not of the sheet. Places are never reused, so an index may name a place that is
//! empty by now, never one that holds another rule.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::safety::{Item, unbound};
use crate::{Literal, Rule, SymbolId, shape};

/// A relation: its name and its arity.
pub(crate) type Signature = (SymbolId, usize);

/// Rules with their indexes.
#[derive(Default)]
pub(crate) struct Pool {
    items: Vec<Option<Item>>,
    callers: FxHashMap<Signature, Vec<usize>>,
    /// The unsafe rules of each relation.
    open: FxHashMap<Signature, Vec<usize>>,
    /// How many safe rules a relation has.
    safe: FxHashMap<Signature, usize>,
    /// Relations with unsafe rules, in the order in which they were met; those before `first` and
    /// those not in `waiting` are done.
    pending: Vec<Signature>,
    first: usize,
    waiting: FxHashSet<Signature>,
}

impl Pool {
    pub(crate) fn add(&mut self, item: Item) {
        let place = self.items.len();
        let head = item.rule.head.signature();
        for relation in called(&item.rule) {
            self.callers.entry(relation).or_default().push(place);
        }
        if unbound(&item.rule).is_empty() {
            *self.safe.entry(head).or_default() += 1;
        } else {
            self.open.entry(head).or_default().push(place);
            if self.waiting.insert(head) {
                self.pending.push(head);
            }
        }
        self.items.push(Some(item));
    }

    fn take(&mut self, place: usize) -> Option<Item> {
        let item = self.items[place].take()?;
        let head = item.rule.head.signature();
        if unbound(&item.rule).is_empty()
            && let Some(count) = self.safe.get_mut(&head)
        {
            debug_assert!(*count > 0, "more safe rules taken than added");
            *count -= 1;
        }
        Some(item)
    }

    /// Takes out the unsafe rules of a relation.
    pub(crate) fn take_open(&mut self, relation: Signature) -> Vec<Item> {
        self.waiting.remove(&relation);
        let places = self.open.remove(&relation).unwrap_or_default();
        places.into_iter().filter_map(|place| self.take(place)).collect()
    }

    /// Takes out the rules that call a relation.
    pub(crate) fn take_callers(&mut self, relation: Signature) -> Vec<Item> {
        let places = self.callers.remove(&relation).unwrap_or_default();
        places.into_iter().filter_map(|place| self.take(place)).collect()
    }

    pub(crate) fn has_safe(&self, relation: Signature) -> bool {
        self.safe.get(&relation).is_some_and(|count| *count > 0)
    }

    /// A relation with unsafe rules; one that no unsafe rule denies where there is such a one.
    pub(crate) fn next_open(&mut self) -> Option<Signature> {
        let done = |relation: &Signature| !self.waiting.contains(relation);
        self.first += self.pending[self.first..].iter().take_while(|one| done(one)).count();
        let mut rest = self.pending[self.first..].iter().filter(|one| !done(one)).copied();
        let first = rest.clone().next();
        rest.find(|relation| !self.is_denied(*relation)).or(first)
    }

    fn is_denied(&self, relation: Signature) -> bool {
        let places = self.callers.get(&relation).map_or(&[][..], Vec::as_slice);
        places.iter().filter_map(|&at| self.items[at].as_ref()).any(|item| {
            let mut body = item.rule.body.iter();
            !unbound(&item.rule).is_empty()
                && body.any(|literal| {
                    matches!(literal, Literal::Negative(atom) if atom.signature() == relation)
                })
        })
    }

    /// What is left, in the order of the sheet.
    pub(crate) fn into_rules(self) -> Vec<Rule> {
        let mut rules: Vec<Rule> = self.items.into_iter().flatten().map(|item| item.rule).collect();
        rules.sort_by_key(|rule| rule.span.start);
        shape::drop_repeated_rules(&mut rules, |_| {});
        rules
    }
}

/// The relations of a rule's body, each once.
fn called(rule: &Rule) -> FxHashSet<Signature> {
    rule.body.iter().filter_map(Literal::atom).map(|atom| atom.signature()).collect()
}
