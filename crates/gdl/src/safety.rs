//! Every variable of a rule stands in a positive literal of its body, or the rule is made so.
//!
//! A rule like `(<= (differ ?x ?y) (distinct ?x ?y))` says something only where its caller binds
//! the variables. Such a rule is taken out and put in place of the conditions that call it
//! (`unfold.rs`); the callers then bind the variables, or are unsafe themselves and unfolded in
//! turn. What remains unsafe in the end is refused, with the variable and the call that leaves it
//! unbound. `legal`, `goal`, `sees` and `input` are always asked for a role, so an unbound role
//! variable there is bound by `(role ?r)`.
//!
//! A truly unsafe recursion would unfold for ever: rounds and rules are bounded, and a sheet
//! beyond the bounds is refused, so that whatever comes out is safe. Cost: linear where all rules
//! are safe; else one pass over the rules for each relation that is unfolded.

use index::IdSet;
use rustc_hash::FxHashSet;

use crate::names::fold;
use crate::normal::tidy;
use crate::tree::{TokenKind, Tokens};
use crate::unfold::{Unfolding, calls};
use crate::{
    Atom, Diagnostic, Literal, ReadOptions, Rule, Severity, Span, SymbolId, Symbols, Term, VarId,
    keyword, strata,
};

/// Relations that are unfolded one after the other, at most.
const ROUND_LIMIT: usize = 200;
/// Rules that unfolding may make of a sheet, over those that it had.
const GROWTH_LIMIT: usize = 20_000;

/// A variable of the sheet that its own rule leaves unbound.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// The variable, where it first stands.
    variable: Span,
    /// Its name with the question mark.
    name: String,
    /// The rule that leaves it unbound.
    relation: SymbolId,
    /// The condition that should have bound it.
    call: Option<Span>,
}

/// A rule on its way to safety.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) rule: Rule,
    /// The unsafe rule that was put into it, if any.
    pub(crate) origin: Option<Origin>,
}

/// Variables that no positive literal binds and that the rule needs bound.
pub(crate) fn unbound(rule: &Rule) -> IdSet<VarId> {
    let bound = rule.bound_variables();
    let mut needed = IdSet::new();
    rule.head.collect_variables(&mut needed);
    rule.body.iter().for_each(|literal| literal.collect_variables(&mut needed));
    needed.iter().filter(|variable| !bound.contains(*variable)).collect()
}

/// Makes all rules safe, or says which cannot be.
pub(crate) fn secure(
    text: &str,
    rules: Vec<Rule>,
    symbols: &mut Symbols,
    options: &ReadOptions,
    faults: &mut Vec<Diagnostic>,
) -> Vec<Rule> {
    if rules.iter().all(|rule| unbound(rule).is_empty()) {
        return rules;
    }
    let limit = rules.len() + GROWTH_LIMIT;
    let items = rules.into_iter().map(|rule| Item { rule, origin: None }).collect();
    let mut securing = Securing { text, symbols, options, faults, items, limit };
    securing.bind_roles();
    securing.describe();
    securing.unfold_all();
    let mut seen = FxHashSet::default();
    let mut rules: Vec<Rule> = securing.items.into_iter().map(|item| item.rule).collect();
    rules.retain(|rule| seen.insert(rule.key()));
    debug_assert!(
        faults.iter().any(Diagnostic::is_error) || rules.iter().all(|r| unbound(r).is_empty())
    );
    rules
}

struct Securing<'a> {
    text: &'a str,
    symbols: &'a mut Symbols,
    options: &'a ReadOptions,
    faults: &'a mut Vec<Diagnostic>,
    items: Vec<Item>,
    limit: usize,
}

