//! Programs over planes as data for a graphics device: a list that one fixed shader reads.
//!
//! Drivers compile code in more than linear time, and a network of thousands of propositions would
//! take minutes. A list needs no compiling; an operation then costs three reads and a write of
//! memory, where compiled code keeps most of them in registers.
//!
//! Always: an operation reads what it does not compute from the key or the moves, and the rest
//! from places that an earlier operation wrote.

use crate::frame::Lit;
use crate::program::Program;
use crate::wgsl::Rows;

/// A program as words: how many operations and outputs there are; then left, right and place of
/// each operation; then what each output is. An operand is `8 * row + 2 * kind + inverted`, with
/// [`CONSTANT`], [`KEY`], [`PLAYED`] or [`HELD`] as its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tape {
    /// The words.
    pub words: Vec<u32>,
    /// Places that operations write.
    pub held: usize,
}

/// Kinds of operands: false; a bit of the key; whether a move is played; what was computed.
const CONSTANT: u32 = 0;
const KEY: u32 = 1;
const PLAYED: u32 = 2;
const HELD: u32 = 3;

/// A program as a list.
pub(crate) fn tape(program: &Program, rows: Rows) -> Tape {
    let operand = |lit: Lit| {
        let slot = lit.slot();
        let within = |(first, count): (usize, usize)| (first..first + count).contains(&slot);
        let (kind, row) = match slot {
            0 => (CONSTANT, 0),
            _ if within(rows.key) => (KEY, slot - rows.key.0),
            _ if within(rows.moves) => (PLAYED, slot - rows.moves.0),
            _ => (HELD, slot - rows.free),
        };
        (row as u32) << 3 | kind << 1 | (lit.flip() & 1) as u32
    };
    let outputs = program.outputs();
    let mut words = vec![program.len() as u32, outputs.len() as u32];
    for (left, right, target) in program.ops() {
        words.extend([operand(left), operand(right), (target - rows.free) as u32]);
    }
    words.extend(outputs.iter().map(|lit| operand(*lit)));
    Tape { words, held: program.slots().saturating_sub(rows.free) }
}
