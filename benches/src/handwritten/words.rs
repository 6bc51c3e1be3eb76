//! The same game by a bitmap, 64 boards a word: the strongest of the hand-written baselines.
//!
//! What an expert does who has seen that neither boards nor ranks need to be taken one at a time. The boards after n tosses come in groups, one for
//! the heights of the columns; in a group, a board is the number whose bits are its discs, column
//! by column (1 is an x). So a ply is a bitmap, and to drop a disc is to insert a bit into the number:
//! above the lowest six bits that is a move of whole words, inside them it spreads half a word. Ends
//! are found 64 boards at a time too: a line is three constants of its group (which lanes have it in
//! x, which in o, and which bits of the word's number must agree). So forward costs next to nothing.
//!
//! Backward, values are kept of unfinished boards alone, in the order of their bits: where a word's
//! values begin is a running count. A word of children is spread to 64 lanes, the lanes of those
//! that are finished holding what their mover won, and parents take theirs from there, so that no
//! bits are counted for a child and no child is missed.
//!
//! What always holds: a bit stands for a board that play reaches without a line; a full board counts
//! as unfinished with the value 0. Values are whole numbers over `of^(discs to come)`: exact.

use store::{HugeVec, OutOfMemory};

use super::Connect;
use crate::hash::{Odds, Side};

/// Boards of a word; the bits of a board's number inside its word.
const LANES: usize = 64;
const LOW: u32 = 6;

/// By bit of the lane: the lanes in which it is set.
const PLANES: [u64; LOW as usize] = [
    0xAAAA_AAAA_AAAA_AAAA,
    0xCCCC_CCCC_CCCC_CCCC,
    0xF0F0_F0F0_F0F0_F0F0,
    0xFF00_FF00_FF00_FF00,
    0xFFFF_0000_FFFF_0000,
    0xFFFF_FFFF_0000_0000,
];

/// A line that the heights of a group allow.
struct Line {
    /// Lanes that agree with an x, with an o, in the bits of the lane.
    first: u64,
    second: u64,
    /// Bits of the word's number that it needs.
    word: usize,
}

/// A column that takes another disc.
#[derive(Clone, Copy)]
struct Drop {
    /// Where the disc's bit is put.
    bit: u32,
    /// The first word of the group it leads to.
    to: usize,
}

/// The boards with the same heights.
struct Group {
    first_word: usize,
    words: usize,
    lines: Vec<Line>,
    drops: Vec<Drop>,
}

/// The groups of a ply.
struct Ply {
    groups: Vec<Group>,
    words: usize,
}

impl Ply {
    /// Two for each move of the boards.
    fn edges(&self, boards: &Boards) -> u64 {
        let of = |group: &Group| {
            let words = &boards.bits.as_slice()[group.first_word..group.first_word + group.words];
            let boards: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
            2 * boards * group.drops.len() as u64
        };
        self.groups.iter().map(of).sum()
    }
}

/// The boards of a ply that are not finished.
struct Boards {
    bits: HugeVec<u64>,
    count: u64,
}

fn words_of(discs: u32) -> usize {
    1 << discs.saturating_sub(LOW)
}

/// All heights of columns by number of discs, in one order, with their place in that.
fn heights(game: Connect) -> Vec<Vec<Vec<u32>>> {
    let mut plies = vec![Vec::new(); (game.columns * game.rows) as usize + 1];
    let mut now = vec![0; game.columns as usize];
    loop {
        plies[now.iter().sum::<u32>() as usize].push(now.clone());
        let Some(at) = now.iter().position(|height| *height < game.rows) else { return plies };
        now[..at].fill(0);
        now[at] += 1;
    }
}

/// The bit of a cell in the number of a board.
fn bit_of(heights: &[u32], column: usize, row: u32) -> u32 {
    heights[..column].iter().sum::<u32>() + row
}

