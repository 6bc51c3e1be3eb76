//! What the commands print: answers and failures, for people and for programs.

pub(crate) mod answer;
pub(crate) mod checked;
pub(crate) mod claimed;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod number;
pub(crate) mod place;
mod position;
pub(crate) mod trouble;
pub(crate) mod visible;
