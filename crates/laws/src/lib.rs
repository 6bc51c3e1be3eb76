//! What must hold of every input, whatever it is: one function a kind of input, which panics where
//! a law is broken; and the changes that make a thousand inputs of one.
//!
//! A fuzz target calls one such function and nothing else; a test calls the same ones for a second
//! with inputs drawn from a seed. So what a night of fuzzing holds to be true, every run of the
//! tests holds to be true as well. Nothing here knows a right answer: laws relate what the program
//! says about one input to what it says about the same input in another form, at another stage, or by
//! a definition.
#![forbid(unsafe_code)]

pub mod change;
pub mod formula;
pub mod plays;
pub mod sheet;
pub mod table;
