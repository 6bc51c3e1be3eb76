//! Dense blocks at random, held to what is said of them, lane by lane.

use index::Id;
use net::{BaseId, Gate, Gates, parse_net};

use super::fold::any;
use super::*;
use crate::expand::{BLOCK_LANES, BLOCK_WORDS, Mask};
use crate::isa::Isa;

/// Numbers from a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.draw() % count as u64) as usize
    }

    /// A mask with one lane in so many, of those that may be in it.
    fn mask(&mut self, one_in: usize, may: impl Fn(usize) -> bool) -> Mask {
        let mut mask = Mask::default();
        for lane in 0..BLOCK_LANES {
            if self.below(one_in) == 0 && may(lane) {
                mask[lane / 64] |= 1 << (lane % 64);
            }
        }
        mask
    }

    /// Ascending cuts of `0..end` into pieces.
    fn pieces(&mut self, end: usize, most: usize) -> Vec<std::ops::Range<usize>> {
        let mut cuts: Vec<usize> = (0..self.below(most)).map(|_| self.below(end)).collect();
        cuts.extend([0, end]);
        cuts.sort_unstable();
        cuts.dedup();
        cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }
}

fn has(mask: &Mask, lane: usize) -> bool {
    mask[lane / 64] >> (lane % 64) & 1 == 1
}

/// Where the children of a term are.
#[derive(Clone, Copy, PartialEq)]
enum Where {
    /// In another block.
    Beyond,
    /// In the rows of the band, further along.
    Along,
    /// In higher rows, where there are enough.
    Above,
}

/// A block in which choices 0 to 2 leave the lane and have one, two and three terms, and choices 3 to
/// 5 change it and have as many.
struct Sample<V> {
    lanes: usize,
    terms: Vec<std::ops::Range<usize>>,
    beyond: Vec<Values<V>>,
    reached: Mask,
    terminal: Mask,
    paid: Vec<(u64, Mask)>,
    bands: Vec<Band>,
    numbers: Vec<V>,
    choices: Vec<Choice>,
    segments: Vec<Segment>,
}

impl<V: Lane> Sample<V> {
    fn new(dice: &mut Dice) -> Self {
        let lanes = [16, 32, 64, 256][dice.below(4)];
        let rows = BLOCK_LANES / lanes;
        let terms = vec![0..1, 1..3, 3..6, 6..7, 7..9, 9..12];
        let places: Vec<Where> = (0..12)
            .map(|term| match dice.below(3) {
                0 => Where::Beyond,
                1 if term >= 6 => Where::Along,
                _ => Where::Above,
            })
            .collect();
        let beyond = (0..12).map(|_| [V::ZERO; BLOCK_LANES].map(|_| V::of(dice.draw()))).collect();
        let style = 14 * lanes;
        let numbers = (0..3 * style).map(|at| match at % style < lanes {
            true => [V::ZERO, V::ONES][dice.below(2)],
            false => V::of(dice.draw() >> 40),
        });
        let numbers = numbers.collect();
        let bands: Vec<Band> = dice
            .pieces(rows, 5)
            .into_iter()
            .map(|rows_of| Band {
                to: places
                    .iter()
                    .map(|place| match place {
                        Where::Along => Some((1, rows_of.start)),
                        Where::Above if rows - rows_of.end >= rows_of.len() => {
                            let free = rows - rows_of.end - rows_of.len();
                            Some((1, rows_of.end + dice.below(free + 1)))
                        }
                        _ => Some((0, dice.below(rows - rows_of.len() + 1))),
                    })
                    .collect(),
                style: dice.below(3) * style,
                rows: rows_of,
            })
            .collect();
        // Nothing of the lowest band is read by others, so that it may have no state.
        let lowest = bands[0].rows.end * lanes;
        let is_bare = bands.len() > 1 && dice.below(3) == 0;
        let reached = dice.mask(1, |lane| !is_bare || lane >= lowest);
        let terminal = dice.mask(7, |lane| has(&reached, lane));
        let paid = (0..3).map(|_| (dice.draw() >> 50, dice.mask(2, |_| true))).collect();
        let segments = Self::segments(dice, lanes, &terms, &places);
        let runs_at = |choice: usize, lane: usize| {
            segments
                .iter()
                .flat_map(|segment| &segment.runs)
                .any(|run| run.choice == choice && run.lanes.contains(&(lane % lanes)))
        };
        let choices = (0..6).map(|choice| Choice {
            legal: dice.mask(2 + 14 * (choice % 3), |lane| {
                let is_live = has(&reached, lane) && !has(&terminal, lane);
                is_live && (choice < 3 || runs_at(choice, lane))
            }),
            terms: terms[choice].clone(),
            runs: choice >= 3,
        });
        let choices: Vec<Choice> = choices.collect();
        Self { lanes, terms, beyond, reached, terminal, paid, bands, numbers, choices, segments }
    }

