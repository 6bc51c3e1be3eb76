//! Rulebook to ground rules: the least model of the rules' relaxation, bottom-up.
//!
//! The way: rules over patterns (`program`), split where a variable can be forgotten (`split`),
//! ordered by what they negate (`strata`); relations seen through patterns (`view`), joins planned
//! by size (`plan`) and run (`join`) to the least model (`model`); the instances of every rule over
//! that model (`emit`), folded to what can change and is needed (`simplify`), numbered (`finish`).
//! Always: everything that can hold in a reachable state is kept, and the rules that are left give
//! every reachable state the same legal moves, goals, end and successors as the rulebook does.
//! The result depends on the rulebook alone: no order of a hash table shows.
//!
//! Nothing here knows a gate or a bit.
#![forbid(unsafe_code)]

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

use crate::emit::{Numbering, instances};
use crate::fault::Watch;
use crate::finish::Finish;
use crate::model::Model;
use crate::program::{Program, Relations};
use crate::simplify::{Classes, simplify};
use crate::strata::Strata;
use crate::terms::TermTable;

/// Grounds a rulebook.
///
/// # Errors
/// What the author got wrong and only grounding shows (a domain that grows, a goal out of range, a
/// role that can never move), or a limit that was met.
pub fn ground(rulebook: &Rulebook, limits: &GroundLimits<'_>) -> Result<GroundRules, GroundFault> {
    let mut watch = Watch::new(limits);
    let mut table = TermTable::default();
    let mut program = Program::of(rulebook, &mut table)?;
    split::split_rules(&mut program);
    let strata = Strata::of_program(&program)?;
    let mut model = Model::new(program, table, &strata);
    model.complete(&strata, &mut watch)?;
    let (numbering, raw) = instances(&mut model, &strata, &mut watch)?;
    let folded = simplify(&raw, &classes(&model, &numbering));
    drop(raw);
    let rules = Finish { rulebook, model, numbering, folded }.ground_rules()?;
    debug_assert_eq!(verify(&rules), Ok(()));
    Ok(rules)
}

/// What the atoms of the raw rules stand for.
fn classes(model: &Model, numbering: &Numbering) -> Classes {
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
        len: numbering.len,
        init: (0..init.len()).filter_map(row).collect(),
        outputs: [Relations::next(), Relations::legal(), Relations::goal(), Relations::terminal()]
            .map(range)
            .to_vec(),
    }
}
