//! GDL as Prolog clauses, for the baseline in `benches/prolog`.
//!
//! A relation that depends on neither state nor moves becomes `s_NAME`, tabled, so that recursion
//! over numbers ends; the baseline turns it into facts `g_NAME`. Every other relation becomes
//! `g_NAME`, and `true` and `does` become `st` and `mv`. Positive literals keep their order;
//! `distinct` and `not` come as soon as their variables are bound, as negation as failure needs.

use std::collections::BTreeSet;
use std::fmt::Write;

use gdl::{Atom, Literal, Rule, Rulebook, SymbolId, Term, keyword};
use index::IdSet;

type Signature = (SymbolId, usize);

/// The rules as a Prolog file.
pub(crate) fn translate(book: &Rulebook) -> String {
    let fixed = fixed_relations(book);
    let mut text =
        String::from(":- style_check(-singleton).\n:- discontiguous static_relation/2.\n");
    for (name, arity) in &fixed {
        let name = book.symbols.name(*name);
        writeln!(text, ":- table '{}'/{arity}.", escaped(&format!("s_{name}"))).expect(INFALLIBLE);
        writeln!(text, "static_relation('{}', {arity}).", escaped(name)).expect(INFALLIBLE);
    }
    // The baseline asks for these whether or not a sheet has rules for them.
    text.push_str(":- discontiguous g_next/1, g_legal/2, g_goal/2, g_terminal/0.\n");
    let mut rules: Vec<&Rule> = book.rules.iter().collect();
    rules.sort_by_key(|rule| rule.head.signature());
    for rule in rules {
        let head = Clause { book, fixed: &fixed, inside: fixed.contains(&rule.head.signature()) };
        text.push_str(&head.text(rule));
    }
    text
}

const INFALLIBLE: &str = "a string takes any text";

/// Relations that depend on neither `true` nor `does`, however deep.
fn fixed_relations(book: &Rulebook) -> BTreeSet<Signature> {
    let mut moving: BTreeSet<Signature> = BTreeSet::from([(keyword::TRUE, 1), (keyword::DOES, 2)]);
    loop {
        let before = moving.len();
        for rule in &book.rules {
            let depends = |literal: &Literal| {
                literal.atom().is_some_and(|atom| moving.contains(&atom.signature()))
            };
            if rule.body.iter().any(depends) {
                moving.insert(rule.head.signature());
            }
        }
        if moving.len() == before {
            break;
        }
    }
    let heads = book.rules.iter().map(|rule| rule.head.signature());
    heads.filter(|head| !moving.contains(head)).collect()
}

/// How one rule is written.
struct Clause<'a> {
    book: &'a Rulebook,
    fixed: &'a BTreeSet<Signature>,
    /// Whether the rule itself is of a fixed relation, and so calls rules, not facts.
    inside: bool,
}

impl Clause<'_> {
    fn text(&self, rule: &Rule) -> String {
        let head = self.atom(&rule.head);
        let body = self.ordered(&rule.body);
        let goals: Vec<String> = body.into_iter().map(|literal| self.literal(literal)).collect();
        if goals.is_empty() {
            return format!("{head}.\n");
        }
        format!("{head} :-\n    {}.\n", goals.join(",\n    "))
    }

    /// Positive literals in their order, the others as soon as they are bound.
    fn ordered<'b>(&self, body: &'b [Literal]) -> Vec<&'b Literal> {
        let (positive, mut tests): (Vec<&Literal>, Vec<&Literal>) =
            body.iter().partition(|literal| matches!(literal, Literal::Positive(_)));
        let mut ordered = Vec::new();
        let mut bound = IdSet::new();
        for literal in positive {
            literal.collect_variables(&mut bound);
            ordered.push(literal);
            let (ready, waiting) = tests.into_iter().partition(|test| is_bound(test, &bound));
            ordered.extend::<Vec<&Literal>>(ready);
            tests = waiting;
        }
        // Without a positive literal, the tests have no variable.
        ordered.extend(tests);
        assert_eq!(ordered.len(), body.len());
        ordered
    }

    fn literal(&self, literal: &Literal) -> String {
        match literal {
            Literal::Positive(atom) => self.atom(atom),
            Literal::Negative(atom) => format!("\\+ {}", self.atom(atom)),
            Literal::Distinct(left, right, _) => {
                format!("{} \\== {}", self.term(left), self.term(right))
            }
        }
    }

    fn atom(&self, atom: &Atom) -> String {
        let name = self.book.symbols.name(atom.relation);
        let relation = match atom.relation {
            keyword::TRUE => "st".to_owned(),
            keyword::DOES => "mv".to_owned(),
            _ if self.inside && self.fixed.contains(&atom.signature()) => format!("s_{name}"),
            _ => format!("g_{name}"),
        };
        self.application(&relation, &atom.args)
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Variable(variable) => variable.to_string().to_uppercase(),
            Term::Constant(name) => self.application(self.book.symbols.name(*name), &[]),
            Term::Compound(name, args) => self.application(self.book.symbols.name(*name), args),
        }
    }

    fn application(&self, name: &str, args: &[Term]) -> String {
        let name = escaped(name);
        if args.is_empty() {
            return format!("'{name}'");
        }
        let args: Vec<String> = args.iter().map(|arg| self.term(arg)).collect();
        format!("'{name}'({})", args.join(", "))
    }
}

fn is_bound(literal: &Literal, bound: &IdSet<gdl::VarId>) -> bool {
    let mut needed = IdSet::new();
    literal.collect_variables(&mut needed);
    needed.iter().all(|variable| bound.contains(variable))
}

fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\'', "\\'")
}

#[cfg(test)]
mod tests {
    use super::translate;

    fn prolog(sheet: &str) -> String {
        let reading = gdl::read(gdl::Source::new("sheet", sheet), &gdl::ReadOptions::default());
        translate(&reading.rulebook.expect("the sheet is sound"))
    }

    #[test]
    fn relations_are_told_apart_by_what_they_depend_on() {
        let text = prolog(
            "(role x) (n 1) (n 2) (init (at 1)) (<= (big ?a) (n ?a) (distinct ?a 1))
             (<= (legal x (go ?a)) (not (true (at ?a))) (big ?a))
             (<= (next (at ?a)) (does x (go ?a))) (<= terminal (true (at 2))) (goal x 100)",
        );
        assert!(text.contains("static_relation('big', 1)."), "{text}");
        assert!(text.contains("'s_big'(V0) :-\n    's_n'(V0),\n    V0 \\== '1'."), "{text}");
        assert!(
            text.contains("'g_legal'('x', 'go'(V0)) :-\n    'g_big'(V0),\n    \\+ 'st'('at'(V0)).")
        );
        assert!(text.contains("'g_next'('at'(V0)) :-\n    'mv'('x', 'go'(V0))."), "{text}");
    }
}
