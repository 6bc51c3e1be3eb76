//! Steps of a search on a device: packed states in, what they show and their children's keys out.
//!
//! Nothing is kept on the device from call to call but the game: a chunk of states goes there, a word
//! a state comes back (ended, paid, flawed) with which moves are legal somewhere; then the joint moves of
//! these are listed, the update runs under each, and masks and candidates come back, from which each
//! state's moves are read. Two answers are waited for a chunk, one where nobody asks for children. The
//! table of positions, windows and values are the search's, on the processor.
//!
//! Always: what is told of a state does not depend on its chunk. Chance moves of equal effect are one
//! outcome for each state by itself, also where the chunk keeps them apart, and come in the order in
//! which the processor has them. Every flag is read before anything is believed; what a shader calls
//! flawed the processor expands, which says how, or finds that the device is wrong.
//!
//! Plies and levels do not matter here, so that games whose states do not tell their ply are done.

use std::sync::Arc;
use std::time::Instant;

use index::Id;
use kernel::{Expander, Expansion, Flaw, FlawKind};
use net::InputId;
use rustc_hash::FxHashMap;
use solve::{Opening, Outcome, Pair, Stepped, Stepper, Trouble};
use verdict::Watch;

use crate::arena::{Grown, Mark};
use crate::backend::{Plies, heard, locked, narrow, widen};
use crate::batch::{Batch, View};
use crate::fault::{DeviceFault, unlike};
use crate::joints::OnDevice;
use crate::passes::Params;
use crate::profile::SearchRow;
use crate::tables::{Joints, TooMany};

/// States that are gathered for a call: enough to fill hardware, and for a device of software no more
/// than hides what a call costs.
const APPETITE: usize = 1 << 13;
const SOFTWARE_APPETITE: usize = 1 << 11;
/// Candidates of a chunk, at most: all of them are read back.
const MOST_CANDIDATES: usize = 1 << 18;
/// Bytes of joint moves and their updates after which all are made anew.
const MOST_TABLES: u64 = 1 << 26;

/// Bits of the word of a state; see `shaders/params.wgsl`.
const PAID: u32 = 0x7f;
const ENDED: u32 = 0x80;
const FLAWED: u32 = 0x100;

/// Takes states apart on a device.
pub(crate) struct Steps {
    plies: Plies,
    keys: Grown,
    infos: Grown,
    /// Joint moves by what is legal; none where nobody moves.
    listed: FxHashMap<Vec<u32>, Option<Arc<Listed>>>,
    /// How much of the tables belongs to the game and not to joint moves.
    game: Mark,
    /// Joint moves of the last chunk.
    usual_joints: usize,
}

/// The joint moves of a chunk, here and on the device.
struct Listed {
    on_device: Arc<OnDevice>,
    rows: Vec<Row>,
}

/// A joint move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    asked: InputId,
    opponents: u32,
    /// Rows of equal effect of chance have equal numbers.
    effect: u32,
    weight: u32,
}

/// What a chunk showed.
struct Seen {
    /// What it tells; see `shaders/params.wgsl`.
    told: Vec<u32>,
    /// A word a state.
    infos: Vec<u32>,
}

/// What a chunk leads to.
struct Made {
    /// Where each joint move is legal, 32 states a word.
    masks: Vec<u32>,
    /// Keys, by joint move and state.
    candidates: Vec<u32>,
    /// Whether a child breaks a group.
    is_broken: bool,
}

impl Steps {
    /// Steps of a game that is on the device.
    pub(crate) fn new(plies: Plies) -> Self {
        locked(&plies.profile).search = Some(SearchRow::default());
        let game = plies.tables.mark();
        let (listed, usual_joints) = (FxHashMap::default(), plies.usual_joints);
        Self { plies, keys: Grown::default(), infos: Grown::default(), listed, game, usual_joints }
    }

