//! Ground rules: what grounding hands to the network.
//!
//! Always, in a [`GroundRules`] that [`crate::ground`] returns:
//! - facts that hold in every state have been folded away: no rule has an atom in its body that
//!   is always true or always false, except where the head itself is a fact (an empty body);
//! - every helper atom that stands in a body has a rule; an atom of a body without rules is a
//!   `True` or a `Does`;
//! - `next`, `legal`, `goal` and `terminal` rules never depend on `Next` atoms; only rules below
//!   `Next` depend on `Does`;
//! - a `next` rule may be missing where its body ends the game: a terminal state has no successor;
//! - negation is stratified; positive recursion among helpers may occur.

use gdl::{RoleId, Span, SymbolId};
use index::IndexVec;

index::typed_id!(
    /// An interned ground term.
    pub struct TermId, "t"
);
index::typed_id!(
    /// A base proposition: a term that can be true in a state.
    pub struct BaseId, "b"
);
index::typed_id!(
    /// A move of a role.
    pub struct InputId, "i"
);
index::typed_id!(
    /// A ground atom.
    pub struct AtomId, "a"
);

/// Interned ground terms. Arguments have smaller ids than the term that holds them.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Function or constant name with arguments; a constant has none.
    pub nodes: IndexVec<TermId, (SymbolId, Box<[TermId]>)>,
}

/// What a ground atom stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomKind {
    /// The proposition holds in the state.
    True(BaseId),
    /// The role of this input plays it in this step.
    Does(InputId),
    /// The proposition holds in the next state.
    Next(BaseId),
    /// The input is legal in the state.
    Legal(InputId),
    /// The goal value (0..=100) of a role.
    Goal(RoleId, u8),
    /// The game has ended.
    Terminal,
    /// A relation of the author's.
    Helper,
}

/// A literal: the atom, and whether it must *not* hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroundLiteral {
    /// The atom.
    pub atom: AtomId,
    /// Whether the literal is negative.
    pub negated: bool,
}

/// A ground rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundRule {
    /// What is concluded.
    pub head: AtomId,
    /// Conditions, sorted, without repetition.
    pub body: Box<[GroundLiteral]>,
}

/// A role with its moves.
#[derive(Clone, Debug)]
pub struct GroundRole {
    /// The name.
    pub name: String,
    /// Moves in the order of the inputs; their ids are consecutive.
    pub inputs: std::ops::Range<usize>,
}

/// A move of a role.
#[derive(Clone, Debug)]
pub struct Input {
    /// Whose.
    pub role: RoleId,
    /// The move's term.
    pub term: TermId,
    /// The move as GDL text.
    pub text: String,
}

/// The ground game.
#[derive(Clone, Debug)]
pub struct GroundRules {
    /// Ground terms.
    pub terms: Terms,
    /// Base propositions.
    pub bases: IndexVec<BaseId, TermId>,
    /// Base propositions as GDL text, such as `(cell 1 1 b)`.
    pub base_texts: IndexVec<BaseId, String>,
    /// The propositions of the initial state, ascending.
    pub init: Vec<BaseId>,
    /// Roles in the order of the sheet.
    pub roles: IndexVec<RoleId, GroundRole>,
    /// Moves, grouped by role.
    pub inputs: IndexVec<InputId, Input>,
    /// Atoms.
    pub atoms: IndexVec<AtomId, AtomKind>,
    /// Rules, in no particular order.
    pub rules: Vec<GroundRule>,
    /// For each rule the place in the sheet that it came from.
    pub spans: Vec<Span>,
}
