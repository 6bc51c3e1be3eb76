//! What well-formed means for a rulebook, as a check of its own.
//!
//! It shares no code with the stages that establish the normal form, but for the walks over terms,
//! and runs after every reading in debug builds and in the tests. What it checks is the list at
//! the top of `rulebook.rs`.

use index::{Id, IdSet};
use rustc_hash::FxHashSet;

use crate::formula::TERM_DEPTH_LIMIT;
use crate::relations::{RelationId, Relations};
use crate::{Atom, Literal, Rule, Rulebook, SymbolId, Term, VarId, keyword};

/// Whether the rulebook is in normal form; if not, the first law that is broken.
///
/// # Errors
/// The broken law, with the rule.
pub fn verify(rulebook: &Rulebook) -> Result<(), String> {
    if rulebook.roles.is_empty() {
        return Err("no roles".to_owned());
    }
    let distinct: FxHashSet<SymbolId> = rulebook.roles.iter().copied().collect();
    if distinct.len() != rulebook.roles.len() {
        return Err("a role stands twice".to_owned());
    }
    for rule in &rulebook.rules {
        rule_law(rule)
            .map_err(|law| format!("{law}: {}", crate::rule_text(rule, &rulebook.symbols)))?;
    }
    relation_laws(&rulebook.rules)
}

fn atoms(rule: &Rule) -> impl Iterator<Item = &Atom> {
    std::iter::once(&rule.head).chain(rule.body.iter().filter_map(Literal::atom))
}

fn rule_law(rule: &Rule) -> Result<(), &'static str> {
    let conditions = [keyword::TRUE, keyword::DOES];
    if conditions.contains(&rule.head.relation) {
        return Err("`true` or `does` in a head");
    }
    let connectives = [keyword::NOT, keyword::OR, keyword::AND, keyword::DISTINCT];
    if atoms(rule).any(|atom| connectives.contains(&atom.relation)) {
        return Err("a connective as a relation");
    }
    if rule.body.iter().filter_map(Literal::atom).any(|atom| atom.relation == keyword::NEXT) {
        return Err("`next` in a body");
    }
    if !atoms(rule).all(has_right_arity) {
        return Err("a keyword with a wrong number of arguments");
    }
    let mut used = IdSet::new();
    let mut bound: IdSet<VarId> = IdSet::new();
    rule.head.collect_variables(&mut used);
    for literal in &rule.body {
        literal.collect_variables(&mut used);
        if let Literal::Positive(atom) = literal {
            atom.collect_variables(&mut bound);
        }
    }
    if used.iter().any(|variable| variable.index() >= rule.variables.len()) {
        return Err("a variable without a name");
    }
    if used.iter().any(|variable| !bound.contains(variable)) {
        return Err("an unsafe variable");
    }
    let names: FxHashSet<&str> = rule.variables.iter().map(AsRef::as_ref).collect();
    if names.len() != rule.variables.len() || used.len() != names.len() {
        return Err("names of variables that are not one to one");
    }
    term_law(rule)
}

fn has_right_arity(atom: &Atom) -> bool {
    crate::formula::right_form(atom.relation).is_none_or(|(arity, _)| arity == atom.args.len())
}

fn term_law(rule: &Rule) -> Result<(), &'static str> {
    let mut terms: Vec<&Term> = atoms(rule).flat_map(|atom| atom.args.iter()).collect();
    for literal in &rule.body {
        if let Literal::Distinct(left, right, _) = literal {
            terms.extend([left, right]);
        }
    }
    if terms.iter().any(|term| term.depth() > TERM_DEPTH_LIMIT) {
        return Err("a term that is too deep");
    }
    if terms.iter().any(|term| has_empty_compound(term)) {
        return Err("a function without arguments");
    }
    Ok(())
}

fn has_empty_compound(term: &Term) -> bool {
    match term {
        Term::Variable(_) | Term::Constant(_) => false,
        Term::Compound(_, args) => args.is_empty() || args.iter().any(has_empty_compound),
    }
}

/// Strata by numbers: a relation's stratum is at least that of what it needs, and one more than
/// that of what it denies; where such numbers exist, none exceeds the number of relations.
fn relation_laws(rules: &[Rule]) -> Result<(), String> {
    let relations = Relations::of(rules);
    let mut stratum = index::IndexVec::<RelationId, usize>::filled(0, relations.len());
    let mut changed = true;
    while changed {
        changed = false;
        for head in relations.ids() {
            for need in relations.needs(head) {
                let least = stratum[need.needed] + usize::from(need.negative);
                if stratum[head] < least {
                    stratum[head] = least;
                    changed = true;
                }
            }
            if stratum[head] > relations.len() {
                return Err("negation is not stratified".to_owned());
            }
        }
    }
    let needs = |names: &[SymbolId], target: (SymbolId, usize)| {
        let Some(goal) = relations.find(target) else { return false };
        relations
            .ids()
            .filter(|id| names.contains(&relations.name(*id)))
            .any(|id| relations.path(id, goal, |_| true).is_some())
    };
    let lasting = [keyword::ROLE, keyword::INIT, keyword::BASE, keyword::INPUT];
    let of_state = [keyword::LEGAL, keyword::GOAL, keyword::TERMINAL];
    if needs(&lasting, (keyword::TRUE, 1)) {
        return Err("what holds once and for all depends on the state".to_owned());
    }
    if needs(&lasting, (keyword::DOES, 2)) || needs(&of_state, (keyword::DOES, 2)) {
        return Err("what no move decides depends on a move".to_owned());
    }
    Ok(())
}
