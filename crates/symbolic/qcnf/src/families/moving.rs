//! Pieces that move along a path or a cycle: a pursuit, and a random walk.

use exact::Ratio;

use super::draft::Draft;
use super::{Family, Member, Size, Variant, truth};
use crate::{Lit, Quantifier};

const STEPS: Size = Size { name: "steps", range: (1, 1_000), usual: 4 };

pub(super) const PURSUIT: Family = Family {
    name: "pursuit",
    about: "one who moves first keeps away from a pursuer, each one place a step or none",
    source: "Nowakowski and Winkler, Vertex-to-vertex pursuit in a graph, 1983",
    sizes: &[Size { name: "places", range: (4, 1_000), usual: 5 }, STEPS],
    variants: &[
        Variant {
            name: "cycle",
            value: "1: on a cycle of four places or more one pursuer never catches",
            make: |sizes| pursuit(sizes, true, truth(true)),
        },
        Variant {
            name: "path",
            value: "1 up to n - 2 steps, 0 after: the pursuer comes from the other end",
            make: |sizes| pursuit(sizes, false, truth(sizes[1] + 2 <= sizes[0])),
        },
    ],
};

fn pursuit(sizes: &[usize], is_cycle: bool, value: Ratio) -> Member {
    let [n, steps] = [sizes[0], sizes[1]];
    let mut draft = Draft::default();
    let start = if is_cycle { n / 2 } else { n - 1 };
    let mut evader = placed("evader", n, start, &mut draft);
    let mut pursuer = placed("pursuer", n, 0, &mut draft);
    for step in 0..steps {
        let way = Move::chosen(Quantifier::Exists, &format!("evader({step}"), &mut draft);
        evader = moved(&evader, &way, is_cycle, &mut draft);
        // Caught where both stand in one place, whoever came there.
        apart(&evader, &pursuer, &mut draft);
        let way = Move::chosen(Quantifier::Forall, &format!("pursuer({step}"), &mut draft);
        pursuer = moved(&pursuer, &way, is_cycle, &mut draft);
        apart(&evader, &pursuer, &mut draft);
    }
    draft.finish(value)
}

fn apart(left: &[Lit], right: &[Lit], draft: &mut Draft) {
    for (one, other) in left.iter().zip(right) {
        draft.clause(&[!*one, !*other]);
    }
}

/// A piece that begins in a place: one variable a place.
fn placed(name: &str, n: usize, start: usize, draft: &mut Draft) -> Vec<Lit> {
    let names = (0..n).map(|place| format!("{name}(start,{place})"));
    let places = draft.line(Quantifier::Exists, names);
    for (place, &lit) in places.iter().enumerate() {
        draft.clause(&[if place == start { lit } else { !lit }]);
    }
    places
}

/// One of three directions.
struct Move {
    up: Lit,
    down: Lit,
    stay: Lit,
    /// What the names of its gates begin with.
    name: String,
}

impl Move {
    /// A direction that a new line of the prefix chooses.
    fn chosen(quantifier: Quantifier, name: &str, draft: &mut Draft) -> Self {
        let choice = draft.line(quantifier, ["goes", "up"].map(|word| format!("{name},{word})")));
        Self::new(choice[0], choice[1], name, draft)
    }

    fn new(goes: Lit, up: Lit, name: &str, draft: &mut Draft) -> Self {
        Self {
            up: draft.and(&format!("{name},is_up)"), &[goes, up]),
            down: draft.and(&format!("{name},is_down)"), &[goes, !up]),
            stay: !goes,
            name: name.to_owned(),
        }
    }
}

/// The piece after a move; one that would leave a path stays.
fn moved(piece: &[Lit], way: &Move, is_cycle: bool, draft: &mut Draft) -> Vec<Lit> {
    let (n, last) = (piece.len(), piece.len() - 1);
    let mut next = Vec::with_capacity(n);
    for place in 0..n {
        let below = if place > 0 || is_cycle { (place + last) % n } else { place };
        let above = if place < last || is_cycle { (place + 1) % n } else { place };
        // At an end of a path, a step out of it leads back: down from 0, up from the last.
        let from_below = [piece[below], if below == place { way.down } else { way.up }];
        let from_above = [piece[above], if above == place { way.up } else { way.down }];
        let ways = [[piece[place], way.stay], from_below, from_above];
        next.push(some_way(&ways, place, way, draft));
    }
    next
}

fn some_way(ways: &[[Lit; 2]], place: usize, way: &Move, draft: &mut Draft) -> Lit {
    let name = &way.name;
    let taken: Vec<Lit> = ways
        .iter()
        .enumerate()
        .map(|(at, both)| draft.and(&format!("{name},to({place},{at}))"), both))
        .collect();
    draft.or(&format!("{name},at({place}))"), &taken)
}

pub(super) const WALK: Family = Family {
    name: "walk",
    about: "a walker from the middle of a path is at the upper end after some steps; ends hold",
    source: "the gambler's ruin (Huygens, De ratiociniis in ludo aleae, 1657)",
    sizes: &[Size { name: "places", range: (3, 1_000), usual: 5 }, STEPS],
    variants: &[
        Variant {
            name: "chance",
            value: "by the recurrence of the walk: up with 2/5, else down",
            make: |sizes| walk(sizes, false),
        },
        Variant {
            name: "control",
            value: "by the same recurrence with a maximum: before each toss one may choose to stay",
            make: |sizes| walk(sizes, true),
        },
    ],
};

fn walk(sizes: &[usize], control: bool) -> Member {
    let [n, steps] = [sizes[0], sizes[1]];
    let up = Ratio::new(2u8, 5u8);
    let mut draft = Draft::default();
    let mut walker = placed("walker", n, n / 2, &mut draft);
    for step in 0..steps {
        let tosses = control.then(|| draft.choice(Quantifier::Exists, format!("tosses({step})")));
        let toss = draft.choice(Quantifier::Chance(up.clone()), format!("toss({step})"));
        let name = format!("walker({step}");
        let way = match tosses {
            Some(tosses) => Move::new(tosses, toss, &name, &mut draft),
            None => Move { up: toss, down: !toss, stay: toss, name },
        };
        walker = walked(&walker, &way, control, &mut draft);
    }
    draft.clause(&[walker[n - 1]]);
    draft.finish(walk_value(n, steps, &up, control))
}

/// The walker after a toss: the ends hold whom they have.
fn walked(walker: &[Lit], way: &Move, may_stay: bool, draft: &mut Draft) -> Vec<Lit> {
    let last = walker.len() - 1;
    let mut next = Vec::with_capacity(walker.len());
    for place in 0..=last {
        let mut ways = Vec::new();
        if place == 0 || place == last {
            ways.push([walker[place]; 2]);
        } else if may_stay {
            ways.push([walker[place], way.stay]);
        }
        if place > 1 {
            ways.push([walker[place - 1], way.up]);
        }
        if place + 1 < last {
            ways.push([walker[place + 1], way.down]);
        }
        next.push(some_way(&ways, place, way, draft));
    }
    next
}

/// The value of the walk from the middle, by steps left and place.
fn walk_value(n: usize, steps: usize, up: &Ratio, control: bool) -> Ratio {
    let mut values: Vec<Ratio> = (0..n).map(|place| truth(place == n - 1)).collect();
    for _ in 0..steps {
        let before = values.clone();
        for place in 1..n - 1 {
            let mean = up * &before[place + 1] + (Ratio::one() - up) * &before[place - 1];
            values[place] = if control { mean.max(before[place].clone()) } else { mean };
        }
    }
    values.swap_remove(n / 2)
}
