//! Projection before the join: a rule is split where a variable can be forgotten early.
//!
//! A variable that stands in no head and shares few literals is eliminated: the literals around it
//! move to an auxiliary rule whose head keeps only the variables that the rest still needs. This
//! is exact (a body is a conjunction, and the auxiliary atom says "there is a value"), and it turns
//! a product of domains into a sum. It is done only where the variables that are kept all stand in
//! one of the literals that moved (an ear of the rule's graph), so that an auxiliary relation is
//! never larger than a relation that exists. Cyclic rules are left to the join.
//!
//! Cutting goes further: a variable is eliminated as well where no literal holds all that is kept,
//! as long as the piece has fewer variables than the rule. That bounds the instances of a rule by
//! the width of its graph and not by the number of its variables, but an auxiliary relation may be
//! larger than those that exist, so it is tried only where plain evaluation turned out long.
//! Cost: the square of the rule's literals, times its variables.
//! Sources: the ear removal of Graham, and of Yu and Ozsoyoglu (1979), for acyclic queries; bucket
//! elimination, Dechter (1999), for the rest.

use index::{Id, IdSet};

use crate::pattern::{Pattern, distinct_variables};
use crate::program::{PatternAtom, PatternRule, Program, Relations, VarNumber, VariableSet};

/// How far rules are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Ears go.
    Ears,
    /// Whatever makes a rule narrower is cut.
    Cuts,
}

/// Splits every rule as far as it goes.
pub(crate) fn split_rules(program: &mut Program, depth: Depth) {
    let mut done = Vec::with_capacity(program.rules.len());
    for mut rule in std::mem::take(&mut program.rules) {
        while let Some(part) = split_one(&mut rule, &mut program.relations, depth) {
            assert!(part.positive.len() + part.negative.len() > 0, "an ear without literals");
            done.push(part);
        }
        done.push(rule);
    }
    program.rules = done;
}

/// The literals that would move, as flags.
struct Ear {
    positive: Vec<bool>,
    negative: Vec<bool>,
    distinct: Vec<bool>,
    kept: Vec<u32>,
    /// Variables inside the ear.
    width: usize,
    /// Whether one literal holds the variable and all that is kept.
    roofed: bool,
}

fn split_one(
    rule: &mut PatternRule,
    relations: &mut Relations,
    depth: Depth,
) -> Option<PatternRule> {
    if rule.positive.len() < 2 {
        return None;
    }
    let mut in_head = IdSet::<VarNumber>::new();
    in_head.extend_with(&rule.head.args);
    let all = body_variables(rule);
    let ears = all.iter().filter(|&&variable| !in_head.has(variable));
    let ears = ears.filter_map(|&variable| find_ear(rule, variable, all.len()));
    let ears = ears.filter(|ear| ear.roofed || (depth == Depth::Cuts && ear.narrows()));
    let ear = ears.min_by_key(|ear| (!ear.roofed, ear.kept.len(), ear.width))?;
    Some(cut(rule, &ear, relations))
}

impl Ear {
    /// Whether cutting it out joins something: a piece of one literal is a projection, and those
    /// are ears.
    fn narrows(&self) -> bool {
        self.positive.iter().filter(|&&moved| moved).count() > 1
    }
}

