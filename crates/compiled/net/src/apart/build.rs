//! The game of one part, as a network.
//!
//! Computed: the part's propositions with those of the clock that something reads; the moves that bear
//! on the part, and those that bear on nothing; for a role whose moves bear on something else, one
//! move that changes nothing. Always: in a state of the clock in which a role's moves bear on the
//! part, its legal moves are those that it has in the whole game, as many of each effect; the order of
//! moves is kept.

use gdl::RoleId;
use ground::{BaseId, InputId};
use index::IndexVec;
use rustc_hash::FxHashMap;

use super::payment::Payment;
use super::rails::Rails;
use super::{ClockSet, Home, Reads};
use crate::gates::{Gate, GateId, Gates, Net, NetRole};
use crate::rebuild::{Substitution, support};

/// The move of a role that has nothing to do with a part.
const ELSEWHERE: &str = "elsewhere";

/// A game that is taken apart.
pub(super) struct Builder<'a> {
    pub(super) net: &'a Net,
    pub(super) clock: &'a ClockSet,
    pub(super) home: &'a Home,
    pub(super) rails: &'a Rails,
    pub(super) payment: &'a Payment,
}

/// The moves of a part's game.
#[derive(Default)]
struct Moves {
    names: IndexVec<InputId, String>,
    legal: IndexVec<InputId, GateId>,
    /// By role: where its moves end.
    ends: Vec<usize>,
    /// By move of the whole game.
    numbers: FxHashMap<InputId, InputId>,
}

