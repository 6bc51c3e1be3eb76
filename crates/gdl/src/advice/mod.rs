//! What an author wants to hear of a sheet that is in order as far as the language goes.
//!
//! Each check only looks, at the rules in normal form and at the forms that they came from, and
//! adds warnings; none can make an error. What is warned of is true of every play: that a
//! condition never holds is said only where no rule that can ever apply concludes anything that
//! matches it. So a sheet whose rules all have a use gets no warning here. Run for `check` only:
//! whoever asks for a value is not to be taught. Cost: about that of reading the sheet again.

mod conditions;
mod goals;
mod names;
mod possible;
mod unused;

use index::IndexVec;

use crate::formula::WrittenRule;
use crate::{Diagnostic, RoleId, Rule, SymbolId, Symbols};

/// A whole sheet without an error.
pub(crate) struct Advice<'a> {
    /// The forms as they were written.
    pub(crate) written: &'a [WrittenRule],
    /// Their normal form, before callers made rules safe.
    pub(crate) rules: &'a [Rule],
    /// Names.
    pub(crate) symbols: &'a Symbols,
    /// The roles.
    pub(crate) roles: &'a IndexVec<RoleId, SymbolId>,
}

impl Advice<'_> {
    /// Adds all that is odd.
    pub(crate) fn give(&self, faults: &mut Vec<Diagnostic>) {
        let before = faults.len();
        self.odd_names(faults);
        self.unused_relations(faults);
        self.impossible_conditions(faults);
        self.odd_goals(faults);
        self.odd_roles(faults);
        debug_assert!(
            faults[before..].iter().all(|fault| !fault.is_error()),
            "advice refuses nothing"
        );
        debug_assert!(faults[before..].iter().all(|fault| !fault.notes.is_empty()), "advice helps");
    }

    /// The name of a symbol, as the sheet has it.
    fn name(&self, symbol: SymbolId) -> &str {
        self.symbols.name(self.symbols.written(symbol))
    }
}
