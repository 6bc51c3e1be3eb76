//! Two ways to add: by majority, and by what is propagated and generated.

use exact::Ratio;

use super::draft::{Draft, half};
use super::{Family, Member, Size, Variant, power, truth};
use crate::{Lit, Quantifier};

pub(super) const ADDER: Family = Family {
    name: "adder",
    about: "two circuits that add two numbers of n bits have equal outputs",
    source: "the equivalence of adders, as in any text on circuits",
    sizes: &[Size { name: "bits", range: (1, 10_000), usual: 4 }],
    variants: &[
        Variant {
            name: "true",
            value: "1: both add",
            make: |sizes| adder(sizes[0], Quantifier::Forall, true, truth(true)),
        },
        Variant {
            name: "false",
            value: "0: the second forgets the last carry, and some numbers have one",
            make: |sizes| adder(sizes[0], Quantifier::Forall, false, truth(false)),
        },
        Variant {
            name: "chance",
            value: "(2^n + 1) / 2^(n+1): that the sum of two numbers by chance has no last carry",
            make: |sizes| {
                let value = (Ratio::one() + power(&half(), sizes[0])) * half();
                adder(sizes[0], Quantifier::Chance(half()), false, value)
            },
        },
    ],
};

fn adder(n: usize, inputs: Quantifier, last_carry: bool, value: Ratio) -> Member {
    let mut draft = Draft::default();
    let names = (0..n).flat_map(|at| [format!("a{at}"), format!("b{at}")]);
    let bits = draft.line(inputs, names);
    let mut carries: Option<[Lit; 2]> = None;
    for (at, pair) in bits.chunks(2).enumerate() {
        let [a, b] = [pair[0], pair[1]];
        let propagated = draft.xor(&format!("p{at}"), [a, b]);
        let generated = draft.and(&format!("g{at}"), &[a, b]);
        let Some([first, second]) = carries else {
            // Both carries out of the lowest bits are what they generate.
            let first = draft.and(&format!("c{at}"), &[a, b]);
            carries = Some([first, generated]);
            continue;
        };
        let sum = draft.xor(&format!("h{at}"), [a, first]);
        let sum = draft.xor(&format!("s{at}"), [sum, b]);
        let other = draft.xor(&format!("r{at}"), [propagated, second]);
        equal(sum, other, &mut draft);
        let through = draft.and(&format!("k{at}"), &[propagated, second]);
        let carry = draft.or(&format!("d{at}"), &[generated, through]);
        carries = Some([draft.majority(&format!("c{at}"), [a, b, first]), carry]);
    }
    let [first, second] = carries.expect("there is a bit");
    if last_carry {
        equal(first, second, &mut draft);
    } else {
        draft.clause(&[!first]);
    }
    draft.finish(value)
}

fn equal(left: Lit, right: Lit, draft: &mut Draft) {
    draft.clause(&[left, !right]);
    draft.clause(&[!left, right]);
}
