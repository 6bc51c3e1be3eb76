//! Families that proof complexity knows, each with a stochastic sister.

use super::draft::{Draft, half, third};
use super::{Family, Member, Size, Variant, power, truth};
use crate::{Lit, Quantifier};
use exact::Ratio;

const LENGTH: Size = Size { name: "length", range: (1, 100_000), usual: 10 };

pub(super) const KBKF: Family = Family {
    name: "kbkf",
    about: "short refutations of it need universal variables in the middle of resolution",
    source: "Kleine Büning, Karpinski and Flögel, Resolution for quantified Boolean formulas, 1995",
    sizes: &[LENGTH],
    variants: &[
        Variant {
            name: "false",
            value: "0: each x forces both of the next pair, back to the pair that cannot both hold",
            make: |sizes| kbkf(sizes[0], Quantifier::Forall, true, truth(false)),
        },
        Variant {
            name: "true",
            value: "1: without the clause on the first pair, all pairs hold",
            make: |sizes| kbkf(sizes[0], Quantifier::Forall, false, truth(true)),
        },
        Variant {
            name: "chance",
            value: "1 - 1/2^n: each fair x is one that one member of its pair can meet",
            make: |sizes| {
                let value = Ratio::one() - power(&half(), sizes[0]);
                kbkf(sizes[0], Quantifier::Chance(half()), true, value)
            },
        },
    ],
};

fn kbkf(n: usize, inner: Quantifier, first: bool, value: Ratio) -> Member {
    let mut draft = Draft::default();
    let mut steps: Vec<[Lit; 3]> = Vec::new();
    for at in 1..=n {
        let pair = draft.line(Quantifier::Exists, [format!("d{at}"), format!("e{at}")]);
        let x = draft.choice(inner.clone(), format!("x{at}"));
        steps.push([pair[0], pair[1], x]);
    }
    let f = draft.line(Quantifier::Exists, (1..=n).map(|at| format!("f{at}")));
    if first {
        draft.clause(&[!steps[0][0], !steps[0][1]]);
    }
    for (at, &[d, e, x]) in steps.iter().enumerate() {
        let next: Vec<Lit> = match steps.get(at + 1) {
            Some(&[d, e, _]) => vec![!d, !e],
            None => f.iter().map(|f| !*f).collect(),
        };
        draft.clause(&[&[d, !x], next.as_slice()].concat());
        draft.clause(&[&[e, x], next.as_slice()].concat());
        draft.clause(&[x, f[at]]);
        draft.clause(&[!x, f[at]]);
    }
    draft.finish(value)
}

pub(super) const PARITY: Family = Family {
    name: "parity",
    about: "z differs from the parity of the x",
    source: "Beyersdorff, Chew and Janota, Proof complexity of resolution-based QBF calculi, 2015",
    sizes: &[LENGTH],
    variants: &[
        Variant {
            name: "false",
            value: "0: who chooses z sees the x",
            make: |sizes| parity(sizes[0], [Quantifier::Exists, Quantifier::Forall], truth(false)),
        },
        Variant {
            name: "true",
            value: "1: who chooses the x sees z",
            make: |sizes| parity(sizes[0], [Quantifier::Forall, Quantifier::Exists], truth(true)),
        },
        Variant {
            name: "chance",
            value: "(1 + 1/3^n) / 2: z is guessed before n coins of 1/3 are thrown; even is likelier",
            make: |sizes| {
                let value = (Ratio::one() + power(&third(), sizes[0])) * half();
                parity(sizes[0], [Quantifier::Exists, Quantifier::Chance(third())], value)
            },
        },
    ],
};

/// The first quantifier binds the x, unless it is the guess of z before a chance.
fn parity(n: usize, [outer, inner]: [Quantifier; 2], value: Ratio) -> Member {
    let mut draft = Draft::default();
    let names = || (1..=n).map(|at| format!("x{at}"));
    let x_first = outer == Quantifier::Exists && inner == Quantifier::Forall;
    let (x, z) = if x_first {
        (draft.line(outer, names()), draft.choice(inner, "z".into()))
    } else {
        let z = draft.choice(outer, "z".into());
        (draft.line(inner, names()), z)
    };
    let mut sum = x[0];
    for (at, &next) in x.iter().enumerate().skip(1) {
        sum = draft.xor(&format!("t{}", at + 1), [sum, next]);
    }
    draft.clause(&[z, sum]);
    draft.clause(&[!z, !sum]);
    draft.finish(value)
}

pub(super) const EQUALITY: Family = Family {
    name: "equality",
    about: "some u differs from its x",
    source: "Beyersdorff, Blinkhorn and Hinde, Size, cost and capacity, 2018",
    sizes: &[LENGTH],
    variants: &[
        Variant {
            name: "false",
            value: "0: who chooses the u sees the x and copies them",
            make: |sizes| {
                equality(sizes[0], [Quantifier::Exists, Quantifier::Forall], truth(false))
            },
        },
        Variant {
            name: "true",
            value: "1: who chooses the x sees the u",
            make: |sizes| equality(sizes[0], [Quantifier::Forall, Quantifier::Exists], truth(true)),
        },
        Variant {
            name: "chance",
            value: "1 - 1/3^n: the best x are all true, and a coin of 1/3 copies each",
            make: |sizes| {
                let value = Ratio::one() - power(&third(), sizes[0]);
                equality(sizes[0], [Quantifier::Exists, Quantifier::Chance(third())], value)
            },
        },
    ],
};

fn equality(n: usize, [outer, inner]: [Quantifier; 2], value: Ratio) -> Member {
    let mut draft = Draft::default();
    let names = |letter: char| (1..=n).map(move |at| format!("{letter}{at}"));
    let x = draft.line(outer, names('x'));
    let u = draft.line(inner, names('u'));
    let t = draft.line(Quantifier::Exists, names('t'));
    for at in 0..n {
        draft.clause(&[x[at], u[at], !t[at]]);
        draft.clause(&[!x[at], !u[at], !t[at]]);
    }
    draft.clause(&t);
    draft.finish(value)
}