    /// Lanes cut into segments; of each choice that changes the lane, runs in most of them.
    fn segments(
        dice: &mut Dice,
        lanes: usize,
        terms: &[std::ops::Range<usize>],
        places: &[Where],
    ) -> Vec<Segment> {
        let cuts = dice.pieces(lanes, 4);
        let mut segments = Vec::new();
        for segment in &cuts {
            let mut runs = Vec::new();
            for (choice, terms) in terms.iter().enumerate().skip(3) {
                let along = terms.clone().any(|term| places[term] == Where::Along);
                // What leads along the row leads beyond the segment, as far as there is room.
                let room = if along { lanes - segment.end } else { lanes };
                let length = match dice.below(3) {
                    0 => segment.len(),
                    _ => 1 + dice.below(segment.len()),
                };
                let length = length.min(room);
                if length == 0 || dice.below(3) == 0 {
                    continue;
                }
                let start = segment.start + dice.below(segment.len() - length + 1);
                let distance = |term: usize| {
                    let first = if places[term] == Where::Along { segment.end } else { 0 };
                    let to = first + dice.below(lanes - length - first + 1);
                    to as i32 - start as i32
                };
                let distances = terms.clone().map(distance).collect();
                runs.push(Run { choice, lanes: start..start + length, distances });
            }
            segments.push(Segment { lanes: segment.clone(), runs });
        }
        segments
    }

    fn children(&self) -> (Vec<Child<'_, V>>, Vec<usize>) {
        // Two blocks of each term, the other one and the block itself, with a gap before them.
        let of_term = |block| [Child::Missing, Child::Held(block), Child::Own];
        let children = self.beyond.iter().flat_map(of_term).collect();
        (children, (0..self.beyond.len()).map(|term| 1 + 3 * term).collect())
    }

    /// The value of each lane, from the last on, by what is said of it.
    fn by_definition(&self) -> Values<V> {
        let mut values = [V::ZERO; BLOCK_LANES];
        for place in (0..BLOCK_LANES).rev() {
            let (row, lane) = (place / self.lanes, place % self.lanes);
            let band = self.bands.iter().find(|band| band.rows.contains(&row)).expect("one");
            let number = |at: usize| self.numbers[band.style + at * self.lanes + lane];
            let flips = number(0);
            if has(&self.terminal, place) {
                let paid = self.paid.iter().filter(|(_, mask)| has(mask, place));
                let paid = paid.map(|(payment, _)| number(1).times(V::of(*payment)));
                values[place] = paid.max().unwrap_or(V::ZERO);
                continue;
            }
            let mut best = V::ZERO;
            for (choice, one) in self.choices.iter().enumerate() {
                if !has(&one.legal, place) {
                    continue;
                }
                let runs = self.segments.iter().flat_map(|segment| &segment.runs);
                let mut runs = runs.filter(|run| run.choice == choice && run.lanes.contains(&lane));
                let distances = runs.next().map_or(vec![0; 3], |run| run.distances.clone());
                let mut sum = V::ZERO;
                for (term, distance) in self.terms[choice].clone().zip(distances) {
                    let (block, to) = band.to[term].expect("each is somewhere");
                    let to = (to + row - band.rows.start) * self.lanes + lane;
                    let to = to.wrapping_add_signed(distance as isize);
                    let block = if block == 0 { &self.beyond[term] } else { &values };
                    sum = sum.plus(block[to].times(number(2 + term)));
                }
                best = best.max(sum.flip(flips));
            }
            values[place] = best.flip(flips);
        }
        values
    }

