//! `oddsmith generate`: a game of a family as GDL text. The families themselves are in
//! [`crosscheck::families`]; what they refuse is the input's fault.

use std::io::Write;

use crosscheck::families::{Board, connect, nim, pig, tictactoe};

use super::write_text;
use crate::args::{BoardArgs, Family, GenerateArgs};
use crate::failure::{Failure, Status};

/// Prints the sheet.
pub(crate) fn run(args: &GenerateArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let (made, target) = match &args.family {
        Family::TicTacToe(held) => (tictactoe(&board(held), held.own), &held.target),
        Family::Connect(held) => (connect(&board(held), held.own), &held.target),
        Family::Nim(held) => (nim(held.pile, held.add), &held.target),
        Family::Pig(held) => (pig(held.target, held.die), &held.output),
    };
    let text = made.map_err(|message| Failure::input("family", message))?;
    debug_assert!(text.ends_with('\n'), "a sheet is whole lines");
    write_text(out, target.output.as_deref(), &text)?;
    Ok(Status::Answered)
}

/// The board, given as three numbers or by name; clap sees to it that one of the two is whole.
fn board(args: &BoardArgs) -> Board {
    let part = |first: Option<u32>, named| first.or(named).expect("clap requires all three");
    let shape = &args.shape;
    Board {
        columns: part(shape.columns, args.columns),
        rows: part(shape.rows, args.rows),
        line: part(shape.line, args.line),
    }
}