impl Securing<'_> {
    fn severity(&self) -> Severity {
        if self.options.strict { Severity::Error } else { Severity::Warning }
    }

    /// The code of a rule that was made safe.
    fn code(&self) -> &'static str {
        if self.options.strict { "unsafe-variable" } else { "unsafe-rule" }
    }

    /// Adds `(role ?r)` where only a caller that asks for a role makes the rule safe.
    fn bind_roles(&mut self) {
        let about = [keyword::LEGAL, keyword::GOAL, keyword::SEES, keyword::INPUT];
        for index in 0..self.items.len() {
            let rule = &self.items[index].rule;
            let Some(Term::Variable(role)) = rule.head.args.first().cloned() else { continue };
            if !about.contains(&rule.head.relation) || !unbound(rule).contains(role) {
                continue;
            }
            let origin = self.origin(rule, role);
            let span = rule.head.span;
            let args = [Term::Variable(role)].into();
            let bound = Atom { relation: keyword::ROLE, args, span };
            self.items[index].rule.body.push(Literal::Positive(bound));
            let message = format!("`{}` is bound by no condition of its rule", origin.name);
            self.faults.push(
                Diagnostic::of_severity(self.severity(), self.code(), message)
                    .label(origin.variable, "taken for any role")
                    .note(format!("add the condition (role {})", origin.name)),
            );
        }
    }

    /// Tells of each unsafe rule, and takes out those that no caller can help.
    fn describe(&mut self) {
        let items = std::mem::take(&mut self.items);
        for item in items {
            let open = unbound(&item.rule);
            let Some(first) = open.iter().next() else {
                self.items.push(item);
                continue;
            };
            if helpless(&item.rule, &open) {
                let mut told = open;
                if callable(&item.rule) {
                    let mut head = IdSet::new();
                    item.rule.head.collect_variables(&mut head);
                    told = told.iter().filter(|variable| !head.contains(*variable)).collect();
                }
                for variable in told.iter() {
                    let origin = self.origin(&item.rule, variable);
                    self.faults.push(self.refusal(&origin));
                }
            } else {
                let origin = self.origin(&item.rule, first);
                self.faults.push(self.rescue(&origin));
                self.items.push(item);
            }
        }
    }

    fn origin(&self, rule: &Rule, variable: VarId) -> Origin {
        let name = format!("?{}", rule.variables[variable]);
        let same = |span: Span| {
            let word = span.of(self.text);
            word == name || (!self.symbols.is_case_sensitive() && fold(word) == name.as_str())
        };
        let found = Tokens::within(self.text, rule.span)
            .find(|token| token.kind == TokenKind::Word && same(token.span));
        Origin {
            variable: found.map_or(rule.span, |token| token.span),
            name,
            relation: rule.head.relation,
            call: None,
        }
    }

    fn refusal(&self, origin: &Origin) -> Diagnostic {
        let name = &origin.name;
        let message = format!("unsafe variable `{name}`: no positive condition binds it");
        let mut fault = Diagnostic::error("unsafe-variable", message)
            .label(origin.variable, "could be anything");
        if let Some(call) = origin.call {
            fault = fault.label(call, "and this condition does not bind it either");
        }
        fault
            .note(format!(
                "add a condition to the rule for `{}` that says what `{name}` may be",
                self.symbols.name(origin.relation)
            ))
            .note(format!(
                "if `(not ...)` means that there is no {name} at all, name that by a helper \
                 relation without {name}, and deny the helper"
            ))
    }

    fn rescue(&self, origin: &Origin) -> Diagnostic {
        let name = &origin.name;
        let relation = self.symbols.name(origin.relation);
        let message =
            format!("the rule for `{relation}` is safe only where its callers bind `{name}`");
        Diagnostic::of_severity(self.severity(), self.code(), message)
            .label(origin.variable, "bound by no condition of its own rule")
            .note(format!("add a condition that says what `{name}` may be"))
    }

    fn unfold_all(&mut self) {
        for _ in 0..ROUND_LIMIT {
            let Some(target) = self.next_target() else { return };
            let growth = self.unfold(target);
            if growth.is_err() || self.items.len() > self.limit {
                return self.give_up(target);
            }
            if !self.judge() {
                return;
            }
        }
        if let Some(target) = self.next_target() {
            self.give_up(target);
        }
    }

    /// An unsafe relation, callers before what they deny.
    fn next_target(&self) -> Option<(SymbolId, usize)> {
        let open: Vec<&Rule> = self
            .items
            .iter()
            .map(|item| &item.rule)
            .filter(|rule| !unbound(rule).is_empty())
            .collect();
        let denied: FxHashSet<(SymbolId, usize)> = open
            .iter()
            .flat_map(|rule| &rule.body)
            .filter_map(|literal| match literal {
                Literal::Negative(atom) => Some(atom.signature()),
                _ => None,
            })
            .collect();
        let mut targets = open.iter().map(|rule| rule.head.signature());
        let first = targets.clone().next();
        targets.find(|target| !denied.contains(target)).or(first)
    }

    fn unfold(&mut self, target: (SymbolId, usize)) -> Result<(), crate::unify::TooLarge> {
        let items = std::mem::take(&mut self.items);
        let (open, rest): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| {
            item.rule.head.signature() == target && !unbound(&item.rule).is_empty()
        });
        let open: Vec<Item> = open.into_iter().map(|item| self.with_origin(item)).collect();
        let remains = rest.iter().any(|item| item.rule.head.signature() == target);
        let mut unfolding = Unfolding::new(target, &open, remains, self.symbols, self.limit);
        let done = rest.iter().try_for_each(|item| {
            if calls(&item.rule, target) {
                return unfolding.rewrite(item);
            }
            unfolding.made.push(item.clone());
            Ok(())
        });
        let made = std::mem::take(&mut unfolding.made);
        if done.is_err() {
            self.items = open;
            self.items.extend(rest);
            return done;
        }
        for item in made {
            if let Some(rule) = tidy(item.rule)? {
                self.items.push(Item { rule, origin: item.origin });
            }
        }
        Ok(())
    }

    fn with_origin(&self, item: Item) -> Item {
        let Some(first) = unbound(&item.rule).iter().next() else { return item };
        let origin = item.origin.unwrap_or_else(|| self.origin(&item.rule, first));
        Item { rule: item.rule, origin: Some(origin) }
    }

    /// Refuses rules that became unsafe and that no caller can help; `false` where there are some.
    fn judge(&mut self) -> bool {
        let lost: Vec<Origin> = self
            .items
            .iter()
            .filter_map(|item| {
                let open = unbound(&item.rule);
                let first = open.iter().next()?;
                helpless(&item.rule, &open)
                    .then(|| item.origin.clone().unwrap_or_else(|| self.origin(&item.rule, first)))
            })
            .collect();
        for origin in &lost {
            let fault = self.refusal(origin);
            if !self.faults.contains(&fault) {
                self.faults.push(fault);
            }
        }
        let stratified = strata::is_stratified(self.items.iter().map(|item| &item.rule));
        if lost.is_empty() && !stratified && !self.already_unstratified() {
            self.refuse_rescued();
        }
        lost.is_empty() && stratified
    }

    fn already_unstratified(&self) -> bool {
        self.faults.iter().any(|fault| fault.code == "unstratified-negation")
    }

    /// Making the rules safe would put negation into a recursion: the warnings become errors.
    fn refuse_rescued(&mut self) {
        for fault in self.faults.iter_mut().filter(|fault| fault.code == "unsafe-rule") {
            fault.severity = Severity::Error;
            fault.code = "unsafe-variable";
        }
    }

    fn give_up(&mut self, target: (SymbolId, usize)) {
        let name = self.symbols.name(target.0);
        let message = format!(
            "the rules for `{name}` stay unsafe however often they are put into their callers"
        );
        let origin = self.items.iter().find_map(|item| item.origin.clone());
        let place = origin.map_or_else(
            || self.items.first().map_or(Span::default(), |item| item.rule.span),
            |origin| origin.variable,
        );
        self.faults.push(
            Diagnostic::error("unsafe-variable", message)
                .label(place, "bound by no condition")
                .note("add a condition to the rule that says what the variable may be"),
        );
    }
}

/// Whether callers may stand in for a missing condition of this relation.
fn callable(rule: &Rule) -> bool {
    !rule.head.relation.is_keyword()
}

/// Whether some unbound variable cannot come from a caller.
fn helpless(rule: &Rule, open: &IdSet<VarId>) -> bool {
    let mut head = IdSet::new();
    rule.head.collect_variables(&mut head);
    !callable(rule) || open.iter().any(|variable| !head.contains(variable))
}

impl Origin {
    /// The same, for a rule that it was put into at this call.
    pub(crate) fn called_at(&self, call: Span) -> Self {
        Self { call: Some(call), ..self.clone() }
    }
}
