//! Which rules can ever apply: the least set of rules each of whose positive conditions matches
//! the conclusion of a rule in the set.
//!
//! Terms match where no constant, function or number of arguments tells them apart; what variables
//! have in common, negation and `distinct` are not looked at. So the set holds every rule that
//! applies in any play, and what lies outside never does: nothing is said of a rule wrongly.
//! `init` and `next` conclude for `true`, `legal` concludes for `does`. A rule that only keeps a
//! part of the state (`(next ?f)` from `(true ?f)`) makes nothing and concludes nothing here.
//! Cost: each condition against the conclusions of its relation with the same outermost function,
//! up to [`STEP_LIMIT`] in all; of a sheet beyond it nothing is known.

use rustc_hash::FxHashMap;

use crate::{Atom, Literal, Rule, SymbolId, Term, keyword};

/// Pairs of terms that are compared, at most.
const STEP_LIMIT: usize = 20_000_000;

/// A relation: a name with an arity.
type Signature = (SymbolId, usize);
/// The outermost symbol of an argument that tells conclusions apart; none where it is a variable.
type Shape = Option<Signature>;

/// What rules conclude, and which of them can apply.
pub(super) struct Possible<'a> {
    rules: &'a [Rule],
    /// Rules by relation and outermost symbol of what they conclude.
    conclusions: FxHashMap<Signature, FxHashMap<Shape, Vec<usize>>>,
    /// Whether a rule can apply.
    applies: Vec<bool>,
}

/// Whether two terms may be equal, for some values of their variables.
pub(super) fn matches(one: &Term, other: &Term) -> bool {
    match (one, other) {
        (Term::Variable(_), _) | (_, Term::Variable(_)) => true,
        (Term::Compound(one, mine), Term::Compound(other, theirs)) => {
            one == other && all_match(mine, theirs)
        }
        _ => one == other,
    }
}

fn all_match(mine: &[Term], theirs: &[Term]) -> bool {
    mine.len() == theirs.len() && mine.iter().zip(theirs).all(|(one, other)| matches(one, other))
}

/// The name and number of arguments of a term; none of a variable.
pub(super) fn outermost(term: &Term) -> Shape {
    match term {
        Term::Variable(_) => None,
        Term::Constant(name) => Some((*name, 0)),
        Term::Compound(function, args) => Some((*function, args.len())),
    }
}

/// The argument that tells atoms of a relation apart best.
fn telling(atom: &Atom) -> Shape {
    let about_role = [keyword::DOES, keyword::LEGAL, keyword::GOAL, keyword::INPUT, keyword::SEES];
    let place = usize::from(about_role.contains(&atom.relation) && atom.args.len() > 1);
    atom.args.get(place).and_then(outermost)
}

/// The relations for which a rule concludes.
fn concluded(rule: &Rule) -> Vec<Signature> {
    match rule.head.relation {
        keyword::NEXT if keeps_only(rule) => Vec::new(),
        keyword::INIT | keyword::NEXT => vec![(keyword::TRUE, 1)],
        keyword::LEGAL => vec![(keyword::LEGAL, 2), (keyword::DOES, 2)],
        _ => vec![rule.head.signature()],
    }
}

/// Whether a rule for `next` only keeps what is true already.
fn keeps_only(rule: &Rule) -> bool {
    rule.body.iter().any(|literal| match literal {
        Literal::Positive(atom) => atom.relation == keyword::TRUE && atom.args == rule.head.args,
        _ => false,
    })
}

impl<'a> Possible<'a> {
    /// Finds the rules that can apply; none where that takes too long.
    pub(super) fn of(rules: &'a [Rule]) -> Option<Self> {
        let mut conclusions: FxHashMap<Signature, FxHashMap<Shape, Vec<usize>>> =
            FxHashMap::default();
        for (index, rule) in rules.iter().enumerate() {
            for relation in concluded(rule) {
                let shapes = conclusions.entry(relation).or_default();
                shapes.entry(telling(&rule.head)).or_default().push(index);
            }
        }
        let applies = vec![false; rules.len()];
        let mut possible = Self { rules, conclusions, applies };
        let mut closing =
            Closing { possible: &mut possible, waiting: FxHashMap::default(), steps: 0 };
        closing.run().then_some(possible)
    }

    /// Whether the rule can apply.
    pub(super) fn applies(&self, rule: usize) -> bool {
        self.applies[rule]
    }

    /// Whether anything concludes for the relation.
    pub(super) fn is_concluded(&self, relation: Signature) -> bool {
        self.conclusions.contains_key(&relation)
    }

    /// All rules that conclude for a relation, in the order of the sheet.
    pub(super) fn concluding(&self, relation: Signature) -> Vec<usize> {
        let shapes = self.conclusions.get(&relation);
        let mut all: Vec<usize> =
            shapes.into_iter().flat_map(FxHashMap::values).flatten().copied().collect();
        all.sort_unstable();
        all
    }

