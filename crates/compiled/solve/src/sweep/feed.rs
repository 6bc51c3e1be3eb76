//! The way of a sweep's states and values into a table (docs/table.md).
//!
//! While the values of a ply are folded block by block, the best moves of each state are found
//! again from the same children ([`Marks`]), since the fold keeps the largest value and not who
//! reached it; keys, values and moves of the block then go to the table.
//!
//! Always: only an exact pass is written; an attempt that ends otherwise leaves no file.
//!
//! Costs about as much time as the backward pass, and memory for the entries of a ply up to a
//! budget; the keys that the forward pass would give up stay in the trail.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use exact::{UBig, scaled};
use index::Id;
use kernel::{BLOCK_LANES, Expander, Expansion};
use net::InputId;
use rustc_hash::FxHashMap;
use table::{Choice, Claim, Field, Layout, MoveName, Writer, Written};

use super::registers::{Children, Registers, for_lanes};
use crate::backend::Scale;
use crate::game::Game;
use crate::storage::StorageFault;

/// Bytes of entries that wait in memory, at most; a smaller part where the memory is limited.
const MOST_BYTES: u64 = 64 << 20;
const LEAST_BYTES: u64 = 1 << 20;

/// A table that a sweep writes.
pub(super) struct Feed {
    path: PathBuf,
    writer: Writer,
    /// The moves of the opponents behind an ordinal.
    joint: FxHashMap<u32, Vec<u32>>,
}

impl Feed {
    /// Begins a table.
    pub(super) fn new(
        path: &Path,
        game: &Game,
        expander: &dyn Expander,
        memory: Option<u64>,
    ) -> Result<Self, StorageFault> {
        let budget = memory.map_or(MOST_BYTES, |limit| (limit / 16).clamp(LEAST_BYTES, MOST_BYTES));
        let writer = Writer::create(path, layout(game, expander), folder(path), budget);
        let writer = writer.map_err(|error| StorageFault::system("write", path, &error))?;
        Ok(Self { path: path.to_owned(), writer, joint: FxHashMap::default() })
    }

