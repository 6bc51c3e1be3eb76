//! A uniformly random legal move in every lane, on planes: nothing is done lane by lane.
//!
//! The moves of a role are the leaves of a binary tree. Upward, every node gets the number of
//! legal moves below it, in each lane, as planes of a binary number. At the root a number `k`
//! below that count is drawn. Downward, a node passes `k` to its left child where `k` is below
//! the left count, else `k` less that count to the right child; the leaf where it arrives is the
//! chosen move. A level costs its nodes times the bits of their counts, so a move costs about 15
//! operations on planes whatever the number of moves.
//!
//! Always: in a lane with a legal move exactly one move is chosen, and it is legal; in others
//! none. `k` is `r * count / 2^`[`RANDOM_BITS`] rounded down, with `r` of as many fair bits: a
//! move's probability is within `2^-`[`RANDOM_BITS`] of `1 / count`, and exact where the count is
//! a power of two.
//!
//! Refused: transposing legal moves to a bit set for each lane and looking for its `k`-th bit,
//! which costs some nanoseconds a lane and role; and reservoir choice, which needs a fair fraction
//! for each move instead of each role. Planes are worked on in pieces of [`PIECE`] words, so that
//! the numbers of a role with hundreds of moves stay in the first-level cache.

use crate::expand::{BLOCK_WORDS, Mask};
use crate::frame::{Frame, Lit};
use crate::isa::{Isa, dispatch};
use crate::stream::{RandomPlane, Stream};

/// Random bits behind each choice.
pub(crate) const RANDOM_BITS: usize = 40;

/// Words of a plane that are worked on together; less in a narrow frame.
const PIECE: usize = 8;

const _: () = assert!(BLOCK_WORDS.is_multiple_of(PIECE), "pieces are whole");

/// A move that can be legal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// Where its legality lies.
    pub legal: Lit,
    /// The slot that tells that it is played.
    pub does: usize,
}

/// The moves of a role as a tree, and memory for one piece of it.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    choices: Vec<Choice>,
    /// By level, leaves first: where its nodes begin, in planes; and the end of the last level.
    /// A node of level `l` has `l + 1` planes, least significant first.
    levels: Vec<usize>,
    /// How many legal moves there are below each node.
    counts: Vec<u64>,
    /// Whether the choice lies below each node, then the number of the choice below it.
    picks: Vec<u64>,
    random: Vec<RandomPlane>,
}

impl Selector {
    /// A selector for a role with these moves.
    pub(crate) fn new(choices: Vec<Choice>) -> Self {
        let height = choices.len().max(1).next_power_of_two().trailing_zeros() as usize;
        let mut levels = vec![0];
        for level in 0..=height {
            let nodes = choices.len().div_ceil(1 << level);
            levels.push(levels[level] + nodes * (level + 1));
        }
        let words = PIECE * levels[height + 1];
        debug_assert!(words <= PIECE * (4 * choices.len() + height * (height + 3)));
        let random = vec![[0; BLOCK_WORDS]; if height == 0 { 0 } else { RANDOM_BITS }];
        Self { choices, levels, counts: vec![0; words], picks: vec![0; words], random }
    }

    /// Chooses in all lanes: writes the planes of the moves that are played. Returns the lanes in
    /// which a move is legal.
    pub(crate) fn choose(&mut self, isa: Isa, frame: &mut Frame, stream: &mut Stream) -> Mask {
        let mut movable = Mask::default();
        if !self.choices.is_empty() {
            stream.fill(isa, &mut self.random);
            let width = frame.width();
            let inside = |slot: usize| (slot + 1) * width <= frame.words().len();
            debug_assert!(self.choices.iter().all(|choice| choice.does > 0 && inside(choice.does)));
            choose(isa, self, frame.words_mut(), width, &mut movable);
        }
        movable
    }

    fn height(&self) -> usize {
        self.levels.len() - 2
    }
}

dispatch! {
    /// Chooses in all pieces of the frame.
    fn choose(of: &mut Selector, frame: &mut [u64], width: usize, movable: &mut Mask) = choose_body
}

#[inline(always)]
fn choose_body(of: &mut Selector, frame: &mut [u64], width: usize, movable: &mut Mask) {
    match width {
        1 => choose_piece::<1>(of, frame, 1, 0, movable),
        2 => choose_piece::<2>(of, frame, 2, 0, movable),
        4 => choose_piece::<4>(of, frame, 4, 0, movable),
        _ => {
            // A plain loop: what an iterator's method calls is compiled for the baseline.
            let mut at = 0;
            while at < width {
                choose_piece::<PIECE>(of, frame, width, at, movable);
                at += PIECE;
            }
        }
    }
}

/// One number of `V` words of lanes in planes.
type Number<const V: usize> = [[u64; V]];

