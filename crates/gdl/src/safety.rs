//! Every variable of a rule stands in a positive literal of its body, or the rule is made so.
//!
//! A rule like `(<= (differ ?x ?y) (distinct ?x ?y))` says something only where its caller binds
//! the variables. Such a rule is taken out and put in place of the conditions that call it
//! (`unfold.rs`); the callers then bind the variables, or are unsafe themselves and unfolded in
//! turn. What remains unsafe in the end is refused, with the variable and the call that leaves it
//! unbound. `legal`, `goal`, `sees` and `input` are always asked for a role, so an unbound role
//! variable there is bound by `(role ?r)`. Before all that, a variable that stands in one `not` alone
//! is taken out of its rule (`local.rs`).
//!
//! A truly unsafe recursion would unfold for ever, and some calls multiply: the rules and the
//! conditions that are made are bounded in number, and a sheet beyond the bound is refused, so that
//! whatever comes out is safe. Cost: linear where all rules are safe; else that and the rules that are made.

use index::IdSet;

use crate::local::close_denials;
use crate::names::fold;
use crate::normal::tidy;
use crate::pool::{Pool, Signature};
use crate::tree::{TokenKind, Tokens};
use crate::unfold::{Growth, Unfolding};
use crate::unify::TooLarge;
use crate::{
    Atom, Diagnostic, Literal, ReadOptions, Rule, Severity, Span, SymbolId, Symbols, Term, VarId,
    keyword, strata,
};

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
    /// Whether the rule has no condition at all.
    is_fact: bool,
    /// Whether a `not` of the rule speaks of it, and the head does not.
    is_denied: bool,
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
    mut rules: Vec<Rule>,
    symbols: &mut Symbols,
    options: &ReadOptions,
    faults: &mut Vec<Diagnostic>,
) -> Vec<Rule> {
    if !options.strict {
        close_denials(text, &mut rules, symbols, faults);
    }
    if rules.iter().all(|rule| unbound(rule).is_empty()) {
        return rules;
    }
    let mut securing = Securing { text, symbols, options, faults, helpers: 0 };
    let rules = securing.bind_roles(rules);
    let pool = securing.describe(rules);
    let rules = securing.unfold_all(pool);
    let refused = faults.iter().any(Diagnostic::is_error);
    debug_assert!(refused || rules.iter().all(|rule| unbound(rule).is_empty()));
    rules
}

