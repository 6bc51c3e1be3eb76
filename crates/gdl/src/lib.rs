//! Text to a normalised rulebook: the only reader of GDL, shared by all engines.
//!
//! A sheet in prefix KIF goes in; a [`Rulebook`] in normal form comes out, or every fault of the
//! sheet at once, each with its place in the text. Nothing here evaluates a rule or knows a state.
#![forbid(unsafe_code)]

mod rulebook;
mod span;
mod symbol;

pub use rulebook::{Atom, Literal, RoleId, Rule, Rulebook, Term, VarId};
pub use span::{Diagnostic, Label, Severity, Source, Span};
pub use symbol::{SymbolId, Symbols, keyword};
