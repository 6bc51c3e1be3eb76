//! Rulebook to ground rules: the least model of the rules' relaxation, bottom-up.
//!
//! The way: rules over patterns (`program`), split where a variable can be forgotten (`split`),
//! ordered by what they negate (`strata`); relations seen through patterns (`view`), joins planned
//! by size (`plan`) and run (`join`) to the least model (`model`); the instances of every rule over
//! that model (`emit`), folded to what can change and is needed (`simplify`), numbered (`finish`).
//! Always: everything that can hold in a reachable state is kept, and the rules that are left give
//! every reachable state the same legal moves, goals, end and (where it is not the end) successors
//! as the rulebook does.
//! The result depends on the rulebook alone: no order of a hash table shows.
//!
//! Nothing here knows a gate or a bit.
#![forbid(unsafe_code)]

#[cfg(test)]
mod agreement;
mod demand;
mod emit;
mod fault;
mod finish;
mod join;
mod model;
mod pattern;
mod plan;
mod program;
mod rules;
#[cfg(test)]
mod sheets;
mod simplify;
mod split;
mod strata;
mod terms;
mod text;
mod tuples;
mod verify;
mod view;

pub use fault::{GroundFault, GroundLimits};
pub use rules::{
    AtomId, AtomKind, BaseId, GroundLiteral, GroundRole, GroundRule, GroundRules, Input, InputId,
    TermId, Terms,
};
pub use verify::verify;

use gdl::Rulebook;
use index::IdSet;

use crate::emit::{Numbering, Raw, instances};
use crate::fault::Watch;
use crate::finish::Finish;
use crate::model::Model;
use crate::program::{Program, RelationId, Relations};
use crate::simplify::{Classes, simplify};
use crate::split::Depth;
use crate::strata::Strata;
use crate::terms::TermTable;

/// Join steps of every attempt of the second round.
const SECOND_BUDGET: u64 = 1 << 25;

/// How many times as many steps each later round of attempts may take.
const GROWTH: u64 = 8;

/// How rules are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Manner {
    /// Whether helpers are evaluated only as far as their callers ask, or in full.
    demanded: bool,
    /// How far rules are split.
    depth: Depth,
    /// Join steps of the first attempt: most sheets need few, whatever the manner, and what a manner
    /// is for shows early.
    first_budget: u64,
}

impl Manner {
    /// Join steps of the attempt of this round.
    fn budget(self, round: u32) -> u64 {
        match round.checked_sub(1) {
            None => self.first_budget,
            Some(later) => SECOND_BUDGET.saturating_mul(GROWTH.saturating_pow(later)),
        }
    }
}

/// The manners, in the order in which they are tried.
const MANNERS: [Manner; 4] = [
    Manner { demanded: false, depth: Depth::Ears, first_budget: 1 << 18 },
    Manner { demanded: true, depth: Depth::Ears, first_budget: 1 << 20 },
    Manner { demanded: false, depth: Depth::Cuts, first_budget: 1 << 23 },
    Manner { demanded: true, depth: Depth::Cuts, first_budget: 1 << 20 },
];

/// Grounds a rulebook.
///
/// Helpers are evaluated in full, and where that takes long, as far as they are asked for, and with
/// rules cut into narrower ones; the manners take turns with growing budgets of steps, so that none
/// can hold the others up.
///
/// # Errors
/// What the author got wrong and only grounding shows (a domain that grows, a goal out of range, a
/// role that can never move), or a limit that was met.
pub fn ground(rulebook: &Rulebook, limits: &GroundLimits<'_>) -> Result<GroundRules, GroundFault> {
    let mut round = 0;
    // The first fault that another manner may not have, and the manners that have one.
    let (mut first, mut failed) = (None, [false; MANNERS.len()]);
    loop {
        for (at, &manner) in MANNERS.iter().enumerate() {
            if failed[at] {
                continue;
            }
            let last = failed.iter().filter(|&&failed| !failed).count() == 1;
            let budget = if last { u64::MAX } else { manner.budget(round) };
            match attempt(rulebook, manner, &mut Watch::new(rulebook, limits, budget)) {
                Err(fault) if fault.code == fault::OVER_BUDGET => {}
                Err(fault) if ["ground-limit", "domain-grows"].contains(&fault.code) => {
                    failed[at] = true;
                    let fault = first.get_or_insert(fault);
                    if last {
                        return Err(fault.clone());
                    }
                }
                settled => return settled,
            }
        }
        round += 1;
    }
}

fn attempt(
    rulebook: &Rulebook,
    manner: Manner,
    watch: &mut Watch<'_>,
) -> Result<GroundRules, GroundFault> {
    let mut table = TermTable::default();
    let mut program = Program::of(rulebook, &mut table)?;
    let mut demands = IdSet::new();
    if manner.demanded {
        demands = demand::restrict(&mut program)?;
    }
    split::split_rules(&mut program, manner.depth);
    let strata = Strata::of_program(&program, &demands)?;
    let mut model = Model::new(program, table, &strata);
    model.complete(&strata, watch)?;
    let (numbering, raw) = instances(&mut model, &strata, watch)?;
    watch.pause()?;
    let folded = simplify(&raw, &classes(&model, &numbering, rulebook));
    drop(raw);
    watch.pause()?;
    let rules = Finish { rulebook, model, numbering, folded }.ground_rules()?;
    debug_assert_eq!(verify(&rules), Ok(()));
    Ok(rules)
}

/// What the atoms of the raw rules stand for.
fn classes(model: &Model, numbering: &Numbering, rulebook: &Rulebook) -> Classes {
    let range = |relation| {
        let first = numbering.atom(relation, 0);
        first..first + model.facts.tuples[Relations::store(relation)].len() as u32
    };
    let tuples = &model.facts.tuples;
    let init = &tuples[Relations::init()];
    let row = |at: usize| tuples[Relations::truth()].find(init.row(at));
    Classes {
        states: numbering.states,
        next: range(Relations::next()).start,
        does: range(Relations::does()).start,
        legal: range(Relations::legal()).start,
        moves: numbering.moves,
        playable: (0..numbering.moves)
            .map(|row| is_of_role(model, rulebook, Relations::legal(), row))
            .collect(),
        len: numbering.len,
        init: (0..init.len()).filter_map(row).collect(),
        terminal: range(Relations::terminal()).next(),
        outputs: outputs(model, numbering, rulebook),
    }
}

/// The atoms that a game is played by; what is legal for somebody who is no role, or his goal, is
/// none of them.
fn outputs(model: &Model, numbering: &Numbering, rulebook: &Rulebook) -> Vec<Raw> {
    let [legal, goal] = [Relations::legal(), Relations::goal()];
    let rows = |relation| 0..model.facts.tuples[Relations::store(relation)].len() as u32;
    let free = [Relations::next(), Relations::terminal()];
    let free = free.into_iter().flat_map(|q| rows(q).map(move |row| (q, row)));
    let owned = [legal, goal].into_iter().flat_map(|q| rows(q).map(move |row| (q, row)));
    let owned = owned.filter(|&(q, row)| is_of_role(model, rulebook, q, row));
    free.chain(owned).map(|(relation, row)| numbering.atom(relation, row)).collect()
}

/// Whether the first argument of a row is a role.
fn is_of_role(model: &Model, rulebook: &Rulebook, relation: RelationId, row: u32) -> bool {
    let who = model.facts.tuples[relation].row(row as usize)[0];
    let (name, args) = model.facts.table.node(who);
    args.is_empty() && rulebook.roles.iter().any(|&role| role == name)
}
