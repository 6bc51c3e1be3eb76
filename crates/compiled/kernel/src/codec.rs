//! Packed keys: which bits of a key stand for which propositions.
//!
//! Three kinds of field. A *raw* bit is one proposition. A group of which exactly one member
//! holds is either *dropped-one*: a bit for each member but one, which holds where no bit is set;
//! or *coded*: the index of the member that holds, in binary. Propositions that never change
//! ([`crate::constants`]) take no bit. The member that holds at the start is the one without a
//! bit (code 0), so that keys begin near zero.
//!
//! Always: two states that keep the guesses are equal exactly when their keys are; every bit from
//! `bits()` on is zero; fields are disjoint and ascending. Both directions are also given as gates
//! (over leaves `Base(bit)`), so that in the kernel packing costs only what does not fold.
//!
//! Choice: all groups dropped-one (cheapest in gates) where the key fits into the fewest words
//! that any choice reaches; else the largest groups are coded first until it does. Groups above
//! [`MAX_ONE_HOT`] bits are always coded, so that a table over a field stays small.

use std::ops::Range;

use index::{Id, IndexVec};
use net::{BaseId, GateId, Gates};
use rustc_hash::FxHashMap;

use crate::recode::{encode_members, table_to_gates};

/// The widest dropped-one field, in bits.
const MAX_ONE_HOT: usize = 12;

/// A field of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Field {
    /// One proposition, one bit.
    Raw { base: BaseId, bit: usize },
    /// Member 0 holds where no bit does; bit `first + i` is member `i + 1`.
    DroppedOne { members: Vec<BaseId>, first: usize },
    /// The index of the member that holds, in `width` bits from `first`.
    Coded { members: Vec<BaseId>, first: usize, width: usize },
}

/// A group that the code relies on: exactly one member holds in every state.
#[derive(Clone, Debug)]
pub(crate) struct CheckedGroup {
    /// Position in the list that the caller gave.
    pub index: usize,
    /// All its members, those that never hold included.
    pub members: Vec<BaseId>,
}

/// The layout of keys.
#[derive(Clone, Debug)]
pub(crate) struct Codec {
    fields: Vec<Field>,
    constant: IndexVec<BaseId, Option<bool>>,
    checked: Vec<CheckedGroup>,
    bits: usize,
}

impl Codec {
    /// Lays out keys for the propositions that are not constant. Of `groups`, those that share a
    /// member with an earlier one, or hold a member that is always true, are left unused.
    pub(crate) fn new(
        constant: IndexVec<BaseId, Option<bool>>,
        groups: &[Vec<BaseId>],
        init: &[BaseId],
    ) -> Self {
        let checked = disjoint_groups(&constant, groups);
        let mut free: IndexVec<BaseId, bool> = constant.iter().map(Option::is_none).collect();
        let mut members: Vec<Vec<BaseId>> = Vec::new();
        for group in &checked {
            let mut held: Vec<BaseId> =
                group.members.iter().copied().filter(|&base| constant[base].is_none()).collect();
            held.iter().for_each(|&base| free[base] = false);
            let start = held.iter().position(|base| init.contains(base)).unwrap_or(0);
            held[..=start].rotate_right(1);
            members.push(held);
        }
        let raw: Vec<BaseId> = free.ids().filter(|&base| free[base]).collect();
        let coded = choose_coded(&members, raw.len());
        let (fields, bits) = lay_out(raw, members, &coded);
        Self { fields, constant, checked, bits }
    }

    /// Bits of a key.
    pub(crate) fn bits(&self) -> usize {
        self.bits
    }

    /// Words of a key; at least 1.
    pub(crate) fn words(&self) -> usize {
        self.bits.div_ceil(64).max(1)
    }

    /// The groups that the code relies on.
    pub(crate) fn checked(&self) -> &[CheckedGroup] {
        &self.checked
    }

    /// The bit ranges of the fields, ascending; fields without bits are left out.
    pub(crate) fn ranges(&self) -> Vec<Range<usize>> {
        self.fields.iter().map(Field::range).filter(|range| !range.is_empty()).collect()
    }

