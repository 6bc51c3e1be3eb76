//! The phases of a game: who moves, and what waits to be tossed.
//!
//! Computed: a set of propositions that most moves of a role ask for (`(control x)`, all tosses),
//! closed under what their successors read; the states that this set runs through from the start;
//! and the network specialised for each of them and each joint move. Always: the set is guessed,
//! but what is said of it is proven: in every phase, each joint move leads to one phase, whatever
//! the other propositions are. Where that fails there are no phases, and the game is refused.

use gdl::RoleId;
use index::IdSet;
use net::{BaseId, Gate, GateId, Gates, InputId, Net, Substitution, support};
use rustc_hash::FxHashMap;

use crate::{Parts, Refusal};

/// Most propositions of a phase set.
const MOST_BASES: usize = 512;
/// Most phases.
const MOST_PHASES: usize = 96;
/// Most joint moves of all phases.
const MOST_JOINTS: usize = 4096;
/// Most outputs and leaves that are rebuilt.
const MOST_REBUILT: usize = 400_000;

/// A joint move in a phase.
#[derive(Clone, Debug)]
pub(crate) struct RawJoint {
    /// One move for each role in the order asked, opponents, chance.
    pub(crate) moves: Vec<InputId>,
    pub(crate) phase: usize,
    /// The successors of the propositions outside of phases, by their place in
    /// [`RawPhases::free`].
    pub(crate) next: Vec<GateId>,
}

/// The network in one phase.
#[derive(Clone, Debug)]
pub(crate) struct RawPhase {
    pub(crate) bases: Vec<BaseId>,
    pub(crate) terminal: GateId,
    /// Goals of the asked role.
    pub(crate) goals: Vec<(u8, GateId)>,
    /// For each role in the order asked, opponents, chance: the moves that may be legal.
    pub(crate) legal: Vec<Vec<(InputId, GateId)>>,
    /// Joint moves, asked outermost, chance innermost.
    pub(crate) joints: Vec<RawJoint>,
}

/// All phases, from that of the start on, and the arena of their gates.
#[derive(Clone, Debug)]
pub(crate) struct RawPhases {
    pub(crate) gates: Gates,
    pub(crate) free: Vec<BaseId>,
    pub(crate) phases: Vec<RawPhase>,
}

/// Roles in the order asked, opponents, chance.
pub(crate) fn seats(parts: &Parts) -> Vec<RoleId> {
    let mut seats = vec![parts.asked];
    seats.extend(&parts.opponents);
    seats.extend(&parts.chance);
    seats
}

/// The propositions that more than half of a role's moves ask for, closed under next.
fn phase_set(net: &Net) -> Result<IdSet<BaseId>, Refusal> {
    let mut open = Vec::new();
    for role in net.roles.ids() {
        let mut asked: FxHashMap<BaseId, usize> = FxHashMap::default();
        let mut moves = 0;
        for input in net.moves(role) {
            let (bases, _) = support(&net.gates, &[net.legal[input]]);
            moves += usize::from(!bases.is_empty());
            bases.into_iter().for_each(|base| *asked.entry(base).or_insert(0) += 1);
        }
        open.extend(asked.iter().filter(|(_, count)| 2 * **count > moves).map(|(base, _)| *base));
    }
    let mut set = IdSet::new();
    while let Some(base) = open.pop() {
        if set.insert(base) {
            if set.len() > MOST_BASES {
                return Err(Refusal("no few propositions tell whose turn it is"));
            }
            open.extend(support(&net.gates, &[net.next[base]]).0);
        }
    }
    Ok(set)
}

/// Enumerates the phases.
pub(crate) fn enumerate(net: &Net, parts: &Parts) -> Result<RawPhases, Refusal> {
    let set = phase_set(net)?;
    let free: Vec<BaseId> = net.bases.ids().filter(|base| !set.contains(*base)).collect();
    let start: Vec<BaseId> = net.init.iter().copied().filter(|base| set.contains(*base)).collect();
    let mut walk = Walk {
        net,
        seats: seats(parts),
        set: &set,
        found: FxHashMap::from_iter([(start.clone(), 0)]),
        order: vec![start],
        substitution: Substitution::new(),
        work: 0,
        joints: 0,
    };
    let mut raw = RawPhases { gates: Gates::new(), free, phases: Vec::new() };
    while raw.phases.len() < walk.order.len() {
        let phase = walk.phase(raw.phases.len(), &mut raw.gates, &raw.free)?;
        raw.phases.push(phase);
    }
    Ok(raw)
}

struct Walk<'a> {
    net: &'a Net,
    seats: Vec<RoleId>,
    set: &'a IdSet<BaseId>,
    found: FxHashMap<Vec<BaseId>, usize>,
    order: Vec<Vec<BaseId>>,
    substitution: Substitution,
    work: usize,
    joints: usize,
}

