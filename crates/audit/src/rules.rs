//! A network against the ground rules that it was made from.
//!
//! An atom holds where the body of one of its rules does: that is written down rule by rule, with
//! none of the folding, sharing and cofactors of the network, and compared output by output. Where
//! atoms need each other in a circle, which has a least solution that this form does not give, the
//! claim stays open.

use ground::{AtomId, AtomKind, GroundRules};
use index::IndexVec;
use net::Net;
use z3::ast::Bool;

use crate::limits::Limits;
use crate::miter::{Difference, Miter};
use crate::nets;
use crate::outcome::Outcome;

/// Whether every output of the network is what the rules say, in every state.
pub fn net_follows_rules(rules: &GroundRules, net: &Net, limits: Limits) -> Outcome<Difference> {
    let mut miter = Miter::default();
    nets::add(net, 0, &mut miter);
    match (Writer { rules, miter: &mut miter }).values() {
        Some(values) => add(rules, &values, &mut miter),
        None => return Outcome::Open("atoms need each other in a circle".into()),
    }
    miter.judge(limits)
}

fn add(rules: &GroundRules, values: &IndexVec<AtomId, Bool>, miter: &mut Miter) {
    for (atom, kind) in rules.atoms.enumerate() {
        let name = match *kind {
            AtomKind::Legal(input) => format!("legal {}", move_name(rules, input)),
            AtomKind::Terminal => "terminal".into(),
            AtomKind::Goal(role, value) => format!("goal {} {value}", rules.roles[role].name),
            AtomKind::Next(base) => format!("next {}", rules.base_texts[base]),
            AtomKind::True(_) | AtomKind::Does(_) | AtomKind::Helper => continue,
        };
        miter.output(1, name, values[atom].clone());
    }
    for base in &rules.init {
        miter.output(1, format!("init {}", rules.base_texts[*base]), Bool::from_bool(true));
    }
}

fn move_name(rules: &GroundRules, input: ground::InputId) -> String {
    let input = &rules.inputs[input];
    format!("{} {}", rules.roles[input.role].name, input.text)
}

struct Writer<'a> {
    rules: &'a GroundRules,
    miter: &'a mut Miter,
}

impl Writer<'_> {
    /// By atom: its value over the leaves; none where atoms need each other.
    fn values(mut self) -> Option<IndexVec<AtomId, Bool>> {
        let rules = self.rules;
        let mut rules_of: IndexVec<AtomId, Vec<usize>> =
            IndexVec::filled(Vec::new(), rules.atoms.len());
        for (at, rule) in rules.rules.iter().enumerate() {
            rules_of[rule.head].push(at);
        }
        let mut values: IndexVec<AtomId, Option<Bool>> = IndexVec::filled(None, rules.atoms.len());
        for atom in order(rules, &rules_of)? {
            values[atom] = Some(self.value(atom, &rules_of[atom], &values));
        }
        let value = |value: &Option<Bool>| value.clone().expect("every atom is in the order");
        Some(values.iter().map(value).collect())
    }

    fn value(
        &mut self,
        atom: AtomId,
        rules_of: &[usize],
        values: &IndexVec<AtomId, Option<Bool>>,
    ) -> Bool {
        match self.rules.atoms[atom] {
            AtomKind::True(base) => {
                return self.miter.leaf(format!("true {}", self.rules.base_texts[base]));
            }
            AtomKind::Does(input) => {
                return self.miter.leaf(format!("does {}", move_name(self.rules, input)));
            }
            _ => {}
        }
        let body = |rule: &usize| {
            let literals = self.rules.rules[*rule].body.iter().map(|literal| {
                let value = values[literal.atom].as_ref().expect("bodies come first");
                if literal.negated { value.not() } else { value.clone() }
            });
            Bool::and(&literals.collect::<Vec<_>>())
        };
        Bool::or(&rules_of.iter().map(body).collect::<Vec<_>>())
    }
}

/// All atoms, those of bodies before their heads; none where that cannot be.
fn order(rules: &GroundRules, rules_of: &IndexVec<AtomId, Vec<usize>>) -> Option<Vec<AtomId>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Entered,
        Left,
    }
    let mut visits = IndexVec::filled(Visit::New, rules.atoms.len());
    let mut order = Vec::new();
    for root in rules.atoms.ids() {
        let mut stack = vec![root];
        while let Some(&atom) = stack.last() {
            if visits[atom] != Visit::New {
                stack.pop();
                if visits[atom] == Visit::Entered {
                    order.push(atom);
                }
                visits[atom] = Visit::Left;
                continue;
            }
            visits[atom] = Visit::Entered;
            for literal in rules_of[atom].iter().flat_map(|rule| &rules.rules[*rule].body) {
                match visits[literal.atom] {
                    Visit::New => stack.push(literal.atom),
                    // Still open below this one: a circle.
                    Visit::Entered => return None,
                    Visit::Left => {}
                }
            }
        }
    }
    Some(order)
}
