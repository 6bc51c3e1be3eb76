//! Plies on a device: what is held, and the trait of the sweep.
//!
//! Of a ply that was expanded stay its edges, chunk by chunk, and a word a state (what it pays, or
//! the total of its chance moves); of the newest one its keys as well. Two plies of values exist at
//! a time. Large plies lie in parts (`parts`). Where the sweep on the processor passes through states that wait for chance, here they
//! are plies of their own.
//!
//! Always: on an error no new ply is held, and what was taken for it is given back.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use kernel::{Expander, Expansion, PlaneKernel, Shaders};
use rustc_hash::FxHashMap;
use solve::{Leaf, Limits, Plan, PlyCounts, RootEdge, Scale, SweepBackend, Trouble, shares};
use verdict::{HaltReason, Watch};

use crate::Choices;
use crate::arena::{Arena, Grown, Region};
use crate::dense::Bitmap;
use crate::fault::{DeviceFault, unfit, unlike};
use crate::joints::{Form, OnCall, OnDevice};
use crate::parts::{Part, PartSize};
use crate::passes::{Params, Passes, Sizes};
use crate::profile::Profile;
use crate::session::Session;
use crate::stream::Stream;
use crate::tables::{Seating, level_words};
use crate::values::Values;

/// A run of states of one ply that were expanded together.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// The part of the ply.
    pub(crate) part: usize,
    /// Places of its states in that part.
    pub(crate) first: usize,
    pub(crate) states: usize,
    /// None where all states are terminal.
    pub(crate) joints: Option<Arc<OnDevice>>,
    pub(crate) edges: Region,
}

impl Chunk {
    pub(crate) fn groups(&self) -> usize {
        self.states.div_ceil(32)
    }
}

/// One ply.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ply {
    pub(crate) states: usize,
    pub(crate) parts: Vec<Part>,
    /// Once it is expanded.
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) is_expanded: bool,
    /// Totals of chance, once it is expanded.
    pub(crate) totals: Vec<u32>,
    pub(crate) edges: u64,
}

impl Ply {
    /// A ply of which nothing is known but its states.
    pub(crate) fn of(states: impl IntoIterator<Item = usize>) -> Self {
        let parts: Vec<Part> =
            states.into_iter().map(|states| Part { states, infos: None }).collect();
        let states = parts.iter().map(|part| part.states).sum();
        Self { states, parts, ..Self::default() }
    }

    /// Whether all of it was looked at.
    pub(crate) fn was_seen(&self) -> bool {
        self.parts.iter().all(|part| part.infos.is_some())
    }
}

/// Buffers that are used again for each chunk.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) planes: Grown,
    pub(crate) seen: Grown,
    pub(crate) held: Grown,
    pub(crate) live: Grown,
    pub(crate) made: Grown,
    pub(crate) candidates: Grown,
    pub(crate) masks: Grown,
    pub(crate) owners: Grown,
    pub(crate) sums: Grown,
    /// The candidates of one part.
    pub(crate) chosen: Grown,
    /// The tables of the parts.
    pub(crate) slots: Vec<Grown>,
    /// Marks of all keys, and how many there are before each word.
    pub(crate) bitmap: Grown,
    pub(crate) ranks: Grown,
    pub(crate) heard: Grown,
    pub(crate) scale: Grown,
    /// Values of children in the order of edges, and edges to their places there.
    pub(crate) gathered: Grown,
    pub(crate) near: Grown,
}

/// How much is done at once, by how fast the last was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Candidates of a chunk.
    pub(crate) candidates: usize,
    /// Whether that stays.
    pub(crate) is_fixed: bool,
    /// Words of values times edges of a backward pass.
    pub(crate) products: usize,
}

