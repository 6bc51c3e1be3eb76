//! Expansion of blocks on bit planes: the tier that works for every game.
//!
//! Keys are transposed to planes, the view runs once, and for each joint move that is legal in
//! some lane the update specialised for it runs over all lanes; the children of the lanes in
//! which it is legal are transposed out. Lanes beyond the states of the block compute garbage and
//! are masked before any test.
//!
//! A pair of moves (asked, opponents) may be the last of the asked role's move in some lanes and
//! not in others; it is then listed once for each kind of lanes, outcome by outcome.

use std::sync::Arc;

use net::{BaseId, InputId, Net};

use crate::codec::Codec;
use crate::constants::constants;
use crate::delta::{append, delta};
use crate::expand::{Casting, Expander, Expansion, Flaw, FlawKind, Joint, Mask};
use crate::frame::{Frame, Lit, add, any, both, first_lane, first_lanes, width_for, without};
use crate::isa::Isa;
use crate::moves::{EffectClasses, Hand, Outcome, Pair, deal, pairs, profiles};
use crate::program::Leaves;
use crate::seats::{KernelFault, Seats};
use crate::tables::{Tables, tabulate};
use crate::tape::{Tape, tape};
use crate::transpose::{Keys, Planes, keys_to_planes, planes_to_keys};
use crate::update::{UpdateSource, Updates};
use crate::view::View;
use crate::wgsl::{Cut, PIECE_OPS, Rows, Shaders, emit};

/// What all threads share.
struct Shared {
    net: Arc<Net>,
    casting: Casting,
    seats: Seats,
    codec: Arc<Codec>,
    view: View,
}

/// Buffers that are reused from block to block.
#[derive(Default)]
struct Scratch {
    hands: Vec<Hand>,
    profiles: Vec<Mask>,
    outcomes: Vec<Outcome>,
    pairs: Vec<Pair>,
}

/// The plane kernel of a game for one casting.
pub struct PlaneKernel {
    shared: Arc<Shared>,
    updates: Updates,
    classes: EffectClasses,
    frame: Frame,
    scratch: Scratch,
    isa: Isa,
}

/// How much code a kernel has compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeSizes {
    /// Operations of the view.
    pub view_ops: usize,
    /// Updates made so far, each for one joint move.
    pub updates: usize,
    /// Operations of all these updates.
    pub update_ops: usize,
}

/// Slot of the first key bit.
const FIRST_KEY_SLOT: usize = 1;

/// A block while it is expanded.
#[derive(Clone, Copy)]
struct Block<'a> {
    live: Mask,
    children: bool,
    /// Words of the keys, one key after the other.
    keys: &'a [u64],
}

impl PlaneKernel {
    /// A kernel for a game. `groups` are guesses: of each, exactly one member holds in every
    /// reachable state; they are checked on every child. `classes` holds, for each chance role of
    /// the casting, lists of moves that have equal effect whenever they are legal; moves that are
    /// in no list stand alone.
    ///
    /// # Errors
    /// Where the game has more joint moves than can be numbered.
    pub fn new(
        net: Arc<Net>,
        casting: Casting,
        groups: &[Vec<BaseId>],
        classes: &[Vec<Vec<InputId>>],
    ) -> Result<Self, KernelFault> {
        let seats = Seats::new(&net, &casting)?;
        let codec = Arc::new(Codec::new(constants(&net), groups, &net.init));
        let does = 1 + codec.bits();
        let leaves = Leaves { base: 1, does: None, free: does + net.inputs.len() };
        let view = View::new(&net, casting.asked, &codec, leaves);
        let free = view.program().slots();
        let leaves = Leaves { does: Some(does), free, ..leaves };
        let source = Arc::new(UpdateSource::new(&net, codec.clone(), leaves));
        let classes = EffectClasses::new(net.inputs.len(), classes);
        let hands = vec![Hand::default(); seats.all().len()];
        let shared = Arc::new(Shared { net, casting, seats, codec, view });
        Ok(Self {
            updates: Updates::new(source),
            classes,
            frame: Frame::new(free),
            scratch: Scratch { hands, ..Scratch::default() },
            isa: Isa::detect(),
            shared,
        })
    }

    /// The same kernel on another set of instructions.
    #[must_use]
    pub fn with_isa(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }

