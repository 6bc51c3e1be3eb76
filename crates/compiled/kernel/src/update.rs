//! Updates: programs from the bits of a key to the bits of a child's key.
//!
//! For each joint move that is met often, the network's update part is rebuilt with the moves as
//! constants, packed, and compiled; most of it folds away. The first [`PATIENCE`] times, and
//! beyond [`MAX_SPECIALISED`] joint moves or [`MAX_WORK`] gates looked at, a general program with
//! a plane for every move stands in: it is slower a block and needs no compilation of its own.
//!
//! Beside the key bits every update has an output `broken`: lanes in which a group that the
//! packing relies on does not have exactly one member in the child. Where the
//! members' gates are members of one checked group themselves, only those left out are tested.

use std::sync::Arc;

use index::{Id, IndexVec};
use net::{BaseId, Gate, GateId, Gates, InputId, Net, Substitution};
use rustc_hash::FxHashMap;

use crate::codec::Codec;
use crate::frame::{Frame, Lit};
use crate::isa::Isa;
use crate::program::{Leaves, Program};
use crate::view::rebuild_on_keys;

/// Joint moves that get a program of their own.
const MAX_SPECIALISED: usize = 4096;
/// Gates that may be looked at while specialising, in all.
const MAX_WORK: usize = 1 << 25;
/// Times that a joint move is met before it gets a program: compiling costs about as much as this
/// many runs of the general program on a small block.
const PATIENCE: u32 = 8;
/// Joint moves that are counted; later ones stay with the general program.
const MAX_COUNTED: usize = 1 << 20;

/// A compiled update.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    program: Program,
}

impl Update {
    /// Where the bits of the child's key lie.
    #[inline]
    pub(crate) fn key_bits(&self) -> &[Lit] {
        let outputs = self.program.outputs();
        &outputs[..outputs.len() - 1]
    }

    /// Where the lanes whose child breaks a group lie.
    #[inline]
    pub(crate) fn broken(&self) -> Lit {
        *self.program.outputs().last().expect("the last output is `broken`")
    }

    /// The code.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// Number of operations.
    pub(crate) fn ops(&self) -> usize {
        self.program.len()
    }
}

/// The update part over key bits, before specialisation; shared by all threads.
#[derive(Debug)]
pub(crate) struct UpdateSource {
    gates: Gates,
    next: IndexVec<BaseId, GateId>,
    decoded: IndexVec<BaseId, GateId>,
    codec: Arc<Codec>,
    leaves: Leaves,
    inputs: usize,
}

impl UpdateSource {
    /// Prepares the update part. `leaves` has the does leaves of the general program.
    pub(crate) fn new(net: &Net, codec: Arc<Codec>, leaves: Leaves) -> Self {
        let mut gates = Gates::new();
        let decoded = codec.decode(&mut gates);
        let next = rebuild_on_keys(&net.gates, net.next.as_slice(), &mut gates, &decoded);
        let next = IndexVec::from(next);
        Self { gates, next, decoded, codec, leaves, inputs: net.inputs.len() }
    }

    /// Where the leaves lie.
    pub(crate) fn leaves(&self) -> Leaves {
        self.leaves
    }

    /// The program with a plane for every move.
    pub(crate) fn general(&self) -> Update {
        self.build(&mut Substitution::new(), &mut |_| None)
    }

    /// The program in which exactly these moves are played.
    pub(crate) fn specialised(&self, joint: &[InputId], memory: &mut Substitution) -> Update {
        self.build(memory, &mut |input| Some(joint.contains(&input)))
    }

    /// The same, with an output for each way in which a child can break a group, in place of one for
    /// all of them: apart each depends on few fields.
    pub(crate) fn taken_apart(&self, joint: &[InputId]) -> Program {
        let mut played = |input: InputId| Some(joint.contains(&input));
        let (gates, mut outputs, broken) = self.rebuild(&mut Substitution::new(), &mut played);
        outputs.extend(broken.into_iter().filter(|gate| *gate != Gates::FALSE));
        Program::compile(&gates, &outputs, self.leaves)
    }

