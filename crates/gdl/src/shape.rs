//! Rules and literals without their places, for comparison.
//!
//! Two are of one shape exactly where they differ in places and names of variables at most. What
//! is compared is borrowed, so that finding repetitions costs one hash for each and copies nothing.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashSet;

use crate::{Atom, Literal, Rule};

/// A literal without its place.
#[derive(Clone, Copy)]
struct LiteralShape<'a>(&'a Literal);

/// A rule without places and names of variables.
#[derive(Clone, Copy)]
struct RuleShape<'a>(&'a Rule);

fn is_same_atom(one: &Atom, other: &Atom) -> bool {
    one.relation == other.relation && one.args == other.args
}

fn hash_atom<H: Hasher>(atom: &Atom, state: &mut H) {
    atom.relation.hash(state);
    atom.args.hash(state);
}

impl PartialEq for LiteralShape<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (Literal::Positive(one), Literal::Positive(other))
            | (Literal::Negative(one), Literal::Negative(other)) => is_same_atom(one, other),
            (Literal::Distinct(left, right, _), Literal::Distinct(other_left, other_right, _)) => {
                left == other_left && right == other_right
            }
            _ => false,
        }
    }
}

impl Eq for LiteralShape<'_> {}

impl Hash for LiteralShape<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self.0).hash(state);
        match self.0 {
            Literal::Positive(atom) | Literal::Negative(atom) => hash_atom(atom, state),
            Literal::Distinct(left, right, _) => {
                left.hash(state);
                right.hash(state);
            }
        }
    }
}

impl PartialEq for RuleShape<'_> {
    fn eq(&self, other: &Self) -> bool {
        let literals = |rule: &Self| rule.0.body.len();
        is_same_atom(&self.0.head, &other.0.head)
            && literals(self) == literals(other)
            && self.0.body.iter().map(LiteralShape).eq(other.0.body.iter().map(LiteralShape))
    }
}

impl Eq for RuleShape<'_> {}

impl Hash for RuleShape<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_atom(&self.0.head, state);
        self.0.body.iter().for_each(|literal| LiteralShape(literal).hash(state));
    }
}

/// Takes out each rule that stood before, and tells of it.
pub(crate) fn drop_repeated_rules(rules: &mut Vec<Rule>, mut tell: impl FnMut(&Rule)) {
    let mut seen = FxHashSet::with_capacity_and_hasher(rules.len(), Default::default());
    let fresh: Vec<bool> = rules.iter().map(|rule| seen.insert(RuleShape(rule))).collect();
    keep(rules, &fresh, |rule| tell(rule));
}

/// Takes out each literal that stood before.
pub(crate) fn drop_repeated_literals(literals: &mut Vec<Literal>) {
    if literals.len() < 2 {
        return;
    }
    let mut seen = FxHashSet::default();
    let fresh: Vec<bool> = literals.iter().map(|one| seen.insert(LiteralShape(one))).collect();
    keep(literals, &fresh, |_| {});
}

/// Keeps what is marked; `gone` is shown the others.
fn keep<T>(list: &mut Vec<T>, marked: &[bool], mut gone: impl FnMut(&T)) {
    assert_eq!(list.len(), marked.len(), "one mark for each");
    let mut marks = marked.iter();
    list.retain(|one| {
        let kept = marks.next().is_some_and(|mark| *mark);
        if !kept {
            gone(one);
        }
        kept
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, Source, read};

    fn rules(lines: &str) -> Vec<Rule> {
        let text = format!("(role a) (legal a m) (d 1) (e 1 2) {lines}");
        let book = read(Source::new("t", &text), &ReadOptions::default()).rulebook;
        book.expect("the sheet is in order").rules.split_off(4)
    }

    #[test]
    fn places_and_names_of_variables_do_not_tell_rules_apart() {
        let mut all = rules("(<= (p ?x) (d ?x) (not (d 2)))");
        all.extend(rules("   (<= (p ?y) (d ?y) (not (d 2)))"));
        let mut told = 0;
        drop_repeated_rules(&mut all, |_| told += 1);
        assert_eq!((all.len(), told), (1, 1));
    }

    #[test]
    fn signs_arguments_order_and_heads_do() {
        let mut all = rules(
            "(<= (p ?x) (d ?x) (not (d 2))) (<= (p ?x) (d ?x) (d 2)) (<= (q ?x) (d ?x) (d 2))
             (<= (p ?x) (d ?x) (distinct ?x 2)) (<= (p ?x) (d ?x) (distinct 2 ?x)) (p 1) (p 2)
             (<= (p ?x) (d ?x)) (<= (p ?x) (e ?x ?y)) (<= (p ?x) (e ?y ?x)) (<= (p ?x) (d 2) (d ?x))",
        );
        let before = all.len();
        drop_repeated_rules(&mut all, |rule| panic!("{rule:?} was there before"));
        assert_eq!((all.len(), before), (11, 11));
    }

    #[test]
    fn the_first_of_equal_literals_stays() {
        let mut body = rules("(<= (p ?x) (d ?x) (not (d ?x)) (d ?x))").remove(0).body;
        assert_eq!(body.len(), 2, "reading has dropped the third");
        body.extend(body.clone());
        drop_repeated_literals(&mut body);
        assert!(matches!(body.as_slice(), [Literal::Positive(_), Literal::Negative(_)]));
    }
}
