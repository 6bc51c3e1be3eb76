//! A game taken apart: a network for each of its independent subgames.
//!
//! Computed: the parts of a game that share its clock alone, and a game for each, whose values give
//! that of the whole. It is done where all of this is proven on the network, and refused elsewhere:
//!
//! - the end reads the clock alone, and the clock comes to it: all parts end at one ply;
//! - a win is, at the end, a conjunction or a disjunction of conditions that read one part each
//!   ([`payment`]);
//! - in each state of the clock, the moves of a role bear on one part at most ([`rails`], [`steps`]):
//!   where a role can move in one part or in another, its choice joins them to one.
//!
//! A role whose moves bear on another part, or on none, has one move in the game of a part, which
//! changes nothing ([`build`]). All other moves are kept, also those that change nothing, since how
//! likely a move of chance is depends on how many there are.
//!
//! *Why the value is the product.* Let all conditions be wanted, and let `v_i` be the value of part
//! `i`. At the end the payment of the whole, 0 or 1, is the product of the payments of the parts.
//! At a ply before, let `f_i(a, o, c)` be the value of what follows in part `i`, which depends on the
//! moves of those roles alone whose moves bear on part `i` in this state of the clock; so the sets of
//! roles of two parts are disjoint. By induction what follows is worth the product of the `f_i` to
//! the whole. Its mean over chance is the product of means, as chance roles are independent; its
//! minimum over the opponents is the product of minima and its maximum over the asked role the product
//! of maxima, as no factor is negative and no two factors read the same role. That is the product of the `v_i`. At a horizon before the end all
//! are 0. Where one condition suffices, all values are put upside down: 1 - v is the minimum over the
//! asked role of the maximum over the opponents of the mean of 1 - payment, and the same holds of
//! it; at a horizon before the end all are 1 then, and v is 0.
//!
//! States of the whole are pairs of states of parts at the same ply, so each is well-formed if
//! those of all parts are: that a role has a move is checked in the part on which its moves bear, and
//! that no two goal values hold at an end is proven here.

mod build;
mod payment;
mod rails;
mod steps;

use gdl::RoleId;
use ground::{BaseId, InputId};
use index::{IdSet, IndexVec};
use rustc_hash::FxHashMap;

use crate::facts::{clock_bases, partition};
use crate::gates::{Gate, GateId, Gates, Net};
use crate::rebuild::support;
use build::Builder;
use payment::Payment;
use rails::Rails;
use steps::{Checked, Steps};

/// How the conditions of a win stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All are wanted: values are multiplied.
    All,
    /// One suffices: the odds of failing are multiplied.
    Any,
}

/// Who is asked about, and what an end is worth.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// The role.
    pub role: RoleId,
    /// Whether some goal value has to hold at each end; what is asked is the expected goal then, and it
    /// is 0 or 100. Else it is the probability of 100.
    pub must_be_paid: bool,
}

/// A game taken apart.
#[derive(Clone, Debug)]
pub struct Apart {
    /// How the values of parts stand together.
    pub wanted: Wanted,
    /// The parts, by their first propositions; two or more.
    pub parts: Vec<Part>,
    /// By role: the part on which its moves bear in the state asked about, if they bear on one.
    pub first: IndexVec<RoleId, Option<usize>>,
}

/// A part as a game of its own.
#[derive(Clone, Debug)]
pub struct Part {
    /// The game: the same roles in the same order; its goal is 100 for the role asked about where
    /// its conditions hold. A part without conditions wins where all are wanted and fails where one
    /// suffices.
    pub net: Net,
    /// Propositions of its own, those of the clock left out.
    pub bases: usize,
}

/// Why a game is not taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It does not come apart at all.
    OnePart,
    /// The end reads what moves change.
    End,
    /// The clock never comes to an end.
    Endless,
    /// The state asked about has ended.
    Ended,
    /// The clock takes too many steps to be followed.
    LongClock,
    /// Fewer than two parts decide on the payment.
    OneCounts,
    /// An end may have several goal values, or payments other than 0 and 100, or none.
    Goals,
    /// In some steps roles have moves in several parts, and what that joins is too much.
    Choice,
    /// It is not shown that a role always has a move.
    Stuck,
}

impl Refusal {
    /// In a few words, as the end of a sentence.
    pub fn text(self) -> &'static str {
        match self {
            Self::OnePart => "they do not come apart",
            Self::End => "the end of the game reads them",
            Self::Endless => "the clock never comes to an end",
            Self::Ended => "the game has ended",
            Self::LongClock => "the clock takes too many steps",
            Self::OneCounts => "the payment is not a matter of one condition for each of several",
            Self::Goals => "it is not shown that an end has one goal value, of 0 or 100",
            Self::Choice => "a role chooses in which of them to move",
            Self::Stuck => "it is not shown that each role has a move",
        }
    }
}

