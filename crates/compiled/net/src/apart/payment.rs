//! The payment at the end, which the clock has come to: its conditions, and that it is one.
//!
//! Always: goals are functions of what is not clock, since the clock's state at the end is known.
//! A proof is a split by cases over gates that read one part, each taken as free, and then over
//! single propositions; both are bounded, and a payment of which nothing is shown is refused.

use gdl::RoleId;
use ground::BaseId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Home, Reads, Wanted};
use crate::gates::{Gate, GateId, Gates, Net};
use crate::rebuild::{Substitution, cone};

/// Gates that the cases of all proofs may look at.
const WORK: usize = 20_000_000;

/// The goals of the role asked about, at the end.
pub(super) struct Payment {
    pub(super) gates: Gates,
    /// Values with what they hold for.
    goals: Vec<(u8, GateId)>,
}

impl Payment {
    /// The goals where the clock holds what `known` says.
    pub(super) fn new(net: &Net, asked: RoleId, known: impl Fn(BaseId) -> Option<bool>) -> Self {
        let outputs: Vec<GateId> = net.roles[asked].goals.iter().map(|(_, gate)| *gate).collect();
        let mut gates = Gates::new();
        let mut leaf = |gate| match gate {
            Gate::Base(base) => {
                known(base).map(|held| if held { Gates::TRUE } else { Gates::FALSE })
            }
            _ => None,
        };
        let made = Substitution::new().rebuild(&net.gates, &outputs, &mut gates, &mut leaf);
        let values = net.roles[asked].goals.iter().map(|(value, _)| *value);
        let goals = values.zip(made).collect();
        Self { gates, goals }
    }

    /// What a win is: the operands of its topmost junction, through negations.
    pub(super) fn conditions(&mut self) -> (Wanted, Vec<GateId>) {
        let win = self.goals.iter().find(|(value, _)| *value == 100);
        let mut open = vec![(win.map_or(Gates::FALSE, |(_, gate)| *gate), true)];
        let (mut found, mut seen, mut wanted) = (Vec::new(), FxHashSet::default(), None);
        while let Some((gate, plain)) = open.pop() {
            if !seen.insert((gate, plain)) {
                continue;
            }
            let junction = match self.gates.gate(gate) {
                Gate::Not(operand) => {
                    open.push((operand, !plain));
                    continue;
                }
                Gate::And(..) if plain => Some(Wanted::All),
                Gate::And(..) => Some(Wanted::Any),
                Gate::Or(..) if plain => Some(Wanted::Any),
                Gate::Or(..) => Some(Wanted::All),
                _ => None,
            };
            match junction {
                Some(this) if *wanted.get_or_insert(this) == this => {
                    open.extend(self.gates.gate(gate).operands().map(|operand| (operand, plain)));
                }
                _ => found.push(if plain { gate } else { self.gates.not(gate) }),
            }
        }
        found.sort_unstable();
        (wanted.unwrap_or(Wanted::All), found)
    }

    /// The parts that each of some gates reads.
    pub(super) fn reads(&self, gates: &[GateId], home: &Home) -> Vec<Vec<usize>> {
        gates.iter().map(|gate| home.read_by(&self.gates, *gate)).collect()
    }

    /// By part: its conditions together; none where it has none.
    pub(super) fn by_part(
        &mut self,
        wanted: Wanted,
        conditions: &[GateId],
        home: &Home,
    ) -> Vec<Option<GateId>> {
        let reads = Reads::all(&self.gates, home);
        let mut own = vec![Vec::new(); home.parts()];
        for condition in conditions {
            // A constant is no condition: folding leaves it only where it is the whole payment.
            if let Reads::Part(part) = reads[*condition] {
                own[part].push(*condition);
            }
        }
        let together = |own: Vec<GateId>| match wanted {
            _ if own.is_empty() => None,
            Wanted::All => Some(self.gates.all(&own)),
            Wanted::Any => Some(self.gates.any(&own)),
        };
        own.into_iter().map(together).collect()
    }

