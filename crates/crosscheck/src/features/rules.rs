//! Features that the rules show without being played.

use std::collections::{BTreeMap, BTreeSet};

use gdl::{Literal, Rule, Rulebook, SymbolId, keyword};

use super::Feature;

/// A relation: a name with an arity.
type Relation = (SymbolId, usize);

pub(super) fn features(rulebook: &Rulebook) -> BTreeSet<Feature> {
    let web = Web::new(rulebook);
    let players = rulebook.roles.iter().filter(|role| **role != keyword::RANDOM).count();
    let heads = |name: SymbolId| rulebook.rules.iter().any(|rule| rule.head.relation == name);
    let rows = [
        (Feature::SeveralPlayers, players > 1),
        (Feature::Chance, players < rulebook.roles.len()),
        (Feature::HelperChain, web.has_chain()),
        (Feature::Negation, web.denies().next().is_some()),
        (Feature::Strata, web.has_strata()),
        (Feature::Recursion, web.has_recursion()),
        (Feature::NestedTerms, rulebook.rules.iter().any(is_nested)),
        (Feature::NoBase, !heads(keyword::BASE)),
        (Feature::NoInput, !heads(keyword::INPUT)),
    ];
    rows.into_iter().filter(|row| row.1).map(|row| row.0).collect()
}

/// Whether a function stands inside a function.
fn is_nested(rule: &Rule) -> bool {
    let of_body = rule.body.iter().filter_map(Literal::atom).flat_map(|atom| atom.args.iter());
    rule.head.args.iter().chain(of_body).any(|term| term.depth() > 2)
}

/// Which helper needs which: relations that rules with conditions conclude and GDL gives no meaning.
struct Web {
    /// What each needs, and whether a rule denies it.
    needs: BTreeMap<Relation, BTreeSet<(Relation, bool)>>,
    /// Relations that depend on the state or the joint move.
    changing: BTreeSet<Relation>,
}

impl Web {
    fn new(rulebook: &Rulebook) -> Self {
        let is_helper = |relation: Relation| !relation.0.is_keyword();
        let mut needs: BTreeMap<Relation, BTreeSet<(Relation, bool)>> = BTreeMap::new();
        for rule in &rulebook.rules {
            let row = needs.entry(rule.head.signature()).or_default();
            for literal in &rule.body {
                let denied = matches!(literal, Literal::Negative(_));
                row.extend(literal.atom().map(|atom| (atom.signature(), denied)));
            }
        }
        let mut changing = BTreeSet::from([(keyword::TRUE, 1), (keyword::DOES, 2)]);
        loop {
            let more =
                needs.iter().filter(|(_, row)| row.iter().any(|need| changing.contains(&need.0)));
            let more: Vec<Relation> = more.map(|(head, _)| *head).collect();
            let held = changing.len();
            changing.extend(more);
            if changing.len() == held {
                break;
            }
        }
        needs.retain(|head, _| is_helper(*head) && changing.contains(head));
        let helpers: BTreeSet<Relation> = needs.keys().copied().collect();
        needs.values_mut().for_each(|row| row.retain(|need| helpers.contains(&need.0)));
        Self { needs, changing }
    }

    fn needed(&self, by: Relation) -> impl Iterator<Item = &(Relation, bool)> {
        self.needs.get(&by).into_iter().flatten()
    }

    /// Three helpers, each over the next.
    fn has_chain(&self) -> bool {
        self.needs.keys().any(|first| {
            let seconds = self.needed(*first).filter(|second| second.0 != *first);
            seconds.into_iter().any(|(second, _)| {
                self.needed(*second).any(|(third, _)| third != second && third != first)
            })
        })
    }

    /// A helper and one that its rules deny.
    fn denies(&self) -> impl Iterator<Item = (Relation, Relation)> + '_ {
        self.needs.iter().flat_map(|(head, row)| {
            row.iter().filter(|need| need.1).map(move |need| (*head, need.0))
        })
    }

    /// A helper that is denied and itself needs, by some way, one that is denied.
    fn has_strata(&self) -> bool {
        let deniers: BTreeSet<Relation> = self.denies().map(|(head, _)| head).collect();
        self.denies().any(|(_, denied)| {
            deniers.contains(&denied) || self.reach(denied).intersection(&deniers).next().is_some()
        })
    }

    fn has_recursion(&self) -> bool {
        self.needs.keys().any(|relation| {
            self.changing.contains(relation) && self.reach(*relation).contains(relation)
        })
    }

    /// All helpers that one needs, by one step or more.
    fn reach(&self, from: Relation) -> BTreeSet<Relation> {
        let (mut found, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(relation) = open.pop() {
            let new = self.needed(relation).filter(|need| !found.contains(&need.0));
            let new: Vec<Relation> = new.map(|need| need.0).collect();
            found.extend(new.iter().copied());
            open.extend(new);
        }
        found
    }
}
