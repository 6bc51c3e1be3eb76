//! The roles of a sheet, in its order.

use index::IndexVec;

use crate::{Diagnostic, RoleId, Rule, SymbolId, Symbols, Term, keyword};

/// Collects the roles; `None` where there is none.
pub(crate) fn collect(
    rules: &[Rule],
    _symbols: &Symbols,
    whole: bool,
    faults: &mut Vec<Diagnostic>,
) -> Option<IndexVec<RoleId, SymbolId>> {
    let mut roles: Vec<SymbolId> = Vec::new();
    for rule in rules.iter().filter(|rule| rule.head.relation == keyword::ROLE) {
        if let Term::Constant(name) = rule.head.args[0]
            && !roles.contains(&name)
        {
            roles.push(name);
        }
    }
    if roles.is_empty() && whole {
        faults.push(
            Diagnostic::error("no-roles", "the sheet has no roles").note("write (role NAME)"),
        );
    }
    (!roles.is_empty()).then(|| roles.into())
}
