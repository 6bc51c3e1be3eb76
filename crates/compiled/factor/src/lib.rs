//! A game taken apart: phases, digits, and tables from value to value.
//!
//! A state of many games is a phase (whose turn it is, what waits to be tossed) and some digits:
//! sets of propositions that move together, such as the columns of a board, each with a few values.
//! What a joint move does is then a table for each digit that changes, and a state is a number in
//! mixed radix. Computed: phases ([`phases`]), digits ([`digits`]), tosses folded into the choices
//! before them ([`fold`]).
//!
//! Always: nothing here is guessed. Which propositions are the phase is a choice that can be bad,
//! and then the game is refused; all that is said of phases, values and tables is proven by
//! enumeration over the network. Where a game does not come apart there is a [`Refusal`], and the
//! solve goes on with packed bits. Cost: the network once for each phase and joint move, bounded.
#![forbid(unsafe_code)]

mod check;
mod digits;
mod exchange;
mod fold;
mod join;
mod levels;
mod phases;

use gdl::RoleId;
use net::symmetry::Renaming;
use net::{BaseId, GateId, Gates, InputId, Net};

pub use check::check;
pub use levels::{Levels, levels};

/// Marks a value that a table does not lead from.
pub const NOWHERE: u32 = u32::MAX;

/// A table from the values of a digit to its values; [`NOWHERE`] where the move cannot be played.
pub type Map = Vec<u32>;

/// Who plays which part.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The role that maximises.
    pub asked: RoleId,
    /// Roles that minimise together.
    pub opponents: Vec<RoleId>,
    /// Roles that play uniformly at random.
    pub chance: Vec<RoleId>,
}

/// Why a game is not taken apart, as the end of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal(pub &'static str);

/// Propositions that move together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digit {
    /// The propositions, ascending.
    pub bases: Vec<BaseId>,
    /// What holds in each value; every table ascends.
    pub values: Vec<Vec<BaseId>>,
    /// The tables.
    pub maps: Vec<Map>,
    /// The value at the start.
    pub start: u32,
}

/// When a move is legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// In the whole phase.
    Always,
    /// By the value of one digit.
    Digit(usize, Vec<bool>),
    /// Where a gate of [`Factored::gates`] holds.
    Gate(GateId),
}

/// Who chooses in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chooser {
    /// The asked role, or nobody.
    Asked,
    /// The opponents.
    Opponents,
}

/// What may come of a pair of moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How many of [`Pair::total`] equal draws.
    pub weight: u32,
    /// The next phase.
    pub phase: usize,
    /// The digits that change, ascending, each with its table.
    pub maps: Vec<(usize, usize)>,
}

/// A move of the asked role with one of each opponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The moves: the asked role's, then the opponents' in their order.
    pub moves: Vec<InputId>,
    /// All of these must hold.
    pub legal: Vec<Condition>,
    /// What may come of it.
    pub outcomes: Vec<Outcome>,
    /// Sum of the weights.
    pub total: u32,
    /// Steps that it takes: 2 where a toss is folded in.
    pub steps: u32,
}

/// A phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The propositions of phases that hold.
    pub bases: Vec<BaseId>,
    /// Whether the game has ended, over the digits.
    pub terminal: GateId,
    /// The asked role's goals, over the digits.
    pub goals: Vec<(u8, GateId)>,
    /// Who chooses.
    pub chooser: Chooser,
    /// Whether chance has several joint moves in this phase itself.
    pub tosses: bool,
    /// Whether it waits for chance alone.
    pub waits: bool,
    /// Pairs of moves, the asked role's outermost.
    pub pairs: Vec<Pair>,
    /// For each role that may lack a legal move: its moves.
    pub needs: Vec<(RoleId, Vec<Condition>)>,
    /// Whether it was folded into the choice before it.
    pub(crate) folded: bool,
}

/// A game taken apart. The first phase is that of the start.
#[derive(Clone, Debug)]
pub struct Factored {
    /// The digits, each with at least two values.
    pub digits: Vec<Digit>,
    /// What holds in every state, beside phase and digits.
    pub constants: Vec<BaseId>,
    /// The phases in which states are kept.
    pub phases: Vec<Phase>,
    /// The arena of the gates of phases.
    pub gates: Gates,
    /// By digit: the one that a symmetry exchanges it with, itself where it stays. None where no
    /// symmetry was asked for, or it does not exchange digits.
    pub exchange: Option<Vec<usize>>,
}

/// Takes a game apart. The propositions of each of `groups` are not separated (a guess that can
/// only be bad, not wrong), and digits are joined while they have at most `joined` values together:
/// where a renaming is given, of an automorphism, alike on both sides of it.
///
/// # Errors
/// Where it does not come apart.
pub fn factor(
    net: &Net,
    parts: &Parts,
    groups: &[Vec<BaseId>],
    joined: usize,
    renaming: Option<&Renaming>,
) -> Result<Factored, Refusal> {
    let raw = phases::enumerate(net, parts)?;
    let (digits, constants) = join::digits(net, &raw, groups, (joined, renaming))?;
    let mut factored = fold::assemble(&raw, parts, digits, constants)?;
    factored.exchange = renaming.and_then(|renaming| exchange::exchange(&mut factored, renaming));
    let held = factored.phases.iter().flat_map(|phase| &phase.pairs);
    assert!(held.clone().all(|pair| !pair.outcomes.is_empty()), "a pair leads somewhere");
    Ok(factored)
}
