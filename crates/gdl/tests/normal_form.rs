//! The normal form against direct evaluation: random formulas mean what they meant.
//!
//! A formula over `?x ?y` is evaluated as it is written, by a walk over its tree, and as the
//! reader left it, by a walk over the rules; both over all values of a small domain. Three ways
//! lead through the reader: as the body of a safe rule; in a rule of its own that only its caller
//! makes safe; and denied by a caller.

use std::collections::BTreeMap;

use gdl::{Atom, Literal, ReadOptions, Rulebook, Source, Term, VarId, read, verify};
use proptest::prelude::*;

const DOMAIN: [&str; 3] = ["1", "2", "3"];

#[derive(Clone, Debug)]
enum Formula {
    Unary(&'static str, &'static str),
    Binary(&'static str, &'static str),
    Distinct(&'static str, &'static str),
    Not(Box<Formula>),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

fn facts() -> &'static str {
    "(d 1) (d 2) (d 3) (p 1) (p 2) (q 2) (q 3) (r 1 2) (r 2 2) (r 3 1)"
}

fn is_fact(text: &str) -> bool {
    facts().contains(text)
}

fn value<'a>(term: &'a str, x: &'a str, y: &'a str) -> &'a str {
    match term {
        "?x" => x,
        "?y" => y,
        other => other,
    }
}

impl Formula {
    fn holds(&self, x: &str, y: &str) -> bool {
        let value = |term| value(term, x, y);
        match self {
            Self::Unary(name, term) => is_fact(&format!("({name} {})", value(term))),
            Self::Binary(left, right) => is_fact(&format!("(r {} {})", value(left), value(right))),
            Self::Distinct(left, right) => value(left) != value(right),
            Self::Not(inner) => !inner.holds(x, y),
            Self::All(inner) => inner.iter().all(|one| one.holds(x, y)),
            Self::Any(inner) => inner.iter().any(|one| one.holds(x, y)),
        }
    }

    fn text(&self) -> String {
        let each = |inner: &[Self]| inner.iter().map(Self::text).collect::<Vec<_>>().join(" ");
        match self {
            Self::Unary(name, term) => format!("({name} {term})"),
            Self::Binary(left, right) => format!("(r {left} {right})"),
            Self::Distinct(left, right) => format!("(distinct {left} {right})"),
            Self::Not(inner) => format!("(not {})", inner.text()),
            Self::All(inner) => format!("(and {})", each(inner)),
            Self::Any(inner) => format!("(or {})", each(inner)),
        }
    }
}

fn formula() -> impl Strategy<Value = Formula> {
    let term = || prop::sample::select(vec!["?x", "?y", "?x", "?y", "1", "2"]);
    let name = prop::sample::select(vec!["p", "q"]);
    let leaf = prop_oneof![
        (name, term()).prop_map(|(name, term)| Formula::Unary(name, term)),
        (term(), term()).prop_map(|(left, right)| Formula::Binary(left, right)),
        (term(), term()).prop_map(|(left, right)| Formula::Distinct(left, right)),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|one| Formula::Not(Box::new(one))),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Formula::All),
            prop::collection::vec(inner, 0..4).prop_map(Formula::Any),
        ]
    })
}

/// Answers calls by trying each rule with each value of each variable; for rules without
/// recursion.
struct Evaluation<'a> {
    book: &'a Rulebook,
    known: BTreeMap<(String, Vec<String>), bool>,
}

impl Evaluation<'_> {
    fn holds(&mut self, relation: &str, args: &[String]) -> bool {
        let key = (relation.to_owned(), args.to_vec());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let book = self.book;
        let found =
            book.rules.iter().filter(|rule| book.symbols.name(rule.head.relation) == relation).any(
                |rule| {
                    let count = DOMAIN.len().pow(rule.variables.len() as u32);
                    (0..count).any(|code| {
                        let values = |variable: VarId| {
                            DOMAIN[code / DOMAIN.len().pow(index::Id::index(variable) as u32) % 3]
                        };
                        self.args(&rule.head, &values) == args
                            && rule.body.iter().all(|literal| self.literal(literal, &values))
                    })
                },
            );
        self.known.insert(key, found);
        found
    }

    fn term(&self, term: &Term, values: &impl Fn(VarId) -> &'static str) -> String {
        match term {
            Term::Variable(variable) => values(*variable).to_owned(),
            Term::Constant(name) => self.book.symbols.name(*name).to_owned(),
            Term::Compound(..) => panic!("no functions here"),
        }
    }

    fn args(&self, atom: &Atom, values: &impl Fn(VarId) -> &'static str) -> Vec<String> {
        atom.args.iter().map(|arg| self.term(arg, values)).collect()
    }

    fn literal(&mut self, literal: &Literal, values: &impl Fn(VarId) -> &'static str) -> bool {
        match literal {
            Literal::Positive(atom) => {
                let args = self.args(atom, values);
                self.holds(self.book.symbols.name(atom.relation), &args)
            }
            Literal::Negative(atom) => {
                let args = self.args(atom, values);
                !self.holds(self.book.symbols.name(atom.relation), &args)
            }
            Literal::Distinct(left, right, _) => {
                self.term(left, values) != self.term(right, values)
            }
        }
    }
}

