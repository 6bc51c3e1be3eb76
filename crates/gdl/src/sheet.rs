//! Checks of a whole sheet that only look: what is missing, used without a rule, or misspelt.
//!
//! Nothing here changes a rule. They run only when every form could be read, because a form that
//! could not be read may be the very one that is missed here.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::formula::{WrittenRule, right_form};
use crate::{Atom, Diagnostic, ReadOptions, RoleId, Rule, Span, SymbolId, Symbols, Term, keyword};

/// What is right for a goal: a note for whoever refuses one.
pub const GOAL_VALUES: &str = "a goal is a whole number from 0 to 100";

/// What the checks look at.
pub(crate) struct Sheet<'a> {
    pub(crate) written: &'a [WrittenRule],
    pub(crate) rules: &'a [Rule],
    pub(crate) symbols: &'a Symbols,
}

impl Sheet<'_> {
    pub(crate) fn check(&self, options: &ReadOptions, faults: &mut Vec<Diagnostic>) {
        self.missing_keywords(faults);
        self.arities(options, faults);
        self.undefined(faults);
        self.goal_values(faults);
    }

    fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.rules.iter().flat_map(|rule| {
            std::iter::once(&rule.head).chain(rule.body.iter().filter_map(|literal| literal.atom()))
        })
    }

    fn missing_keywords(&self, faults: &mut Vec<Diagnostic>) {
        let heads: FxHashSet<SymbolId> =
            self.written.iter().map(|rule| rule.head.relation).collect();
        if !heads.contains(&keyword::LEGAL) {
            faults.push(
                Diagnostic::error("no-legal", "the sheet has no rule for `legal`")
                    .note("without a legal move no game can be played; write (<= (legal ROLE MOVE) CONDITION ...)"),
            );
        }
        let others = [
            (keyword::INIT, "no-init", "the game starts in the empty state"),
            (keyword::TERMINAL, "no-terminal", "the game never ends"),
            (keyword::GOAL, "no-goal", "no state is worth anything to anybody"),
        ];
        for (name, code, effect) in others {
            if !heads.contains(&name) {
                let name = self.symbols.name(name);
                let message = format!("the sheet has no rule for `{name}`");
                faults.push(Diagnostic::warning(code, message).note(effect));
            }
        }
    }

    fn arities(&self, options: &ReadOptions, faults: &mut Vec<Diagnostic>) {
        let mut first: FxHashMap<SymbolId, (usize, Span)> = FxHashMap::default();
        let mut told = FxHashSet::default();
        for atom in self.atoms() {
            let (name, arity) = atom.signature();
            if self.symbols.written(name) != name {
                continue;
            }
            let &mut (other, span) = first.entry(name).or_insert((arity, atom.span));
            if other != arity && told.insert(atom.signature()) {
                let text = self.symbols.name(name);
                let message = format!("`{text}` is used with {other} and with {arity} arguments");
                let severity =
                    if options.strict { crate::Severity::Error } else { crate::Severity::Warning };
                faults.push(
                    Diagnostic::of_severity(severity, "arity-overload", message)
                        .label(atom.span, format!("{arity} here"))
                        .label(span, format!("{other} here"))
                        .note("they are two relations; give one of them another name"),
                );
            }
        }
    }

    fn undefined(&self, faults: &mut Vec<Diagnostic>) {
        let heads = self.written.iter().map(|rule| rule.head.signature());
        let mut known: FxHashSet<(SymbolId, usize)> = heads.collect();
        known.extend(self.rules.iter().map(|rule| rule.head.signature()));
        let defined: Vec<(SymbolId, usize)> = known.iter().copied().collect();
        for atom in self.atoms() {
            let (name, arity) = atom.signature();
            if right_form(name).is_some() || !known.insert((name, arity)) {
                continue;
            }
            let text = self.symbols.name(name);
            let message = format!("no rule and no fact concludes `{text}`: it never holds");
            let mut fault =
                Diagnostic::warning("undefined-relation", message).label(atom.span, "never holds");
            if let Some(wrapped) = self.wrapped(name, arity) {
                fault = fault.note(wrapped);
            } else if let Some(near) = self.similar(name, arity, &defined) {
                fault = fault.note(format!("did you mean `{near}`?"));
            }
            faults.push(fault);
        }
    }

    /// The advice to write `true` or `does` around what is a part of the state, or a move.
    fn wrapped(&self, name: SymbolId, arity: usize) -> Option<String> {
        let is_it = |term: &Term| match term {
            Term::Variable(_) => false,
            Term::Constant(other) => *other == name && arity == 0,
            Term::Compound(function, args) => *function == name && args.len() == arity,
        };
        let heads = self.rules.iter().map(|rule| &rule.head);
        let made =
            heads.filter(|head| head.args.last().is_some_and(is_it)).map(|head| head.relation);
        let text = self.symbols.name(name);
        let atom = if arity == 0 { text.to_owned() } else { format!("({text} ...)") };
        made.filter_map(|relation| match relation {
            keyword::INIT | keyword::NEXT => {
                Some(format!("`{text}` is part of the state: write (true {atom})"))
            }
            keyword::LEGAL => Some(format!("`{text}` is a move: write (does ROLE {atom})")),
            _ => None,
        })
        .next()
    }

    /// A defined relation that was probably meant: the same with another arity, or one whose name
    /// is near.
    fn similar(
        &self,
        name: SymbolId,
        arity: usize,
        defined: &[(SymbolId, usize)],
    ) -> Option<String> {
        let text = self.symbols.name(name);
        if let Some((_, other)) = defined.iter().filter(|(other, _)| *other == name).min() {
            return Some(format!("{text}` with {other} arguments, not `{arity}"));
        }
        let names = defined.iter().filter(|(_, other)| *other == arity);
        let names = names.map(|(other, _)| self.symbols.name(*other));
        crate::nearest(text, names).map(str::to_owned)
    }

    fn goal_values(&self, faults: &mut Vec<Diagnostic>) {
        for rule in self.rules.iter().filter(|rule| rule.head.relation == keyword::GOAL) {
            let right = match &rule.head.args[1] {
                Term::Variable(_) => continue,
                Term::Constant(value) => is_goal_value(self.symbols.name(*value)),
                Term::Compound(..) => false,
            };
            if !right {
                let value = crate::term_text(&rule.head.args[1], self.symbols);
                faults.push(
                    Diagnostic::warning("goal-range", format!("`{value}` is not a goal value"))
                        .label(rule.head.span, "")
                        .note(GOAL_VALUES)
                        .note("the game is refused where this can be derived"),
                );
            }
        }
    }

    /// How an atom is written whose second argument alone is a role; none where that is not so.
    fn role_first(&self, atom: &Atom, roles: &index::IndexVec<RoleId, SymbolId>) -> Option<String> {
        let [first, Term::Constant(second)] = &*atom.args else { return None };
        let is_role = |name: &SymbolId| roles.iter().any(|role| role == name);
        let first = match first {
            Term::Variable(_) => return None,
            Term::Constant(name) if is_role(name) => return None,
            other => crate::term_text(other, self.symbols),
        };
        let (relation, role) = (self.symbols.name(atom.relation), self.symbols.name(*second));
        is_role(second).then(|| format!("({relation} {role} {first})"))
    }

    /// Warns where `legal`, `does`, `goal` or `input` name a role that is none.
    pub(crate) fn unknown_roles(
        &self,
        roles: &index::IndexVec<RoleId, SymbolId>,
        faults: &mut Vec<Diagnostic>,
    ) {
        let mut known: FxHashSet<SymbolId> = roles.iter().copied().collect();
        let about = [keyword::LEGAL, keyword::DOES, keyword::GOAL, keyword::INPUT, keyword::SEES];
        let mut swapped = FxHashSet::default();
        for atom in self.atoms().filter(|atom| about.contains(&atom.relation)) {
            if let Some(right) = self.role_first(atom, roles) {
                if swapped.insert(atom.span) {
                    faults.push(swapped_arguments(atom, &right));
                }
                continue;
            }
            let Term::Constant(name) = atom.args[0] else { continue };
            if known.insert(name) {
                let all: Vec<&str> = roles.iter().map(|role| self.symbols.name(*role)).collect();
                let text = self.symbols.name(name);
                let fault = Diagnostic::warning("unknown-role", format!("`{text}` is not a role"))
                    .label(atom.span, "named as a role here")
                    .note(format!("the roles are {}", all.join(", ")));
                faults.push(match crate::nearest(text, all) {
                    Some(near) => fault.note(format!("did you mean `{near}`?")),
                    None => fault,
                });
            }
        }
    }
}

/// The role stands second: said instead of all that follows from it.
fn swapped_arguments(atom: &Atom, right: &str) -> Diagnostic {
    debug_assert_eq!(atom.args.len(), 2, "a role and what it is about");
    Diagnostic::warning("unknown-role", "the role comes first")
        .label(atom.span, "the role stands second here")
        .note(format!("write `{right}`"))
}

fn is_goal_value(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u8>().is_ok_and(|v| v <= 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goal_values_are_whole_numbers_up_to_a_hundred() {
        assert!(is_goal_value("0") && is_goal_value("100"));
        assert!(["101", "-1", "+7", "win", "300", "7.5"].iter().all(|text| !is_goal_value(text)));
    }
}