    /// Bounds how many joint moves get an update of their own, and says how often one must have
    /// been met before; the others share a general one.
    pub fn limit_specialised(&mut self, limit: usize, patience: u32) {
        self.updates.set_limits(limit, patience);
    }

    /// Bits of a key.
    pub fn key_bits(&self) -> usize {
        self.shared.codec.bits()
    }

    /// The view and the general update as text for a graphics device, on which `workgroup`
    /// invocations (a power of two) work together.
    pub fn shaders(&self, workgroup: u32) -> Shaders {
        self.shaders_in_pieces(workgroup, PIECE_OPS)
    }

    /// The same, with at most `ops` operations in an entry point.
    pub(crate) fn shaders_in_pieces(&self, workgroup: u32, ops: usize) -> Shaders {
        let Shared { view, codec, net, .. } = &*self.shared;
        let source = self.updates.source();
        let seen = self.rows(FIRST_KEY_SLOT + codec.bits() + net.inputs.len());
        let made = self.rows(source.leaves().free);
        let general = source.general();
        let goals = view.goals().map(|(value, _)| value).collect();
        emit((view.program(), seen), (general.program(), made), goals, Cut { workgroup, ops })
    }

    /// The view as tables over fields of the key, for a device: the bits of a state are the view's
    /// outputs, in order. None where too many fields go together.
    pub fn view_tables(&self) -> Option<Tables> {
        let Shared { view, codec, .. } = &*self.shared;
        let places: Vec<usize> = (0..view.program().outputs().len()).collect();
        tabulate(view.program(), FIRST_KEY_SLOT, &codec.ranges(), &places, self.isa)
    }

    /// The update of one joint move as tables: the bits of a state are those of its child's key, and
    /// from the next word of 32 bits on a word that is zero unless the child breaks a group.
    pub fn update_tables(&self, joint: &[InputId]) -> Option<Tables> {
        let Shared { codec, net, .. } = &*self.shared;
        assert_eq!(joint.len(), net.roles.len(), "a move of each role");
        let program = self.updates.source().taken_apart(joint);
        let bits = codec.bits();
        let after = 32 * bits.div_ceil(32).max(1);
        let place = |output: usize| if output < bits { output } else { after };
        let mut places: Vec<usize> = (0..program.outputs().len()).map(place).collect();
        places.push(after);
        tabulate(&program, FIRST_KEY_SLOT, &codec.ranges(), &places, self.isa)
    }

    /// The view as a list of operations for a device.
    pub fn view_tape(&self) -> Tape {
        let rows = self.rows(FIRST_KEY_SLOT + self.key_bits() + self.shared.net.inputs.len());
        tape(self.shared.view.program(), rows)
    }

    /// The update as a list of operations: the general one, or that of one joint move.
    pub fn update_tape(&self, joint: Option<&[InputId]>) -> Tape {
        let source = self.updates.source();
        let update = match joint {
            None => source.general(),
            Some(joint) => source.specialised(joint, &mut net::Substitution::new()),
        };
        tape(update.program(), self.rows(source.leaves().free))
    }

    fn rows(&self, free: usize) -> Rows {
        let key = (FIRST_KEY_SLOT, self.key_bits());
        Rows { key, moves: (key.0 + key.1, self.shared.net.inputs.len()), free }
    }

    /// Sizes of the code so far.
    pub fn code_sizes(&self) -> CodeSizes {
        let (updates, update_ops) = self.updates.sizes();
        CodeSizes { view_ops: self.shared.view.program().len(), updates, update_ops }
    }

    /// Fills in what terminal lanes pay; the lanes that are not terminal.
    fn settle(&self, lanes: &Mask, out: &mut Expansion) -> Result<Mask, Flaw> {
        let Shared { view, casting, .. } = &*self.shared;
        out.terminal = self.frame.masked(view.terminal(), lanes);
        let (mut one, mut several) = (Mask::default(), Mask::default());
        for (value, lit) in view.goals() {
            let paid = self.frame.masked(lit, &out.terminal);
            add(&mut several, &both(&one, &paid));
            add(&mut one, &paid);
            let payoff = casting.payoffs[usize::from(value)];
            if payoff != 0 {
                crate::frame::lanes(&paid).for_each(|lane| out.payoff[lane] = payoff);
            }
        }
        if let Some(lane) = first_lane(&several) {
            return Err(Flaw { lane, kind: FlawKind::SeveralGoals(self.goals_of(lane)) });
        }
        match first_lane(&without(&out.terminal, &one)) {
            Some(lane) if !casting.goal_optional => Err(Flaw { lane, kind: FlawKind::NoGoal }),
            _ => Ok(without(lanes, &out.terminal)),
        }
    }

