//! Faults that tests plant on purpose, to see that the other tests would catch them.
//!
//! Each is a mistake that is easy to make and hard to see. Outside of tests none can be planted:
//! the question is answered at compile time.

use crate::options::Options;

/// A mistake on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The value is 1 because no clause is open that crosses the boundary; clauses wholly beyond
    /// it remain.
    WonWithoutCrossing,
    /// A good literal is closed through a variable above the boundary.
    GoodThroughAbove,
    /// One variable of each cut is missing from the key.
    CutVariableMissing,
    /// What propagation drew beyond the boundary counts as satisfying the clauses that cross it.
    PartHidden,
    /// A chance weight counts once the variable is propagated, though the walk never passes it.
    WeightOfUnpassed,
    /// The value of a branch that was cut off is kept as if it were exact.
    BoundKeptAsExact,
    /// Purity counts half of the clauses.
    PureByFewerClauses,
    /// A derived clause lost a literal.
    ResolventLostLiteral,
    /// A variable is resolved away although deeper ones stand in its clauses.
    EliminatedTooEarly,
    /// A guess from samples counts though nothing shows it.
    GuessUnproven,
    /// A variable is put off behind a boundary though nothing defines it.
    ChoicePutOff,
    /// A variable moves outward although only half of a gate is there.
    HalfGate,
    /// A literal bound by forall is made true where it is the last of its clause.
    ForallPropagated,
    /// A learned clause lost a literal.
    LearnedLostLiteral,
    /// A variable is missing from the key of a part.
    KeyVariableMissing,
    /// Values of parts stay though they were found beside a part without a model.
    PoisonKept,
    /// An upper bound on a part's value is kept as if it were exact.
    PartBoundKeptAsExact,
    /// An upper bound lets exists choose sooner than it may.
    ChosenSooner,
    /// Binary clauses do not hold parts together.
    DependentParts,
    /// A chance variable that propagation gave a value does not count.
    WeightOfImplied,
}

impl Options {
    /// Whether a test planted this fault.
    #[inline]
    pub(crate) fn plants(&self, fault: Fault) -> bool {
        #[cfg(test)]
        let planted = self.planted == Some(fault);
        #[cfg(not(test))]
        let planted = {
            let _ = fault;
            false
        };
        planted
    }
}
