//! The definition of a right expansion, lane by lane, against the network's interpreter.
//!
//! Shares nothing with the kernels but the packing. Slow; for tests and for `check` runs.

use std::collections::BTreeMap;

use index::Id;
use net::interpret::{State, View, update, view};
use net::{InputId, Net};

use crate::expand::{Casting, Expander, Expansion, Joint};

/// The edges of one pair of moves: weight by child's key, and the common total.
type Outcomes = BTreeMap<Vec<u64>, u32>;

/// Checks that `out` is the expansion of `keys` (with children) in every lane, or says what is
/// wrong in the first bad one.
///
/// # Errors
/// A description of the first difference.
pub fn check_expansion(
    net: &Net,
    casting: &Casting,
    kernel: &dyn Expander,
    keys: &[u64],
    out: &Expansion,
) -> Result<(), String> {
    let lanes = keys.len() / kernel.words();
    for joint in &out.joints {
        if !(0..lanes).any(|lane| bit(&joint.mask, lane)) {
            return Err(format!("{joint:?} has no lane"));
        }
        if (lanes..crate::BLOCK_LANES).any(|lane| bit(&joint.mask, lane)) {
            return Err(format!("{joint:?} holds lanes beyond the block"));
        }
    }
    check_marks(&out.joints)?;
    for (lane, key) in keys.chunks(kernel.words()).enumerate() {
        let state: State = kernel.unpack(key).into_iter().collect();
        let seen = view(net, &state);
        let lane = Lane { net, casting, kernel, out, lane, state: &state, view: &seen };
        lane.check().map_err(|what| format!("lane {}: {what}", lane.lane))?;
    }
    Ok(())
}

/// Between two marks lie the entries of one pair, or of one move of the asked role.
fn check_marks(joints: &[Joint]) -> Result<(), String> {
    for pair in joints.split_inclusive(|joint| joint.last_of_pair) {
        let first = &pair[0];
        let same = |entry: &Joint| {
            (entry.asked, entry.opponents, entry.mask) == (first.asked, first.opponents, first.mask)
        };
        if !pair.iter().all(same) || !pair[pair.len() - 1].last_of_pair {
            return Err(format!("the pair of {first:?} is not contiguous"));
        }
    }
    for line in joints.split_inclusive(|joint| joint.last_of_asked) {
        let (first, last) = (&line[0], &line[line.len() - 1]);
        let ends = last.last_of_asked && last.last_of_pair;
        if !ends || line.iter().any(|entry| entry.asked != first.asked) {
            return Err(format!("the move of {first:?} is not contiguous"));
        }
    }
    Ok(())
}

fn bit(mask: &crate::Mask, lane: usize) -> bool {
    mask[lane / 64] >> (lane % 64) & 1 == 1
}

/// One lane of an expansion.
struct Lane<'a> {
    net: &'a Net,
    casting: &'a Casting,
    kernel: &'a dyn Expander,
    out: &'a Expansion,
    lane: usize,
    state: &'a State,
    view: &'a View,
}

