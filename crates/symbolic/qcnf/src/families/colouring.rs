//! Colourings: of the edges of a complete graph, and of the vertices of a cycle.

use exact::Ratio;

use super::draft::{Draft, half};
use super::{Family, Member, Size, Variant, power, truth};
use crate::{Lit, Quantifier};

pub(super) const RAMSEY: Family = Family {
    name: "ramsey",
    about: "the edges of a complete graph have two colours and no triangle has one",
    source: "Greenwood and Gleason, Combinatorial relations and chromatic graphs, 1955: R(3,3) = 6",
    sizes: &[Size { name: "vertices", range: (2, 200), usual: 6 }],
    variants: &[
        Variant {
            name: "exists",
            value: "1 up to 5 vertices, 0 from 6 on: R(3,3) is 6",
            make: |sizes| ramsey(sizes[0], Quantifier::Exists, truth(sizes[0] < 6)),
        },
        Variant {
            name: "chance",
            value: "1, 6/8, 18/64, 12/1024 for 2 to 5 vertices, then 0: colourings counted by hand",
            make: |sizes| {
                let (colourings, edges) = match sizes[0] {
                    2 => (2u8, 1),
                    3 => (6, 3),
                    4 => (18, 6),
                    5 => (12, 10),
                    _ => (0, 0),
                };
                let value = Ratio::new(colourings, 1u8) * power(&half(), edges);
                ramsey(sizes[0], Quantifier::Chance(half()), value)
            },
        },
    ],
};

fn ramsey(n: usize, quantifier: Quantifier, value: Ratio) -> Member {
    let mut draft = Draft::default();
    let pairs = (0..n).flat_map(|high| (0..high).map(move |low| format!("edge({low},{high})")));
    let edges = draft.line(quantifier, pairs);
    let edge = |low: usize, high: usize| edges[high * (high - 1) / 2 + low];
    for c in 0..n {
        for b in 0..c {
            for a in 0..b {
                let triangle = [edge(a, b), edge(a, c), edge(b, c)];
                draft.clause(&triangle);
                draft.clause(&triangle.map(|edge| !edge));
            }
        }
    }
    draft.finish(value)
}

pub(super) const CYCLE: Family = Family {
    name: "cycle",
    about: "neighbours on a cycle have different colours, of which there are 2^bits",
    source: "the chromatic polynomial of a cycle, (k-1)^n + (-1)^n (k-1) (Birkhoff, 1912)",
    sizes: &[
        Size { name: "vertices", range: (3, 10_000), usual: 8 },
        Size { name: "bits", range: (1, 6), usual: 2 },
    ],
    variants: &[
        Variant {
            name: "chance",
            value: "the chromatic polynomial over k^n: all colours are drawn",
            make: |sizes| cycle(sizes, Quantifier::Chance(half()), drawn(sizes[0], 1 << sizes[1])),
        },
        Variant {
            name: "last",
            value: "((k-1)/k)^(n-2) where k > 2 or n is even: the last vertex is coloured at will",
            make: |sizes| {
                let (n, k) = (sizes[0], 1 << sizes[1]);
                let value = truth(k > 2 || n.is_multiple_of(2)) * power(&free(k), n - 2);
                cycle(sizes, Quantifier::Exists, value)
            },
        },
    ],
};

/// How likely two drawn colours differ.
fn free(k: u64) -> Ratio {
    Ratio::new(k - 1, k)
}

/// The chromatic polynomial of the cycle over all colourings.
fn drawn(n: usize, k: u64) -> Ratio {
    let rest = Ratio::new(k - 1, 1u8) * power(&Ratio::new(1u8, k), n);
    if n.is_multiple_of(2) { power(&free(k), n) + rest } else { power(&free(k), n) - rest }
}

/// All vertices but the last are coloured by chance; that one by a quantifier of its own.
fn cycle(sizes: &[usize], last: Quantifier, value: Ratio) -> Member {
    let [n, bits] = [sizes[0], sizes[1]];
    let mut draft = Draft::default();
    let name = |vertex: usize| (0..bits).map(move |bit| format!("colour({vertex},{bit})"));
    let mut colours: Vec<Vec<Lit>> =
        (0..n - 1).map(|vertex| draft.line(Quantifier::Chance(half()), name(vertex))).collect();
    colours.push(draft.line(last, name(n - 1)));
    for (vertex, colour) in colours.iter().enumerate() {
        let next = &colours[(vertex + 1) % n];
        let differ: Vec<Lit> = (0..bits)
            .map(|bit| draft.xor(&format!("differ({vertex},{bit})"), [colour[bit], next[bit]]))
            .collect();
        draft.clause(&differ);
    }
    draft.finish(value)
}
