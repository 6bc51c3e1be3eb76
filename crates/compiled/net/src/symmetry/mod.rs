//! Symmetries of a game: rotations and mirrors of boards, pieces that can be exchanged.
//!
//! An *automorphism* is a permutation of propositions and one of moves, each role's moves onto the
//! same role's, that maps the initial state to itself, the end of the game and the asked role's
//! goals to themselves, the legality of each move to that of the move it becomes, and the successor
//! of each proposition to that of the proposition it becomes. So a state and its image have the
//! same value for the asked role, chance included: legal moves are equally many on both sides, and
//! chance is uniform over them. And since the initial state stays, all images of reachable states
//! are reachable, in as many steps. What would not map the initial state to itself keeps values as
//! well, but then images need not be reachable, so that counts would be lost; it is not sought.
//!
//! Found by colour refinement and a search without backtracking ([`search`]), of bounded work;
//! *proven* on the network: in a normal form that does not depend on the order of operands
//! ([`forms`]), each renamed output is the output of the renamed leaf. No sampling is involved.
//! Automorphisms that are not found, or not proven, are not used.
//!
//! Nothing here visits a state or changes a network.

mod forms;
mod group;
mod partition;
mod search;

use gdl::RoleId;
use ground::{BaseId, InputId};
use index::{Id, IndexVec};

use crate::gates::Net;
use forms::Forms;
use partition::Graph;

pub use group::{Renaming, elements};

/// Edges that a search looks at for each edge of the game's graph, and at least.
const WORK_PER_EDGE: u64 = 64;
const LEAST_WORK: u64 = 1 << 20;
const MOST_WORK: u64 = 1 << 26;
/// Gates of a network above which nothing is looked for: the search would not come to an end.
const LIMIT_GATES: usize = 1 << 20;

/// What propositions and moves become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automorphism {
    /// By proposition.
    pub bases: Renaming,
    /// By move.
    pub inputs: IndexVec<InputId, InputId>,
}

/// The symmetries of a game that were found and proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// Each moves some proposition; together they make the group.
    pub generators: Vec<Automorphism>,
    /// Number of automorphisms that they make, by what they do to propositions; at least so many
    /// where the search missed some on its way.
    pub order: u128,
    /// Whether the search ended by itself, and not by the limit on its work.
    pub is_complete: bool,
}

/// Finds symmetries of a game as the asked role sees it, and proves each.
pub fn find(net: &Net, asked: RoleId) -> Symmetry {
    let nothing = Symmetry { generators: Vec::new(), order: 1, is_complete: false };
    if net.gates.len() > LIMIT_GATES {
        return nothing;
    }
    let Some(forms) = Forms::new(net, asked) else { return nothing };
    let graph = Graph::new(&forms, &leaf_kinds(net));
    let work = (graph.edges() as u64 * WORK_PER_EDGE).clamp(LEAST_WORK, MOST_WORK);
    let accept = |found: &Automorphism| check(net, &forms, found).is_ok();
    let found = search::search(&forms, &graph, work, &accept);
    debug_assert!(found.generators.iter().all(|generator| moves_something(&generator.bases)));
    Symmetry { generators: found.generators, order: found.order, is_complete: found.is_complete }
}

/// Proves on the network that a renaming is an automorphism of the game as the asked role sees it.
///
/// # Errors
/// What it does not keep, in words; also where that cannot be shown.
pub fn prove(net: &Net, asked: RoleId, renaming: &Automorphism) -> Result<(), String> {
    let forms = Forms::new(net, asked).ok_or("the normal form is too large")?;
    check(net, &forms, renaming)
}

fn check(net: &Net, forms: &Forms, renaming: &Automorphism) -> Result<(), String> {
    if !is_permutation(&renaming.bases, net.bases.len()) {
        return Err("propositions are not permuted".to_owned());
    }
    if !is_permutation(&renaming.inputs, net.inputs.len()) {
        return Err("moves are not permuted".to_owned());
    }
    let keeps_role = |(from, to): (InputId, &InputId)| {
        let role = net.roles.iter().find(|role| role.inputs.contains(&from.index()));
        role.is_some_and(|role| role.inputs.contains(&to.index()))
    };
    if !renaming.inputs.enumerate().all(keeps_role) {
        return Err("a move becomes another role's".to_owned());
    }
    let mut image: Vec<BaseId> = net.init.iter().map(|base| renaming.bases[*base]).collect();
    image.sort_unstable();
    if image != net.init {
        return Err("the initial state becomes another one".to_owned());
    }
    forms.are_kept_by(renaming)
}

fn is_permutation<I: Id>(images: &IndexVec<I, I>, count: usize) -> bool {
    let mut seen = vec![false; count];
    let fresh = |to: &I| {
        let place = seen.get_mut(to.index());
        place.is_some_and(|seen| !std::mem::replace(seen, true))
    };
    images.len() == count && images.iter().all(fresh)
}

fn moves_something(renaming: &Renaming) -> bool {
    renaming.enumerate().any(|(from, to)| from != *to)
}

/// What tells leaves apart before any gate is looked at: propositions by the initial state, moves
/// by their roles.
fn leaf_kinds(net: &Net) -> Vec<u64> {
    let mut kinds = vec![0; net.bases.len()];
    net.init.iter().for_each(|base| kinds[base.index()] = 1);
    for (role, held) in net.roles.enumerate() {
        kinds.extend(held.inputs.clone().map(|_| 2 + role.index() as u64));
    }
    kinds
}

impl Automorphism {
    /// What it does, shortly: a few cycles of moves, or of propositions where no move becomes
    /// another one.
    pub fn text(&self, net: &Net) -> String {
        let moves = cycles(&self.inputs, &net.inputs);
        if moves.is_empty() { cycles(&self.bases, &net.bases) } else { moves }
    }
}

/// Cycles that are shown of one automorphism, and members of one cycle.
const SHOWN_CYCLES: usize = 3;
const SHOWN_MEMBERS: usize = 4;

fn cycles<I: Id>(images: &IndexVec<I, I>, names: &IndexVec<I, String>) -> String {
    let mut seen = vec![false; images.len()];
    let (mut shown, mut more) = (Vec::new(), 0);
    for first in images.ids() {
        let mut members = Vec::new();
        let mut at = first;
        while !std::mem::replace(&mut seen[at.index()], true) {
            members.push(names[at].as_str());
            at = images[at];
        }
        let text = match members.len() {
            0 | 1 => continue,
            2 => format!("{} <-> {}", members[0], members[1]),
            3..=SHOWN_MEMBERS => format!("{} -> {}", members.join(" -> "), members[0]),
            _ => format!("{} -> ...", members[..SHOWN_MEMBERS].join(" -> ")),
        };
        // Roles often have moves of the same names.
        if shown.len() < SHOWN_CYCLES && !shown.contains(&text) {
            shown.push(text);
        } else if !shown.contains(&text) {
            more += 1;
        }
    }
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}