fn lines(game: Connect, heights: &[u32]) -> Vec<Line> {
    let mut lines = Vec::new();
    for column in 0..game.columns as i32 {
        for row in 0..game.rows as i32 {
            for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                let cells = (0..game.line as i32).map(|at| (column + right * at, row + up * at));
                let bits: Option<Vec<u32>> = cells
                    .map(|(column, row)| {
                        let (column, row) =
                            (usize::try_from(column).ok()?, u32::try_from(row).ok()?);
                        let is_filled = *heights.get(column)? > row;
                        is_filled.then(|| bit_of(heights, column, row))
                    })
                    .collect();
                lines.extend(bits.map(|bits| line(&bits)));
            }
        }
    }
    lines
}

fn line(bits: &[u32]) -> Line {
    let mut line = Line { first: u64::MAX, second: u64::MAX, word: 0 };
    for bit in bits {
        match PLANES.get(*bit as usize) {
            Some(plane) => (line.first, line.second) = (line.first & plane, line.second & !plane),
            None => line.word |= 1 << (bit - LOW),
        }
    }
    line
}

fn plies(game: Connect) -> Vec<Ply> {
    let all = heights(game);
    let group = |heights: &Vec<u32>, discs: u32, at: usize| {
        let drop = |column: usize| {
            let mut more = heights.clone();
            more[column] += 1;
            let to = all.get(discs as usize + 1)?.iter().position(|other| *other == more)?;
            let to = to * words_of(discs + 1);
            Some(Drop { bit: bit_of(heights, column, heights[column]), to })
        };
        let words = words_of(discs);
        let drops = (0..heights.len()).filter_map(drop).collect();
        Group { first_word: at * words, words, lines: lines(game, heights), drops }
    };
    let ply = |(discs, list): (usize, &Vec<Vec<u32>>)| {
        let groups = list.iter().enumerate();
        let groups = groups.map(|(at, heights)| group(heights, discs as u32, at)).collect();
        Ply { groups, words: list.len() * words_of(discs as u32) }
    };
    all.iter().enumerate().map(ply).collect()
}

/// Makes room for a bit at `bit` in the numbers of 32 lanes.
#[inline(always)]
fn spread(lanes: u64, bit: u32) -> u64 {
    debug_assert!(lanes >> 32 == 0 && bit < LOW);
    (bit..LOW - 1)
        .rev()
        .fold(lanes, |lanes, level| (lanes | lanes << (1 << level)) & !PLANES[level as usize])
}

/// The words of children, from the first of their group on, of the boards in a word: where the bit
/// stands above those of lanes, without and with it; else those of the lower and the higher lanes.
#[inline(always)]
fn children(word: usize, bit: u32) -> [usize; 2] {
    match bit.checked_sub(LOW) {
        Some(bit) => {
            let low = word & ((1 << bit) - 1);
            let without = (word - low) << 1 | low;
            [without, without | 1 << bit]
        }
        None => [2 * word, 2 * word + 1],
    }
}

/// Takes the boards with a line out; the number of those that remain.
fn finish(ply: &Ply, bits: &mut [u64]) -> u64 {
    let mut count = 0;
    for group in &ply.groups {
        let words = &mut bits[group.first_word..group.first_word + group.words];
        for (at, word) in words.iter_mut().enumerate().filter(|(_, word)| **word != 0) {
            let mut ended = 0;
            for line in &group.lines {
                let held = at & line.word;
                ended |= if held == line.word { line.first } else { 0 };
                ended |= if held == 0 { line.second } else { 0 };
            }
            *word &= !ended;
            count += u64::from(word.count_ones());
        }
    }
    count
}

/// Puts the boards of a ply on from each open column, with either disc.
fn expand(ply: &Ply, bits: &[u64], below: &mut [u64]) {
    for group in &ply.groups {
        for at in 0..group.words {
            let lanes = bits[group.first_word + at];
            if lanes == 0 {
                continue;
            }
            for drop in &group.drops {
                let to = children(at, drop.bit).map(|to| drop.to + to);
                if drop.bit >= LOW {
                    to.into_iter().for_each(|to| below[to] |= lanes);
                    continue;
                }
                for (to, half) in to.into_iter().zip([lanes & 0xFFFF_FFFF, lanes >> 32]) {
                    if half != 0 {
                        let half = spread(half, drop.bit);
                        below[to] |= half | half << (1 << drop.bit);
                    }
                }
            }
        }
    }
}

