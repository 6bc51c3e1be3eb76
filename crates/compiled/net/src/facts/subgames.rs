//! Subgames: parts of a game that share its clock, or whose turn it is, and no more.
//!
//! Computed: the finest partition of the propositions that are not of the clock such that what
//! follows for one, and which moves are legal for it, reads one part only, and each condition of the
//! end and of the payments reads one part only. A condition is an operand of the topmost junction:
//! boards of which one has to be won, or all, stay apart, while the cells of one board are joined by
//! its lines. Always: this is read off the network, and so proven; a finer partition may exist.
//!
//! A move that two parts read joins them, also where it is chance's and means something else in
//! each. So do chance's moves where states tell which of them are legal: how likely one is depends on
//! how many there are.

use gdl::RoleId;
use ground::{BaseId, InputId};
use index::{Id, IdSet};
use rustc_hash::{FxHashMap, FxHashSet};

use super::clock_bases;
use crate::gates::{Gate, GateId, Net};

/// One of several parts of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgame {
    /// Its propositions, ascending; never none.
    pub bases: Vec<BaseId>,
    /// The moves that bear on them, ascending.
    pub inputs: Vec<InputId>,
    /// Whether the end of the game or a payment of the role asked about reads it.
    pub counts: bool,
}

/// The subgames, by their first proposition; one where the game does not come apart, none where all
/// propositions are of the clock. Payments are those of the role asked about.
pub fn subgames(net: &Net, asked: RoleId, chance: &[RoleId]) -> Vec<Subgame> {
    let goals = net.roles[asked].goals.iter().map(|(_, gate)| *gate);
    let conditions: Vec<GateId> =
        goals.chain([net.terminal]).flat_map(|gate| conditions(net, gate)).collect();
    partition(net, &clock_bases(net), chance, &conditions)
}

/// The finest partition, by first propositions, such that moves and successors read one part, and so
/// does each of the conditions. Chance's moves of the roles named stay together where states tell
/// which are legal.
pub(crate) fn partition(
    net: &Net,
    clock: &IdSet<BaseId>,
    chance: &[RoleId],
    conditions: &[GateId],
) -> Vec<Subgame> {
    // Gates that say something of what is not clock; only they join.
    let mut tells = vec![false; net.gates.len()];
    for (id, gate) in net.gates.iter() {
        tells[id.index()] = match gate {
            Gate::Const(_) => false,
            Gate::Base(base) => !clock.contains(base),
            Gate::Does(_) => true,
            _ => gate.operands().any(|operand| tells[operand.index()]),
        };
    }
    let mut joined = Joined { parents: (0..net.gates.len() + net.bases.len()).collect(), tells };
    let place = |base: BaseId| net.gates.len() + base.index();
    let mut leaves = Vec::new();
    for (id, gate) in net.gates.iter() {
        match gate {
            Gate::Base(base) if !clock.contains(base) => joined.join(id.index(), place(base)),
            Gate::Does(input) => leaves.push((input, id)),
            _ => {}
        }
    }
    // What is read by a successor, or by the legality of a move that something reads.
    let mut roots = Vec::new();
    for base in net.bases.ids().filter(|base| !clock.contains(*base)) {
        let next = net.next[base];
        roots.push(next);
        if joined.tells[next.index()] {
            joined.join(next.index(), place(base));
        }
    }
    for (input, leaf) in &leaves {
        let legal = net.legal[*input];
        roots.push(legal);
        if joined.tells[legal.index()] {
            joined.join(legal.index(), leaf.index());
        }
    }
    for role in chance {
        let moves = || net.roles[*role].inputs.clone().map(InputId::from_index);
        let legal: Vec<GateId> = moves().map(|input| net.legal[input]).collect();
        let told: Vec<GateId> =
            legal.into_iter().filter(|gate| joined.tells[gate.index()]).collect();
        let Some(first) = told.first() else { continue };
        let range = &net.roles[*role].inputs;
        let own = leaves.iter().filter(|(input, _)| range.contains(&input.index()));
        let all = own.map(|(_, leaf)| leaf).chain(&told);
        all.for_each(|gate| joined.join(first.index(), gate.index()));
        roots.extend(&told);
    }
    roots.extend(conditions);
    joined.join_cones(net, roots);
    let (mut found, mut numbers) = (Vec::<Subgame>::new(), FxHashMap::default());
    for base in net.bases.ids().filter(|base| !clock.contains(*base)) {
        let number = *numbers.entry(joined.root(place(base))).or_insert(found.len());
        if number == found.len() {
            found.push(Subgame { bases: Vec::new(), inputs: Vec::new(), counts: false });
        }
        found[number].bases.push(base);
    }
    leaves.sort_unstable();
    for (input, leaf) in leaves {
        if let Some(number) = numbers.get(&joined.root(leaf.index())) {
            found[*number].inputs.push(input);
        }
    }
    for condition in conditions {
        if let Some(number) = numbers.get(&joined.root(condition.index())) {
            found[*number].counts = true;
        }
    }
    found
}