    fn check(&self) {
        let wanted = self.by_definition();
        let (children, firsts) = self.children();
        for isa in Isa::available() {
            let (mut values, mut best) = ([V::ONES; BLOCK_LANES], [V::ONES; BLOCK_LANES]);
            let mut job = Fold {
                lanes: self.lanes,
                values: &mut values,
                children: &children,
                firsts: &firsts,
                reached: &self.reached,
                terminal: &self.terminal,
                paid: &self.paid,
                bands: &self.bands,
                numbers: &self.numbers,
                choices: &self.choices,
                segments: &self.segments,
            };
            fold(isa, &mut job, &mut best);
            for lane in (0..BLOCK_LANES).filter(|lane| has(&self.reached, *lane)) {
                let (found, wanted) = (values[lane].number(), wanted[lane].number());
                assert_eq!(
                    found,
                    wanted,
                    "lane {lane} in rows of {} on {}",
                    self.lanes,
                    isa.name()
                );
            }
        }
    }
}

#[test]
fn blocks_have_the_values_of_their_definition() {
    let mut dice = Dice(1);
    for _ in 0..60 {
        Sample::<u32>::new(&mut dice).check();
        Sample::<u64>::new(&mut dice).check();
    }
}

#[test]
fn ranges_of_lanes_are_found_in_masks() {
    let mut dice = Dice(2);
    for one_in in [1, 50, 400, 3000] {
        for _ in 0..30 {
            let mask = dice.mask(one_in, |_| true);
            let start = dice.below(BLOCK_LANES);
            for length in [1, 2, 63, 64, 65, 130, 600] {
                let range = start..(start + length).min(BLOCK_LANES);
                assert_eq!(
                    any(&mask, range.clone()),
                    range.clone().any(|at| has(&mask, at)),
                    "{range:?}"
                );
            }
        }
    }
}

#[test]
fn moves_spread_as_one_by_one() {
    let mut dice = Dice(3);
    for _ in 0..200 {
        let start = dice.mask(200, |_| true);
        let moves: Vec<Spread> = (0..3)
            .map(|_| Spread { open: dice.mask(3, |_| true), by: 1 + dice.below(90) as i32 })
            .collect();
        let mut wanted = start;
        for lane in 0..BLOCK_LANES {
            // What a lane leads to lies behind it, so that it is whole when its turn comes.
            let is_reached = has(&wanted, lane);
            for step in moves.iter().filter(|step| is_reached && has(&step.open, lane)) {
                let to = lane + step.by as usize;
                if to < BLOCK_LANES {
                    wanted[to / 64] |= 1 << (to % 64);
                }
            }
        }
        for isa in Isa::available() {
            let mut reached = start;
            spread(isa, &mut reached, &mut moves.clone());
            assert_eq!(reached, wanted);
        }
    }
}

#[test]
fn planes_of_gates_are_those_of_each_lane() {
    let net = parse_net(
        "role \"r\"\ni0 \"go\"\nb0 \"a\"\nb1 \"b\"\nb2 \"c\"\nlegal i0 = true\nterminal = b2\n\
         g10 = not b0\ng11 = and b1 g10\ng12 = or g11 b2\ng13 = not g12\n\
         next b0 = g11\nnext b1 = g12\nnext b2 = g13\n",
    )
    .expect("a network");
    fn holds(gates: &Gates, gate: net::GateId, lane: &dyn Fn(usize) -> bool) -> bool {
        match gates.gate(gate) {
            Gate::Const(value) => value,
            Gate::Base(base) => lane(base.index()),
            Gate::Does(_) => unreachable!("no root reads a move"),
            Gate::Not(one) => !holds(gates, one, lane),
            Gate::And(one, other) => holds(gates, one, lane) && holds(gates, other, lane),
            Gate::Or(one, other) => holds(gates, one, lane) || holds(gates, other, lane),
        }
    }
    let roots: Vec<net::GateId> = net.next.iter().copied().chain([Gates::TRUE]).collect();
    let mut view = DenseView::new(&net.gates, &roots, 3);
    assert!(view.operations() > 0);
    let mut dice = Dice(4);
    for constant in [false, true] {
        let planes = [dice.mask(2, |_| true), dice.mask(2, |_| true)];
        view.set(BaseId::from_index(0), &planes[0]);
        view.set(BaseId::from_index(1), &planes[1]);
        view.fill(BaseId::from_index(2), constant);
        view.run();
        for (at, root) in roots.iter().enumerate() {
            let plane = view.plane(at);
            for lane in 0..64 * BLOCK_WORDS {
                let held =
                    |base: usize| planes.get(base).map_or(constant, |plane| has(plane, lane));
                assert_eq!(has(&plane, lane), holds(&net.gates, *root, &held), "{at} {lane}");
            }
        }
    }
}
