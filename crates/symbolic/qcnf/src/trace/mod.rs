//! Trace: what a solver decided, so that its value can be checked without it.
//!
//! A trace names the formula that was walked, with its variables in the order of the walk, and a
//! graph of *nodes*: what was branched on, what was settled without a branch, where a value was
//! taken from an earlier node because the same is left of the formula. It claims no values: the
//! checker ([`Trace::value`]) finds them from the nodes, by its own propagation, and a node that
//! is not allowed where it stands is a fault. So a right trace proves the value of the formula
//! that was walked; that this formula has the value of the one that was given is another
//! question (audits and tests of the preparation answer it).

mod check;
mod propagate;
mod text;

pub use check::TraceFault;
use exact::Ratio;
pub use text::TraceFormatFault;

use crate::{Lit, Qcnf};

index::typed_id!(
    /// A node of a trace.
    pub struct NodeId, "n"
);

/// What happens at a place of the walk. All nodes that one names come before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A clause is falsified, or forall is bound to a literal: worth 0.
    Zero,
    /// All clauses hold: worth 1.
    One,
    /// Both values of the next variable, this literal first; the second is left out where the
    /// first decides it.
    Branch {
        /// The literal that is true first.
        lit: Lit,
        /// What follows.
        first: NodeId,
        /// What follows the other value.
        second: Option<NodeId>,
    },
    /// The next variable has the value that is best for whoever chooses it: no clause is open
    /// that another value would satisfy (for forall: that this one would).
    Pure {
        /// The literal.
        lit: Lit,
        /// What follows.
        next: NodeId,
    },
    /// No open clause holds the next variable: any value does.
    Free {
        /// The literal that it was given.
        lit: Lit,
        /// What follows.
        next: NodeId,
    },
    /// A level ends here; other nodes may name this one.
    Boundary {
        /// What follows.
        next: NodeId,
    },
    /// A level ends here, and the same is left of the formula as at an earlier boundary node.
    Known {
        /// That node.
        node: NodeId,
    },
}

/// A formula, and nodes that show its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The formula; variables stand in its prefix in ascending order.
    pub formula: Qcnf,
    /// Where levels end: numbers of variables, ascending.
    pub boundaries: Vec<u32>,
    /// What the value of the formula is multiplied by.
    pub factor: Ratio,
    /// The nodes; the last is where the walk begins.
    pub nodes: Vec<Node>,
}

#[cfg(test)]
mod tests;
