//! Which relations may depend on what: no negation through recursion, no move in what a state
//! alone decides, no state in what holds once and for all.
//!
//! `next` is never a condition, so a cycle of relations lies within one state. Cost: linear in
//! the rules, but for the paths that are shown, each linear again.

use index::{IdSet, IndexVec};

use crate::relations::{Need, RelationId, Relations};
use crate::separate::separate;
use crate::{Diagnostic, ReadOptions, Rule, Symbols, keyword};

/// Checks all three laws. Negation through recursion that telling calls apart removes is removed,
/// with a warning (an error under `strict`).
pub(crate) fn check(
    rules: &mut Vec<Rule>,
    symbols: &mut Symbols,
    options: &ReadOptions,
    faults: &mut Vec<Diagnostic>,
) {
    let relations = Relations::of(rules.iter());
    let checks = Checks { relations: &relations, symbols };
    checks.moves(faults);
    checks.state(faults);
    let broken = checks.negation();
    if broken.is_empty() {
        return;
    }
    match separate(rules, symbols) {
        Some(apart) if !options.strict => {
            faults.extend(broken.into_iter().map(tolerated));
            *rules = apart;
        }
        _ => faults.extend(broken),
    }
    debug_assert!(is_stratified(rules.iter()) || faults.iter().any(Diagnostic::is_error));
}

fn tolerated(mut fault: Diagnostic) -> Diagnostic {
    fault.severity = crate::Severity::Warning;
    fault.code = "negation-by-argument";
    fault.message = format!("{}, if only for other arguments", fault.message);
    fault.notes.truncate(1);
    fault.note("other readers of GDL may refuse this; a helper relation for one of them avoids it")
}

/// Whether no relation depends on its own negation.
pub(crate) fn is_stratified<'r>(rules: impl IntoIterator<Item = &'r Rule>) -> bool {
    let relations = Relations::of(rules);
    let place = relations.component_of(&relations.components());
    relations.ids().all(|head| {
        relations.needs(head).iter().all(|need| !need.negative || place[need.needed] != place[head])
    })
}

struct Checks<'a> {
    relations: &'a Relations,
    symbols: &'a Symbols,
}

