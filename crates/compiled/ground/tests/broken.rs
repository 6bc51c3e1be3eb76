//! Ground rules in which one thing is broken are refused, each with what is wrong.

use gdl::{ReadOptions, Source, read};
use ground::{
    AtomId, AtomKind, BaseId, GroundLimits, GroundLiteral, GroundRule, GroundRules, InputId,
    ground, verify,
};
use index::Id;

/// Two roles, a helper that is negated, goals, a term within a term.
const SHEET: &str = "(role a) (role b) (init (at (one 1))) (init (free 1))
    (legal a go) (legal a stay) (legal b wait)
    (<= (next (at (one 2))) (does a go) busy) (<= (next (free 1)) (not busy))
    (<= busy (true (at (one 1))) (true (free 1)))
    (<= idle (not busy) (true (free 1)))
    (<= terminal idle) (<= (goal a 100) idle) (<= (goal a 0) busy) (<= (goal b 0) busy)";

fn whole() -> GroundRules {
    let reading = read(Source::new("test", SHEET), &ReadOptions::default());
    let rules = ground(&reading.rulebook.expect("in order"), &GroundLimits::default());
    rules.expect("it grounds")
}

/// What `verify` says of the rules after a change.
fn after(change: impl FnOnce(&mut GroundRules)) -> String {
    let mut rules = whole();
    change(&mut rules);
    verify(&rules).expect_err("it is broken")
}

fn atom(rules: &GroundRules, kind: AtomKind) -> AtomId {
    rules.atoms.enumerate().find(|(_, own)| **own == kind).expect("an atom of this kind").0
}

fn literal(atom: AtomId, negated: bool) -> GroundLiteral {
    GroundLiteral { atom, negated }
}

fn add(rules: &mut GroundRules, head: AtomId, body: Vec<GroundLiteral>) {
    rules.rules.push(GroundRule { head, body: body.into() });
    rules.spans.push(rules.spans[0]);
}

#[test]
fn the_rules_are_well_formed_as_they_are() {
    assert_eq!(verify(&whole()), Ok(()));
}

#[test]
fn broken_tables_are_told() {
    assert_eq!(after(|rules| rules.spans.clear()), "a rule without a place");
    assert!(
        after(|rules| {
            let _ = rules.base_texts.push("x".into());
        })
        .contains("without a text")
    );
    assert!(after(|rules| rules.init = vec![rules.init[0]; 2]).contains("not ascending"));
    assert!(after(|rules| rules.init.reverse()).contains("not ascending"));
    let own = |rules: &mut GroundRules| {
        let term = rules.terms.nodes.ids().next_back().expect("a term");
        rules.terms.nodes[term].1 = [term].into();
    };
    assert!(after(own).contains("holds a later term"));
    let past = |rules: &mut GroundRules| rules.init.push(BaseId::from_index(rules.bases.len()));
    assert_eq!(after(past), "init past the bases");
}

#[test]
fn broken_moves_of_roles_are_told() {
    let role = |at: usize| gdl::RoleId::from_index(at);
    assert!(after(|rules| rules.roles[role(1)].inputs.start = 1).contains("not consecutive"));
    assert!(after(|rules| rules.roles[role(0)].inputs.end = 0).contains("has no move"));
    assert!(after(|rules| rules.inputs[InputId::from_index(0)].role = role(1)).contains("another"));
    let more = |rules: &mut GroundRules| {
        let last = rules.inputs[InputId::from_index(2)].clone();
        let _ = rules.inputs.push(last);
    };
    assert_eq!(after(more), "a move of no role");
}