    /// The rules whose conclusion matches an atom, whether they can apply or not.
    pub(super) fn matching<'s>(&'s self, atom: &'s Atom) -> impl Iterator<Item = usize> + 's {
        self.candidates(atom)
            .filter(move |&rule| all_match(&self.rules[rule].head.args, &atom.args))
    }

    fn candidates(&self, atom: &Atom) -> impl Iterator<Item = usize> + '_ {
        let shape = telling(atom);
        let shapes = self.conclusions.get(&atom.signature());
        let fitting = shapes.into_iter().flatten().filter(move |(other, _)| fits(shape, **other));
        fitting.flat_map(|(_, rules)| rules.iter().copied())
    }
}

fn fits(one: Shape, other: Shape) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// A condition that nothing fulfils so far.
type Wait = (usize, usize);

struct Closing<'p, 'a> {
    possible: &'p mut Possible<'a>,
    waiting: FxHashMap<Signature, FxHashMap<Shape, Vec<Wait>>>,
    steps: usize,
}

impl Closing<'_, '_> {
    /// Closes the set; no where the steps were used up.
    fn run(&mut self) -> bool {
        let rules = self.possible.rules;
        let (facts, others): (Vec<usize>, Vec<usize>) =
            (0..rules.len()).partition(|&index| rules[index].body.is_empty());
        facts.iter().for_each(|&fact| self.possible.applies[fact] = true);
        let mut queue: Vec<Wait> = others.into_iter().map(|rule| (rule, 0)).collect();
        while let Some((rule, from)) = queue.pop() {
            if self.advance(rule, from) {
                self.possible.applies[rule] = true;
                self.wake(rule, &mut queue);
            }
            if self.steps > STEP_LIMIT {
                return false;
            }
        }
        true
    }

    /// Looks at the conditions of a rule from one on; yes where all are fulfilled.
    fn advance(&mut self, rule: usize, from: usize) -> bool {
        let body = &self.possible.rules[rule].body;
        for (place, literal) in body.iter().enumerate().skip(from) {
            let Literal::Positive(atom) = literal else { continue };
            if !self.is_fulfilled(atom) {
                let shapes = self.waiting.entry(atom.signature()).or_default();
                shapes.entry(telling(atom)).or_default().push((rule, place));
                return false;
            }
        }
        true
    }

    fn is_fulfilled(&mut self, atom: &Atom) -> bool {
        let mut steps = 0;
        let possible = &*self.possible;
        let found = possible.candidates(atom).any(|rule| {
            steps += 1;
            possible.applies[rule] && all_match(&possible.rules[rule].head.args, &atom.args)
        });
        self.steps += steps;
        found
    }

    /// Puts the conditions that the new rule may fulfil back to work.
    fn wake(&mut self, rule: usize, queue: &mut Vec<Wait>) {
        let head = &self.possible.rules[rule].head;
        let shape = telling(head);
        for relation in concluded(&self.possible.rules[rule]) {
            let Some(shapes) = self.waiting.get_mut(&relation) else { continue };
            for (_, waits) in shapes.iter_mut().filter(|(other, _)| fits(shape, **other)) {
                self.steps += waits.len();
                queue.append(waits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, Source, read};

    /// The heads of the rules that can never apply.
    fn dead(lines: &str) -> Vec<String> {
        let text = format!("(role a) (init (step 1)) (d 1) (d 2) {lines}");
        let book = read(Source::new("t", &text), &ReadOptions::default()).rulebook;
        let book = book.expect("a sheet in order");
        let possible = Possible::of(&book.rules).expect("a small sheet");
        let dead = (0..book.rules.len()).filter(|&rule| !possible.applies(rule));
        dead.map(|rule| crate::rule_text(&book.rules[rule], &book.symbols)).collect()
    }

    #[test]
    fn what_follows_from_the_facts_applies_and_a_circle_does_not() {
        assert_eq!(
            dead(
                "(legal a m) (<= (next (step ?y)) (true (step ?x)) (up ?x ?y)) (<= (up ?x 2) (d ?x))"
            ),
            [""; 0]
        );
        let circle =
            dead("(legal a m) (<= (next (up 1)) (true (up 2))) (<= (next (up 2)) (true (up 1)))");
        assert_eq!(circle.len(), 2, "{circle:?}");
    }

    #[test]
    fn keeping_makes_nothing_and_a_move_must_be_legal() {
        let kept = dead("(legal a m) (<= (next ?f) (true ?f)) (<= (next x) (true (stpe 1)))");
        assert_eq!(kept, ["(<= (next x) (true (stpe 1)))"]);
        let played =
            dead("(legal a (go 1)) (<= (next x) (does a (go 2))) (<= (next y) (does a (go ?n)))");
        assert_eq!(played, ["(<= (next x) (does a (go 2)))"]);
    }

    #[test]
    fn rules_that_wait_in_a_long_row_all_apply() {
        let row: String =
            (0..2000).rev().map(|n| format!("(<= (p{} ?x) (p{n} ?x))", n + 1)).collect();
        assert_eq!(dead(&format!("(legal a m) {row} (p0 1)")), [""; 0]);
    }
}
