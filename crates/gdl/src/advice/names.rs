//! Names with two uses: relation and function, functions with several numbers of arguments,
//! keywords inside terms.
//!
//! None of them is forbidden, and each is what remains of a forgotten `true`, a forgotten argument
//! or a parenthesis in the wrong place. A use is told once, at its second kind.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Advice;
use crate::formula::{Formula, WrittenRule};
use crate::{Atom, Diagnostic, Severity, Span, SymbolId, Term, keyword};

/// The first use of a function with one number of arguments.
type Uses = FxHashMap<SymbolId, Vec<(usize, Span)>>;

/// What the walk over all terms finds.
#[derive(Default)]
struct Found {
    functions: Uses,
    /// Keywords that stand as functions: name and place of the first.
    keywords: Vec<(SymbolId, Span)>,
}

impl Advice<'_> {
    pub(super) fn odd_names(&self, faults: &mut Vec<Diagnostic>) {
        let mut found = Found::default();
        for rule in self.written {
            atoms_of(rule, &mut |atom| found.atom(atom));
        }
        self.both_uses(&found.functions, faults);
        self.function_arities(&found.functions, faults);
        for &(name, span) in &found.keywords {
            faults.push(self.keyword_in_term(name, span));
        }
    }

    fn both_uses(&self, functions: &Uses, faults: &mut Vec<Diagnostic>) {
        let mut told = FxHashSet::default();
        for rule in self.written {
            let name = rule.head.relation;
            let Some(uses) = functions.get(&name).filter(|_| told.insert(name)) else { continue };
            let text = self.name(name);
            debug_assert!(!name.is_keyword() && !uses.is_empty());
            let same = uses.iter().any(|(arity, _)| *arity == rule.head.args.len());
            let severity = if same { Severity::Warning } else { Severity::Note };
            let message = format!("`{text}` is both a relation and a function");
            faults.push(
                Diagnostic::of_severity(severity, "relation-and-function", message)
                    .label(rule.head.span, "concluded as a relation here")
                    .label(uses[0].1, "part of a term here")
                    .note(
                        "the two have nothing to do with each other; give one of them another name",
                    ),
            );
        }
    }

    fn function_arities(&self, functions: &Uses, faults: &mut Vec<Diagnostic>) {
        let mut several: Vec<_> = functions.iter().filter(|(_, uses)| uses.len() > 1).collect();
        several.sort_by_key(|(_, uses)| uses[1].1.start);
        for (&name, uses) in several {
            let text = self.name(name);
            let (first, second) = (uses[0], uses[1]);
            faults.push(
                Diagnostic::warning(
                    "function-arity",
                    format!("`{text}` is a term with {} and with {} arguments", first.0, second.0),
                )
                .label(second.1, format!("{} here", second.0))
                .label(first.1, format!("{} here", first.0))
                .note(
                    "they never match each other; if both are meant, give one of them another name",
                ),
            );
        }
    }

    fn keyword_in_term(&self, name: SymbolId, span: Span) -> Diagnostic {
        let text = self.name(name);
        Diagnostic::warning("keyword-in-term", format!("`{text}` inside a term is only a name"))
            .label(span, "no condition and no conclusion here")
            .note(format!(
                "if ({text} ...) is meant as a condition, it stands beside the other conditions, not inside one of them"
            ))
    }
}

impl Found {
    fn atom(&mut self, atom: &Atom) {
        let shown = if atom.relation == keyword::SEES { 1 } else { atom.args.len() };
        atom.args.iter().for_each(|arg| self.term(arg, atom.span));
        for arg in &atom.args[..shown] {
            if let Some(name) = keyword_inside(arg)
                && self.keywords.iter().all(|(other, _)| *other != name)
            {
                self.keywords.push((name, atom.span));
            }
        }
    }

    fn term(&mut self, term: &Term, span: Span) {
        let Term::Compound(function, args) = term else { return };
        args.iter().for_each(|arg| self.term(arg, span));
        if !function.is_keyword() {
            let uses = self.functions.entry(*function).or_default();
            if uses.iter().all(|(arity, _)| *arity != args.len()) {
                uses.push((args.len(), span));
            }
        }
    }
}

/// A keyword that stands as a function in a term; connectives are told while reading.
fn keyword_inside(term: &Term) -> Option<SymbolId> {
    let Term::Compound(function, args) = term else { return None };
    let told = [keyword::NOT, keyword::OR, keyword::AND, keyword::DISTINCT, keyword::RANDOM];
    if function.is_keyword() && !told.contains(function) {
        return Some(*function);
    }
    args.iter().find_map(keyword_inside)
}

/// Shows each atom of a rule as it was written.
fn atoms_of(rule: &WrittenRule, see: &mut impl FnMut(&Atom)) {
    see(&rule.head);
    rule.body.iter().for_each(|formula| formula_atoms(formula, see));
}

fn formula_atoms(formula: &Formula, see: &mut impl FnMut(&Atom)) {
    match formula {
        Formula::Holds(atom) => see(atom),
        Formula::Distinct(..) => {}
        Formula::Not(inner) => formula_atoms(inner, see),
        Formula::All(inner) | Formula::Any(inner) => {
            inner.iter().for_each(|one| formula_atoms(one, see));
        }
    }
}
