//! The hand-written baseline: stochastic connect, and nothing else, as fast as we can write it.
//!
//! A board is a number: each column is its discs from the bottom up (1 is an x) below a sentinel
//! bit, so 5x4 needs 25 bits, and the two children of a column are one addition and one or. Boards are
//! hashed ([`hash`]). Perfect indexing by columns with a bitmap is how the two others do it
//! ([`bitmap`], [`words`]).

pub(crate) mod bitmap;
pub(crate) mod words;

use store::OutOfMemory;

use crate::hash::{self, Board, Chance, Child, Odds, Side};

/// Stochastic connect: a dropped disc is the mover's own with probability `own / of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Connect {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) line: u32,
    pub(crate) own: u64,
    pub(crate) of: u64,
}

impl Connect {
    /// Why this solver cannot take the game, if so: keys have 32 bits, values 64.
    pub(crate) fn fault(self) -> Option<&'static str> {
        let bits = self.columns.checked_mul(self.rows.saturating_add(1));
        if self.columns == 0 || self.rows == 0 || bits.is_none_or(|bits| bits > 32) || self.rows > 7
        {
            return Some("columns * (rows + 1) must be at most 32, with 1 to 7 rows");
        }
        if self.line < 2 {
            return Some("a line has at least two discs");
        }
        if self.own == 0 || self.own >= self.of {
            return Some("the probability must lie between 0 and 1");
        }
        let scale = self.of.checked_pow(self.columns * self.rows);
        scale.is_none_or(|scale| scale > u64::MAX / 2).then_some("the values need over 64 bits")
    }

    fn cells(self) -> u32 {
        self.columns * self.rows
    }
}

/// The shape of the board as masks over a key.
#[derive(Clone, Copy)]
struct Shape {
    stride: u32,
    line: u32,
    /// The sentinel's place in each full column.
    tops: u32,
    /// All bits but the topmost 1, 2 and 4 of each column.
    keep: [u32; 3],
}

/// A key taken apart.
struct Discs {
    first: u32,
    second: u32,
    /// The sentinels of the columns that take another disc.
    open: u32,
}

impl Shape {
    fn new(game: Connect) -> Self {
        let stride = game.rows + 1;
        let column = (1_u32 << stride) - 1;
        let all =
            |column: u32| (0..game.columns).fold(0, |mask, at| mask | column << (at * stride));
        let keep = [1_u32, 2, 4].map(|cut| all(column >> cut.min(stride)));
        Self { stride, line: game.line, tops: all(1 << game.rows), keep }
    }

    fn empty(&self, columns: u32) -> u32 {
        (0..columns).fold(0, |key, at| key | 1 << (at * self.stride))
    }

    #[inline(always)]
    fn discs(&self, key: u32) -> Discs {
        let mut filled = key;
        filled |= (filled >> 1) & self.keep[0];
        filled |= (filled >> 2) & self.keep[1];
        filled |= (filled >> 4) & self.keep[2];
        let below = (filled >> 1) & self.keep[0];
        let sentinels = filled ^ below;
        Discs { first: key & below, second: !key & below, open: sentinels & !self.tops }
    }

    /// Whether the discs hold a line. The top bit of a column never holds a disc, so no line
    /// wraps round.
    #[inline(always)]
    fn has_line(&self, discs: u32) -> bool {
        let runs = |step: u32| {
            let pairs = discs & (discs >> step);
            match self.line {
                2 => pairs,
                3 => pairs & (discs >> (2 * step)),
                4 => pairs & (pairs >> (2 * step)),
                line => {
                    (2..line).fold(pairs, |run, at| run & discs.checked_shr(at * step).unwrap_or(0))
                }
            }
        };
        runs(1) | runs(self.stride - 1) | runs(self.stride) | runs(self.stride + 1) != 0
    }
}

impl Board for (Shape, Connect) {
    fn start(&self) -> u32 {
        self.0.empty(self.1.columns)
    }

    fn cells(&self) -> u32 {
        self.1.cells()
    }

