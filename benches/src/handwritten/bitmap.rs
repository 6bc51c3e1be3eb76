//! The same game by perfect indexing: a bitmap of the boards that are met, and their ranks.
//!
//! A board is the heights of its columns and the colours of its discs, column by column from the
//! bottom, which are a number below 2^discs: heights own a *block* of so many bits, blocks lie one
//! behind the other. Forward, the bits of a ply set those of the next; a rank directory (a 32-bit sum for
//! each word of 64 bits) then turns a board to its place among those of its ply, and backward values are
//! read and written by rank, so that nothing is kept for an edge and nothing for a board that is not met.
//!
//! Tricks that pay: a disc more is a bit put in between, so children of neighbours are neighbours and
//! almost all reads are in the caches; the words of a block are gone through by their set bits; a board
//! is spread to a mask with room above each column once, and its lines are then shifts and ands; backward no
//! line is looked for, since a child without a bit has ended; "lost" and "won" are the first two values of
//! every ply, so that the backward loop has no branch but max or min.
//!
//! What always holds: only unfinished boards have a bit; the rank of a set bit is below the number of
//! boards of its ply.

use store::{HugeVec, OutOfMemory};

use super::{Connect, Shape};
use crate::hash::{Odds, Side};

/// Numbers of the two outcomes in every ply; the boards follow.
const LOST: usize = 0;
const WON: usize = 1;
const FIRST_BOARD: u32 = 2;
/// Columns at most: a column and the room above it have two bits of 32 and more.
const MOST_COLUMNS: usize = 16;

/// The boards of some heights.
#[derive(Clone, Debug)]
struct Block {
    /// Where its words begin.
    word: usize,
    discs: u32,
    heights: [u32; MOST_COLUMNS],
    /// For each column the block with a disc more there; none where it is full.
    above: [Option<usize>; MOST_COLUMNS],
}

impl Block {
    fn words(&self) -> usize {
        1 << self.discs.saturating_sub(6)
    }
}

/// The blocks of a game.
struct Plan {
    blocks: Vec<Block>,
    /// The blocks of each ply.
    plies: Vec<Vec<usize>>,
    shape: Shape,
    columns: u32,
    words: usize,
}

/// A child: the word and bit of its board.
#[derive(Clone, Copy)]
struct Child {
    word: usize,
    bit: u32,
}

impl Plan {
    fn new(game: Connect) -> Self {
        let (columns, rows) = (game.columns as usize, game.rows as usize);
        assert!(columns <= MOST_COLUMNS, "the caller refuses wider boards");
        let (mut blocks, mut words) = (Vec::new(), 0);
        let mut plies = vec![Vec::new(); columns * rows + 1];
        for number in 0..(rows + 1).pow(game.columns) {
            let (mut heights, mut above) = ([0; MOST_COLUMNS], [None; MOST_COLUMNS]);
            let (mut rest, mut step) = (number, 1);
            for (height, above) in heights.iter_mut().zip(&mut above).take(columns) {
                *height = (rest % (rows + 1)) as u32;
                *above = (*height < game.rows).then_some(number + step);
                rest /= rows + 1;
                step *= rows + 1;
            }
            let discs = heights.iter().sum();
            plies[discs as usize].push(number);
            let block = Block { word: words, discs, heights, above };
            words += block.words();
            blocks.push(block);
        }
        Self { blocks, plies, shape: Shape::new(game), columns: game.columns, words }
    }

    /// Whether the next disc fills the board.
    fn is_last(&self, ply: usize) -> bool {
        ply + 2 == self.plies.len()
    }

    /// The colours of a block's board as a mask with room above each column.
    #[inline(always)]
    fn spread(&self, block: &Block, colours: u32) -> u32 {
        let (mut mask, mut rest) = (0, colours);
        for (column, height) in (0..self.columns).zip(block.heights) {
            mask |= (rest & ((1 << height) - 1)) << (column * self.shape.stride);
            rest >>= height;
        }
        mask
    }