    /// The codes of the fields that [`Codec::ranges`] lists, each with what it holds true.
    pub(crate) fn codes(&self) -> Vec<Vec<(u64, Option<BaseId>)>> {
        let fields = self.fields.iter().filter(|field| !field.range().is_empty());
        fields.map(Field::codes).collect()
    }

    /// The key of a state, given by its true propositions. None where a group or a constant of
    /// this layout does not hold in it.
    pub(crate) fn pack(&self, state: &[BaseId]) -> Option<Vec<u64>> {
        let mut holds = IndexVec::filled(false, self.constant.len());
        state.iter().for_each(|&base| holds[base] = true);
        let agrees = |(base, constant): (BaseId, &Option<bool>)| {
            constant.is_none_or(|value| value == holds[base])
        };
        let one_holds =
            |group: &CheckedGroup| group.members.iter().filter(|&&base| holds[base]).count() == 1;
        if !self.constant.enumerate().all(agrees) || !self.checked.iter().all(one_holds) {
            return None;
        }
        let mut key = vec![0; self.words()];
        self.fields.iter().for_each(|field| field.pack(&holds, &mut key));
        debug_assert_eq!(self.unpack(&key).len(), state.len(), "a key is read back");
        Some(key)
    }

    /// The true propositions of a key, ascending.
    pub(crate) fn unpack(&self, key: &[u64]) -> Vec<BaseId> {
        assert_eq!(key.len(), self.words(), "one key");
        let always = self.constant.enumerate().filter(|(_, value)| **value == Some(true));
        let mut state: Vec<BaseId> = always.map(|(base, _)| base).collect();
        state.extend(self.fields.iter().filter_map(|field| field.unpack(key)));
        state.sort_unstable();
        state
    }

    /// Each proposition as a gate over leaves `Base(bit of the key)`.
    pub(crate) fn decode(&self, gates: &mut Gates) -> IndexVec<BaseId, GateId> {
        let constants = self.constant.iter().map(|value| gates.constant(value.unwrap_or(false)));
        let mut decoded: IndexVec<BaseId, GateId> = constants.collect();
        self.fields.iter().for_each(|field| field.decode(gates, &mut decoded));
        decoded
    }

    /// Each bit of the key as a gate, given a gate for each proposition, and what the present
    /// propositions are (as [`Codec::decode`] made them in the same arena).
    pub(crate) fn encode(
        &self,
        gates: &mut Gates,
        bases: &IndexVec<BaseId, GateId>,
        decoded: &IndexVec<BaseId, GateId>,
    ) -> Vec<GateId> {
        let mut bits = Vec::with_capacity(self.bits);
        let present = self.present_members(decoded);
        for field in &self.fields {
            match self.renamed(gates, field, bases, &present) {
                Some(renamed) => bits.extend(renamed),
                None => field.encode(gates, bases, &mut bits),
            }
        }
        assert_eq!(bits.len(), self.bits, "fields are contiguous");
        bits
    }

    /// For each gate that is a member of a coded group: the field and the member's code.
    fn present_members(&self, decoded: &IndexVec<BaseId, GateId>) -> FxHashMap<GateId, Member> {
        let mut present = FxHashMap::default();
        for (at, field) in self.fields.iter().enumerate() {
            if let Field::Coded { members, .. } = field {
                let codes = members.iter().enumerate();
                present.extend(codes.map(|(code, &base)| (decoded[base], (at, code))));
            }
        }
        present
    }

    /// The bits of a coded field all of whose members are false or members of one coded field.
    fn renamed(
        &self,
        gates: &mut Gates,
        field: &Field,
        bases: &IndexVec<BaseId, GateId>,
        present: &FxHashMap<GateId, Member>,
    ) -> Option<Vec<GateId>> {
        let Field::Coded { members, width, .. } = field else { return None };
        let mut table: Option<(usize, Vec<Option<usize>>)> = None;
        for (code, &base) in
            members.iter().enumerate().filter(|(_, base)| bases[**base] != Gates::FALSE)
        {
            let &(from, old) = present.get(&bases[base])?;
            let entries = 1 << self.fields[from].range().len();
            let (source, entry) = table.get_or_insert_with(|| (from, vec![None; entries]));
            if *source != from || entry[old].replace(code).is_some() {
                return None;
            }
        }
        let (source, table) = table?;
        let bits: Vec<GateId> =
            self.fields[source].range().map(|bit| gates.base(BaseId::from_index(bit))).collect();
        Some(table_to_gates(gates, &bits, &table, *width))
    }
}