    /// The goal values that hold in a lane.
    fn goals_of(&self, lane: usize) -> Vec<u8> {
        let mut only = Mask::default();
        only[lane / 64] = 1 << (lane % 64);
        let goals = self.shared.view.goals();
        goals.filter(|(_, lit)| any(&self.frame.masked(*lit, &only))).map(|(v, _)| v).collect()
    }

    /// Reads the moves of all roles; which lanes wait for chance, and whether some lane is
    /// simultaneous.
    fn deal(&mut self, block: &Block<'_>, out: &mut Expansion) -> Result<(), Flaw> {
        let Shared { seats, view, .. } = &*self.shared;
        let hands = &mut self.scratch.hands;
        for (seat, hand) in hands.iter_mut().enumerate() {
            deal(hand, seats, seat, view, &self.frame, &block.live)?;
        }
        let union = |range: std::ops::Range<usize>| {
            let mut sum = Mask::default();
            hands[range].iter().for_each(|hand| add(&mut sum, &hand.several));
            sum
        };
        let (opposed, asked) = (union(seats.opponents()), hands[seats.asked()].several);
        let chance = union(seats.chance());
        out.waiting = without(&without(&chance, &asked), &opposed);
        out.simultaneous = any(&both(&asked, &opposed));
        Ok(())
    }

    /// Lists the joint moves of one profile.
    fn expand_profile(
        &mut self,
        profile: Mask,
        block: &Block<'_>,
        out: &mut Expansion,
    ) -> Result<(), Flaw> {
        let shared = self.shared.clone();
        let seats = &shared.seats;
        let hands = std::mem::take(&mut self.scratch.hands);
        let total = self.classes.outcomes(
            &profile,
            &hands[seats.chance()],
            seats,
            &mut self.scratch.outcomes,
        );
        let mut result = Ok(());
        for held in &hands[seats.asked()].moves {
            let within = both(&held.mask, &profile);
            if any(&within) && result.is_ok() {
                let code = seats.code(seats.asked(), held.input);
                pairs(within, code, &hands[seats.opponents()], seats, &mut self.scratch.pairs);
                result = self.expand_pairs(held.input, total, block, out);
            }
        }
        self.scratch.hands = hands;
        result
    }

    /// Lists the joint moves of one move of the asked role within a profile.
    fn expand_pairs(
        &mut self,
        asked: InputId,
        total: u32,
        block: &Block<'_>,
        out: &mut Expansion,
    ) -> Result<(), Flaw> {
        let opponents = self.opponent_joints();
        for index in 0..self.scratch.pairs.len() {
            let pair = self.scratch.pairs[index];
            for at in 0..self.scratch.outcomes.len() {
                let outcome = self.scratch.outcomes[at];
                let last_of_pair = at + 1 == self.scratch.outcomes.len();
                let joint = Joint {
                    mask: pair.mask,
                    asked,
                    opponents: u32::try_from(pair.code % opponents).expect("seats bound ordinals"),
                    weight: outcome.weight,
                    total,
                    last_of_pair,
                    last_of_asked: last_of_pair && index + 1 == self.scratch.pairs.len(),
                    first_child: out.children.len() / self.shared.codec.words(),
                };
                self.expand_joint(joint, pair.code + outcome.code, block, out)?;
            }
        }
        Ok(())
    }