    fn build(
        &self,
        memory: &mut Substitution,
        played: &mut dyn FnMut(InputId) -> Option<bool>,
    ) -> Update {
        let (mut gates, mut outputs, broken) = self.rebuild(memory, played);
        outputs.push(gates.any(&broken));
        Update { program: Program::compile(&gates, &outputs, self.leaves) }
    }

    /// Gates, the bits of the child's key, and the ways in which it can break a group.
    fn rebuild(
        &self,
        memory: &mut Substitution,
        played: &mut dyn FnMut(InputId) -> Option<bool>,
    ) -> (Gates, Vec<GateId>, Vec<GateId>) {
        let mut gates = Gates::new();
        let mut leaf = |gate: Gate| match gate {
            Gate::Does(input) => {
                played(input).map(|held| if held { Gates::TRUE } else { Gates::FALSE })
            }
            _ => None,
        };
        let roots: Vec<GateId> = self.next.iter().chain(&self.decoded).copied().collect();
        let rebuilt = memory.rebuild(&self.gates, &roots, &mut gates, &mut leaf);
        let (next, decoded) = rebuilt.split_at(self.next.len());
        let (next, decoded) = (IndexVec::from(next.to_vec()), IndexVec::from(decoded.to_vec()));
        let outputs = self.codec.encode(&mut gates, &next, &decoded);
        let broken = broken(&mut gates, &self.codec, &next, &decoded);
        (gates, outputs, broken)
    }
}

/// The lanes in which some checked group does not have exactly one member among `next`: one of
/// these holds.
fn broken(
    gates: &mut Gates,
    codec: &Codec,
    next: &IndexVec<BaseId, GateId>,
    decoded: &IndexVec<BaseId, GateId>,
) -> Vec<GateId> {
    let members = |group: &[BaseId], values: &IndexVec<BaseId, GateId>| {
        let mut held: Vec<GateId> =
            group.iter().map(|&base| values[base]).filter(|&gate| gate != Gates::FALSE).collect();
        held.sort_unstable();
        held
    };
    let present: Vec<Vec<GateId>> =
        codec.checked().iter().map(|group| members(&group.members, decoded)).collect();
    let mut group_of: FxHashMap<GateId, usize> = FxHashMap::default();
    for (at, group) in present.iter().enumerate() {
        group_of.extend(group.iter().map(|&gate| (gate, at)));
    }
    let mut parts = Vec::new();
    for group in codec.checked() {
        let held = members(&group.members, next);
        let source = held.first().and_then(|gate| group_of.get(gate));
        match source.and_then(|&at| left_out(&present[at], &held)) {
            Some(lost) => parts.extend(lost),
            None => parts.push(not_exactly_one(gates, &held)),
        }
    }
    parts
}

/// The gates of `group` that are not in `held`, where `held` is a part of it: of a group of which
/// exactly one member holds, exactly one of the part holds unless one of these does.
fn left_out(group: &[GateId], held: &[GateId]) -> Option<Vec<GateId>> {
    debug_assert!(group.is_sorted() && held.is_sorted());
    let mut rest = held.iter().peekable();
    let lost = group.iter().filter(|gate| rest.next_if_eq(gate).is_none()).copied().collect();
    rest.next().is_none().then_some(lost)
}

/// Whether none or several of the gates hold.
fn not_exactly_one(gates: &mut Gates, members: &[GateId]) -> GateId {
    let (mut any, mut several) = (Gates::FALSE, Gates::FALSE);
    for &member in members {
        let both = gates.and(any, member);
        several = gates.or(several, both);
        any = gates.or(any, member);
    }
    let none = gates.not(any);
    gates.or(none, several)
}

/// The updates of one thread: programs by joint move, made when first met.
pub(crate) struct Updates {
    source: Arc<UpdateSource>,
    special: FxHashMap<u128, Met>,
    programs: Vec<Arc<Update>>,
    general: Option<Arc<Update>>,
    raised: Raised,
    work: usize,
    limit: usize,
    patience: u32,
    memory: Substitution,
}

/// What is known of a joint move that was met.
#[derive(Clone, Copy, Debug)]
enum Met {
    /// So many times, and it has no program.
    Times(u32),
    /// It has this program.
    Program(usize),
}

