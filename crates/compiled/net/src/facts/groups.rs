//! Groups of propositions of which exactly one, or at most one, holds.
//!
//! Computed: disjoint groups, proposed by the propositions' texts and kept where all sampled
//! states agree. A proposal is a set of propositions of one relation that differ only in one
//! argument, or in two, or in all: `(cell 1 2 ?)`, `(at ? ?)`, `(step ?)`. Proposals that cut a
//! relation in the same way form a family, and families are taken whole, the one that saves most
//! bits first, so that a board is not cut by rows here and by columns there. What is left may
//! still combine: groups of several relations of which exactly one holds (`(control x)`,
//! `(control o)`, `pending`).
//!
//! Always: groups are disjoint, ascending, of two members or more; in each sample exactly one (or
//! at most one) member of each holds. Where one member holds in every sample there is no group:
//! the sample has not seen the others. Why by texts and not by counting all pairs: pairs that were
//! never seen together are many in any sample; a relation's arguments are what its author meant.
//! Cost: propositions times samples over 64, for each cut of their relation.

use ground::BaseId;
use index::IndexVec;
use rustc_hash::FxHashMap;

use crate::facts::spelling::{Spelling, flat, outer};
use crate::gates::Net;
use crate::interpret::State;

/// Most parts that are combined to one group.
const LIMIT_PARTS: usize = 8;
/// Most proposals among which combinations are sought.
const LIMIT_COMBINED: usize = 400;

/// Groups of which exactly one member holds in every sample; largest savings first.
pub fn guess_groups(net: &Net, samples: &[State]) -> Vec<Vec<BaseId>> {
    let mut cover = Cover::new(net, samples);
    let families = families(net);
    cover.take(&families, |census| census.exclusive && census.covers && !census.settled);
    cover.combine(net, &families);
    cover.groups
}

/// Groups of the propositions outside of `taken` of which at most one holds in every sample, and
/// at least two members have been seen.
pub fn guess_exclusive(net: &Net, samples: &[State], taken: &[Vec<BaseId>]) -> Vec<Vec<BaseId>> {
    let mut cover = Cover::new(net, samples);
    for &base in taken.iter().flatten() {
        cover.taken[base] = true;
    }
    cover.take(&families(net), |census| census.exclusive && census.seen >= 2);
    cover.groups
}

type Family = Vec<Vec<BaseId>>;

/// All ways to cut the relations into proposals.
fn families(net: &Net) -> Vec<Family> {
    let mut relations: FxHashMap<(String, usize), usize> = FxHashMap::default();
    let mut members: Vec<Vec<(BaseId, Vec<String>)>> = Vec::new();
    for (base, text) in net.bases.enumerate() {
        for Spelling { shape, args } in [Some(outer(text)), flat(text)].into_iter().flatten() {
            let relation = *relations.entry((shape, args.len())).or_insert(members.len());
            if relation == members.len() {
                members.push(Vec::new());
            }
            members[relation].push((base, args));
        }
    }
    let cut_all = members.iter().filter(|members| members.len() >= 2);
    cut_all.flat_map(|members| cuts(members)).collect()
}

/// The families of one relation.
fn cuts(members: &[(BaseId, Vec<String>)]) -> Vec<Family> {
    let arity = members[0].1.len();
    let mut varying: Vec<Vec<usize>> = vec![(0..arity).collect()];
    if arity > 1 {
        varying.extend((0..arity).map(|at| vec![at]));
    }
    if arity > 2 {
        varying.extend((0..arity).flat_map(|at| (at + 1..arity).map(move |other| vec![at, other])));
    }
    let families = varying.iter().map(|varying| cut(members, varying));
    families.filter(|family| !family.is_empty()).collect()
}

/// The proposals whose members agree on all arguments but the varying ones.
fn cut(members: &[(BaseId, Vec<String>)], varying: &[usize]) -> Family {
    let mut place: FxHashMap<Vec<&str>, usize> = FxHashMap::default();
    let mut groups: Family = Vec::new();
    for (base, args) in members {
        let fixed = args.iter().enumerate().filter(|(at, _)| !varying.contains(at));
        let key = fixed.map(|(_, arg)| arg.as_str()).collect();
        let group = *place.entry(key).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(*base);
    }
    groups.retain(|group| group.len() >= 2);
    debug_assert!(groups.iter().all(|group| group.is_sorted()));
    groups
}

/// What the samples say about a set of propositions.
struct Census {
    /// No two hold together.
    exclusive: bool,
    /// One holds in each sample.
    covers: bool,
    /// Some member holds in each sample.
    settled: bool,
    /// How many members hold in some sample.
    seen: usize,
    /// The samples in which one holds.
    holds: Vec<u64>,
}