struct Securing<'a> {
    text: &'a str,
    symbols: &'a mut Symbols,
    options: &'a ReadOptions,
    faults: &'a mut Vec<Diagnostic>,
    helpers: usize,
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
    fn bind_roles(&mut self, mut rules: Vec<Rule>) -> Vec<Rule> {
        let about = [keyword::LEGAL, keyword::GOAL, keyword::SEES, keyword::INPUT];
        for rule in rules.iter_mut().filter(|rule| about.contains(&rule.head.relation)) {
            let Term::Variable(role) = rule.head.args[0] else { continue };
            if !unbound(rule).contains(role) {
                continue;
            }
            let origin = self.origin(rule, role);
            let args = [Term::Variable(role)].into();
            let bound = Atom { relation: keyword::ROLE, args, span: rule.head.span };
            rule.body.push(Literal::Positive(bound));
            let message = format!("`{}` is bound by no condition of its rule", origin.name);
            self.faults.push(
                Diagnostic::of_severity(self.severity(), self.code(), message)
                    .label(origin.variable, "taken for any role")
                    .note(format!("add the condition (role {})", origin.name)),
            );
        }
        rules
    }

    /// Tells of each unsafe rule, and leaves out those that no caller can help.
    fn describe(&mut self, rules: Vec<Rule>) -> Pool {
        let mut pool = Pool::default();
        for rule in rules {
            let open = unbound(&rule);
            if let Some(first) = open.iter().next() {
                if is_helpless(&rule, &open) {
                    self.refuse(&rule, &open);
                    continue;
                }
                let origin = self.origin(&rule, first);
                self.faults.push(self.rescue(&origin));
            }
            pool.add(Item { rule, origin: None });
        }
        pool
    }

    /// Refuses the variables of a rule that no caller can bind.
    fn refuse(&mut self, rule: &Rule, open: &IdSet<VarId>) {
        let mut head = IdSet::new();
        if is_callable(rule) {
            rule.head.collect_variables(&mut head);
        }
        for variable in open.iter().filter(|variable| !head.contains(*variable)) {
            let origin = self.origin(rule, variable);
            self.faults.push(self.refusal(&origin));
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
            is_fact: rule.body.is_empty(),
            is_denied: is_denied(rule, variable),
        }
    }

    fn refusal(&self, origin: &Origin) -> Diagnostic {
        let name = &origin.name;
        debug_assert!(name.starts_with('?'));
        let message = format!("unsafe variable `{name}`: no positive condition binds it");
        let mut fault = Diagnostic::error("unsafe-variable", message)
            .label(origin.variable, "could be anything");
        if let Some(call) = origin.call {
            fault = fault.label(call, "and this condition does not bind it either");
        }
        let relation = self.symbols.name(self.symbols.written(origin.relation));
        if origin.is_fact {
            return fault.note(format!(
                "this is a fact, and facts have no variables; for a rule write (<= ({relation} ...) CONDITION ...)"
            ));
        }
        let fault = fault.note(format!(
            "add a condition to the rule for `{relation}` that says what `{name}` may be"
        ));
        if !origin.is_denied {
            return fault;
        }
        fault.note(format!(
            "if `(not ...)` means that there is no {name} at all, name that by a helper relation \
             without {name}, and deny the helper"
        ))
    }

    fn rescue(&self, origin: &Origin) -> Diagnostic {
        let name = &origin.name;
        let relation = self.symbols.name(self.symbols.written(origin.relation));
        let message =
            format!("the rule for `{relation}` is safe only where its callers bind `{name}`");
        Diagnostic::of_severity(self.severity(), self.code(), message)
            .label(origin.variable, "bound by no condition of its own rule")
            .note(if origin.is_fact {
                format!(
                    "facts have no variables; for a rule write (<= ({relation} ...) CONDITION ...)"
                )
            } else {
                format!("add a condition that says what `{name}` may be")
            })
            .note("GDL asks for rules that are safe by themselves: other readers may refuse this")
    }

    /// Unfolds until all rules are safe, or one is lost, or too many are made.
    fn unfold_all(&mut self, mut pool: Pool) -> Vec<Rule> {
        let mut growth = Growth::LIMIT;
        while let Some(target) = pool.next_open() {
            let open = pool.take_open(target);
            if open.is_empty() {
                // They called a relation that was unfolded before, and were rewritten with it.
                continue;
            }
            let open: Vec<Item> = open.into_iter().map(|item| self.with_origin(item)).collect();
            let Ok(made) = self.unfold(target, &open, &mut pool, &mut growth) else {
                self.give_up(target, &open);
                break;
            };
            assert!(made.len() <= growth.rules, "more rules were made than allowed");
            growth.rules -= made.len();
            if !self.judge(&made) {
                break;
            }
            made.into_iter().for_each(|item| pool.add(item));
        }
        let rules = pool.into_rules();
        if !self.faults.iter().any(Diagnostic::is_error) && !strata::is_stratified(rules.iter()) {
            self.refuse_rescued();
        }
        rules
    }

    /// What becomes of the callers of a relation, which are taken out of the pool.
    fn unfold(
        &mut self,
        target: Signature,
        open: &[Item],
        pool: &mut Pool,
        growth: &mut Growth,
    ) -> Result<Vec<Item>, TooLarge> {
        let remains = pool.has_safe(target);
        let callers = pool.take_callers(target);
        let mut unfolding =
            Unfolding::new(target, open, remains, self.symbols, &mut self.helpers, growth);
        callers.iter().try_for_each(|item| unfolding.rewrite(item))?;
        let mut made = Vec::with_capacity(unfolding.made.len());
        for item in unfolding.made {
            if let Some(rule) = tidy(item.rule)? {
                made.push(Item { rule, origin: item.origin });
            }
        }
        Ok(made)
    }

    fn with_origin(&self, item: Item) -> Item {
        let Some(first) = unbound(&item.rule).iter().next() else { return item };
        let origin = item.origin.unwrap_or_else(|| self.origin(&item.rule, first));
        Item { rule: item.rule, origin: Some(origin) }
    }

    /// Refuses rules that became unsafe and that no caller can help; `false` where there are some.
    fn judge(&mut self, made: &[Item]) -> bool {
        let mut fine = true;
        for item in made {
            let open = unbound(&item.rule);
            let Some(first) = open.iter().next() else { continue };
            if is_helpless(&item.rule, &open) {
                fine = false;
                let origin = item.origin.clone().unwrap_or_else(|| self.origin(&item.rule, first));
                self.faults.push(self.refusal(&origin));
            }
        }
        fine
    }

    /// Making the rules safe would put negation into a recursion: the warnings become errors.
    fn refuse_rescued(&mut self) {
        for fault in self.faults.iter_mut().filter(|fault| fault.code == "unsafe-rule") {
            fault.severity = Severity::Error;
            fault.code = "unsafe-variable";
        }
    }

    fn give_up(&mut self, target: Signature, open: &[Item]) {
        let name = self.symbols.name(self.symbols.written(target.0));
        let message = format!("the rules for `{name}` cannot be made safe by their callers");
        let place = open.iter().find_map(|item| item.origin.as_ref());
        let place = place.map_or(Span::default(), |origin| origin.variable);
        let Growth { rules, literals } = Growth::LIMIT;
        self.faults.push(
            Diagnostic::error("unsafe-variable", message)
                .label(place, "bound by no condition of its own rule")
                .note(format!(
                    "that would take more than {rules} rules or {literals} conditions, or never end"
                ))
                .note("add a condition to the rule that says what the variable may be"),
        );
    }
}

/// Whether a negative condition speaks of the variable, and the head does not.
fn is_denied(rule: &Rule, variable: VarId) -> bool {
    let (mut head, mut denied) = (IdSet::new(), IdSet::new());
    rule.head.collect_variables(&mut head);
    let negative = rule.body.iter().filter(|literal| matches!(literal, Literal::Negative(_)));
    negative.for_each(|literal| literal.collect_variables(&mut denied));
    denied.contains(variable) && !head.contains(variable)
}

/// Whether callers may stand in for a missing condition of this relation.
fn is_callable(rule: &Rule) -> bool {
    !rule.head.relation.is_keyword()
}

/// Whether some unbound variable cannot come from a caller.
fn is_helpless(rule: &Rule, open: &IdSet<VarId>) -> bool {
    let mut head = IdSet::new();
    rule.head.collect_variables(&mut head);
    !is_callable(rule) || open.iter().any(|variable| !head.contains(variable))
}

impl Origin {
    /// The same, for a rule that it was put into at this call.
    pub(crate) fn called_at(&self, call: Span) -> Self {
        Self { call: Some(call), ..self.clone() }
    }
}