/// Plies on a device.
pub(crate) struct Plies {
    pub(crate) session: Arc<Session>,
    pub(crate) profile: Arc<Mutex<Profile>>,
    pub(crate) kernel: PlaneKernel,
    pub(crate) passes: Passes,
    pub(crate) seating: Seating,
    pub(crate) shape: Shape,
    pub(crate) plies: Vec<Ply>,
    /// Keys of the newest ply, and of the one that is made from it, part by part.
    pub(crate) keys: [Vec<Grown>; 2],
    pub(crate) part_size: PartSize,
    /// Whether next plies are marked in bitmaps, where one is told, and in which this one is.
    pub(crate) dense: Option<bool>,
    pub(crate) marking: Option<Bitmap>,
    pub(crate) edges: Arena,
    pub(crate) infos: Arena,
    pub(crate) tables: Arena,
    /// Joint moves by what is legal.
    pub(crate) known: FxHashMap<Vec<u32>, Option<Arc<OnDevice>>>,
    /// Updates of joint moves by the moves that are played and whether they are tables; none where
    /// there are no tables.
    pub(crate) updates: FxHashMap<(Vec<u32>, bool), Option<Arc<OnCall>>>,
    /// The view where it is not compiled, and the general update as a list.
    pub(crate) view: Option<OnCall>,
    pub(crate) general: Option<Region>,
    pub(crate) form: Form,
    pub(crate) shaders: Shaders,
    pub(crate) game: Region,
    pub(crate) levels: Region,
    pub(crate) scratch: Scratch,
    pub(crate) values: [Values; 2],
    root: Vec<u64>,
    /// The states of ply 1 by their keys.
    pub(crate) first_states: FxHashMap<Vec<u64>, u32>,
    pub(crate) root_value: Option<Vec<u64>>,
    pub(crate) limits: Limits,
    pub(crate) stream: Stream,
    pub(crate) pace: Pace,
    /// Joint moves of the last chunk.
    pub(crate) usual_joints: usize,
}

/// Sizes of the game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Words of 32 bits of a key.
    pub(crate) words: usize,
    /// Bits of a key.
    pub(crate) bits: usize,
    pub(crate) moves: usize,
    pub(crate) view_rows: usize,
    pub(crate) view_held: usize,
    pub(crate) update_held: usize,
    /// Words that a chunk tells.
    pub(crate) heard: usize,
}

/// Places in what a chunk tells; see `shaders/params.wgsl`.
pub(crate) mod heard {
    pub(crate) const FLAWED: usize = 0;
    pub(crate) const BROKEN: usize = 1;
    pub(crate) const UNEVEN: usize = 2;
    pub(crate) const LEVEL: usize = 3;
    pub(crate) const FULL: usize = 4;
    pub(crate) const EDGES: usize = 5;
    pub(crate) const TERMINAL: usize = 6;
    pub(crate) const DECISIONS: usize = 7;
    pub(crate) const SIMULTANEOUS: usize = 8;
    pub(crate) const TOTALS: usize = 16;
    pub(crate) const FOUND: usize = 144;
    pub(crate) const LEGAL: usize = FOUND + crate::parts::MOST_PARTS;
}

impl Plies {
    /// The root of a game on a device.
    pub(crate) fn new(
        session: Arc<Session>,
        profile: Arc<Mutex<Profile>>,
        plan: Plan,
        choices: Choices,
        watch: &Watch<'_>,
    ) -> Result<Self, Trouble> {
        let adapter = session.adapter();
        let shaders = plan.kernel.shaders(Sizes::of(adapter.hardware).groups);
        let seating = Seating::new(&plan, &shaders.goals);
        let legal_words = shaders.moves.div_ceil(32);
        let shape = Shape {
            words: shaders.key_bits.div_ceil(32).max(1),
            bits: shaders.key_bits,
            moves: shaders.moves,
            view_rows: shaders.view.outputs,
            view_held: shaders.view.held,
            update_held: shaders.update.held,
            heard: heard::LEGAL + legal_words + seating.classes().div_ceil(32),
        };
        let limits = Limits::new();
        let form = choices.form.unwrap_or_else(|| Form::for_size(&shaders));
        let passes = {
            let mut profile = locked(&profile);
            let code = (form == Form::Code).then_some(&shaders);
            let passes = Passes::new(&session, code, watch, &mut profile)?;
            profile.plies.clear();
            profile.search = None;
            passes
        };
        let pace = Pace {
            candidates: choices.candidates.unwrap_or(1 << 16),
            is_fixed: choices.candidates.is_some(),
            products: 1 << 20,
        };
        let stream = Stream::new(choices.stream);
        session.take_refusal();
        let mut made = Self {
            passes,
            seating,
            shape,
            plies: vec![Ply::of([1])],
            keys: [vec![Grown::default()], Vec::new()],
            dense: choices.dense,
            marking: None,
            part_size: PartSize::new(shape.words, session.adapter().binding_bytes),
            edges: Arena::new(stream.slab_bytes()),
            infos: Arena::new(stream.slab_bytes()),
            tables: Arena::default(),
            known: FxHashMap::default(),
            updates: FxHashMap::default(),
            view: None,
            general: None,
            form,
            shaders,
            game: Region::default(),
            levels: Region::default(),
            scratch: Scratch::default(),
            values: Default::default(),
            root: plan.root,
            first_states: FxHashMap::default(),
            root_value: None,
            limits,
            stream,
            pace,
            usual_joints: shape.moves.clamp(4, 64),
            kernel: plan.kernel,
            session,
            profile,
        };
        made.place_view()?;
        made.game = made.upload(&made.seating.words())?;
        made.levels = made.upload(&level_words(&plan.level, plan.level_offset))?;
        made.scratch.heard.reserve(&made.session, 4 * shape.heard as u64)?;
        made.keys[0][0].reserve(&made.session, 4 * shape.words as u64)?;
        let root = narrow(&made.root, shape.words);
        let buffer = made.keys[0][0].buffer();
        made.session.queue.write_buffer(buffer, 0, bytemuck::cast_slice(&root));
        made.measure(watch)?;
        Ok(made)
    }