/// Which planes of moves are set in the frame, for the general program, and in which epoch of
/// the frame they were.
#[derive(Default)]
struct Raised {
    inputs: Vec<InputId>,
    epoch: Option<u64>,
}

impl Updates {
    /// No programs yet.
    pub(crate) fn new(source: Arc<UpdateSource>) -> Self {
        Self {
            source,
            special: FxHashMap::default(),
            programs: Vec::new(),
            general: None,
            raised: Raised::default(),
            work: 0,
            limit: MAX_SPECIALISED,
            patience: PATIENCE,
            memory: Substitution::new(),
        }
    }

    /// The same programs for another thread.
    pub(crate) fn fork(&self) -> Self {
        Self {
            special: self.special.clone(),
            programs: self.programs.clone(),
            general: self.general.clone(),
            work: self.work,
            limit: self.limit,
            patience: self.patience,
            ..Self::new(self.source.clone())
        }
    }

    /// What the programs are made from.
    pub(crate) fn source(&self) -> &UpdateSource {
        &self.source
    }

    /// Number of specialised programs, and their operations in all.
    pub(crate) fn sizes(&self) -> (usize, usize) {
        (self.programs.len(), self.programs.iter().map(|update| update.ops()).sum())
    }

    /// From now on, at most `limit` joint moves get a program of their own, after having been met
    /// `patience` times.
    pub(crate) fn set_limits(&mut self, limit: usize, patience: u32) {
        (self.limit, self.patience) = (limit, patience);
        if self.programs.len() > limit {
            self.special.clear();
            self.programs.clear();
        }
    }

    /// Runs the update of a joint move over the frame; its outputs lie where the returned update
    /// says. `joint` decodes `code` where that is needed.
    pub(crate) fn run(
        &mut self,
        isa: Isa,
        code: u128,
        joint: impl Fn(u128) -> Vec<InputId>,
        frame: &mut Frame,
    ) -> &Update {
        let update = match self.program_of(code, &joint) {
            Some(index) => &self.programs[index],
            None => {
                let source = &self.source;
                let general = self.general.get_or_insert_with(|| Arc::new(source.general()));
                frame.reserve(general.program.slots());
                let does = source.leaves.does.expect("the general program reads planes of moves");
                self.raised.raise(joint(code), does, source.inputs, frame);
                &*general
            }
        };
        frame.reserve(update.program.slots());
        update.program.run(isa, frame);
        update
    }

    /// The program of a joint move, made now where it was met often enough and bounds allow.
    fn program_of(&mut self, code: u128, joint: impl Fn(u128) -> Vec<InputId>) -> Option<usize> {
        let counted = self.special.len();
        let times = match self.special.get_mut(&code) {
            Some(Met::Program(at)) => return Some(*at),
            Some(Met::Times(times)) => {
                *times = times.saturating_add(1);
                *times
            }
            None => {
                if counted < MAX_COUNTED {
                    self.special.insert(code, Met::Times(1));
                }
                1
            }
        };
        let bounded = self.programs.len() < self.limit && self.work < MAX_WORK;
        (times > self.patience && bounded).then(|| self.specialise(code, &joint(code)))
    }

    /// Makes the program of a joint move; its position.
    fn specialise(&mut self, code: u128, joint: &[InputId]) -> usize {
        let update = self.source.specialised(joint, &mut self.memory);
        self.work += self.source.gates.len() + self.source.next.len();
        self.special.insert(code, Met::Program(self.programs.len()));
        self.programs.push(Arc::new(update));
        self.programs.len() - 1
    }
}

impl Raised {
    /// Sets the planes of the moves in `joint` and clears all others.
    fn raise(&mut self, joint: Vec<InputId>, does: usize, inputs: usize, frame: &mut Frame) {
        if self.epoch != Some(frame.epoch()) {
            (0..inputs).for_each(|input| frame.fill(does + input, false));
            self.epoch = Some(frame.epoch());
        } else {
            self.inputs.iter().for_each(|input| frame.fill(does + input.index(), false));
        }
        joint.iter().for_each(|input| frame.fill(does + input.index(), true));
        self.inputs = joint;
    }
}
