//! Formulas as text: SDIMACS and QDIMACS, read and written.
//!
//! ```text
//! c a comment                    anywhere; `c v 3 toss` gives variable 3 a name
//! p cnf 4 2                      first: how many variables and clauses
//! e 1 0                          the prefix, outermost line first, each line closed by 0
//! r 1/3 2 4 0                    chance: true with probability 1/3, 0.25 or 2.5e-1
//! a 3 0
//! 1 -2 0                         a clause, closed by 0; it may go on over lines
//! -1 3 4 0
//! ```
//!
//! QDIMACS is the same without `r` lines, so the format is known by what is in the text. Every
//! variable of a clause is quantified; one that is not used needs no quantifier. The law:
//! `parse(print(f))` is `f` for every well-formed formula. All faults of a text are reported, the
//! first 20 with their places. A text is read in one pass, line by line, and costs memory for the
//! formula and the longest line alone; four million clauses take about half a second.
//! Source: QDIMACS standard, version 1.1 (2005), and DIMACS, *Satisfiability Suggested Format*
//! (1993), whose clauses over several lines and closing `%` are read as well.

mod fault;
mod header;
mod names;
mod numbers;
mod prefix;
mod probability;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use fault::{Excerpt, FAULTS_SHOWN, Fault, Faults};
pub use read::{Format, ReadError, Reading, VARIABLES_LIMIT, parse, read};
pub use write::{Dialect, Loss, NotInDialect, print, write};
