//! `oddsmith generate`: a game of a family as GDL text, or a formula of one as clauses. The
//! families themselves are in [`crosscheck::families`] and [`qcnf::families`]; what they refuse is
//! the input's fault.

use std::io::Write;

use crosscheck::families::{Board, connect, nim, pig, tictactoe};
use qcnf::text::{self, Dialect};

use super::{print_notes, write_text};
use crate::args::{BoardArgs, Family, FormulaArgs, GenerateArgs};
use crate::failure::{Failure, Status};
use crate::report::number::fraction;

/// Prints the sheet or the formula.
pub(crate) fn run(args: &GenerateArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let (made, target) = match &args.family {
        Family::TicTacToe(held) => (tictactoe(&board(held), held.own), &held.target.output),
        Family::Connect(held) => (connect(&board(held), held.own), &held.target.output),
        Family::Nim(held) => (nim(held.pile, held.add), &held.target.output),
        Family::Pig(held) => (pig(held.target, held.die), &held.output.output),
        Family::Formula(held) => (formula(held), &held.output),
    };
    let text = made.map_err(|message| Failure::input("family", message))?;
    debug_assert!(text.ends_with('\n'), "a sheet is whole lines");
    write_text(out, target.as_deref(), &text)?;
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

/// A formula as text, with what it is and its value in comments.
fn formula(args: &FormulaArgs) -> Result<String, String> {
    let FormulaArgs { family, sizes, variant, .. } = args;
    let member = family.member(Some(variant.name), sizes)?;
    let dialect = Dialect::from(args.dialect);
    let losses = dialect.losses(&member.formula).map_err(|fault| fault.to_string())?;
    print_notes(&losses.iter().map(ToString::to_string).collect::<Vec<_>>());
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let (name, which) = (family.name, variant.name);
    let mut text = format!("c {}\n", family.about);
    text += &format!("c oddsmith generate {name} {} --variant {which}\n", sizes.join(" "));
    text += &format!("c value {} ({})\n", fraction(&member.value), variant.value);
    let mut clauses = Vec::new();
    text::write(&member.formula, dialect, &mut clauses).map_err(|fault| fault.to_string())?;
    Ok(text + &String::from_utf8_lossy(&clauses))
}
