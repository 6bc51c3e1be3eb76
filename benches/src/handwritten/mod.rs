//! The hand-written baseline: stochastic connect, and nothing else, as fast as we can write it.
//!
//! What an expert in this one game would do. A board is a number: each column is its discs from
//! the bottom up (1 is an x) below a sentinel bit, so 5x4 needs 25 bits. The set of boards after
//! n tosses is a hash table; only boards after the toss are kept, and of those only the
//! unfinished ones: a line or a full board is seen from its parent. Forward ply by ply, each edge
//! records the child's number; backward over the edges, values are whole numbers over
//! `of^(discs to come)`, so they are exact.
//!
//! Tricks that pay: the two children of a column are one addition and one or; a batch of parents
//! is expanded while the table's lines of their children are on the way (prefetch); a slot holds
//! key and number, so a probe is one miss; children's numbers are in discovery order, so the
//! backward gather stays local; memory is in huge pages. The two constants "lost" and "won" are
//! the first two entries of every ply, so the backward loop has no branch but max or min.
//! Perfect indexing by columns with a bitmap stands beside it (`bitmap`), for the same games.
//!
//! What always holds: a table is at most half full; a key is never 0 (it has a sentinel).

pub(crate) mod bitmap;

use store::{HugeVec, OutOfMemory, prefetch};

/// Stochastic connect: a dropped disc is the mover's own with probability `own / of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Connect {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    pub(crate) line: u32,
    pub(crate) own: u64,
    pub(crate) of: u64,
}

/// Whose win is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The player who moves first.
    First,
    /// The other.
    Second,
}

/// The odds as `numerator / denominator`, and the number of unfinished boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Odds {
    pub(crate) numerator: u64,
    pub(crate) denominator: u64,
    pub(crate) boards: u64,
}

/// Numbers of the two outcomes in every ply; the boards follow.
const LOST: u32 = 0;
const WON: u32 = 1;
const FIRST_BOARD: u32 = 2;
/// Marks the last edge of a board.
const LAST: u32 = 1 << 31;
/// Parents expanded together.
const BATCH: usize = 32;

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

/// Open addressing: a slot is `key << 32 | number`, 0 where it is free.
struct Slots {
    slots: HugeVec<u64>,
    shift: u32,
}

impl Slots {
    fn new(len_log: u32) -> Result<Self, OutOfMemory> {
        let mut slots = HugeVec::new();
        slots.resize(1 << len_log, 0)?;
        Ok(Self { slots, shift: 32 - len_log })
    }

    fn len(&self) -> usize {
        1 << (32 - self.shift)
    }

    #[inline(always)]
    fn home(&self, key: u32) -> usize {
        (key.wrapping_mul(0x9E37_79B1) >> self.shift) as usize
    }

    /// The number of the key; a new key is given the number `next`.
    #[inline(always)]
    fn number(&mut self, key: u32, next: u32) -> u32 {
        let mut at = self.home(key);
        let slots = self.slots.as_mut_slice();
        let wrap = slots.len() - 1;
        loop {
            let slot = slots[at];
            if slot == 0 {
                slots[at] = u64::from(key) << 32 | u64::from(next);
                return next;
            }
            if (slot >> 32) as u32 == key {
                return slot as u32;
            }
            at = (at + 1) & wrap;
        }
    }

    /// Empties the table, in a size that fits `boards` without growth.
    fn reset(&mut self, boards: usize) -> Result<(), OutOfMemory> {
        let len_log = (2 * boards).next_power_of_two().trailing_zeros().clamp(10, 31);
        self.slots.clear();
        self.slots.resize(1 << len_log, 0)?;
        self.shift = 32 - len_log;
        Ok(())
    }
}

/// The boards of one ply in the order of discovery, and the table of their numbers.
struct Ply {
    keys: HugeVec<u32>,
    slots: Slots,
}

impl Ply {
    fn new() -> Result<Self, OutOfMemory> {
        Ok(Self { keys: HugeVec::new(), slots: Slots::new(10)? })
    }

    /// Makes room for `more` boards, so that the table stays at most half full.
    fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.keys.reserve(more)?;
        if 2 * (self.keys.len() + more) > self.slots.len() {
            self.slots.reset(2 * (self.keys.len() + more))?;
            for (at, key) in self.keys.as_slice().iter().enumerate() {
                self.slots.number(*key, at as u32 + FIRST_BOARD);
            }
        }
        debug_assert!(2 * self.keys.len() <= self.slots.len());
        Ok(())
    }

    #[inline(always)]
    fn number(&mut self, key: u32) -> u32 {
        let next = self.keys.len() as u32 + FIRST_BOARD;
        let number = self.slots.number(key, next);
        if number == next {
            self.keys.push_within(key);
        }
        number
    }
}

/// Children of a batch whose numbers are still to be looked up.
struct Waiting {
    keys: [u32; BATCH * 64],
    edges: [u32; BATCH * 64],
    len: usize,
}

/// A forward pass over one ply.
struct Forward {
    shape: Shape,
    /// Whether the first player drops.
    first_drops: bool,
    /// Whether the drop fills the board.
    last_ply: bool,
    asked: Side,
}