/// A field, and a code in it.
type Member = (usize, usize);

/// The groups that can be used together, with their positions.
fn disjoint_groups(
    constant: &IndexVec<BaseId, Option<bool>>,
    groups: &[Vec<BaseId>],
) -> Vec<CheckedGroup> {
    let mut taken = IndexVec::<BaseId, bool>::filled(false, constant.len());
    let mut used = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let mut members = group.clone();
        members.sort_unstable();
        members.dedup();
        let usable = |base: &BaseId| !taken[*base] && constant[*base] != Some(true);
        let varies = members.iter().any(|&base| constant[base].is_none());
        if varies && members.iter().all(usable) {
            members.iter().for_each(|&base| taken[base] = true);
            used.push(CheckedGroup { index, members });
        }
    }
    used
}

/// Bits of a code for `count` members.
fn code_width(count: usize) -> usize {
    assert!(count > 0, "a group has a member");
    count.next_power_of_two().trailing_zeros() as usize
}

/// Which groups are coded: as few as the smallest number of words allows, largest first.
fn choose_coded(groups: &[Vec<BaseId>], raw: usize) -> Vec<bool> {
    let mut coded: Vec<bool> = groups.iter().map(|group| group.len() - 1 > MAX_ONE_HOT).collect();
    let least = raw + groups.iter().map(|group| code_width(group.len())).sum::<usize>();
    let room = 64 * least.div_ceil(64);
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(groups[index].len()));
    let width = |index: usize, coded: bool| match coded {
        true => code_width(groups[index].len()),
        false => groups[index].len() - 1,
    };
    let mut total = raw + (0..groups.len()).map(|index| width(index, coded[index])).sum::<usize>();
    for index in order {
        if total > room && !coded[index] {
            coded[index] = true;
            total = total - width(index, false) + width(index, true);
        }
    }
    assert!(total <= room, "with all groups coded the key fits");
    coded
}

/// Gives the fields their bits, in the order of their first propositions.
fn lay_out(raw: Vec<BaseId>, groups: Vec<Vec<BaseId>>, coded: &[bool]) -> (Vec<Field>, usize) {
    let mut parts: Vec<(BaseId, Field)> =
        raw.into_iter().map(|base| (base, Field::Raw { base, bit: 0 })).collect();
    for (members, &coded) in groups.into_iter().zip(coded) {
        let least = *members.iter().min().expect("a group has a member");
        let width = code_width(members.len());
        parts.push(match coded {
            true => (least, Field::Coded { members, first: 0, width }),
            false => (least, Field::DroppedOne { members, first: 0 }),
        });
    }
    parts.sort_by_key(|(least, _)| *least);
    let mut next = 0;
    let mut fields = Vec::with_capacity(parts.len());
    for (_, mut field) in parts {
        field.start_at(next);
        next = field.range().end;
        fields.push(field);
    }
    (fields, next)
}

impl Field {
    fn start_at(&mut self, at: usize) {
        match self {
            Self::Raw { bit: first, .. }
            | Self::DroppedOne { first, .. }
            | Self::Coded { first, .. } => *first = at,
        }
    }

    fn range(&self) -> Range<usize> {
        match *self {
            Self::Raw { bit, .. } => bit..bit + 1,
            Self::DroppedOne { ref members, first } => first..first + members.len() - 1,
            Self::Coded { first, width, .. } => first..first + width,
        }
    }

    /// The codes that occur, ascending.
    fn codes(&self) -> Vec<(u64, Option<BaseId>)> {
        let numbered = |members: &[BaseId], code: fn(usize) -> u64| {
            members.iter().enumerate().map(|(at, base)| (code(at), Some(*base))).collect()
        };
        match self {
            Self::Raw { base, .. } => vec![(0, None), (1, Some(*base))],
            Self::DroppedOne { members, .. } => {
                numbered(members, |at| at.checked_sub(1).map_or(0, |bit| 1 << bit))
            }
            Self::Coded { members, .. } => numbered(members, |at| at as u64),
        }
    }