impl Checks<'_> {
    fn name(&self, relation: RelationId) -> &str {
        self.relations.text(relation, self.symbols)
    }

    fn negation(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        let components = self.relations.components();
        let place = self.relations.component_of(&components);
        for members in &components {
            let broken = members.iter().find_map(|&head| {
                let mut needs = self.relations.needs(head).iter();
                needs
                    .find(|need| need.negative && place[need.needed] == place[head])
                    .map(|need| (head, *need))
            });
            if let Some((head, need)) = broken {
                faults.push(self.through_negation(head, need, &place));
            }
        }
        faults
    }

    fn through_negation(
        &self,
        head: RelationId,
        need: Need,
        place: &IndexVec<RelationId, usize>,
    ) -> Diagnostic {
        let inside = |relation| place[relation] == place[head];
        debug_assert!(need.negative && inside(need.needed), "no negation inside the cycle");
        let back = self.relations.path(need.needed, head, inside).unwrap_or_default();
        let name = self.name(head);
        let message = format!("unstratified negation: `{name}` depends on its own negation");
        let mut fault = Diagnostic::error("unstratified-negation", message)
            .label(need.span, format!("`{name}` needs `{}` not to hold", self.name(need.needed)));
        let told = |from, need: &Need| need.negative || self.name(from) != self.name(need.needed);
        for (from, need) in back.iter().filter(|(from, need)| told(*from, need)) {
            let not = if need.negative { " not to hold" } else { "" };
            let text = format!("`{}` needs `{}`{not}", self.name(*from), self.name(need.needed));
            fault = fault.label(need.span, text);
        }
        let cycle: Vec<String> = std::iter::once((head, need))
            .chain(back.iter().copied().filter(|(from, need)| told(*from, need)))
            .map(|(from, need)| {
                format!("{} ->{}", self.name(from), if need.negative { " not" } else { "" })
            })
            .collect();
        fault
            .note(format!("the cycle is {} {name}", cycle.join(" ")))
            .note("break the cycle: within a state nothing may depend on its own negation")
    }

    /// Relations that need one named `target`, directly or through others.
    fn reaching(&self, target: crate::SymbolId) -> IdSet<RelationId> {
        let mut found: IdSet<RelationId> =
            self.relations.ids().filter(|id| self.relations.name(*id) == target).collect();
        let mut callers = IndexVec::filled(Vec::new(), self.relations.len());
        for head in self.relations.ids() {
            self.relations.needs(head).iter().for_each(|need| callers[need.needed].push(head));
        }
        let mut queue: Vec<RelationId> = found.iter().collect();
        while let Some(relation) = queue.pop() {
            queue.extend(callers[relation].iter().filter(|caller| found.insert(**caller)));
        }
        found
    }

    fn moves(&self, faults: &mut Vec<Diagnostic>) {
        let reaching = self.reaching(keyword::DOES);
        let heads = [
            keyword::LEGAL,
            keyword::GOAL,
            keyword::TERMINAL,
            keyword::INIT,
            keyword::BASE,
            keyword::INPUT,
            keyword::ROLE,
        ];
        for head in self.named(&heads) {
            let why = match self.relations.name(head) {
                keyword::LEGAL | keyword::GOAL | keyword::TERMINAL => {
                    "it is a matter of the state alone: use `next` to remember the move in the state"
                }
                _ => "it holds once and for all: take the condition out",
            };
            self.report(head, keyword::DOES, "depends-on-does", why, &reaching, faults);
        }
    }

    fn state(&self, faults: &mut Vec<Diagnostic>) {
        let reaching = self.reaching(keyword::TRUE);
        let heads = [keyword::INIT, keyword::BASE, keyword::INPUT, keyword::ROLE];
        let why = "it holds once and for all: take the condition out";
        for head in self.named(&heads) {
            self.report(head, keyword::TRUE, "depends-on-state", why, &reaching, faults);
        }
    }

    fn named<'n>(&'n self, names: &'n [crate::SymbolId]) -> impl Iterator<Item = RelationId> + 'n {
        self.relations.ids().filter(|id| names.contains(&self.relations.name(*id)))
    }

    /// One error for each condition of `head` that leads to `target`.
    fn report(
        &self,
        head: RelationId,
        target: crate::SymbolId,
        code: &'static str,
        why: &str,
        reaching: &IdSet<RelationId>,
        faults: &mut Vec<Diagnostic>,
    ) {
        let arity = if target == keyword::DOES { 2 } else { 1 };
        let Some(goal) = self.relations.find((target, arity)) else { return };
        let mut told = IdSet::new();
        for need in self.relations.needs(head) {
            if !reaching.contains(need.needed) || !told.insert(need.needed) {
                continue;
            }
            let Some(path) = self.relations.path(need.needed, goal, |_| true) else { continue };
            faults.push(self.dependence(head, *need, &path, code, why));
        }
    }

    fn dependence(
        &self,
        head: RelationId,
        need: Need,
        path: &[(RelationId, Need)],
        code: &'static str,
        why: &str,
    ) -> Diagnostic {
        let name = self.name(head);
        let target = path.last().map_or(need.needed, |(_, need)| need.needed);
        let target = self.name(target);
        let helper = path.iter().map(|(helper, _)| self.name(*helper)).find(|one| *one != name);
        let through = helper.map_or(String::new(), |helper| format!(" through `{helper}`"));
        let mut fault = Diagnostic::error(code, format!("`{name}` depends on `{target}`{through}"));
        // A relation that was split needs parts of itself, which is no news.
        for (from, need) in std::iter::once(&(head, need)).chain(path) {
            let (from, needed) = (self.name(*from), self.name(need.needed));
            if from != needed {
                fault = fault.label(need.span, format!("`{from}` needs `{needed}`"));
            }
        }
        fault.note(format!("`{name}` may not depend on `{target}`; {why}"))
    }
}