/// Takes a game apart.
///
/// # Errors
/// Why the parts are to be solved together.
pub fn apart(net: &Net, asked: Asked) -> Result<Apart, Refusal> {
    let clock = clock_bases(net);
    if support(&net.gates, &[net.terminal]).0.iter().any(|base| !clock.contains(*base)) {
        return Err(Refusal::End);
    }
    let parts = partition(net, &clock, &[], &[]);
    if parts.len() < 2 {
        return Err(Refusal::OnePart);
    }
    let mut steps = Steps::new(net, &clock);
    let end = steps.end()?;
    let mut payment = Payment::new(net, asked.role, |base| {
        clock.contains(base).then(|| end.binary_search(&base).is_ok())
    });
    let parts: Vec<Members> = parts.into_iter().map(|part| (part.bases, part.inputs)).collect();
    let home = Home::new(net, &parts);
    let (wanted, conditions) = payment.conditions();
    let mut parts = home.merged(&payment.reads(&conditions, &home));
    let mut fewer = Refusal::OneCounts;
    let (home, own, rails, first) = loop {
        let home = Home::new(net, &parts);
        let own = payment.by_part(wanted, &conditions, &home);
        if own.iter().flatten().count() < 2 {
            return Err(fewer);
        }
        let rails = Rails::new(net, &clock, &home);
        match steps.check(&rails)? {
            Checked::Apart(first) => break (home, own, rails, first),
            Checked::Joined(sets) => {
                let before = std::mem::replace(&mut parts, home.merged(&sets)).len();
                assert!(parts.len() < before, "a choice joins parts");
                fewer = Refusal::Choice;
            }
        }
    };
    if !payment.is_proper(asked.must_be_paid, &home) {
        return Err(Refusal::Goals);
    }
    let builder = Builder { net, clock: &clock, home: &home, rails: &rails, payment: &payment };
    let made = parts.iter().enumerate().map(|(number, (bases, _))| {
        let idle = net.gates.constant(wanted == Wanted::All);
        let net = builder.part(number, bases, asked.role, (own[number], idle));
        Part { net, bases: bases.len() }
    });
    Ok(Apart { wanted, parts: made.collect(), first })
}

/// A part's propositions and moves, each ascending.
type Members = (Vec<BaseId>, Vec<InputId>);

/// Which part a proposition and a move belong to.
struct Home {
    bases: IndexVec<BaseId, Option<usize>>,
    inputs: IndexVec<InputId, Option<usize>>,
}

impl Home {
    fn new(net: &Net, parts: &[Members]) -> Self {
        let mut bases = IndexVec::filled(None, net.bases.len());
        let mut inputs = IndexVec::filled(None, net.inputs.len());
        for (number, part) in parts.iter().enumerate() {
            part.0.iter().for_each(|base| bases[*base] = Some(number));
            part.1.iter().for_each(|input| inputs[*input] = Some(number));
        }
        Self { bases, inputs }
    }

    /// How many parts there are.
    fn parts(&self) -> usize {
        self.bases.iter().flatten().max().map_or(0, |last| last + 1)
    }

    /// The parts that a gate reads, ascending.
    fn read_by(&self, gates: &Gates, gate: GateId) -> Vec<usize> {
        let bases = support(gates, &[gate]).0;
        let mut parts: Vec<usize> = bases.iter().filter_map(|base| self.bases[*base]).collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// The parts after those of each set were joined.
    fn merged(&self, sets: &[Vec<usize>]) -> Vec<Members> {
        let mut heads: Vec<usize> = (0..self.parts()).collect();
        let head = |heads: &[usize], mut at: usize| {
            while heads[at] != at {
                at = heads[at];
            }
            at
        };
        for set in sets {
            for pair in set.windows(2) {
                let (one, other) = (head(&heads, pair[0]), head(&heads, pair[1]));
                heads[one.max(other)] = one.min(other);
            }
        }
        let (mut numbers, mut merged) = (FxHashMap::default(), Vec::<Members>::new());
        let mut place = |merged: &mut Vec<Members>, part: usize| {
            let fresh = numbers.len();
            let number = *numbers.entry(head(&heads, part)).or_insert(fresh);
            if number == merged.len() {
                merged.push(Members::default());
            }
            number
        };
        for (base, part) in self.bases.enumerate() {
            if let Some(part) = part {
                let number = place(&mut merged, *part);
                merged[number].0.push(base);
            }
        }
        for (input, part) in self.inputs.enumerate() {
            if let Some(part) = part {
                let number = place(&mut merged, *part);
                merged[number].1.push(input);
            }
        }
        merged
    }
}

/// What the propositions that a gate reads belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    /// The clock, or nothing.
    Clock,
    /// The clock and one part.
    Part(usize),
    /// Several parts.
    Several,
}

impl Reads {
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Clock, other) => other,
            (this, Self::Clock) => this,
            (this, other) if this == other => this,
            _ => Self::Several,
        }
    }

    /// By gate of an arena; moves are nobody's.
    fn all(gates: &Gates, home: &Home) -> IndexVec<GateId, Self> {
        let mut reads = IndexVec::new();
        for (_, gate) in gates.iter() {
            let own = match gate {
                Gate::Base(base) => home.bases[base].map_or(Self::Clock, Self::Part),
                _ => Self::Clock,
            };
            let of = |own: Self, operand: GateId| own.with(reads[operand]);
            let read = gate.operands().fold(own, of);
            reads.push(read);
        }
        reads
    }
}

/// A set of propositions of the clock.
type ClockSet = IdSet<BaseId>;