    /// Takes as many of the states apart as a chunk holds, from the first on.
    fn chunk(
        &mut self,
        keys: &[u64],
        children: bool,
        watch: &Watch<'_>,
    ) -> Result<Vec<Stepped>, Trouble> {
        let width = self.plies.kernel.words();
        let mut states = self.most_states(children).min(keys.len() / width);
        loop {
            let keys = &keys[..states * width];
            let seen = self.see(keys, watch)?;
            if !children {
                return (0..states).map(|at| self.end(keys, &seen, at)).collect();
            }
            // Fewer states have fewer moves among them, and less room is then needed at once.
            let half = (states / 2).next_multiple_of(32);
            let listed = match self.listed(&seen.told, watch)? {
                Ok(listed) => listed,
                Err(_) if half < states => {
                    states = half;
                    continue;
                }
                Err(many) => return Err(many.refused()),
            };
            let Some(listed) = listed else {
                return (0..states).map(|at| self.end(keys, &seen, at)).collect();
            };
            self.usual_joints = listed.rows.len();
            let most = self.most_states(true);
            if states > most && half < states {
                states = most.min(half);
                continue;
            }
            let made = self.make(states, &listed, watch)?;
            return self.read(keys, &seen, &listed, &made);
        }
    }

    /// States of a chunk, by the joint moves of the last one.
    fn most_states(&self, children: bool) -> usize {
        let joints = if children { self.usual_joints } else { 1 };
        let by_reading = MOST_CANDIDATES / joints / 32 * 32;
        self.plies.chunk_states(joints).min(by_reading).max(32)
    }

    /// Views states.
    fn see(&mut self, keys: &[u64], watch: &Watch<'_>) -> Result<Seen, Trouble> {
        let (width, words) = (self.plies.kernel.words(), self.plies.shape.words);
        let states = keys.len() / width;
        let flat: Vec<u32> = keys.chunks(width).flat_map(|key| narrow(key, words)).collect();
        let (key_bytes, info_bytes) = (4 * flat.len() as u64, 4 * states as u64);
        self.plies.reserve_views(states, watch)?;
        let session = Arc::clone(&self.plies.session);
        self.keys.reserve(&session, key_bytes)?;
        self.infos.reserve(&session, info_bytes)?;
        session.queue.write_buffer(self.keys.buffer(), 0, bytemuck::cast_slice(&flat));
        let keys = View::of(self.keys.buffer(), key_bytes);
        let infos = View::of(self.infos.buffer(), info_bytes);
        let mut batch = Batch::new(&session);
        self.plies.record_views(&mut batch, self.plies.params(0, states), keys, infos);
        let told = self.plies.scratch.heard.buffer();
        let told_words = self.plies.shape.heard;
        let read = [(told, 0, 4 * told_words as u64), (infos.buffer, 0, info_bytes)];
        let mut told = self.finish(batch, &read, watch)?;
        let infos = told.split_off(told_words);
        let ended = infos.iter().filter(|info| *info & ENDED != 0).count();
        let flawed = infos.iter().any(|info| info & FLAWED != 0);
        let moved = told[heard::LEGAL..].iter().any(|word| *word != 0);
        if told[heard::TERMINAL] as usize != ended || flawed != (told[heard::FLAWED] != 0) {
            return Err(unlike("what it counts is not what it shows"));
        }
        if ended < states && !flawed && !moved {
            return Err(unlike("states without a move have not ended"));
        }
        Ok(Seen { told, infos })
    }

    fn finish(
        &self,
        batch: Batch<'_>,
        read: &[(&wgpu::Buffer, u64, u64)],
        watch: &Watch<'_>,
    ) -> Result<Vec<u32>, Trouble> {
        let mut profile = locked(&self.plies.profile);
        if let Some(row) = &mut profile.search {
            row.batches += 1;
        }
        batch.finish(read, watch, &mut profile)
    }

    /// What is told of a state that goes nowhere, or of which nobody asks where.
    fn end(&mut self, keys: &[u64], seen: &Seen, at: usize) -> Result<Stepped, Trouble> {
        let info = seen.infos[at];
        if info & FLAWED != 0 {
            return match self.expand(keys, at, false) {
                Err(flaw) => Ok(Stepped::Flawed(flaw.kind)),
                Ok(()) => Err(unlike("it calls a state flawed that the processor finds sound")),
            };
        }
        Ok(if info & ENDED != 0 { Stepped::Ended(info & PAID) } else { Stepped::Going })
    }

    /// A state on the processor.
    fn expand(&mut self, keys: &[u64], at: usize, children: bool) -> Result<(), Flaw> {
        let width = self.plies.kernel.words();
        let key = &keys[at * width..(at + 1) * width];
        self.plies.kernel.expand(key, children, &mut Expansion::default())
    }