    /// Whether it is shown that no two goal values hold at an end; and, where each end has to be paid,
    /// that one holds, of 0 or 100.
    pub(super) fn is_proper(&self, must_be_paid: bool, home: &Home) -> bool {
        let mut gates = self.gates.clone();
        let goals = &self.goals;
        let pairs = (0..goals.len()).flat_map(|high| (0..high).map(move |low| (low, high)));
        let mut excluded: Vec<GateId> =
            pairs.map(|(low, high)| gates.and(goals[low].1, goals[high].1)).collect();
        if must_be_paid {
            let all: Vec<GateId> = goals.iter().map(|(_, gate)| *gate).collect();
            let paid = gates.any(&all);
            excluded.push(gates.not(paid));
            let between = goals.iter().filter(|(value, _)| !matches!(value, 0 | 100));
            excluded.extend(between.map(|(_, gate)| *gate));
        }
        let mut work = WORK;
        excluded.into_iter().all(|gate| {
            let parts = |gates: &Gates, gate| one_part(gates, gate, home);
            never(&mut gates, gate, parts, &mut work)
                || never(&mut gates, gate, one_leaf, &mut work)
        })
    }
}

/// Whether a gate is false in all cases, as far as the work that is left shows.
fn never(
    gates: &mut Gates,
    gate: GateId,
    case: impl Fn(&Gates, GateId) -> GateId,
    work: &mut usize,
) -> bool {
    let mut open = vec![gate];
    while let Some(gate) = open.pop() {
        match gate {
            Gates::FALSE => {}
            Gates::TRUE => return false,
            gate => {
                let case = case(gates, gate);
                open.extend([Gates::FALSE, Gates::TRUE].map(|held| set(gates, gate, case, held)));
                // Walks over a cone take note of each gate of the arena.
                let Some(left) = work.checked_sub(gates.len()) else { return false };
                *work = left;
            }
        }
    }
    true
}

/// The highest gate under `gate` that reads one part, negations left out.
fn one_part(gates: &Gates, gate: GateId, home: &Home) -> GateId {
    let cone = cone(gates, &[gate]);
    let mut reads: FxHashMap<GateId, Reads> = FxHashMap::default();
    let mut highest = None;
    for id in cone {
        let own = match gates.gate(id) {
            Gate::Base(base) => home.bases[base].map_or(Reads::Clock, Reads::Part),
            _ => Reads::Clock,
        };
        let read = gates.gate(id).operands().fold(own, |own, operand| own.with(reads[&operand]));
        reads.insert(id, read);
        if matches!(read, Reads::Part(_)) && !matches!(gates.gate(id), Gate::Not(_)) {
            highest = Some(id);
        }
    }
    highest.expect("what is not constant reads a part")
}

/// A leaf under a gate.
fn one_leaf(gates: &Gates, gate: GateId) -> GateId {
    let leaf = cone(gates, &[gate]).into_iter().find(|id| matches!(gates.gate(*id), Gate::Base(_)));
    leaf.expect("what is not constant reads a proposition")
}

/// A gate where another one under it holds a value.
fn set(gates: &mut Gates, gate: GateId, case: GateId, held: GateId) -> GateId {
    let mut made: FxHashMap<GateId, GateId> = FxHashMap::default();
    for id in cone(gates, &[gate]) {
        let of = |operand: GateId| made[&operand];
        let now = match gates.gate(id) {
            _ if id == case => held,
            Gate::Const(_) | Gate::Base(_) | Gate::Does(_) => id,
            Gate::Not(operand) => gates.not(of(operand)),
            Gate::And(low, high) => gates.and(of(low), of(high)),
            Gate::Or(low, high) => gates.or(of(low), of(high)),
        };
        made.insert(id, now);
    }
    made[&gate]
}
