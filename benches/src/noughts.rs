//! The hand-written baseline of stochastic tic-tac-toe on at most 16 cells: boards are hashed
//! ([`hash`]).
//!
//! A board is two masks of 16 bits, the cells of x and of o; whether a mask holds a line is read from
//! a table of all masks. Symmetry is not used: that is what a solver has before its author thinks of
//! groups.

use store::OutOfMemory;

use crate::hash::{self, Board, Chance, Child, Odds, Side};

/// Cells of the largest board.
const MOST_CELLS: u32 = 16;

/// Stochastic tic-tac-toe: a mark is the mover's own with probability `own / of`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noughts {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) line: u32,
    pub(crate) own: u64,
    pub(crate) of: u64,
}

impl Noughts {
    /// Why this solver cannot take the game, if so.
    pub(crate) fn fault(self) -> Option<&'static str> {
        let cells = self.columns.checked_mul(self.rows).unwrap_or(0);
        if cells == 0 || cells > MOST_CELLS || self.line < 2 {
            return Some("a board has 1 to 16 cells, a line at least two");
        }
        if self.own == 0 || self.own >= self.of {
            return Some("the probability must lie between 0 and 1");
        }
        let scale = self.of.checked_pow(cells);
        scale.is_none_or(|scale| scale > u64::MAX / 2).then_some("the values need over 64 bits")
    }
}

/// The cells, and which sets of them hold a line.
struct Cells {
    count: u32,
    /// A bit for each mask.
    lines: Vec<u64>,
}

impl Cells {
    fn new(game: Noughts) -> Self {
        let count = game.columns * game.rows;
        let lines = lines(game);
        let has_line = |mask: u32| lines.iter().any(|line| mask & line == *line);
        let words = 0..1_u32.wrapping_shl(count).div_ceil(64);
        let word = |word: u32| {
            (0..64).fold(0, |bits, bit| bits | u64::from(has_line(64 * word + bit)) << bit)
        };
        Self { count, lines: words.map(word).collect() }
    }

    #[inline(always)]
    fn has_line(&self, mask: u32) -> bool {
        self.lines[mask as usize / 64] >> (mask % 64) & 1 != 0
    }
}

/// The lines of a board as masks of cells, row by row.
fn lines(game: Noughts) -> Vec<u32> {
    let (columns, rows) = (game.columns as i32, game.rows as i32);
    let mut lines = Vec::new();
    for start in 0..columns * rows {
        for (right, down) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
            let cells = (0..game.line as i32)
                .map(|at| (start % columns + right * at, start / columns + down * at));
            let on_board = |(x, y): &(i32, i32)| (0..columns).contains(x) && (0..rows).contains(y);
            if cells.clone().all(|cell| on_board(&cell)) {
                lines.push(cells.fold(0, |mask, (x, y)| mask | 1 << (y * columns + x)));
            }
        }
    }
    lines
}

impl Board for Cells {
    fn start(&self) -> u32 {
        0
    }

    fn cells(&self) -> u32 {
        self.count
    }

    #[inline(always)]
    fn expand(&self, key: u32, mut each: impl FnMut(Child, Child, bool)) {
        let (first, second) = (key & 0xFFFF, key >> 16);
        let mut free = !(first | second) & ((1 << self.count) - 1);
        debug_assert!(free != 0, "a full board is not kept");
        while free != 0 {
            let cell = free & free.wrapping_neg();
            free ^= cell;
            let with_first = Child { key: key | cell, has_line: self.has_line(first | cell) };
            let with_second =
                Child { key: key | cell << 16, has_line: self.has_line(second | cell) };
            each(with_first, with_second, free == 0);
        }
    }
}

/// The odds that the asked side wins from the empty board.
///
/// # Errors
/// When the system refuses memory.
pub(crate) fn solve(game: Noughts, asked: Side) -> Result<Odds, OutOfMemory> {
    assert!(game.fault().is_none(), "the caller refuses games that do not fit");
    hash::solve(&Cells::new(game), Chance { own: game.own, of: game.of }, asked)
}

#[cfg(test)]
mod tests {
    use super::{Noughts, lines, solve};
    use crate::hash::Side;

    /// From an independent solver (conventions: tests/data): odds of x and of o, boards, terminal
    /// ones of them.
    #[test]
    fn known_values_and_counts_are_reproduced() {
        let known = [
            ([1, 2], [243, 512], [237, 512], [18_753, 7660]),
            ([2, 3], [352, 729], [8419, 19_683], [18_753, 7660]),
            ([3, 4], [3741, 8192], [103_669, 262_144], [18_753, 7660]),
        ];
        for ([own, of], x, o, [boards, terminal]) in known {
            let game = Noughts { columns: 3, rows: 3, line: 3, own, of };
            for (side, [numerator, denominator]) in [(Side::First, x), (Side::Second, o)] {
                let odds = solve(game, side).unwrap();
                assert_eq!(odds.numerator * denominator, numerator * odds.denominator, "{game:?}");
                assert_eq!(odds.boards, boards - terminal);
            }
        }
    }

    #[test]
    fn lines_and_faults() {
        let game = Noughts { columns: 4, rows: 4, line: 3, own: 3, of: 4 };
        assert_eq!(lines(game).len(), 24, "eight a direction along, four a diagonal");
        assert_eq!(game.fault(), None);
        assert!(Noughts { columns: 5, ..game }.fault().is_some());
        assert!(Noughts { own: 4, ..game }.fault().is_some());
    }
}