impl Lane<'_> {
    fn check(&self) -> Result<(), String> {
        let entries: Vec<&Joint> =
            self.out.joints.iter().filter(|joint| bit(&joint.mask, self.lane)).collect();
        self.expect("terminal", bit(&self.out.terminal, self.lane), self.view.terminal)?;
        self.expect("waiting", bit(&self.out.waiting, self.lane), self.is_waiting())?;
        if self.view.terminal {
            self.expect("no joint moves", entries.len(), 0)?;
            return self.expect("payoff", self.out.payoff[self.lane], self.payoff());
        }
        self.check_order(&entries)?;
        self.check_edges(&entries)
    }

    fn expect<T: PartialEq + std::fmt::Debug>(
        &self,
        what: &str,
        got: T,
        want: T,
    ) -> Result<(), String> {
        if got == want { Ok(()) } else { Err(format!("{what}: {got:?}, expected {want:?}")) }
    }

    fn legal(&self, role: gdl::RoleId) -> Vec<InputId> {
        let inputs = self.net.roles[role].inputs.clone().map(InputId::from_index);
        inputs.filter(|&input| self.view.legal[input]).collect()
    }

    /// All joint legal moves of some roles.
    fn joints(&self, roles: &[gdl::RoleId]) -> Vec<Vec<InputId>> {
        let mut joints = vec![Vec::new()];
        for &role in roles {
            let legal = self.legal(role);
            let extend = |joint: &Vec<InputId>| {
                let joint = joint.clone();
                let with = move |&input: &InputId| [joint.as_slice(), &[input]].concat();
                legal.iter().map(with).collect::<Vec<_>>()
            };
            joints = joints.iter().flat_map(extend).collect();
        }
        joints
    }

    fn is_waiting(&self) -> bool {
        let count = |roles: &[gdl::RoleId]| self.joints(roles).len();
        !self.view.terminal
            && count(&[self.casting.asked]) == 1
            && count(&self.casting.opponents) == 1
            && count(&self.casting.chance) > 1
    }

    fn payoff(&self) -> u32 {
        let goals = &self.view.goals[self.casting.asked];
        goals.first().map_or(0, |&goal| self.casting.payoffs[usize::from(goal)])
    }

    /// Moves of the asked role, then pairs, are contiguous, and their last entries are marked.
    fn check_order(&self, entries: &[&Joint]) -> Result<(), String> {
        let (mut asked, mut pairs) = (Vec::new(), Vec::new());
        for (at, entry) in entries.iter().enumerate() {
            let next = entries.get(at + 1);
            let ends_asked = next.is_none_or(|next| next.asked != entry.asked);
            let ends_pair =
                ends_asked || next.is_some_and(|next| next.opponents != entry.opponents);
            self.expect("last of pair", entry.last_of_pair, ends_pair)?;
            if ends_asked {
                asked.push(entry.asked);
            }
            if ends_pair {
                pairs.push((entry.asked, entry.opponents));
            }
        }
        self.expect("moves of the asked role", asked, self.legal(self.casting.asked))?;
        let distinct: std::collections::BTreeSet<_> = pairs.iter().collect();
        self.expect("pairs are contiguous", distinct.len(), pairs.len())
    }

    /// Each pair of moves leads to the children that the interpreter finds, as often.
    fn check_edges(&self, entries: &[&Joint]) -> Result<(), String> {
        let chance = self.joints(&self.casting.chance);
        let mut found: BTreeMap<(InputId, Vec<InputId>), Outcomes> = BTreeMap::new();
        for entry in entries {
            self.expect("total", entry.total as usize, chance.len())?;
            let pair = (entry.asked, self.kernel.opponents_moves(entry.opponents));
            *found.entry(pair).or_default().entry(self.child(entry)).or_default() += entry.weight;
        }
        let mut wanted: BTreeMap<(InputId, Vec<InputId>), Outcomes> = BTreeMap::new();
        for asked in self.legal(self.casting.asked) {
            for opponents in self.joints(&self.casting.opponents) {
                for luck in &chance {
                    let joint = [&[asked], opponents.as_slice(), luck].concat();
                    let child: Vec<_> = update(self.net, self.state, &joint).iter().collect();
                    let key = self.kernel.pack(&child).ok_or("a child cannot be packed")?;
                    let outcomes = wanted.entry((asked, opponents.clone())).or_default();
                    *outcomes.entry(key).or_default() += 1;
                }
            }
        }
        self.expect("edges", found, wanted)
    }

    fn child(&self, joint: &Joint) -> Vec<u64> {
        let before = (0..self.lane).filter(|&lane| bit(&joint.mask, lane)).count();
        let words = self.kernel.words();
        let at = (joint.first_child + before) * words;
        self.out.children[at..at + words].to_vec()
    }
}