    /// The joint moves of what is legal.
    fn listed(
        &mut self,
        told: &[u32],
        watch: &Watch<'_>,
    ) -> Result<Result<Option<Arc<Listed>>, TooMany>, Trouble> {
        let key = &told[heard::LEGAL..];
        if let Some(known) = self.listed.get(key) {
            return Ok(Ok(known.clone()));
        }
        if self.plies.tables.bytes_since(self.game) > MOST_TABLES {
            self.forget();
        }
        let on_device = match self.plies.joints(told, watch)? {
            Ok(on_device) => on_device,
            Err(many) => return Ok(Err(many)),
        };
        let made = on_device.map(|on_device| {
            let (legal, mixed) = key.split_at(self.plies.shape.moves.div_ceil(32));
            let joints = self.plies.seating.joints(legal, mixed).expect("they were just listed");
            Arc::new(Listed { rows: self.rows(&joints), on_device })
        });
        self.listed.insert(key.to_vec(), made.clone());
        Ok(Ok(made))
    }

    /// Gives back what belongs to joint moves: a search meets ever new sets of legal moves.
    fn forget(&mut self) {
        self.listed.clear();
        self.plies.known.clear();
        self.plies.updates.clear();
        self.plies.general = None;
        self.plies.tables.cut(self.game);
    }

    fn rows(&self, joints: &Joints) -> Vec<Row> {
        let seating = &self.plies.seating;
        let opponents = seating.opponents();
        let mut effects: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let row = |row: &[u32]| {
            let moves = &row[2..];
            let chance = &moves[opponents + 1..];
            let next = effects.len() as u32;
            let effect = chance.iter().map(|input| seating.effect(*input)).collect();
            Row {
                asked: InputId::from_index(moves[opponents] as usize),
                opponents: seating.ordinal(&moves[..opponents]),
                effect: *effects.entry(effect).or_insert(next),
                weight: row[0],
            }
        };
        joints.rows.chunks_exact(seating.roles() + 2).map(row).collect()
    }

    /// Makes the children of states that were just viewed.
    fn make(&mut self, states: usize, listed: &Listed, watch: &Watch<'_>) -> Result<Made, Trouble> {
        let (session, shape) = (Arc::clone(&self.plies.session), self.plies.shape);
        let joints = &listed.on_device;
        let blocks = states.div_ceil(32) * joints.count;
        let bytes = |rows: usize| 4 * (rows * blocks) as u64;
        let held = 4 * (joints.held(shape.update_held) * states.div_ceil(32)) as u64;
        let made = if joints.by_tables() { 4 } else { bytes(shape.bits + 1) };
        let candidate_bytes = bytes(32 * shape.words);
        let largest = held.max(made).max(candidate_bytes);
        if largest > session.adapter().binding_bytes {
            return Err(self.plies.too_large(largest));
        }
        self.plies.check(watch, held + made + candidate_bytes, 1.0)?;
        let scratch = &mut self.plies.scratch;
        scratch.held.reserve(&session, held)?;
        scratch.made.reserve(&session, made)?;
        scratch.candidates.reserve(&session, candidate_bytes)?;
        scratch.masks.reserve(&session, bytes(1))?;
        let params = Params { joints: joints.count as u32, ..self.plies.params(0, states) };
        let keys = View::of(self.keys.buffer(), 4 * (states * shape.words) as u64);
        let mut batch = Batch::new(&session);
        let scratch = &self.plies.scratch;
        batch.clear(scratch.heard.buffer(), 4 * heard::LEGAL as u64);
        self.plies.record_children(&mut batch, joints, params, keys);
        let read = [
            (scratch.heard.buffer(), 0, 4 * heard::LEGAL as u64),
            (scratch.masks.buffer(), 0, bytes(1)),
            (scratch.candidates.buffer(), 0, candidate_bytes),
        ];
        let mut told = self.finish(batch, &read, watch)?;
        let mut masks = told.split_off(heard::LEGAL);
        let candidates = masks.split_off(blocks);
        let legal: u32 = masks.iter().map(|mask| mask.count_ones()).sum();
        if legal != told[heard::EDGES] {
            return Err(unlike("what it counts is not what it shows"));
        }
        Ok(Made { masks, candidates, is_broken: told[heard::BROKEN] != 0 })
    }

