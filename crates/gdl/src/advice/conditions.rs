//! Conditions that never hold, rules that never apply, and declarations that nothing fulfils.
//!
//! A condition that matches no conclusion at all is told with what was probably meant. Rules that
//! never apply only because of such a condition are not told again; those that wait for each other
//! in a circle are, once a name.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Advice;
use super::possible::{Possible, outermost};
use crate::print::{atom_text, part_text};
use crate::{Atom, Diagnostic, Literal, Rule, Span, SymbolId, Term, keyword, nearest};

/// Rules in a row that cannot apply because the next one cannot, at most.
const ROUND_LIMIT: usize = 100;

impl Advice<'_> {
    pub(super) fn impossible_conditions(&self, faults: &mut Vec<Diagnostic>) {
        let Some(possible) = Possible::of(self.rules) else { return };
        let mut told = FxHashSet::default();
        let mut made: FxHashMap<Span, usize> = FxHashMap::default();
        self.rules.iter().for_each(|rule| *made.entry(rule.span).or_default() += 1);
        for rule in self.rules {
            let alone = made[&rule.span] == 1;
            for literal in &rule.body {
                let Some(atom) = literal.atom() else { continue };
                let open = possible.is_concluded(atom.signature()) || is_fluid(atom.relation);
                if open && possible.matching(atom).next().is_none() && told.insert(atom.span) {
                    let fault = self.never(&possible, rule, atom);
                    faults.push(fault.note(self.effect(rule, literal, alone)));
                }
            }
        }
        self.circles(&possible, faults);
        self.declarations(&possible, faults);
    }

    /// A condition that matches nothing.
    fn never(&self, possible: &Possible<'_>, rule: &Rule, atom: &Atom) -> Diagnostic {
        match atom.relation {
            keyword::TRUE => self.never_true(possible, rule, atom),
            keyword::DOES => self.never_played(possible, rule, atom),
            _ => self.never_matched(possible, rule, atom),
        }
    }

    /// What follows for the rule; `alone` where its form is no other rule besides.
    fn effect(&self, rule: &Rule, literal: &Literal, alone: bool) -> String {
        let head = self.name(rule.head.relation);
        match (literal, alone) {
            (Literal::Negative(_), _) => "so this `not` always holds".to_owned(),
            (_, true) => format!("so its rule for `{head}` never applies"),
            (_, false) => format!("so this alternative of the rule for `{head}` never applies"),
        }
    }

    fn never_true(&self, possible: &Possible<'_>, rule: &Rule, atom: &Atom) -> Diagnostic {
        let fluent = part_text(&atom.args[0], rule, self.symbols);
        let message = format!("`{fluent}` is never part of a state");
        let fault = Diagnostic::warning("never-true", message)
            .label(atom.span, "no `init` and no `next` makes it");
        self.instead(possible, (keyword::TRUE, 1), &atom.args[0], fault)
    }

    fn never_played(&self, possible: &Possible<'_>, rule: &Rule, atom: &Atom) -> Diagnostic {
        let text = |place: usize| part_text(&atom.args[place], rule, self.symbols);
        let (role, moved) = (text(0), text(1));
        let message = format!("`{moved}` is never a move of `{role}`");
        let fault =
            Diagnostic::warning("never-played", message).label(atom.span, "no rule makes it legal");
        self.instead(possible, (keyword::DOES, 2), &atom.args[1], fault)
    }

    fn never_matched(&self, possible: &Possible<'_>, rule: &Rule, atom: &Atom) -> Diagnostic {
        let text = atom_text(atom, rule, self.symbols);
        let message = format!("no rule and no fact matches `{text}`");
        let fault = Diagnostic::warning("never-matched", message).label(atom.span, "never holds");
        match possible.concluding(atom.signature()).first() {
            Some(&rule) => {
                let name = self.name(atom.relation);
                fault.label(self.rules[rule].head.span, format!("`{name}` is concluded like this"))
            }
            None => fault,
        }
    }

    /// What was probably meant: a name that is near, or the same name with other arguments.
    fn instead(
        &self,
        possible: &Possible<'_>,
        relation: (SymbolId, usize),
        term: &Term,
        fault: Diagnostic,
    ) -> Diagnostic {
        let Some((name, arity)) = outermost(term) else { return fault };
        let made = possible.concluding(relation);
        let last = relation.1 - 1;
        let shape = |rule: usize| outermost(&self.rules[rule].head.args[last]);
        let same = made.iter().find(|&&rule| shape(rule).is_some_and(|(other, _)| other == name));
        let text = self.name(name);
        if let Some(&rule) = same {
            let span = self.rules[rule].head.span;
            return match shape(rule) {
                Some((_, other)) if other != arity => fault
                    .label(span, format!("`{text}` has {other} arguments here, not {arity}"))
                    .note(format!("give `{text}` the same arguments in both places")),
                _ => fault.label(span, format!("`{text}` is made like this")),
            };
        }
        let names = made.iter().filter_map(|&rule| shape(rule)).map(|(other, _)| self.name(other));
        match nearest(text, names) {
            Some(near) => fault.note(format!("did you mean `{near}`?")),
            None if possible.is_concluded((name, arity)) => fault.note(format!(
                "`{text}` is a relation of the rules: as a condition it stands without `{}`",
                self.name(relation.0)
            )),
            None => fault,
        }
    }

    /// Rules that wait for each other: none of them applies, and no single condition is to blame.
    fn circles(&self, possible: &Possible<'_>, faults: &mut Vec<Diagnostic>) {
        let blamed = self.blamed(possible);
        let mut told = FxHashSet::default();
        for (index, rule) in self.rules.iter().enumerate() {
            let of_state = rule.head.relation == keyword::NEXT;
            let shape = if of_state { outermost(&rule.head.args[0]) } else { None };
            let excused = possible.applies(index) || blamed[index];
            if excused || !told.insert((rule.head.signature(), shape)) {
                continue;
            }
            let message =
                format!("this rule for `{}` never applies", self.name(rule.head.relation));
            let mut fault = Diagnostic::warning("never-applies", message).label(rule.head.span, "");
            if let Some(atom) = first_waiting(possible, rule) {
                fault = fault.label(atom.span, "waits for a rule that never applies either");
            }
            faults.push(
                fault.note("the rules wait for each other: nothing in `init` and no fact begins"),
            );
        }
    }

    /// The rules that cannot apply because a condition of theirs, or of what they wait for, matches
    /// nothing. Where that is a long story all are taken to be so.
    fn blamed(&self, possible: &Possible<'_>) -> Vec<bool> {
        let mut blamed = vec![false; self.rules.len()];
        for _ in 0..ROUND_LIMIT {
            let before = blamed.iter().filter(|held| **held).count();
            for (index, rule) in self.rules.iter().enumerate() {
                if !possible.applies(index) && !blamed[index] {
                    blamed[index] = positives(rule)
                        .any(|atom| possible.matching(atom).all(|other| blamed[other]));
                }
            }
            if blamed.iter().filter(|held| **held).count() == before {
                return blamed;
            }
        }
        vec![true; self.rules.len()]
    }

    /// Declared propositions and moves that nothing makes, and made ones that are not declared.
    fn declarations(&self, possible: &Possible<'_>, faults: &mut Vec<Diagnostic>) {
        let both = [
            (keyword::BASE, (keyword::TRUE, 1), "proposition", "no `init` and no `next` makes it"),
            (keyword::INPUT, (keyword::DOES, 2), "move", "no rule makes it legal"),
        ];
        for (declaring, made, what, why) in both {
            let arity = made.1;
            let declared = possible.concluding((declaring, arity));
            let makers = possible.concluding(made);
            if declared.is_empty() {
                continue;
            }
            for rule in declared.iter().map(|&rule| &self.rules[rule]) {
                if !is_matched(possible, &rule.head, made.0) {
                    let term = &rule.head.args[arity - 1];
                    let text = part_text(term, rule, self.symbols);
                    let message = format!("the {what} `{text}` is declared and can never hold");
                    let fault = Diagnostic::warning("declared-in-vain", message)
                        .label(rule.head.span, why)
                        .note("take the declaration out, or make what it declares");
                    faults.push(self.instead(possible, made, term, fault));
                }
            }
            for rule in makers.iter().map(|&rule| &self.rules[rule]) {
                if !is_matched(possible, &rule.head, declaring) {
                    faults.push(self.undeclared(possible, rule, declaring, what));
                }
            }
        }
    }

    fn undeclared(
        &self,
        possible: &Possible<'_>,
        rule: &Rule,
        declaring: SymbolId,
        what: &str,
    ) -> Diagnostic {
        let head = &rule.head;
        let arity = head.args.len();
        let text = part_text(&head.args[arity - 1], rule, self.symbols);
        let by = self.name(declaring);
        let message = format!("the {what} `{text}` is made and no `{by}` declares it");
        let fault = Diagnostic::warning("undeclared", message)
            .label(head.span, "made here")
            .note(format!("other systems may rely on `{by}`: declare all of them, or none"));
        self.instead(possible, (declaring, arity), &head.args[arity - 1], fault)
    }
}

/// Whether anything that is concluded for `relation` matches what another relation says.
fn is_matched(possible: &Possible<'_>, head: &Atom, relation: SymbolId) -> bool {
    let atom = Atom { relation, args: head.args.clone(), span: head.span };
    possible.matching(&atom).next().is_some()
}

fn is_fluid(relation: SymbolId) -> bool {
    [keyword::TRUE, keyword::DOES].contains(&relation)
}

fn positives(rule: &Rule) -> impl Iterator<Item = &Atom> {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) => Some(atom),
        _ => None,
    })
}

/// The first condition of a rule that no rule which applies fulfils.
fn first_waiting<'r>(possible: &Possible<'_>, rule: &'r Rule) -> Option<&'r Atom> {
    positives(rule).find(|atom| !possible.matching(atom).any(|other| possible.applies(other)))
}
