//! The chores of a checkout: run `oddsmith`, run the tests, hold the rules of the house, measure.
//!
//! Nothing here depends on a crate of the workspace, so that the rules can be checked, and the
//! tests be started, while the workspace does not compile.
#![forbid(unsafe_code)]

pub mod bench;
pub mod checkout;
pub mod corpus;
pub mod fuzz;
pub mod mutants;
pub mod oddsmith;
pub mod report;
pub mod symbolic;
pub mod system;
pub mod tests;
pub mod tidy;
