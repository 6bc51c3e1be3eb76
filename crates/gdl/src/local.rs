//! A variable that stands in one `not` and nowhere else of its rule, read as authors mean it.
//!
//! `(not (hand ?player ?card))` with a `?card` that nothing binds is no safe condition, and what
//! its author means is that there is no such card. That is what the condition becomes here: the
//! denial of a helper relation that keeps the other variables, `(<= (hand_part1 ?player)
//! (hand ?player ?card))`, with a warning that shows how to write it. Always: only a variable whose
//! every place in the text of its rule lies in that one condition is read so. Where it stands
//! anywhere else as well (in the head, in a second condition, in another alternative) it could be
//! meant to be one and the same thing there, and the rule stays unsafe. Equal conditions share a
//! helper. Helpers are safe, and add no dependency that was not there.
//! Cost: linear where all rules are safe, else the text of the rules that are not.

use index::IdSet;
use rustc_hash::FxHashMap;

use crate::names::fold;
use crate::normal::tidy;
use crate::safety::unbound;
use crate::tree::{TokenKind, Tokens};
use crate::{Atom, Diagnostic, Literal, Rule, Span, SymbolId, Symbols, Term, VarId};

/// Names the denied conditions that have variables of their own.
pub(crate) fn close_denials(
    text: &str,
    rules: &mut Vec<Rule>,
    symbols: &mut Symbols,
    faults: &mut Vec<Diagnostic>,
) {
    let (helpers, named) = (Vec::new(), FxHashMap::default());
    let mut closing = Closing { text, symbols, faults, helpers, named, tried: 0 };
    rules.iter_mut().for_each(|rule| closing.close(rule));
    rules.append(&mut closing.helpers);
}

/// What a helper says: its arguments, and the condition.
type Meaning = (Box<[Term]>, SymbolId, Box<[Term]>);

struct Closing<'a> {
    text: &'a str,
    symbols: &'a mut Symbols,
    faults: &'a mut Vec<Diagnostic>,
    helpers: Vec<Rule>,
    named: FxHashMap<Meaning, SymbolId>,
    /// The last number of a helper that was tried.
    tried: usize,
}

impl Closing<'_> {
    fn close(&mut self, rule: &mut Rule) {
        let open = unbound(rule);
        if open.is_empty() {
            return;
        }
        let mut closed = false;
        for at in 0..rule.body.len() {
            let Literal::Negative(atom) = &rule.body[at] else { continue };
            let local = self.local_variables(rule, at, atom, &open);
            if local.is_empty() {
                continue;
            }
            let Some(call) = self.call(rule, atom, &local) else { continue };
            self.faults.push(self.warning(rule, atom, &local, &call));
            rule.body[at] = Literal::Negative(call);
            closed = true;
        }
        // The variables that moved to helpers are forgotten.
        if closed && let Ok(Some(tidied)) = tidy(rule.clone()) {
            *rule = tidied;
        }
    }

    /// The variables of a condition that stand nowhere else.
    fn local_variables(
        &self,
        rule: &Rule,
        at: usize,
        atom: &Atom,
        open: &IdSet<VarId>,
    ) -> IdSet<VarId> {
        let (mut own, mut elsewhere) = (IdSet::new(), IdSet::new());
        atom.collect_variables(&mut own);
        rule.head.collect_variables(&mut elsewhere);
        let others = rule.body.iter().enumerate().filter(|&(other, _)| other != at);
        others.for_each(|(_, literal)| literal.collect_variables(&mut elsewhere));
        own.iter()
            .filter(|&v| open.contains(v) && !elsewhere.contains(v))
            .filter(|&v| self.is_written_within(rule.span, &rule.variables[v], atom.span))
            .collect()
    }

    /// Whether each place of a variable in a rule lies within a condition.
    fn is_written_within(&self, rule: Span, name: &str, condition: Span) -> bool {
        let is_name = |word: &str| {
            let Some(word) = word.strip_prefix('?') else { return false };
            word == name || (!self.symbols.is_case_sensitive() && fold(word) == name)
        };
        let mut words = Tokens::within(self.text, rule)
            .filter(|token| token.kind == TokenKind::Word && is_name(token.span.of(self.text)));
        words.all(|token| condition.start <= token.span.start && token.span.end <= condition.end)
    }

    /// The helper's atom that stands for the condition, its rule made where it is new.
    fn call(&mut self, rule: &Rule, atom: &Atom, local: &IdSet<VarId>) -> Option<Atom> {
        let mut own = IdSet::new();
        atom.collect_variables(&mut own);
        let args: Box<[Term]> =
            own.iter().filter(|&v| !local.contains(v)).map(Term::Variable).collect();
        let head = Atom { relation: atom.relation, args: args.clone(), span: atom.span };
        let body = vec![Literal::Positive(atom.clone())];
        let helper = Rule { head, body, variables: rule.variables.clone(), span: rule.span };
        let helper = tidy(helper).ok().flatten()?;
        debug_assert!(unbound(&helper).is_empty(), "a helper binds what it keeps");
        let relation = self.name_of(helper, atom);
        Some(Atom { relation, args, span: atom.span })
    }

    fn name_of(&mut self, mut helper: Rule, atom: &Atom) -> SymbolId {
        let Some(Literal::Positive(condition)) = helper.body.first() else {
            unreachable!("a helper has one condition")
        };
        let meaning = (helper.head.args.clone(), condition.relation, condition.args.clone());
        if let Some(&known) = self.named.get(&meaning) {
            return known;
        }
        let relation = self.symbols.unused(subject(atom), &mut self.tried);
        helper.head.relation = relation;
        self.helpers.push(helper);
        self.named.insert(meaning, relation);
        relation
    }

    fn warning(&self, rule: &Rule, atom: &Atom, local: &IdSet<VarId>, call: &Atom) -> Diagnostic {
        let name = |variable: VarId| format!("?{}", rule.variables[variable]);
        let names: Vec<String> =
            local.iter().map(|variable| format!("`{}`", name(variable))).collect();
        let (names, verb) = (names.join(" and "), if names.len() == 1 { "is" } else { "are" });
        let kept = call.args.iter().filter_map(|arg| match arg {
            Term::Variable(variable) => Some(format!(" {}", name(*variable))),
            _ => None,
        });
        let helper =
            format!("(some_{}{})", self.symbols.name(subject(atom)), kept.collect::<String>());
        let condition = atom.span.of(self.text);
        Diagnostic::warning("negated-variable", format!("{names} {verb} bound by no condition"))
            .label(atom.span, "taken for: nothing of this kind holds")
            .note(format!("say so by a helper: (<= {helper} {condition}) and (not {helper})"))
            .note("GDL asks for rules that are safe by themselves: other readers may refuse this")
    }
}

/// What a condition is about: the fluent or the move where the relation is a keyword.
fn subject(atom: &Atom) -> SymbolId {
    match atom.args.last() {
        Some(Term::Compound(name, _)) if atom.relation.is_keyword() => *name,
        _ => atom.relation,
    }
}
