//! Parts: a second walk, over parts of the formula that share no variable.
//!
//! Where the frontier walk keeps to the order of the prefix and needs small boundaries between
//! levels, this one follows how the clauses hang together: it branches on any variable of a part's
//! outermost block, splits what is left, multiplies the values of the parts and keeps them under
//! the parts themselves. It learns clauses and asks before it goes deeper whether the clauses have
//! a model at all. It is right for planning, circuits and other formulas without a narrow state.

mod activity;
mod analyze;
mod cache;
mod clauses;
mod climb;
mod component;
mod decide;
mod frame;
mod halt;
mod reasoner;
mod relax;
mod satisfiable;
mod search;
mod settle;
mod trace;
mod trail;
mod value;

pub(crate) use search::{Parts, Setting};
pub(crate) use value::Value;
