//! Positions expanded one by one, by following what changes from one to the next.
//!
//! The kernel expands a thousand states as fast as one. Where a network has a hundred thousand gates
//! and a ply brings two new positions, following the few gates that differ between neighbours costs a
//! fraction of it. Only what is in order is told here: whatever is not goes to the kernel, which says
//! what is wrong.

use std::sync::Arc;

use index::{Id, IndexVec};
use kernel::Casting;
use net::{BaseId, Gate, GateId, Gates, InputId, Net, Specialised};
use rustc_hash::FxHashMap;

use super::keys::Cut;
use super::moves::Entry;
use crate::sweep::layers::gcd;

/// Gates of a network for each position below which the kernel is faster; small networks in tests take
/// both ways.
const GATES: usize = if cfg!(test) { 128 } else { 4096 };
/// Joint moves of a position beyond which the kernel does it.
const MOST_JOINTS: usize = 256;

/// Expands single positions.
pub(super) struct Single {
    net: Arc<Net>,
    casting: Casting,
    now: Specialised,
    bases: IndexVec<BaseId, Option<GateId>>,
    moves: IndexVec<InputId, Option<GateId>>,
    /// What stands behind gates: successors of propositions, and legal moves.
    successors: FxHashMap<GateId, Vec<BaseId>>,
    legality: FxHashMap<GateId, Vec<InputId>>,
    /// What holds in the state at hand of all that varies, what is played, and what follows from that;
    /// all ascending.
    holds: Vec<BaseId>,
    played: Vec<InputId>,
    next: Vec<BaseId>,
    legal: Vec<InputId>,
    changed: Vec<GateId>,
    varying: Vec<BaseId>,
}

/// What was found of a position.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Where it is terminal: its payment.
    pub(super) payment: Option<u32>,
    /// Else how its children fold, and their keys.
    pub(super) shape: Vec<Entry>,
    pub(super) children: Vec<u64>,
    /// Whether it waits for chance alone.
    pub(super) waiting: bool,
    /// Whether the asked role and an opponent choose at once.
    pub(super) simultaneous: bool,
}

/// Whether so many positions are expanded one by one.
pub(super) fn suits(net: &Net, positions: usize) -> bool {
    positions.saturating_mul(GATES) < net.gates.len()
}

/// Adds to, or takes from, a list that ascends.
fn put<T: Ord + Copy>(list: &mut Vec<T>, item: T, held: bool) {
    match list.binary_search(&item) {
        Ok(at) if !held => {
            list.remove(at);
        }
        Err(at) if held => list.insert(at, item),
        _ => {}
    }
}

impl Single {
    /// Stands at the start of a game.
    pub(super) fn new(net: &Arc<Net>, casting: &Casting, cut: &Cut) -> Self {
        let mut bases = IndexVec::filled(None, net.bases.len());
        let mut moves = IndexVec::filled(None, net.inputs.len());
        for (id, gate) in net.gates.iter() {
            match gate {
                Gate::Base(base) => bases[base] = Some(id),
                Gate::Does(input) => moves[input] = Some(id),
                _ => {}
            }
        }
        let now = Specialised::new(Arc::clone(net), |gate| match gate {
            Gate::Base(base) => Some(net.init.binary_search(&base).is_ok()),
            _ => Some(false),
        });
        let mut successors: FxHashMap<GateId, Vec<BaseId>> = FxHashMap::default();
        net.next
            .enumerate()
            .for_each(|(base, gate)| successors.entry(*gate).or_default().push(base));
        let mut legality: FxHashMap<GateId, Vec<InputId>> = FxHashMap::default();
        net.legal
            .enumerate()
            .for_each(|(input, gate)| legality.entry(*gate).or_default().push(input));
        let true_now = |gate: &GateId| now.made(*gate) == Gates::TRUE;
        let next = net.next.enumerate().filter(|(_, gate)| true_now(gate)).map(|(base, _)| base);
        let legal =
            net.legal.enumerate().filter(|(_, gate)| true_now(gate)).map(|(input, _)| input);
        let (next, legal) = (next.collect(), legal.collect());
        let varying: Vec<BaseId> = cut.varying().collect();
        let holds = net.init.iter().copied().filter(|base| varying.binary_search(base).is_ok());
        Self {
            holds: holds.collect(),
            played: Vec::new(),
            next,
            legal,
            changed: Vec::new(),
            varying,
            net: Arc::clone(net),
            casting: casting.clone(),
            now,
            bases,
            moves,
            successors,
            legality,
        }
    }