    /// Reads what each state leads to.
    fn read(
        &mut self,
        keys: &[u64],
        seen: &Seen,
        listed: &Listed,
        made: &Made,
    ) -> Result<Vec<Stepped>, Trouble> {
        let states = seen.infos.len();
        let mut found = Vec::with_capacity(states);
        let (mut opened, mut children, mut broken) = (0, 0, 0);
        for at in 0..states {
            let ended = self.end(keys, seen, at)?;
            // Which states have children that break a group, a shader does not tell.
            let flaw = match ended {
                Stepped::Going if made.is_broken => self.expand(keys, at, true).err(),
                _ => None,
            };
            found.push(match (ended, flaw) {
                (Stepped::Going, None) => {
                    let opening = self.opening(at, states, listed, made)?;
                    opened += 1;
                    children += opening.pairs.iter().map(|pair| pair.outcomes.len()).sum::<usize>();
                    Stepped::Open(Arc::new(opening))
                }
                (_, Some(flaw)) => {
                    broken += usize::from(matches!(flaw.kind, FlawKind::GuessBroken(_)));
                    Stepped::Flawed(flaw.kind)
                }
                (ended, None) => ended,
            });
        }
        if made.is_broken && broken == 0 {
            return Err(unlike("it calls children broken that the processor finds sound"));
        }
        if let Some(row) = &mut locked(&self.plies.profile).search {
            row.opened += opened;
            row.children += children as u64;
        }
        Ok(found)
    }

    /// How one state that goes on does so.
    fn opening(
        &self,
        at: usize,
        states: usize,
        listed: &Listed,
        made: &Made,
    ) -> Result<Opening, Trouble> {
        let (groups, words) = (states.div_ceil(32), self.plies.shape.words);
        let width = self.plies.kernel.words();
        let mut pairs: Vec<Pair> = Vec::new();
        let mut keys = Vec::new();
        // Of each outcome of the last pair its effect.
        let mut effects: Vec<u32> = Vec::new();
        for (number, row) in listed.rows.iter().enumerate() {
            let block = number * groups + at / 32;
            if made.masks[block] >> (at % 32) & 1 == 0 {
                continue;
            }
            let same = |pair: &Pair| pair.asked == row.asked && pair.opponents == row.opponents;
            if !pairs.last().is_some_and(same) {
                let (asked, opponents) = (row.asked, row.opponents);
                pairs.push(Pair { asked, opponents, outcomes: Vec::new() });
                effects.clear();
            }
            let outcomes = &mut pairs.last_mut().expect("one was pushed").outcomes;
            match effects.iter().position(|effect| *effect == row.effect) {
                Some(place) => outcomes[place].weight += row.weight,
                None => {
                    let child = keys.len() / width;
                    let start = (32 * block + at % 32) * words;
                    keys.extend(widen(&made.candidates[start..start + words], width));
                    outcomes.push(Outcome { weight: row.weight, total: 0, child });
                    effects.push(row.effect);
                }
            }
        }
        if pairs.is_empty() {
            return Err(unlike("a state without a move has not ended"));
        }
        for pair in &mut pairs {
            let total = pair.outcomes.iter().map(|outcome| outcome.weight).sum();
            pair.outcomes.iter_mut().for_each(|outcome| outcome.total = total);
        }
        let several = pairs[0].asked != pairs[pairs.len() - 1].asked;
        let opposed = pairs.len() > 1 && pairs[0].asked == pairs[1].asked;
        Ok(Opening::new(pairs, keys, several && opposed))
    }
}

impl Stepper for Steps {
    fn appetite(&self) -> usize {
        if self.plies.session.adapter().hardware { APPETITE } else { SOFTWARE_APPETITE }
    }

    fn bytes(&self) -> u64 {
        self.plies.session.held()
    }

    fn step(
        &mut self,
        keys: &[u64],
        children: bool,
        watch: &Watch<'_>,
    ) -> Result<Vec<Stepped>, Trouble> {
        let begun = Instant::now();
        let width = self.plies.kernel.words();
        let states = keys.len() / width;
        let mut found = Vec::with_capacity(states);
        while found.len() < states {
            let rest = &keys[found.len() * width..];
            let told = self.chunk(rest, children, watch);
            // What the device refuses, no limit of the solve's and no `--memory` is to blame for.
            found.extend(told.map_err(|trouble| match self.plies.session.take_refusal() {
                Some(refusal) => DeviceFault::OutOfMemory(refusal.bytes).into(),
                None => trouble,
            })?);
        }
        assert_eq!(found.len(), states, "something is told of each state");
        if let Some(row) = &mut locked(&self.plies.profile).search {
            row.states += states as u64;
            row.time += begun.elapsed();
        }
        Ok(found)
    }
}
