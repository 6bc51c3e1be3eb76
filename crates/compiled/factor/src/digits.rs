//! Digits: propositions outside of phases that move together, with all values that they can have.
//!
//! Computed: the finest sets of propositions such that the successor of each reads no other set,
//! whatever the phase and the joint move (union-find over the gates of the specialised networks);
//! the values of each set, from the start on; and for each phase and joint move the table from
//! value to value. Always: this is proven, by enumeration of (phase, value): a value that is not
//! listed never occurs in a play. A move that the digit's own value forbids, and a phase in which
//! the digit's value ends the game, are left out; what several digits forbid together is not, so
//! more may be listed than occurs.
//!
//! Values are numbered so that every table ascends, and so that the values that one table changes
//! to lie side by side. A digit that can come back to a value has no such order and is refused.
//! Small digits are joined to larger ones, which are enumerated anew: what cannot be together is
//! not listed.

use index::{Id, IdSet, IndexVec};
use net::{BaseId, Gate, GateId, Gates, Net};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::phases::RawPhases;
use crate::{Digit, Map, NOWHERE, Refusal};

/// Most values of a digit.
const MOST_VALUES: usize = 1024;
/// Most (phase, value, joint move) that are looked at for a digit.
const MOST_STEPS: usize = 200_000;
/// Most gates that are evaluated for the values of a digit.
const MOST_EVALUATED: usize = 2_000_000;

/// A digit with its tables: for each phase, for each of its joint moves, the table, or none where
/// nothing changes.
#[derive(Clone, Debug)]
pub(crate) struct Enumerated {
    pub(crate) digit: Digit,
    pub(crate) steps: Vec<Vec<Option<usize>>>,
}

/// The sets of propositions, by places in [`RawPhases::free`].
/// What `groups` name together stays together: exactly one of a group may hold, which
/// the successors alone do not show.
pub(crate) fn components(raw: &RawPhases, groups: &[Vec<BaseId>]) -> Vec<Vec<usize>> {
    let place: FxHashMap<BaseId, usize> =
        raw.free.iter().enumerate().map(|(at, base)| (*base, at)).collect();
    // Nodes: gates, then free propositions.
    let mut sets = Sets::new(raw.gates.len() + raw.free.len());
    let node = |at: usize| raw.gates.len() + at;
    let mut seen = vec![false; raw.gates.len()];
    for joint in raw.phases.iter().flat_map(|phase| &phase.joints) {
        for (at, gate) in joint.next.iter().enumerate() {
            if let Gate::Const(_) = raw.gates.gate(*gate) {
                continue;
            }
            sets.join(gate.index(), node(at));
            let mut stack = vec![*gate];
            while let Some(id) = stack.pop() {
                if std::mem::replace(&mut seen[id.index()], true) {
                    continue;
                }
                let gate = raw.gates.gate(id);
                if let Gate::Base(base) = gate {
                    sets.join(id.index(), node(place[&base]));
                }
                for operand in gate.operands() {
                    sets.join(id.index(), operand.index());
                    stack.push(operand);
                }
            }
        }
    }
    for group in groups.iter().filter(|group| group.iter().all(|base| place.contains_key(base))) {
        group.iter().for_each(|base| sets.join(node(place[&group[0]]), node(place[base])));
    }
    let mut by_root: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for at in 0..raw.free.len() {
        by_root.entry(sets.root(node(at))).or_default().push(at);
    }
    let mut parts: Vec<Vec<usize>> = by_root.into_values().collect();
    parts.sort_unstable();
    parts
}

struct Sets(Vec<usize>);

impl Sets {
    fn new(len: usize) -> Self {
        Self((0..len).collect())
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, left: usize, right: usize) {
        let (left, right) = (self.root(left), self.root(right));
        self.0[left.max(right)] = left.min(right);
    }
}

/// Three values: false, true, open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    False,
    True,
    Open,
}

/// Evaluates gates where some propositions are known; `order` has all gates of their cone,
/// ascending. What is not in the cone keeps its old value.
pub(crate) fn evaluate(
    gates: &Gates,
    order: &[GateId],
    known: &mut dyn FnMut(BaseId) -> Known,
    values: &mut [Known],
) {
    use Known::{False, Open, True};
    for &id in order {
        values[id.index()] = match gates.gate(id) {
            Gate::Const(value) => [False, True][usize::from(value)],
            Gate::Base(base) => known(base),
            Gate::Does(_) => Open,
            Gate::Not(a) => match values[a.index()] {
                False => True,
                True => False,
                Open => Open,
            },
            Gate::And(a, b) => match (values[a.index()], values[b.index()]) {
                (False, _) | (_, False) => False,
                (True, True) => True,
                _ => Open,
            },
            Gate::Or(a, b) => match (values[a.index()], values[b.index()]) {
                (True, _) | (_, True) => True,
                (False, False) => False,
                _ => Open,
            },
        };
    }
}

