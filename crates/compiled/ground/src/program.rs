//! The rulebook as a program over relations: rules with patterns, without what no output needs.
//!
//! Always: a relation is a name with an arity, or an auxiliary relation without a name; the
//! relations that GDL gives a meaning to sit at fixed ids. `next` fills the store of `true`, and
//! `does` reads the store of `legal`: that is the relaxation. Only rules from which `next`,
//! `legal`, `goal`, `terminal` or `init` can be reached are kept, so declarations of `base` and
//! `input` (never needed here: reachability is tighter) and `sees` cost nothing.

use gdl::{Literal, Rulebook, Span, SymbolId, Term, keyword};
use index::{Id, IdSet, IndexVec};
use rustc_hash::FxHashMap;

use crate::fault::GroundFault;
use crate::pattern::{Pattern, distinct_variables};
use crate::terms::TermTable;

index::typed_id!(
    /// A relation: a name with an arity, or an auxiliary one.
    pub(crate) struct RelationId, "q"
);

/// The relations at fixed ids, with their arities, in this order.
const KNOWN: [(SymbolId, usize); 8] = [
    (keyword::TRUE, 1),
    (keyword::NEXT, 1),
    (keyword::DOES, 2),
    (keyword::LEGAL, 2),
    (keyword::INIT, 1),
    (keyword::GOAL, 2),
    (keyword::TERMINAL, 0),
    (keyword::ROLE, 1),
];

/// Names with arities.
pub(crate) struct Relations {
    arities: IndexVec<RelationId, usize>,
    ids: FxHashMap<(SymbolId, usize), RelationId>,
}

macro_rules! known {
    ($($name:ident $position:literal),*) => {
        $(pub(crate) fn $name() -> RelationId { RelationId::from_index($position) })*
    };
}

impl Relations {
    known!(truth 0, next 1, does 2, legal 3, init 4, goal 5, terminal 6, role 7);

    fn new() -> Self {
        let mut relations = Self { arities: IndexVec::new(), ids: FxHashMap::default() };
        for (symbol, arity) in KNOWN {
            relations.named(symbol, arity);
        }
        relations
    }

    fn named(&mut self, symbol: SymbolId, arity: usize) -> RelationId {
        let arities = &mut self.arities;
        *self.ids.entry((symbol, arity)).or_insert_with(|| arities.push(arity))
    }

    /// A relation of no name.
    pub(crate) fn auxiliary(&mut self, arity: usize) -> RelationId {
        self.arities.push(arity)
    }

