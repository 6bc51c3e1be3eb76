//! Relations, and which needs which: the graph that the checks of a whole sheet walk.
//!
//! A relation is a name with an arity. An edge goes from the head of a rule to each relation of
//! its body and remembers the rule and the literal, so that a path can be shown in the text.

use index::IndexVec;
use rustc_hash::FxHashMap;

use crate::{Literal, Rule, Span, SymbolId, Symbols};

index::typed_id!(
    /// A relation of the sheet.
    pub(crate) struct RelationId, "rel"
);

/// That a rule's head needs a relation of its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    pub(crate) needed: RelationId,
    pub(crate) negative: bool,
    /// The literal.
    pub(crate) span: Span,
}

/// All relations of some rules with their needs.
#[derive(Debug)]
pub(crate) struct Relations {
    signatures: IndexVec<RelationId, (SymbolId, usize)>,
    by_signature: FxHashMap<(SymbolId, usize), RelationId>,
    needs: IndexVec<RelationId, Vec<Need>>,
}

impl Relations {
    pub(crate) fn of<'r>(rules: impl IntoIterator<Item = &'r Rule>) -> Self {
        let mut all = Self {
            signatures: IndexVec::new(),
            by_signature: FxHashMap::default(),
            needs: IndexVec::new(),
        };
        for rule in rules {
            let head = all.intern(rule.head.signature());
            for literal in &rule.body {
                let Some(atom) = literal.atom() else { continue };
                let needed = all.intern(atom.signature());
                let negative = matches!(literal, Literal::Negative(_));
                all.needs[head].push(Need { needed, negative, span: atom.span });
            }
        }
        assert_eq!(all.signatures.len(), all.needs.len());
        all
    }

    fn intern(&mut self, signature: (SymbolId, usize)) -> RelationId {
        *self.by_signature.entry(signature).or_insert_with(|| {
            self.needs.push(Vec::new());
            self.signatures.push(signature)
        })
    }

    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = RelationId> + use<> {
        self.signatures.ids()
    }

    pub(crate) fn len(&self) -> usize {
        self.signatures.len()
    }

    pub(crate) fn find(&self, signature: (SymbolId, usize)) -> Option<RelationId> {
        self.by_signature.get(&signature).copied()
    }

    pub(crate) fn signature(&self, relation: RelationId) -> (SymbolId, usize) {
        self.signatures[relation]
    }

    pub(crate) fn name(&self, relation: RelationId) -> SymbolId {
        self.signatures[relation].0
    }

    pub(crate) fn text<'s>(&self, relation: RelationId, symbols: &'s Symbols) -> &'s str {
        symbols.name(symbols.written(self.name(relation)))
    }

    pub(crate) fn needs(&self, relation: RelationId) -> &[Need] {
        &self.needs[relation]
    }

    /// The strongly connected components; a component stands after all that it needs.
    pub(crate) fn components(&self) -> Vec<Vec<RelationId>> {
        Search::new(self).run()
    }

    /// For each relation, the component that it lies in.
    pub(crate) fn component_of(
        &self,
        components: &[Vec<RelationId>],
    ) -> IndexVec<RelationId, usize> {
        let mut place = IndexVec::filled(0, self.len());
        for (index, members) in components.iter().enumerate() {
            members.iter().for_each(|&member| place[member] = index);
        }
        place
    }

    /// A shortest way along the needs from `start` to `goal`, through relations that `inside`
    /// admits; empty where both are the same.
    pub(crate) fn path(
        &self,
        start: RelationId,
        goal: RelationId,
        inside: impl Fn(RelationId) -> bool,
    ) -> Option<Vec<(RelationId, Need)>> {
        let mut came: IndexVec<RelationId, Option<(RelationId, Need)>> =
            IndexVec::filled(None, self.len());
        let mut queue = vec![start];
        let mut next = 0;
        while next < queue.len() && queue[next] != goal {
            let relation = queue[next];
            next += 1;
            for need in self.needs(relation) {
                if need.needed != start && came[need.needed].is_none() && inside(need.needed) {
                    came[need.needed] = Some((relation, *need));
                    queue.push(need.needed);
                }
            }
        }
        let mut at = *queue.get(next)?;
        let mut path = Vec::new();
        while at != start {
            let (from, need) = came[at]?;
            path.push((from, need));
            at = from;
        }
        path.reverse();
        Some(path)
    }
}