fn forward(game: Connect, plies: &[Ply]) -> Result<Vec<Boards>, OutOfMemory> {
    assert_eq!(plies.len(), (game.columns * game.rows) as usize + 1, "from empty to full");
    let mut all: Vec<Boards> = Vec::with_capacity(plies.len());
    for (at, ply) in plies.iter().enumerate() {
        let mut bits = HugeVec::zeroed(ply.words)?;
        match all.last() {
            None => bits.as_mut_slice()[0] = 1,
            Some(before) => expand(&plies[at - 1], before.bits.as_slice(), bits.as_mut_slice()),
        }
        let count = finish(ply, bits.as_mut_slice());
        all.push(Boards { bits, count });
    }
    Ok(all)
}

/// The values of a ply's unfinished boards, in the order of their bits, and where each word's begin.
struct Values {
    firsts: HugeVec<u32>,
    values: HugeVec<u64>,
}

/// What a drop is worth to a ply.
struct Stakes {
    asked_drops: bool,
    /// Of a disc of the first player, and of the second.
    weights: [u64; 2],
    /// Values of boards that such a disc finished.
    ends: [u64; 2],
}

/// A word of children as lanes.
#[inline(always)]
fn unpack(lanes: &mut [u64], bits: u64, first: u32, values: &[u64]) {
    let mut rest = bits;
    for value in &values[first as usize..first as usize + bits.count_ones() as usize] {
        lanes[rest.trailing_zeros() as usize] = *value;
        rest &= rest - 1;
    }
}

/// The values of a ply from those of the next.
fn value(
    ply: &Ply,
    boards: &Boards,
    below: (&Boards, &Values),
    stakes: &Stakes,
) -> Result<Values, OutOfMemory> {
    let mut values = HugeVec::new();
    values.reserve(boards.count as usize)?;
    let mut firsts = HugeVec::new();
    firsts.reserve(ply.words)?;
    let worst = if stakes.asked_drops { 0 } else { u64::MAX };
    for group in &ply.groups {
        for at in 0..group.words {
            firsts.push_within(values.len() as u32);
            let lanes = boards.bits.as_slice()[group.first_word + at];
            if lanes == 0 {
                continue;
            }
            let mut best = [worst; LANES];
            for drop in &group.drops {
                take_best(&mut best, lanes, (at, *drop), below, stakes);
            }
            let mut rest = lanes;
            while rest != 0 {
                values.push_within(best[rest.trailing_zeros() as usize]);
                rest &= rest - 1;
            }
        }
    }
    assert_eq!(values.len() as u64, boards.count, "a value for each board");
    Ok(Values { firsts, values })
}

/// Raises (or lowers) what is known of a word's boards by a drop.
#[inline(always)]
fn take_best(
    best: &mut [u64; LANES],
    lanes: u64,
    (at, drop): (usize, Drop),
    (boards, values): (&Boards, &Values),
    stakes: &Stakes,
) {
    // A disc of the first player sets the bit.
    let [first, second] = stakes.ends;
    let mut found = [0; 2 * LANES];
    let (low, high) = found.split_at_mut(LANES);
    for (half, (lanes, to)) in [low, high].into_iter().zip(children(at, drop.bit)).enumerate() {
        match PLANES.get(drop.bit as usize) {
            None => lanes.fill(if half == 0 { second } else { first }),
            Some(plane) => {
                for (lane, value) in lanes.iter_mut().enumerate() {
                    *value = if plane >> lane & 1 == 0 { second } else { first };
                }
            }
        }
        if let Some(&bits) = boards.bits.as_slice().get(drop.to + to) {
            let first = values.firsts.as_slice()[drop.to + to];
            unpack(lanes, bits, first, values.values.as_slice());
        }
    }
    // Two boards that differ in the disc alone lie so far apart.
    let (apart, below) = (1 << drop.bit.min(LOW), (1 << drop.bit.min(LOW)) - 1);
    let mut rest = lanes;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let from = (lane + (lane & !below)) % (2 * LANES);
        let value = match drop.bit < LOW {
            true => stakes.mean(found[from], found[(from + apart) % (2 * LANES)]),
            false => stakes.mean(found[lane], found[LANES + lane]),
        };
        best[lane] = if stakes.asked_drops { best[lane].max(value) } else { best[lane].min(value) };
    }
}

