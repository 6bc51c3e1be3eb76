//! Hand-written solvers that hash: any game of two colours on a board that fills up, as fast as we
//! can write it.
//!
//! The set of boards after n tosses is a hash table; only boards after the toss are kept, and of
//! those only the unfinished ones: a line or a full board is seen from its parent. Forward ply by
//! ply, each edge records the child's number; backward over the edges, values are whole numbers over
//! `of^(discs to come)`, so they are exact.
//!
//! Tricks that pay: a batch of parents
//! is expanded while the table's lines of their children are on the way (prefetch); a slot holds
//! key and number, so a probe is one miss; children's numbers are in discovery order, so the
//! backward gather stays local; memory is in huge pages. The two constants "lost" and "won" are
//! the first two entries of every ply, so the backward loop has no branch but max or min.
//!
//! What always holds: a table is at most half full; a slot that is taken is not 0 (numbers of boards
//! begin at 2).

use store::{HugeVec, OutOfMemory, prefetch};

/// A game of two colours: each move puts a disc, whose colour is tossed, on one more cell.
pub(crate) trait Board {
    /// The board before the first move.
    fn start(&self) -> u32;
    /// Moves until it is full.
    fn cells(&self) -> u32;
    /// Calls for each move with the board with the first player's disc, that with the second's, and
    /// whether it is the last move. A board is not full.
    fn expand(&self, key: u32, each: impl FnMut(Child, Child, bool));
}

/// A board after a move.
#[derive(Clone, Copy)]
pub(crate) struct Child {
    pub(crate) key: u32,
    /// Whether the disc makes a line.
    pub(crate) has_line: bool,
}

/// A disc is the mover's own with probability `own / of`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance {
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

/// The odds as `numerator / denominator`, the number of unfinished boards, and that of
/// edges: two for each of their moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Odds {
    pub(crate) numerator: u64,
    pub(crate) denominator: u64,
    pub(crate) boards: u64,
    pub(crate) edges: u64,
}

/// Numbers of the two outcomes in every ply; the boards follow.
const LOST: u32 = 0;
const WON: u32 = 1;
const FIRST_BOARD: u32 = 2;
/// Marks the last edge of a board.
const LAST: u32 = 1 << 31;
/// Parents expanded together.
const BATCH: usize = 32;

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
struct Forward<'a, B> {
    board: &'a B,
    /// Whether the first player drops.
    first_drops: bool,
    /// Whether the drop fills the board.
    last_ply: bool,
    asked: Side,
}

impl<B: Board> Forward<'_, B> {
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
        self.board.expand(key, |first, second, is_last| {
            let (first, second) = ((first, Side::First), (second, Side::Second));
            let (own, other) = if self.first_drops { (first, second) } else { (second, first) };
            self.push(own, 0, edges, next, waiting);
            self.push(other, if is_last { LAST } else { 0 }, edges, next, waiting);
        });
    }

    /// Records an edge: at once where it ends the game, else once the child's number is known.
    #[inline(always)]
    fn push(
        &self,
        (Child { key, has_line }, winner): (Child, Side),
        mark: u32,
        edges: &mut HugeVec<u32>,
        next: &Ply,
        waiting: &mut Waiting,
    ) {
        if has_line || self.last_ply {
            edges.push_within(mark | if has_line && winner == self.asked { WON } else { LOST });
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
pub(crate) fn solve(board: &impl Board, chance: Chance, asked: Side) -> Result<Odds, OutOfMemory> {
    let (mut ply, mut next) = (Ply::new()?, Ply::new()?);
    ply.reserve(1)?;
    ply.number(board.start());
    let mut edges = Vec::new();
    let mut boards = 0;
    for discs in 0..board.cells() {
        boards += ply.keys.len() as u64;
        let (first_drops, last_ply) = (discs % 2 == 0, discs + 1 == board.cells());
        next.keys.clear();
        next.slots.reset(2 * ply.keys.len())?;
        let forward = Forward { board, first_drops, last_ply, asked };
        edges.push(forward.run(ply.keys.as_slice(), &mut next)?);
        std::mem::swap(&mut ply, &mut next);
    }
    drop((ply, next));
    let count = edges.iter().map(|ply: &HugeVec<u32>| ply.len() as u64).sum();
    let numerator = backward(chance, asked, edges)?;
    let denominator = chance.of.pow(board.cells());
    assert!(numerator <= denominator, "odds are at most 1");
    Ok(Odds { numerator, denominator, boards, edges: count })
}

/// Values from the last ply to the first; the first has one board.
fn backward(chance: Chance, asked: Side, mut edges: Vec<HugeVec<u32>>) -> Result<u64, OutOfMemory> {
    let (mut below, mut values) = (HugeVec::new(), HugeVec::new());
    below.extend(&[0, 1])?;
    let mut scale = 1;
    while let Some(ply) = edges.pop() {
        scale *= chance.of;
        values.clear();
        values.extend(&[0, scale])?;
        let mover = if edges.len().is_multiple_of(2) { Side::First } else { Side::Second };
        if mover == asked {
            value_ply::<true>(chance, ply.as_slice(), below.as_slice(), &mut values)?;
        } else {
            value_ply::<false>(chance, ply.as_slice(), below.as_slice(), &mut values)?;
        }
        std::mem::swap(&mut below, &mut values);
    }
    assert_eq!(below.len(), FIRST_BOARD as usize + 1, "the game starts from one board");
    Ok(below.as_slice()[FIRST_BOARD as usize])
}

fn value_ply<const MAX: bool>(
    chance: Chance,
    edges: &[u32],
    below: &[u64],
    values: &mut HugeVec<u64>,
) -> Result<(), OutOfMemory> {
    const AHEAD: usize = 48;
    let (own, other) = (chance.own, chance.of - chance.own);
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