/// Enumerates the values of one set of propositions.
pub(crate) fn values(net: &Net, raw: &RawPhases, places: &[usize]) -> Result<Enumerated, Refusal> {
    let bases: Vec<BaseId> = places.iter().map(|at| raw.free[*at]).collect();
    let holds = |base: &&BaseId| net.init.binary_search(base).is_ok();
    let start: Vec<BaseId> = bases.iter().filter(holds).copied().collect();
    let mut walk = Walk::new(raw, places, bases);
    walk.meet(start);
    while let Some((phase, value)) = walk.open.pop() {
        walk.step(phase, value)?;
    }
    walk.finish()
}

struct Walk<'a> {
    raw: &'a RawPhases,
    places: &'a [usize],
    bases: Vec<BaseId>,
    /// The cone of all that is read.
    order: Vec<GateId>,
    scratch: Vec<Known>,
    /// The successors of the set, each once, and those of each joint move.
    functions: Vec<Vec<GateId>>,
    function_of: Vec<Vec<usize>>,
    values: Vec<Vec<BaseId>>,
    numbers: FxHashMap<Vec<BaseId>, usize>,
    /// By value: the values that the functions lead to; by phase: which moves may be legal.
    results: Vec<Vec<usize>>,
    allowed: Vec<Vec<Vec<bool>>>,
    open: Vec<(usize, usize)>,
    met: FxHashSet<(usize, usize)>,
    /// For each phase and joint move: value to value.
    tables: Vec<Vec<FxHashMap<usize, usize>>>,
    steps: usize,
}

impl<'a> Walk<'a> {
    fn new(raw: &'a RawPhases, places: &'a [usize], bases: Vec<BaseId>) -> Self {
        let mut functions: Vec<Vec<GateId>> = Vec::new();
        let mut known: FxHashMap<Vec<GateId>, usize> = FxHashMap::default();
        let mut roots = Vec::new();
        let mut function_of = Vec::new();
        for phase in &raw.phases {
            roots.push(phase.terminal);
            roots.extend(phase.legal.iter().flatten().map(|(_, gate)| *gate));
            let of_joint = |joint: &crate::phases::RawJoint| {
                let function: Vec<GateId> = places.iter().map(|at| joint.next[*at]).collect();
                let fresh = functions.len();
                let number = *known.entry(function.clone()).or_insert(fresh);
                if number == fresh {
                    functions.push(function);
                }
                number
            };
            function_of.push(phase.joints.iter().map(of_joint).collect());
        }
        roots.extend(functions.iter().flatten());
        let tables = raw.phases.iter();
        Self {
            order: net::cone(&raw.gates, &roots),
            scratch: vec![Known::Open; raw.gates.len()],
            tables: tables.map(|it| vec![FxHashMap::default(); it.joints.len()]).collect(),
            raw,
            places,
            bases,
            functions,
            function_of,
            values: Vec::new(),
            numbers: FxHashMap::default(),
            results: Vec::new(),
            allowed: Vec::new(),
            open: Vec::new(),
            met: FxHashSet::default(),
            steps: 0,
        }
    }

    fn meet(&mut self, value: Vec<BaseId>) {
        let number = self.number(value);
        self.open.push((0, number));
        self.met.insert((0, number));
    }

    fn number(&mut self, value: Vec<BaseId>) -> usize {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        self.numbers.insert(value.clone(), self.values.len());
        self.values.push(value);
        self.values.len() - 1
    }

    /// What a value leads to, computed once.
    fn look(&mut self, value: usize) {
        let mut mine: IndexVec<BaseId, Known> = IndexVec::new();
        let last = self.bases.last().map_or(0, |base| base.index() + 1);
        (0..last).for_each(|_| {
            mine.push(Known::Open);
        });
        self.bases.iter().for_each(|base| mine[*base] = Known::False);
        self.values[value].iter().for_each(|base| mine[*base] = Known::True);
        let mut known = |base: BaseId| mine.get(base).copied().unwrap_or(Known::Open);
        evaluate(&self.raw.gates, &self.order, &mut known, &mut self.scratch);
        let scratch = &self.scratch;
        let result = |function: &Vec<GateId>| -> Vec<BaseId> {
            let next = function.iter().zip(&self.bases);
            next.filter(|(gate, _)| {
                let value = scratch[gate.index()];
                assert!(value != Known::Open, "a digit's successor reads the digit alone");
                value == Known::True
            })
            .map(|(_, base)| *base)
            .collect()
        };
        let results: Vec<Vec<BaseId>> = self.functions.iter().map(result).collect();
        let allowed = |phase: &crate::phases::RawPhase| {
            if scratch[phase.terminal.index()] == Known::True {
                return vec![false; phase.joints.len()];
            }
            let forbidden: FxHashSet<usize> = phase
                .legal
                .iter()
                .flatten()
                .filter(|(_, gate)| scratch[gate.index()] == Known::False)
                .map(|(input, _)| input.index())
                .collect();
            let fine = |joint: &crate::phases::RawJoint| {
                !joint.moves.iter().any(|input| forbidden.contains(&input.index()))
            };
            phase.joints.iter().map(fine).collect()
        };
        let allowed = self.raw.phases.iter().map(allowed).collect();
        self.allowed.push(allowed);
        let results = results.into_iter().map(|value| self.number(value)).collect();
        self.results.push(results);
    }