/// Disjoint groups under construction.
struct Cover {
    /// By proposition: the samples in which it holds.
    columns: IndexVec<BaseId, Vec<u64>>,
    full: Vec<u64>,
    taken: IndexVec<BaseId, bool>,
    groups: Vec<Vec<BaseId>>,
}

impl Cover {
    fn new(net: &Net, samples: &[State]) -> Self {
        let words = samples.len().div_ceil(64);
        let mut columns = IndexVec::filled(vec![0u64; words], net.bases.len());
        let mut full = vec![0u64; words];
        for (at, state) in samples.iter().enumerate() {
            let bit = 1u64 << (at % 64);
            full[at / 64] |= bit;
            for base in state.iter() {
                columns[base][at / 64] |= bit;
            }
        }
        let taken = IndexVec::filled(false, net.bases.len());
        Self { columns, full, taken, groups: Vec::new() }
    }

    fn census(&self, group: &[BaseId]) -> Census {
        let mut holds = vec![0u64; self.full.len()];
        let (mut exclusive, mut settled, mut seen) = (true, false, 0);
        for &base in group {
            let column = &self.columns[base];
            seen += usize::from(column.iter().any(|word| *word != 0));
            settled |= *column == self.full;
            for (sum, word) in holds.iter_mut().zip(column) {
                exclusive &= *sum & word == 0;
                *sum |= word;
            }
        }
        let covers = holds == self.full && !self.full.is_empty();
        Census { exclusive, covers, settled, seen, holds }
    }

    fn is_free(&self, group: &[BaseId]) -> bool {
        group.iter().all(|base| !self.taken[*base])
    }

    /// Takes families, each time the one that saves most, until none saves anything.
    fn take(&mut self, families: &[Family], fits: impl Fn(&Census) -> bool) {
        let fitting: Vec<Family> = families
            .iter()
            .map(|family| {
                let groups = family.iter().filter(|group| self.is_free(group));
                groups.filter(|group| fits(&self.census(group))).cloned().collect()
            })
            .collect();
        loop {
            let saving = |family: &Family| -> usize {
                family.iter().filter(|group| self.is_free(group)).map(|group| saved(group)).sum()
            };
            // The first of the best, so that the order of texts decides ties.
            let best = fitting.iter().rev().max_by_key(|family| saving(family));
            let Some(best) = best.filter(|family| saving(family) > 0) else { break };
            for group in best {
                if self.is_free(group) {
                    self.keep(group.clone());
                }
            }
        }
    }

    fn keep(&mut self, group: Vec<BaseId>) {
        assert!(group.len() >= 2 && group.is_sorted());
        for &base in &group {
            assert!(!std::mem::replace(&mut self.taken[base], true), "groups are disjoint");
        }
        self.groups.push(group);
    }

    /// Joins parts of several relations to groups of which exactly one member holds.
    fn combine(&mut self, net: &Net, families: &[Family]) {
        let mut parts = self.parts(net, families);
        parts.truncate(LIMIT_COMBINED);
        for first in 0..parts.len() {
            if let Some(group) = self.completed(&parts, first) {
                self.keep(group);
            }
        }
    }

    /// Free sets of which at most one holds, none always and not all never: largest first.
    fn parts(&self, net: &Net, families: &[Family]) -> Vec<(Vec<BaseId>, Vec<u64>)> {
        let singles = net.bases.ids().map(|base| vec![base]);
        let groups = families.iter().flatten().cloned().chain(singles);
        let mut parts: Vec<(Vec<BaseId>, Vec<u64>)> = groups
            .filter(|group| self.is_free(group))
            .map(|group| (self.census(&group), group))
            .filter(|(census, _)| census.exclusive && !census.covers && census.seen > 0)
            .map(|(census, group)| (group, census.holds))
            .collect();
        parts.sort_by_key(|(group, _)| std::cmp::Reverse(group.len()));
        parts
    }

    /// A part together with later ones that hold exactly where it does not.
    fn completed(&self, parts: &[(Vec<BaseId>, Vec<u64>)], first: usize) -> Option<Vec<BaseId>> {
        let (group, holds) = &parts[first];
        if !self.is_free(group) {
            return None;
        }
        let rest: Vec<u64> = self.full.iter().zip(holds).map(|(full, held)| full & !held).collect();
        let free = || parts.iter().skip(first + 1).filter(|(part, _)| self.is_free(part));
        if let Some((other, _)) = free().find(|(part, held)| *held == rest && disjoint(part, group))
        {
            return Some(union(group, other));
        }
        let (mut group, mut rest) = (group.clone(), rest);
        let mut count = 1;
        for (part, held) in free() {
            let inside = held.iter().zip(&rest).all(|(held, rest)| held & !rest == 0);
            if inside && disjoint(part, &group) && count < LIMIT_PARTS {
                group = union(&group, part);
                rest.iter_mut().zip(held).for_each(|(rest, held)| *rest &= !held);
                count += 1;
            }
        }
        rest.iter().all(|word| *word == 0).then_some(group)
    }
}

