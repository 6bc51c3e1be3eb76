//! Families of games as GDL text: tic-tac-toe, connect, nim and pig at any size.
//!
//! A family is a function from a few numbers to a sheet. The same numbers always give the same
//! text, byte for byte, so that a sheet in `games/` can be checked against its family. Every
//! sheet declares `base` and `input`, has the players `x` and `o` with x to move first, and gives
//! 100 to a winner, 0 to a loser and 50 to both for a draw: under the objective `win` a draw is
//! worth nothing to either.
//!
//! Chance is written as equal moves of `random`: a probability a/b is b moves, a of which have
//! the same effect. The fraction is kept as it was given, so 2/4 has four moves and 1/2 has two;
//! the value is the same. The choice of a mover and the toss that follows are two steps.
//!
//! Parameters out of range are refused in a sentence; nothing here panics on what a user typed.
//! The text is linear in the number of cells or pieces, and so is what it grounds to: no rule
//! joins more than one cell with its neighbour. Lines are found by recursion along a direction
//! rather than listed, which keeps the sheet the same length on every board.

mod board;
mod connect;
mod facts;
mod nim;
mod pig;
mod tictactoe;

pub use board::Board;
pub use connect::connect;
pub use nim::{PILE_MAX, nim};
pub use pig::{DIE_MAX, TARGET_MAX, pig};
pub use tictactoe::tictactoe;

/// The largest denominator of a probability: each unit is a move of `random`.
pub const DENOMINATOR_MAX: u32 = 1_000;

/// Refuses a probability that is not a fraction in [0, 1] with a denominator that can be written
/// as moves. `name` is what the user calls it.
fn check_probability(name: &str, (part, whole): (u32, u32)) -> Result<(), String> {
    if whole == 0 {
        return Err(format!("{name} {part}/{whole}: the denominator must be at least 1"));
    }
    if whole > DENOMINATOR_MAX {
        return Err(format!(
            "{name} {part}/{whole}: the denominator is the number of moves of random, \
             {DENOMINATOR_MAX} at most"
        ));
    }
    if part > whole {
        return Err(format!("{name} {part}/{whole}: a probability is at most 1"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