    /// Puts a table on the device.
    pub(crate) fn upload(&mut self, words: &[u32]) -> Result<Region, Trouble> {
        let bytes = 4 * words.len() as u64;
        if bytes > self.session.adapter().binding_bytes {
            return Err(self.too_large(bytes));
        }
        let region = self.tables.take(&self.session, bytes)?;
        let (buffer, offset) = self.tables.place(region);
        if !words.is_empty() {
            self.session.queue.write_buffer(buffer, offset, bytemuck::cast_slice(words));
        }
        Ok(region)
    }

    /// What every pass of a chunk is told.
    pub(crate) fn params(&self, first: usize, states: usize) -> Params {
        Params {
            groups: states.div_ceil(32) as u32,
            joints: 1,
            states: states as u32,
            first: first as u32,
            words: self.shape.words as u32,
            bits: self.shape.bits as u32,
            moves: self.shape.moves as u32,
            roles: self.seating.roles() as u32,
            ..Params::default()
        }
    }

    /// More than a shader sees at once, which no `--memory` helps.
    pub(crate) fn too_large(&self, bytes: u64) -> Trouble {
        let most = self.session.adapter().binding_bytes;
        let size = |bytes: u64| bytes.div_ceil(1 << 20);
        unfit(
            "device-buffer",
            format!(
                "what cannot be cut needs a buffer of {} MiB, and a shader of this device sees {} MiB at \
                 once",
                size(bytes),
                size(most)
            ),
        )
    }

    /// Checks the limits before so many bytes more are taken, and makes room for them.
    pub(crate) fn check(
        &mut self,
        watch: &Watch<'_>,
        extra: u64,
        share: f64,
    ) -> Result<(), Trouble> {
        self.session.check()?;
        self.limits.check(watch, self.session.held() + self.copied() + extra, share)?;
        self.hold(extra, watch)
    }

    /// A state of a part of the newest ply that a shader found flawed, expanded on the processor.
    pub(crate) fn flaw(&mut self, part: usize, state: usize, watch: &Watch<'_>) -> Trouble {
        let bytes = 4 * self.shape.words as u64;
        let place = state as u64 * bytes;
        let read = {
            let session = Arc::clone(&self.session);
            let encoder = session.device.create_command_encoder(&Default::default());
            session.ask(encoder, &[(self.keys[0][part].buffer(), place, bytes)], watch)
        };
        let key = match read {
            Ok(read) => widen(&words_of(&read), self.kernel.words()),
            Err(trouble) => return trouble,
        };
        let mut out = Expansion::default();
        match self.kernel.expand(&key, true, &mut out) {
            Err(flaw) => Trouble::Flaw { key, kind: flaw.kind },
            Ok(()) => {
                let what = "it calls a state flawed that the processor finds sound";
                DeviceFault::Refused(what.to_owned()).into()
            }
        }
    }

    /// What the root pays where it is terminal, by the processor.
    pub(crate) fn look_at_root(&mut self) -> Result<Option<u32>, Trouble> {
        let mut found = Expansion::default();
        match self.kernel.expand(&self.root, false, &mut found) {
            Ok(()) => Ok((found.terminal[0] & 1 == 1).then(|| found.payoff[0])),
            Err(flaw) => Err(Trouble::Flaw { key: self.root.clone(), kind: flaw.kind }),
        }
    }

    /// Sets the value of the root from outside.
    pub(crate) fn set_root(&mut self, value: Vec<u64>) {
        self.root_value = Some(value);
    }

    pub(crate) fn locked_profile(&self) -> Arc<Mutex<Profile>> {
        Arc::clone(&self.profile)
    }
}

