//! A game and a question about it as an SQASP program that a person can read.
//!
//! The program has a copy of each rule that matters for every step from 0 to the horizon n. Once
//! the game has ended no role moves and no state follows, so that what comes after is false. The
//! end must be reached by n and must be worth something to the asked role. Levels, for step i:
//! 5i the asked role's move, 5i+1 the codes of all opponents, 5i+2 their moves, 5i+3 the draws of
//! chance; chance roles' moves are defined by the draws.
//!
//! The value of the program is the value of the question: the asked role's `does` are exists; a
//! code that names a legal move of an opponent forces it, a code that names none forces nothing
//! and leaves the move to exists, which is no smaller than the best code; with k legal moves the
//! J-th is drawn when dec(J) holds and no later one does, which has probability
//! 1/J * J/(J+1) * ... * (k-1)/k = 1/k. Under the objective `goal` a last draw takes the worth of
//! the end as its probability. Cost: the text does not depend on n; grounding does.
//! Source: He and Thielscher, *An ASP-based approach to solving general stochastic two-player
//! games* (2026), whose translation this follows; draws that define moves, and several opponents
//! or chance roles, are ours.

mod domains;
mod names;
mod opening;
mod program;
mod queries;
mod roles;
mod rule;
mod sheet;

pub use domains::{DomainFault, Domains, Move, relaxed_program};
pub use opening::{Line, Opening};
pub use program::{Unfinished, game_program};
pub use queries::{Queries, Query};
