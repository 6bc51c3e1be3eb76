//! Rulebook to ground rules: the least model of the rules' relaxation, bottom-up.
//!
//! Nothing here knows a gate or a bit.
#![forbid(unsafe_code)]

mod rules;

pub use rules::{AtomId, AtomKind, BaseId, GroundLiteral, GroundRole, GroundRule, GroundRules, Input, InputId, TermId, Terms};
