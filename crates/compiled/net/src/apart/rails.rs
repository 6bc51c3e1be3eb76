//! On which parts the moves of a role bear, as functions of the clock.
//!
//! Computed: for each gate that legality reads, when it may hold and when it may fail, whatever
//! holds of the parts. Each is a gate over the clock: a proposition of a part may do both, and a
//! junction may what its operands may. Always: what cannot be by these gates cannot be; the other
//! way round nothing is said, as operands are taken for independent.
//!
//! A move bears on a part where something of the part reads it, and also where the part's state
//! tells whether it is legal: it is one of several to choose from there.

use gdl::RoleId;
use ground::{BaseId, InputId};
use index::{Id, IndexVec};
use rustc_hash::FxHashMap;

use super::{ClockSet, Home, Reads};
use crate::gates::{Gate, GateId, Gates, Net};
use crate::rebuild::cone;

/// Functions of the clock.
pub(super) struct Rails {
    pub(super) gates: Gates,
    /// By role and part, sorted: whether a move of the role bears on the part.
    pub(super) touches: Vec<((RoleId, usize), GateId)>,
    /// By role: whether some move is legal whatever holds of the parts.
    pub(super) sure: IndexVec<RoleId, GateId>,
    /// By move: whether it is legal whatever holds of the parts.
    pub(super) certain: IndexVec<InputId, GateId>,
    /// By move: what its legality reads.
    pub(super) reads: IndexVec<InputId, Reads>,
}

impl Rails {
    pub(super) fn new(net: &Net, clock: &ClockSet, home: &Home) -> Self {
        let mut gates = Gates::new();
        let rails = rails(net, clock, &mut gates);
        let read = Reads::all(&net.gates, home);
        let reads: IndexVec<InputId, Reads> = net.legal.iter().map(|gate| read[*gate]).collect();
        let certain: IndexVec<InputId, GateId> =
            net.legal.iter().map(|gate| gates.not(rails[gate].1)).collect();
        let mut sure = IndexVec::new();
        let mut touches = Vec::new();
        for role in net.roles.ids() {
            let mut touched: FxHashMap<usize, Vec<GateId>> = FxHashMap::default();
            let mut surely = Vec::new();
            for input in net.moves(role) {
                let (may, may_not) = rails[&net.legal[input]];
                surely.push(certain[input]);
                if let Some(part) = home.inputs[input] {
                    touched.entry(part).or_default().push(may);
                    continue;
                }
                let either = gates.and(may, may_not);
                let told = match reads[input] {
                    Reads::Clock => Vec::new(),
                    Reads::Part(part) => vec![part],
                    Reads::Several => home.read_by(&net.gates, net.legal[input]),
                };
                told.into_iter().for_each(|part| touched.entry(part).or_default().push(either));
            }
            sure.push(gates.any(&surely));
            let mut touched: Vec<(usize, Vec<GateId>)> = touched.into_iter().collect();
            touched.sort_unstable();
            debug_assert!(touched.iter().all(|(part, _)| *part < home.parts()), "a part");
            touches.extend(touched.into_iter().map(|(part, of)| ((role, part), gates.any(&of))));
        }
        Self { gates, touches, sure, certain, reads }
    }

    /// Whether moves of a role bear on a part.
    pub(super) fn touch(&self, role: RoleId, part: usize) -> GateId {
        let place = self.touches.binary_search_by_key(&(role, part), |(key, _)| *key);
        place.map_or(Gates::FALSE, |place| self.touches[place].1)
    }
}

/// When each gate that legality reads may hold, and when it may fail.
fn rails(net: &Net, clock: &ClockSet, gates: &mut Gates) -> FxHashMap<GateId, (GateId, GateId)> {
    let mut rails: FxHashMap<GateId, (GateId, GateId)> = FxHashMap::default();
    for id in cone(&net.gates, net.legal.as_slice()) {
        let pair = match net.gates.gate(id) {
            Gate::Const(held) => (gates.constant(held), gates.constant(!held)),
            Gate::Base(base) if clock.contains(base) => {
                let leaf = gates.base(base);
                (leaf, gates.not(leaf))
            }
            Gate::Base(_) | Gate::Does(_) => (Gates::TRUE, Gates::TRUE),
            Gate::Not(operand) => {
                let (may, may_not) = rails[&operand];
                (may_not, may)
            }
            Gate::And(low, high) => {
                let (low, high) = (rails[&low], rails[&high]);
                (gates.and(low.0, high.0), gates.or(low.1, high.1))
            }
            Gate::Or(low, high) => {
                let (low, high) = (rails[&low], rails[&high]);
                (gates.or(low.0, high.0), gates.and(low.1, high.1))
            }
        };
        rails.insert(id, pair);
    }
    rails
}

/// The values of gates over the clock, operands first.
pub(super) fn evaluate(
    gates: &Gates,
    order: &[GateId],
    values: &mut [bool],
    holds: &IndexVec<BaseId, bool>,
) {
    for id in order {
        values[id.index()] = match gates.gate(*id) {
            Gate::Const(held) => held,
            Gate::Base(base) => holds[base],
            Gate::Does(_) => unreachable!("the clock reads no move"),
            Gate::Not(operand) => !values[operand.index()],
            Gate::And(low, high) => values[low.index()] && values[high.index()],
            Gate::Or(low, high) => values[low.index()] || values[high.index()],
        };
    }
}