impl SweepBackend for Plies {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn tier(&self) -> &'static str {
        "planes"
    }

    fn plies(&self) -> usize {
        self.plies.len()
    }

    fn states(&self, ply: usize) -> u64 {
        self.plies[ply].states as u64
    }

    fn bytes(&self) -> u64 {
        self.session.held() + self.copied()
    }

    fn has_bounds(&self) -> bool {
        false
    }

    fn advance(&mut self, most_steps: u32, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        assert!(most_steps > 0, "a step is left");
        let newest = self.plies.len() - 1;
        loop {
            let begun = Instant::now();
            let marks = (self.edges.mark(), self.infos.mark());
            self.begin_row(newest, false);
            match self.grow(watch) {
                Ok(counts) => {
                    self.end_row(begun, counts.states, counts.edges, 0);
                    if newest == 0 {
                        self.learn_first(watch)?;
                    }
                    return Ok(counts);
                }
                Err(trouble) => {
                    self.edges.cut(marks.0);
                    self.infos.cut(marks.1);
                    let states = self.plies[newest].parts.iter().map(|part| part.states);
                    self.plies[newest] = Ply::of(states.collect::<Vec<_>>());
                    if !self.is_less_enough(&trouble) {
                        return Err(trouble);
                    }
                }
            }
        }
    }

    fn inspect(&mut self, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        loop {
            match self.look(watch) {
                Err(trouble) if self.is_less_enough(&trouble) => {}
                looked => return looked,
            }
        }
    }

    fn back_up(
        &mut self,
        ply: usize,
        leaf: Leaf,
        scale: &Scale,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let begun = Instant::now();
        self.root_value = None;
        self.begin_row(ply, true);
        while let Err(trouble) = self.value(ply, leaf, scale, watch) {
            if !self.is_less_enough(&trouble) {
                return Err(trouble);
            }
        }
        let (states, edges) = (self.plies[ply].states as u64, self.plies[ply].edges);
        self.end_row(begun, states, edges, 2 * scale.limbs);
        Ok(())
    }

    fn advice(&self, reason: &HaltReason) -> Option<String> {
        self.stream.advice(reason)
    }

    fn root_edges(&mut self) -> Result<Vec<RootEdge>, Trouble> {
        assert!(self.plies.len() > 1, "the root was expanded");
        let mut found = Expansion::default();
        let root = self.root.clone();
        if let Err(flaw) = self.kernel.expand(&root, true, &mut found) {
            return Err(Trouble::Flaw { key: root, kind: flaw.kind });
        }
        let values = &self.values[1];
        let limbs = values.limbs / 2;
        let calm = std::sync::atomic::AtomicBool::new(false);
        let patient = Watch::unlimited(&calm);
        let read = match values.ply {
            Some(1) => self.read_values(1, &patient)?,
            _ => Vec::new(),
        };
        let width = self.kernel.words();
        let edges = found.joints.iter().zip(shares(&found.joints));
        let edges = edges.map(|(joint, (weight, total))| {
            let key = &found.children[joint.first_child * width..(joint.first_child + 1) * width];
            let id =
                self.first_states.get(key).ok_or_else(|| unlike("a first state is missing"))?;
            let id = *id as usize;
            let value =
                if read.is_empty() { Vec::new() } else { read[id * limbs..][..limbs].to_vec() };
            let (asked, opponents) = (joint.asked, joint.opponents);
            Ok(RootEdge { asked, opponents, weight, total, value })
        });
        edges.collect()
    }

    fn root_value(&self) -> Option<Vec<u64>> {
        self.root_value.clone()
    }

    fn distinct_states(&mut self, _watch: &Watch<'_>) -> Result<(u64, u64), Trouble> {
        unreachable!("plies on a device are disjoint")
    }
}

pub(crate) fn locked(profile: &Mutex<Profile>) -> MutexGuard<'_, Profile> {
    profile.lock().unwrap_or_else(|held| held.into_inner())
}

/// Little-endian words of 32 bits.
pub(crate) fn words_of(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

/// A key of the processor as `words` words of 32 bits.
pub(crate) fn narrow(key: &[u64], words: usize) -> Vec<u32> {
    let all = key.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]);
    all.take(words).collect()
}

/// The reverse, as `width` words of 64 bits.
pub(crate) fn widen(key: &[u32], width: usize) -> Vec<u64> {
    let word = |at: usize| u64::from(key.get(at).copied().unwrap_or(0));
    (0..width).map(|at| word(2 * at) | word(2 * at + 1) << 32).collect()
}
