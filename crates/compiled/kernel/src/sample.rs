//! Random small games for the tests: networks whose groups hold by construction.

use std::ops::Range;
use std::sync::Arc;

use index::{Id, IndexVec};
use net::random::Random;
use net::{BaseId, GateId, Gates, InputId, Net, NetRole};

use crate::expand::Casting;

/// Shape of a random game.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Sizes of the groups of which exactly one member holds.
    pub groups: Vec<usize>,
    /// Propositions in no group.
    pub raw: usize,
    /// Moves of each role.
    pub moves: Vec<usize>,
    /// Random gates that the outputs are chosen from.
    pub gates: usize,
}

/// A random game with its true groups.
pub(crate) struct Sample {
    pub net: Arc<Net>,
    pub groups: Vec<Vec<BaseId>>,
}

impl Shape {
    pub(crate) fn small(random: &mut Random) -> Self {
        Self {
            groups: (0..random.below(4)).map(|_| 2 + random.below(5)).collect(),
            raw: 4 + random.below(5),
            moves: (0..2 + random.below(3)).map(|_| 1 + random.below(4)).collect(),
            gates: 20 + random.below(60),
        }
    }

    fn bases(&self) -> usize {
        self.raw + self.groups.iter().sum::<usize>()
    }
}

/// `count` random gates over the pool, which they join.
pub(crate) fn grow(gates: &mut Gates, pool: &mut Vec<GateId>, count: usize, random: &mut Random) {
    for _ in 0..count {
        let (a, b) = (pool[random.below(pool.len())], pool[random.below(pool.len())]);
        let made = match random.below(6) {
            0 => gates.and(a, b),
            1 => gates.or(a, b),
            2 => gates.not(a),
            _ => exclusive(gates, a, b),
        };
        if made != Gates::FALSE && made != Gates::TRUE {
            pool.push(made);
        }
    }
}

/// Whether exactly one of two gates holds; keeps a random network from going constant.
fn exclusive(gates: &mut Gates, a: GateId, b: GateId) -> GateId {
    let (any, both) = (gates.or(a, b), gates.and(a, b));
    let not_both = gates.not(both);
    gates.and(any, not_both)
}

/// A gate for each of `count` alternatives, exactly one of which holds: the first that is chosen,
/// else the last.
fn one_of(gates: &mut Gates, pool: &[GateId], count: usize, random: &mut Random) -> Vec<GateId> {
    let mut none_before = Gates::TRUE;
    let mut chosen = Vec::new();
    for _ in 1..count {
        let pick = pool[random.below(pool.len())];
        chosen.push(gates.and(none_before, pick));
        let not = gates.not(pick);
        none_before = gates.and(none_before, not);
    }
    chosen.push(none_before);
    chosen
}

/// A random game of this shape, in which every role always has a legal move and the goals of a
/// role exclude each other.
pub(crate) fn sample(shape: &Shape, random: &mut Random) -> Sample {
    let mut gates = Gates::new();
    let mut pool: Vec<GateId> =
        (0..shape.bases()).map(|at| gates.base(BaseId::from_index(at))).collect();
    grow(&mut gates, &mut pool, shape.gates, random);
    let inputs: usize = shape.moves.iter().sum();
    let mut legal = Vec::new();
    let mut roles = IndexVec::new();
    for (at, &moves) in shape.moves.iter().enumerate() {
        let range = legal.len()..legal.len() + moves;
        roles.push(role(at, range, &mut gates, &pool, random));
        let some: Vec<GateId> = (1..moves).map(|_| pool[random.below(pool.len())]).collect();
        let any = gates.any(&some);
        legal.push(gates.not(any));
        legal.extend(some);
    }
    let ends: Vec<GateId> = (0..5).map(|_| pool[random.below(pool.len())]).collect();
    let terminal = gates.all(&ends);
    let played: Vec<GateId> = (0..inputs).map(|at| gates.does(InputId::from_index(at))).collect();
    let moved = |at: usize| played[at % inputs];
    let pool: Vec<GateId> =
        pool.iter().enumerate().map(|(at, &gate)| exclusive(&mut gates, gate, moved(at))).collect();
    let (next, init, groups) = update_part(shape, &mut gates, &pool, random);
    let net = Net {
        gates,
        bases: (0..shape.bases()).map(|at| format!("b{at}")).collect(),
        inputs: (0..inputs).map(|at| format!("i{at}")).collect(),
        roles,
        init,
        legal: legal.into(),
        terminal,
        next: next.into(),
    };
    Sample { net: Arc::new(net), groups }
}

fn role(
    at: usize,
    inputs: Range<usize>,
    gates: &mut Gates,
    pool: &[GateId],
    random: &mut Random,
) -> NetRole {
    let goals = one_of(gates, pool, 3, random);
    NetRole {
        name: format!("role{at}"),
        inputs,
        goals: [0, 40, 100].into_iter().zip(goals).collect(),
    }
}

type UpdatePart = (Vec<GateId>, Vec<BaseId>, Vec<Vec<BaseId>>);

fn update_part(
    shape: &Shape,
    gates: &mut Gates,
    pool: &[GateId],
    random: &mut Random,
) -> UpdatePart {
    let mut next: Vec<GateId> = (0..shape.raw).map(|_| pool[random.below(pool.len())]).collect();
    let mut init: Vec<BaseId> =
        (0..shape.raw).filter(|_| random.below(2) == 0).map(BaseId::from_index).collect();
    let mut groups = Vec::new();
    for &size in &shape.groups {
        let members: Vec<BaseId> =
            (next.len()..next.len() + size).map(BaseId::from_index).collect();
        init.push(members[random.below(size)]);
        match random.below(4) {
            0 => next.extend(members.iter().map(|&base| gates.base(base))),
            1 => next.extend((1..=size).map(|at| gates.base(members[at % size]))),
            _ => next.extend(one_of(gates, pool, size, random)),
        }
        groups.push(members);
    }
    (next, init, groups)
}

/// Parts for the roles: the first is asked about, the last is chance, those between oppose.
pub(crate) fn casting(net: &Net) -> Casting {
    let roles: Vec<gdl::RoleId> = net.roles.ids().collect();
    let (chance, others) = roles.split_last().expect("a game has roles");
    Casting {
        asked: others[0],
        opponents: others[1..].to_vec(),
        chance: vec![*chance],
        payoffs: std::array::from_fn(|goal| goal as u32),
        goal_optional: true,
    }
}
