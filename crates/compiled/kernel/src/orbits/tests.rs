//! The tables of orbits against renaming unpacked states.

use std::collections::BTreeSet;

use net::random::Random;
use net::symmetry::{Automorphism, elements};

use super::*;
use crate::PlaneKernel;
use crate::sample::{Sample, Shape, casting, sample};

/// Exchanges the members of two groups in a random way, or two propositions in no group.
fn exchange(game: &Sample, random: &mut Random) -> Automorphism {
    let mut bases: Renaming = game.net.bases.ids().collect();
    let (one, other) = (random.below(game.groups.len()), random.below(game.groups.len()));
    let (one, mut to) = (&game.groups[one], game.groups[other].clone());
    if one.len() == to.len() && one != &to {
        to.rotate_left(random.below(one.len()));
        for (from, to) in one.iter().zip(&to) {
            (bases[*from], bases[*to]) = (*to, *from);
        }
    } else {
        let grouped: BTreeSet<BaseId> = game.groups.iter().flatten().copied().collect();
        let free: Vec<BaseId> =
            game.net.bases.ids().filter(|base| !grouped.contains(base)).collect();
        let (one, other) = (free[random.below(free.len())], free[random.below(free.len())]);
        (bases[one], bases[other]) = (other, one);
    }
    Automorphism { bases, inputs: game.net.inputs.ids().collect() }
}

/// A state with one member of each group, and any of the other propositions that vary.
fn state(kernel: &PlaneKernel, random: &mut Random) -> Vec<u64> {
    let mut held: Vec<BaseId> = kernel.unpack(&vec![0; kernel.words()]);
    for codes in kernel.codes() {
        held.retain(|base| codes.iter().all(|(_, other)| *other != Some(*base)));
        held.extend(codes[random.below(codes.len())].1);
    }
    held.sort_unstable();
    kernel.pack(&held).expect("one member of each group")
}

fn image(kernel: &PlaneKernel, key: &[u64], element: &Renaming) -> Vec<u64> {
    let mut moved: Vec<BaseId> = kernel.unpack(key).iter().map(|base| element[*base]).collect();
    moved.sort_unstable();
    kernel.pack(&moved).expect("an image keeps the groups")
}

/// Holds the tables to renaming unpacked states; how many groups were larger than a row.
fn agree(shape: &Shape, most: usize, random: &mut Random) -> usize {
    let game = sample(shape, random);
    let casting = casting(&game.net);
    let kernel = PlaneKernel::new(game.net.clone(), casting, &game.groups, &[]);
    let kernel = kernel.expect("few joint moves");
    let generators: Vec<Automorphism> = (0..9).map(|_| exchange(&game, random)).collect();
    let group = elements(game.net.bases.len(), &generators, most);
    assert!(Orbits::new(&kernel, &group[..1]).is_none(), "nothing is moved");
    let Some(orbits) = Orbits::new(&kernel, &group) else { return 0 };
    let mut sizes = Vec::new();
    for _ in 0..50 {
        let key = state(&kernel, random);
        let images: BTreeSet<Vec<u64>> =
            orbits.group().iter().map(|element| image(&kernel, &key, element)).collect();
        for isa in Isa::available() {
            let (mut least, orbits) = (key.clone(), Orbits { isa, ..orbits.clone() });
            orbits.lessen(&mut least);
            assert_eq!(Some(&least), images.first(), "{}", isa.name());
        }
        orbits.sizes(&key, &mut sizes);
        assert_eq!(sizes, [images.len() as u32]);
    }
    keeps_by_definition(&kernel, &orbits, random);
    usize::from(orbits.order() > ROW)
}

/// What some fields hold is kept where each of their propositions is mapped to one of theirs that
/// holds just where it does, in both of two states.
fn keeps_by_definition(kernel: &PlaneKernel, orbits: &Orbits, random: &mut Random) {
    let (ranges, codes) = (kernel.fields(), kernel.codes());
    let delta =
        |key: &[u64]| -> Delta { std::array::from_fn(|at| key.get(at).copied().unwrap_or(0)) };
    for round in 0..200 {
        let (one, other) = (state(kernel, random), state(kernel, random));
        let mut bits = Delta::default();
        let mut theirs = BTreeSet::new();
        for (range, codes) in ranges.iter().zip(&codes) {
            if random.below(2 + round % 4) == 0 {
                let bit = range.start + random.below(range.len());
                bits[bit / 64] |= 1 << (bit % 64);
                theirs.extend(codes.iter().filter_map(|(_, base)| *base));
            }
        }
        let other = if round % 8 == 0 { other } else { one.clone() };
        let held = [&one, &other].map(|key| kernel.unpack(key));
        let holds = |base: &BaseId| held.each_ref().map(|state| state.contains(base));
        let is_kept = theirs.iter().all(|base| {
            let kept = |element: &Renaming| {
                theirs.contains(&element[*base]) && holds(&element[*base]) == holds(base)
            };
            holds(base)[0] == holds(base)[1] && orbits.group().iter().all(kept)
        });
        let all: Vec<u64> = one.iter().zip(&other).map(|(one, other)| one & other).collect();
        let some: Vec<u64> = one.iter().zip(&other).map(|(one, other)| one | other).collect();
        assert_eq!(orbits.keep(&bits, &delta(&all), &delta(&some)), is_kept, "{theirs:?}");
    }
}

#[test]
fn tables_rename_packed_states_of_every_form() {
    let mut random = Random::new(23);
    let shape = |groups: &[usize], raw| Shape {
        groups: groups.to_vec(),
        raw,
        moves: vec![2, 3],
        gates: 40,
    };
    let mut large = 0;
    for _ in 0..6 {
        large += agree(&shape(&[3, 3, 3, 3], 5), 8, &mut random);
        large += agree(&shape(&[3, 3, 3, 3], 5), 48, &mut random);
        // Coded groups, several words, fields across words.
        large += agree(&shape(&[20, 20, 40, 40, 9], 6), 48, &mut random);
        large += agree(&shape(&[9; 30], 40), 48, &mut random);
        large += agree(&shape(&[40; 25], 3), 24, &mut random);
    }
    assert!(large >= 6, "groups are large: {large}");
}