    /// The folder of the table, for scratch files.
    pub(super) fn folder(&self) -> &Path {
        folder(&self.path)
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> u64 {
        self.writer.held_bytes()
    }

    fn failed(&self, error: &std::io::Error) -> StorageFault {
        StorageFault::system("write", &self.path, error)
    }

    /// Begins the ply so many steps from the root.
    pub(super) fn begin(&mut self, step: u32, scale: &Scale) {
        assert!(!scale.bounds, "a table holds exact values");
        self.writer.begin(step, scaled::to_big(&scale.unit) * UBig::from(scale.top));
    }

    /// Adds the states of a block with their values and best moves.
    pub(super) fn add(
        &mut self,
        keys: &[u64],
        values: &[u64],
        marks: &Marks,
    ) -> Result<(), StorageFault> {
        let limbs = values.len() / marks.lanes;
        let width = keys.len() / marks.lanes;
        let entries = keys.chunks_exact(width).zip(values.chunks_exact(limbs));
        for (lane, (key, value)) in entries.enumerate() {
            let choice = marks.choice(lane, &self.joint);
            let pushed = self.writer.push(key, value, &choice);
            pushed.map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    /// Learns which moves stand behind the ordinals of a block.
    pub(super) fn learn(&mut self, found: &Expansion, expander: &dyn Expander) {
        for joint in &found.joints {
            self.joint.entry(joint.opponents).or_insert_with(|| {
                let moves = expander.opponents_moves(joint.opponents);
                moves.iter().map(|input| input.index() as u32).collect()
            });
        }
    }

    /// Ends a ply.
    pub(super) fn end(&mut self) -> Result<(), StorageFault> {
        self.writer.end().map_err(|error| self.failed(&error))
    }

    /// Puts the table under its name.
    pub(super) fn finish(self, claim: &Claim, game: &Game) -> Result<Written, StorageFault> {
        let Self { path, writer, .. } = self;
        let net = &game.net;
        let name = |id: u32| {
            let input = InputId::from_index(id as usize);
            let mut roles = net.roles.iter();
            let role = roles.find(|role| role.inputs.contains(&input.index()));
            let role = role.expect("a move is a role's").name.clone();
            MoveName { role, text: net.inputs[input].clone() }
        };
        writer.finish(claim, name).map_err(|error| StorageFault::system("write", &path, &error))
    }
}

fn folder(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// What the bits of keys mean, by name.
fn layout(game: &Game, expander: &dyn Expander) -> Layout {
    let name = |base: net::BaseId| game.net.bases[base].clone();
    let codes = expander.codes();
    let zeros: Vec<_> = codes.iter().filter_map(|codes| codes.first()?.1).collect();
    let always = expander.unpack(&vec![0; expander.words()]);
    let always = always.into_iter().filter(|base| !zeros.contains(base)).map(name).collect();
    let field = |(bits, codes): (std::ops::Range<usize>, Vec<(u64, Option<net::BaseId>)>)| Field {
        bits,
        codes: codes.into_iter().map(|(code, base)| (code, base.map(name))).collect(),
    };
    let fields = expander.fields().into_iter().zip(codes).map(field).collect();
    Layout::new(always, fields).expect("fields of a key are disjoint")
}

/// The best moves of the states of one block.
///
/// Where the asked role has several moves they are its best ones; else the opponents' best joint
/// moves, if they have several.
#[derive(Default)]
pub(super) struct Marks {
    lanes: usize,
    /// By lane: the mean of the pair of moves at hand.
    means: Vec<Vec<u64>>,
    /// By lane: its pairs of moves.
    pairs: Vec<Vec<Pair>>,
}

/// A pair of moves of a state.
#[derive(Clone, Copy)]
struct Pair {
    asked: InputId,
    opponents: u32,
    /// Its mean beside the state's value.
    mean: Ordering,
}

impl Marks {
    /// Begins a block.
    pub(super) fn begin(&mut self, lanes: usize) {
        assert!((1..=BLOCK_LANES).contains(&lanes), "lanes of a block");
        self.lanes = lanes;
        self.means.resize(lanes, Vec::new());
        self.pairs.iter_mut().for_each(Vec::clear);
        self.pairs.resize_with(lanes, Vec::new);
    }

    /// Compares the mean of each pair of moves with the value of its state, as the registers hold
    /// it. `step` is the ply's denominator over that of the children.
    pub(super) fn fold(
        &mut self,
        found: &Expansion,
        shares: &[(u32, u32)],
        children: &Children<'_>,
        registers: &dyn Registers,
        (step, limbs): (u128, usize),
    ) {
        let (mut cursor, mut first, mut value) = (0, true, vec![0; limbs]);
        for (joint, &(weight, total)) in found.joints.iter().zip(shares) {
            let factor = step / u128::from(total) * u128::from(weight);
            for_lanes(&joint.mask, |lane| {
                let mean = &mut self.means[lane];
                if first {
                    mean.clear();
                    mean.resize(limbs, 0);
                }
                let id = children.ids[cursor] as usize;
                cursor += 1;
                let child = &children.values[id * children.limbs..(id + 1) * children.limbs];
                add_product(mean, child, factor);
                if joint.last_of_pair {
                    registers.store(lane, &mut value);
                    let mean = scaled::compare(mean, &value);
                    let (asked, opponents) = (joint.asked, joint.opponents);
                    self.pairs[lane].push(Pair { asked, opponents, mean });
                }
            });
            first = joint.last_of_pair;
        }
        assert_eq!(cursor, children.ids.len(), "each child is read once");
    }

    /// The best moves of a lane.
    fn choice(&self, lane: usize, joint: &FxHashMap<u32, Vec<u32>>) -> Choice {
        let pairs = &self.pairs[lane];
        let Some(first) = pairs.first() else { return Choice::default() };
        if pairs.iter().any(|pair| pair.asked != first.asked) {
            return best_asked(pairs);
        }
        let moves = |pair: &Pair| &joint[&pair.opponents];
        let choosing: Vec<usize> = (0..moves(first).len())
            .filter(|role| pairs.iter().any(|pair| moves(pair)[*role] != moves(first)[*role]))
            .collect();
        if choosing.is_empty() {
            return Choice::default();
        }
        let best = pairs.iter().filter(|pair| pair.mean.is_eq());
        let chosen = |pair: &Pair| choosing.iter().map(|role| moves(pair)[*role]).collect();
        let mut best: Vec<Vec<u32>> = best.map(chosen).collect();
        best.sort_unstable();
        assert!(!best.is_empty(), "a state's value is reached by some reply");
        Choice { choosers: choosing.len() as u32, moves: best.concat() }
    }
}

/// The asked role's moves that no reply brings below the value.
fn best_asked(pairs: &[Pair]) -> Choice {
    let holds = |part: &[Pair]| part.iter().all(|pair| pair.mean.is_ge());
    let parts = pairs.chunk_by(|left, right| left.asked == right.asked);
    let best = parts.filter(|part| holds(part)).map(|part| part[0].asked.index() as u32);
    let mut moves: Vec<u32> = best.collect();
    moves.sort_unstable();
    assert!(!moves.is_empty(), "a state's value is reached by some move");
    Choice { choosers: 1, moves }
}

/// `sum += value * factor`.
fn add_product(sum: &mut [u64], value: &[u64], factor: u128) {
    scaled::mul_small_add(sum, value, factor as u64);
    let high = (factor >> 64) as u64;
    if high != 0 && !scaled::is_zero(value) {
        let (_, above) = sum.split_at_mut(1);
        let shown = value.len().min(above.len());
        scaled::mul_small_add(above, &value[..shown], high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_wide_factors_are_summed() {
        use exact::UBig;
        let number = |words: &[u64]| {
            words.iter().rev().fold(UBig::from(0u8), |sum, word| (sum << 64) + UBig::from(*word))
        };
        let value = [u64::MAX, 3, 0x1234_5678_9abc_def0];
        for factor in [0, 1, 7, u128::from(u64::MAX), 1 << 64, (5 << 64) | 9, u128::MAX >> 1] {
            let mut sum = vec![11, 22, 33, 44, 55, 0];
            let wanted = number(&sum) + number(&value) * UBig::from(factor);
            add_product(&mut sum, &value, factor);
            assert_eq!(number(&sum), wanted, "{factor:#x}");
        }
        let mut sum = vec![1, 0, 0];
        add_product(&mut sum, &[0, 0, 0], u128::MAX);
        assert_eq!(sum, [1, 0, 0]);
    }
}