impl Builder<'_> {
    /// The game of a part of these propositions, paid by a gate of the payment; by `idle`, a
    /// constant, where it has none.
    pub(super) fn part(
        &self,
        number: usize,
        bases: &[BaseId],
        asked: RoleId,
        (own, idle): (Option<GateId>, GateId),
    ) -> Net {
        let mut gates = Gates::new();
        let kept = self.kept(number, bases);
        let numbers: FxHashMap<BaseId, BaseId> =
            kept.iter().enumerate().map(|(at, base)| (*base, index::Id::from_index(at))).collect();
        let moves = self.moves(number, &mut gates, &numbers);
        let outputs: Vec<GateId> =
            kept.iter().map(|base| self.net.next[*base]).chain([self.net.terminal]).collect();
        let mut next = self.copied(&self.net.gates, &outputs, &mut gates, (&numbers, &moves));
        let terminal = next.pop().expect("the end was asked for");
        let paid = own.map_or(idle, |own| {
            self.copied(&self.payment.gates, &[own], &mut gates, (&numbers, &moves))[0]
        });
        let mut start = 0;
        let roles = self.net.roles.enumerate().zip(&moves.ends).map(|((role, whole), end)| {
            let inputs = std::mem::replace(&mut start, *end)..*end;
            let goals = if role == asked { vec![(100, paid)] } else { Vec::new() };
            NetRole { name: whole.name.clone(), inputs, goals }
        });
        let roles = roles.collect();
        let mut init: Vec<BaseId> =
            self.net.init.iter().filter_map(|base| numbers.get(base)).copied().collect();
        init.sort_unstable();
        let net = Net {
            gates,
            bases: kept.iter().map(|base| self.net.bases[*base].clone()).collect(),
            inputs: moves.names,
            roles,
            init,
            legal: moves.legal,
            terminal,
            next: next.into(),
        };
        debug_assert_eq!(crate::verify(&net), Ok(()), "the game of a part is well-formed");
        net
    }

    /// The propositions of a part's game, ascending: its own, and those of the clock that it reads.
    fn kept(&self, number: usize, bases: &[BaseId]) -> Vec<BaseId> {
        let net = self.net;
        let mut functions = Vec::new();
        let mut roots = vec![net.terminal];
        roots.extend(bases.iter().map(|base| net.next[*base]));
        for role in net.roles.ids() {
            functions.push(self.rails.touch(role, number));
            for input in net.moves(role) {
                match self.legality(number, input) {
                    Some(Legality::Rule(gate)) => roots.push(gate),
                    Some(Legality::Certain(gate)) => functions.push(gate),
                    None => {}
                }
            }
        }
        let mut read = support(&self.rails.gates, &functions).0;
        read.extend(support(&net.gates, &roots).0);
        let mut clock = ClockSet::new();
        let mut open: Vec<BaseId> =
            read.into_iter().filter(|base| self.clock.contains(*base)).collect();
        while !open.is_empty() {
            let fresh: Vec<BaseId> = open.into_iter().filter(|base| clock.insert(*base)).collect();
            let roots: Vec<GateId> = fresh.iter().map(|base| net.next[*base]).collect();
            open = if roots.is_empty() { Vec::new() } else { support(&net.gates, &roots).0 };
            open.retain(|base| !clock.contains(*base));
        }
        let mut kept: Vec<BaseId> = bases.iter().copied().chain(clock.iter()).collect();
        kept.sort_unstable();
        kept
    }

    /// When a move is legal in the game of a part, where its role's moves bear on the part; none where
    /// it never is.
    fn legality(&self, number: usize, input: InputId) -> Option<Legality> {
        match (self.home.inputs[input], self.rails.reads[input]) {
            (Some(part), _) => (part == number).then_some(Legality::Rule(self.net.legal[input])),
            (None, Reads::Clock) => Some(Legality::Rule(self.net.legal[input])),
            (None, Reads::Part(part)) if part == number => {
                Some(Legality::Rule(self.net.legal[input]))
            }
            // What another part says of it is the same whatever holds there, or it would bear on it.
            (None, _) => Some(Legality::Certain(self.rails.certain[input])),
        }
    }

    fn moves(
        &self,
        number: usize,
        gates: &mut Gates,
        numbers: &FxHashMap<BaseId, BaseId>,
    ) -> Moves {
        let roles = &self.net.roles;
        let touches: Vec<GateId> = roles.ids().map(|role| self.rails.touch(role, number)).collect();
        let touches = renamed(&self.rails.gates, &touches, gates, numbers);
        // By role: its moves in this game, each with what tells whether it is legal.
        let (mut rules, mut certain) = (Vec::new(), Vec::new());
        for (role, _) in roles.ids().zip(&touches).filter(|(_, touch)| **touch != Gates::FALSE) {
            for input in self.net.moves(role) {
                match self.legality(number, input) {
                    Some(Legality::Rule(gate)) => rules.push((input, gate)),
                    Some(Legality::Certain(gate)) => certain.push((input, gate)),
                    None => {}
                }
            }
        }
        let mut legal: FxHashMap<InputId, GateId> = FxHashMap::default();
        for (source, moves) in [(&self.net.gates, rules), (&self.rails.gates, certain)] {
            let outputs: Vec<GateId> = moves.iter().map(|(_, gate)| *gate).collect();
            let made = renamed(source, &outputs, gates, numbers);
            legal.extend(moves.iter().map(|(input, _)| *input).zip(made));
        }
        let mut moves = Moves::default();
        for (role, touch) in roles.ids().zip(touches) {
            for input in self.net.moves(role) {
                let rule = legal.get(&input).copied().unwrap_or(Gates::FALSE);
                let rule = gates.and(rule, touch);
                if rule != Gates::FALSE {
                    let fresh = moves.names.push(self.net.inputs[input].clone());
                    moves.numbers.insert(input, fresh);
                    moves.legal.push(rule);
                }
            }
            let forced = gates.not(touch);
            if forced != Gates::FALSE {
                moves.names.push(ELSEWHERE.to_owned());
                moves.legal.push(forced);
            }
            moves.ends.push(moves.names.len());
        }
        moves
    }

    /// Gates of an arena of the whole game, in the part's; moves that are never legal are not made.
    fn copied(
        &self,
        source: &Gates,
        outputs: &[GateId],
        gates: &mut Gates,
        (numbers, moves): (&FxHashMap<BaseId, BaseId>, &Moves),
    ) -> Vec<GateId> {
        // Leaves first: whoever rebuilds has the arena to itself.
        let (bases, inputs) = support(source, outputs);
        let mut leaves: FxHashMap<Gate, GateId> = FxHashMap::default();
        for base in bases {
            leaves.insert(Gate::Base(base), gates.base(numbers[&base]));
        }
        for input in inputs {
            debug_assert!(self.home.inputs[input].is_some(), "a move that is read is of a part");
            let gate = moves.numbers.get(&input).map_or(Gates::FALSE, |own| gates.does(*own));
            leaves.insert(Gate::Does(input), gate);
        }
        Substitution::new().rebuild(source, outputs, gates, &mut |leaf| leaves.get(&leaf).copied())
    }
}

/// What tells whether a move is legal.
enum Legality {
    /// A gate of the whole game.
    Rule(GateId),
    /// A function of the clock.
    Certain(GateId),
}

/// Gates without moves, over the propositions of a part's game.
fn renamed(
    source: &Gates,
    outputs: &[GateId],
    gates: &mut Gates,
    numbers: &FxHashMap<BaseId, BaseId>,
) -> Vec<GateId> {
    let mut leaves: FxHashMap<Gate, GateId> = FxHashMap::default();
    for base in support(source, outputs).0 {
        leaves.insert(Gate::Base(base), gates.base(numbers[&base]));
    }
    Substitution::new().rebuild(source, outputs, gates, &mut |leaf| leaves.get(&leaf).copied())
}