    /// Sets the bits of the field. At most one member holds.
    fn pack(&self, holds: &IndexVec<BaseId, bool>, key: &mut [u64]) {
        let mut set = |bit: usize| key[bit / 64] |= 1 << (bit % 64);
        let held = |members: &[BaseId]| members.iter().position(|&base| holds[base]);
        match self {
            Self::Raw { base, bit } => {
                if holds[*base] {
                    set(*bit);
                }
            }
            Self::DroppedOne { members, first } => {
                if let Some(member @ 1..) = held(members) {
                    set(first + member - 1);
                }
            }
            Self::Coded { members, first, width } => {
                let member = held(members).unwrap_or(0);
                (0..*width).filter(|at| member >> at & 1 == 1).for_each(|at| set(first + at));
            }
        }
    }

    /// The proposition of the field that holds.
    fn unpack(&self, key: &[u64]) -> Option<BaseId> {
        let bit = |at: usize| key[at / 64] >> (at % 64) & 1;
        match self {
            Self::Raw { base, bit: at } => (bit(*at) == 1).then_some(*base),
            Self::DroppedOne { members, first } => {
                let set = (1..members.len()).find(|member| bit(first + member - 1) == 1);
                Some(members[set.unwrap_or(0)])
            }
            Self::Coded { members, first, width } => {
                let code = (0..*width).fold(0, |code, at| code | (bit(first + at) as usize) << at);
                members.get(code).copied()
            }
        }
    }

    fn decode(&self, gates: &mut Gates, decoded: &mut IndexVec<BaseId, GateId>) {
        let mut leaf = |at: usize| gates.base(BaseId::from_index(at));
        let leaves: Vec<GateId> = self.range().map(&mut leaf).collect();
        match self {
            Self::Raw { base, .. } => decoded[*base] = leaves[0],
            Self::DroppedOne { members, .. } => {
                let any = gates.any(&leaves);
                decoded[members[0]] = gates.not(any);
                members[1..].iter().zip(leaves).for_each(|(&base, leaf)| decoded[base] = leaf);
            }
            Self::Coded { members, .. } => {
                let minterms = minterms(gates, &leaves, members.len());
                members.iter().zip(minterms).for_each(|(&base, gate)| decoded[base] = gate);
            }
        }
    }

    fn encode(&self, gates: &mut Gates, bases: &IndexVec<BaseId, GateId>, bits: &mut Vec<GateId>) {
        match self {
            Self::Raw { base, .. } => bits.push(bases[*base]),
            Self::DroppedOne { members, .. } => {
                bits.extend(members[1..].iter().map(|&base| bases[base]));
            }
            Self::Coded { members, width, .. } => {
                let members: Vec<GateId> = members.iter().map(|&base| bases[base]).collect();
                bits.extend(encode_members(gates, &members, *width));
            }
        }
    }
}