    fn step(&mut self, phase: usize, value: usize) -> Result<(), Refusal> {
        while self.results.len() <= value {
            self.look(self.results.len());
            if self.values.len() > 2 * MOST_VALUES
                || self.results.len() * self.order.len() > MOST_EVALUATED
            {
                return Err(Refusal("the parts of a state have too many values"));
            }
        }
        for joint in 0..self.raw.phases[phase].joints.len() {
            self.steps += 1;
            if !self.allowed[value][phase][joint] {
                continue;
            }
            let next = self.results[value][self.function_of[phase][joint]];
            self.tables[phase][joint].insert(value, next);
            let place = (self.raw.phases[phase].joints[joint].phase, next);
            if self.met.insert(place) {
                self.open.push(place);
            }
        }
        if self.steps > MOST_STEPS {
            return Err(Refusal("the parts of a state have too many values"));
        }
        Ok(())
    }

    /// Orders the values and numbers the tables.
    fn finish(self) -> Result<Enumerated, Refusal> {
        let reached: FxHashSet<usize> = self.met.iter().map(|(_, value)| *value).collect();
        if reached.len() > MOST_VALUES {
            return Err(Refusal("the parts of a state have too many values"));
        }
        let edges: Vec<&FxHashMap<usize, usize>> = self.tables.iter().flatten().collect();
        let order = ordered(&edges, &reached)?;
        let mut rank = vec![NOWHERE; self.values.len()];
        order.iter().enumerate().for_each(|(at, value)| rank[*value] = at as u32);
        let mut maps: Vec<Map> = Vec::new();
        let mut known: FxHashMap<Map, usize> = FxHashMap::default();
        let mut intern = |table: &FxHashMap<usize, usize>| {
            if table.iter().all(|(from, to)| from == to) {
                return None;
            }
            let mut map = vec![NOWHERE; order.len()];
            table.iter().for_each(|(from, to)| map[rank[*from] as usize] = rank[*to]);
            let fresh = maps.len();
            let number = *known.entry(map.clone()).or_insert(fresh);
            if number == fresh {
                maps.push(map);
            }
            Some(number)
        };
        let steps = self.tables.iter().map(|tables| tables.iter().map(&mut intern).collect());
        let steps = steps.collect();
        let values: Vec<Vec<BaseId>> = order.iter().map(|at| self.values[*at].clone()).collect();
        let start = (0..values.len()).find(|at| rank[0] as usize == *at).expect("the start is met");
        assert_eq!(self.places.len(), self.bases.len(), "a place for each proposition");
        let bases: IdSet<BaseId> = self.bases.iter().copied().collect();
        let digit = Digit { bases: bases.iter().collect(), values, maps, start: start as u32 };
        Ok(Enumerated { digit, steps })
    }
}

/// The values in an order in which every table ascends: by the longest way to them, and inside
/// that by the first table and value that lead there.
fn ordered(
    tables: &[&FxHashMap<usize, usize>],
    reached: &FxHashSet<usize>,
) -> Result<Vec<usize>, Refusal> {
    let mut children: FxHashMap<usize, FxHashSet<usize>> = FxHashMap::default();
    let mut parents: FxHashMap<usize, usize> = FxHashMap::default();
    for (from, to) in tables.iter().flat_map(|table| table.iter()) {
        if from != to && children.entry(*from).or_default().insert(*to) {
            *parents.entry(*to).or_insert(0) += 1;
        }
    }
    let mut level: FxHashMap<usize, usize> = FxHashMap::default();
    let mut open: Vec<usize> =
        reached.iter().filter(|value| !parents.contains_key(*value)).copied().collect();
    open.iter().for_each(|value| {
        level.insert(*value, 0);
    });
    let mut done = 0;
    while let Some(value) = open.pop() {
        done += 1;
        let mine = level[&value];
        for child in children.get(&value).into_iter().flatten() {
            let deep = level.entry(*child).or_insert(0);
            *deep = (*deep).max(mine + 1);
            let left = parents.get_mut(child).expect("it has a parent");
            *left -= 1;
            if *left == 0 {
                open.push(*child);
            }
        }
    }
    if done < reached.len() {
        return Err(Refusal("a part of a state can come back to a value"));
    }
    let deepest = level.values().copied().max().unwrap_or(0);
    let mut order: Vec<usize> = reached.iter().copied().filter(|value| level[value] == 0).collect();
    order.sort_unstable();
    let (mut from, mut placed) = (0, order.iter().copied().collect::<FxHashSet<usize>>());
    for depth in 1..=deepest {
        let to = order.len();
        for table in tables {
            for at in from..to {
                if let Some(next) = table.get(&order[at])
                    && level[next] == depth
                    && placed.insert(*next)
                {
                    order.push(*next);
                }
            }
        }
        from = to;
    }
    assert_eq!(order.len(), reached.len(), "a value follows one of the level before");
    Ok(order)
}