    #[inline(always)]
    fn expand(&self, key: u32, mut each: impl FnMut(Child, Child, bool)) {
        let shape = &self.0;
        let discs = shape.discs(key);
        debug_assert!(discs.open != 0, "a full board is not kept");
        let mut open = discs.open;
        while open != 0 {
            let cell = open & open.wrapping_neg();
            open ^= cell;
            let first =
                Child { key: key | cell << 1, has_line: shape.has_line(discs.first | cell) };
            let second = Child { key: key + cell, has_line: shape.has_line(discs.second | cell) };
            each(first, second, open == 0);
        }
    }
}

/// The odds that the asked side wins from the empty board.
///
/// # Errors
/// When the system refuses memory.
pub(crate) fn solve(game: Connect, asked: Side) -> Result<Odds, OutOfMemory> {
    assert!(game.fault().is_none(), "the caller refuses games that do not fit");
    let chance = Chance { own: game.own, of: game.of };
    hash::solve(&(Shape::new(game), game), chance, asked)
}

#[cfg(test)]
mod tests {
    use super::{Connect, Shape, solve};
    use crate::hash::{Odds, Side};

    /// Columns, rows, line, own, of; the odds of x and of o; boards, terminal ones of them.
    type Row = ([u32; 3], [u64; 2], [u64; 2], [u64; 2], [u64; 2]);

    /// From an independent solver (conventions: tests/data).
    const KNOWN: &[Row] = &[
        ([3, 3, 3], [1, 2], [239, 512], [241, 512], [2495, 1222]),
        ([4, 3, 3], [2, 3], [285_239, 531_441], [239_572, 531_441], [28_397, 16_330]),
        (
            [4, 4, 3],
            [3, 4],
            [2_467_302_543, 4_294_967_296],
            [1_827_307_543, 4_294_967_296],
            [176_897, 111_070],
        ),
        (
            [4, 4, 4],
            [3, 4],
            [1_253_113_609, 4_294_967_296],
            [1_788_143_079, 4_294_967_296],
            [758_495, 261_282],
        ),
        (
            [5, 4, 3],
            [4, 5],
            [58_761_825_700_648, 95_367_431_640_625],
            [36_601_240_524_553, 95_367_431_640_625],
            [2_863_827, 1_964_438],
        ),
    ];

    fn same(odds: Odds, [numerator, denominator]: [u64; 2]) -> bool {
        u128::from(odds.numerator) * u128::from(denominator)
            == u128::from(numerator) * u128::from(odds.denominator)
    }

    #[test]
    fn known_values_and_counts_are_reproduced() {
        for ([columns, rows, line], [own, of], x, o, [boards, terminal]) in KNOWN.iter().copied() {
            let game = Connect { columns, rows, line, own, of };
            let first = solve(game, Side::First).unwrap();
            assert!(same(first, x), "{game:?}: {first:?}");
            assert_eq!(first.boards, boards - terminal, "{game:?}");
            assert!(same(solve(game, Side::Second).unwrap(), o), "{game:?}");
        }
    }

    #[test]
    fn a_key_is_taken_apart_by_columns() {
        let game = Connect { columns: 2, rows: 3, line: 3, own: 1, of: 2 };
        let shape = Shape::new(game);
        // Column 0 holds o, x (from below), column 1 is full: x, x, o.
        let discs = shape.discs(0b1011_0110);
        assert_eq!((discs.first, discs.second, discs.open), (0b0011_0010, 0b0100_0001, 0b0100));
    }

    #[test]
    fn games_that_do_not_fit_are_refused() {
        let game = Connect { columns: 5, rows: 4, line: 4, own: 4, of: 5 };
        assert_eq!(game.fault(), None);
        assert!(Connect { columns: 7, rows: 6, ..game }.fault().is_some());
        assert!(Connect { own: 5, ..game }.fault().is_some());
        assert!(Connect { of: 500, ..game }.fault().is_some());
        assert!(Connect { line: 1, ..game }.fault().is_some());
    }
}