    /// All discs of a block as such a mask.
    fn filled(&self, block: &Block) -> u32 {
        self.spread(block, (1 << block.discs) - 1)
    }

    /// Calls for each column that takes a disc, with the children by the first player's and by the
    /// second's, and the cell that they fill.
    #[inline(always)]
    fn children(&self, block: &Block, colours: u32, mut act: impl FnMut([Child; 2], u32)) {
        let mut place = 0;
        for (column, height) in (0..self.columns).zip(block.heights) {
            place += height;
            let Some(above) = block.above[column as usize] else { continue };
            let start = self.blocks[above].word;
            let cell = 1 << (column * self.shape.stride + height);
            let low = colours & ((1 << place) - 1);
            let high = (colours >> place) << place << 1;
            let child = |bits: u32| Child { word: start + (bits >> 6) as usize, bit: bits & 63 };
            act([child(high | low | 1 << place), child(high | low)], cell);
        }
    }

    /// Sets the bits of the next ply; how many boards this one has, and edges.
    fn forward(&self, ply: usize, words: &mut [u64]) -> (u64, u64) {
        let (mut boards, mut edges) = (0, 0);
        for block in self.plies[ply].iter().map(|number| &self.blocks[*number]) {
            // Children's blocks lie behind: a disc more is a greater number of the block.
            let (own, rest) = words[block.word..].split_at_mut(block.words());
            let here: u64 = own.iter().map(|word| u64::from(word.count_ones())).sum();
            boards += here;
            edges += 2 * here * block.above.iter().flatten().count() as u64;
            let (filled, skipped) = (self.filled(block), block.word + block.words());
            if self.is_last(ply) {
                continue;
            }
            each(own, |colours| {
                let first = self.spread(block, colours);
                self.children(block, colours, |pair, cell| {
                    for (child, discs) in pair.into_iter().zip([first, filled & !first]) {
                        let goes_on = !self.shape.has_line(discs | cell);
                        rest[child.word - skipped] |= u64::from(goes_on) << child.bit;
                    }
                });
            });
        }
        (boards, edges)
    }

    /// Numbers the boards of a ply, behind the two outcomes.
    fn rank(&self, ply: usize, words: &[u64], ranks: &mut [u32]) {
        let mut next = FIRST_BOARD;
        for block in self.plies[ply].iter().map(|number| &self.blocks[*number]) {
            let range = block.word..block.word + block.words();
            for (rank, word) in ranks[range.clone()].iter_mut().zip(&words[range]) {
                *rank = next;
                next += word.count_ones();
            }
        }
    }
}

/// Calls for each board of a block with its colours, in ascending order.
#[inline(always)]
fn each(words: &[u64], mut act: impl FnMut(u32)) {
    for (at, word) in words.iter().enumerate() {
        let mut word = *word;
        while word != 0 {
            act((at as u32) << 6 | word.trailing_zeros());
            word &= word - 1;
        }
    }
}

/// A pass backward over one ply.
struct Backward<'a> {
    plan: &'a Plan,
    words: &'a [u64],
    /// Ranks of the next ply's boards, and their values.
    ranks: &'a [u32],
    below: &'a [u64],
    /// What a disc of the first player's colour weighs, and one of the second's.
    weights: [u64; 2],
    /// The outcome of a line of each.
    ends: [usize; 2],
}