    /// Lists one joint move with its children.
    fn expand_joint(
        &mut self,
        joint: Joint,
        code: u128,
        block: &Block<'_>,
        out: &mut Expansion,
    ) -> Result<(), Flaw> {
        debug_assert!(any(&joint.mask), "an entry has lanes");
        out.joints.push(joint);
        if !block.children {
            return Ok(());
        }
        let Self { shared, updates, frame, isa, .. } = self;
        let update = updates.run(*isa, code, |code| shared.seats.joint(code), frame);
        let broken = match update.broken() {
            Lit::FALSE => Mask::default(),
            lit => frame.masked(lit, &joint.mask),
        };
        let (bits, stride) = (update.key_bits(), shared.codec.words());
        let change = delta(frame, FIRST_KEY_SLOT, bits, &joint.mask);
        out.deltas.push(change);
        if let Some(change) = change {
            append(block.keys, stride, &change, &joint.mask, &mut out.children);
        } else {
            let planes = Planes { frame, bits, stride };
            planes_to_keys(*isa, &planes, &joint.mask, &mut out.children);
        }
        match first_lane(&broken) {
            Some(lane) => Err(self.broken_guess(lane, code)),
            None => Ok(()),
        }
    }

    /// Number of the opponents' joint moves, legal or not.
    fn opponent_joints(&self) -> u128 {
        let seats = &self.shared.seats;
        seats.all()[seats.asked()].weight
    }

    /// Names the group that breaks in the child of a lane.
    fn broken_guess(&self, lane: usize, code: u128) -> Flaw {
        let Shared { net, seats, codec, .. } = &*self.shared;
        let mut key = vec![0u64; codec.words()];
        let width = self.frame.width();
        for bit in 0..codec.bits() {
            let word = self.frame.words()[(1 + bit) * width + lane / 64];
            key[bit / 64] |= (word >> (lane % 64) & 1) << (bit % 64);
        }
        let state = codec.unpack(&key).into_iter().collect();
        let child = net::interpret::update(net, &state, &seats.joint(code));
        let held = |group: &[BaseId]| group.iter().filter(|&&base| child.contains(base)).count();
        let group = codec.checked().iter().find(|group| held(&group.members) != 1);
        let group = group.expect("a lane is flagged where a group breaks").index;
        Flaw { lane, kind: FlawKind::GuessBroken(group) }
    }
}

impl Expander for PlaneKernel {
    fn words(&self) -> usize {
        self.shared.codec.words()
    }

    fn pack(&self, state: &[BaseId]) -> Option<Vec<u64>> {
        self.shared.codec.pack(state)
    }

    fn unpack(&self, key: &[u64]) -> Vec<BaseId> {
        self.shared.codec.unpack(key)
    }

    fn fields(&self) -> Vec<std::ops::Range<usize>> {
        self.shared.codec.ranges()
    }

    fn codes(&self) -> Vec<Vec<(u64, Option<BaseId>)>> {
        self.shared.codec.codes()
    }

    fn opponents_moves(&self, ordinal: u32) -> Vec<InputId> {
        let seats = &self.shared.seats;
        seats.opponents().map(|seat| seats.input(seat, u128::from(ordinal))).collect()
    }

    fn expand(&mut self, keys: &[u64], children: bool, out: &mut Expansion) -> Result<(), Flaw> {
        let stride = self.words();
        assert!(!keys.is_empty() && keys.len().is_multiple_of(stride), "one or more whole keys");
        let count = keys.len() / stride;
        self.frame.set_width(width_for(count));
        out.joints.clear();
        out.children.clear();
        out.deltas.clear();
        out.payoff.clear();
        out.payoff.resize(count, 0);
        let keys = Keys { data: keys, stride, bits: self.shared.codec.bits() };
        keys_to_planes(self.isa, keys, FIRST_KEY_SLOT, &mut self.frame);
        self.shared.view.program().run(self.isa, &mut self.frame);
        let live = self.settle(&first_lanes(count), out)?;
        let block = Block { live, children, keys: keys.data };
        self.deal(&block, out)?;
        let mut split = std::mem::take(&mut self.scratch.profiles);
        profiles(&live, &self.scratch.hands[self.shared.seats.chance()], &mut split);
        let result =
            split.iter().try_for_each(|profile| self.expand_profile(*profile, &block, out));
        self.scratch.profiles = split;
        result
    }

    fn tier(&self) -> &'static str {
        "planes"
    }

    fn fork(&self) -> Box<dyn Expander> {
        Box::new(Self {
            shared: self.shared.clone(),
            updates: self.updates.fork(),
            classes: self.classes.clone(),
            frame: Frame::new(self.shared.view.program().slots()),
            scratch: Scratch { hands: self.scratch.hands.clone(), ..Scratch::default() },
            isa: self.isa,
        })
    }
}
