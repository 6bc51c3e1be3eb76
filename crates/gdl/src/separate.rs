//! Negation that goes round a relation but never comes back to the same atom.
//!
//! Many sheets say `(<= (goal ?r 0) (not (goal ?r 100)))`: by relations `goal` depends on its own
//! negation, by atoms it does not. Here each call of a relation on such a cycle gets a relation of
//! its own for the pattern of its arguments (constants kept, variables numbered by first place),
//! with the rules that match. If the copies are free of the cycle, they replace the calls: a copy
//! holds exactly where the relation holds on that pattern. If not, or if the patterns do not come
//! to an end, the sheet is refused. The copies are only for calls; the relation itself stays.

use index::{Id, IdSet};
use rustc_hash::FxHashMap;

use crate::normal::tidy;
use crate::relations::{RelationId, Relations};
use crate::unfold::put_in;
use crate::unify::TooLarge;
use crate::{Atom, Literal, Rule, SymbolId, Symbols, Term, VarId, strata};

/// Patterns that are told apart, at most.
const PATTERN_LIMIT: usize = 400;

/// A call with its variables numbered by their first place.
type Pattern = ((SymbolId, usize), Box<[Term]>);

/// The same game without negation through recursion, if that can be had by telling calls apart.
pub(crate) fn separate(rules: &[Rule], symbols: &mut Symbols) -> Option<Vec<Rule>> {
    let cyclic = cyclic_relations(rules);
    let mut separating = Separating {
        rules,
        cyclic,
        symbols,
        copies: FxHashMap::default(),
        waiting: Vec::new(),
        helpers: 0,
        made: Vec::new(),
    };
    let made = separating.run().ok()??;
    debug_assert!(made.len() >= rules.len());
    strata::is_stratified(&made).then_some(made)
}

/// Relations in a component with negation inside.
fn cyclic_relations(rules: &[Rule]) -> Vec<(SymbolId, usize)> {
    let relations = Relations::of(rules);
    let components = relations.components();
    let place = relations.component_of(&components);
    let broken = |members: &&Vec<RelationId>| {
        members.iter().any(|&head| {
            let mut needs = relations.needs(head).iter();
            needs.any(|need| need.negative && place[need.needed] == place[head])
        })
    };
    let members = components.iter().filter(broken).flatten();
    members.map(|&id| relations.signature(id)).collect()
}

struct Separating<'a> {
    rules: &'a [Rule],
    cyclic: Vec<(SymbolId, usize)>,
    symbols: &'a mut Symbols,
    /// The relation that stands for each pattern.
    copies: FxHashMap<Pattern, SymbolId>,
    /// Patterns whose rules are still to be made.
    waiting: Vec<(Pattern, SymbolId)>,
    helpers: usize,
    made: Vec<Rule>,
}

impl Separating<'_> {
    /// All rules, or nothing where the patterns come to no end.
    fn run(&mut self) -> Result<Option<Vec<Rule>>, TooLarge> {
        for rule in self.rules {
            let rule = if self.is_cyclic(rule.head.signature()) {
                self.rewrite(rule.clone())
            } else {
                rule.clone()
            };
            self.made.push(rule);
        }
        while let Some((pattern, copy)) = self.waiting.pop() {
            if self.copies.len() > PATTERN_LIMIT {
                return Ok(None);
            }
            self.define(&pattern, copy)?;
        }
        Ok(Some(std::mem::take(&mut self.made)))
    }

    fn is_cyclic(&self, relation: (SymbolId, usize)) -> bool {
        self.cyclic.contains(&relation)
    }

    /// The rule with each call of a cyclic relation replaced.
    fn rewrite(&mut self, mut rule: Rule) -> Rule {
        for literal in &mut rule.body {
            let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
            if self.is_cyclic(atom.signature()) {
                *atom = self.copy_call(atom);
            }
        }
        rule
    }

    fn copy_call(&mut self, call: &Atom) -> Atom {
        let mut order: Vec<VarId> = Vec::new();
        let args = call.args.iter().map(|arg| numbered(arg, &mut order)).collect();
        let pattern = (call.signature(), args);
        let relation = match self.copies.get(&pattern) {
            Some(&copy) => copy,
            None => self.add(pattern),
        };
        let args = order.into_iter().map(Term::Variable).collect();
        Atom { relation, args, span: call.span }
    }

    fn add(&mut self, pattern: Pattern) -> SymbolId {
        let copy = self.symbols.unused(pattern.0.0, &mut self.helpers);
        let before = self.copies.insert(pattern.clone(), copy);
        assert!(before.is_none(), "a pattern with two copies");
        self.waiting.push((pattern, copy));
        copy
    }

    /// Makes the rules of a copy.
    fn define(&mut self, pattern: &Pattern, copy: SymbolId) -> Result<(), TooLarge> {
        let ((relation, _), args) = pattern;
        let mut over = IdSet::new();
        args.iter().for_each(|arg| arg.collect_variables(&mut over));
        debug_assert!(over.iter().map(Id::index).eq(0..over.len()), "numbers without a gap");
        let matching = self.rules.iter().filter(|rule| rule.head.signature() == pattern.0);
        let mut made = Vec::new();
        for rule in matching {
            let span = rule.head.span;
            let head =
                Atom { relation: copy, args: over.iter().map(Term::Variable).collect(), span };
            let call = Atom { relation: *relation, args: args.clone(), span };
            let caller = Rule {
                head,
                body: vec![Literal::Positive(call)],
                variables: over.iter().map(|id| format!("arg{}", id.index()).into()).collect(),
                span: rule.span,
            };
            if let Some(rule) = put_in(&caller, 0, rule)? {
                made.extend(tidy(rule)?);
            }
        }
        for rule in made {
            let rule = self.rewrite(rule);
            self.made.push(rule);
        }
        Ok(())
    }
}

/// The term with variables numbered in the order in which they are met.
fn numbered(term: &Term, order: &mut Vec<VarId>) -> Term {
    match term {
        Term::Variable(variable) => {
            let known = order.iter().position(|other| other == variable);
            let index = known.unwrap_or_else(|| {
                order.push(*variable);
                order.len() - 1
            });
            Term::Variable(VarId::from_index(index))
        }
        Term::Constant(name) => Term::Constant(*name),
        Term::Compound(function, args) => {
            Term::Compound(*function, args.iter().map(|arg| numbered(arg, order)).collect())
        }
    }
}
