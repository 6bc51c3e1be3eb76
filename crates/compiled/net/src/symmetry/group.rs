//! All elements of a group from its generators, as what they do to propositions.
//!
//! Always: the list is closed under composition, and so is a group; the identity comes first.

use ground::BaseId;
use index::{Id, IndexVec};
use rustc_hash::FxHashSet;

use super::Automorphism;

/// A permutation of propositions.
pub type Renaming = IndexVec<BaseId, BaseId>;

/// The elements of the group that generators make, or of a part of it that has at most `most`: as
/// many generators as go with each other, taken in their order or from the last, whichever makes the
/// larger group; in their order where both are as large.
pub fn elements(bases: usize, generators: &[Automorphism], most: usize) -> Vec<Renaming> {
    assert!(most > 0, "there is always the identity");
    let all: Vec<&Renaming> = generators.iter().map(|generator| &generator.bases).collect();
    let backward: Vec<&Renaming> = all.iter().rev().copied().collect();
    let (first, last) = (greedy(bases, &all, most), greedy(bases, &backward, most));
    if last.len() > first.len() { last } else { first }
}

fn greedy(bases: usize, generators: &[&Renaming], most: usize) -> Vec<Renaming> {
    let mut kept: Vec<&Renaming> = Vec::new();
    let mut group = vec![(0..bases).map(BaseId::from_index).collect()];
    for generator in generators {
        if group.contains(*generator) {
            continue;
        }
        kept.push(generator);
        match closure(bases, &kept, most) {
            Some(larger) => group = larger,
            None => drop(kept.pop()),
        }
    }
    group
}

/// All products of generators; none where they are more than `most`.
fn closure(bases: usize, generators: &[&Renaming], most: usize) -> Option<Vec<Renaming>> {
    let identity: Renaming = (0..bases).map(BaseId::from_index).collect();
    let mut known: FxHashSet<Renaming> = FxHashSet::default();
    let mut group = vec![identity.clone()];
    known.insert(identity);
    let mut at = 0;
    while at < group.len() {
        for generator in generators {
            let product: Renaming = group[at].iter().map(|base| generator[*base]).collect();
            if known.insert(product.clone()) {
                if group.len() == most {
                    return None;
                }
                group.push(product);
            }
        }
        at += 1;
    }
    Some(group)
}

#[cfg(test)]
mod tests {
    use ground::InputId;

    use super::*;

    /// What exchanges these propositions in turn, of five.
    fn cycle(members: &[usize]) -> Automorphism {
        let mut images: Vec<usize> = (0..5).collect();
        for (at, &member) in members.iter().enumerate() {
            images[member] = members[(at + 1) % members.len()];
        }
        let bases = images.into_iter().map(BaseId::from_index).collect();
        Automorphism { bases, inputs: IndexVec::<InputId, InputId>::new() }
    }

    #[test]
    fn of_two_groups_that_fit_the_larger_is_listed() {
        let [two, three] = [cycle(&[0, 1]), cycle(&[2, 3, 4])];
        for generators in [[two.clone(), three.clone()], [three.clone(), two.clone()]] {
            let sizes: Vec<usize> =
                (1..=7).map(|most| elements(5, &generators, most).len()).collect();
            assert_eq!(sizes, [1, 2, 3, 3, 3, 6, 6]);
            let all = elements(5, &generators, 6);
            assert!(all.contains(&two.bases) && all.contains(&three.bases));
            assert!(all[0].enumerate().all(|(from, to)| from == *to), "the identity is first");
        }
    }

    #[test]
    fn of_two_groups_of_a_size_that_of_the_first_generators_is_listed() {
        let [one, other] = [cycle(&[0, 1]), cycle(&[2, 3])];
        let listed = elements(5, &[one.clone(), other.clone()], 3);
        assert_eq!(listed[1..], [one.bases]);
        let listed = elements(5, &[other.clone(), cycle(&[0, 1])], 3);
        assert_eq!(listed[1..], [other.bases]);
    }
}