    pub(crate) fn len(&self) -> usize {
        self.arities.len()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = RelationId> + use<> {
        self.arities.ids()
    }

    pub(crate) fn arity(&self, relation: RelationId) -> usize {
        self.arities[relation]
    }

    /// Where the tuples of a relation are kept.
    pub(crate) fn store(relation: RelationId) -> RelationId {
        match relation {
            next if next == Self::next() => Self::truth(),
            does if does == Self::does() => Self::legal(),
            other => other,
        }
    }
}

/// Most positive conditions of a rule: a join is as deep as it has conditions.
const LONGEST_BODY: usize = 1000;

/// A relation with argument patterns.
#[derive(Clone, Debug)]
pub(crate) struct PatternAtom {
    pub(crate) relation: RelationId,
    pub(crate) args: Box<[Pattern]>,
}

impl PatternAtom {
    pub(crate) fn variables(&self) -> Vec<u32> {
        distinct_variables(&self.args)
    }
}

/// A rule over patterns.
#[derive(Clone, Debug)]
pub(crate) struct PatternRule {
    pub(crate) head: PatternAtom,
    pub(crate) positive: Vec<PatternAtom>,
    pub(crate) negative: Vec<PatternAtom>,
    pub(crate) distinct: Vec<[Pattern; 2]>,
    /// Number of variable numbers in use.
    pub(crate) variables: usize,
    pub(crate) span: Span,
}

/// The rules that outputs need.
pub(crate) struct Program {
    pub(crate) relations: Relations,
    pub(crate) rules: Vec<PatternRule>,
}

impl Program {
    /// Reads the rulebook's rules.
    pub(crate) fn of(rulebook: &Rulebook, table: &mut TermTable) -> Result<Self, GroundFault> {
        let mut relations = Relations::new();
        let mut rules = Vec::with_capacity(rulebook.rules.len());
        for rule in &rulebook.rules {
            let rule = pattern_rule(rule, &mut relations, table);
            refuse_odd(&rule, rulebook)?;
            rules.push(rule);
        }
        let needed = needed_relations(&rules, &relations);
        rules.retain(|rule| needed.contains(rule.head.relation));
        Ok(Self { relations, rules })
    }
}

fn pattern_atom(atom: &gdl::Atom, relations: &mut Relations, table: &mut TermTable) -> PatternAtom {
    let args = atom.args.iter().map(|arg: &Term| Pattern::of_term(arg, table)).collect();
    PatternAtom { relation: relations.named(atom.relation, atom.args.len()), args }
}

fn pattern_rule(rule: &gdl::Rule, relations: &mut Relations, table: &mut TermTable) -> PatternRule {
    let head = pattern_atom(&rule.head, relations, table);
    let (mut positive, mut negative, mut distinct) = (Vec::new(), Vec::new(), Vec::new());
    for literal in &rule.body {
        match literal {
            Literal::Positive(atom) => positive.push(pattern_atom(atom, relations, table)),
            Literal::Negative(atom) => negative.push(pattern_atom(atom, relations, table)),
            Literal::Distinct(a, b, _) => {
                distinct.push([Pattern::of_term(a, table), Pattern::of_term(b, table)]);
            }
        }
    }
    let variables = rule.variables.len();
    PatternRule { head, positive, negative, distinct, variables, span: rule.span }
}

/// What the rulebook's invariants exclude, checked again because a wrong answer hangs on it.
fn refuse_odd(rule: &PatternRule, rulebook: &Rulebook) -> Result<(), GroundFault> {
    let fault = |code, message: &str| Err(GroundFault::new(code, Some(rule.span), message));
    let mut body = rule.positive.iter().chain(&rule.negative);
    if [Relations::truth(), Relations::does()].contains(&rule.head.relation) {
        return fault("state-in-head", "`true` and `does` cannot be concluded by a rule");
    }
    if body.any(|atom| atom.relation == Relations::next()) {
        return fault("next-in-body", "`next` cannot be a condition of a rule");
    }
    if rule.positive.len() > LONGEST_BODY {
        let message = format!("this rule has more than {LONGEST_BODY} positive conditions");
        return fault("long-rule", &message);
    }
    let mut bound = IdSet::<VarNumber>::new();
    for atom in &rule.positive {
        bound.extend_with(&atom.args);
    }
    let free = free_variable(rule, &bound);
    match free {
        None => Ok(()),
        Some(variable) => {
            let name = rulebook
                .rules
                .iter()
                .find(|held| held.span == rule.span)
                .and_then(|held| held.variables.get(gdl::VarId::from_index(variable as usize)))
                .map_or_else(|| variable.to_string(), ToString::to_string);
            let message = format!("the variable ?{name} stands in no positive condition");
            fault("unsafe-variable", &message)
        }
    }
}

index::typed_id!(
    /// A variable number of a rule.
    pub(crate) struct VarNumber, "v"
);

/// Sets of variable numbers filled from patterns.
pub(crate) trait VariableSet {
    fn extend_with(&mut self, patterns: &[Pattern]);
    fn has(&self, variable: u32) -> bool;
}

impl VariableSet for IdSet<VarNumber> {
    fn extend_with(&mut self, patterns: &[Pattern]) {
        for pattern in patterns {
            pattern.variables(&mut |variable| {
                self.insert(VarNumber::from_index(variable as usize));
            });
        }
    }

    fn has(&self, variable: u32) -> bool {
        self.contains(VarNumber::from_index(variable as usize))
    }
}

fn free_variable(rule: &PatternRule, bound: &IdSet<VarNumber>) -> Option<u32> {
    let mut used = distinct_variables(&rule.head.args);
    used.extend(rule.negative.iter().flat_map(PatternAtom::variables));
    used.extend(rule.distinct.iter().flat_map(|pair| distinct_variables(pair)));
    used.into_iter().find(|&variable| !bound.has(variable))
}

/// Relations from which an output can be reached through rules.
fn needed_relations(rules: &[PatternRule], relations: &Relations) -> IdSet<RelationId> {
    let mut rules_of: IndexVec<RelationId, Vec<usize>> =
        IndexVec::filled(Vec::new(), relations.len());
    for (position, rule) in rules.iter().enumerate() {
        rules_of[rule.head.relation].push(position);
    }
    let mut needed = IdSet::new();
    let mut open = vec![
        Relations::next(),
        Relations::legal(),
        Relations::goal(),
        Relations::terminal(),
        Relations::init(),
        Relations::role(),
    ];
    while let Some(relation) = open.pop() {
        if needed.insert(relation) {
            let bodies = rules_of[relation].iter().map(|&position| &rules[position]);
            let atoms = bodies.flat_map(|rule| rule.positive.iter().chain(&rule.negative));
            open.extend(atoms.map(|atom| atom.relation));
        }
    }
    needed
}