/// Chooses in the words `at..at + V` of a frame.
#[inline(always)]
fn choose_piece<const V: usize>(
    of: &mut Selector,
    frame: &mut [u64],
    width: usize,
    at: usize,
    movable: &mut Mask,
) {
    let height = of.height();
    let (counts, _) = of.counts.as_chunks_mut::<V>();
    let (picks, _) = of.picks.as_chunks_mut::<V>();
    for (count, choice) in counts.iter_mut().zip(&of.choices) {
        let from = choice.legal.slot() * width + at;
        *count = std::array::from_fn(|w| frame[from..from + V][w] ^ choice.legal.flip());
    }
    for level in 1..=height {
        let (below, above) = counts.split_at_mut(of.levels[level]);
        let above = &mut above[..of.levels[level + 1] - of.levels[level]];
        add_level(&below[of.levels[level - 1]..], above, level);
    }
    let root = of.levels[height];
    let (count, pick) = (&counts[root..=root + height], &mut picks[root..=root + height]);
    draw(count, pick, &of.random, at);
    movable[at..at + V].copy_from_slice(&pick[0]);
    for level in (1..=height).rev() {
        let (below, above) = picks.split_at_mut(of.levels[level]);
        let parts = of.levels[level - 1]..of.levels[level];
        let above = &above[..of.levels[level + 1] - of.levels[level]];
        descend_level(above, &counts[parts.clone()], &mut below[parts], level);
    }
    for (pick, choice) in picks.iter().zip(&of.choices) {
        let to = choice.does * width + at;
        frame[to..to + V].copy_from_slice(pick);
    }
}

/// The counts of a level from those below; `bits` is the width of the latter, spelt out for the
/// widths of most nodes so that their loops vanish.
#[inline(always)]
fn add_level<const V: usize>(below: &Number<V>, above: &mut Number<V>, bits: usize) {
    match bits {
        1 => add_nodes(below, above, 1),
        2 => add_nodes(below, above, 2),
        3 => add_nodes(below, above, 3),
        _ => add_nodes(below, above, bits),
    }
}

#[inline(always)]
fn add_nodes<const V: usize>(below: &Number<V>, above: &mut Number<V>, bits: usize) {
    for (node, pair) in above.chunks_exact_mut(bits + 1).zip(below.chunks(2 * bits)) {
        let (left, right) = pair.split_at(bits);
        if right.is_empty() {
            node[..bits].copy_from_slice(left);
            node[bits] = [0; V];
            continue;
        }
        let mut carry = [0; V];
        for ((sum, left), right) in node.iter_mut().zip(left).zip(right) {
            (*sum, carry) = full_add(left, right, &carry);
        }
        node[bits] = carry;
    }
}

/// Sum and carry of three bits.
#[inline(always)]
fn full_add<const V: usize>(a: &[u64; V], b: &[u64; V], c: &[u64; V]) -> ([u64; V], [u64; V]) {
    let half: [u64; V] = std::array::from_fn(|w| a[w] ^ b[w]);
    let carry = std::array::from_fn(|w| (a[w] & b[w]) | (half[w] & c[w]));
    (std::array::from_fn(|w| half[w] ^ c[w]), carry)
}

/// The root's pick: whether the count is above zero, then a random number below it, by adding the
/// count where a random bit holds and halving, bit after bit.
#[inline(always)]
fn draw<const V: usize>(
    count: &Number<V>,
    pick: &mut Number<V>,
    random: &[RandomPlane],
    at: usize,
) {
    pick.fill([0; V]);
    let is_used = |part: &[u64; V]| part.iter().fold(0, |any, word| any | word) != 0;
    let bits = count.iter().rposition(is_used).map_or(0, |last| last + 1);
    // Counts of nought and one leave no choice; higher planes that are empty stay so.
    let random = if bits < 2 { &random[..0] } else { random };
    for plane in random {
        let plane: &[u64; V] = plane[at..at + V].first_chunk().expect("a piece of a plane");
        let mut carry = [0; V];
        for index in 0..bits {
            let added = std::array::from_fn(|w| count[index][w] & plane[w]);
            let (sum, next) = full_add(&pick[index], &added, &carry);
            if index > 0 {
                pick[index - 1] = sum;
            }
            carry = next;
        }
        pick[bits - 1] = carry;
    }
    // The number is below the number of moves, so that its uppermost plane is empty.
    debug_assert!(pick[count.len() - 1].iter().all(|&word| word == 0));
    pick.copy_within(..count.len() - 1, 1);
    pick[0] = [0; V];
    for part in count {
        pick[0] = std::array::from_fn(|w| pick[0][w] | part[w]);
    }
}

/// The picks of a level from those above; `bits` is the width of its counts.
#[inline(always)]
fn descend_level<const V: usize>(
    above: &Number<V>,
    counts: &Number<V>,
    picks: &mut Number<V>,
    bits: usize,
) {
    match bits {
        1 => descend_nodes(above, counts, picks, 1),
        2 => descend_nodes(above, counts, picks, 2),
        3 => descend_nodes(above, counts, picks, 3),
        _ => descend_nodes(above, counts, picks, bits),
    }
}