impl Backward<'_> {
    fn run<const MAX: bool>(
        &self,
        ply: usize,
        values: &mut HugeVec<u64>,
    ) -> Result<(), OutOfMemory> {
        let plan = self.plan;
        let is_last = plan.is_last(ply);
        // A child of a board that is met has no bit only where its last disc ends the game.
        let value = |child: Child, end: usize| {
            let word = self.words[child.word];
            let rank = self.ranks[child.word] + (word & ((1 << child.bit) - 1)).count_ones();
            self.below[if word >> child.bit & 1 == 0 { end } else { rank as usize }]
        };
        for block in plan.plies[ply].iter().map(|number| &plan.blocks[*number]) {
            let filled = plan.filled(block);
            let words = &self.words[block.word..block.word + block.words()];
            values.reserve(1 << block.discs)?;
            each(words, |colours| {
                let mut best = if MAX { 0 } else { u64::MAX };
                let discs = if is_last { plan.spread(block, colours) } else { 0 };
                plan.children(block, colours, |[first, second], cell| {
                    let mut ends = self.ends;
                    if is_last {
                        for (end, discs) in ends.iter_mut().zip([discs, filled & !discs]) {
                            *end = if plan.shape.has_line(discs | cell) { *end } else { LOST };
                        }
                    }
                    let mean = self.weights[0] * value(first, ends[0])
                        + self.weights[1] * value(second, ends[1]);
                    best = if MAX { best.max(mean) } else { best.min(mean) };
                });
                values.push_within(best);
            });
        }
        Ok(())
    }
}

/// The odds that the asked side wins from the empty board.
///
/// # Errors
/// When the system refuses memory.
pub(crate) fn solve(game: Connect, asked: Side) -> Result<Odds, OutOfMemory> {
    assert!(game.fault().is_none(), "the caller refuses games that do not fit");
    let plan = Plan::new(game);
    let cells = game.cells() as usize;
    let (mut words, mut ranks) = (HugeVec::new(), HugeVec::new());
    words.resize(plan.words, 0)?;
    ranks.resize(plan.words, 0)?;
    words.as_mut_slice()[plan.blocks[0].word] = 1;
    let (mut boards, mut edges) = (0, 0);
    for ply in 0..cells {
        let (more, leading) = plan.forward(ply, words.as_mut_slice());
        boards += more;
        edges += leading;
        plan.rank(ply, words.as_slice(), ranks.as_mut_slice());
    }
    let (mut below, mut values) = (HugeVec::new(), HugeVec::new());
    below.extend(&[0, 1])?;
    let mut scale = 1;
    for ply in (0..cells).rev() {
        scale *= game.of;
        values.clear();
        values.extend(&[0, scale])?;
        let mover = if ply.is_multiple_of(2) { Side::First } else { Side::Second };
        let (own, other) = (game.own, game.of - game.own);
        let backward = Backward {
            plan: &plan,
            words: words.as_slice(),
            ranks: ranks.as_slice(),
            below: below.as_slice(),
            weights: if mover == Side::First { [own, other] } else { [other, own] },
            ends: if asked == Side::First { [WON, LOST] } else { [LOST, WON] },
        };
        if mover == asked {
            backward.run::<true>(ply, &mut values)?;
        } else {
            backward.run::<false>(ply, &mut values)?;
        }
        std::mem::swap(&mut below, &mut values);
    }
    assert_eq!(below.len(), FIRST_BOARD as usize + 1, "the game starts from one board");
    let (numerator, denominator) = (below.as_slice()[FIRST_BOARD as usize], scale);
    assert!(numerator <= denominator, "odds are at most 1");
    Ok(Odds { numerator, denominator, boards, edges })
}

#[cfg(test)]
mod tests {
    use super::super::{self as handwritten, Connect};
    use super::solve;
    use crate::hash::Side;

    #[test]
    fn both_solvers_agree() {
        for (columns, rows, line, own, of) in
            [(1, 3, 2, 1, 3), (3, 3, 3, 1, 2), (4, 3, 3, 2, 3), (3, 4, 4, 3, 4), (4, 4, 4, 3, 4)]
        {
            let game = Connect { columns, rows, line, own, of };
            for side in [Side::First, Side::Second] {
                let hashed = handwritten::solve(game, side).expect("there is memory");
                assert_eq!(solve(game, side).expect("there is memory"), hashed, "{game:?}");
            }
        }
    }
}