/// Tarjan's search with a stack of its own.
struct Search<'a> {
    relations: &'a Relations,
    order: IndexVec<RelationId, Option<usize>>,
    low: IndexVec<RelationId, usize>,
    on_stack: IndexVec<RelationId, bool>,
    stack: Vec<RelationId>,
    met: usize,
    components: Vec<Vec<RelationId>>,
}

impl<'a> Search<'a> {
    fn new(relations: &'a Relations) -> Self {
        let count = relations.len();
        Self {
            relations,
            order: IndexVec::filled(None, count),
            low: IndexVec::filled(0, count),
            on_stack: IndexVec::filled(false, count),
            stack: Vec::new(),
            met: 0,
            components: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<Vec<RelationId>> {
        for root in self.relations.ids() {
            if self.order[root].is_none() {
                self.explore(root);
            }
        }
        debug_assert!(self.stack.is_empty());
        let members: usize = self.components.iter().map(Vec::len).sum();
        assert_eq!(members, self.relations.len(), "each relation lies in one component");
        self.components
    }

    fn enter(&mut self, relation: RelationId) {
        self.order[relation] = Some(self.met);
        self.low[relation] = self.met;
        self.met += 1;
        self.stack.push(relation);
        self.on_stack[relation] = true;
    }

    fn explore(&mut self, root: RelationId) {
        let mut calls = vec![(root, 0)];
        self.enter(root);
        while let Some((relation, edge)) = calls.pop() {
            let Some(need) = self.relations.needs(relation).get(edge) else {
                self.finish(relation);
                if let Some(&(caller, _)) = calls.last() {
                    self.low[caller] = self.low[caller].min(self.low[relation]);
                }
                continue;
            };
            calls.push((relation, edge + 1));
            match self.order[need.needed] {
                None => {
                    self.enter(need.needed);
                    calls.push((need.needed, 0));
                }
                Some(order) if self.on_stack[need.needed] => {
                    self.low[relation] = self.low[relation].min(order);
                }
                Some(_) => {}
            }
        }
    }

    fn finish(&mut self, relation: RelationId) {
        if Some(self.low[relation]) != self.order[relation] {
            return;
        }
        let at = self.stack.iter().rposition(|&other| other == relation).unwrap_or(0);
        let members = self.stack.split_off(at);
        debug_assert_eq!(members.first(), Some(&relation));
        members.iter().for_each(|&member| self.on_stack[member] = false);
        self.components.push(members);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, Source, read};

    #[test]
    fn components_come_after_what_they_need() {
        let text = "(role a) (legal a m) (e 1 2)
            (<= (p ?x) (e ?x ?y) (q ?y)) (<= (q ?x) (p ?x)) (<= (r ?x) (q ?x))";
        let reading = read(Source::new("t", text), &ReadOptions::default());
        let book = reading.rulebook.unwrap();
        let relations = Relations::of(&book.rules);
        let components = relations.components();
        let place = relations.component_of(&components);
        let id = |name| relations.find((book.symbols.find(name).unwrap(), 1)).unwrap();
        assert_eq!(place[id("p")], place[id("q")]);
        assert!(place[id("r")] > place[id("q")]);
        let path = relations.path(id("r"), id("p"), |_| true).unwrap();
        assert_eq!(path.len(), 2);
        assert_eq!(relations.path(id("p"), id("r"), |_| true).map(|path| path.len()), None);
    }
}