/// The conjunctions `bits == code` for codes below `count`, sharing their halves.
fn minterms(gates: &mut Gates, bits: &[GateId], count: usize) -> Vec<GateId> {
    match *bits {
        [] => vec![Gates::TRUE],
        [bit] => vec![gates.not(bit), bit],
        _ => {
            let (low, high) = bits.split_at(bits.len() / 2);
            let lows = minterms(gates, low, 1 << low.len());
            let highs = minterms(gates, high, 1 << high.len());
            let term = |code: usize| (lows[code % lows.len()], highs[code / lows.len()]);
            (0..count.min(1 << bits.len())).map(term).map(|(a, b)| gates.and(a, b)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use net::random::Random;

    fn base(index: usize) -> BaseId {
        BaseId::from_index(index)
    }

    /// Groups of these sizes one after the other, then `raw` propositions.
    fn layout(sizes: &[usize], raw: usize) -> (Codec, Vec<Vec<BaseId>>) {
        let mut next = 0;
        let groups: Vec<Vec<BaseId>> = sizes
            .iter()
            .map(|size| {
                next += size;
                (next - size..next).map(base).collect()
            })
            .collect();
        let init: Vec<BaseId> = groups.iter().map(|group| group[group.len() / 2]).collect();
        (Codec::new(IndexVec::filled(None, next + raw), &groups, &init), groups)
    }

    /// Values of the gates under a key.
    fn values(gates: &Gates, key: &[u64]) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::new();
        for (_, gate) in gates.iter() {
            values.push(match gate {
                net::Gate::Const(value) => value,
                net::Gate::Base(bit) => key[bit.index() / 64] >> (bit.index() % 64) & 1 == 1,
                net::Gate::Does(_) => unreachable!("a codec reads no move"),
                net::Gate::Not(a) => !values[a.index()],
                net::Gate::And(a, b) => values[a.index()] && values[b.index()],
                net::Gate::Or(a, b) => values[a.index()] || values[b.index()],
            });
        }
        values
    }

    fn round_trips(sizes: &[usize], raw: usize, random: &mut Random) -> Codec {
        let (codec, groups) = layout(sizes, raw);
        let mut gates = Gates::new();
        let decoded = codec.decode(&mut gates);
        let encoded = codec.encode(&mut gates, &decoded, &decoded);
        for _ in 0..50 {
            let first_raw = sizes.iter().sum::<usize>();
            let mut state: Vec<BaseId> =
                groups.iter().map(|group| group[random.below(group.len())]).collect();
            let all = first_raw..first_raw + raw;
            state.extend(all.filter(|_| random.below(2) == 0).map(base));
            let key = codec.pack(&state).expect("groups hold");
            assert_eq!(codec.unpack(&key), state);
            let values = values(&gates, &key);
            let held = decoded.enumerate().filter(|(_, gate)| values[gate.index()]);
            assert_eq!(held.map(|(base, _)| base).collect::<Vec<_>>(), state);
            for (bit, gate) in encoded.iter().enumerate() {
                assert_eq!(values[gate.index()], key[bit / 64] >> (bit % 64) & 1 == 1);
            }
        }
        codec
    }

    #[test]
    fn keys_are_read_back_and_gates_say_the_same() {
        let mut random = Random::new(31);
        for (sizes, raw) in
            [(&[3, 3, 4][..], 5), (&[20, 3], 2), (&[9; 9], 1), (&[], 70), (&[40; 30], 3)]
        {
            round_trips(sizes, raw, &mut random);
        }
    }

    #[test]
    fn groups_are_coded_only_where_that_saves_a_word() {
        assert_eq!(layout(&[3; 20], 4).0.bits(), 44);
        // 12 groups of 9: 96 bits one-hot; coding saves 4 each, so 8 of them are coded.
        let (codec, _) = layout(&[9; 12], 0);
        assert_eq!((codec.bits(), codec.words()), (96 - 8 * 4, 1));
        // Above the limit a group is coded in any case.
        assert_eq!(layout(&[14], 0).0.bits(), 4);
        assert_eq!(layout(&[13], 0).0.bits(), 12);
    }

    #[test]
    fn the_initial_state_has_key_zero_and_constants_take_no_bit() {
        let constant = vec![Some(true), None, None, Some(false), None].into();
        let groups = [vec![base(1), base(2), base(3)]];
        let codec = Codec::new(constant, &groups, &[base(0), base(2)]);
        assert_eq!(codec.bits(), 2);
        assert_eq!(codec.pack(&[base(0), base(2)]), Some(vec![0]));
        assert_eq!(codec.unpack(&[0]), [base(0), base(2)]);
        assert_eq!(codec.pack(&[base(2)]), None, "a constant is missing");
        assert_eq!(codec.pack(&[base(0), base(1), base(2)]), None, "two of a group");
        assert_eq!(codec.pack(&[base(0)]), None, "none of a group");
    }

    #[test]
    fn fields_cover_the_key_and_overlapping_groups_are_left_unused() {
        let groups = [vec![base(0), base(1), base(2)], vec![base(2), base(3)]];
        let codec = Codec::new(IndexVec::filled(None, 5), &groups, &[base(0)]);
        assert_eq!(codec.checked().iter().map(|group| group.index).collect::<Vec<_>>(), [0]);
        assert_eq!(codec.ranges(), [0..2, 2..3, 3..4]);
        assert_eq!(codec.bits(), 4);
    }
}