fn disjoint(one: &[BaseId], other: &[BaseId]) -> bool {
    debug_assert!(one.is_sorted());
    other.iter().all(|base| one.binary_search(base).is_err())
}

fn union(one: &[BaseId], other: &[BaseId]) -> Vec<BaseId> {
    let mut all: Vec<BaseId> = one.iter().chain(other).copied().collect();
    all.sort_unstable();
    debug_assert!(all.is_sorted_by(|a, b| a < b));
    all
}

/// Bits that a digit saves over a bit a proposition.
fn saved(group: &[BaseId]) -> usize {
    let bits = group.len().next_power_of_two().trailing_zeros() as usize;
    debug_assert!(bits <= group.len());
    group.len() - bits
}

#[cfg(test)]
mod tests {
    use index::Id;

    use super::*;
    use crate::parse_net;

    fn net(texts: &[&str]) -> Net {
        let lines: Vec<String> =
            texts.iter().enumerate().map(|(at, text)| format!("b{at} \"{text}\"")).collect();
        parse_net(&lines.join("\n")).expect("a list of propositions")
    }

    fn states(lists: &[&[usize]]) -> Vec<State> {
        let state = |list: &&[usize]| list.iter().map(|at| BaseId::from_index(*at)).collect();
        lists.iter().map(state).collect()
    }

    fn plain(groups: &[Vec<BaseId>]) -> Vec<Vec<usize>> {
        groups.iter().map(|group| group.iter().map(|base| base.index()).collect()).collect()
    }

    #[test]
    fn cells_and_control_are_groups() {
        let net = net(&[
            "(cell 1 b)",
            "(cell 1 x)",
            "(cell 2 b)",
            "(cell 2 x)",
            "(control x)",
            "(control o)",
        ]);
        let samples = states(&[&[0, 2, 4], &[1, 2, 5], &[1, 3, 4], &[0, 3, 5]]);
        assert_eq!(plain(&guess_groups(&net, &samples)), [vec![0, 1], vec![2, 3], vec![4, 5]]);
        let broken = states(&[&[0, 2, 4], &[1, 2, 5], &[1, 3], &[0, 3, 5]]);
        assert_eq!(plain(&guess_groups(&net, &broken)), [vec![0, 1], vec![2, 3]]);
    }

    #[test]
    fn a_family_is_taken_whole() {
        // Tiles at places, one of each: by place or by tile, but not mixed.
        let net = net(&["(at 1 a)", "(at 1 b)", "(at 2 a)", "(at 2 b)"]);
        let samples = states(&[&[0, 3], &[1, 2]]);
        let groups = plain(&guess_groups(&net, &samples));
        assert!(groups == [vec![0, 1], vec![2, 3]] || groups == [vec![0, 2], vec![1, 3]]);
    }

    #[test]
    fn relations_combine_where_exactly_one_holds() {
        let net = net(&["(control x)", "(control o)", "(pending x)", "(pending o)", "over"]);
        let samples = states(&[&[0], &[2], &[1], &[3], &[4]]);
        assert_eq!(plain(&guess_groups(&net, &samples)), [vec![0, 1, 2, 3, 4]]);
    }

    #[test]
    fn what_always_holds_is_no_group_and_what_may_be_absent_is_exclusive() {
        let net = net(&["(wall up)", "(wall down)", "(last 1)", "(last 2)", "(last 3)"]);
        let samples = states(&[&[0], &[0, 2], &[0, 3]]);
        let groups = guess_groups(&net, &samples);
        assert!(groups.is_empty(), "{groups:?}");
        assert_eq!(plain(&guess_exclusive(&net, &samples, &groups)), [vec![2, 3, 4]]);
        assert!(guess_groups(&net, &[]).is_empty(), "no sample, no guess");
    }

    #[test]
    fn nested_arguments_are_seen_flat() {
        let net = net(&[
            "(at (pos 1 1))",
            "(at (pos 1 2))",
            "(at (pos 2 1))",
            "(dir (pos 1 1) n)",
            "(dir (pos 1 1) s)",
            "(dir (pos 2 1) n)",
            "(dir (pos 2 1) s)",
        ]);
        let samples = states(&[&[0, 3, 5], &[1, 4, 5], &[2, 4, 6], &[0, 3, 6]]);
        let groups = plain(&guess_groups(&net, &samples));
        assert_eq!(groups, [vec![3, 4], vec![5, 6], vec![0, 1, 2]]);
    }
}
