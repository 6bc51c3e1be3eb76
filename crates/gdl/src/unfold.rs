//! Puts the unsafe rules of one relation in place of the conditions that call it.
//!
//! A rule that calls the relation becomes one rule for each way to answer its calls: by the safe
//! rules, which stay behind the relation's name, or by one of the unsafe ones, whose body is put
//! in. A negative call cannot be answered so, because a body has variables of its own; there the
//! unsafe rules are copied into a new relation over the variables of the call, bound by the
//! caller's own positive conditions, and the caller denies that as well.
//!
//! The meaning stays: the relation, restricted to arguments that some caller binds, is the same.

use index::IdSet;

use crate::pool::Signature;
use crate::safety::{Item, Origin};
use crate::unify::{Substitution, TooLarge, raised};
use crate::{Atom, Literal, Rule, Span, Symbols, Term, VarId};

/// What unfolding may still make of a sheet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    pub(crate) rules: usize,
    /// Literals of all bodies that are made on the way: where two calls stand in each of a chain of
    /// rules, bodies double from rule to rule.
    pub(crate) literals: usize,
}

impl Growth {
    /// What every sheet may.
    pub(crate) const LIMIT: Self = Self { rules: 4096, literals: 20_000 };
}

/// The unfolding of one relation.
pub(crate) struct Unfolding<'a> {
    target: Signature,
    /// The unsafe rules.
    open: &'a [Item],
    /// Whether safe rules of the relation remain.
    remains: bool,
    symbols: &'a mut Symbols,
    /// The last number given to a new relation.
    helpers: &'a mut usize,
    growth: &'a mut Growth,
    pub(crate) made: Vec<Item>,
}

/// A rule whose literals from `next` on are still to be looked at.
struct Partial {
    item: Item,
    next: usize,
    /// Bodies that were put into it.
    depth: usize,
}

/// Bodies that are put into one rule, at most: an unsafe recursion has no end.
const DEPTH_LIMIT: usize = 300;

impl<'a> Unfolding<'a> {
    pub(crate) fn new(
        target: Signature,
        open: &'a [Item],
        remains: bool,
        symbols: &'a mut Symbols,
        helpers: &'a mut usize,
        growth: &'a mut Growth,
    ) -> Self {
        assert!(!open.is_empty(), "nothing to unfold");
        Self { target, open, remains, symbols, helpers, growth, made: Vec::new() }
    }

    /// Adds what becomes of a rule that calls the relation.
    pub(crate) fn rewrite(&mut self, item: &Item) -> Result<(), TooLarge> {
        let mut queue = vec![Partial { item: item.clone(), next: 0, depth: 0 }];
        while let Some(partial) = queue.pop() {
            if self.made.len() + queue.len() >= self.growth.rules || partial.depth > DEPTH_LIMIT {
                return Err(TooLarge);
            }
            match partial.item.rule.body.get(partial.next).cloned() {
                None => self.made.push(partial.item),
                Some(Literal::Positive(call)) if call.signature() == self.target => {
                    self.answer(&partial, &call, &mut queue)?;
                }
                Some(Literal::Negative(call)) if call.signature() == self.target => {
                    self.deny(partial, &call, &mut queue)?;
                }
                Some(_) => queue.push(Partial { next: partial.next + 1, ..partial }),
            }
        }
        Ok(())
    }

    fn answer(
        &mut self,
        partial: &Partial,
        call: &Atom,
        queue: &mut Vec<Partial>,
    ) -> Result<(), TooLarge> {
        for open in self.open {
            if let Some(rule) = put_in(&partial.item.rule, partial.next, &open.rule)? {
                self.grow(&rule)?;
                let item = Item { rule, origin: origin_of(partial, open, call.span) };
                // The body that was put in may call the relation again.
                queue.push(Partial { item, next: partial.next, depth: partial.depth + 1 });
            }
        }
        if self.remains {
            let item = partial.item.clone();
            queue.push(Partial { item, next: partial.next + 1, depth: partial.depth });
        }
        Ok(())
    }

    /// Counts a body that was made.
    fn grow(&mut self, rule: &Rule) -> Result<(), TooLarge> {
        let left = self.growth.literals.checked_sub(rule.body.len());
        self.growth.literals = left.ok_or(TooLarge)?;
        Ok(())
    }