#[inline(always)]
fn descend_nodes<const V: usize>(
    above: &Number<V>,
    counts: &Number<V>,
    picks: &mut Number<V>,
    bits: usize,
) {
    let children = counts.chunks(2 * bits).zip(picks.chunks_mut(2 * bits));
    for (node, (counts, picks)) in above.chunks_exact(bits + 1).zip(children) {
        let (left, right) = picks.split_at_mut(bits);
        if right.is_empty() {
            left.copy_from_slice(&node[..bits]);
            continue;
        }
        let mut below = [0; V];
        for index in 0..bits {
            let (number, count) = (&node[index + 1], &counts[index]);
            let differ: [u64; V] = std::array::from_fn(|w| number[w] ^ count[w]);
            if index + 1 < bits {
                left[index + 1] = *number;
                right[index + 1] = std::array::from_fn(|w| differ[w] ^ below[w]);
            }
            below = std::array::from_fn(|w| (differ[w] & count[w]) | (!differ[w] & below[w]));
        }
        left[0] = std::array::from_fn(|w| node[0][w] & below[w]);
        right[0] = std::array::from_fn(|w| node[0][w] & !below[w]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use net::random::Random;

    /// A frame with the legality of some moves in slots from 1, and their plays after them.
    fn frame(moves: usize, width: usize, mut legal: impl FnMut(usize, usize) -> u64) -> Frame {
        let mut frame = Frame::new(1 + 2 * moves);
        frame.set_width(width);
        for at in 0..moves {
            (0..width).for_each(|word| frame.slot_mut(1 + at)[word] = legal(at, word));
        }
        frame
    }

    fn selector(moves: usize) -> Selector {
        let choice = |at| Choice { legal: Lit::of_slot(1 + at), does: 1 + moves + at };
        Selector::new((0..moves).map(choice).collect())
    }

    /// By move: in which lanes of a word it is legal, and in which it is played.
    fn word(frame: &Frame, moves: usize, word: usize) -> Vec<(u64, u64)> {
        let read = |slot: usize| frame.words()[slot * frame.width() + word];
        (0..moves).map(|at| (read(1 + at), read(1 + moves + at))).collect()
    }

    #[test]
    fn exactly_one_legal_move_is_chosen_wherever_there_is_one() {
        let mut random = Random::new(31);
        for moves in [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 100, 257] {
            for (isa, width) in Isa::available()
                .into_iter()
                .flat_map(|isa| [1, 2, 4, 8, 16].map(|width| (isa, width)))
            {
                // In later words fewer and fewer moves are legal; in the last lanes none is.
                let thin = |random: &mut Random, word: usize| {
                    (0..=word).fold(u64::MAX >> 5, |bits, _| bits & random.bits())
                };
                let mut frame = frame(moves, width, |_, word| thin(&mut random, word));
                let movable =
                    selector(moves).choose(isa, &mut frame, &mut Stream::new(moves as u64));
                for (at, movable) in movable.iter().enumerate().take(width) {
                    let held = word(&frame, moves, at);
                    let (any, chosen) = held.iter().fold((0, 0), |(any, chosen), (legal, does)| {
                        assert_eq!(does & !legal, 0, "only legal moves are played");
                        assert_eq!(does & chosen, 0, "one move is played");
                        (any | legal, chosen | does)
                    });
                    assert_eq!((any, *movable), (chosen, any), "{moves} moves");
                }
            }
        }
    }

    #[test]
    fn every_legal_move_is_chosen_equally_often() {
        let mut random = Random::new(32);
        for moves in [2, 3, 5, 6, 11, 40] {
            // In each lane about half of the moves are legal, the same in all rounds.
            let mut frame = frame(moves, 1, |_, _| random.bits());
            let (mut selector, mut stream) = (selector(moves), Stream::new(7));
            let mut chosen = vec![vec![0u64; moves]; 64];
            let rounds = 20_000;
            for _ in 0..rounds {
                selector.choose(Isa::detect(), &mut frame, &mut stream);
                for (at, (_, does)) in word(&frame, moves, 0).into_iter().enumerate() {
                    let times = chosen.iter_mut().enumerate();
                    times.for_each(|(lane, times)| times[at] += does >> lane & 1);
                }
            }
            let held = word(&frame, moves, 0);
            for (lane, chosen) in chosen.iter().enumerate() {
                let legal: Vec<usize> =
                    (0..moves).filter(|&at| held[at].0 >> lane & 1 == 1).collect();
                for &at in &legal {
                    // Six standard deviations of a choice among `legal`, squared.
                    let (n, count) = (rounds, legal.len() as u64);
                    let off = (count * chosen[at]).abs_diff(n);
                    assert!(off * off <= 36 * n * count, "{moves} moves, {off} off in {lane}");
                }
            }
        }
    }

    #[test]
    fn a_role_without_moves_moves_nowhere() {
        let mut frame = frame(1, 4, |_, _| u64::MAX);
        let movable = Selector::new(vec![]).choose(Isa::detect(), &mut frame, &mut Stream::new(1));
        assert_eq!(movable, Mask::default());
    }
}