#[test]
fn atoms_that_name_what_is_not_there_or_stand_twice_are_told() {
    let with = |kind: fn(&GroundRules) -> AtomKind| {
        after(|rules| {
            let kind = kind(rules);
            let _ = rules.atoms.push(kind);
        })
    };
    let there = "names what is not there";
    assert!(with(|rules| AtomKind::True(BaseId::from_index(rules.bases.len()))).contains(there));
    assert!(with(|rules| AtomKind::Next(BaseId::from_index(rules.bases.len()))).contains(there));
    assert!(with(|rules| AtomKind::Does(InputId::from_index(rules.inputs.len()))).contains(there));
    assert!(
        with(|rules| AtomKind::Legal(InputId::from_index(9 + rules.inputs.len()))).contains(there)
    );
    assert!(with(|_| AtomKind::Goal(gdl::RoleId::from_index(2), 7)).contains(there));
    assert!(with(|_| AtomKind::Goal(gdl::RoleId::from_index(0), 101)).contains(there));
    assert!(with(|_| AtomKind::Terminal).contains("a second time"));
}

#[test]
fn broken_bodies_are_told() {
    let busy = |rules: &GroundRules| atom(rules, AtomKind::Helper);
    let first = |rules: &GroundRules| atom(rules, AtomKind::True(BaseId::from_index(0)));
    let end = |rules: &GroundRules| atom(rules, AtomKind::Terminal);
    let said = after(|rules| {
        let (head, body) = (first(rules), literal(busy(rules), false));
        add(rules, head, vec![body]);
    });
    assert!(said.contains("concludes a state or a move"), "{said}");
    let said = after(|rules| {
        let mut body = vec![literal(first(rules), false), literal(busy(rules), false)];
        body.sort_unstable();
        body.reverse();
        let head = end(rules);
        add(rules, head, body);
    });
    assert!(said.contains("is not sorted"), "{said}");
    let said = after(|rules| {
        let one = literal(first(rules), false);
        let head = end(rules);
        add(rules, head, vec![one, one]);
    });
    assert!(said.contains("is not sorted"), "{said}");
    let said = after(|rules| {
        let mut body = vec![literal(first(rules), false), literal(first(rules), true)];
        body.sort_unstable();
        let head = end(rules);
        add(rules, head, body);
    });
    assert!(said.contains("contradicts itself"), "{said}");
    let said = after(|rules| {
        let next = rules.atoms.enumerate().find(|(_, kind)| matches!(kind, AtomKind::Next(_)));
        let body = vec![literal(next.expect("one").0, false)];
        let head = end(rules);
        add(rules, head, body);
    });
    assert!(said.contains("reads the next state"), "{said}");
    let said = after(|rules| {
        let (head, new) = (end(rules), rules.atoms.push(AtomKind::Helper));
        add(rules, head, vec![literal(new, false)]);
    });
    assert!(said.contains("has no rule"), "{said}");
    let said = after(|rules| {
        let (head, new) = (end(rules), rules.atoms.push(AtomKind::Helper));
        add(rules, new, Vec::new());
        add(rules, head, vec![literal(new, false)]);
    });
    assert!(said.contains("always holds"), "{said}");
}

#[test]
fn a_view_of_moves_and_a_loop_through_negation_are_told() {
    let said = after(|rules| {
        let does = rules.atoms.enumerate().find(|(_, kind)| matches!(kind, AtomKind::Does(_)));
        let (does, head) = (does.expect("a move is read").0, atom(rules, AtomKind::Terminal));
        add(rules, head, vec![literal(does, false)]);
    });
    assert!(said.contains("depends on the move"), "{said}");
    let said = after(|rules| {
        let (a, b) = (rules.atoms.push(AtomKind::Helper), rules.atoms.push(AtomKind::Helper));
        add(rules, a, vec![literal(b, false)]);
        add(rules, b, vec![literal(a, true)]);
    });
    assert!(said.contains("depends on its own negation"), "{said}");
    let mut rules = whole();
    let (a, b) = (rules.atoms.push(AtomKind::Helper), rules.atoms.push(AtomKind::Helper));
    add(&mut rules, a, vec![literal(b, false)]);
    add(&mut rules, b, vec![literal(a, false)]);
    assert_eq!(verify(&rules), Ok(()), "a loop without negation is none of these");
}
