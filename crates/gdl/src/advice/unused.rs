//! Relations that nothing needs: no rule for `legal`, `next`, `terminal`, `goal` or another
//! relation that GDL asks for leads to them.
//!
//! Told once a relation, and not for what only an unused relation needs: that is named in its
//! note, because both go together. Cost: linear in the rules.

use index::{IdSet, IndexVec};
use rustc_hash::FxHashSet;

use super::Advice;
use crate::relations::{RelationId, Relations};
use crate::{Diagnostic, Severity, Span, SymbolId};

impl Advice<'_> {
    pub(super) fn unused_relations(&self, faults: &mut Vec<Diagnostic>) {
        let relations = Relations::of(self.rules);
        let asked = relations.ids().filter(|id| relations.name(*id).is_keyword());
        let used = reached(&relations, asked);
        let components = relations.components();
        let place = relations.component_of(&components);
        let mut told = inner_components(&relations, &used, &place);
        for rule in self.written {
            let Some(id) = relations.find(rule.head.signature()) else { continue };
            if !used.contains(id) && told.insert(place[id]) {
                let below = self.only_below(&relations, &used, id);
                faults.push(self.unused(rule.head.signature(), rule.head.span, &below));
            }
        }
    }

    fn unused(&self, (name, arity): (SymbolId, usize), span: Span, below: &[&str]) -> Diagnostic {
        let message = format!("nothing needs `{}`", self.name(name));
        let plural = if arity == 1 { "" } else { "s" };
        let fault = Diagnostic::of_severity(Severity::Note, "unused-relation", message)
            .label(span, format!("concluded here, with {arity} argument{plural}"))
            .note("no rule for legal, next, terminal or goal leads to it; use it, or take it out");
        match below {
            [] => fault,
            _ => fault.note(format!("only it needs {}", below.join(", "))),
        }
    }

    /// What an unused relation needs and nothing used does, by name.
    fn only_below(
        &self,
        relations: &Relations,
        used: &IdSet<RelationId>,
        top: RelationId,
    ) -> Vec<&str> {
        let below = reached(relations, [top]);
        let top = relations.name(top);
        let others = below.iter().filter(|id| !used.contains(*id));
        let others = others.filter(|id| self.symbols.written(relations.name(*id)) != top);
        let mut names: Vec<&str> = others.map(|id| self.name(relations.name(id))).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Everything that some relations need, themselves included.
fn reached(relations: &Relations, from: impl IntoIterator<Item = RelationId>) -> IdSet<RelationId> {
    let mut found = IdSet::new();
    let mut queue: Vec<RelationId> = from.into_iter().collect();
    while let Some(relation) = queue.pop() {
        if found.insert(relation) {
            queue.extend(relations.needs(relation).iter().map(|need| need.needed));
        }
    }
    found
}

/// The components that an unused relation of another component needs: they go with it.
fn inner_components(
    relations: &Relations,
    used: &IdSet<RelationId>,
    place: &IndexVec<RelationId, usize>,
) -> FxHashSet<usize> {
    let unused = relations.ids().filter(|id| !used.contains(*id));
    let needs = unused.flat_map(|head| relations.needs(head).iter().map(move |need| (head, need)));
    let inner = needs
        .filter(|(head, need)| !used.contains(need.needed) && place[*head] != place[need.needed]);
    inner.map(|(_, need)| place[need.needed]).collect()
}
