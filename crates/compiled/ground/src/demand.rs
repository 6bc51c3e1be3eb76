//! Demand: rules of helpers restricted to what somebody asks for.
//!
//! Authors write helpers to be called: `(count ?x ?y ?z ?p)` may hold for a hundred thousand
//! tuples of which the rules ask for ten. Here each helper gets a relation of the arguments that
//! its callers bind, filled by rules of the callers' conditions to its left, and each of its rules
//! gets that relation as a condition. Positions count as bound where every caller binds them.
//!
//! Always: a helper's atom that an instance consults is demanded, so it is in the restricted model
//! exactly when it is in the full one; demand only narrows, and never appears in a ground rule.
//! Negation stays exact: relations that cannot change and are negated, with all that they rest on,
//! are computed in full beforehand. Because demand may cost more than it saves (a product of
//! callers' conditions for a small helper), it is tried only where plain evaluation turned out
//! long.
//! Source: magic sets, Bancilhon, Maier, Sagiv and Ullman (1986).

use index::{IdSet, IndexVec};

use crate::fault::GroundFault;
use crate::pattern::distinct_variables;
use crate::program::{
    PatternAtom, PatternRule, Program, RelationId, Relations, VarNumber, VariableSet,
};
use crate::strata::Strata;

/// Restricts the program's helpers; the relations of demanded arguments.
pub(crate) fn restrict(program: &mut Program) -> Result<IdSet<RelationId>, GroundFault> {
    let strata = Strata::of_program(program, &IdSet::new())?;
    let full = full_relations(program, &strata);
    let bound = bound_positions(program, &full);
    let mut demands = IdSet::new();
    let mut demand_of = IndexVec::filled(None, program.relations.len());
    for (relation, positions) in bound.enumerate() {
        if let Some(positions) = positions.as_ref().filter(|held| !held.is_empty()) {
            let demand = program.relations.auxiliary(positions.len());
            demands.insert(demand);
            demand_of[relation] = Some((demand, positions.as_slice()));
        }
    }
    let mut fresh = Vec::new();
    for rule in &mut program.rules {
        if let Some(asked) = demand_atom(&rule.head, &demand_of) {
            rule.positive.insert(0, asked);
        }
        add_demands(rule, &demand_of, &mut fresh);
    }
    program.rules.extend(fresh);
    Ok(demands)
}

type DemandOf<'a> = IndexVec<RelationId, Option<(RelationId, &'a [usize])>>;

/// The demand for this atom.
fn demand_atom(atom: &PatternAtom, demand_of: &DemandOf<'_>) -> Option<PatternAtom> {
    let &(relation, positions) = demand_of.get(atom.relation)?.as_ref()?;
    let args = positions.iter().map(|&position| atom.args[position].clone()).collect();
    Some(PatternAtom { relation, args })
}

/// Rules that fill the demands of a rule's body.
fn add_demands(rule: &PatternRule, demand_of: &DemandOf<'_>, fresh: &mut Vec<PatternRule>) {
    for (position, atom) in rule.positive.iter().enumerate() {
        fresh.extend(demand_rule(rule, atom, position, demand_of));
    }
    for atom in &rule.negative {
        fresh.extend(demand_rule(rule, atom, rule.positive.len(), demand_of));
    }
}

/// The demand for an atom, from the positive conditions before it.
fn demand_rule(
    rule: &PatternRule,
    atom: &PatternAtom,
    before: usize,
    demand_of: &DemandOf<'_>,
) -> Option<PatternRule> {
    let head = demand_atom(atom, demand_of)?;
    let positive = rule.positive[..before].to_vec();
    let repeats =
        positive.iter().any(|held| held.relation == head.relation && held.args == head.args);
    let mut bound = IdSet::<VarNumber>::new();
    positive.iter().for_each(|held| bound.extend_with(&held.args));
    debug_assert!(head.variables().iter().all(|&v| bound.has(v)), "an unbound demand");
    let ready = |pair: &&[crate::pattern::Pattern; 2]| {
        distinct_variables(*pair).iter().all(|&variable| bound.has(variable))
    };
    let distinct = rule.distinct.iter().filter(ready).cloned().collect();
    let (variables, span) = (rule.variables, rule.span);
    (!repeats).then_some(PatternRule {
        head,
        positive,
        negative: Vec::new(),
        distinct,
        variables,
        span,
    })
}

/// Relations that do not change and are negated, with all that they rest on; and what `init` and
/// `role` rest on.
fn full_relations(program: &Program, strata: &Strata) -> IdSet<RelationId> {
    let mut full = IdSet::new();
    let mut open = vec![Relations::init(), Relations::role()];
    open.extend(program.rules.iter().flat_map(|rule| &rule.negative).map(|atom| atom.relation));
    open.retain(|&relation| !strata.changes(relation));
    while let Some(relation) = open.pop() {
        if full.insert(relation) {
            let rules = program.rules.iter().filter(|rule| rule.head.relation == relation);
            let bodies = rules.flat_map(|rule| rule.positive.iter().chain(&rule.negative));
            open.extend(bodies.map(|atom| atom.relation));
        }
    }
    debug_assert!(full.iter().all(|relation| !strata.changes(relation)));
    full
}

type Positions = IndexVec<RelationId, Option<Vec<usize>>>;

/// The argument positions that every caller binds; none for relations that are not restricted.
fn bound_positions(program: &Program, full: &IdSet<RelationId>) -> Positions {
    let known = [
        Relations::truth(),
        Relations::next(),
        Relations::does(),
        Relations::legal(),
        Relations::init(),
        Relations::goal(),
        Relations::terminal(),
        Relations::role(),
    ];
    let mut bound: Positions = program
        .relations
        .ids()
        .map(|q| {
            let restricted = !known.contains(&q) && !full.contains(q) && has_conditions(program, q);
            restricted.then(|| (0..program.relations.arity(q)).collect())
        })
        .collect();
    while program.rules.iter().any(|rule| narrow(rule, &mut bound)) {}
    bound
}

/// Whether some rule of the relation has a body; facts are cheap as they are.
fn has_conditions(program: &Program, relation: RelationId) -> bool {
    program.rules.iter().any(|rule| rule.head.relation == relation && !rule.positive.is_empty())
}

/// Takes out the positions that this rule leaves unbound; whether there were any.
fn narrow(rule: &PatternRule, bound: &mut Positions) -> bool {
    let mut narrowed = false;
    let mut known = IdSet::<VarNumber>::new();
    if let Some(positions) = &bound[rule.head.relation] {
        let args: Vec<_> = positions.iter().map(|&at| rule.head.args[at].clone()).collect();
        known.extend_with(&args);
    }
    for atom in &rule.positive {
        narrowed |= narrow_call(atom, &known, bound);
        known.extend_with(&atom.args);
    }
    for atom in &rule.negative {
        narrowed |= narrow_call(atom, &known, bound);
    }
    narrowed
}

fn narrow_call(atom: &PatternAtom, known: &IdSet<VarNumber>, bound: &mut Positions) -> bool {
    let Some(positions) = &mut bound[atom.relation] else { return false };
    let before = positions.len();
    positions.retain(|&at| {
        distinct_variables(&atom.args[at..=at]).iter().all(|&variable| known.has(variable))
    });
    positions.len() < before
}
