//! Benches of the symbolic engine and of the solver of quantified clauses.
//!
//! `formula` is a solve in a process of its own; `instance` a game with its value and its formulas;
//! the others are a bench each: `games` the engine on games, `public` formulas of others,
//! `families` formulas of growing size, `paper` the experiments of the paper.

pub(crate) mod families;
pub(crate) mod formula;
pub(crate) mod games;
pub(crate) mod instance;
pub(crate) mod paper;
pub(crate) mod public;
