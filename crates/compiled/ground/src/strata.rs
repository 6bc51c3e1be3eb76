//! What depends on what: relations that can change, and the order of evaluation of the others.
//!
//! Always: `changes` holds exactly for relations that depend on `true` or `does` through rules,
//! and for `next`, `legal`, `goal` and `terminal` themselves. A relation that does not change
//! stands in a stratum above all that it negates; everything that changes is the last stratum, and
//! so is what waits for demands. Demands themselves do not count as change: they only narrow.

use index::{IdSet, IndexVec};

use crate::fault::GroundFault;
use crate::program::{PatternRule, Program, RelationId, Relations};

/// The strata of a program.
pub(crate) struct Strata {
    /// The stratum of each relation.
    pub(crate) of: IndexVec<RelationId, usize>,
    /// Number of strata, that of the changing relations included.
    pub(crate) count: usize,
    changes: Flags,
}

impl Strata {
    /// Whether a relation depends on the state or the moves.
    pub(crate) fn changes(&self, relation: RelationId) -> bool {
        self.changes[relation]
    }

    /// The strata of a program of which some relations are demands.
    pub(crate) fn of_program(
        program: &Program,
        demands: &IdSet<RelationId>,
    ) -> Result<Self, GroundFault> {
        let changes = changing(program, demands);
        let late = waiting(program, demands, &changes);
        for fixed in [Relations::init(), Relations::role()] {
            if changes[fixed] {
                let mut heads = program.rules.iter().filter(|rule| rule.head.relation == fixed);
                let span = heads.find(|rule| reads_change(rule, &changes)).map(|rule| rule.span);
                let message = "`init` and `role` cannot depend on the state or the moves";
                return Err(GroundFault::new("state-in-fixed", span, message));
            }
        }
        let mut of = levels(program, &late)?;
        let last = of.iter().max().map_or(0, |&top| top + 1);
        for relation in program.relations.ids().filter(|&q| late[q]) {
            of[relation] = last;
        }
        Ok(Self { of, count: last + 1, changes })
    }
}

fn reads_change(rule: &PatternRule, changes: &Flags) -> bool {
    rule.positive.iter().chain(&rule.negative).any(|atom| changes[atom.relation])
}

type Flags = IndexVec<RelationId, bool>;

fn changing(program: &Program, demands: &IdSet<RelationId>) -> Flags {
    let mut changes = IndexVec::filled(false, program.relations.len());
    for seed in [
        Relations::truth(),
        Relations::next(),
        Relations::does(),
        Relations::legal(),
        Relations::goal(),
        Relations::terminal(),
    ] {
        changes[seed] = true;
    }
    spread(program, &mut changes, |relation| !demands.contains(relation));
    changes
}

/// What changes or waits for demands.
fn waiting(program: &Program, demands: &IdSet<RelationId>, changes: &Flags) -> Flags {
    let mut late = changes.clone();
    demands.iter().for_each(|demand| late[demand] = true);
    spread(program, &mut late, |_| true);
    late
}

/// Marks the heads of rules that read a marked relation, where `may` allows it.
fn spread(program: &Program, marked: &mut Flags, may: impl Fn(RelationId) -> bool) {
    let mut grew = true;
    while grew {
        grew = false;
        for rule in program.rules.iter().filter(|rule| may(rule.head.relation)) {
            if !marked[rule.head.relation] && reads_change(rule, marked) {
                marked[rule.head.relation] = true;
                grew = true;
            }
        }
    }
}

/// Strata of the relations before the last.
fn levels(program: &Program, late: &Flags) -> Result<IndexVec<RelationId, usize>, GroundFault> {
    let mut level = IndexVec::filled(0, program.relations.len());
    let mut grew = true;
    while grew {
        grew = false;
        for rule in program.rules.iter().filter(|rule| !late[rule.head.relation]) {
            let above = rule.negative.iter().map(|atom| level[atom.relation] + 1);
            let beside = rule.positive.iter().map(|atom| level[atom.relation]);
            let least = above.chain(beside).max().unwrap_or(0);
            if least > program.relations.len() {
                let message = "a relation depends on its own negation";
                return Err(GroundFault::new("negative-cycle", Some(rule.span), message));
            }
            if level[rule.head.relation] < least {
                level[rule.head.relation] = least;
                grew = true;
            }
        }
    }
    Ok(level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheets;
    use crate::terms::TermTable;

    fn program(text: &str) -> Program {
        Program::of(&sheets::rulebook(text), &mut TermTable::default()).expect("well formed")
    }

    #[test]
    fn negation_lifts_a_relation_and_change_spreads() {
        let program = program(
            "(role x) (p 1) (q 2) (<= (r ?a) (p ?a) (not (q ?a))) (<= (s ?a) (true (c ?a)))
             (<= terminal (r ?a)) (<= (goal x 100) (s ?a)) (legal x noop)",
        );
        let strata = Strata::of_program(&program, &IdSet::new()).expect("stratified");
        let head = |at: usize| program.rules[at].head.relation;
        assert_eq!(strata.of[head(1)] + 1, strata.of[head(3)]);
        assert!(!strata.changes(head(3)) && strata.changes(head(4)));
        assert_eq!(strata.of[head(4)] + 1, strata.count);
    }
}