impl Walk<'_> {
    fn phase(
        &mut self,
        at: usize,
        gates: &mut Gates,
        free: &[BaseId],
    ) -> Result<RawPhase, Refusal> {
        let bases = self.order[at].clone();
        let goals = &self.net.roles[self.seats[0]].goals;
        let mut roots = vec![self.net.terminal];
        roots.extend(goals.iter().map(|(_, gate)| *gate));
        let shown = self.in_phase(&roots, gates, &bases)?;
        let goals = goals.iter().zip(&shown[1..]).map(|((value, _), gate)| (*value, *gate));
        let mut phase = RawPhase {
            terminal: shown[0],
            goals: goals.collect(),
            legal: Vec::new(),
            joints: Vec::new(),
            bases,
        };
        if phase.terminal == Gates::TRUE {
            return Ok(phase);
        }
        for &role in &self.seats.clone() {
            let moves: Vec<InputId> = self.net.moves(role).collect();
            let roots: Vec<GateId> = moves.iter().map(|input| self.net.legal[*input]).collect();
            let made = self.in_phase(&roots, gates, &phase.bases)?;
            let legal = moves.into_iter().zip(made).filter(|(_, gate)| *gate != Gates::FALSE);
            phase.legal.push(legal.collect());
        }
        let members = self.set.iter().chain(free.iter().copied());
        let roots: Vec<GateId> = members.map(|base| self.net.next[base]).collect();
        let next = self.in_phase(&roots, gates, &phase.bases)?;
        for moves in product(&phase.legal)? {
            let joint = self.joint(&next, moves, gates)?;
            phase.joints.push(joint);
        }
        self.joints += phase.joints.len();
        if self.joints > MOST_JOINTS {
            return Err(Refusal("there are too many joint moves"));
        }
        Ok(phase)
    }

    /// What a joint move does, from the successors of the phase.
    fn joint(
        &mut self,
        next: &[GateId],
        moves: Vec<InputId>,
        gates: &mut Gates,
    ) -> Result<RawJoint, Refusal> {
        let mut leaves = 0;
        let mut leaf = |gate: Gate| {
            leaves += 1;
            match gate {
                Gate::Does(input) => Some(constant(moves.contains(&input))),
                _ => None,
            }
        };
        let made = self.substitution.rebuild_within(gates, next, &mut leaf);
        self.spend(leaves + next.len())?;
        let (control, next) = made.split_at(self.set.len());
        if control.iter().any(|gate| ![Gates::TRUE, Gates::FALSE].contains(gate)) {
            return Err(Refusal("whose turn it is next depends on more than the move"));
        }
        let holds = self.set.iter().zip(control).filter(|(_, gate)| **gate == Gates::TRUE);
        let key: Vec<BaseId> = holds.map(|(base, _)| base).collect();
        let fresh = self.order.len();
        let phase = *self.found.entry(key.clone()).or_insert(fresh);
        if phase == fresh {
            self.order.push(key);
        }
        if self.order.len() > MOST_PHASES {
            return Err(Refusal("there are too many phases"));
        }
        Ok(RawJoint { moves, phase, next: next.to_vec() })
    }

    /// Outputs of the network in a phase.
    fn in_phase(
        &mut self,
        roots: &[GateId],
        gates: &mut Gates,
        bases: &[BaseId],
    ) -> Result<Vec<GateId>, Refusal> {
        let set = self.set;
        let mut leaves = 0;
        let mut leaf = |gate: Gate| {
            leaves += 1;
            match gate {
                Gate::Base(base) if set.contains(base) => {
                    Some(constant(bases.binary_search(&base).is_ok()))
                }
                _ => None,
            }
        };
        let made = self.substitution.rebuild(&self.net.gates, roots, gates, &mut leaf);
        self.spend(leaves + roots.len())?;
        Ok(made)
    }

    fn spend(&mut self, work: usize) -> Result<(), Refusal> {
        self.work += work;
        if self.work > MOST_REBUILT {
            return Err(Refusal("the network is too large to be taken apart"));
        }
        Ok(())
    }
}

fn constant(value: bool) -> GateId {
    if value { Gates::TRUE } else { Gates::FALSE }
}

/// All joint moves, the first role outermost.
fn product(legal: &[Vec<(InputId, GateId)>]) -> Result<Vec<Vec<InputId>>, Refusal> {
    let count = legal.iter().try_fold(1usize, |product, moves| product.checked_mul(moves.len()));
    if count.is_none_or(|count| count > MOST_JOINTS) {
        return Err(Refusal("there are too many joint moves"));
    }
    let mut joints = vec![Vec::new()];
    for moves in legal {
        let longer = |joint: &Vec<InputId>| {
            let joint = joint.clone();
            moves.iter().map(move |(input, _)| {
                let mut joint = joint.clone();
                joint.push(*input);
                joint
            })
        };
        joints = joints.iter().flat_map(longer).collect();
    }
    Ok(joints)
}
