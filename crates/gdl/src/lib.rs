//! Text to a normalised rulebook: the only reader of GDL, shared by all engines.
//!
//! A sheet in prefix KIF goes in; a [`Rulebook`] in normal form comes out, or every fault of the
//! sheet at once, each with its place in the text. Nothing here evaluates a rule or knows a state.
#![forbid(unsafe_code)]

mod advice;
mod dialect;
mod facts;
mod formula;
mod information;
mod layout;
mod local;
mod names;
mod normal;
mod pool;
mod print;
mod read;
mod relations;
mod render;
mod roles;
mod rulebook;
mod safety;
mod separate;
mod shape;
mod sheet;
mod span;
mod spelling;
mod strata;
mod symbol;
mod tree;
mod unfold;
mod unify;
mod verify;

pub use facts::read_facts;
pub use formula::TERM_DEPTH_LIMIT;
pub use information::complete_information;
pub use layout::layout;
pub use print::{rule_text, term_text};
pub use read::{ReadOptions, Reading, read};
pub use render::render;
pub use rulebook::{Atom, Literal, RoleId, Rule, Rulebook, Term, VarId};
pub use sheet::GOAL_VALUES;
pub use span::{Diagnostic, Label, SHEET_LIMIT_BYTES, Severity, Source, Span};
pub use spelling::nearest;
pub use symbol::{SymbolId, Symbols, keyword};
pub use verify::verify;