impl Forward {
    /// The edges of a ply, own disc before the other's for each open column; fills the next ply.
    fn run(&self, keys: &[u32], next: &mut Ply) -> Result<HugeVec<u32>, OutOfMemory> {
        let mut edges = HugeVec::new();
        let mut waiting = Waiting { keys: [0; BATCH * 64], edges: [0; BATCH * 64], len: 0 };
        for batch in keys.chunks(BATCH) {
            let most = batch.len() * 64;
            edges.reserve(most)?;
            next.reserve(most)?;
            waiting.len = 0;
            for key in batch {
                self.expand(*key, &mut edges, next, &mut waiting);
            }
            let edges = edges.as_mut_slice();
            for at in 0..waiting.len {
                edges[waiting.edges[at] as usize] |= next.number(waiting.keys[at]);
            }
        }
        edges.shrink_to_fit();
        Ok(edges)
    }

    #[inline(always)]
    fn expand(&self, key: u32, edges: &mut HugeVec<u32>, next: &Ply, waiting: &mut Waiting) {
        let discs = self.shape.discs(key);
        debug_assert!(discs.open != 0, "a full board is not kept");
        let mut open = discs.open;
        while open != 0 {
            let cell = open & open.wrapping_neg();
            open ^= cell;
            let first = (key | cell << 1, self.shape.has_line(discs.first | cell), Side::First);
            let second = (key + cell, self.shape.has_line(discs.second | cell), Side::Second);
            let (own, other) = if self.first_drops { (first, second) } else { (second, first) };
            self.push(own, 0, edges, next, waiting);
            self.push(other, if open == 0 { LAST } else { 0 }, edges, next, waiting);
        }
    }

    /// Records an edge: at once where it ends the game, else once the child's number is known.
    #[inline(always)]
    fn push(
        &self,
        (key, ends, winner): (u32, bool, Side),
        mark: u32,
        edges: &mut HugeVec<u32>,
        next: &Ply,
        waiting: &mut Waiting,
    ) {
        if ends || self.last_ply {
            edges.push_within(mark | if ends && winner == self.asked { WON } else { LOST });
            return;
        }
        prefetch(next.slots.slots.as_slice(), next.slots.home(key));
        waiting.keys[waiting.len] = key;
        waiting.edges[waiting.len] = edges.len() as u32;
        waiting.len += 1;
        edges.push_within(mark);
    }
}

/// The odds that the asked side wins from the empty board.
///
/// # Errors
/// When the system refuses memory.
pub(crate) fn solve(game: Connect, asked: Side) -> Result<Odds, OutOfMemory> {
    assert!(game.fault().is_none(), "the caller refuses games that do not fit");
    let shape = Shape::new(game);
    let (mut ply, mut next) = (Ply::new()?, Ply::new()?);
    ply.reserve(1)?;
    ply.number(shape.empty(game.columns));
    let mut edges = Vec::new();
    let mut boards = 0;
    for discs in 0..game.cells() {
        boards += ply.keys.len() as u64;
        let (first_drops, last_ply) = (discs % 2 == 0, discs + 1 == game.cells());
        next.keys.clear();
        next.slots.reset(2 * ply.keys.len())?;
        let forward = Forward { shape, first_drops, last_ply, asked };
        edges.push(forward.run(ply.keys.as_slice(), &mut next)?);
        std::mem::swap(&mut ply, &mut next);
    }
    drop((ply, next));
    let numerator = backward(game, asked, edges)?;
    let denominator = game.of.pow(game.cells());
    assert!(numerator <= denominator, "odds are at most 1");
    Ok(Odds { numerator, denominator, boards })
}

/// Values from the last ply to the first; the first has one board.
fn backward(game: Connect, asked: Side, mut edges: Vec<HugeVec<u32>>) -> Result<u64, OutOfMemory> {
    let (mut below, mut values) = (HugeVec::new(), HugeVec::new());
    below.extend(&[0, 1])?;
    let mut scale = 1;
    while let Some(ply) = edges.pop() {
        scale *= game.of;
        values.clear();
        values.extend(&[0, scale])?;
        let mover = if edges.len().is_multiple_of(2) { Side::First } else { Side::Second };
        if mover == asked {
            value_ply::<true>(game, ply.as_slice(), below.as_slice(), &mut values)?;
        } else {
            value_ply::<false>(game, ply.as_slice(), below.as_slice(), &mut values)?;
        }
        std::mem::swap(&mut below, &mut values);
    }
    assert_eq!(below.len(), FIRST_BOARD as usize + 1, "the game starts from one board");
    Ok(below.as_slice()[FIRST_BOARD as usize])
}

fn value_ply<const MAX: bool>(
    game: Connect,
    edges: &[u32],
    below: &[u64],
    values: &mut HugeVec<u64>,
) -> Result<(), OutOfMemory> {
    const AHEAD: usize = 48;
    let (own, other) = (game.own, game.of - game.own);
    let mut best = if MAX { 0 } else { u64::MAX };
    values.reserve(edges.len() / 2)?;
    for (at, pair) in edges.chunks_exact(2).enumerate() {
        if let Some(coming) = edges.get(2 * at + AHEAD..2 * at + AHEAD + 2) {
            prefetch(below, coming[0] as usize);
            prefetch(below, (coming[1] & !LAST) as usize);
        }
        let value = own * below[pair[0] as usize] + other * below[(pair[1] & !LAST) as usize];
        best = if MAX { best.max(value) } else { best.min(value) };
        if pair[1] & LAST != 0 {
            values.push_within(best);
            best = if MAX { 0 } else { u64::MAX };
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Connect, Odds, Shape, Side, solve};

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
