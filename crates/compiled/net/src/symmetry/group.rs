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
/// many generators as go with each other, those that move least first or last, whichever makes the
/// larger group.
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