/// The operands of the topmost junction of a gate, through negations; itself where it is none.
fn conditions(net: &Net, gate: GateId) -> Vec<GateId> {
    let (mut open, mut found) = (vec![(gate, true)], Vec::new());
    // Gates are shared: the paths to one may be too many to follow each.
    let mut seen = FxHashSet::default();
    // The kind of the topmost junction, as it is seen through the negations above it.
    let mut kind = None;
    while let Some((gate, plain)) = open.pop() {
        if !seen.insert((gate, plain)) {
            continue;
        }
        let junction = match net.gates.gate(gate) {
            Gate::Not(operand) => {
                open.push((operand, !plain));
                continue;
            }
            Gate::And(..) => Some(plain),
            Gate::Or(..) => Some(!plain),
            _ => None,
        };
        match junction {
            Some(this) if *kind.get_or_insert(this) == this => {
                open.extend(net.gates.gate(gate).operands().map(|operand| (operand, plain)));
            }
            _ => found.push(gate),
        }
    }
    found
}

/// Sets of gates and propositions.
struct Joined {
    parents: Vec<usize>,
    tells: Vec<bool>,
}

impl Joined {
    fn root(&mut self, of: usize) -> usize {
        let mut at = of;
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, left: usize, right: usize) {
        let (left, right) = (self.root(left), self.root(right));
        self.parents[left] = right;
    }

    /// Joins all that is read by one of these gates, gate by gate.
    fn join_cones(&mut self, net: &Net, mut open: Vec<GateId>) {
        let mut seen = vec![false; net.gates.len()];
        while let Some(gate) = open.pop() {
            if !self.tells[gate.index()] || std::mem::replace(&mut seen[gate.index()], true) {
                continue;
            }
            for operand in net.gates.gate(gate).operands() {
                if self.tells[operand.index()] {
                    self.join(gate.index(), operand.index());
                    open.push(operand);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_net;
    use crate::random::Random;

    const BASES: usize = 5;

    /// The truth table of each gate over the first propositions.
    fn tables(net: &Net) -> Vec<u32> {
        let mut tables: Vec<u32> = Vec::new();
        for (_, gate) in net.gates.iter() {
            tables.push(match gate {
                Gate::Const(value) => {
                    if value {
                        u32::MAX
                    } else {
                        0
                    }
                }
                Gate::Base(base) => (0..32)
                    .filter(|row| row >> base.index() & 1 == 1)
                    .fold(0, |all, row| all | 1 << row),
                Gate::Does(_) => unreachable!("no move is made"),
                Gate::Not(of) => !tables[of.index()],
                Gate::And(one, other) => tables[one.index()] & tables[other.index()],
                Gate::Or(one, other) => tables[one.index()] | tables[other.index()],
            });
        }
        tables
    }

    /// What comes apart comes apart into gates of which the whole is one junction, each as it is or
    /// negated.
    #[test]
    fn a_gate_is_one_junction_of_its_conditions() {
        let mut random = Random::new(5);
        let mut wide = 0;
        for case in 0..300 {
            let mut text: String = (0..BASES).map(|at| format!("b{at} \"p{at}\"\n")).collect();
            let mut names: Vec<String> = (0..BASES).map(|at| format!("b{at}")).collect();
            for at in 0..10 {
                let one = &names[random.below(names.len())];
                let other = &names[random.below(names.len())];
                let made = match random.below(3) {
                    0 => format!("not {one}"),
                    1 => format!("and {one} {other}"),
                    _ => format!("or {one} {other}"),
                };
                text += &format!("g{} = {made}\n", 50 + at);
                names.push(format!("g{}", 50 + at));
            }
            let net = parse_net(&format!("{text}terminal = g59\n")).expect("a network");
            let tables = tables(&net);
            let found = conditions(&net, net.terminal);
            assert!(found.len() < 12, "{found:?}");
            wide += usize::from(found.len() > 2);
            let whole = tables[net.terminal.index()];
            let is_whole = |signs: usize| {
                let sign =
                    |at: usize, table: u32| if signs >> at & 1 == 1 { !table } else { table };
                let all = found.iter().enumerate().map(|(at, gate)| sign(at, tables[gate.index()]));
                let any = all.clone().fold(0, |sum, table| sum | table);
                any == whole || all.fold(u32::MAX, |sum, table| sum & table) == whole
            };
            assert!((0..1 << found.len()).any(is_whole), "{case}: {found:?} of {text}");
        }
        assert!(wide > 20, "{wide} of more than two conditions");
    }
}