    /// Expands the state of a key. `None` where something is not in order, or too much.
    pub(super) fn expand(&mut self, key: &[u64], cut: &Cut) -> Option<Found> {
        let mut holds = Vec::new();
        cut.holds(key, &mut holds);
        debug_assert!(holds.iter().all(|base| self.varying.binary_search(base).is_ok()));
        let old = std::mem::replace(&mut self.holds, holds);
        self.turn(&old);
        self.follow();
        let mut found = Found::default();
        if self.now.made(self.net.terminal) == Gates::TRUE {
            found.payment = Some(self.payment()?);
            return Some(found);
        }
        let roles = [&[self.casting.asked][..], &self.casting.opponents, &self.casting.chance];
        let seats = roles.concat();
        let mut choices: Vec<Vec<InputId>> = Vec::new();
        for role in &seats {
            let own = &self.net.roles[*role].inputs;
            let held = self.legal.iter().copied().filter(|input| own.contains(&input.index()));
            choices.push(held.collect());
        }
        let sizes = || choices.iter().map(Vec::len);
        let joints = sizes().try_fold(1usize, usize::checked_mul)?;
        if joints == 0 || joints > MOST_JOINTS {
            return None;
        }
        let first_chance = 1 + self.casting.opponents.len();
        let total: usize = sizes().skip(first_chance).product();
        found.waiting = total > 1 && sizes().take(first_chance).all(|size| size == 1);
        found.simultaneous =
            choices[0].len() > 1 && choices[1..first_chance].iter().any(|moves| moves.len() > 1);
        let pairs = joints / total;
        let answers = pairs / choices[0].len();
        for pair in 0..pairs {
            let mut outcomes: Vec<(Vec<u64>, u32)> = Vec::new();
            for outcome in 0..total {
                self.play(&choices, pair * total + outcome);
                let child = cut.position(&self.next)?;
                match outcomes.iter_mut().find(|held| held.0 == child) {
                    Some(held) => held.1 += 1,
                    None => outcomes.push((child, 1)),
                }
            }
            let total = total as u32;
            let common = outcomes.iter().fold(total, |common, held| gcd(common, held.1));
            let count = outcomes.len();
            for (at, (child, weight)) in outcomes.into_iter().enumerate() {
                let last_of_pair = at + 1 == count;
                let last_of_asked = last_of_pair && (pair + 1) % answers == 0;
                let (weight, total) = (weight / common, total / common);
                found.shape.push(Entry { weight, total, last_of_pair, last_of_asked });
                found.children.extend(child);
            }
        }
        Some(found)
    }

    /// Sets the leaves that differ from the state before.
    fn turn(&mut self, old: &[BaseId]) {
        let (now, bases) = (&mut self.now, &self.bases);
        let mut set = |base: BaseId, held: bool| {
            if let Some(leaf) = bases[base] {
                now.set(leaf, held);
            }
        };
        let fresh = self.holds.iter().filter(|base| old.binary_search(base).is_err());
        fresh.for_each(|base| set(*base, true));
        let gone = old.iter().filter(|base| self.holds.binary_search(base).is_err());
        gone.for_each(|base| set(*base, false));
    }

    /// Sets the moves of a joint move, by its number; the last seat's moves go by fastest.
    fn play(&mut self, choices: &[Vec<InputId>], mut number: usize) {
        let mut played: Vec<InputId> = Vec::with_capacity(choices.len());
        for moves in choices.iter().rev() {
            played.push(moves[number % moves.len()]);
            number /= moves.len();
        }
        played.sort_unstable();
        let old = std::mem::replace(&mut self.played, played);
        let (now, moves) = (&mut self.now, &self.moves);
        let mut set = |input: &InputId, held: bool| {
            if let Some(leaf) = moves[*input] {
                now.set(leaf, held);
            }
        };
        let gone = old.iter().filter(|input| self.played.binary_search(input).is_err());
        gone.for_each(|input| set(input, false));
        let fresh = self.played.iter().filter(|input| old.binary_search(input).is_err());
        fresh.for_each(|input| set(input, true));
        self.follow();
    }

    /// Brings what follows from the leaves up to date.
    fn follow(&mut self) {
        self.now.settle();
        self.now.take_changed(&mut self.changed);
        for gate in &self.changed {
            let made = self.now.made(*gate);
            debug_assert!(made == Gates::TRUE || made == Gates::FALSE, "all leaves are set");
            for base in self.successors.get(gate).into_iter().flatten() {
                put(&mut self.next, *base, made == Gates::TRUE);
            }
            for input in self.legality.get(gate).into_iter().flatten() {
                put(&mut self.legal, *input, made == Gates::TRUE);
            }
        }
    }

    fn payment(&self) -> Option<u32> {
        let goals = &self.net.roles[self.casting.asked].goals;
        let mut held = goals.iter().filter(|(_, gate)| self.now.made(*gate) == Gates::TRUE);
        match (held.next(), held.next()) {
            (Some((goal, _)), None) => Some(self.casting.payoffs[usize::from(*goal)]),
            (None, _) if self.casting.goal_optional => Some(0),
            _ => None,
        }
    }
}