impl Stakes {
    #[inline(always)]
    fn mean(&self, second: u64, first: u64) -> u64 {
        self.weights[0] * first + self.weights[1] * second
    }
}

/// The odds that the asked side wins from the empty board.
///
/// # Errors
/// When the system refuses memory.
pub(crate) fn solve(game: Connect, asked: Side) -> Result<Odds, OutOfMemory> {
    assert!(game.fault().is_none(), "the caller refuses games that do not fit");
    let plies = plies(game);
    let mut boards = forward(game, &plies)?;
    let full = boards.pop().expect("a ply of full boards");
    let decided = boards.iter().map(|ply| ply.count).sum();
    let edges = boards.iter().zip(&plies).map(|(boards, ply)| ply.edges(boards)).sum();
    let mut values = draws(&full)?;
    let (mut below, mut scale) = (full, 1);
    while let Some(ply) = boards.pop() {
        let first_drops = boards.len().is_multiple_of(2);
        let (own, other) = (game.own, game.of - game.own);
        let stakes = Stakes {
            asked_drops: first_drops == (asked == Side::First),
            weights: if first_drops { [own, other] } else { [other, own] },
            ends: if asked == Side::First { [scale, 0] } else { [0, scale] },
        };
        values = value(&plies[boards.len()], &ply, (&below, &values), &stakes)?;
        (below, scale) = (ply, scale * game.of);
    }
    let numerator = values.values.as_slice()[0];
    assert!(numerator <= scale, "odds are at most 1");
    Ok(Odds { numerator, denominator: scale, boards: decided, edges })
}

/// Full boards without a line.
fn draws(full: &Boards) -> Result<Values, OutOfMemory> {
    let mut firsts = HugeVec::new();
    firsts.reserve(full.bits.len())?;
    let mut sum = 0;
    for word in full.bits.as_slice() {
        firsts.push_within(sum);
        sum += word.count_ones();
    }
    Ok(Values { firsts, values: HugeVec::zeroed(full.count as usize)? })
}

#[cfg(test)]
mod tests {
    use super::{children, solve, spread};
    use crate::handwritten::{self, Connect};
    use crate::hash::Side;

    #[test]
    fn a_bit_is_inserted_into_the_numbers_of_lanes_and_words() {
        for bit in 0..6_u32 {
            for lane in 0..32_u32 {
                let low = lane & ((1 << bit) - 1);
                assert_eq!(spread(1 << lane, bit), 1 << (low | (lane - low) << 1), "{bit} {lane}");
            }
        }
        assert_eq!(children(0b1011, 8), [0b10011, 0b10111]);
        assert_eq!(children(0b1011, 6), [0b10110, 0b10111]);
        assert_eq!(children(0b1011, 3), [0b10110, 0b10111]);
    }

    /// Both baselines against each other, which share nothing but the question; the other one is
    /// held to known values.
    #[test]
    fn both_hand_written_solvers_agree() {
        for [columns, rows, line] in [[3, 3, 3], [4, 3, 3], [3, 4, 2], [2, 5, 3], [4, 4, 4]] {
            for (own, of) in [(1, 2), (3, 4)] {
                let game = Connect { columns, rows, line, own, of };
                for side in [Side::First, Side::Second] {
                    assert_eq!(solve(game, side), handwritten::solve(game, side), "{game:?}");
                }
            }
        }
    }
}