fn check(formula: &Formula, other: &Formula) -> Result<(), TestCaseError> {
    let (one, two) = (formula.text(), other.text());
    let text = format!(
        "(role a) (legal a m) {}
         (<= (safe ?x ?y) (d ?x) (d ?y) {one})
         (<= (loose ?x ?y) {one}) (<= (loose ?y ?x) {two}) (loose 3 3)
         (<= (asks ?x ?y) (d ?x) (d ?y) (loose ?x ?y))
         (<= (denies ?x ?y) (not (loose ?y ?x)) (d ?x) (d ?y))",
        facts()
    );
    let reading = read(Source::new("generated", &text), &ReadOptions::default());
    let book = reading.rulebook.ok_or_else(|| {
        TestCaseError::fail(gdl::render(&reading.diagnostics, &reading.source, false))
    })?;
    prop_assert_eq!(verify(&book), Ok(()));
    let mut evaluation = Evaluation { book: &book, known: BTreeMap::new() };
    for x in DOMAIN {
        for y in DOMAIN {
            let loose = |x: &str, y: &str| {
                formula.holds(x, y) || other.holds(y, x) || (x == "3" && y == "3")
            };
            let args = [x.to_owned(), y.to_owned()];
            prop_assert_eq!(
                evaluation.holds("safe", &args),
                formula.holds(x, y),
                "safe {} {}",
                x,
                y
            );
            prop_assert_eq!(evaluation.holds("asks", &args), loose(x, y), "asks {} {}", x, y);
            prop_assert_eq!(evaluation.holds("denies", &args), !loose(y, x), "denies {} {}", x, y);
        }
    }
    let again = read(Source::new("printed", &book.to_string()), &ReadOptions::default());
    prop_assert!(again.rulebook.is_some_and(|again| again.same_rules(&book)));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: prop::test_runner::RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn normalising_keeps_the_meaning(one in formula(), other in formula()) {
        check(&one, &other)?;
    }
}

#[test]
fn many_alternatives_are_split_and_keep_their_meaning() {
    let leaf = |name, term| Formula::Unary(name, term);
    let choice = |index: usize| {
        let terms = ["?x", "?y", "1", "2"];
        Formula::Any(vec![
            leaf("p", terms[index % 4]),
            Formula::Not(Box::new(leaf("q", terms[(index + 1) % 4]))),
            Formula::Distinct(terms[index % 2], terms[2 + index % 2]),
        ])
    };
    let formula = Formula::All((0..9).map(choice).collect());
    let text = format!(
        "(role a) (legal a m) {} (<= (safe ?x ?y) (d ?x) (d ?y) {})",
        facts(),
        formula.text()
    );
    let reading = read(Source::new("many", &text), &ReadOptions::default());
    let book = reading.rulebook.expect("accepted");
    assert!(book.rules.len() < 200, "{} rules", book.rules.len());
    assert!(book.to_string().contains("safe_part1"));
    let mut evaluation = Evaluation { book: &book, known: BTreeMap::new() };
    for x in DOMAIN {
        for y in DOMAIN {
            let args = [x.to_owned(), y.to_owned()];
            assert_eq!(evaluation.holds("safe", &args), formula.holds(x, y), "{x} {y}");
        }
    }
}

#[test]
fn calls_that_are_told_apart_keep_their_meaning() {
    let text = format!(
        "(role a) (legal a m) {} (<= (g ?x 1) (p ?x) (not (q ?x))) (<= (g ?x 2) (d ?x) (not (g ?x 1)))
         (<= (g ?x 3) (d ?x) (not (g ?x 1)) (not (g ?x 2)))",
        facts()
    );
    let book =
        read(Source::new("apart", &text), &ReadOptions::default()).rulebook.expect("accepted");
    assert_eq!(verify(&book), Ok(()));
    let mut evaluation = Evaluation { book: &book, known: BTreeMap::new() };
    for x in DOMAIN {
        let held: Vec<&str> = DOMAIN
            .into_iter()
            .filter(|value| evaluation.holds("g", &[x.to_owned(), (*value).to_owned()]))
            .collect();
        assert_eq!(held, [if x == "1" { "1" } else { "2" }], "{x}");
    }
}
