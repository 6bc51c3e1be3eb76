//! The answer where every role plays for itself.
//!
//! Computed elsewhere; said here. In each state at most one role that is not chance has a choice;
//! it takes the move with the largest expected goal value of its own. *Ties*: of equally good moves
//! it takes the one that is listed first, numbers by size and before names, names by their text.
//! What another role gets can rest on this rule, and then the answer says so.

use exact::Ratio;

use crate::Counts;

/// A first move, and what every role gets after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedMove {
    /// The move as GDL text.
    pub text: String,
    /// Expected goal values, 0 to 100, in the order of [`Shares::roles`].
    pub goals: Vec<Ratio>,
    /// Whether it is the one that is taken.
    pub taken: bool,
}

/// What every role gets where each maximises its own goal value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Names of the roles that are not chance, in the order of the sheet.
    pub roles: Vec<String>,
    /// Their expected goal values, 0 to 100.
    pub goals: Vec<Ratio>,
    /// Who chooses first; none where nobody does in the state asked about.
    pub chooser: Option<String>,
    /// Its moves in the order in which ties are broken; the only joint move is not shown.
    pub moves: Vec<SharedMove>,
    /// Whether some role's goals may rest on the rule for ties: in some state that can be reached a
    /// move was taken before another that is as good for its role and not for all. Where it is false
    /// every way to break ties gives the same goals. None where the engine does not tell.
    pub tied: Option<bool>,
    /// Whether some state that is followed was unfinished at the horizon; it pays nobody. None
    /// where the engine does not tell.
    pub cut: Option<bool>,
    /// Counts.
    pub counts: Counts,
}