    /// Denies the unsafe rules by a relation of their own.
    fn deny(
        &mut self,
        mut partial: Partial,
        call: &Atom,
        queue: &mut Vec<Partial>,
    ) -> Result<(), TooLarge> {
        let mut over = IdSet::new();
        call.collect_variables(&mut over);
        let args: Box<[Term]> = over.iter().map(Term::Variable).collect();
        let relation = self.symbols.unused(self.target.0, self.helpers);
        let helper = Atom { relation, args, span: call.span };
        let context = binders(&partial.item.rule, &over, self.target);
        debug_assert!(context.len() <= partial.item.rule.body.len());
        for open in self.open {
            let mut body = context.clone();
            body.push(Literal::Positive(call.clone()));
            let caller = Rule { head: helper.clone(), body, ..partial.item.rule.clone() };
            if let Some(rule) = put_in(&caller, context.len(), &open.rule)? {
                self.grow(&rule)?;
                let item = Item { rule, origin: origin_of(&partial, open, call.span) };
                queue.push(Partial { item, next: context.len(), depth: partial.depth + 1 });
            }
        }
        let body = &mut partial.item.rule.body;
        if self.remains {
            body.insert(partial.next + 1, Literal::Negative(helper));
            partial.next += 2;
        } else {
            body[partial.next] = Literal::Negative(helper);
            partial.next += 1;
        }
        queue.push(partial);
        Ok(())
    }
}

fn origin_of(partial: &Partial, open: &Item, call: Span) -> Option<Origin> {
    let origin = open.origin.as_ref().or(partial.item.origin.as_ref());
    origin.map(|origin| origin.called_at(call))
}

/// Positive literals of the caller that bind variables of `over`, as few as a greedy pick finds.
fn binders(rule: &Rule, over: &IdSet<VarId>, target: Signature) -> Vec<Literal> {
    let mut missing = over.clone();
    let mut picked = Vec::new();
    for literal in &rule.body {
        let Literal::Positive(atom) = literal else { continue };
        let mut binds = IdSet::new();
        atom.collect_variables(&mut binds);
        let helps = binds.iter().any(|variable| missing.contains(variable));
        if helps && atom.signature() != target {
            binds.iter().for_each(|variable| {
                missing.remove(variable);
            });
            picked.push(literal.clone());
        }
    }
    picked
}

/// The caller with the body of `callee` in place of its literal `at`; nothing where the call does
/// not match the head.
pub(crate) fn put_in(caller: &Rule, at: usize, callee: &Rule) -> Result<Option<Rule>, TooLarge> {
    let offset = caller.variables.len();
    let Some(call) = caller.body[at].atom() else { unreachable!("a call is an atom") };
    debug_assert_eq!(call.signature(), callee.head.signature());
    let mut equal = Substitution::new(offset + callee.variables.len());
    for (mine, theirs) in call.args.iter().zip(&callee.head.args) {
        if !equal.unify(&raised(theirs, offset), mine)? {
            return Ok(None);
        }
    }
    let mut body = Vec::with_capacity(caller.body.len() + callee.body.len());
    for (index, literal) in caller.body.iter().enumerate() {
        if index != at {
            body.push(equal.literal(literal)?);
            continue;
        }
        for inner in &callee.body {
            body.push(equal.literal(&raise_literal(inner, offset, call.span))?);
        }
    }
    let head = equal.atom(&caller.head)?;
    let names = caller.variables.iter().chain(&callee.variables).cloned();
    Ok(Some(Rule { head, body, variables: names.collect(), span: caller.span }))
}

fn raise_literal(literal: &Literal, offset: usize, span: Span) -> Literal {
    let args = |atom: &Atom| -> Atom {
        let args = atom.args.iter().map(|arg| raised(arg, offset)).collect();
        Atom { relation: atom.relation, args, span: atom.span }
    };
    match literal {
        Literal::Positive(atom) => Literal::Positive(args(atom)),
        Literal::Negative(atom) => Literal::Negative(args(atom)),
        Literal::Distinct(left, right, _) => {
            Literal::Distinct(raised(left, offset), raised(right, offset), span)
        }
    }
}