fn body_variables(rule: &PatternRule) -> Vec<u32> {
    let mut found: Vec<u32> = rule.positive.iter().flat_map(PatternAtom::variables).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn holds(patterns: &[Pattern], variable: u32) -> bool {
    distinct_variables(patterns).contains(&variable)
}

fn within(patterns: &[Pattern], set: &IdSet<VarNumber>) -> bool {
    distinct_variables(patterns).iter().all(|&variable| set.has(variable))
}

fn find_ear(rule: &PatternRule, variable: u32, all: usize) -> Option<Ear> {
    let touched = |patterns: &[Pattern]| holds(patterns, variable);
    let mut group = IdSet::<VarNumber>::new();
    let mut bound = IdSet::<VarNumber>::new();
    for atom in rule.positive.iter().filter(|atom| touched(&atom.args)) {
        group.extend_with(&atom.args);
        bound.extend_with(&atom.args);
    }
    for atom in rule.negative.iter().filter(|atom| touched(&atom.args)) {
        group.extend_with(&atom.args);
    }
    for pair in rule.distinct.iter().filter(|pair| touched(*pair)) {
        group.extend_with(pair);
    }
    if group.len() == all || group != bound {
        return None;
    }
    // What speaks of the group alone moves along; what has no variables stays.
    let moves =
        |patterns: &[Pattern]| !distinct_variables(patterns).is_empty() && within(patterns, &group);
    let mut ear = Ear {
        positive: rule.positive.iter().map(|atom| moves(&atom.args)).collect(),
        negative: rule.negative.iter().map(|atom| moves(&atom.args)).collect(),
        distinct: rule.distinct.iter().map(|pair| moves(pair)).collect(),
        kept: Vec::new(),
        width: group.len(),
        roofed: false,
    };
    ear.kept = kept_variables(rule, &ear, &group);
    let roof = |(atom, &moved): (&PatternAtom, &bool)| {
        moved && touched(&atom.args) && ear.kept.iter().all(|&v| holds(&atom.args, v))
    };
    ear.roofed = rule.positive.iter().zip(&ear.positive).any(roof);
    Some(ear)
}

/// Variables of the group that the head or a literal outside still needs.
fn kept_variables(rule: &PatternRule, ear: &Ear, group: &IdSet<VarNumber>) -> Vec<u32> {
    let mut outside = IdSet::<VarNumber>::new();
    outside.extend_with(&rule.head.args);
    for (atom, _) in rule.positive.iter().zip(&ear.positive).filter(|(_, moved)| !**moved) {
        outside.extend_with(&atom.args);
    }
    for (atom, _) in rule.negative.iter().zip(&ear.negative).filter(|(_, moved)| !**moved) {
        outside.extend_with(&atom.args);
    }
    for (pair, _) in rule.distinct.iter().zip(&ear.distinct).filter(|(_, moved)| !**moved) {
        outside.extend_with(pair);
    }
    group.iter().filter(|&v| outside.contains(v)).map(|v| v.index() as u32).collect()
}

fn take<T>(items: &mut Vec<T>, moved: &[bool]) -> Vec<T> {
    let (mut taken, mut left) = (Vec::new(), Vec::new());
    for (item, &moves) in std::mem::take(items).into_iter().zip(moved) {
        if moves { taken.push(item) } else { left.push(item) }
    }
    *items = left;
    taken
}

fn cut(rule: &mut PatternRule, ear: &Ear, relations: &mut Relations) -> PatternRule {
    let args: Box<[Pattern]> = ear.kept.iter().map(|&v| Pattern::Variable(v)).collect();
    let head = PatternAtom { relation: relations.auxiliary(args.len()), args };
    let part = PatternRule {
        head: head.clone(),
        positive: take(&mut rule.positive, &ear.positive),
        negative: take(&mut rule.negative, &ear.negative),
        distinct: take(&mut rule.distinct, &ear.distinct),
        variables: rule.variables,
        span: rule.span,
    };
    rule.positive.push(head);
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheets;
    use crate::terms::TermTable;

    fn split(text: &str) -> Program {
        split_to(text, Depth::Ears)
    }

    fn split_to(text: &str, depth: Depth) -> Program {
        let text = format!("(role x) (legal x noop) {text}");
        let mut program = Program::of(&sheets::rulebook(&text), &mut TermTable::default())
            .expect("the sheet is well formed");
        split_rules(&mut program, depth);
        program.rules.retain(|rule| !rule.positive.is_empty());
        program
    }

    #[test]
    fn a_chain_is_cut_into_pieces_of_two_variables() {
        let program = split("(e 1 2) (<= terminal (e ?a ?b) (e ?b ?c) (e ?c ?d) (e ?d ?f))");
        assert!(program.rules.iter().all(|rule| body_variables(rule).len() <= 2));
        assert_eq!(program.rules.len(), 4);
    }

    #[test]
    fn a_triangle_is_left_alone() {
        assert_eq!(split("(e 1 2) (<= terminal (e ?a ?b) (e ?b ?c) (e ?c ?a))").rules.len(), 1);
    }

    #[test]
    fn a_ring_is_cut_into_triangles() {
        let ring = "(e 1 2) (<= terminal (e ?a ?b) (e ?b ?c) (e ?c ?d) (e ?d ?f) (e ?f ?a))";
        assert_eq!(split(ring).rules.len(), 1);
        let program = split_to(ring, Depth::Cuts);
        assert_eq!(program.rules.len(), 3);
        assert!(program.rules.iter().all(|rule| body_variables(rule).len() <= 3));
    }

    #[test]
    fn a_distinct_pair_keeps_its_variables_together() {
        let program = split("(p 1) (q 2) (<= terminal (p ?a) (q ?b) (distinct ?a ?b))");
        assert_eq!(program.rules.len(), 1);
        let program =
            split("(p 1) (q 2) (e 1 2) (<= (goal x ?c) (p ?a) (e ?a ?b) (distinct ?a ?b) (q ?c))");
        assert_eq!(program.rules.len(), 2);
        assert_eq!(program.rules[0].distinct.len(), 1);
    }
}
