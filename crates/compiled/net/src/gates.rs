//! The network: hash-consed, folded gates in topological order, and the game's outputs on them.
//!
//! Well-formed (what `verify` checks): the operands of a gate have smaller ids than the gate; no
//! two gates are equal; no gate could be folded by the laws that the constructors of [`Gates`]
//! apply; `legal`, `terminal` and goals depend on no `Does` gate.

use gdl::RoleId;
use ground::{BaseId, InputId};
use index::IndexVec;
use rustc_hash::FxHashMap;

index::typed_id!(
    /// A gate.
    pub struct GateId, "g"
);

/// A gate. Operands of `And` and `Or` are in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// A constant.
    Const(bool),
    /// A base proposition of the state.
    Base(BaseId),
    /// A move that is played.
    Does(InputId),
    /// Negation.
    Not(GateId),
    /// Conjunction.
    And(GateId, GateId),
    /// Disjunction.
    Or(GateId, GateId),
}

/// The arena of gates. Gates 0 and 1 are always the constants false and true.
#[derive(Clone, Debug)]
pub struct Gates {
    nodes: IndexVec<GateId, Gate>,
    ids: FxHashMap<Gate, GateId>,
}

/// A role of the network.
#[derive(Clone, Debug)]
pub struct NetRole {
    /// The name.
    pub name: String,
    /// Its moves: a range of input ids.
    pub inputs: std::ops::Range<usize>,
    /// Goal values that can be derived, ascending, with their gates.
    pub goals: Vec<(u8, GateId)>,
}

/// A game as a network.
#[derive(Clone, Debug)]
pub struct Net {
    /// All gates.
    pub gates: Gates,
    /// Base propositions as GDL text.
    pub bases: IndexVec<BaseId, String>,
    /// Moves as GDL text.
    pub inputs: IndexVec<InputId, String>,
    /// Roles.
    pub roles: IndexVec<RoleId, NetRole>,
    /// The initial state.
    pub init: Vec<BaseId>,
    /// View: legality of each move.
    pub legal: IndexVec<InputId, GateId>,
    /// View: whether the game has ended.
    pub terminal: GateId,
    /// Update: each proposition in the next state.
    pub next: IndexVec<BaseId, GateId>,
}
